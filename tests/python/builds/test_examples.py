"""The examples and the commands of README.md and OPERATION.md run unchanged on a built warehouse."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from conftest import PROJECT, Warehouse
from scuttlehouse.cli import main
from small_warehouse import SmallWarehouse

EXAMPLES = sorted((PROJECT / "examples" / "reading").glob("*.py"))


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_reads_the_published_tables(warehouse: Warehouse, example: os.PathLike) -> None:
    groups = {
        row["group_id"]
        for row in warehouse.rows(
            "select groups.group_id from scuttlehouse.dim_groups as groups left semi join"
            " scuttlehouse.fct_epoch_members as members"
            " on groups.preferred_epoch_id = members.epoch_id and members.is_declared"
        )
    }
    assert groups
    done = subprocess.run(
        [sys.executable, str(example)],
        env={**os.environ, **warehouse.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for group in groups:
        assert group[:30] in done.stdout, group


def test_an_example_counts_no_member_who_is_excluded_from_a_group_before_epochs(
    tmp_path: Path,
) -> None:
    """With epochs, an exclusion acts on the epochs that follow: until then all who were added are members."""
    SmallWarehouse(tmp_path).publish(
        {
            "dim_groups": pa.Table.from_pylist(
                [
                    {"group_id": "with", "preferred_epoch_id": "%w", "protocol": "epochs"},
                    {"group_id": "before", "preferred_epoch_id": "%b", "protocol": "before_epochs"},
                ]
            ),
            "fct_epoch_members": pa.Table.from_pylist(
                [
                    {"epoch_id": epoch, "person_id": person, "is_declared": person != "extra"}
                    | {"is_still_excluded": person == "carol"}
                    for epoch in ("%w", "%b")
                    for person in ("alice", "bob", "carol", "extra")
                ]
            ),
        }
    )
    for example in ("with_duckdb.py", "with_pyiceberg.py"):
        said = subprocess.run(
            [sys.executable, str(PROJECT / "examples" / "reading" / example)],
            env={**os.environ, "SCUTTLEHOUSE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        counts = re.findall(r"\b(with|before)\W+(\d)\b", said)
        assert counts == [("with", "3"), ("before", "2")], example
    # Spark runs the query of DuckDB.
    [duckdb_query, spark_query] = [
        re.findall(r'sql\("""(.*?)"""', (EXAMPLES[0].parent / example).read_text(), re.DOTALL)[0]
        for example in ("with_duckdb.py", "with_spark.py")
    ]
    assert duckdb_query.split() == spark_query.split()


def test_the_logs_of_another_project_are_all_that_have_rejected_lines() -> None:
    """A line that several logs have is one row of fct_rejected_lines, under the name of one of them."""
    file = PROJECT / "examples" / "in_another_project" / "models" / "club_rejects.sql"
    query = re.sub(r"\{\{ ref\('scuttlehouse', '(\w+)'\) \}\}", r"\1", file.read_text())
    with duckdb.connect() as connection:
        connection.execute("""
            create table fct_rejected_lines as select 'a.jsonl' as source_file, 2 as line_count;
            create table dim_logs (source_file varchar, rejected_line_count bigint);
            insert into dim_logs values ('a.jsonl', 2), ('a copy.jsonl', 2), ('b.jsonl', 0);
        """)
        found = connection.execute(query).fetchall()
    assert sorted(found) == [("a copy.jsonl", 2), ("a.jsonl", 2)]


@pytest.mark.usefixtures("built")
def test_the_commands_of_the_pages_find_what_they_name(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # Pictures are written there.
    for name, value in warehouse.environment.items():
        monkeypatch.setenv(name, value)
    # A statement goes on in a line that is indented further.
    pages = [(PROJECT / page).read_text() for page in ("README.md", "OPERATION.md")]
    text = "\n".join(pages).replace("\n        ", " ")
    commands = re.findall(
        r"(?m)^    \.venv/bin/scuttlehouse ((?:sql|show|compare|draw) [^>\n]*)", text
    )
    assert len(commands) > 11
    for command in commands:
        assert main(shlex.split(command, comments=True)) == 0, command
