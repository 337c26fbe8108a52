"""What `scuttlehouse build` says while dbt runs: real events of dbt, no build."""

from __future__ import annotations

import io
import subprocess
import sys
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from dbt.events.types import (
    LogStartLine,
    LogTestResult,
    MainEncounteredError,
    MainStackTrace,
    NodeFinished,
)
from dbt_common.events.base_types import BaseEvent, EventLevel, msg_from_base_event

from scuttlehouse.builds.progress import LastBuild, Progress, last_build
from scuttlehouse.builds.steps import SCHEMA, run_step, steps_table, told_error
from scuttlehouse.files.parts import Split
from scuttlehouse.landing import read_so_far
from scuttlehouse.landing.read_so_far import begin_reading, bytes_read, counted
from small_warehouse import SmallWarehouse

LAST = LastBuild(100.0, {"slow": 150.0, "quick": 50.0})


def node(name: str, status: str = "started", kind: str = "model") -> dict[str, Any]:
    return {"node_name": name, "unique_id": f"{kind}.scuttlehouse.{name}", "node_status": status}


def starts(name: str, total: int = 3) -> BaseEvent:
    return LogStartLine(description=name, index=1, total=total, node_info=node(name))


def ends(name: str, status: str = "success", kind: str = "model") -> BaseEvent:
    result = {"status": status, "execution_time": 12.34}
    return NodeFinished(node_info=node(name, status, kind), run_result=result)


def said(
    events: Sequence[tuple[float, BaseEvent | None]],
    last: LastBuild = LAST,
    *,
    is_terminal: bool = False,
) -> tuple[str, Progress]:
    """What is printed for events at some seconds after the beginning; none is a tick."""
    now = [0.0]
    out = io.StringIO()
    progress = Progress(out, last, bytes_read, is_terminal=is_terminal, clock=lambda: now[0])
    for at, event in events:
        now[0] = at
        if event:
            progress(msg_from_base_event(event))
        else:
            progress.tick()
    return out.getvalue(), progress


STEPS: list[tuple[float, BaseEvent]] = [
    (0, ends("scuttlehouse-on-run-start-0", kind="operation")),
    (1, starts("new")),
    (2, ends("new")),
    (3, starts("quick")),
    (30, ends("quick")),
    (31, starts("slow")),
    (90, ends("slow", "error")),
]


def test_a_log_has_a_line_for_each_step() -> None:
    """Of 200 seconds of the last build a quarter was done after 30 seconds: the rest takes 90."""
    text, progress = said(STEPS)
    assert text.splitlines() == [
        "   1 of 3  success     12.3 s  new  (about 1 min 40 s left)",
        "   2 of 3  success     12.3 s  quick  (about 1 min 30 s left)",
        "   3 of 3  error       12.3 s  slow  (about 0 s left)",
    ]
    assert not progress.has_said_an_error


def test_steps_that_do_nothing_have_no_line() -> None:
    """After an error they are hundreds, and nobody would find it among them."""
    statuses = ("error", "skipped", "no-op", "skipped", "success")
    ended = [(at, ends(f"step_{at}", status)) for at, status in enumerate(statuses)]
    text, _ = said([(0, starts("step_0", total=5)), *ended])
    assert [line.split()[:4] for line in text.splitlines()] == [
        ["1", "of", "5", "error"],
        ["5", "of", "5", "success"],
    ]


def test_a_first_build_has_no_estimate() -> None:
    text, progress = said(STEPS, LastBuild(None, {}))
    assert text.splitlines()[0] == "   1 of 3  success     12.3 s  new"
    assert progress.seconds_left() is None


def test_a_part_of_the_project_has_no_estimate() -> None:
    text, _ = said([(1, starts("quick", total=1)), (2, ends("quick"))])
    assert text == "   1 of 1  success     12.3 s  quick\n"


def test_a_terminal_has_a_bar_and_no_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    text, _ = said([*STEPS[:-1], (90, ends("slow"))], is_terminal=True)
    assert "\n" not in text
    drawn = text.split("\r\x1b[K")
    assert "[................] 0 of 3" not in drawn[1]
    assert drawn[1].startswith(f"[{'.' * 24}] 0 of 3  (about 1 min 40 s left)")
    assert drawn[-2].startswith(f"[{'#' * 16}{'.' * 8}] 2 of 3  (about")
    assert all(len(line.rstrip("\r")) < 60 for line in drawn)
    assert drawn[-1] == "", "it is cleared at the end"


def test_landing_shows_its_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two batches of a file of 3 MB; a model reads them twice, another one once."""
    monkeypatch.setattr(read_so_far, "_models", {})
    monkeypatch.setenv("COLUMNS", "100")
    splits = [Split("/a", "a", 0, 2_000_000), Split("/a", "a", 2_000_000, 3_000_000)]
    batches = [pa.RecordBatch.from_pylist([{"start": one.start, "end": one.end}]) for one in splits]
    twice = begin_reading(tmp_path, "twice", splits, passes=2)
    once = begin_reading(tmp_path, "once", splits)
    assert bytes_read() == (0, 9_000_000)
    task = counted(batches, twice)
    assert [next(task), bytes_read()[0]] == [batches[0], 0], "a batch counts when it has been read"
    assert [next(task), bytes_read()[0]] == [batches[1], 2_000_000]
    lines = [(5.0, starts("quick")), (29.0, None), (31.0, None), (32.0, None)]
    text, _ = said(lines)
    assert text == "            logs: 2.0 MB of 9.0 MB  (about 1 min 40 s left)\n"
    text, _ = said(lines, is_terminal=True)
    assert text.count("logs: 2.0 MB of 9.0 MB") == 4
    rest = [task, counted(batches, twice), counted(batches, once)]
    assert [len([*one]) for one in rest] == [0, 2, 2]
    assert bytes_read() == (9_000_000, 9_000_000)
    assert said(lines)[0] == ""
    assert [*counted(batches, tmp_path / "no" / "folder")] == batches


def test_a_terminal_has_a_line_for_a_step_that_failed() -> None:
    """dbt says it, too, with a line of its own, which is left out."""
    failed = LogTestResult(
        node_info=node("slow"), name="slow", status="fail", index=3, num_models=3, num_failures=1
    )
    told = msg_from_base_event(failed, level=EventLevel.ERROR)
    text, progress = said([*STEPS[:-1], (90, ends("slow", "fail"))], is_terminal=True)
    progress(told)
    assert text.count("\n") == 1
    assert "   3 of 3  fail        12.3 s  slow  (about 0 s left)\n\r\x1b[K" in text
    assert not progress.has_said_an_error


@pytest.mark.parametrize("is_terminal", [False, True])
def test_errors_are_those_of_dbt(is_terminal: bool) -> None:
    events = [*STEPS[:3], (4.0, MainEncounteredError(exc="No log.\nPut one \x1b there."))]
    text, progress = said(events, is_terminal=is_terminal)
    assert progress.has_said_an_error
    assert text.endswith("No log.\nPut one \\x1b there.\n")
    assert "\x1b " not in text


@pytest.mark.parametrize("is_terminal", [False, True])
def test_an_interruption_shows_no_code(is_terminal: bool) -> None:
    trace = 'Traceback (most recent call last):\n  File "queue.py"\nKeyboardInterrupt\n'
    ends_it = [(4.0, MainEncounteredError(exc="")), (4.0, MainStackTrace(stack_trace=trace))]
    text, progress = said([*STEPS[:3], *ends_it], is_terminal=is_terminal)
    assert text == said(STEPS[:3], is_terminal=is_terminal)[0]
    assert not progress.has_said_an_error


@pytest.mark.parametrize(
    "error",
    [
        "[Errno 13] Permission denied: '/srv/house/target/manifest.json'",
        "[Errno 28] No space left on device",
    ],
)
def test_a_file_that_dbt_cannot_use_shows_no_code(error: str) -> None:
    """`scuttlehouse build` says it in a sentence."""
    trace = f'Traceback (most recent call last):\n  File "queue.py"\nPermissionError: {error}\n'
    ends_it = [(4.0, MainEncounteredError(exc=error)), (4.0, MainStackTrace(stack_trace=trace))]
    text, progress = said([*STEPS[:3], *ends_it])
    assert text == said(STEPS[:3])[0]
    assert not progress.has_said_an_error


RUNS = [
    ("build", "published"),
    ("build", "published"),
    ("refresh", "published"),
    ("refresh", "published"),
    ("refresh", "failed"),
    ("retry", "published"),
    ("build", "unpublished"),
    ("build", "unchanged"),
]


def test_the_last_build_is_a_published_one_of_the_same_kind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """And no retry, which may run one test only."""
    home, project = tmp_path / "home", tmp_path / "project"

    def last(*, is_full_refresh: bool = False) -> LastBuild:
        return last_build(home, project, is_full_refresh=is_full_refresh)

    assert last() == (None, {})
    small = SmallWarehouse(home)
    project.mkdir()
    (project / "dbt_project.yml").write_text("name: club\n")
    rules = ["other rules"]
    monkeypatch.setattr("scuttlehouse.builds.unchanged.rules_hash", lambda *_: rules[0])
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", "/landing")
    assert last() == (None, {})
    began = datetime(2026, 1, 1, tzinfo=UTC)
    steps = []
    for number, (kind, status) in enumerate(RUNS):
        run = run_step(f"b{number}", status, kind=kind, started_at=began + timedelta(days=number))
        if status == "unchanged":
            run["seconds"] = None
        steps += [
            run | {"seconds": run["seconds"] and 10.0 * number},
            {"build_id": f"b{number}", "step": "slow", "seconds": 7.0 * number},
        ]
    small.publish({"dim_logs": pa.table({"status": ["new"]})})
    small.log("fct_builds", steps_table(steps).cast(SCHEMA))
    assert last() == (10.0, {"slow": 7.0}), "by other rules, all tables are made"
    rules[0] = "rules"
    assert last() == (30.0, {"slow": 21.0})
    assert last(is_full_refresh=True) == (10.0, {"slow": 7.0})


def test_a_build_goes_on_if_nobody_reads_its_output() -> None:
    script = (
        "import sys\n"
        "from scuttlehouse.cli.output import go_on_without_reader\n"
        "go_on_without_reader()\n"
        "for number in range(100_000):\n"
        "    print(number, flush=number % 1000 == 0)\n"
        "print('the end', file=sys.stderr)\n"
    )
    build = [sys.executable, "-c", script]
    with subprocess.Popen(build, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as running:
        assert running.stdout
        assert running.stderr
        assert running.stdout.readline() == b"0\n"
        running.stdout.close()
        assert running.stderr.read() == b"the end\n"
    assert running.returncode == 0


@pytest.mark.parametrize(
    ("said", "told"),
    [
        (
            "Runtime Error in model stg_landing__logs (python_models/stg_landing__logs.py)\n"
            "  The landing folder /logs does not exist: make it.",
            "The landing folder /logs does not exist: make it.",
        ),
        (
            "Runtime Error in model m (m.py)\n  The model raised a.b.OddError: a secret\n  m.py, line 3",
            "The model raised a.b.OddError",
        ),
        (
            "Runtime Error in model m (m.py)\n  Writing what the model returned raised X: a secret",
            "Writing what the model returned raised X",
        ),
        ("Got 2 results, configured to fail if != 0", "Got 2 results, configured to fail if != 0"),
        ("Runtime Error in model m (m.py)", "Runtime Error in model m (m.py)"),
        (None, None),
    ],
)
def test_the_log_of_runs_tells_the_error_and_not_its_heading(
    said: str | None, told: str | None
) -> None:
    assert told_error(said) == told
