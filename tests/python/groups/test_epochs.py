"""Precedence, witnesses and preference of epochs: figures, rulings, oracles, answers of the library."""

from __future__ import annotations

import gzip
import json
from collections.abc import Collection, Iterator, Mapping
from functools import reduce
from itertools import combinations, permutations, product
from operator import or_
from random import Random
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import FIXTURES
from examples import are_few, share_of
from oracles import (
    missing_members_by_library,
    nearest_by_definition,
    precedence_by_steps,
    preference_by_sets,
)
from scuttlehouse.groups.ancestry import Ancestry, nearest_predecessors
from scuttlehouse.groups.epochs import (
    Preference,
    fork_rule,
    fork_winner,
    group_preferred_epoch,
    preferred_epoch,
)
from scuttlehouse.groups.witnesses import Witnesses

ANSWERS = FIXTURES / "epochs" / "answers.jsonl.gz"


class Group(NamedTuple):
    """A group as drawn in the figures. The keys rank in the order in which the epochs are written."""

    previous: dict[str, str]
    members: dict[str, frozenset[str]]

    @property
    def ancestry(self) -> Ancestry:
        return Ancestry(self.previous)

    @property
    def key_ranks(self) -> dict[str, int | None]:
        return {epoch: rank for rank, epoch in enumerate(self.members)}

    def prefers(self, person: str) -> Preference:
        declaring = [epoch for epoch, people in self.members.items() if person in people]
        return preferred_epoch(declaring, self.members, self.ancestry, self.key_ranks)

    def group_prefers(self) -> str | None:
        tips = self.ancestry.unsucceeded(self.members)
        return group_preferred_epoch(tips, self.members, self.key_ranks)

    def witnesses(self, left: str, right: str) -> str:
        return "".join(sorted(Witnesses(self.members, self.ancestry).of(left, right)))


def group(**epochs: tuple[str, str]) -> Group:
    """Epochs in the order of their keys: name = (epochs it directly succeeds, its members)."""
    return Group(
        {epoch: previous for epoch, (previous, _) in epochs.items()},
        {epoch: frozenset(people) for epoch, (_, people) in epochs.items()},
    )


# The figures of the group exclusion specification.


def test_figure_1_the_next_epoch_is_preferred() -> None:
    excluded = group(G=("", "abcd"), H=("G", "abd"))
    assert {excluded.prefers(person) for person in "abd"} == {Preference("H", "successor")}
    assert excluded.prefers("c") == Preference("G", "only")
    assert excluded.group_prefers() == "H"


def test_figure_2_same_membership() -> None:
    forked = group(X=("", "abcd"), L=("X", "abc"), R=("X", "abc"))
    assert {forked.prefers(person) for person in "abc"} == {Preference("L", "same")}
    assert forked.prefers("d") == Preference("X", "only")
    assert fork_rule(forked.members["L"], forked.members["R"]) == "same"
    assert forked.witnesses("L", "R") == "abc"
    assert forked.group_prefers() == "L"


def test_figure_3_subset_membership() -> None:
    """R has the least key here, but the subset wins."""
    forked = group(R=("X", "abc"), L=("X", "ab"), X=("", "abcd"))
    assert {forked.prefers(person) for person in "ab"} == {Preference("L", "subset")}
    assert forked.prefers("c") == Preference("R", "successor")
    assert fork_rule(forked.members["L"], forked.members["R"]) == "subset"
    assert fork_winner("L", "R", forked.members, forked.key_ranks) == "L"
    assert forked.witnesses("L", "R") == "ab"
    assert forked.group_prefers() == "L"


def test_figure_4_overlapping_membership() -> None:
    forked = group(X=("", "abcd"), L=("X", "abd"), R=("X", "abc"))
    assert {forked.prefers(person) for person in "ab"} == {Preference("L", "overlapping")}
    assert forked.prefers("c") == Preference("R", "successor")
    assert forked.prefers("d") == Preference("L", "successor")
    assert fork_rule(forked.members["L"], forked.members["R"]) == "overlapping"
    assert fork_winner("R", "L", forked.members, forked.key_ranks) == "L"
    assert forked.witnesses("L", "R") == "ab"

    repaired = group(X=("", "abcd"), L=("X", "abd"), R=("X", "abc"), L2=("L", "ab"))
    assert {repaired.prefers(person) for person in "ab"} == {Preference("L2", "subset")}
    assert repaired.group_prefers() == "L2"


def test_figure_5_disjoint_membership() -> None:
    forked = group(X=("", "abcd"), L=("X", "ab"), R=("X", "cd"))
    assert {forked.prefers(person) for person in "ab"} == {Preference("L", "successor")}
    assert {forked.prefers(person) for person in "cd"} == {Preference("R", "successor")}
    assert fork_rule(forked.members["L"], forked.members["R"]) == "disjoint"
    assert fork_winner("L", "R", forked.members, forked.key_ranks) is None
    assert forked.witnesses("L", "R") == ""
    assert forked.group_prefers() is None


def test_figure_6_members_added_to_a_disjoint_epoch() -> None:
    forked = group(X=("", "abcd"), R=("X", "abcd"), L=("X", "ab"))
    assert {forked.prefers(person) for person in "ab"} == {Preference("L", "subset")}
    assert {forked.prefers(person) for person in "cd"} == {Preference("R", "successor")}
    assert forked.witnesses("L", "R") == "ab"


def test_figure_7_the_most_preferred_epoch_is_that_of_the_remaining_members() -> None:
    excluded = group(X=("", "abc"), H=("X", "ab"))
    assert [excluded.prefers(person).epoch_id for person in "abc"] == ["H", "H", "X"]


def test_figure_9_an_added_member_is_declared_everywhere() -> None:
    added = group(X=("", "abcde"), Y=("X", "abde"))
    assert added.prefers("e") == Preference("Y", "successor")


# Precedence, nearest common predecessors and witnesses.

LINKS = st.integers(1, 8).flatmap(
    lambda count: st.tuples(
        *(
            st.sets(st.sampled_from([*"abcdefgh"[:place], "?"]), max_size=3)
            for place in range(count)
        )
    )
)


def epochs_of(links: tuple[set[str], ...]) -> dict[str, list[str]]:
    """An epoch tangle: each epoch succeeds earlier ones, or an epoch that is not in the group."""
    return {"abcdefgh"[place]: sorted(listed) for place, listed in enumerate(links)}


@given(LINKS)
def test_precedence_has_the_least_distance(links: tuple[set[str], ...]) -> None:
    previous = epochs_of(links)
    assert nearest_predecessors(previous) == precedence_by_steps(previous)


@given(LINKS, st.permutations("abcdefgh"), st.integers(1, 4))
def test_the_nearest_predecessors_are_the_first_by_distance_and_id(
    links: tuple[set[str], ...], names: list[str], most: int
) -> None:
    """The ids do not follow the order of the epochs. Each epoch lists itself, too."""
    renamed = dict(zip("abcdefgh", names, strict=True))
    previous = {
        renamed[epoch]: [renamed.get(one, one) for one in (*listed, epoch)]
        for epoch, listed in epochs_of(links).items()
    }
    assert nearest_predecessors(previous, most) == {
        epoch: dict(sorted(distances.items(), key=lambda one: one[::-1])[:most])
        for epoch, distances in precedence_by_steps(previous).items()
    }


@given(LINKS, st.dictionaries(st.sampled_from("abcdefgh"), st.integers(0, 15)))
def test_masks_are_of_all_epochs_before_or_after(
    links: tuple[set[str], ...], masks: dict[str, int]
) -> None:
    previous = epochs_of(links)
    ancestry, before = Ancestry(previous), precedence_by_steps(previous)
    assert ancestry.mask_of(previous) == (1 << len(previous)) - 1
    assert ancestry.masks_after() == {
        epoch: sum(ancestry.mask_of([other]) for other in previous if epoch in before[other])
        for epoch in previous
    }
    assert ancestry.masks_under(lambda epoch: masks.get(epoch, 0)) == {
        epoch: reduce(or_, (masks.get(one, 0) for one in {epoch, *before[epoch]}))
        for epoch in previous
    }


def test_a_long_chain_gives_the_nearest_predecessors() -> None:
    chain = {f"{one:04}": [f"{one - 1:04}"] for one in range(2_000)}
    found = nearest_predecessors(chain)
    assert found["1999"] == {f"{1999 - steps:04}": steps for steps in range(1, 101)}
    assert sum(map(len, found.values())) < 100 * len(chain)
    assert Ancestry(chain).unsucceeded(list(chain)) == ["1999"]


def test_the_nearest_predecessors_end_within_a_step() -> None:
    """Lesser ids come first."""
    wide = {"a": [], "b": [], "c": [], "m": ["c", "a", "b"], "n": ["m"]}
    assert nearest_predecessors(wide, most=2) == {
        **{root: {} for root in "abc"},
        "m": {"a": 1, "b": 1},
        "n": {"m": 1, "a": 2},
    }


def test_no_epoch_precedes_itself() -> None:
    assert nearest_predecessors({"a": ["a"], "b": ["a", "b"]}) == {"a": {}, "b": {"a": 1}}
    assert Ancestry({"a": ["a"]}).masks_after() == {"a": 0}


@given(LINKS, st.data())
def test_nearest_common_predecessors_and_witnesses(
    links: tuple[set[str], ...], data: st.DataObject
) -> None:
    previous = epochs_of(links)
    ancestry = Ancestry(previous)
    left, right = (data.draw(st.sampled_from(list(previous))) for _ in range(2))
    members = {e: data.draw(st.frozensets(st.sampled_from("pqrs"))) for e in previous}
    nearest = nearest_by_definition(left, right, precedence_by_steps(previous))
    assert ancestry.nearest_common(left, right) == ancestry.mask_of(nearest)
    assert ancestry.least_of(ancestry.mask_of(nearest)) == min(nearest, default=None)
    assert Witnesses(members, ancestry).of(left, right) == {
        person
        for person in "pqrs"
        if nearest and all(person in members[epoch] for epoch in {left, right, *nearest})
    }


@given(st.randoms(use_true_random=False))
def test_nearest_common_predecessors_of_many_epochs(dice: Random) -> None:
    """Of so many that their bits take several bytes. The ids do not follow the order of the epochs."""
    names = [f"{number:02}" for number in range(40)]
    dice.shuffle(names)
    previous: dict[str, list[str]] = {}
    ancestors: dict[str, set[str]] = {}
    for name in names:
        known = [*previous]
        listed = dice.sample(known, min(len(known), dice.choice([0, 1, 2, 2, 5])))
        previous[name] = [*listed, name, "?"]
        ancestors[name] = set(listed).union(*(ancestors[one] for one in listed))
    ancestry = Ancestry(previous)
    for _ in range(20):
        left, right = dice.choices(names, k=2)
        nearest = nearest_by_definition(left, right, ancestors)
        assert ancestry.nearest_common(left, right) == ancestry.mask_of(nearest)
        assert ancestry.least_of(ancestry.mask_of(nearest)) == min(nearest, default=None)


def test_a_criss_cross_has_several_nearest_predecessors() -> None:
    crossed = group(
        X=("", "abcd"), L=("X", "abc"), R=("X", "abd"), L2=("LR", "abcd"), R2=("LR", "abcd")
    )
    assert crossed.ancestry.nearest_common("L2", "R2") == crossed.ancestry.mask_of("LR")
    assert crossed.witnesses("L2", "R2") == "ab"


def test_in_a_chain_the_older_epoch_is_the_nearest_predecessor() -> None:
    chain = group(X=("", "abc"), Y=("X", "ab"))
    assert chain.ancestry.nearest_common("X", "Y") == chain.ancestry.mask_of("X")


def test_an_epoch_that_lists_both_forks_succeeds_both() -> None:
    """Ruling R18: the content of s4-overlap/final."""
    resolved = group(X=("", "abco"), L=("X", "abc"), R=("X", "abo"), Z=("LR", "ab"))
    assert nearest_predecessors(resolved.previous)["Z"] == {"L": 1, "R": 1, "X": 2}
    assert resolved.prefers("a") == Preference("Z", "successor")


# Preference (ruling R21).


def test_pairs_that_beat_each_other_in_a_ring() -> None:
    """R21's counter-example: A beats B (4.5), B beats C and C beats A (4.6)."""
    ring = group(B=("X", "abc"), C=("X", "ad"), A=("X", "ab"), X=("", "abcd"))
    beats = [fork_winner(*pair, ring.members, ring.key_ranks) for pair in ("AB", "BC", "CA")]
    assert beats == ["A", "B", "C"]
    for declaring in permutations("ABC"):
        answer = preferred_epoch(declaring, ring.members, ring.ancestry, ring.key_ranks)
        assert answer == Preference("C", "overlapping")
    assert ring.group_prefers() == "C"


def test_an_unknown_key_comes_last_and_then_the_id_decides() -> None:
    members = {epoch: frozenset("ab") for epoch in "KLM"}
    ancestry = Ancestry({epoch: [] for epoch in members})
    assert preferred_epoch("KLM", members, ancestry, {"K": None, "L": 7, "M": None}).epoch_id == "L"
    assert preferred_epoch("MLK", members, ancestry, dict.fromkeys("KLM")).epoch_id == "K"
    assert preferred_epoch("LM", members, ancestry, {"L": None, "M": 0}).epoch_id == "M"


def test_an_epoch_counts_once_however_often_it_is_named() -> None:
    assert (
        preferred_epoch("KK", {"K": frozenset("a")}, Ancestry({"K": []}), {"K": 0}).rule == "only"
    )


def test_nobody_has_a_preference_without_an_epoch() -> None:
    with pytest.raises(ValueError, match="A person whom no epoch declares"):
        preferred_epoch([], {}, Ancestry({}), {})
    assert group_preferred_epoch([], {}, {}) is None


def test_an_epoch_without_members_follows_the_sets() -> None:
    nobody, somebody = frozenset[str](), frozenset("a")
    assert fork_rule(nobody, nobody) == "same"
    assert fork_rule(somebody, nobody) == "subset"
    abandoned = group(X=("", "abc"), L=("X", "ab"), R=("X", "cd"), E=("X", ""))
    assert abandoned.witnesses("L", "E") == ""
    assert abandoned.prefers("a") == Preference("L", "successor")
    assert abandoned.group_prefers() == "E"


def test_disjoint_epochs_do_not_count_once_another_is_within_them() -> None:
    """If M only overlaps with the disjoint L and R, there is no answer. If M is within both, M is it."""
    assert group(L=("", "ab"), R=("", "cd"), M=("", "bc")).group_prefers() is None
    assert group(L=("", "abc"), R=("", "bcd"), M=("", "bc")).group_prefers() == "M"


class Fork(NamedTuple):
    """Up to six tips, after up to three epochs in a row, with members and keys."""

    previous: dict[str, list[str]]
    members: dict[str, frozenset[str]]
    key_ranks: dict[str, int | None]
    tips: list[str]


@st.composite
def forks(draw: st.DrawFn) -> Fork:
    chain = [f"x{number}" for number in range(draw(st.integers(0, 3)))]
    previous: dict[str, list[str]] = {
        epoch: chain[place - 1 : place] if place else [] for place, epoch in enumerate(chain)
    }
    tips = [f"t{number}" for number in range(draw(st.integers(1, 6)))]
    for tip in tips:
        previous[tip] = draw(st.lists(st.sampled_from(chain), max_size=2)) if chain else []
    people = st.frozensets(st.sampled_from("bcde"))
    members = {epoch: draw(people) | draw(st.sampled_from([{"a"}, set()])) for epoch in previous}
    known_keys = draw(st.permutations(range(len(previous))))
    key_ranks = {
        epoch: draw(st.sampled_from([rank, rank, None]))
        for epoch, rank in zip(previous, known_keys, strict=True)
    }
    return Fork(previous, members, key_ranks, tips)


def rule_by_text(
    declaring: list[str],
    members: Mapping[str, frozenset[str]],
    ancestors: Mapping[str, Collection[str]],
    answer: list[str],
) -> str:
    """The section that left the preferred epoch, found from what each section left."""
    newest = [e for e in declaring if not any(e in ancestors[other] for other in declaring)]
    if len(declaring) == 1:
        return "only"
    if len(newest) == 1:
        return "successor"
    smallest = [e for e in newest if not any(members[o] < members[e] for o in newest)]
    if len(smallest) == 1:
        return "subset"
    return "same" if len(answer) == 1 else "overlapping"


@given(forks(), st.data())
def test_preference_is_what_the_rulings_say_in_any_order(fork: Fork, data: st.DataObject) -> None:
    ancestry, ancestors = Ancestry(fork.previous), precedence_by_steps(fork.previous)
    for person in "abcde":
        declaring = [epoch for epoch in fork.members if person in fork.members[epoch]]
        if not declaring:
            continue
        left = preference_by_sets(declaring, fork.members, ancestors, fork.key_ranks)
        rule = rule_by_text(declaring, fork.members, ancestors, left)
        in_any_order = data.draw(st.permutations(declaring))
        answer = preferred_epoch(in_any_order, fork.members, ancestry, fork.key_ranks)
        assert answer == (left[0], rule)


@given(forks(), st.data())
def test_a_groups_own_preference_in_any_order(fork: Fork, data: st.DataObject) -> None:
    no_ancestors: dict[str, list[str]] = {tip: [] for tip in fork.tips}
    left = preference_by_sets(fork.tips, fork.members, no_ancestors, fork.key_ranks)
    is_split = any(not fork.members[a] & fork.members[b] for a, b in combinations(left, 2))
    tips = data.draw(st.permutations(fork.tips))
    answer = group_preferred_epoch(tips, fork.members, fork.key_ranks)
    assert answer == (None if is_split else left[0])


@given(forks())
def test_the_witnesses_of_two_epochs_prefer_the_winner(fork: Fork) -> None:
    for left, right in permutations(fork.tips, 2):
        shared = fork.members[left] & fork.members[right]
        winner = fork_winner(left, right, fork.members, fork.key_ranks)
        assert winner == fork_winner(right, left, fork.members, fork.key_ranks)
        if shared:
            no_ancestors = Ancestry({left: [], right: []})
            prefers = preferred_epoch([left, right], fork.members, no_ancestors, fork.key_ranks)
            assert prefers == (winner, fork_rule(fork.members[left], fork.members[right]))


# The answers of the publishing software for real group logs, peer by peer.


def answers() -> list[dict[str, Any]]:
    return [json.loads(line) for line in gzip.decompress(ANSWERS.read_bytes()).splitlines()]


@pytest.mark.parametrize("answer", answers(), ids=lambda a: f"{a['snapshot']}-{a['person'][-8:-1]}")
def test_the_answers_of_the_publishing_software(answer: dict[str, Any]) -> None:
    epochs = {epoch["id"]: epoch for epoch in answer["epochs"]}
    previous = {e: epoch["previous"] for e, epoch in epochs.items()}
    ancestors, ancestry = nearest_predecessors(previous), Ancestry(previous)
    members = {e: frozenset(epoch["added"]) for e, epoch in epochs.items()}
    key_ranks = {e: epoch["key_rank"] for e, epoch in epochs.items()}
    assert {e: sorted(older) for e, older in ancestors.items()} == answer["predecessors"]
    assert ancestry.unsucceeded(epochs) == answer["tips"]

    # The library takes all tips, so it prefers an epoch that its peer made but is not a member of.
    group_prefers = group_preferred_epoch(answer["tips"], members, key_ranks)
    assert group_prefers == answer["preferred"]
    declaring = [e for e in epochs if answer["person"] in members[e]]
    if answer["person"] in members[answer["preferred"]]:
        preference = preferred_epoch(declaring, members, ancestry, key_ranks)
        assert preference.epoch_id == answer["preferred"]

    added = {e: epoch["added"] for e, epoch in epochs.items()}
    to_exclude = {e: epoch["to_exclude"] for e, epoch in epochs.items()}
    missing = missing_members_by_library(added, to_exclude, ancestors)
    listed = {e: set(people) for e, people in answer["missing"].items()}
    assert {e: people for e, people in missing.items() if people} == {
        e: people for e, people in listed.items() if people
    }


def test_the_answers_include_forks_and_gaps() -> None:
    """Otherwise the test above could not fail."""
    assert sum(len(answer["tips"]) > 1 for answer in answers()) >= 6
    assert sum(any(answer["missing"].values()) for answer in answers()) >= 2


# Every group of up to four people and four forked epochs, once for all ways to name the people.

PEOPLE = "abcd"
SETS = [frozenset(people) for count in range(1, 5) for people in combinations(PEOPLE, count)]


def every_fork() -> Iterator[dict[str, frozenset[str]]]:
    """The members of up to four tips. Their names compare as their keys do."""
    renamings = []
    for names in permutations(PEOPLE):
        to = dict(zip(PEOPLE, names, strict=True))
        renamings.append(
            {people: "".join(sorted(to[person] for person in people)) for people in SETS}
        )
    for count in range(1, 5):
        for sets in product(SETS, repeat=count):
            spelled = [renamings[0][members] for members in sets]
            if all(spelled <= [renamed[members] for members in sets] for renamed in renamings):
                yield dict(zip("KLMN", sets, strict=False))


def survivors(
    epochs: frozenset[str], members: Mapping[str, frozenset[str]], keys: Mapping[str, int]
) -> frozenset[str]:
    """The epochs that may be left if the rules are applied to two epochs at a time, in any order (4.8)."""
    if len(epochs) == 1:
        return epochs
    return frozenset[str]().union(
        *(
            survivors(epochs - ({*pair} - {fork_winner(*pair, members, keys)}), members, keys)
            for pair in combinations(sorted(epochs), 2)
        )
    )


def test_all_groups_of_four_people_and_four_forked_epochs() -> None:
    """No order of arrival changes anybody's preference. If the pairs agree, it is their answer.

    If they do not, the text of 4.8 is wrong: then the order of the pairs decides (R21).
    """
    keys = {epoch: place for place, epoch in enumerate("KLMN")}
    no_ancestors = Ancestry({epoch: [] for epoch in "KLMN"})
    groups, rings = [*every_fork()], 0
    assert len(groups) == 3016
    for members in share_of(groups):
        orders = list(permutations(members))
        group_prefers = {group_preferred_epoch(order, members, keys) for order in orders}
        assert len(group_prefers) == 1, members
        for person in PEOPLE:
            orders = list(permutations(epoch for epoch in members if person in members[epoch]))
            if not orders[0]:
                continue
            prefers = {preferred_epoch(order, members, no_ancestors, keys) for order in orders}
            assert len(prefers) == 1, (members, person)
            left = survivors(frozenset(orders[0]), members, keys)
            rings += len(left) > 1
            assert prefers.pop().epoch_id in left, (members, person)
    assert rings == 90 or are_few()
