"""The command line: a module for each command, imported when the command runs."""

from __future__ import annotations

import argparse
import re
import signal
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn

from scuttlehouse.cli.interrupts import interruptible
from scuttlehouse.cli.output import make_printable, send_nowhere
from scuttlehouse.errors import WRITE_ERRORS, HouseError
from scuttlehouse.printing import visible, without_passwords

# The module of each command is imported only when the command is run: it starts faster.
_COMMANDS = {
    "inspect": (
        "scuttlehouse.cli.inspect",
        "show what files are, and what is in them, without a build",
    ),
    "sql": ("scuttlehouse.cli.sql", "query the published tables, in the SQL of DuckDB"),
    "show": ("scuttlehouse.cli.show", "show the published build, or what is known of one thing"),
    "compare": ("scuttlehouse.cli.compare", "show which of two messages of a tangle came first"),
    "draw": (
        "scuttlehouse.cli.draw",
        "draw a group, its members, a tangle, a thread or its commands",
    ),
    "export": (
        "scuttlehouse.cli.export",
        "write the published tables into a file of DuckDB, or the database that SCUTTLEHOUSE_SERVING names; "
        "each build renews them",
    ),
    "follow": ("scuttlehouse.replicas.following", "bring a replica to the published order"),
    "rollback": ("scuttlehouse.cli.rollback", "publish an earlier build again"),
    "doctor": ("scuttlehouse.cli.doctor", "check everything that a build needs"),
    "metrics": ("scuttlehouse.cli.metrics", "print metrics of the builds for Prometheus"),
    "sample": ("scuttlehouse.sample.write", "write a signed sample log"),
}


# These commands have nothing to undo, so Ctrl-C ends their process. DuckDB keeps it from Python while a query
# runs.
_READERS = "inspect", "sql", "show", "compare", "draw", "doctor", "metrics"

# These commands take ids.
_OF_IDS = "show", "compare", "draw"

# What argparse takes for an option and may be an id. Options with one - have one letter.
_ID_LIKE_AN_OPTION = re.compile(r"-[^-]\S+")

# What a query begins with: as an argument of its own, it is one of a query without quotes.
_FIRST_WORDS = {"select", "from", "with", "show", "describe", "summarize"}

# What follows the error of a query of ours that names a column which no published table has.
_OTHER_VERSION = (
    " Another version of scuttlehouse has built the published tables: build with this one. Until then "
    "`scuttlehouse sql` reads them, and so do the commands of the other version."
)

# The exit codes after Ctrl-C and after SIGTERM, as those of a program that the signal ends.
_INTERRUPTED = 128 + signal.SIGINT
_TERMINATED = 128 + signal.SIGTERM


class _Parser(argparse.ArgumentParser):
    """An argument in an error controls no terminal and shows no password. ``hint`` ends every error."""

    hint = ""

    def error(self, message: str) -> NoReturn:
        super().error(visible(without_passwords(message) + self.hint))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code. An error is printed as a sentence."""
    make_printable()
    try:
        Path.cwd()
    except OSError as error:  # It was removed, for example by who installed the project anew.
        print(
            f"The present folder cannot be used ({error.strerror}): go to a folder that is there.",
            file=sys.stderr,
        )
        return 1
    if arguments is None:
        arguments = sys.argv[1:]
    chosen = next((argument for argument in arguments if not argument.startswith("-")), None)
    if chosen in _READERS:
        on_interrupt = signal.signal(signal.SIGINT, signal.SIG_DFL)
        try:
            return _run(arguments, chosen)
        finally:
            signal.signal(signal.SIGINT, on_interrupt)
    with interruptible() as came:
        try:
            return _run(arguments, chosen)
        except KeyboardInterrupt:
            return _TERMINATED if signal.SIGTERM in came else _INTERRUPTED


def _run(arguments: Sequence[str], chosen: str | None) -> int:
    if arguments and arguments[0] == "build":  # What follows are options of dbt.
        return int(import_module("scuttlehouse.cli.build").build(arguments[1:]))
    parser = _Parser(
        prog="scuttlehouse", description="Build, query and show a warehouse of Scuttlebutt logs."
    )
    commands = parser.add_subparsers(dest="command", required=True)
    commands.add_parser(
        "build",
        help="dbt build, unless nothing is new; takes its options, and --verify: read all logs and tables",
    )
    for name, (module, purpose) in _COMMANDS.items():
        command = commands.add_parser(name, help=purpose, description=purpose)
        if name == chosen:
            implementation = import_module(module)
            implementation.add_arguments(command)
            command.set_defaults(run=implementation.run)
            if name in _OF_IDS and "--" not in arguments:
                command.hint = parser.hint = _hint(arguments)
            elif name == "sql" and _FIRST_WORDS & {argument.lower() for argument in arguments}:
                parser.hint = "; write the query in quotes"
    args = parser.parse_args(arguments)
    # argparse of Python 3.11 takes a second `--` for no argument at all.
    if getattr(args, "id", None) == []:
        parser.error("the following arguments are required: id")
    try:
        code = _answer(args)
        sys.stdout.flush()
    except BrokenPipeError:  # The reader, `head` for example, has enough.
        send_nowhere(sys.stdout.fileno())
        return 0
    except OSError as error:
        if error.filename is not None or error.errno not in WRITE_ERRORS:
            raise
        send_nowhere(sys.stdout.fileno())
        print(f"The output cannot be written: {error.strerror}.", file=sys.stderr)
        return 1
    return code


def _hint(arguments: Sequence[str]) -> str:
    """What to write if one of the arguments is an id that begins with -."""
    found = next(filter(_ID_LIKE_AN_OPTION.fullmatch, arguments), None)
    return f"; if {found} is an id, write -- before the ids" if found else ""


def _answer(args: argparse.Namespace) -> int:
    try:
        return int(args.run(args) or 0)
    except HouseError as error:
        hint = _OTHER_VERSION if _is_of_other_tables(args.command, error) else ""
        print(visible(f"{error}{hint}"), file=sys.stderr)
        return 1


def _is_of_other_tables(command: str, error: HouseError) -> bool:
    """Whether a query of ours does not fit the columns of the published tables."""
    from scuttlehouse.reading.engine import UnboundError  # It imports DuckDB.

    return command != "sql" and isinstance(error, UnboundError)
