"""Messages that do not list exactly the tips that their author knew (4.10; tangle SIP, "Tangle fields")."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import chain, pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from scuttlehouse.groups.messages import GroupMessage, known_directly
from scuttlehouse.tangles.causality import sweep_named
from scuttlehouse.tangles.graphs import Ints
from scuttlehouse.tangles.listings import listed_before

# A tangle of a group by its kind, and an id there. An id has a place in one members tangle at most.
_Place = tuple[str, str]


class Written(NamedTuple):
    """A message in the graph of a tangle and not its root, with its place in its author's feed.

    ``tangle``: the kind of the tangle and the id of its root.
    """

    tangle: tuple[Literal["group", "members"], str]
    feed_id: str
    sequence: int
    message_id: str


def no_tips(
    messages: Sequence[GroupMessage], changes: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """What each message of a group lists in a tangle that was no tip of it for the author; sorted.

    It was none if a message in the graph of the same tangle lists it, and the author knew of that one: their
    message knows of it through any tangle of the group. Messages that list only tips are left out.

    Args:
        messages: the messages of the group.
        changes: what the messages in the graphs of members tangles list there.

    Complexity: as :func:`.listed_before`.

    >>> def message(name, *previous):
    ...     return GroupMessage(
    ...         name, "ann", "other", None, [], previous, previous, [], True, False, None, 0
    ...     )
    >>> no_tips([message("x"), message("1", "x"), message("2", "1"), message("3", "x", "2")], {})
    {'3': ['x']}
    """
    listings = [(one.message_id, place) for one in messages for place in _listed(one, changes)]
    found: dict[str, set[str]] = defaultdict(set)
    known, _ = known_directly(messages)
    is_again = _is_listed_before(known, listings)
    for at in np.flatnonzero(is_again).tolist():
        name, (_, listed) = listings[at]
        found[name].add(listed)
    return {name: sorted(ids) for name, ids in found.items()}


def left_out_tips(
    messages: Sequence[GroupMessage],
    changes: Mapping[str, Sequence[str]],
    written: Iterable[Written],
) -> dict[str, list[str]]:
    """The tips that each message of a group leaves out although its author had written them; sorted.

    Whoever writes in a feed knows what it holds. So the feed's message before it in a tangle was a tip, or a
    message that the author knew lists it there. Where a feed has two messages with one sequence, nobody knows
    which of them its author had. A message is not in the answer if it leaves out none, or if the log does not
    show all that it knows of.

    Args:
        messages, changes: as for :func:`no_tips`.
        written: the messages in the graphs of group and members tangles.

    Complexity: as :func:`.listed_before`; O(n log n) in ``written``.

    >>> def message(name, *previous):
    ...     return GroupMessage(
    ...         name, "ann", "other", None, [], previous, previous, [], True, False, None, 0
    ...     )
    >>> messages = [message("x"), message("1", "x"), message("2", "x"), message("3", "1", "2")]
    >>> written = [Written(("group", "x"), "f", place, str(place)) for place in (1, 2, 3)]
    >>> left_out_tips(messages, {}, written)
    {'2': ['1']}
    """
    feeds: dict[tuple[tuple[str, str], str], list[tuple[int, str]]] = defaultdict(list)
    for tangle, feed, sequence, name in written:
        feeds[tangle, feed].append((sequence, name))
    known, looped = known_directly(messages)
    lacking = looped | {one.message_id for one in messages if one.lacks_previous}
    is_shown = _with_whole_past(known, lacking)
    listings = {(one.message_id, place) for one in messages for place in _listed(one, changes)}
    last: list[tuple[str, _Place]] = []
    for ((kind, _), _), own in feeds.items():
        count = Counter(sequence for sequence, _ in own)
        for (at, earlier), (next_at, later) in pairwise(sorted(own)):
            is_known = count[at] == count[next_at] == 1 and later in is_shown
            if is_known and (later, (kind, earlier)) not in listings:
                last.append((later, (kind, earlier)))
    places = {place for _, place in last}
    rows = [*last, *(one for one in listings if one[1] in places)]
    is_again = _is_listed_before(known, rows)[: len(last)]
    found: dict[str, set[str]] = defaultdict(set)
    for at in np.flatnonzero(~is_again).tolist():
        name, (_, earlier) = last[at]
        found[name].add(earlier)
    return {name: sorted(ids) for name, ids in found.items()}


def _with_whole_past(known: Mapping[str, Sequence[str]], lacking: Collection[str]) -> set[str]:
    """The messages that are not lacking, and know of none that is."""
    found: set[str] = set()

    def visit(name: str, before: int) -> int:
        lacks = bool(before) or name in lacking
        if not lacks:
            found.add(name)
        return int(lacks)

    sweep_named(known, visit)
    return found


def _is_listed_before(
    known: Mapping[str, Sequence[str]], listings: Sequence[tuple[str, _Place]]
) -> NDArray[np.bool_]:
    """Whether a message that the message of each listing knows of lists the same place."""
    node_of = {name: node for node, name in enumerate(known)}
    after, before = _columns(
        (node, node_of[one])
        for name, node in node_of.items()
        for one in known[name]
        if one in node_of
    )
    number_of: dict[_Place, int] = {}
    nodes, numbers = _columns(
        (node_of[name], number_of.setdefault(place, len(number_of))) for name, place in listings
    )
    return listed_before(len(known), (after, before), nodes, numbers)


def _columns(pairs: Iterable[tuple[int, int]]) -> Ints:
    return np.fromiter(chain.from_iterable(pairs), np.int64).reshape(-1, 2).T


def _listed(message: GroupMessage, changes: Mapping[str, Sequence[str]]) -> set[_Place]:
    """The places that a message lists."""
    in_epochs = message.previous_epoch_ids if message.kind == "init" else ()
    return {
        *(("group", one) for one in message.timeline_previous_ids or ()),
        *(("epoch", one) for one in in_epochs),
        *(("members", one) for one in changes.get(message.message_id, ())),
    }
