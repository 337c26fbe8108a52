"""Past and present forks, compared epoch by epoch with the description of fct_epoch_forks."""

from __future__ import annotations

from itertools import combinations
from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from oracles import nearest_by_definition, precedence_by_steps
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import fork_rule, fork_winner
from scuttlehouse.groups.forks import Fork, forks
from scuttlehouse.groups.witnesses import Witnesses

NAMES = "hgfedcba"


class Group(NamedTuple):
    previous: dict[str, list[str]]
    members: dict[str, frozenset[str]]
    key_ranks: dict[str, int | None]
    beginnings: dict[str, tuple[int, int | None]]


@st.composite
def groups(draw: st.DrawFn) -> Group:
    names = NAMES[: draw(st.integers(1, 8))]
    previous: dict[str, list[str]] = {names[0]: []}
    for place, name in enumerate(names[1:], 1):
        previous[name] = sorted(
            draw(st.sets(st.sampled_from(names[:place]), min_size=1, max_size=2))
        )
    people = st.frozensets(st.sampled_from("pqr"))
    times = st.tuples(st.integers(0, 5), st.none() | st.integers(0, 9))
    return Group(
        previous,
        {name: draw(people) for name in names},
        {name: draw(st.none() | st.integers(0, 9)) for name in names},
        {name: draw(times) for name in names},
    )


def in_time(group: Group) -> list[str]:
    """The epochs by position and id. Each comes after those that it succeeds."""
    order: list[str] = []
    while len(order) < len(group.previous):
        free = [
            e for e in group.previous if e not in order and set(group.previous[e]) <= set(order)
        ]
        order.append(min(free, key=lambda e: (group.beginnings[e][0], e)))
    return order


def undecided(tips: list[str], group: Group) -> set[str]:
    """The tips with members that lose to no other one by 4.5 and 4.4, pair by pair."""
    tips = [tip for tip in tips if group.members[tip]]
    lost = set()
    for pair in combinations(tips, 2):
        if fork_rule(*(group.members[tip] for tip in pair)) in ("subset", "same"):
            lost |= {*pair} - {fork_winner(*pair, group.members, group.key_ranks)}
    return {*tips} - lost


@given(groups())
def test_forks_are_pairs_that_were_newest_at_the_same_time(group: Group) -> None:
    ancestry, order = Ancestry(group.previous), in_time(group)
    before = precedence_by_steps(group.previous)
    expected: dict[tuple[str, str], str | None] = {}
    for count in range(1, len(order) + 1):
        known = order[:count]
        for pair in combinations(sorted(ancestry.unsucceeded(known)), 2):
            expected[pair] = None
    for left, right in expected:
        for epoch in order:
            both = group.members[left] & group.members[right]
            succeeds_both = before[epoch].keys() >= {left, right}
            is_within = bool(group.members[epoch]) and group.members[epoch] <= both
            follows_one = {left, right} & set(group.previous[epoch])
            if expected[left, right] is None and (succeeds_both or (follows_one and is_within)):
                expected[left, right] = epoch
    found = list(forks(*group))
    assert {
        (one.left_epoch_id, one.right_epoch_id): one.healed_by_epoch_id for one in found
    } == expected
    assert len(found) == len(expected)
    newest = ancestry.unsucceeded(list(group.previous))
    for one in found:
        left, right = one.left_epoch_id, one.right_epoch_id
        members = group.members
        nearest = nearest_by_definition(left, right, before)
        assert one.nearest_epoch_id == min(nearest, default=None)
        assert one.is_criss_cross == (len(nearest) > 1)
        assert one.is_current == ({left, right} <= set(newest))
        assert one.rule == fork_rule(members[left], members[right])
        assert one.winner_epoch_id == fork_winner(left, right, members, group.key_ranks)
        assert {one.winner_epoch_id, one.loser_epoch_id} in ({left, right}, {None})
        assert one.witness_ids == sorted(Witnesses(members, ancestry).of(left, right))
        times = [
            t for t in (group.beginnings[left][1], group.beginnings[right][1]) if t is not None
        ]
        assert one.began_ms == (max(times) if times else None)
        assert one.needs_repair == (
            one.is_current
            and one.rule == "overlapping"
            and bool(one.witness_ids)
            and {left, right} <= undecided(newest, group)
        )


def described(found: list[Fork]) -> dict[str, str]:
    return {
        f"{one.left_epoch_id} {one.right_epoch_id}": " ".join(
            [one.rule, *["now"] * one.is_current, *["repair"] * one.needs_repair]
            + [f"healed by {one.healed_by_epoch_id}"] * bool(one.healed_by_epoch_id)
        )
        for one in found
    }


def group(**epochs: tuple[str | list[str], str]) -> Group:
    """Epochs in the order of their keys and of time: name = (epochs it directly succeeds, its members)."""
    places = {epoch: place for place, epoch in enumerate(epochs)}
    return Group(
        {epoch: list(previous) for epoch, (previous, _) in epochs.items()},
        {epoch: frozenset(people) for epoch, (_, people) in epochs.items()},
        dict(places),
        {epoch: (place, place) for epoch, place in places.items()},
    )


def test_figure_4_before_and_after_somebody_healed_it() -> None:
    forked = group(X=("", "abcd"), L=("X", "abd"), R=("X", "abc"))
    assert described(list(forks(*forked))) == {"L R": "overlapping now repair"}
    healed = group(X=("", "abcd"), L=("X", "abd"), R=("X", "abc"), M=("L", "ab"))
    assert described(list(forks(*healed))) == {
        "L R": "overlapping healed by M",
        "M R": "subset now",
    }


def test_a_fork_is_healed_by_an_epoch_after_both() -> None:
    joined = group(X=("", "ab"), L=("X", "a"), R=("X", "ab"), M=("R", "ab"), N=("LM", "ab"))
    assert described(list(forks(*joined))) == {
        "L R": "subset healed by N",
        "L M": "subset healed by N",
    }


def test_the_first_epoch_after_both_heals_a_fork() -> None:
    """M follows neither directly."""
    joined = group(
        X=("", "ab"),
        L=("X", "a"),
        R=("X", "ab"),
        L2=("L", "ab"),
        R2=("R", "abc"),
        M=(["L2", "R2"], "ab"),
        N=("M", "a"),
    )
    assert described(list(forks(*joined)))["L R"] == "subset healed by M"


def test_an_epoch_without_members_leaves_a_fork_to_repair() -> None:
    """By the letter of 4.5 it wins, but such a fork has no witness."""
    empty = group(X=("", "abcd"), E=("X", ""), L=("X", "abd"), R=("X", "abc"))
    assert described(list(forks(*empty))) == {
        "E L": "subset now",
        "E R": "subset now",
        "L R": "overlapping now repair",
    }


def test_a_fork_whose_witness_was_added_later_is_not_repaired() -> None:
    """Only c is in both, and c is not in X: there is no witness (4.7)."""
    added = group(X=("", "abd"), L=("X", "ac"), R=("X", "bc"))
    assert described(list(forks(*added))) == {"L R": "overlapping now"}


def test_a_criss_cross_has_the_least_of_its_nearest_epochs() -> None:
    crossed = group(
        X=("", "ab"), L=("X", "ab"), R=("X", "ab"), M=("RL", "ab"), N=("LR", "ab"), O=("X", "ab")
    )
    found = {f"{one.left_epoch_id} {one.right_epoch_id}": one for one in forks(*crossed)}
    assert (found["M N"].nearest_epoch_id, found["M N"].is_criss_cross) == ("L", True)
    assert (found["M O"].nearest_epoch_id, found["M O"].is_criss_cross) == ("X", False)


def test_a_fork_continues_with_later_epochs() -> None:
    """R2 has a member who is not in L, so nothing is decided."""
    going_on = group(X=("", "abc"), L=("X", "ab"), R=("X", "abc"), S=("R", "bc"))
    assert described(list(forks(*going_on))) == {"L R": "subset", "L S": "overlapping now repair"}


def test_an_epoch_without_members_heals_nothing() -> None:
    empty = group(X=("", "abc"), L=("X", "ab"), R=("X", "ac"), S=("R", ""))
    assert described(list(forks(*empty)))["L R"] == "overlapping"


def test_epochs_that_are_still_newest_are_paired_however_many_there_were() -> None:
    """H ends 60 of 61 rivals of B. The fork of A and B had no row, which stopped every build."""
    many = [f"r{number:02}" for number in range(60)]
    previous = {"X": [], **{one: ["X"] for one in [*many, "A", "B"]}, "H": many}
    members = {epoch: frozenset("ab") for epoch in previous}
    members |= {"A": frozenset("acd"), "B": frozenset("ade"), "X": frozenset("abcde")}
    keys = {epoch: place for place, epoch in enumerate([*many, "X", "A", "B", "H"])}
    beginnings = {epoch: (place, None) for place, epoch in enumerate(previous)}
    found = list(forks(previous, members, keys, beginnings))
    current = {(one.left_epoch_id, one.right_epoch_id): one.rule for one in found if one.is_current}
    assert current == {
        ("A", "B"): "overlapping",
        ("A", "H"): "overlapping",
        ("B", "H"): "overlapping",
    }
    pairs = [(one.left_epoch_id, one.right_epoch_id) for one in found]
    assert len(pairs) == len({*pairs})
