"""The preferences of many people at once, beside the rule for one person and one choice (R21)."""

from __future__ import annotations

from typing import NamedTuple

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.choices import KnownChoices
from scuttlehouse.groups.epochs import preferred_epoch
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.preferences import preferences
from scuttlehouse.groups.witnesses import Witnesses
from test_epochs import Fork, forks

PEOPLE = "abcde"


@given(forks())
def test_everybodys_preference_is_that_of_each_person(fork: Fork) -> None:
    ancestry = Ancestry(fork.previous)
    expected = []
    for person in PEOPLE:
        declaring = [epoch for epoch, people in fork.members.items() if person in people]
        if not declaring:
            continue
        epoch, rule = preferred_epoch(declaring, fork.members, ancestry, fork.key_ranks)
        others = [tip for tip in ancestry.unsucceeded(declaring) if tip != epoch]
        is_witness = all(
            person in Witnesses(fork.members, ancestry).of(epoch, other) for other in others
        )
        expected.append((person, epoch, rule, is_witness if others else None))
    assert preferences(fork.members, ancestry, fork.key_ranks) == expected


class Knowledge(NamedTuple):
    """Additions to the epochs of a fork, and what people know of them when they choose, one after another."""

    fork: Fork
    additions: list[GroupMessage]
    known: list[int]


@st.composite
def knowledge(draw: st.DrawFn) -> Knowledge:
    """Knowledge that grows, shrinks and comes in branches, of fewer or more additions than pairs of tips."""
    fork = draw(forks())
    additions = []
    for epoch in Ancestry(fork.previous).in_order():
        people = st.sampled_from(sorted(fork.members[epoch] or "a"))
        for added in draw(st.lists(st.lists(people, min_size=1, max_size=2), max_size=8)):
            name = f"m{len(additions)}"
            additions.append(
                GroupMessage(name, "", "add", epoch, added, (), (), (), True, False, None, 0)
            )
    everything = (1 << len(additions)) - 1
    few = st.integers(0, everything)
    many = few.map(lambda unknown: everything ^ unknown)
    return Knowledge(fork, additions, draw(st.lists(few | many, min_size=1, max_size=6)))


@given(knowledge())
def test_a_choice_is_the_preference_among_what_is_known(case: Knowledge) -> None:
    ancestry = Ancestry(case.fork.previous)
    choices = KnownChoices(case.additions, ancestry, case.fork.key_ranks)
    for known in case.known:
        bits = 0
        members: dict[str, set[str]] = {epoch: set() for epoch in case.fork.previous}
        for place, addition in enumerate(case.additions):
            if known >> place & 1:
                bits |= choices.bits_of(addition.message_id)
                members[addition.epoch_id or ""].update(addition.person_ids)
        frozen = {epoch: frozenset(people) for epoch, people in members.items()}
        for person in PEOPLE:
            declaring = [epoch for epoch, people in frozen.items() if person in people]
            expected = (
                preferred_epoch(declaring, frozen, ancestry, case.fork.key_ranks).epoch_id
                if declaring
                else None
            )
            assert choices.preferred(person, bits) == expected
