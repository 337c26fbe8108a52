"""Commands whose output is closed or knows few characters, and commands that are interrupted."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from itertools import product
from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.cli import main
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.renewal import renew_serving
from small_warehouse import SmallWarehouse

COMMAND = str(Path(sys.executable).parent / "scuttlehouse")

ENDLESS = "select count(*) from range(9000000000000000000)"

# Runs a command that says when it has read a query, which DuckDB then begins.
TELLING = """
import sys
from scuttlehouse.cli import main
from scuttlehouse.reading import warehouse
read_query = warehouse.read_query
def read(*arguments):
    query = read_query(*arguments)
    print("begun", flush=True)
    return query
warehouse.read_query = read
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    small = SmallWarehouse(tmp_path_factory.mktemp("home"))
    small.publish({"fct_numbers": pa.table({"number": [1]})})
    return small.home


def run(
    home: Path, redirection: str, *arguments: str, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run a command in a shell that redirects its streams."""
    return subprocess.run(
        ["sh", "-c", f'exec "$0" "$@" {redirection}', COMMAND, *arguments],
        env={**os.environ, "SCUTTLEHOUSE_HOME": str(home), **environment},
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.parametrize(
    ("command", "closed"),
    [
        *product(
            ["sql|from fct_numbers", "rollback|--list", "--help"],
            [">&-", ">&- 2>&-", "<&- >&- 2>&-"],
        ),
        ("build|--help", ">&-"),
    ],
)
def test_a_closed_output(home: Path, command: str, closed: str) -> None:
    done = run(home, closed, *command.split("|"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_a_closed_output_hides_no_error(home: Path) -> None:
    done = run(home, ">&-", "sql", "select nope")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["sql", "select nope"], ["sql"], ["nope"]])
def test_errors_are_no_answers(home: Path, arguments: list[str]) -> None:
    done = run(home, "2>&-", *arguments)
    assert done.returncode in (1, 2)
    assert (done.stdout, done.stderr) == ("", "")


STEERING = "a\x1b[2J\u202e\nb\udcff"


@pytest.mark.parametrize(
    "command",
    [
        *("sql|select 1", "show|a", "compare|a|b", "draw|group|a", "export", "metrics"),
        *("rollback", "follow|--to|sqlite::memory:"),
    ],
)
def test_no_error_controls_a_terminal(
    command: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def failing() -> Path:
        raise CatalogError(STEERING)

    name, *_ = command.split("|")
    module = "replicas.following" if name == "follow" else f"cli.{name}"
    monkeypatch.setattr(f"scuttlehouse.{module}.home_folder", failing)
    assert main(command.split("|")) == 1
    assert capsys.readouterr() == ("", "a\\x1b[2J\\u202e\\x0ab\\udcff\n")


@pytest.mark.parametrize(
    "arguments", [[STEERING], ["sql", "a", STEERING], ["sql", "--format", STEERING]]
)
def test_no_wrong_argument_controls_a_terminal(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    """It may be the name of a file that a shell has put in place of ``*``."""
    with pytest.raises(SystemExit):
        main(arguments)
    lines = capsys.readouterr().err.removesuffix("\n").split("\n")
    assert all(line.isprintable() for line in lines)
    assert "a\\x1b[2J" in lines[-1]


def test_what_a_database_refuses_controls_no_terminal(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refusing(_: Path, __: str, *, log_only: bool) -> None:
        raise WarehouseError(f"{STEERING} {log_only}")

    monkeypatch.setattr("scuttlehouse.serving.renewal.write_serving_database", refusing)
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://localhost/a")
    assert "a\\x1b[2J\\u202e\\x0ab\\udcff False" in (renew_serving(home) or "")


@pytest.mark.parametrize(("form", "shown"), [("table", "\\xfc"), ("csv", "\\xfc")])
def test_characters_that_the_output_does_not_know(home: Path, form: str, shown: str) -> None:
    statement = "select 'ü' as a"
    done = run(home, "", "sql", statement, "--format", form, PYTHONIOENCODING="ascii")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.splitlines()[-1] == shown


def test_json_needs_few_characters(home: Path) -> None:
    statement = "select 'ü😀' as a"
    done = run(home, "", "sql", statement, "--format", "json", PYTHONIOENCODING="ascii")
    assert json.loads(done.stdout) == {"a": "ü😀"}


def test_another_way_to_show_characters_stays(home: Path) -> None:
    done = run(home, "", "sql", "select 'ü' as a", PYTHONIOENCODING="ascii:replace")
    assert done.stdout.splitlines()[-1] == "?"


@pytest.fixture
def heeded() -> Iterator[None]:
    """A shell that runs the tests in the background ignores Ctrl-C for them."""
    before = {one: signal.getsignal(one) for one in (signal.SIGINT, signal.SIGTERM)}
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, signal.SIG_DFL)
    yield
    for one, handler in before.items():
        signal.signal(one, handler)


@pytest.mark.usefixtures("heeded")
def test_sigterm_ends_a_build_as_ctrl_c_does(monkeypatch: pytest.MonkeyPatch) -> None:
    """dbt ends its threads. A second one ends the process."""

    def build(_: object) -> int:
        try:
            os.kill(os.getpid(), signal.SIGTERM)
        except KeyboardInterrupt as error:
            during.append((type(error), signal.getsignal(signal.SIGTERM)))
            raise
        return 0

    during: list[object] = []
    before = signal.getsignal(signal.SIGTERM)
    monkeypatch.setattr("scuttlehouse.cli.build.build", build)
    assert main(["build"]) == 128 + signal.SIGTERM
    # dbt prints lines of its code at any other error.
    assert during == [(KeyboardInterrupt, signal.SIG_DFL)]
    assert signal.getsignal(signal.SIGTERM) == before


@pytest.mark.usefixtures("heeded")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_an_interrupt_that_something_ignores_comes_again(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As dbt does while it reads what it has saved of the project: the build went on."""

    def build(_: object) -> int:
        with suppress(KeyboardInterrupt):
            os.kill(os.getpid(), number)
        while True:
            signal.pause()

    monkeypatch.setattr("scuttlehouse.cli.interrupts.PATIENCE", 0.01)
    monkeypatch.setattr("scuttlehouse.cli.build.build", build)
    assert main(["build"]) == 128 + number
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)


def test_a_signal_that_is_ignored_stays_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """As by nohup."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    monkeypatch.setattr(
        "scuttlehouse.cli.build.build", lambda _: os.kill(os.getpid(), signal.SIGINT) or 0
    )
    try:
        assert main(["build"]) == 0
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_a_query_is_interrupted(home: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", TELLING, "sql", ENDLESS],
        env={**os.environ, "SCUTTLEHOUSE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as asked:
        try:
            assert asked.stdout
            assert asked.stdout.readline() == "begun\n"
            asked.send_signal(signal.SIGINT)
            # It ends at once. The limit is for a query that does not.
            assert asked.communicate(timeout=300) == ("", "")
        finally:
            asked.kill()
    assert asked.returncode == -signal.SIGINT  # A shell calls it 130.


@pytest.mark.parametrize("command", ["sql", "build", "doctor"])
def test_a_folder_that_was_removed_is_a_sentence(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    command: str,
) -> None:
    """Whoever installs the project anew leaves a terminal in the folder that was there before."""
    gone = tmp_path / "gone"
    gone.mkdir()
    monkeypatch.chdir(gone)
    gone.rmdir()
    assert main([command, *["select 1"] * (command == "sql")]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == (
        "The present folder cannot be used (No such file or directory): go to a folder that is there.\n"
    )
