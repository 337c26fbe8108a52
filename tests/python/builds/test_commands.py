"""What a person types: `dbt build` and its summary, `scuttlehouse sql`, `scuttlehouse sample`."""

from __future__ import annotations

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from conftest import Build, Warehouse
from manifest import Manifest
from scuttlehouse.cli import main


def test_the_summary_of_a_build(built: Build) -> None:
    """It describes the published tables: groups, epochs, preferences, what was set aside and why."""
    assert "scuttlehouse: built, tested and published as build " in built.output
    summary = built.output.split("scuttlehouse: built, tested and published")[1]
    tables = built.tables

    messages = tables["fct_messages"]
    feeds = {row["feed_id"] for row in messages}
    assert f"{len(messages)} messages in {len(feeds)} feeds" in summary
    sealed = sum(row["is_private"] and not row["is_decrypted"] for row in messages)
    assert f"{sealed} that nobody opened" in summary

    rejected = tables["fct_rejected_lines"]
    assert rejected
    for reason in {row["reason"] for row in rejected}:
        rows = [row for row in rejected if row["reason"] == reason]
        first = min(row["line_number"] for row in rows)
        assert re.search(rf"^ +{len(rows)}  {reason} +first: \S+ line {first}$", summary, re.M), (
            reason
        )

    placed = tables["fct_tangle_messages"]
    held = {row["message_id"] for row in placed if row["status"] == "in"}
    assert f"{len(tables['dim_tangles'])} tangles hold {len(held)} messages" in summary
    for status in ("set_aside", "rejected"):
        reasons = {row["status_reason"] for row in placed if row["status"] == status}
        assert reasons
        for reason in reasons:
            count = sum(row["status_reason"] == reason for row in placed)
            assert re.search(rf"^ +{count}  {reason} +in \d+ tangles?$", summary, re.M), reason

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
                assert re.search(rf"\d {re.escape(row['epoch_id'].split('/')[-1][:6])}", line)

    sets, items = tables["dim_sets"], tables["fct_set_items"]
    assert f"{len(sets)} sets hold {len(items)} items" in summary
    assert f"{len(tables['fct_set_prunings'])} of their messages may go" in summary

    assert "scuttlehouse sql" in summary
    assert "make docs" in summary
    assert "data_docs/index.html" in summary


def test_a_build_has_a_line_for_each_step(built: Build, manifest: Manifest) -> None:
    """Except those that do nothing, which are exposures."""
    lines = re.findall(r"^ +(\d+) of (\d+)  (\w[\w-]*) +\d+\.\d s  (\w+)$", built.output, re.M)
    numbers, total = [int(number) for number, *_ in lines], int(lines[0][1])
    assert numbers == sorted({*numbers})
    assert len(numbers) == total - len(manifest.parsed.exposures), "all steps have ended"
    statuses = {status for _, _, status, _ in lines}
    assert {"success", "pass"} <= statuses
    assert {"dim_groups", "tangles_add_up"} <= {step for *_, step in lines}


def test_a_build_shows_no_logs_of_others(built: Build) -> None:
    noise = r"WARN |INFO:|ERROR:|Traceback|great_expectations|py4j|Java|\bat org\.|%\|"
    lines = [line for line in built.output.splitlines() if re.search(noise, line)]
    assert not lines, lines[:5]


@pytest.mark.usefixtures("built")
def test_sql_reads_the_published_tables(warehouse: Warehouse) -> None:
    published = warehouse.published()
    for name in ("dim_groups", "fct_messages", "fct_timeline_updates"):
        rows = published[name]
        done = warehouse.run(
            "scuttlehouse", "sql", f"select count(*) from {name}", "--format", "csv"
        )
        assert (done.returncode, done.stderr) == (0, ""), name
        assert done.stdout.splitlines()[1:] == [str(len(rows))], name


def test_source_freshness_is_the_age_of_the_newest_log(warehouse: Warehouse, built: Build) -> None:
    warehouse.land(*built.logs[:2])
    logs = sorted(warehouse.landing.iterdir())
    # Builds read hidden logs, too. Spark would leave them out.
    logs[1] = logs[1].rename(warehouse.landing / ".hidden.jsonl")
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
def test_a_copied_warehouse_is_refused(warehouse: Warehouse, tmp_path: Path) -> None:
    """Table metadata contains full paths."""
    copy = tmp_path / "copy"
    shutil.copytree(warehouse.home, copy)
    seed = "dbt", "seed", "--profiles-dir", "profiles"
    done = warehouse.run(*seed, SCUTTLEHOUSE_HOME=str(copy))
    assert done.returncode != 0
    assert f"The catalog of {copy} belongs to the home {warehouse.home}, " in done.stdout
    assert "Traceback" not in done.stdout


def test_odd_names_of_the_home(warehouse: Warehouse, tmp_path: Path) -> None:
    """The name works, or a sentence refuses it."""
    seed = "dbt", "seed", "--profiles-dir", "profiles"
    odd = tmp_path / "a home's ä"
    done = warehouse.run(*seed, SCUTTLEHOUSE_HOME=str(odd), LC_ALL="C")
    assert done.returncode == 0, done.stdout
    assert list(odd.glob("warehouse/scuttlehouse_work/tangle_kinds/data/*.parquet"))
    for command in (["rollback", "--list"], ["sql", "select 1"]):
        done = warehouse.run("scuttlehouse", *command, SCUTTLEHOUSE_HOME=str(odd))
        assert done.stderr.startswith(f"Nothing is published yet in {odd}: run ")
    done = warehouse.run(*seed, SCUTTLEHOUSE_HOME=str(tmp_path / "what{ever"))
    assert done.returncode != 0
    assert "name a folder whose whole path has none of " in done.stdout
    assert "Traceback" not in done.stdout


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
        == f"The sample cannot be written to {tmp_path}/taken (File exists): name a folder that can be "
        "made or written.\n"
    )
