from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import preferred_epoch
from scuttlehouse.groups.memberships import Change, Period, periods

EPOCHS = {"w": [], "x": ["w"], "y": ["w"], "z": ["x", "y"]}
ANCESTRY = Ancestry(EPOCHS)
KEY_RANKS = {"w": 3, "x": 2, "y": 1, "z": None}

CHANGES = st.lists(
    st.builds(
        Change,
        st.integers(0, 9),
        st.none() | st.integers(0, 99),
        st.sampled_from("wxyz"),
        st.sampled_from("abc"),
        st.sampled_from(["add", "add", "exclude"]),
    ),
    max_size=20,
)


def state(changes: list[Change], person: str, position: int) -> tuple[str, bool] | None:
    """The person's epoch after a position, and whether they are excluded from it, computed from the start."""
    known = [one for one in changes if one.position <= position]
    members = {
        epoch: frozenset(
            one.person_id for one in known if (one.change, one.epoch_id) == ("add", epoch)
        )
        for epoch in EPOCHS
    }
    declaring = [epoch for epoch in EPOCHS if person in members[epoch]]
    if not declaring:
        return None
    epoch = preferred_epoch(declaring, members, ANCESTRY, KEY_RANKS).epoch_id
    own = [one for one in known if (one.epoch_id, one.person_id) == (epoch, person)]
    last = max(own, key=lambda one: (one.position, one.change == "exclude"))
    return epoch, last.change == "exclude"


@given(CHANGES)
def test_at_every_position_the_period_is_what_was_known_then(changes: list[Change]) -> None:
    found = list(periods(changes, ANCESTRY, KEY_RANKS))
    for person in "abc":
        for position in range(11):
            at = [
                (one.epoch_id, one.is_excluded)
                for one in found
                if one.person_id == person
                and one.from_position <= position
                and (one.to_position is None or position < one.to_position)
            ]
            expected = state(changes, person, position)
            assert at == ([expected] if expected else [])


@given(CHANGES, st.randoms())
def test_periods_have_no_gaps_and_do_not_depend_on_arrival(
    changes: list[Change], random: st.DataObject
) -> None:
    found = list(periods(changes, ANCESTRY, KEY_RANKS))
    by_person: dict[str, list[Period]] = {}
    for one in found:
        by_person.setdefault(one.person_id, []).append(one)
    for own in by_person.values():
        for before, after in pairwise(own):
            assert before.from_position < before.to_position == after.from_position
            assert before.to_ms == after.from_ms
            assert (before.epoch_id, before.is_excluded) != (after.epoch_id, after.is_excluded)
        times = [one.from_ms for one in own if one.from_ms is not None]
        assert times == sorted(times)
        assert (own[-1].to_position, own[-1].to_ms) == (None, None)
    arrived = list(changes)
    random.shuffle(arrived)
    assert list(periods(arrived, ANCESTRY, KEY_RANKS)) == found


def test_excluded_and_added_again() -> None:
    changes = [
        Change(1, 100, "w", "a", "add"),
        Change(4, None, "w", "a", "exclude"),
        Change(7, 700, "w", "a", "add"),
        Change(8, 800, "x", "a", "add"),
    ]
    assert list(periods(changes, ANCESTRY, KEY_RANKS)) == [
        Period("a", "w", False, 1, 100, 4, None),
        Period("a", "w", True, 4, None, 7, 700),
        Period("a", "w", False, 7, 700, 8, 800),
        Period("a", "x", False, 8, 800, None, None),
    ]


def test_another_member_may_move_everybody() -> None:
    """Y wins by its key until c is added to it. Then X is within Y (4.5)."""
    changes = [
        *(Change(1, 1, "x", person, "add") for person in "ab"),
        *(Change(2, 2, "y", person, "add") for person in "ab"),
        Change(3, 3, "y", "c", "add"),
    ]
    found = [one for one in periods(changes, ANCESTRY, KEY_RANKS) if one.person_id == "a"]
    assert [(one.epoch_id, one.from_position) for one in found] == [("x", 1), ("y", 2), ("x", 3)]
