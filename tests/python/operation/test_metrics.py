"""Metrics by the grammar of Prometheus's text format, with the numbers of the tables."""

from __future__ import annotations

import os
import re
import stat
import time
from collections.abc import Iterable
from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from houses import flip
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog.names import LOG, START_ANEW
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.records import Build
from scuttlehouse.cli import main
from scuttlehouse.cli.rollback import roll_back
from scuttlehouse.operation.metrics import (
    Metric,
    _of_state,
    metrics,
    text_of,
    update_metrics_file,
)
from scuttlehouse.operation.state import last_build
from small_warehouse import SmallWarehouse

Samples = dict[tuple[str, frozenset[tuple[str, str]]], float]

# https://prometheus.io/docs/instrumenting/exposition_formats/, the text format.
_NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
_LABEL = r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"'
_SAMPLE = re.compile(rf"({_NAME})(?:\{{({_LABEL}(?:,{_LABEL})*),?\}})? (\S+)")
_HELP = re.compile(rf"# HELP ({_NAME}) ((?:[^\\\n]|\\[\\n])*)")
_TYPE = re.compile(rf"# TYPE ({_NAME}) (counter|gauge|histogram|summary|untyped)")


def read_format(text: str) -> Samples:
    """Read the text format; a text that it does not allow fails the test."""
    assert text.endswith("\n") or not text
    samples: Samples = {}
    described: list[str] = []
    for line in text.split("\n")[:-1]:
        if found := _HELP.fullmatch(line):
            assert found[1] not in described, "one HELP, and all lines of a metric together"
            described.append(found[1])
        elif found := _TYPE.fullmatch(line):
            assert found[1] == described[-1]
            assert not any(name == found[1] for name, _ in samples), "TYPE before the samples"
            assert (found[2] == "counter") == found[1].endswith("_total")
        else:
            found = _SAMPLE.fullmatch(line)
            assert found, line
            assert found[1] == described[-1]
            labels = frozenset(
                (name, re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), value))
                for name, value in re.findall(_LABEL, found[2] or "")
            )
            assert (found[1], labels) not in samples, "a sample once"
            samples[found[1], labels] = float(found[7])
    return samples


@given(
    st.lists(
        st.tuples(st.text(), st.floats(allow_nan=False) | st.integers()),
        unique_by=lambda pair: pair[0],
    ),
    st.text(),
)
def test_every_text_is_escaped(rows: list[tuple[str, float]], meaning: str) -> None:
    metric = Metric("a_bytes", "gauge", meaning, [({"of": of}, number) for of, number in rows])
    expected = {("a_bytes", frozenset({("of", of)})): float(number) for of, number in rows}
    assert read_format(text_of([metric])) == expected


def of(samples: Samples, name: str) -> dict[tuple[str, ...], float]:
    """The samples of a metric by the values of their labels."""
    return {
        tuple(value for _, value in sorted(labels)): number
        for (found, labels), number in samples.items()
        if found == f"scuttlehouse_{name}"
    }


def numbers(*of: int) -> pa.Table:
    return pa.table({"number": pa.array(of, pa.int64())})


def logs(*statuses: str) -> pa.Table:
    return pa.table({"status": pa.array(statuses, pa.string())})


def runs(*ended: tuple[str, str, int]) -> pa.Table:
    steps: Iterable[dict[str, object]] = (
        {
            **run_step(build_id, status, started_at=datetime(2026, 1, day, tzinfo=UTC)),
            "seconds": 60.5,
        }
        for build_id, status, day in ended
    )
    return steps_table(steps)


@pytest.fixture
def small(tmp_path: Path) -> SmallWarehouse:
    """Two builds; then a run that failed."""
    warehouse = SmallWarehouse(tmp_path / "home")
    # The second row stands for 401 lines of one kind.
    rejects = pa.table({"line_count": pa.array([1, 401], pa.int64())})
    tables = {"dim_groups": numbers(1, 2, 3), "fct_rejected_lines": rejects}
    step = {
        **run_step("build-2", "success", changes={"dim_groups": (2, 1, 0)}),
        "step": "dim_groups",
        "step_kind": "model",
    }
    warehouse.log("fct_builds", runs(("build-1", "published", 1), ("build-2", "published", 2)))
    warehouse.log("fct_builds", steps_table([step]))
    warehouse.log("fct_builds", runs(("build-3", "failed", 3)))
    warehouse.publish({**tables, "dim_logs": logs("new")})
    warehouse.begin()
    warehouse.append("dim_groups", numbers(4, 5))
    [file, *_] = warehouse.data_files("dim_groups")
    warehouse.delete("dim_groups", {file: [0]})
    warehouse.write("dim_logs", logs("known", "new", "known", "left_out"))
    warehouse.end()
    return warehouse


def test_a_first_build_that_failed_has_metrics(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Otherwise nobody is told of it: its tables have no age, and there is no last run."""
    small = SmallWarehouse(tmp_path / "home")
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    assert main(["metrics"]) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"Nothing is published yet in {small.home}: run `scuttlehouse build`")
    small.log("fct_builds", runs(("build-1", "failed", 1)))
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(tmp_path / "house.prom"))
    update_metrics_file(small.home)
    samples = read_format((tmp_path / "house.prom").read_text())
    assert of(samples, "last_run_success") == {(): 0}
    assert of(samples, "runs_total") == {("failed",): 1}
    assert of(samples, "published_timestamp_seconds") == {}


def test_a_warehouse_that_was_built_in_part_has_metrics(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path / "home")
    small.log("fct_builds", runs(("build-1", "unpublished", 1)))
    small.publish({"dim_groups": numbers(1, 2, 3)})
    samples = read_format(text_of(metrics(small.home)))
    assert of(samples, "table_rows") == {("dim_groups",): 3}
    assert of(samples, "last_run_success") == {(): 1}
    assert of(samples, "logs") == of(samples, "rejected_lines") == {}


def test_the_numbers_are_those_of_the_tables(small: SmallWarehouse) -> None:
    samples = read_format(text_of(metrics(small.home)))
    assert of(samples, "runs_total") == {("failed",): 1, ("published",): 2}
    day = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    assert of(samples, "run_start_timestamp_seconds") == {
        ("failed",): day + 2 * 86400,
        ("published",): day + 86400,
    }
    assert of(samples, "run_duration_seconds") == {("failed",): 60.5, ("published",): 60.5}
    assert of(samples, "last_run_success") == {(): 0}
    assert of(samples, "kept_builds") == {(): 2}
    assert of(samples, "logs") == {("known",): 2, ("new",): 1, ("left_out",): 1}
    assert of(samples, "rejected_lines") == {(): 402}
    rows = of(samples, "table_rows")
    assert rows == {("dim_groups",): 4, ("dim_logs",): 4, ("fct_rejected_lines",): 2}
    changed = of(samples, "table_changed_rows")
    assert changed == {
        ("added", "dim_groups"): 2,
        ("changed", "dim_groups"): 1,
        ("deleted", "dim_groups"): 0,
    }
    age = datetime.now(UTC).timestamp() - of(samples, "published_timestamp_seconds")[()]
    assert 0 <= age < 3600


@pytest.mark.parametrize(
    ("status", "is_well"),
    [("published", 1), ("unpublished", 1), ("unchanged", 1), ("failed", 0), ("killed", 0)],
)
def test_a_run_without_failures_is_a_success(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, status: str, is_well: int
) -> None:
    """`scuttlehouse doctor` calls the same runs ok."""
    small.log("fct_builds", runs(("build-4", status, 4)))
    assert of(read_format(text_of(metrics(small.home))), "last_run_success") == {(): is_well}
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    assert last_build().state == ("ok" if is_well else "warn")


def test_bytes_are_those_of_the_files(small: SmallWarehouse) -> None:
    small.begin()
    small.write("dim_logs", logs("new", "new"))
    small.end()
    [file] = small.data_files("dim_logs")
    samples = read_format(text_of(metrics(small.home)))
    assert of(samples, "table_bytes")["dim_logs",] == Path(file).stat().st_size


def test_the_file_is_replaced_in_one_step_and_can_be_read_by_everybody(
    small: SmallWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "collector"
    folder.mkdir()
    file = folder / "scuttlehouse.prom"
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(file))
    file.write_text("old")
    with file.open() as held:
        update_metrics_file(small.home)
        assert held.read() == "old", "who reads the old file reads all of it"
    assert read_format(file.read_text())
    assert stat.S_IMODE(file.stat().st_mode) == 0o644
    assert [path.name for path in folder.iterdir()] == [file.name]


def test_no_link_of_another_user_is_written_through(
    small: SmallWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a folder that users share, whatever stands under a name that can be guessed."""
    folder, other = tmp_path / "collector", tmp_path / "other"
    folder.mkdir()
    other.write_text("mine")
    other.chmod(0o600)
    file = folder / "scuttlehouse.prom"
    for name in file.name, f".{file.name}", f".{file.name}.{os.getpid()}":
        (folder / name).symlink_to(other)
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(file))
    update_metrics_file(small.home)
    assert other.read_text() == "mine"
    assert stat.S_IMODE(other.stat().st_mode) == 0o600
    assert not file.is_symlink()
    assert read_format(file.read_text())


def test_a_rollback_replaces_the_file(
    small: SmallWarehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "scuttlehouse.prom"
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(file))
    update_metrics_file(small.home)
    before = read_format(file.read_text())
    roll_back(small.home, None)
    after = read_format(file.read_text())
    assert of(after, "table_rows") != of(before, "table_rows")
    assert after == read_format(text_of(metrics(small.home)))


@pytest.mark.parametrize("name", ["no/a.prom", "home", ".", "/", "a.txt", "a.prom.log"])
def test_a_build_does_not_fail_by_metrics(
    small: SmallWarehouse,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    name: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", name)
    before = {*tmp_path.iterdir(), *Path("/").iterdir()}
    update_metrics_file(small.home)
    assert "cannot be written to" in capsys.readouterr().out
    assert {*tmp_path.iterdir(), *Path("/").iterdir()} == before
    (tmp_path / "null").symlink_to("/dev/null")
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", "null")
    update_metrics_file(small.home)
    assert "its name ends in something else" in capsys.readouterr().out
    assert (tmp_path / "null").is_symlink(), "a device would be replaced, too"
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", " ")
    update_metrics_file(small.home)
    assert capsys.readouterr().out == "", "nobody asks for metrics"


def test_a_damaged_table_ends_no_run(
    small: SmallWarehouse, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has published its tables before it writes metrics."""
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(small.home / "house.prom"))
    with open_catalog(small.home) as catalog:
        flip(Path(catalog.tables(LOG)["fct_builds"]), 80)
    update_metrics_file(small.home)
    assert capsys.readouterr().out.startswith("The metrics are not up to date: ")


def test_a_damaged_table_is_told_with_what_to_do(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """As by every other command that reads it."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    with open_catalog(small.home) as catalog:
        [build, *_] = catalog.kept()
    file = build.public["dim_groups"]
    Path(file).unlink()
    assert main(["metrics"]) == 1
    assert capsys.readouterr().err == (
        f"The file {file} is missing. The table dim_groups needs it. {START_ANEW}\n"
    )


def test_the_command_prints_them(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    assert main(["metrics"]) == 0
    assert read_format(capsys.readouterr().out) == read_format(text_of(metrics(small.home)))
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home.parent / "other"))
    assert main(["metrics"]) == 1
    assert capsys.readouterr().err.startswith("Nothing is published yet")


def test_a_publication_has_one_time_wherever_the_machine_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TZ", "America/New_York")
    time.tzset()
    build = Build("a", 1, "2026-01-02 03:04:05 UTC", True, None, "", "", "", {}, {}, {})
    published, _ = _of_state(build.published_moment, 1)
    monkeypatch.undo()
    time.tzset()
    assert published.samples == [({}, datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC).timestamp())]


def test_a_run_that_was_killed_is_counted_and_has_no_time(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path / "home")
    small.publish({"dim_groups": pa.table({"group_id": ["a"]})})
    small.log("fct_builds", steps_table([run_step("b", "killed")]))
    samples = read_format(text_of(metrics(small.home)))
    assert of(samples, "runs_total") == {("killed",): 1}
    for name in "run_start_timestamp_seconds", "run_duration_seconds", "last_run_success":
        assert of(samples, name) == {}
