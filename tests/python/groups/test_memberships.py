from __future__ import annotations

from itertools import pairwise
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import preferred_epoch
from scuttlehouse.groups.memberships import Change, Period, periods

EPOCHS = {"w": [], "x": ["w"], "y": ["w"], "z": ["x", "y"]}
ANCESTRY = Ancestry(EPOCHS)
KEY_RANKS = {"w": 3, "x": 2, "y": 1, "z": None}

PEOPLE = "abcd"


class Group(NamedTuple):
    previous: dict[str, list[str]]
    key_ranks: dict[str, int | None]
    changes: list[Change]


@st.composite
def groups(draw: st.DrawFn) -> Group:
    """Few people and up to seven epochs, mostly forked, so that epochs come to hold each other's members."""
    names = "stuvwxy"[: draw(st.integers(1, 7))]
    previous: dict[str, list[str]] = {names[0]: []}
    for place, name in enumerate(names[1:], 1):
        listed = st.sets(st.sampled_from(names[:place]), max_size=2)
        previous[name] = draw(st.just([names[0]]) | listed.map(sorted))
    ranks = draw(st.permutations(range(len(names))))
    changes = st.builds(
        Change,
        st.integers(0, 30),
        st.none() | st.integers(0, 99),
        st.sampled_from(names),
        st.sampled_from(PEOPLE),
        st.sampled_from(["add", "add", "add", "exclude"]),
    )
    return Group(
        previous,
        {
            name: draw(st.sampled_from([rank, rank, None]))
            for name, rank in zip(names, ranks, strict=True)
        },
        draw(st.lists(changes, max_size=20) | st.lists(changes, min_size=20, max_size=40)),
    )


def state(group: Group, person: str, position: int) -> tuple[str, bool] | None:
    """The person's epoch after a position, and whether they are excluded from it, computed from the start."""
    known = [one for one in group.changes if one.position <= position]
    members = {
        epoch: frozenset(
            one.person_id for one in known if (one.change, one.epoch_id) == ("add", epoch)
        )
        for epoch in group.previous
    }
    declaring = [epoch for epoch in group.previous if person in members[epoch]]
    if not declaring:
        return None
    ancestry = Ancestry(group.previous)
    epoch = preferred_epoch(declaring, members, ancestry, group.key_ranks).epoch_id
    own = [one for one in known if (one.epoch_id, one.person_id) == (epoch, person)]
    last = max(own, key=lambda one: (one.position, one.change == "exclude"))
    return epoch, last.change == "exclude"


@given(groups())
def test_at_every_position_the_period_is_what_was_known_then(group: Group) -> None:
    found = list(periods(group.changes, Ancestry(group.previous), group.key_ranks))
    for person in PEOPLE:
        own = [one for one in found if one.person_id == person]
        for position in {one.position for one in group.changes}:
            at = [
                (one.epoch_id, one.is_excluded)
                for one in own
                if one.from_position <= position
                and (one.to_position is None or position < one.to_position)
            ]
            expected = state(group, person, position)
            assert at == ([expected] if expected else [])


@given(groups(), st.data())
def test_periods_have_no_gaps_and_do_not_depend_on_arrival(
    group: Group, data: st.DataObject
) -> None:
    ancestry = Ancestry(group.previous)
    found = list(periods(group.changes, ancestry, group.key_ranks))
    assert found == sorted(found, key=lambda one: (one.person_id, one.from_position))
    by_person: dict[str, list[Period]] = {}
    for one in found:
        by_person.setdefault(one.person_id, []).append(one)
    for own in by_person.values():
        for before, after in pairwise(own):
            assert before.from_position < before.to_position == after.from_position
            assert before.to_ms == after.from_ms
            assert (before.epoch_id, before.is_excluded) != (after.epoch_id, after.is_excluded)
        latest = None
        for one in own:
            times = [
                other.time_ms
                for other in group.changes
                if other.position == one.from_position and other.time_ms is not None
            ]
            if times:
                latest = min(times) if latest is None else max(latest, min(times))
            assert one.from_ms == (latest if times else None)
        assert (own[-1].to_position, own[-1].to_ms) == (None, None)
    arrived = data.draw(st.permutations(group.changes))
    assert list(periods(arrived, ancestry, group.key_ranks)) == found


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
