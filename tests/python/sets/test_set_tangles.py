"""Which messages are in the tangle of a set, compared with its sentences applied until nothing changes."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.sets.tangles import Candidate, Reason, standings

MOOT = "moot"


def random_candidates(dice: random.Random, size: int) -> list[Candidate]:
    """Messages that mostly follow the rules. Some depths are wrong, and some messages are lost."""
    signers = dice.choice([[True], [True, True, True, False], [True, None]])
    found = [Candidate(MOOT, 0, [], dice.choice([True, False, None]))]
    for number in range(size):
        known = dice.sample(found, dice.randint(1, min(len(found), 3)))
        depth = 1 + max(one.depth for one in known)
        depth = max(1, depth + dice.choice([0, 0, 0, 0, -1, 1, 2]))
        previous = [one.message_id for one in known] + ["lost"] * (dice.random() < 0.2)
        name = f"{dice.choice('aAbB')}{number}"
        found.append(Candidate(name, depth, previous, dice.choice(signers)))
    kept = [one for one in found if dice.random() < 0.9]
    dice.shuffle(kept)
    return kept


def by_rule(candidates: list[Candidate]) -> dict[str, Reason | None]:
    """Grow the tangle from the moot, which is known even if no log holds it."""
    claimed = {one.message_id: one.depth for one in candidates if one.is_by_device}
    inside = {MOOT: 0}

    def reason(one: Candidate) -> Reason | None:
        known = [inside[previous] for previous in one.previous_ids if previous in inside]
        if one.message_id == MOOT:
            return None
        if one.is_by_device is None:
            return "account_missing"
        if one.is_by_device is False:
            return "no_device_of_the_account"
        for previous in one.previous_ids:
            if previous in claimed and claimed[previous] >= one.depth:
                return "depth_is_wrong"
        if not known:
            return "missing"
        is_all_known = len(known) == len(one.previous_ids)
        return "depth_is_wrong" if is_all_known and one.depth != max(known) + 1 else None

    # No message can list one that lists it, so each depth settles after those before it.
    for depth in sorted({one.depth for one in candidates}):
        here = [one for one in candidates if one.depth == depth]
        inside |= {one.message_id: depth for one in here if reason(one) is None}
    return {one.message_id: reason(one) for one in candidates}


@given(st.randoms(use_true_random=False), st.integers(0, 12))
def test_every_message_has_the_standing_of_the_rules(dice: random.Random, size: int) -> None:
    candidates = random_candidates(dice, size)
    found = standings(MOOT, candidates)
    assert {one.message_id: one.reason for one in found} == by_rule(candidates)
    depths = {one.message_id: one.depth for one in candidates}
    assert [depths[one.message_id] for one in found] == sorted(depths.values())
    for one in found:
        is_waiting = one.reason in ("account_missing", "missing")
        assert one.status == ("in" if not one.reason else "set_aside" if is_waiting else "rejected")


@pytest.mark.parametrize(
    ("previous", "depth", "right"),
    [
        (["m1"], 2, None),
        (["m1"], 1, "depth_is_wrong"),
        (["m1"], 3, "depth_is_wrong"),
        (["m1", "moot"], 2, None),
        (["m1", "moot"], 1, "depth_is_wrong"),
        (["m1", "lost"], 3, None),
        (["m1", "lost"], 1, "depth_is_wrong"),
        (["m1", "forged"], 2, None),
        (["m1", "forged"], 9, None),
        (["forged"], 2, "missing"),
        (["lost"], 1, "missing"),
    ],
)
def test_a_depth_is_one_more_than_the_greatest_known(
    previous: list[str], depth: int, right: Reason | None
) -> None:
    """Of what is not at hand, or is not of the account, nobody knows the depth in the tangle."""
    others = [Candidate("m1", 1, ["moot"], True), Candidate("forged", 5, ["m1"], False)]
    found = standings(MOOT, [Candidate("m2", depth, previous, True), *others])
    assert {one.message_id: one.reason for one in found}["m2"] == right
