"""What sets cost that somebody has made to be costly: memory and steps grow as the messages do."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import pytest

from memory import peak_memory
from scuttlehouse.sets.items import SetMessage
from scuttlehouse.sets.order import _Reading
from scuttlehouse.sets.pruning import _ROOTS_AT_A_TIME, verdicts
from scuttlehouse.sets.rules import left_deletions, unsuperseded

pytestmark = pytest.mark.costs

MOOT = SetMessage("moot", 0, [], None, None, None)


def chain(writes: Sequence[tuple[list[str], list[str]]]) -> list[SetMessage]:
    """Messages m1, m2, ... that each know all before them: added and deleted. They supersede nothing."""
    ids = ["moot", *(f"m{depth}" for depth in range(1, len(writes) + 1))]
    return [MOOT] + [
        SetMessage(ids[depth], depth, [ids[depth - 1]], *lists, [])
        for depth, lists in enumerate(writes, 1)
    ]


def rewritten(count: int) -> list[SetMessage]:
    """Each message adds 19 items and deletes one. Two messages name each item, anywhere in the order."""
    items = [f"item{number}" for number in range(10 * count)] * 2
    random.Random(1).shuffle(items)
    parts = [items[at : at + 20] for at in range(0, len(items), 20)]
    return chain([(part[1:], part[:1]) for part in parts])


def concurrent(count: int) -> list[SetMessage]:
    """As many item roots, each with an addition before it that the others do not know."""
    below = [SetMessage(f"a{number}", 1, ["moot"], ["a"], [], []) for number in range(count)]
    return [
        MOOT,
        *below,
        *(
            SetMessage(f"b{one.message_id}", 2, [one.message_id], ["a"], [], [one.message_id])
            for one in below
        ),
    ]


@pytest.mark.parametrize(
    ("judge", "made", "count"),
    [
        (partial(unsuperseded, "moot"), rewritten, 2000),
        (partial(left_deletions, "moot"), rewritten, 8000),
        (verdicts, concurrent, 6000),
    ],
)
def test_memory_grows_as_the_messages_do(
    judge: Callable[[list[SetMessage]], Any], made: Callable[[int], list[SetMessage]], count: int
) -> None:
    """100,000 messages took gigabytes: an integer with a bit for each was kept for each."""
    peaks = []
    for messages in (made(count), made(2 * count)):
        peaks.append(peak_memory(partial(judge, messages))[1])
    less, more = peaks
    assert more < 2.5 * less


def test_a_message_is_not_read_again_for_every_message_near_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Messages can be dropped only one after the other, the last one first; 3 MB of them took 20 seconds.

    m2 can never be dropped. It deletes all items, so it is near every dropped change, and all its items were
    compared each time. y and z would change places, so that not all can be dropped at once.
    """
    count = 300
    items = [f"x{number}" for number in range(count)]
    messages = chain(
        [
            ([*reversed(items), "stays"], []),
            ([], items),
            *(([item], []) for item in items),
            (items, []),
            (["y"], []),
            (["z"], []),
            (["z", "y"], []),
        ]
    )
    ids = [one.message_id for one in messages[1:]]
    messages.append(SetMessage("root", len(messages), ids[-1:], ["end"], [], ids))
    places: list[int] = []
    place = _Reading._place

    def counted(reading: _Reading, position: int, without: int = -1) -> int:
        places.append(position)
        return place(reading, position, without)

    monkeypatch.setattr(_Reading, "_place", counted)
    because = {one.message_id: one.kept_because for one in verdicts(messages)}
    assert [because[one] for one in ("m1", "m2", "m3", f"m{count + 2}")] == [
        *["source", "order"],
        *[None, None],
    ]
    changes = sum(len(one.added or ()) + len(one.deleted or ()) for one in messages)
    assert len(places) < 50 * changes


def test_more_roots_than_are_looked_at_together() -> None:
    """A message that precedes all roots but the last one may not be dropped; one that precedes all may."""
    count = _ROOTS_AT_A_TIME + 2
    base = SetMessage("base", 1, ["moot"], ["a"], [], [])
    most = SetMessage("most", 2, ["base"], ["a"], [], ["base"])
    roots = [
        SetMessage(f"r{number:05}", 3, ["most"], ["a"], [], ["most"]) for number in range(count)
    ]
    last = roots[-1]._replace(previous_ids=["base"], superseded_ids=[])
    because = {
        one.message_id: one.kept_because for one in verdicts([MOOT, base, most, *roots[:-1], last])
    }
    assert (because["base"], because["most"]) == (None, "concurrent")
