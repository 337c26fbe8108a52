"""An exception in the middle of a call: the event, or the batch, is in as a whole or not at all."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dis import opname
from itertools import count, zip_longest
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import scuttlehouse.timeline
from examples import are_few
from scuttlehouse.timeline import Timeline, compiled, core
from scuttlehouse.timeline.c_calls import Caller
from scuttlehouse.timeline.compiled import CompiledOrder
from scuttlehouse.timeline.graph import State
from scuttlehouse.timeline.refusals import ConflictError, LoopError
from test_timeline import (
    CompiledTimeline,
    Delivery,
    add_all,
    any_events,
    both,
    extend,
    facts,
    late_root,
)

# Python looks for signals, and so may raise KeyboardInterrupt, after these.
SIGNALS = {"RESUME", "CALL", "CALL_KW", "CALL_FUNCTION_EX", "JUMP_BACKWARD"}
CODE = Path(scuttlehouse.timeline.__file__).parent
EVERY = 9 if are_few() else 3


@contextmanager
def interrupted(at: int) -> Iterator[None]:
    """Raise KeyboardInterrupt at one of the places where a timeline can be interrupted, from 0."""
    places = count()
    before: dict[FrameType, str] = {}

    def trace(frame: FrameType, event: str, _: object) -> Any:
        if Path(frame.f_code.co_filename).parent != CODE:
            return None
        frame.f_trace_opcodes = True
        if event == "opcode":
            is_place = before.get(frame) in SIGNALS
            before[frame] = opname[frame.f_code.co_code[frame.f_lasti]]
            if is_place and next(places) == at:
                raise KeyboardInterrupt
        return trace

    tracing = sys.gettrace()
    sys.settrace(trace)
    try:
        yield
    finally:
        sys.settrace(tracing)


def answers(timeline: Timeline) -> Any:
    return (
        [(name, timeline.index(name), timeline.rank(name)) for name in timeline],
        timeline.tips(),
        timeline.to_arrow().to_pylist(),
    )


def of(kind: type[Timeline], *deliveries: Delivery) -> Timeline:
    timeline = kind()
    for delivery in deliveries:
        with suppress(LoopError, ConflictError):
            extend(timeline, delivery)
    return timeline


@both
@pytest.mark.parametrize("deliver", [add_all, extend])
@pytest.mark.parametrize(
    "last",
    [
        [("000000", [])],  # its wave has more commands than there is room for
        [("new", ["000005", "also new"])],
        [("000003", ["000000", "000002"])],
        [("000000", ["000007"])],
    ],
    ids=["wave", "new", "known", "refused"],
)
def test_an_interrupted_event_is_in_or_not(
    kind: type[Timeline], deliver: Callable[..., object], last: Delivery
) -> None:
    """It is interrupted at some places: at others in every run."""
    known = late_root(10)[:-1]
    allowed = answers(of(kind, known)), answers(of(kind, known, last))
    for at in count(random.randrange(EVERY), EVERY):
        timeline = of(kind, known)
        try:
            with suppress(LoopError, ConflictError), interrupted(at):
                deliver(timeline, last)
            break
        except KeyboardInterrupt:
            assert answers(timeline) in allowed, at
        with suppress(LoopError, ConflictError):
            deliver(timeline, last)
        assert answers(timeline) == allowed[1], at
    assert at > 10


@both
@given(events=any_events(), places=st.lists(st.integers(0, 60), max_size=12))
def test_interrupted_events_that_are_added_again(
    kind: type[Timeline], events: list[tuple[str, list[str]]], places: list[int]
) -> None:
    timeline, undisturbed = kind(), kind()
    for event, at in zip_longest(events, places[: len(events)], fillvalue=-1):
        with suppress(LoopError, ConflictError, KeyboardInterrupt), interrupted(at):
            timeline.add(*event)
        assert outcome(timeline, event) in ([], outcome(undisturbed, event))
    assert facts(timeline) == facts(undisturbed)


def outcome(timeline: Timeline, event: tuple[str, list[str]]) -> Any:
    """The commands, or the words of the refusal."""
    try:
        return timeline.add(*event)
    except ValueError as refusal:
        return str(refusal)


def halves(state: State, text: Any, sizes: Any, rows: Any, *lists: Any) -> Any:
    return core.deliver(state, text, sizes, rows[: len(rows) // 2], *lists)


@pytest.mark.parametrize("failures", [1, 2])
@pytest.mark.parametrize(
    ("owner", "name", "work"),
    [
        (CompiledOrder, "_make_room", None),
        (CompiledOrder, "_make_room", CompiledOrder._make_room),
        (compiled, "_grown", None),
        (compiled, "Caller", None),
        (Caller, "_use", None),
        (Caller, "_use", Caller._use),
        (compiled, "deliver", core.deliver),
        (compiled, "deliver", halves),
        (compiled, "restore", core.restore),
    ],
)
@pytest.mark.parametrize(("deliver", "size"), [(add_all, 1), (extend, 3)])
def test_too_little_memory(
    monkeypatch: pytest.MonkeyPatch,
    deliver: Callable[..., object],
    size: int,
    owner: Any,
    name: str,
    work: Callable[..., object] | None,
    failures: int,
) -> None:
    """Each call in turn fails after its work, or before. The next call may fail, too: the one that mends."""
    events = late_root(12)
    known = [answers(of(CompiledTimeline, events[:end])) for end in range(len(events) + 1)]
    real = getattr(owner, name)
    failing = range(0)
    calls = count()

    def failing_call(*args: Any) -> Any:
        if next(calls) not in failing:
            return real(*args)
        if work:
            work(*args)
        raise MemoryError

    monkeypatch.setattr(owner, name, failing_call)
    for at in count():
        timeline = CompiledTimeline()
        calls, failing = count(), range(at, at + failures)
        failed = 0
        for start in range(0, len(events), size):
            for _ in range(failures + 1):
                with suppress(MemoryError):
                    deliver(timeline, events[start : start + size])
                    break
                failed += 1
                with suppress(MemoryError):
                    list(timeline)
                assert answers(timeline) in (known[start], known[start + size])
        assert answers(timeline) == known[-1]
        if not failed:
            break
    assert at > 0 or name in ("deliver", "restore")
