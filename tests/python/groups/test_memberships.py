"""The periods of memberships, compared with what was known at each position of the timeline."""

from __future__ import annotations

import random
from itertools import groupby, pairwise, product
from operator import attrgetter
from typing import NamedTuple

import pytest

from group_histories import History
from group_oracle import Oracle
from scuttlehouse.groups import growing_choices
from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import preferred_epoch
from scuttlehouse.groups.memberships import Change, Period, periods, places_of
from test_exclusions import ADD, EXCLUDE, Log
from test_group_histories import CHUNKS, Answers, seeds

EPOCHS = {"w": [], "x": ["w"], "y": ["w"], "z": ["x", "y"]}
ANCESTRY = Ancestry(EPOCHS)
KEY_RANKS = {"w": 3, "x": 2, "y": 1, "z": None}

PEOPLE = "abcd"
PERSON = attrgetter("person_id")


class Group(NamedTuple):
    previous: dict[str, list[str]]
    key_ranks: dict[str, int | None]
    changes: list[Change]


def random_group(seed: int) -> Group:
    """Few people in forked epochs, so that epochs come to hold each other's members again and again."""
    dice = random.Random(seed)
    names = "stuvw"[: dice.randint(2, 5)]
    previous: dict[str, list[str]] = {names[0]: []}
    for place, name in enumerate(names[1:], 1):
        is_forked = dice.random() < 0.7
        previous[name] = [names[0]] if is_forked else sorted({*dice.choices(names[:place], k=2)})
    people = PEOPLE[: dice.randint(2, len(PEOPLE))]
    changes = [
        Change(
            position,
            dice.randrange(4),
            dice.choice([None, *range(9)]),
            dice.choice([None, *range(9)]),
            dice.choice(names[-3:]),
            dice.choice(people),
            "exclude" if dice.random() < 0.15 else "add",
        )
        for position in range(dice.randint(0, 16))
        for _ in range(dice.choice([0, 1, 1, 1, 2, 3]))
    ]
    ranks = dice.sample(range(len(names)), len(names))
    return Group(
        previous,
        {
            name: rank if dice.random() < 0.8 else None
            for name, rank in zip(names, ranks, strict=True)
        },
        changes,
    )


def in_order(one: Change) -> tuple[object, ...]:
    """Concurrent changes outside the timeline are ordered by what their authors have signed, exclusions last.

    When a message was received decides nothing: any log can claim to have received it earlier.
    """
    time = (one.asserted_ms is None, one.asserted_ms or 0)
    return (one.position, one.causal_rank, time, one.change == "exclude")


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
    last = max(own, key=in_order)
    return epoch, last.change == "exclude"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_at_every_position_the_period_is_what_was_known_then(chunk: int) -> None:
    for seed in seeds(chunk):
        group = random_group(seed)
        found = list(periods(group.changes, Ancestry(group.previous), group.key_ranks))
        for person, position in product(PEOPLE, {one.position for one in group.changes}):
            at = [
                (one.epoch_id, one.is_excluded)
                for one in found
                if one.person_id == person
                and one.from_position <= position
                and (one.to_position is None or position < one.to_position)
            ]
            expected = state(group, person, position)
            assert at == ([expected] if expected else []), f"seed {seed}, {person} at {position}"


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_periods_have_no_gaps_and_do_not_depend_on_arrival(chunk: int) -> None:
    for seed in seeds(chunk):
        group = random_group(seed)
        ancestry = Ancestry(group.previous)
        found = sorted(periods(group.changes, ancestry, group.key_ranks), key=PERSON)
        for _, periods_of_person in groupby(found, PERSON):
            own = list(periods_of_person)
            for before, after in pairwise(own):
                assert before.from_position < before.to_position == after.from_position
                assert before.to_ms == after.from_ms
                assert (before.epoch_id, before.is_excluded) != (after.epoch_id, after.is_excluded)
            assert [one.from_ms for one in own] == times_of(own, group.changes), f"seed {seed}"
            assert (own[-1].to_position, own[-1].to_ms) == (None, None)
        arrived = random.Random(seed).sample(group.changes, len(group.changes))
        again = sorted(periods(arrived, ancestry, group.key_ranks), key=PERSON)
        assert again == found


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_own_changes_and_the_end_are_right_where_turns_are_untold(
    chunk: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in seeds(chunk):
        monkeypatch.setattr(growing_choices, "MOST_TURNS", seed % 3)
        group = random_group(seed)
        found = sorted(
            periods(group.changes, Ancestry(group.previous), group.key_ranks), key=PERSON
        )
        for person, periods_of_person in groupby(found, PERSON):
            own = list(periods_of_person)
            for before, after in pairwise(own):
                assert before.from_position < before.to_position == after.from_position
                assert before[1:3] != after[1:3]
            told = {one.position for one in group.changes if one.person_id == person}
            for position in told | {max(one.position for one in group.changes)}:
                at = [
                    (one.epoch_id, one.is_excluded)
                    for one in own
                    if one.from_position <= position
                    and (one.to_position is None or position < one.to_position)
                ]
                expected = state(group, person, position)
                assert at == ([expected] if expected else []), f"seed {seed}, {person}"


def times_of(own: list[Period], changes: list[Change]) -> list[int | None]:
    """The least time at the first position of each period, but never before the period before.

    A change of the person in the epoch tells it, if there is one.
    """
    found: list[int | None] = []
    for period in own:
        at = [one for one in changes if one.position == period.from_position]
        state = (period.epoch_id, period.person_id)
        of_person = [one for one in at if (one.epoch_id, one.person_id) == state]
        told = [one.time_ms for one in of_person or at if one.time_ms is not None]
        before = [time for time in found if time is not None]
        found.append(max([min(told), *before]) if told else None)
    return found


def test_excluded_and_added_again() -> None:
    changes = [
        Change(1, 1, 100, 100, "w", "a", "add"),
        Change(4, 4, None, None, "w", "a", "exclude"),
        Change(7, 7, 700, 700, "w", "a", "add"),
        Change(8, 8, 800, 800, "x", "a", "add"),
    ]
    assert sorted(periods(changes, ANCESTRY, KEY_RANKS), key=PERSON) == [
        Period("a", "w", False, 1, 100, 4, None),
        Period("a", "w", True, 4, None, 7, 700),
        Period("a", "w", False, 7, 700, 8, 800),
        Period("a", "x", False, 8, 800, None, None),
    ]


def test_outside_the_timeline_what_a_message_knows_of_comes_before_it() -> None:
    """Everything after a missing message is at one position."""
    changes = [
        Change(1, 1, 100, 100, "w", "a", "add"),
        Change(5, 3, 700, 700, "w", "a", "add"),
        Change(5, 2, 400, 400, "w", "a", "exclude"),
        Change(5, 4, 800, 800, "w", "b", "add"),
        Change(5, 5, 900, 900, "w", "b", "exclude"),
        Change(5, 1, None, None, "x", "c", "add"),
    ]
    assert sorted(periods(changes, ANCESTRY, KEY_RANKS), key=PERSON) == [
        Period("a", "w", False, 1, 100, None, None),
        Period("b", "w", True, 5, 800, None, None),
        Period("c", "x", False, 5, None, None, None),
    ]


@pytest.mark.parametrize(
    ("added", "excluded", "is_excluded"),
    [
        (1, 2, True),
        (2, 1, False),
        (1, None, True),
        (None, 1, False),
        (1, 1, True),
        (None, None, True),
    ],
)
def test_of_two_changes_that_do_not_know_of_each_other_the_later_one_counts(
    added: int | None, excluded: int | None, is_excluded: bool
) -> None:
    """By the time that its author says; one without comes last. At one time, nobody is let in."""
    first = Change(1, 1, 5, 0, "w", "a", "add")
    changes = [
        first,
        first._replace(position=2, causal_rank=2, asserted_ms=added),
        first._replace(position=2, causal_rank=2, asserted_ms=excluded, change="exclude"),
    ]
    for given in (changes, changes[::-1]):
        *_, last = periods(given, ANCESTRY, KEY_RANKS)
        assert last.is_excluded == is_excluded


def test_another_member_may_move_everybody() -> None:
    """Y wins by its key until c is added to it. Then X is within Y (4.5)."""
    changes = [
        *(Change(1, 1, 1, 1, "x", person, "add") for person in "ab"),
        *(Change(2, 2, 2, 2, "y", person, "add") for person in "ab"),
        Change(3, 3, 3, 3, "y", "c", "add"),
    ]
    found = [one for one in periods(changes, ANCESTRY, KEY_RANKS) if one.person_id == "a"]
    assert [(one.epoch_id, one.from_position) for one in found] == [("x", 1), ("y", 2), ("x", 3)]


def test_two_epochs_with_the_same_members_until_one_has_another() -> None:
    """X has the least key and wins while both hold only a. With b in it, Y is within X (4.5)."""
    keys = {"w": 2, "x": 0, "y": 1, "z": 3}
    changes = [
        Change(1, 1, 1, 1, "x", "a", "add"),
        Change(2, 2, 2, 2, "y", "a", "add"),
        Change(3, 3, 3, 3, "x", "b", "add"),
    ]
    found = [one for one in periods(changes, ANCESTRY, keys) if one.person_id == "a"]
    assert [(one.epoch_id, one.from_position) for one in found] == [("x", 1), ("y", 3)]


@pytest.mark.parametrize("keys", ["xyz", "zxy"])
def test_an_epoch_within_another_comes_to_be_within_a_third(keys: str) -> None:
    """Y is within Z all the time. X has a lesser key than Y, and wins until Y is within it (4.5)."""
    flat = Ancestry({"w": [], "x": ["w"], "y": ["w"], "z": ["w"]})
    members = {"z": "abc", "y": "ab", "x": "ac"}
    changes = [
        Change(1, 1, 1, 1, epoch, person, "add")
        for epoch, people in members.items()
        for person in people
    ]
    changes.append(Change(2, 2, 2, 2, "x", "b", "add"))
    found = periods(changes, flat, {"w": 3} | {key: rank for rank, key in enumerate(keys)})
    own = [one for one in found if one.person_id == "a"]
    assert [(one.epoch_id, one.from_position) for one in own] == [("x", 1), ("y", 2)]


def test_a_choice_that_nobody_had_for_a_while() -> None:
    """Until a leaves for Z, a has a choice between X and Y. What c does in between counts when b has it."""
    keys = {"w": 3, "x": 0, "y": 1, "z": 2}
    changes = [
        *(Change(1, 1, 1, 1, epoch, "a", "add") for epoch in "xy"),
        Change(2, 2, 2, 2, "z", "a", "add"),
        Change(3, 3, 3, 3, "x", "c", "add"),
        Change(4, 4, 4, 4, "x", "b", "add"),
        Change(5, 5, 5, 5, "y", "b", "add"),
        Change(6, 6, 6, 6, "y", "d", "add"),
        Change(7, 7, 7, 7, "x", "d", "add"),
        Change(8, 8, 8, 8, "y", "e", "add"),
        Change(9, 9, 9, 9, "x", "e", "add"),
    ]
    found = [one for one in periods(changes, ANCESTRY, keys) if one.person_id == "b"]
    assert [(one.epoch_id, one.from_position) for one in found] == [
        ("x", 4),
        ("y", 5),
        ("x", 6),
        ("y", 7),
        ("x", 8),
        ("y", 9),
    ]


def periods_of(person: str, answers: Answers) -> list[tuple[str, bool, int]]:
    """The epoch of each period, whether the person is excluded from it, and where it begins."""
    places = places_of(answers.messages, answers.judged)
    changes = [
        Change(
            places[one.message_id],
            answers.judged.ranks[one.message_id],
            one.asserted_ms,
            one.asserted_ms,
            one.epoch_id or "",
            each,
            one.kind,
        )
        for one in answers.messages
        if one.kind in ("add", "exclude") and one.message_id in answers.judged.counting
        for each in one.person_ids
    ]
    found = periods(changes, answers.ancestry, answers.key_ranks)
    return [
        (one.epoch_id, one.is_excluded, one.from_position)
        for one in found
        if one.person_id == person
    ]


def test_who_knows_of_an_exclusion_by_the_members_tangle_alone_adds_after_it() -> None:
    """The exclusion lists a post that nobody has, so it is not in the timeline. The addition is (4.10)."""
    log = Log("abc")
    log.exclude("-c", "a", "c", "X+ lost")
    group, members = ({"root": "X", "previous": [one]} for one in ("X+", "-c"))
    log.say("+c", "b", ADD, {"group": group, "members": members}, "c")
    answers = log.answers()
    assert periods_of("c", answers) == [("X", False, 1)]
    assert answers.known.readded == {"+c": ["c"]}


def test_a_strangers_message_moves_no_exclusion() -> None:
    """It knows of the exclusion, which is in no timeline. b adds c without knowing of the exclusion."""
    log = Log("abc")
    log.say("-c", "a", EXCLUDE, {"members": {"root": "X", "previous": ["X+"]}}, "c")
    log.add("+c", "b", "c", "X+")
    group, members = ({"root": "X", "previous": [one]} for one in ("X", "-c"))
    log.say("-a", "y", EXCLUDE, {"group": group, "members": members}, "a")
    answers = log.answers()
    assert answers.judged.authority["-a"] is False
    assert periods_of("c", answers) == [("X", False, 2), ("X", True, 4)]


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_a_message_is_known_from_the_first_act_that_knows_of_it(chunk: int) -> None:
    for seed in seeds(chunk):
        history = History(seed, is_forged=seed % 2 == 1)
        answers, oracle = Answers(history.log, history.root), Oracle(history.log, history.root)
        own = {one.message_id: one.position for one in answers.messages}
        assert places_of(answers.messages, answers.judged) == {
            one: min(
                [place, *(own[act] for act in answers.judged.counting if one in oracle.past(act))]
            )
            for one, place in own.items()
        }, f"seed {seed}"
