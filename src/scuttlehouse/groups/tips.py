"""What messages list although their author knew of a message after it (4.10; SIP 9, "Tangle fields")."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from scuttlehouse.groups.authority import GroupMessage, known_directly
from scuttlehouse.tangles.causality import bits_of, mask_of, sweep_named


def no_tips(
    messages: Sequence[GroupMessage], changes: Mapping[str, Sequence[str]]
) -> dict[str, list[str]]:
    """What each message of a group lists in a tangle that was no tip of it for the author; sorted.

    It was none if a message in the graph of the same tangle lists it, and the author knew of that one: their
    message knows of it through any tangle of the group. Messages that list only tips are left out.

    Args:
        messages: the messages of the group.
        changes: what the messages in the graphs of members tangles list there.

    Complexity: O(messages + links) operations on integers with a bit for each place in a tangle that several
    messages list.

    >>> def message(name, *previous):
    ...     return GroupMessage(
    ...         name, "ann", "other", None, [], previous, previous, [], True, False, None, 0
    ...     )
    >>> no_tips([message("x"), message("1", "x"), message("2", "1"), message("3", "x", "2")], {})
    {'3': ['x']}
    """
    listings = {one.message_id: _listed(one, changes) for one in messages}
    counts = Counter(place for listing in listings.values() for place in listing)
    bits = {place: bit for bit, place in enumerate(p for p, n in counts.items() if n > 1)}
    names = [name for _, name in bits]
    found = {}

    def visit(name: str, before: int) -> int:
        own = mask_of(bits[place] for place in listings[name] if place in bits)
        if again := {names[bit] for bit in bits_of(before & own)}:
            found[name] = sorted(again)
        return own

    sweep_named(known_directly(messages)[0], visit)
    return found


def _listed(message: GroupMessage, changes: Mapping[str, Sequence[str]]) -> set[tuple[str, str]]:
    """The places that a message lists. An id has a place in one members tangle at most."""
    in_epochs = message.previous_epoch_ids if message.kind == "init" else ()
    return {
        *(("group", one) for one in message.timeline_previous_ids or ()),
        *(("epoch", one) for one in in_epochs),
        *(("members", one) for one in changes.get(message.message_id, ())),
    }
