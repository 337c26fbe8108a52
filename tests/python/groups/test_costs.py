"""Work grows with the size of a group, not with its square: counted in calls of functions, not in time.

Where the answer itself may be as large as a square, a bound stands in its place, and is told in the docs.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from operator import attrgetter
from types import FrameType
from typing import Any

import pytest

from memory import peak_memory
from scuttlehouse.groups import authority, member_bits
from scuttlehouse.groups.ancestry import MOST_PREDECESSORS, Ancestry, nearest_predecessors
from scuttlehouse.groups.authority import judge
from scuttlehouse.groups.choices import KnownChoices
from scuttlehouse.groups.epochs import group_preferred_epoch
from scuttlehouse.groups.exclusions import FREE_MEMBERSHIPS, MEMBERSHIPS_PER_MESSAGE, knowledge
from scuttlehouse.groups.forks import forks
from scuttlehouse.groups.growing_choices import MOST_TURNS
from scuttlehouse.groups.memberships import Change, Period, periods
from scuttlehouse.groups.messages import GroupMessage, Kind, known_directly
from scuttlehouse.groups.peers import Listed, seen
from scuttlehouse.groups.preferences import preferences
from scuttlehouse.groups.repairs import repairs
from scuttlehouse.groups.tips import Written, left_out_tips, no_tips
from scuttlehouse.pzp.accounts import AccountMessage, powers_of
from scuttlehouse.sets.items import SetMessage
from scuttlehouse.sets.rules import left_deletions, unsuperseded
from scuttlehouse.tangles.causality import bits_of, mask_of, sweep

pytestmark = pytest.mark.costs

SMALL, LARGE = 100, 400
EPOCH = attrgetter("epoch_id")


class Walked(frozenset[str]):
    """A set whose every visited element counts as a call."""

    def __iter__(self) -> Iterator[str]:
        yield from super().__iter__()


class Line:
    """A group whose messages each know all before them, by one person."""

    def __init__(self) -> None:
        self.messages: list[GroupMessage] = []

    def say(self, kind: Kind, epoch: str | None, *people: str, after: str | None = None) -> str:
        name, place = f"{kind}{len(self.messages):06}", len(self.messages)
        before = [self.messages[-1].message_id] if self.messages else []
        previous = [after] if after else []
        self.messages.append(
            GroupMessage(
                name, "a", kind, epoch, people, before, before, previous, True, False, place, place
            )
        )
        return name


def exclusions_then_additions(size: int) -> list[GroupMessage]:
    line = Line()
    root = line.say("init", None)
    for kind in ("exclude", "add"):
        for number in range(size):
            line.say(kind, root, f"p{number}")
    return line.messages


def posts_by_somebody_with_a_choice(size: int) -> list[GroupMessage]:
    """Each post knows of one addition more to one of two epochs that its author is in."""
    line = Line()
    root = line.say("init", None)
    here, there = (line.say("init", None, after=root) for _ in range(2))
    for epoch, other in ((here, "b"), (there, "c")):
        line.say("add", epoch, "a", other)
    for number in range(size):
        line.say("add", here, *(f"p{number} {place}" for place in range(5)))
        line.say("other", here)
    return line.messages


def posts_in_many_forks(size: int, *, side_by_side: bool = False) -> list[GroupMessage]:
    """Their author is added to one fork after another. Then each post knows of a stranger in one of them.

    All posts know of the additions before them, or, side by side, each only of its own stranger.
    """
    line = Line()
    root = line.say("init", None)
    forks = [line.say("init", None, after=root) for _ in range(size)]
    for number, fork in enumerate(forks):
        line.say("add", fork, "a", f"p{number}")
        line.say("other", fork)
    joint = line.messages[-1].message_id
    for number, fork in enumerate(forks):
        line.say("add", fork, f"q{number}")
        if side_by_side:
            known = line.messages[-1]._replace(previous_ids=[joint], timeline_previous_ids=[joint])
            line.messages[-1] = known
        line.say("other", fork)
    return line.messages


def chain_of_epochs(size: int) -> list[GroupMessage]:
    """Each has posts, and excludes somebody whom nobody added."""
    line = Line()
    epoch = line.say("init", None)
    for number in range(size):
        line.say("add", epoch, "a", "b")
        line.say("other", epoch)
        line.say("exclude", epoch, f"q{number}")
        epoch = line.say("init", None, after=epoch)
    return line.messages


def epochs_side_by_side(size: int) -> list[GroupMessage]:
    """All after the first one, each with an exclusion of somebody whom nobody added."""
    line = Line()
    root = line.say("init", None)
    for number in range(size):
        line.say("exclude", root, f"q{number}")
        line.say("add", line.say("init", None, after=root), "a", f"p{number}")
    return line.messages


def epochs_of_excluded_people(size: int) -> list[GroupMessage]:
    """Many people are excluded, and then many epochs follow each other."""
    line = Line()
    epoch = line.say("init", None)
    people = [f"p{number}" for number in range(size)]
    line.say("add", epoch, "a", *people)
    line.say("exclude", epoch, *people)
    for _ in range(size):
        epoch = line.say("init", None, after=epoch)
        line.say("add", epoch, "a", "p0")
    return line.messages


def acts_of_one_author(size: int) -> list[GroupMessage]:
    """Exclusions side by side, the latest id first in time, then epochs that know of all of them."""

    def act(name: str, kind: Kind, epoch: str | None, time: int, *previous: str) -> GroupMessage:
        before = ["x"] if name[0] == "y" else []
        return GroupMessage(
            name, "a", kind, epoch, ["b"], previous, previous, before, True, False, time, time
        )

    first = [act(f"e{place:03}", "exclude", "x", 2 * size - place, "x") for place in range(size)]
    joint = act("j", "other", None, 2 * size, *(one.message_id for one in first))
    last = [act(f"y{place:03}", "init", None, 3 * size + place, "j") for place in range(size)]
    return [act("x", "init", None, 0), *first, joint, *last]


def wide_layers(size: int) -> dict[str, Walked]:
    """Epochs after fifty epochs that follow all epochs of a wide layer."""
    first = dict.fromkeys([f"f{place}" for place in range(size)], Walked("x"))
    joint = dict.fromkeys([f"j{place}" for place in range(50)], Walked(first))
    last = dict.fromkeys([f"l{place}" for place in range(size)], Walked(joint))
    return {"x": Walked(), **first, **joint, **last}


def forked(size: int, *shared: str) -> tuple[dict[str, list[str]], dict[str, frozenset[str]]]:
    """Epochs after x that share these people, who are not in x; each has somebody of its own."""
    names = [f"e{number:05}" for number in range(size)]
    members = {name: frozenset({name.upper(), *shared}) for name in names}
    return {"x": [], **{name: ["x"] for name in names}}, {"x": frozenset("a"), **members}


def mend(size: int, *shared: str) -> None:
    previous, members = forked(size, *shared)
    repairs(list(members)[1:], members, members, Ancestry(previous), {})


def beside_a_large_epoch(size: int) -> tuple[dict[str, list[str]], list[Change]]:
    """Each epoch beside x has one member, who is in x, too. Then strangers are added to x, few at a time."""
    names = [f"e{number:05}" for number in range(size)]
    changes = [
        Change(place, place, place, place, epoch, name.upper(), "add")
        for place, name in enumerate(names)
        for epoch in ("x", name)
    ]
    changes += [
        Change(size + place, place, size + place, size + place, "x", f"{name} {number}", "add")
        for place, name in enumerate(names)
        for number in range(5)
    ]
    return {"w": [], "x": ["w"], **{name: ["w"] for name in names}}, changes


def follow(size: int) -> None:
    previous, changes = beside_a_large_epoch(size)
    list(periods(changes, Ancestry(previous), {}))


def join_forks(size: int, *, first: bool) -> None:
    """Two people join one fork after another, before or after all others. The last fork has only them."""
    previous, members = forked(size)
    strangers = [(fork, who) for fork, people in members.items() if fork != "x" for who in people]
    both = [(fork, who) for fork, _ in strangers for who in "ab"]
    added = [*both, *strangers[:-1]] if first else [*strangers[:-1], *both]
    changes = [Change(place, place, place, place, *one, "add") for place, one in enumerate(added)]
    list(periods(changes, Ancestry(previous), {}))


def choose(size: int) -> None:
    previous, changes = beside_a_large_epoch(size)
    members = {
        epoch: Walked(one.person_id for one in own)
        for epoch, own in groupby(sorted(changes, key=EPOCH), EPOCH)
    }
    preferences({"w": frozenset(), **members}, Ancestry(previous), {})


def pair(size: int) -> None:
    previous, members = forked(size, "p")
    beginnings = {epoch: (place, None) for place, epoch in enumerate(previous)}
    list(forks(previous, members, {}, beginnings))


def heal(size: int) -> None:
    """An epoch is forked from each of a chain, and then each of another chain directly succeeds it."""
    chain = {f"r{place}": [f"r{place - 1}" if place else "x"] for place in range(size)}
    later = {f"s{place}": ["e", f"s{place - 1}"] if place else ["e"] for place in range(size)}
    previous = {"x": [], "e": ["x"], **chain, **later}
    members = {epoch: frozenset({"p", epoch[0]}) for epoch in previous}
    members |= dict.fromkeys(later, frozenset("e"))
    beginnings = {epoch: (place, None) for place, epoch in enumerate(previous)}
    list(forks(previous, members, {}, beginnings))


def pair_over_a_criss_cross(size: int) -> None:
    """Two sorts of epochs, each after an epoch that follows the same ones. Everybody is in all of them."""
    first = {f"f{place}": ["x"] for place in range(size)}
    left = {f"l{place}": ["j"] for place in range(10)}
    right = {f"r{place}": ["k"] for place in range(size)}
    previous = {"x": [], **first, "j": [*first], "k": [*first], **left, **right}
    beginnings = {epoch: (place, None) for place, epoch in enumerate(previous)}
    key_ranks = {epoch: place for place, epoch in enumerate([*left, *right])}
    list(forks(previous, dict.fromkeys(previous, frozenset("a")), key_ranks, beginnings))


def prefer(size: int) -> None:
    _, members = forked(size, "p")
    group_preferred_epoch(list(members)[1:], members, {})


def know(messages: list[GroupMessage], most: int | None = None) -> None:
    knowledge(messages, judge(messages), most=most)


def list_what_is_no_tip(size: int) -> None:
    """Each message lists the one before it, and one that the author has listed long ago."""
    messages = exclusions_then_additions(size)
    names = [one.message_id for one in messages]
    for number, one in enumerate(messages):
        listed = [*one.previous_ids, *names[number // 2 : number // 2 + 1]] if number > 2 else []
        messages[number] = one._replace(previous_ids=listed, timeline_previous_ids=listed)
    no_tips(messages, {})


def leave_out_tips(size: int) -> None:
    """Each message leaves out its feed's last one. Some feeds wrote theirs long ago."""
    messages = exclusions_then_additions(size)
    written = [
        Written(("group", "x"), str(place.bit_length()), size - place, one.message_id)
        for place, one in enumerate(messages)
    ]
    left_out_tips(messages, {}, written)


def look_into_logs(size: int) -> None:
    """Each message is alone in a log."""
    messages = {one.message_id: one for one in exclusions_then_additions(size)}
    listed = {name: Listed(one.previous_ids, None, (), False) for name, one in messages.items()}
    for name in messages:
        seen(messages, listed, {name})


def chain_of(size: int) -> dict[str, list[str]]:
    return {f"{place}": [f"{place - 1}"] if place else [] for place in range(size)}


def devices(size: int) -> list[AccountMessage]:
    """Each adds the next one; the last message comes first."""
    added = [AccountMessage(f"m{n}", n + 1, f"k{n}", f"k{n + 1}", True) for n in range(size)]
    return [*reversed(added), AccountMessage("account", 0, "k0", "k0", True)]


def set_of(size: int) -> list[SetMessage]:
    """Each deletes an item and adds another, and supersedes nothing."""
    return [SetMessage("0", 0, [], None, None, None)] + [
        SetMessage(f"{n}", n, [f"{n - 1}"], [f"i{n % 9}"], [f"j{n % 7}"], [])
        for n in range(1, size)
    ]


def wide_set_of(size: int) -> list[SetMessage]:
    """Half of the messages add an item side by side. The others know all of these, and add it again."""
    first = [SetMessage(f"a{n:03}", 1, ["0"], ["i"], [], []) for n in range(size // 2)]
    joint = SetMessage("b", 2, [one.message_id for one in first], [], [], [])
    last = [SetMessage(f"c{n:03}", 3, ["b"], ["i"], [], []) for n in range(size // 2)]
    return [SetMessage("0", 0, [], None, None, None), *first, joint, *last]


def set_with_unseen_changes(size: int, step: int) -> list[SetMessage]:
    """A chain, at whose end many add two items. Others have added them before, whom they do not know of."""
    items, end = ["i", "j"], 20 * size
    chain = [SetMessage(f"a{n}", n, [f"a{n - 1}"], ["a"], [], []) for n in range(1, end)]
    unseen = [SetMessage(f"b{n}", n, ["0"], items, [], []) for n in range(1, end, step)]
    last = [SetMessage(f"c{n}", end, [f"a{end - 1}"], items, [], []) for n in range(end // 2)]
    messages = [SetMessage("0", 0, [], None, None, None), *chain, *unseen, *last]
    return sorted(messages, key=lambda one: (one.depth, one.message_id))


WORK: dict[str, Callable[[int], object]] = {
    "exclusions, then additions": lambda size: know(exclusions_then_additions(size)),
    "a chain of epochs": lambda size: know(chain_of_epochs(size)),
    "posts by somebody with a choice": lambda size: know(posts_by_somebody_with_a_choice(size)),
    "posts in many forks": lambda size: know(posts_in_many_forks(size)),
    "posts in many forks, side by side": lambda size: know(
        posts_in_many_forks(size, side_by_side=True)
    ),
    "what is no tip": list_what_is_no_tip,
    "tips that are left out": leave_out_tips,
    "epochs side by side": lambda size: know(epochs_side_by_side(size)),
    "acts of one author": lambda size: know(acts_of_one_author(size)),
    "precedence after wide layers": lambda size: nearest_predecessors(wide_layers(size)),
    "precedence": lambda size: nearest_predecessors(chain_of(3 * size)),
    "repairs of forks that a stranger is in": lambda size: mend(size, "p"),
    "repairs of disjoint forks": mend,
    "repairs of forks with a witness": lambda size: mend(size, "a"),
    "forks": pair,
    "forks of an epoch with many successors": heal,
    "forks over a criss-cross": pair_over_a_criss_cross,
    "preference": prefer,
    "preferences of people beside a large epoch": choose,
    "periods of people beside a large epoch": follow,
    "periods of people who join forks with others": lambda size: join_forks(size, first=False),
    "periods of people in forks that others join": lambda size: join_forks(size, first=True),
    "logs with a message each": look_into_logs,
    "epochs of people who are excluded": lambda size: know(
        epochs_of_excluded_people(size), 10 * size
    ),
    "devices": lambda size: powers_of(devices(size)).keys,
    "changes of sets": lambda size: list(unsuperseded("0", set_of(size))),
    "changes of sets side by side": lambda size: list(unsuperseded("0", wide_set_of(size))),
    "changes of sets that many do not know of": lambda size: list(
        unsuperseded("0", set_with_unseen_changes(2 * size, 2))
    ),
    "changes far apart of sets that many do not know of": lambda size: list(
        unsuperseded("0", set_with_unseen_changes(4 * size, 530))
    ),
    "deletions of sets": lambda size: left_deletions("0", set_of(size)),
}


def calls(work: Callable[[int], object], size: int) -> int:
    """How many functions are called, those in C too."""
    counted: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        counted[event] += 1

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work(size)
    finally:
        sys.setprofile(before)
    return counted["call"] + counted["c_call"]


@pytest.mark.parametrize("name", WORK)
def test_four_times_the_size_is_about_four_times_the_work(name: str) -> None:
    WORK[name](SMALL)  # loads the machine code
    assert calls(WORK[name], LARGE) < 5.5 * calls(WORK[name], SMALL)


def steps(mask: int) -> int:
    """How many lines of Python run until all bits are found."""
    counted: Counter[str] = Counter()

    def count(_frame: FrameType, event: str, _argument: object) -> Any:
        counted[event] += 1
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        list(bits_of(mask))
    finally:
        sys.settrace(before)
    return counted["line"]


def test_a_long_integer_with_few_bits_takes_few_steps() -> None:
    assert steps(0b101 << 10_000 | 1) < 100


def criss_cross(size: int) -> tuple[dict[str, list[str]], dict[str, frozenset[str]]]:
    """Many epochs follow j and k, which both follow many: everybody is in one after k and in one after j."""
    first = [f"f{number:05}" for number in range(size)]
    last = [f"l{number:05}" for number in range(size)]
    previous = {"x": [], **{one: ["x"] for one in first}, "j": first, "k": first, "a": ["j"]}
    previous |= {one: ["k"] for one in last}
    members = dict.fromkeys(previous, frozenset[str]()) | {"a": frozenset(last)}
    return previous, members | {one: frozenset({one}) for one in last} | {"l00000": frozenset(last)}


def test_preferences_do_not_hold_all_nearest_common_predecessors() -> None:
    """A gigabyte for 4,000 rivals with 4,000 of them."""

    def peak(size: int) -> int:
        previous, members = criss_cross(size)
        ancestry = Ancestry(previous)
        tracemalloc.start()
        try:
            preferences(members, ancestry, {})
            return tracemalloc.get_traced_memory()[1]
        finally:
            tracemalloc.stop()

    peak(SMALL)  # loads the machine code
    assert peak(LARGE) < 8 * peak(SMALL)


def test_a_chain_of_epochs_has_few_rows() -> None:
    found = nearest_predecessors(chain_of(2_000))
    assert sum(map(len, found.values())) < 2_000 * MOST_PREDECESSORS
    messages = chain_of_epochs(500)
    excluded = knowledge(messages, judge(messages)).excluded_before
    assert sum(map(len, excluded.values())) == 0


def test_epochs_of_excluded_people_have_few_of_them() -> None:
    """As many as the square of the size, if all epochs had them."""
    for size in (LARGE, 10 * LARGE):
        messages = epochs_of_excluded_people(size)
        found = knowledge(messages, judge(messages))
        most = max(FREE_MEMBERSHIPS, MEMBERSHIPS_PER_MESSAGE * len(messages))
        assert 10 * size < sum(map(len, found.excluded_before.values())) <= most + size
        assert len(found.complete) < len(found.excluded_before)


def members_of_one_epoch(size: int) -> list[Change]:
    return [Change(place, place, place, place, "x", f"p{place}", "add") for place in range(size)]


@pytest.mark.parametrize(
    "work",
    [
        lambda size: list(periods(members_of_one_epoch(10 * size), Ancestry({"x": []}), {})),
        lambda size: KnownChoices(added_to_one_epoch(10 * size), Ancestry({"x": []}), {}),
        lambda size: know(members_who_are_excluded(10 * size)),
        lambda size: judge(creators_in_many_epochs(size)),
        lambda size: judge(epochs_in_a_line(40 * size)),
        lambda size: know(one_addition_after_another(40 * size)),
        lambda size: no_tips(list_again_after_all(160 * size), {}),
        lambda size: sweep(side_by_side(size), lambda node, _: (1 << 50 * size) * (node == 0)),
        lambda size: sweep(side_by_side(size), lambda node, _: 1 << 50 * size + node),
    ],
    ids=[
        "periods",
        "choices",
        "exclusions",
        "judge",
        "judge a line of epochs",
        "a line of additions",
        "no tips",
        "nodes without bits",
        "nodes with bits",
    ],
)
def test_four_times_the_size_is_about_four_times_the_memory(
    work: Callable[[int], object],
) -> None:
    """100,000 people in an epoch took gigabytes: an integer with a bit for each was kept for each."""
    work(SMALL)  # loads the machine code
    less, more = (peak_memory(partial(work, size))[1] for size in (SMALL, LARGE))
    assert more < 6 * less


@pytest.mark.parametrize("first", [True, False])
def test_people_in_many_epochs_are_not_looked_up_again_and_again(
    monkeypatch: pytest.MonkeyPatch, *, first: bool
) -> None:
    """Each addition looked at all epochs of two people: 4,000 forks took six seconds."""

    def bits_set(size: int) -> int:
        counted = 0

        def count(places: Iterable[int]) -> int:
            nonlocal counted
            listed = [*places]
            counted += len(listed)
            return mask_of(listed)

        with monkeypatch.context() as patch:
            patch.setattr(member_bits, "mask_of", count)
            join_forks(size, first=first)
        return counted

    assert bits_set(LARGE) < 5.5 * bits_set(SMALL)


def added_to_one_epoch(size: int) -> list[GroupMessage]:
    line = Line()
    line.say("add", "x", *(f"p{number}" for number in range(size)))
    return line.messages


def one_addition_after_another(size: int) -> list[GroupMessage]:
    line = Line()
    root = line.say("init", None)
    for number in range(size):
        line.say("add", root, f"p{number}")
    return line.messages


def epochs_in_a_line(size: int) -> list[GroupMessage]:
    line = Line()
    epoch = None
    for _ in range(size):
        epoch = line.say("init", None, after=epoch)
    return line.messages


def creators_in_many_epochs(size: int) -> list[GroupMessage]:
    """Each of 20 people makes an epoch, and all of them are added to many others."""
    line = Line()
    root = line.say("init", None)
    creators = [f"c{number}" for number in range(20)]
    for creator in creators:
        line.say("init", None, after=root)
        line.messages[-1] = line.messages[-1]._replace(author_id=creator)
    for _ in range(size):
        line.say("add", line.say("init", None, after=root), *creators)
    return line.messages


def members_who_are_excluded(size: int) -> list[GroupMessage]:
    """Each by a message of its own."""
    line = Line()
    epoch = line.say("init", None)
    people = [f"p{number}" for number in range(size)]
    line.say("add", epoch, "a", *people)
    for person in people:
        line.say("exclude", epoch, person)
    return line.messages


def list_again_after_all(size: int) -> list[GroupMessage]:
    """A chain. Then each of many messages lists the end of the chain, and one of its messages again."""
    messages = exclusions_then_additions(size // 4)
    end = messages[-1].message_id
    last = [
        one._replace(
            message_id=f"{one.message_id} again",
            previous_ids=[one.message_id, end],
            timeline_previous_ids=[one.message_id, end],
        )
        for one in messages
    ]
    return messages + last


def side_by_side(size: int) -> list[list[int]]:
    """Nodes after the first one, each followed by another."""
    return [[], *([0] for _ in range(size)), *([1 + number] for number in range(size))]


def forks_that_change_places(size: int) -> tuple[dict[str, list[str]], list[Change]]:
    """Many people are in two epochs. As strangers join one and then the other, each addition decides anew."""
    both = [(1, epoch, f"p{number}") for number in range(size) for epoch in "lr"]
    joining = [
        (2 + 2 * number + place, epoch, f"s{number}")
        for number in range(size)
        for place, epoch in enumerate("lr")
    ]
    changes = [Change(place, place, place, place, *one, "add") for place, *one in both + joining]
    return {"x": [], "l": ["x"], "r": ["x"]}, changes


def test_periods_of_people_in_forks_that_change_places_are_few() -> None:
    """The rows were the product of people and additions; 4 MB of log had 46 million."""
    previous, changes = forks_that_change_places(SMALL)
    end = max(one.position for one in changes) + 1
    changes.append(Change(end, end, end, end, "l", "last", "add"))

    def of(person: str) -> list[Period]:
        found = periods(changes, Ancestry(previous), {"x": 0, "l": 1, "r": 2})
        return [one for one in found if one.person_id == person]

    own = of("p0")
    assert [one.from_position for one in own] == [*range(1, MOST_TURNS + 2), end]
    # They prefer `l` by its key if both have the same members, and otherwise the smaller one: in the end `r`.
    assert [one.epoch_id for one in own] == [*"lr"] * (MOST_TURNS // 2) + [*"lr"]
    # What is done to them is always told.
    changes.append(Change(end + 1, end + 1, 0, 0, "r", "p0", "exclude"))
    *before, last = of("p0")
    assert before[:-1] == own[:-2]
    assert last[1:4] == ("r", True, end + 1)


def test_what_others_change_of_a_choice_is_looked_at_a_few_times() -> None:
    def follow_both(size: int) -> None:
        previous, changes = forks_that_change_places(size)
        list(periods(changes, Ancestry(previous), {"x": 0, "l": 1, "r": 2}))

    assert calls(follow_both, LARGE) < 5.5 * calls(follow_both, SMALL)


class Compared(str):
    """A text that counts how often it is compared."""

    times = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Compared.times += 1
        return str.__eq__(self, other)


def test_what_an_epoch_follows_is_looked_up_once() -> None:
    """A message of an unchecked format may list thousands of others, in two tangles of its group."""

    def comparisons(size: int) -> int:
        listed, epochs = ([Compared(f"e{number}") for number in range(size)] for _ in range(2))
        init = GroupMessage("x", "a", "init", None, (), listed, None, epochs, True, False, 0, 0)
        before = Compared.times
        known, _ = known_directly([init])
        assert sorted(known["x"]) == sorted(listed)
        return Compared.times - before

    assert comparisons(LARGE) < 5.5 * comparisons(SMALL)


def behind_outsiders(size: int) -> list[GroupMessage]:
    """Epochs side by side, a chain of outsiders' epochs after all of them, and as many epochs after that."""
    line = Line()
    root = line.say("init", None)
    first = [line.say("init", None, after=root) for _ in range(size)]
    for place in range(0, size, 10):
        before = [*first[place : place + 10], *(line.messages[-1:] if place else ())]
        names = [one if isinstance(one, str) else one.message_id for one in before]
        line.say("init", None)
        line.messages[-1] = line.messages[-1]._replace(author_id="e", previous_epoch_ids=names)
    last = line.messages[-1].message_id
    for _ in range(size):
        line.say("init", None, after=last)
    return line.messages


def test_epochs_that_follow_others_through_those_that_do_not_count(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """They were the product of both: 4 MB of a stranger's log had ten million ids in lists."""
    messages = behind_outsiders(50)
    followed = judge(messages).previous_epochs
    assert sorted(map(len, followed.values())) == [0, *[1] * 50, *[50] * 50]
    monkeypatch.setattr(authority, "MOST_FOLLOWED", 120)
    judged = judge(messages)
    assert sorted(map(len, judged.previous_epochs.values())) == [0, *[1] * 50, *[50] * 2]
    # The others follow no epoch that counts.
    assert Counter(judged.authority.values()) == {True: 53, False: 48 + 5}
    # What lists an epoch that counts, too, follows that one.
    [first, *_] = [one.message_id for one in messages if one.previous_epoch_ids]
    last = messages[-1]
    both = [*last.previous_epoch_ids, first]
    messages[-1] = last._replace(previous_epoch_ids=both)
    assert judge(messages).previous_epochs[last.message_id] == [first]


def test_reasons_are_no_product_of_rivals_and_people() -> None:
    def text(size: int) -> int:
        rivals = {f"r{number}": frozenset({"w", f"r{number}"}) for number in range(size)}
        base = frozenset({"w", *(f"p{number}" for number in range(size))})
        members = {"x": frozenset("w"), "b": base, **rivals}
        previous = {"x": [], "b": ["x"], **{rival: ["x"] for rival in rivals}}
        found = repairs(list(members)[1:], members, members, Ancestry(previous), {"b": 0})
        assert [one.action for one in found] == ["create_epoch", *["exclude"] * size]
        assert all(rival in found[0].because.split() for rival in rivals)
        return sum(len(one.because) for one in found)

    assert text(LARGE) < 5.5 * text(SMALL)
