"""What a person types: `dbt build` and its summary, `scuttlehouse sql`, `scuttlehouse sample`."""

from __future__ import annotations

import csv
import io
import json
import os
import re
import shutil
import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest

from conftest import Build, Warehouse
from scuttlehouse.cli import main

Ask = Callable[..., tuple[int, str, str]]


@pytest.fixture
def ask(
    warehouse: Warehouse,
    built: Build,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Ask:
    """Ask `scuttlehouse sql` in this process: its exit code, and what it says on both streams."""
    assert built.tables
    monkeypatch.chdir(warehouse.project)
    for name, value in warehouse.environment.items():
        monkeypatch.setenv(name, value)

    def ask(*arguments: str) -> tuple[int, str, str]:
        capsys.readouterr()
        return main(["sql", *arguments]), *capsys.readouterr()

    return ask


def is_one_sentence(text: str) -> bool:
    """Whether it is one line to read, without Java, Python or a plan of Spark."""
    noise = r"^\s*at |Traceback|org\.apache|java\.|\bException\b|^'?(Project|Filter|GlobalLimit)\b"
    return bool(re.fullmatch(r".+\n", text)) and not re.search(noise, text)


def test_the_summary_of_a_build(built: Build) -> None:
    """It is about what was published: groups, epochs, preferences, what was set aside and why."""
    assert "scuttlehouse: built, tested and published as build " in built.output
    summary = built.output.split("scuttlehouse: built, tested and published")[1]
    tables = built.tables

    messages = tables["fct_messages"]
    feeds = {row["feed_id"] for row in messages}
    assert f"{len(messages)} messages in {len(feeds)} feeds" in summary
    sealed = sum(row["is_private"] and not row["is_decrypted"] for row in messages)
    assert f"{sealed} of them nobody opened" in summary

    rejected = tables["fct_rejected_lines"]
    assert rejected
    for reason in {row["reason"] for row in rejected}:
        rows = [row for row in rejected if row["reason"] == reason]
        first = min(row["line_number"] for row in rows)
        assert re.search(rf"^ +{len(rows)}  {reason} +first: \S+ line {first}$", summary, re.M), (
            reason
        )

    placed = tables["fct_tangle_messages"]
    for status in ("set_aside", "rejected"):
        reasons = {row["status_reason"] for row in placed if row["status"] == status}
        assert reasons
        for reason in reasons:
            count = sum(row["status_reason"] == reason for row in placed)
            assert re.search(rf"^ +{count}  {reason} +in \d+ tangles$", summary, re.M), reason

    groups = sorted(tables["dim_groups"], key=lambda row: (-row["epoch_count"], row["group_id"]))
    assert groups
    for group in groups[:12]:
        short = re.escape(group["group_id"].split("/")[-1][:6])
        [line] = re.findall(rf"^  {short}\b.*$", summary, re.M)
        preferred = (group["preferred_epoch_id"] or "none").split("/")[-1][:6]
        numbers = [str(group[name]) for name in ("epoch_count", "tip_count", "person_count")]
        assert line.split()[1:5] == [*numbers, preferred]
        for row in tables["fct_preferred_epochs"]:
            if row["group_id"] == group["group_id"]:
                assert f"prefer {row['epoch_id'].split('/')[-1][:6]}" in line

    sets, items = tables["dim_sets"], tables["fct_set_items"]
    assert f"{len(sets)} sets hold {len(items)} items" in summary
    assert f"{len(tables['fct_set_prunings'])} of their messages may go" in summary

    assert "scuttlehouse sql" in summary
    assert "make docs" in summary
    assert "data_docs/index.html" in summary


def test_a_build_shows_no_logs_of_others(built: Build) -> None:
    noise = r"WARN |INFO:|ERROR:|Traceback|great_expectations|py4j|Java|\bat org\.|%\|"
    lines = [line for line in built.output.splitlines() if re.search(noise, line)]
    assert not lines, lines[:5]


def test_a_table_for_the_eye(ask: Ask, warehouse: Warehouse) -> None:
    code, out, err = ask(
        "select group_id, epoch_count, preferred_epoch_id from dim_groups order by 1"
    )
    assert (code, err) == (0, "")
    header, line, *rows = out.splitlines()
    assert header.split() == ["group_id", "epoch_count", "preferred_epoch_id"]
    assert set(line) == {"-", " "}
    expected = warehouse.rows("select * from scuttlehouse.dim_groups order by group_id")
    assert [row.split() for row in rows] == [
        [row["group_id"], str(row["epoch_count"]), row["preferred_epoch_id"] or "null"]
        for row in expected
    ]


def test_csv_is_read_back(ask: Ask, warehouse: Warehouse) -> None:
    query = "select *, 'a,\"b\"\nc' as odd from scuttlehouse.fct_rejected_lines order by 1, 4"
    code, out, err = ask(query, "--format", "csv")
    assert (code, err) == (0, "")
    expected = [
        {name: "" if value is None else str(value) for name, value in row.items()}
        for row in warehouse.rows(query)
    ]
    assert list(csv.DictReader(io.StringIO(out))) == expected
    assert expected


def test_json_is_read_back(ask: Ask, warehouse: Warehouse) -> None:
    query = "select * from scuttlehouse.fct_messages order by message_id"
    code, out, err = ask(query, "--format", "json")
    assert (code, err) == (0, "")
    expected = warehouse.rows(query)
    assert [json.loads(line) for line in out.splitlines()] == json.loads(
        json.dumps(expected, default=str)
    )
    assert expected


@pytest.mark.parametrize(
    ("statement", "said"),
    [
        ("select * from nope", r"nope"),
        ("select nope from dim_groups", r"nope"),
        ("select from where", r"from|where"),
        ("select (", r"(?i)syntax"),
        ("select 1/0 from dim_groups", None),
        ("select raise_error('no way') from dim_groups", r"no way"),
        ("drop table dim_groups", r"^Only queries are answered"),
        ("", r"^Only queries are answered"),
        ("select 1; select 2", r"(?i)syntax|extra"),
    ],
)
def test_what_cannot_be_answered_is_said_in_a_sentence(
    ask: Ask, statement: str, said: str | None
) -> None:
    code, out, err = ask(statement)
    if said is None:
        # Spark's ANSI mode decides whether this is an error or null.
        assert (code == 0) == (err == "")
    else:
        assert (code, out) == (1, "")
        assert re.search(said, err), err
        assert is_one_sentence(err), err


def test_queries_change_nothing(ask: Ask, warehouse: Warehouse) -> None:
    before = warehouse.published()
    tables = warehouse.rows("show tables in scuttlehouse_work_versions like 'dim_groups__*'")
    versions = f"scuttlehouse_work_versions.{tables[0]['tableName']}"
    for statement in [
        "from dim_groups insert into dim_groups select *",
        "with gone as (select 1) insert into dim_groups select * from gone",
        f"with gone as (select 1) insert into {versions} select * from {versions}",
        f"from {versions} insert into {versions} select *",
        "explain analyze select 1",
    ]:
        code, _, err = ask(statement)
        assert code == 0 or is_one_sentence(err), err
    assert warehouse.published() == before


@pytest.mark.usefixtures("built")
def test_source_freshness_is_the_age_of_the_newest_log(
    warehouse: Warehouse, tmp_path: Path
) -> None:
    (tmp_path / "log.jsonl").write_text("no message\n")
    warehouse.land(tmp_path / "log.jsonl", tmp_path / "log.jsonl")
    logs = sorted(warehouse.landing.iterdir())
    found = {}
    for days in (1, 3, 8):
        for log, age in zip(logs, (30, days), strict=True):
            at = time.time() - age * 86_400
            os.utime(log, (at, at))
        results = warehouse.dbt("source", "freshness").result.results
        [found[days]] = [
            str(result.status) for result in results if str(result.node.resource_type) == "source"
        ]
    assert found == {1: "pass", 3: "warn", 8: "error"}


@pytest.mark.usefixtures("built")
def test_several_ask_in_processes_of_their_own(warehouse: Warehouse) -> None:
    """From the published files: nobody keeps another one out, and nothing stays behind."""
    [expected] = warehouse.rows("select count(*) as group_count from scuttlehouse.dim_groups")
    columns = warehouse.rows("describe scuttlehouse.dim_groups")
    queries = "select count(*) as group_count from dim_groups", "describe dim_groups"
    asked = [warehouse.start("scuttlehouse", "sql", one, "--format", "json") for one in queries]
    said = [process.communicate() for process in asked]
    assert [process.returncode for process in asked] == [0, 0]
    assert [errors for _, errors in said] == ["", ""]
    answers = [[json.loads(line) for line in output.splitlines()] for output, _ in said]
    assert answers == [[expected], columns]
    assert not list(warehouse.temporary.glob("scuttlehouse-*"))


@pytest.mark.usefixtures("built")
def test_every_published_table_is_read_from_its_files_as_from_its_view(
    warehouse: Warehouse,
) -> None:
    listed = json.loads((warehouse.home / "published.json").read_text())
    for name, files in listed["tables"].items():
        names = warehouse.session.table(f"scuttlehouse.{name}").columns
        assert files["names"] == ", ".join(f"`{one}`" for one in names), name


@pytest.mark.usefixtures("built")
def test_a_list_of_published_files_that_cannot_be_read(warehouse: Warehouse) -> None:
    """Then the metastore is asked, and the next build lists them again."""
    listed = warehouse.home / "published.json"
    text = listed.read_text()
    try:
        for spoilt in ("{", "[]", '{"published_at": "", "tables": {"dim_groups": {}}}'):
            listed.write_text(spoilt)
            done = warehouse.run("scuttlehouse", "sql", "select 1 as one", "--format", "json")
            assert (done.returncode, done.stdout, done.stderr) == (0, '{"one": 1}\n', ""), spoilt
    finally:
        listed.write_text(text)


@pytest.mark.usefixtures("built")
def test_whoever_reads_has_enough(warehouse: Warehouse) -> None:
    with warehouse.start("scuttlehouse", "sql", "select explode(sequence(1, 200000))") as asked:
        assert asked.stdout
        assert asked.stderr
        assert asked.stdout.readline() == "   col\n"
        asked.stdout.close()
        assert asked.stderr.read() == ""


@pytest.mark.usefixtures("built")
def test_a_replica_follows_in_a_process_of_its_own(warehouse: Warehouse, tmp_path: Path) -> None:
    replica = tmp_path / "replica.db"
    done = warehouse.run("scuttlehouse", "follow", "--to", f"sqlite:{replica}", "--verify")
    assert done.returncode == 0, done.stderr
    assert "Verified" in done.stdout
    with closing(sqlite3.connect(replica)) as database:
        followed = database.execute("select tangle_id, position, message_id from tangle_messages")
        published = warehouse.rows(
            "select tangle_id, position, message_id from scuttlehouse.fct_tangle_messages"
            " where status = 'in'"
        )
        assert set(followed) == {tuple(row.values()) for row in published}


def test_no_warehouse_yet(warehouse: Warehouse, tmp_path: Path) -> None:
    done = warehouse.run(
        "scuttlehouse", "sql", "select 1", SCUTTLEHOUSE_HOME=str(tmp_path / "new" / "home")
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "Nothing is published yet: run `make build` first.\n"


@pytest.mark.usefixtures("built")
def test_a_copied_warehouse_is_refused(warehouse: Warehouse, tmp_path: Path) -> None:
    """Its metastore would go on with the tables of the original."""
    copy = tmp_path / "copy"
    warehouse.stop()
    shutil.copytree(warehouse.home, copy)
    seed = "dbt", "seed", "--profiles-dir", "profiles"
    done = warehouse.run(*seed, SCUTTLEHOUSE_HOME=str(copy))
    assert done.returncode != 0
    assert f"The metastore in {copy} was made elsewhere, and its tables lie in " in done.stdout
    assert "Traceback" not in done.stdout
    odd = tmp_path / "a home's %20 of ä"
    done = warehouse.run(*seed, SCUTTLEHOUSE_HOME=str(odd))
    assert done.returncode == 0, done.stdout
    for command in (["rollback", "--list"], ["sql", "select 1"]):
        done = warehouse.run("scuttlehouse", *command, SCUTTLEHOUSE_HOME=str(odd))
        assert done.stderr == "Nothing is published yet: run `make build` first.\n"


def test_no_project_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["sql", "select 1"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err == f"{tmp_path} holds no dbt_project.yml: run this in the folder of scuttlehouse.\n"


def test_sample_writes_logs(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "new" / "logs"
    assert main(["sample", "--seed", "5", "--out", str(out)]) == 0
    files = sorted(path.name for path in out.iterdir())
    assert files == ["alice.jsonl", "bob.jsonl", "devices.jsonl", "relay.jsonl.gz"]
    assert re.fullmatch(rf"Wrote \d+ messages, .* in 4 files to {out}\.\n", capsys.readouterr().out)


def test_sample_into_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "taken").touch()
    assert main(["sample", "--out", str(tmp_path / "taken")]) == 1
    assert (
        capsys.readouterr().err
        == f"The sample cannot be written to {tmp_path}/taken: File exists.\n"
    )


@pytest.mark.parametrize(
    "arguments", [[], ["sql"], ["sql", "select 1", "--format", "xml"], ["sample"]]
)
def test_usage(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(arguments)
    assert left.value.code == 2
    assert capsys.readouterr().err.startswith("usage: scuttlehouse")
