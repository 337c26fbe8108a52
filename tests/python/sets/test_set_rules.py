"""Changes of a set that supersede no newest known change, compared with the specification's sentence."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.sets.items import SetMessage, topological_order
from scuttlehouse.sets.rules import unsuperseded


def random_set(dice: random.Random, size: int) -> list[SetMessage]:
    found = [SetMessage("moot", 0, [], None, None, None)]
    for number in range(size):
        previous = dice.sample(found, dice.randint(1, min(len(found), 2)))
        depth = 1 + max(one.depth for one in previous)
        name = f"{dice.randrange(10**4):04d}{number}"
        if dice.random() < 0.1:
            found.append(
                SetMessage(name, depth, [p.message_id for p in previous], None, None, None)
            )
            continue
        added, deleted = (dice.sample("ab", dice.randint(0, 1)) for _ in range(2))
        superseded = [one.message_id for one in dice.sample(found, dice.randint(0, 1))]
        listed = [*(p.message_id for p in previous), "lost"]
        found.append(SetMessage(name, depth, listed, added, deleted, superseded))
    return topological_order(found)


def broken(messages: list[SetMessage]) -> set[tuple[str, str]]:
    """By the text of the document."""
    by_id = {one.message_id: one for one in messages}

    def past(message: SetMessage) -> set[str]:
        known = {one for one in message.previous_ids if one in by_id}
        return known.union(*(past(by_id[one]) for one in known))

    found = set()
    for message in messages:
        for item in {*(message.added or ()), *(message.deleted or ())}:
            known = [
                by_id[one]
                for one in past(message)
                if item in (by_id[one].added or ()) or item in (by_id[one].deleted or ())
            ]
            highest = max((one.depth for one in known), default=0)
            newest = {one.message_id for one in known if one.depth == highest}
            if newest and not newest & set(message.superseded_ids or ()):
                found.add((message.message_id, item))
    return found


@given(st.randoms(use_true_random=False), st.integers(1, 14))
def test_every_breach_of_the_sentence_is_found(dice: random.Random, size: int) -> None:
    messages = random_set(dice, size)
    found = list(unsuperseded(messages))
    assert {(one.message_id, one.item) for one in found} == broken(messages)
    assert len(found) == len({one[:2] for one in found})
