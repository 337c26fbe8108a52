"""Which messages are in the tangle of a set, compared with how the reference takes them in."""

from __future__ import annotations

import math
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


def by_arrival(candidates: list[Candidate], dice: random.Random) -> dict[str, Reason | None]:
    """The reference (validateTangle), for messages that arrive in a random order after those they list.

    It looks only at what is in the tangle when a message arrives. The moot is known even if no log holds it.
    """
    inside = {MOOT: 0}
    reasons: dict[str, Reason | None] = {}

    def reason(one: Candidate) -> Reason | None:
        if one.message_id == MOOT:
            return None
        if one.is_by_device is None:
            return "account_missing"
        if one.is_by_device is False:
            return "no_device_of_the_account"
        unknown, least_step = 0, math.inf
        for previous in one.previous_ids:
            if previous not in inside:
                unknown += 1
                continue
            step = one.depth - inside[previous]
            if step <= 0:
                return "depth_is_wrong"
            least_step = min(least_step, step)
        if unknown == len(one.previous_ids):
            return "missing"
        return "depth_is_wrong" if unknown == 0 and least_step != 1 else None

    waiting = list(candidates)
    while waiting:
        ids = {one.message_id for one in waiting}
        one = dice.choice([one for one in waiting if ids.isdisjoint(one.previous_ids)])
        waiting.remove(one)
        reasons[one.message_id] = reason(one)
        if reasons[one.message_id] is None:
            inside[one.message_id] = one.depth
    return reasons


@given(st.randoms(use_true_random=False), st.integers(0, 12))
def test_every_message_has_the_standing_that_the_reference_gives_it(
    dice: random.Random, size: int
) -> None:
    candidates = random_candidates(dice, size)
    found = standings(MOOT, candidates)
    assert {one.message_id: one.reason for one in found} == by_arrival(candidates, dice)
    depths = {one.message_id: one.depth for one in candidates}
    assert [depths[one.message_id] for one in found] == sorted(depths.values())
    for one in found:
        is_waiting = one.reason in ("account_missing", "missing")
        assert one.status == ("in" if not one.reason else "set_aside" if is_waiting else "rejected")
    dice.shuffle(candidates)
    assert standings(MOOT, candidates) == found


def reasons(*candidates: Candidate) -> dict[str, Reason | None]:
    return {one.message_id: one.reason for one in standings(MOOT, candidates)}


def test_what_is_not_in_the_tangle_rejects_nothing() -> None:
    """Its depth is only a claim. The reference adds y and z whatever x says (pzp-db 1.0.4)."""
    m1 = Candidate("m1", 1, ["moot"], True)
    y, z = Candidate("y", 2, ["m1", "x"], True), Candidate("z", 3, ["y"], True)
    for x, reason in [
        (Candidate("x", 5, ["moot"], True), "depth_is_wrong"),
        (Candidate("x", 5, ["lost"], True), "missing"),
        (Candidate("x", 5, ["m1", "lost"], False), "no_device_of_the_account"),
    ]:
        assert reasons(m1, x, y, z) == {"m1": None, "x": reason, "y": None, "z": None}
    inside = Candidate("x", 5, ["m1", "lost"], True)
    assert reasons(m1, inside, y, z) == {
        "m1": None,
        "x": None,
        "y": "depth_is_wrong",
        "z": "missing",
    }


def test_a_loop_is_never_in() -> None:
    """Real ids are hashes, so they form none."""
    loop = [Candidate("a", 1, ["b", "moot"], True), Candidate("b", 2, ["a"], True)]
    behind = [Candidate("c", 3, ["b"], True), Candidate("d", 1, ["d"], False)]
    assert reasons(*loop, *behind) == {
        **dict.fromkeys("abc", "missing"),
        "d": "no_device_of_the_account",
    }


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
