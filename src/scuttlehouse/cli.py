"""The command line: ``scuttlehouse sql``, ``follow``, ``rollback`` and ``sample``."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import NoReturn

from scuttlehouse import builds, following, sample, warehouse


class _Parser(argparse.ArgumentParser):
    """Shows no password of a URL that stands where it was not expected."""

    def error(self, message: str) -> NoReturn:
        super().error(re.sub(r"://\S*@", "://...@", message))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command; return its exit code. What goes wrong is said in a sentence."""
    parser = _Parser(prog="scuttlehouse", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)

    sql = commands.add_parser("sql", help="query the published tables")
    sql.add_argument("statement", help='a query, e.g. "select * from dim_groups"')
    sql.add_argument("--format", choices=["table", "csv", "json"], default="table")
    sql.add_argument("--target", help="a target of profiles/profiles.yml")
    sql.set_defaults(run=_run_sql)

    follower = commands.add_parser("follow", help="bring a replica to the published order")
    following.add_arguments(follower)
    follower.set_defaults(run=following.run)

    roller = commands.add_parser("rollback", help="publish an earlier build again")
    builds.add_arguments(roller)
    roller.set_defaults(run=builds.run)

    sampler = commands.add_parser("sample", help="write a signed sample log")
    sample.add_arguments(sampler)
    sampler.set_defaults(run=sample.run)

    args = parser.parse_args(arguments)
    return int(args.run(args) or 0)


def _run_sql(args: argparse.Namespace) -> int:
    from dbt_common.exceptions import DbtBaseException

    try:
        session = warehouse.open_for_reading(Path.cwd(), args.target)
        if not warehouse.is_query(session, args.statement):
            raise warehouse.WarehouseError(
                "Only queries are answered: begin with select, with, show or describe."
            )
        columns, rows = warehouse.query(session, args.statement)
    except (warehouse.WarehouseError, DbtBaseException) as error:
        print(error, file=sys.stderr)
        return 1
    try:
        warehouse.write_rows(sys.stdout, args.format, columns, rows)
        sys.stdout.flush()
    except BrokenPipeError:  # Whoever reads, `head` say, has enough.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
