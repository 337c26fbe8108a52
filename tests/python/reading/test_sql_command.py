"""`scuttlehouse sql` as a person types it."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from houses import flip
from scuttlehouse.cli import main
from scuttlehouse.reading import engine
from small_warehouse import SmallWarehouse

BIN = Path(sys.executable).parent
Ask = Callable[..., tuple[int, str, str]]

MESSAGES = pa.table(
    {
        "message_id": ["a", 'b "2"', "c,\n3", "ä😀"],
        "sequence": [1, 20, None, -4],
        "is_private": [True, False, None, True],
        "asserted_at": pa.array(
            [datetime(2026, 1, 2, 3, 4, 5, 678900, UTC), None, None, datetime(1, 1, 1, tzinfo=UTC)],
            pa.timestamp("us", "UTC"),
        ),
        "size": pa.array([Decimal("1.50"), None, Decimal(2), None], pa.decimal128(9, 2)),
        "previous_ids": [["x", "y"], [], None, ["z"]],
    }
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallWarehouse:
    small = SmallWarehouse(tmp_path_factory.mktemp("a home of ä"))
    numbers = pa.table({"number": list(range(200_000))})
    small.publish({"fct_messages": MESSAGES, "fct_numbers": numbers})
    return small


@pytest.fixture
def ask(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> Ask:
    """Run the command in this process. Returns the exit code and the text of both streams."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))

    def ask(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return main(["sql", *arguments]), *capsys.readouterr()

    return ask


def start(home: Path, *command: str, **options: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*command],
        env={**os.environ, "SCUTTLEHOUSE_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def test_a_table_for_people(ask: Ask) -> None:
    statement = "select message_id, sequence, size from fct_messages where sequence > 0 order by 1"
    code, out, err = ask(statement)
    assert (code, err) == (0, "")
    assert out.splitlines() == [
        "message_id  sequence  size",
        "----------  --------  ----",
        "a                  1  1.50",
        'b "2"             20  null',
    ]


def test_csv_is_read_back(ask: Ask) -> None:
    code, out, err = ask("select * from fct_messages", "--format", "csv")
    assert (code, err) == (0, "")
    assert list(csv.DictReader(io.StringIO(out))) == [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in MESSAGES.to_pylist()
    ]


def test_json_is_read_back(ask: Ask) -> None:
    code, out, err = ask("select * from fct_messages", "--format", "json")
    assert (code, err) == (0, "")
    expected = json.loads(json.dumps(MESSAGES.to_pylist(), default=str))
    assert [json.loads(line) for line in out.splitlines()] == expected


@pytest.mark.parametrize(
    ("columns", "line"),
    [
        ("1 as a, 2 as a, 3 as a_1", {"a": 1, "a_2": 2, "a_1": 3}),
        ("1 as a, 2 as A", {"a": 1, "A": 2}),
        (
            "'nan'::double as a, ['infinity'::float, 1.5] as b, {'c': '-infinity'::double} as d",
            {"a": "NaN", "b": ["Infinity", 1.5], "d": {"c": "-Infinity"}},
        ),
        ("map([date '2026-01-02'], ['nan'::float]) as a", {"a": {"2026-01-02": "NaN"}}),
        ("map(['nan'::double, 1.5], [1, 2]) as a", {"a": {"NaN": 1, "1.5": 2}}),
    ],
)
def test_json_loses_nothing_and_is_json(ask: Ask, columns: str, line: dict[str, Any]) -> None:
    code, out, err = ask(f"select {columns}", "--format", "json")
    assert (code, err) == (0, "")
    assert json.loads(out, parse_constant=pytest.fail) == line


def test_times_are_in_utc(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    statement = "select asserted_at from fct_messages where message_id = 'a'"
    assert ask(statement, "--format", "csv")[1] == "asserted_at\n2026-01-02 03:04:05.678900+00:00\n"
    statement = "select message_id from fct_messages where asserted_at < '0001-01-01 00:00:01'"
    assert ask(statement, "--format", "csv")[1] == "message_id\nä😀\n"


@pytest.mark.parametrize(
    "statement",
    ["drop view fct_messages", "select * from nope", "select nope(", "select 1; select 2"],
)
def test_a_refused_statement_gives_a_sentence(ask: Ask, statement: str) -> None:
    code, out, err = ask(statement)
    assert (code, out) == (1, "")
    assert re.fullmatch(r".+\n", err)
    assert not re.search(r"Traceback|Exception|LINE \d", err)


@pytest.mark.parametrize(
    ("arguments", "is_told"),
    [(["show", "tables"], True), (["SELECT", "a", "FROM", "b"], True), (["select 1", "b"], False)],
)
def test_a_query_without_quotes(
    arguments: list[str], is_told: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        main(["sql", *arguments])
    assert capsys.readouterr().err.endswith("; write the query in quotes\n") == is_told


def test_a_reader_that_stops_early(small: SmallWarehouse) -> None:
    asked = start(small.home, str(BIN / "scuttlehouse"), "sql", "from fct_numbers order by 1")
    with asked:
        assert asked.stdout
        assert asked.stderr
        assert asked.stdout.readline() == "number\n"
        asked.stdout.close()
        assert asked.stderr.read() == ""
    assert asked.returncode == 0


@pytest.mark.parametrize("command", ["sql|from fct_numbers", "rollback|--list", "doctor"])
def test_output_that_nobody_reads(small: SmallWarehouse, command: str) -> None:
    with start(small.home, str(BIN / "scuttlehouse"), *command.split("|")) as asked:
        assert asked.stdout
        assert asked.stderr
        asked.stdout.close()
        assert asked.stderr.read() == ""
    assert asked.returncode == 0


@pytest.mark.parametrize("command", ["sql|from fct_numbers", "rollback|--list", "doctor"])
def test_output_to_a_full_disk(small: SmallWarehouse, command: str) -> None:
    with Path("/dev/full").open("w") as full:
        asked = subprocess.run(
            [str(BIN / "scuttlehouse"), *command.split("|")],
            env={**os.environ, "SCUTTLEHOUSE_HOME": str(small.home)},
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    said = "The output cannot be written: No space left on device.\n"
    assert (asked.returncode, asked.stderr) == (1, said)


def test_several_queries_at_the_same_time(small: SmallWarehouse) -> None:
    queries = [
        "select count(*) as n from fct_numbers",
        "select count(*) as n from fct_messages",
    ] * 2
    command = str(BIN / "scuttlehouse"), "sql", "--format", "json"
    asked = [start(small.home, *command, query) for query in queries]
    printed = [process.communicate() for process in asked]
    assert [process.returncode for process in asked] == [0] * 4
    assert printed == [('{"n": 200000}\n', ""), ('{"n": 4}\n', "")] * 2


def test_only_needed_modules_are_imported(small: SmallWarehouse) -> None:
    """Importing one of these takes longer than the answer."""
    script = (
        "import sys; from scuttlehouse.cli import main; main(['sql', 'from fct_messages']); "
        "print(*sorted({name.partition('.')[0] for name in sys.modules}), file=sys.stderr)"
    )
    with start(small.home, sys.executable, "-c", script) as asked:
        _, err = asked.communicate()
    slow = {"pyspark", "dbt", "pyiceberg", "pandas", "pyarrow", "numpy", "numba", "nacl"}
    assert "duckdb" in err.split()
    assert not slow & set(err.split())


@pytest.fixture
def open_home() -> Iterator[Path]:
    """A home that everybody may read."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder, "home")
        copy = SmallWarehouse(home)
        copy.publish({"fct_messages": MESSAGES})
        for path in (Path(folder), home, *home.rglob("*")):
            path.chmod(0o755 if path.is_dir() else 0o644)
        yield home


# The command's imports happen before, because another user may not read this Python.
AS_NOBODY = """
import os, pwd, sys
from scuttlehouse.cli import main
main(["sql", "select now()"]), main(["rollback", "--list"])
nobody = pwd.getpwnam("nobody")
os.setgroups([]), os.setgid(nobody.pw_gid), os.setuid(nobody.pw_uid)
print("=====", flush=True), print("=====", file=sys.stderr, flush=True)
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_readers_need_no_write_access(open_home: Path) -> None:
    def states() -> dict[Path, tuple[int, int]]:
        return {
            path: (path.stat().st_mtime_ns, path.stat().st_size) for path in open_home.rglob("*")
        }

    def ask(*command: str) -> tuple[int, str, str]:
        with start(open_home, sys.executable, "-c", AS_NOBODY, *command) as asked:
            out, err = asked.communicate()
        return asked.returncode, out.partition("=====\n")[2], err.partition("=====\n")[2]

    before = states()
    statement = "select count(*) as n from fct_messages"
    assert ask("sql", statement, "--format", "json") == (0, '{"n": 4}\n', "")
    assert ask("sql", "show tables", "--format", "csv") == (0, "name\nfct_messages\n", "")
    code, out, err = ask("rollback", "--list")
    assert (code, err) == (0, "")
    assert out.startswith("* build-1  published ")
    assert states() == before
    code, out, err = ask("rollback")
    assert (code, out) == (1, "")
    assert re.fullmatch(r".*Permission denied.*\n", err)
    assert states() == before


@pytest.mark.parametrize(
    "command",
    [
        ["sql", "select 1"],
        ["show"],
        ["show", "a"],
        ["rollback"],
        ["rollback", "--list"],
        ["follow", "--to", "sqlite:replica.db"],
    ],
)
def test_nothing_is_published(
    command: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    assert main(command) == 1
    printed = (
        f"Nothing is published yet in {tmp_path}/home: run `scuttlehouse build` first, or set "
        "SCUTTLEHOUSE_HOME to the folder of a warehouse.\n"
    )
    assert capsys.readouterr() == ("", printed)
    assert list(tmp_path.iterdir()) == []
    SmallWarehouse(tmp_path / "home")
    assert main(command) == 1
    assert capsys.readouterr() == ("", printed)
    assert [path.name for path in tmp_path.iterdir()] == ["home"]


def test_an_impossible_home(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", "s3://me:hush@bucket/house")
    assert main(["sql", "select 1"]) == 1
    assert capsys.readouterr().err.startswith("SCUTTLEHOUSE_HOME is an address: name a folder")
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", "/")
    for command in (["sql", "select 1"], ["rollback"], ["follow", "--to", "sqlite::memory:"]):
        assert main(command) == 1
        out, err = capsys.readouterr()
        assert out == ""
        assert err.startswith("SCUTTLEHOUSE_HOME is the root of the disk")


def test_a_copied_home_is_refused(
    small: SmallWarehouse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    shutil.copytree(small.home, tmp_path / "copy")
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "copy"))
    for command in (["sql", "select 1"], ["rollback", "--list"]):
        assert main(command) == 1
        assert str(small.home) in capsys.readouterr().err


def test_an_extension_is_missing(ask: Ask, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scuttlehouse.reading.engine._EXTENSIONS", ("avro", "of_nobody"))
    code, out, err = ask("select 1")
    assert (code, out) == (1, "")
    assert err.startswith(
        "The Python package duckdb-extension-of_nobody is missing: install it with `pip"
    )


def test_an_extension_that_somebody_changed_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    changed = tmp_path / "avro.duckdb_extension"
    shutil.copy(engine._extension("avro"), changed)
    flip(changed, 8 * 1_000_000)
    monkeypatch.setattr(engine, "_extension", lambda _: changed)
    engine._check_signatures.cache_clear()
    with pytest.raises(duckdb.Error, match="signature"):
        engine.connect(tmp_path)


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["nope"],
        ["sql"],
        ["sql", "select 1", "--format", "xml"],
        ["rollback", "--list", "--to", "build-1"],
        ["follow"],
        ["sample"],
        ["draw", "group", "--", "--"],
        ["draw", "--", "group", "--"],
    ],
)
def test_a_wrong_command_line_shows_the_usage(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: scuttlehouse")


@pytest.mark.parametrize("command", ["", "sql", "follow", "rollback", "sample"])
def test_help_is_no_error(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main([*command.split(), "--help"])
    assert left.value.code == 0
    assert f"usage: scuttlehouse {command}".strip() in capsys.readouterr().out
