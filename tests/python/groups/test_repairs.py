"""Repairs do repair a group: every repair is published in a model of the group."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oracles import precedence_by_steps
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import contenders, fork_rule, group_preferred_epoch
from scuttlehouse.groups.repairs import Repair, merges, repairs
from scuttlehouse.groups.witnesses import Witnesses

PEOPLE = "abcdef"


@dataclass
class Exclusion:
    """Who excludes whom in which epoch, and the epoch that the author made for it (R24b)."""

    name: str
    author: str
    epoch: str
    people: frozenset[str]
    own_epoch: str | None = None


@dataclass
class Model:
    """A group: epochs with their members, and exclusions with the epochs that know of them."""

    previous: dict[str, list[str]] = field(default_factory=dict)
    members: dict[str, frozenset[str]] = field(default_factory=dict)
    creators: dict[str, str] = field(default_factory=dict)
    key_ranks: dict[str, int | None] = field(default_factory=dict)
    exclusions: list[Exclusion] = field(default_factory=list)
    ancestors: dict[str, set[str]] = field(default_factory=dict)

    @property
    def ancestry(self) -> Ancestry:
        return Ancestry(self.previous)

    @property
    def correct(self) -> dict[str, frozenset[str]]:
        """4.9 and R24."""
        before = precedence_by_steps(self.previous)
        everybody = frozenset[str]().union(*self.members.values())
        return {
            epoch: everybody.difference(
                *(
                    one.people
                    for one in self.exclusions
                    if one.name in self.ancestors[epoch] or one.own_epoch in {epoch, *before[epoch]}
                )
            )
            for epoch in self.members
        }

    @property
    def tips(self) -> list[str]:
        return self.ancestry.unsucceeded(self.members)

    def repairs(self) -> list[Repair]:
        return repairs(self.tips, self.members, self.correct, self.ancestry, self.key_ranks)

    def create(
        self, epoch: str, previous: list[str], creator: str, people: str, key: int | None
    ) -> None:
        self.previous[epoch] = previous
        self.members[epoch] = frozenset(people)
        self.creators[epoch] = creator
        self.key_ranks[epoch] = key
        self.ancestors[epoch] = set().union(*(self.ancestors[one] for one in previous))
        for one in self.exclusions:
            if one.own_epoch is None and one.author == creator and one.epoch in previous:
                one.own_epoch = epoch

    def exclude(self, author: str, epoch: str, people: str) -> None:
        name = f"m{len(self.exclusions)}"
        self.exclusions.append(Exclusion(name, author, epoch, frozenset(people)))

    def publish(self, found: list[Repair], key: int | None, sees_all: bool) -> None:
        """Publish repairs: additions first, then each new epoch, by one of its members."""
        for repair in found:
            if repair.action == "add":
                self.members[repair.epoch_id] |= {str(repair.person_id)}
        for repair in found:
            if repair.action != "create_epoch":
                continue
            base = repair.epoch_id
            out = [r.person_id for r in found if (r.epoch_id, r.action) == (base, "exclude")]
            remaining = self.members[base].difference(map(str, out))
            author = min(remaining)
            self.exclude(author, base, "".join(map(str, out)))
            self.create(f"{base}2", [base], author, "".join(remaining), key)
            if sees_all:
                self.ancestors[f"{base}2"] = {one.name for one in self.exclusions}


@st.composite
def models(draw: st.DrawFn) -> Model:
    """A group in which anybody may have excluded or added anybody, anywhere."""
    model = Model()
    keys = draw(st.permutations(range(8)))
    model.create("e0", [], "a", draw(st.sampled_from([PEOPLE, PEOPLE[:4]])), keys[0])
    for number in range(1, draw(st.integers(1, 7))):
        epochs = list(model.members)
        author = draw(st.sampled_from(PEOPLE))
        previous = sorted(draw(st.sets(st.sampled_from(epochs), min_size=1, max_size=2)))
        excluded = "".join(sorted(draw(st.sets(st.sampled_from(PEOPLE), max_size=3))))
        if draw(st.booleans()) and excluded:
            model.exclude(author, previous[0], excluded)
        people = draw(
            st.one_of(
                st.just(set().union(*(model.members[one] for one in previous)) - set(excluded)),
                st.sets(st.sampled_from(PEOPLE)),
            )
        )
        key = draw(st.sampled_from([keys[number], keys[number], None]))
        model.create(f"e{number}", previous, author, "".join(sorted(people)), key)
        known = [one.name for one in model.exclusions]
        if known:
            model.ancestors[f"e{number}"] |= draw(st.sets(st.sampled_from(known)))
    return model


@given(models(), st.sampled_from([None, -1, 100]), st.booleans())
def test_published_repairs_leave_nothing_to_repair(
    model: Model, key: int | None, sees_all: bool
) -> None:
    model.publish(model.repairs(), key, sees_all)
    assert model.repairs() == []


@given(models(), st.sampled_from([None, -1, 100]), st.booleans())
def test_published_repairs_leave_one_epoch_for_each_connected_set_of_people(
    model: Model, key: int | None, sees_all: bool
) -> None:
    """A person who should be in one of the remaining epochs should be in no other remaining epoch."""
    model.publish(model.repairs(), key, sees_all)
    correct, ancestry = model.correct, model.ancestry
    tips = [tip for tip in model.tips if model.members[tip]]
    left = contenders(tips, model.members, model.key_ranks)
    for one, other in combinations(left, 2):
        assert not Witnesses(model.members, ancestry).of(one, other)
        assert (model.members[one] & correct[one]).isdisjoint(model.members[other] & correct[other])
    if len(left) == 1:
        assert group_preferred_epoch(tips, model.members, model.key_ranks) == left[0]


@given(models())
def test_a_new_epoch_is_required_exactly_if_forks_of_complete_epochs_require_it(
    model: Model,
) -> None:
    """By the letter of 4.6: two remaining epochs that overlap and have a witness."""
    correct, ancestry = model.correct, model.ancestry
    whole = {epoch: people | correct[epoch] for epoch, people in model.members.items()}
    left = contenders([tip for tip in model.tips if whole[tip]], whole, model.key_ranks)
    asking = {
        epoch
        for pair in combinations(left, 2)
        if fork_rule(whole[pair[0]], whole[pair[1]]) == "overlapping"
        and Witnesses(whole, ancestry).of(*pair)
        for epoch in pair
    }
    found = model.repairs()
    bases = [repair.epoch_id for repair in found if repair.action == "create_epoch"]
    assert bool(bases) == bool(asking)
    assert len(bases) == len(set(bases))
    assert set(bases) <= asking
    if len(asking) == 2:
        winner = min(asking, key=left.index)
        out = {r.person_id for r in found if r.action == "exclude"}
        assert bases == [winner]
        assert whole[winner] - out == Witnesses(whole, ancestry).of(*sorted(asking))


@given(models())
def test_missing_members_are_added(model: Model) -> None:
    added = {(r.epoch_id, r.person_id) for r in model.repairs() if r.action == "add"}
    correct = model.correct
    assert added == {
        (epoch, person)
        for epoch, people in model.members.items()
        for person in correct[epoch] - people
    }


def fork(members: dict[str, str], keys: str) -> Model:
    """Epochs after X. X holds everybody."""
    model = Model()
    model.create("X", [], "a", "".join(sorted(set("".join(members.values())))), None)
    for epoch, people in members.items():
        model.create(epoch, ["X"], people[0], people, keys.index(epoch))
    # People who are not in an epoch were excluded up to it.
    for number, (epoch, people) in enumerate(members.items()):
        out = model.members["X"] - set(people)
        model.exclusions.append(Exclusion(f"m{number}", "nobody", "X", out))
        model.ancestors[epoch] = {f"m{number}"}
    return model


def described(found: list[Repair]) -> list[str]:
    return [f"{r.action} {r.epoch_id} {r.person_id or '-'}: {r.because}" for r in found]


def test_figure_4_requires_an_epoch_after_the_winner() -> None:
    assert described(fork({"L": "abd", "R": "abc"}, "LR").repairs()) == [
        "create_epoch L -: overlaps with R (4.6)",
        "exclude L d: no witness of the fork with R (4.6)",
    ]


def test_figure_5_requires_nothing() -> None:
    assert fork({"L": "ab", "R": "cd"}, "LR").repairs() == []


def test_three_that_overlap_are_merged_into_one_epoch() -> None:
    assert described(fork({"L": "abc", "R": "abd", "S": "acd"}, "LRS").repairs()) == [
        "create_epoch L -: overlaps with R S (4.6)",
        "exclude L b: no witness of the fork with R S (4.6)",
        "exclude L c: no witness of the fork with R S (4.6)",
    ]


def test_an_epoch_without_a_common_witness_is_not_merged() -> None:
    """Each two overlap, but not all three. The third stays alone, disjoint from the new epoch."""
    assert described(fork({"L": "ab", "R": "bc", "S": "ac"}, "LRS").repairs()) == [
        "create_epoch L -: overlaps with R (4.6)",
        "exclude L a: no witness of the fork with R (4.6)",
    ]


def test_an_epoch_that_is_merged_is_in_no_other_merge() -> None:
    """R overlaps with L, which comes first, and with S. The new epoch is within R, so S stays alone."""
    assert described(fork({"L": "ab", "S": "cd", "R": "bc"}, "LSR").repairs()) == [
        "create_epoch L -: overlaps with R (4.6)",
        "exclude L a: no witness of the fork with R (4.6)",
    ]


def test_an_epoch_of_which_everybody_was_excluded_decides_nothing() -> None:
    """By the letter of 4.5 its members are within all others, but nobody can prefer it."""
    model = fork({"L": "abd", "R": "abc"}, "LR")
    model.create("E", ["X"], "a", "", None)
    model.exclusions.append(Exclusion("all go", "nobody", "X", frozenset(PEOPLE)))
    model.ancestors["E"] = {"all go"}
    assert described(model.repairs()) == [
        "create_epoch L -: overlaps with R (4.6)",
        "exclude L d: no witness of the fork with R (4.6)",
    ]


@pytest.mark.parametrize(("strangers", "taken"), [(49, [["R"]]), (50, [])])
def test_a_base_looks_at_fifty_epochs_without_a_witness(
    strangers: int, taken: list[list[str]]
) -> None:
    """s was added to them after the fork, and a is a witness of the fork between L and R."""
    members = {"X": frozenset("ar"), "L": frozenset("as"), "R": frozenset("ar")}
    members |= {f"S{number}": frozenset(["s", f"p{number}"]) for number in range(strangers)}
    tips = [epoch for epoch in members if epoch != "X"]
    ranks = {"L": 0, "R": 100} | {f"S{number}": number + 1 for number in range(strangers)}
    ancestry = Ancestry({"X": []} | {tip: ["X"] for tip in tips})
    assert [rivals for _, rivals, _ in merges(tips, members, ancestry, ranks)] == taken


def test_an_existing_repair_epoch_requires_no_other() -> None:
    """L2 is within R and S, which overlap. 4.5 has already decided, so 4.6 does not apply."""
    assert fork({"L2": "a", "R": "abd", "S": "acd"}, "RSL2").repairs() == []


def test_a_fork_without_witnesses_requires_nothing() -> None:
    """Only e is a member of both. e was excluded before the fork and added again after it (4.7)."""
    model = fork({"L": "abe", "R": "cde"}, "LR")
    model.members["X"] -= {"e"}
    model.exclusions.append(Exclusion("e goes", "nobody", "X", frozenset("e")))
    for epoch in "XLR":
        model.ancestors[epoch].add("e goes")
    assert fork_rule(model.members["L"], model.members["R"]) == "overlapping"
    assert model.repairs() == []


def test_disjoint_sets_of_people_are_repaired_separately() -> None:
    found = fork({"L": "abc", "R": "abd", "S": "efg", "T": "efh"}, "LSRT").repairs()
    assert described(found) == [
        "create_epoch L -: overlaps with R (4.6)",
        "exclude L c: no witness of the fork with R (4.6)",
        "create_epoch S -: overlaps with T (4.6)",
        "exclude S g: no witness of the fork with T (4.6)",
    ]
