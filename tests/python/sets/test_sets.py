"""Reading a set: the reference's own answers, step by step, and plain slow readings of random sets."""

from __future__ import annotations

import json
import tarfile
from collections.abc import Iterator
from functools import cmp_to_key
from typing import Any, NamedTuple

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import FIXTURES
from scuttlehouse.pzp.canonical import id_key
from scuttlehouse.sets.items import (
    Change,
    SetMessage,
    changes,
    item_roots,
    lipmaa_depth,
    lipmaa_link,
    lost_by_reference,
    minimum_required_depth,
    read_items,
    reference_keeps,
    superseded_by,
    tips,
    topological_order,
)

Json = dict[str, Any]
BASE58 = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"


def read_fixtures() -> dict[str, Json]:
    """What the reference wrote and read, by the name of the history."""
    with tarfile.open(FIXTURES / "sets.tar.xz") as archive:
        files = [archive.extractfile(member) for member in archive]
        found = [json.load(file) for file in files if file]
    return {one["name"]: one for one in found}


SETS = read_fixtures()


def set_message(message_id: str, data: Json | None, tangles: Json, moot: str) -> SetMessage | None:
    """The message of the set. None for a message of the account."""
    if message_id == moot:
        return SetMessage(moot, 0, [], None, None, None)
    if moot not in tangles:
        return None
    assert data is not None
    place = tangles[moot]
    return SetMessage(
        message_id, place["depth"], place["prev"], data["add"], data["del"], data["supersedes"]
    )


class View(NamedTuple):
    """What a device holds after a step, in its order of arrival, and what it reads there."""

    device: str
    step: int
    messages: list[SetMessage]
    state: Json


def views(fixture: Json) -> Iterator[View]:
    held: dict[str, dict[str, SetMessage]] = {}
    for number, step in enumerate(fixture["steps"]):
        own = held.setdefault(step["device"], {})
        for new in step["new_msgs"]:
            message = set_message(new["id"], new["data"], new["tangles"], fixture["set_tangle_id"])
            if message:
                own[message.message_id] = message
        yield View(step["device"], number, list(own.values()), step["state"])


def log(fixture: Json, device: str) -> list[SetMessage]:
    """The messages of the set in a device's log."""
    found = [
        set_message(
            line["id"],
            line["msg"]["data"],
            line["msg"]["metadata"]["tangles"],
            fixture["set_tangle_id"],
        )
        for line in fixture["logs"][device]
    ]
    return [message for message in found if message]


def names(messages: list[SetMessage]) -> list[str]:
    return [item.item for item in read_items(messages)]


def ids(messages: list[SetMessage]) -> list[str]:
    return [message.message_id for message in messages]


# The reference's answers.


def assert_reads_as(messages: list[SetMessage], state: Json) -> None:
    assert names(messages) == state["values"]
    assert ids(topological_order(messages)) == state["topoSort"]
    assert sorted(ids(tips(messages))) == sorted(state["tips"])
    assert len(messages) == state["size"]
    assert minimum_required_depth(messages) == state["minRequiredDepth"]


@pytest.mark.parametrize("name", SETS)
def test_every_step_of_the_reference(name: str) -> None:
    for view in views(SETS[name]):
        if "values_of_A" in view.state:
            assert names(view.messages) == view.state["values_of_A"]
        else:
            assert_reads_as(view.messages, view.state)


@pytest.mark.parametrize("name", SETS)
def test_every_log_of_the_reference(name: str) -> None:
    fixture = SETS[name]
    for device, state in fixture["final"].items():
        if device != "B_reads_A":
            assert_reads_as(log(fixture, device), state)


@pytest.mark.parametrize("name", SETS)
def test_what_another_account_reads(name: str) -> None:
    """B's log ends with the last step that B was told, so it may be behind."""
    last_view = [view for view in views(SETS[name]) if view.device == "B"][-1]
    assert names(log(SETS[name], "B")) == SETS[name]["final"]["B_reads_A"]
    assert {*ids(log(SETS[name], "B"))} == {*ids(last_view.messages)}


def test_the_answers_include_forks_squeezes_and_empty_sets() -> None:
    """Otherwise the tests above could not fail."""
    states = [view.state for name in SETS for view in views(SETS[name]) if "tips" in view.state]
    assert sum(len(state["tips"]) > 1 for state in states) >= 20
    assert sum(not state["values"] for state in states) >= 10
    squeezes = [step for name in SETS for step in SETS[name]["steps"] if step["op"] == "squeeze"]
    assert sum(step["result"] for step in squeezes) >= 3


@pytest.mark.parametrize("name", SETS)
def test_all_links_of_the_reference_lead_to_the_lipmaa_depth(name: str) -> None:
    for device in SETS[name]["logs"]:
        messages = log(SETS[name], device)
        depths = {message.message_id: message.depth for message in messages}
        moot, *others = topological_order(messages)
        assert lipmaa_link(moot, depths) is None
        assert all(lipmaa_link(message, depths) is True for message in others)


@pytest.mark.parametrize(
    ("name", "lost"), [("protospec_figure", "carol dave"), ("rand7", "bob carol")]
)
def test_what_the_reference_loses(name: str, lost: str) -> None:
    """Deleting one item supersedes the squeeze, the only message that still holds the others (R28)."""
    last = [view for view in views(SETS[name]) if view.device == "A1"][-1]
    assert lost_by_reference(last.messages) == lost.split()
    kept = reference_keeps(last.messages)
    assert kept[0].depth == 0
    assert names(kept) == [item for item in last.state["values"] if item not in lost.split()]


# The figure of the specification.


@pytest.mark.parametrize(
    ("step", "roots"),
    [(0, "A"), (2, "A B"), (3, "B C"), (6, "B C D"), (7, "B D E")],
    ids=[f"stage {number}" for number in range(1, 6)],
)
def test_the_figure_of_the_specification(step: int, roots: str) -> None:
    """The five stages, as the device A1 of ``protospec_figure`` saw them.

    B and D are drawn as two messages, although both add bob after A alone, at depth 2. An id is the hash of a
    message's metadata: account, the account's tips, domain, place in the tangle and hash of the data. It
    covers no key and no time. So two devices of an account that know the same account messages write B and D
    as one
    message: the test below. In this history the second device has added a key to its account in between. So D
    names another account tip than B, and is another message.
    """
    view = next(view for view in views(SETS["protospec_figure"]) if view.step == step)
    letters = {
        "GXhmkfdDNzchh1srFcASSZEdPRiG547ZZ9YRPepn13aQ": "A",
        "4kpNi6jyH6hTj8NXqt4THaykBDkZ9EsXksN4b7gzQVSW": "B",
        "3xPerKL6X8W21mJ598N6G8vf79Ja1HV2deaTUCc9mFEM": "C",
    }
    for message in view.messages:
        if message.message_id not in letters and message.added:
            letters[message.message_id] = {"bob": "D", "carol": "E"}[message.added[0]]
    assert sorted(letters[root] for root in ids(item_roots(view.messages))) == roots.split()


def test_in_one_account_the_two_additions_of_bob_are_one_message() -> None:
    fixture = SETS["protospec"]
    writing = {
        (step["device"], new["id"])
        for step in fixture["steps"]
        for new in step["new_msgs"]
        if (step["op"], step.get("arg")) == ("add", "bob")
    }
    assert {device for device, _ in writing} == {"A1", "A2"}
    assert len({message_id for _, message_id in writing}) == 1

    two = [line for line in SETS["protospec_figure"]["logs"]["A1"] if line["msg"]["data"]]
    two = [line for line in two if line["msg"]["data"].get("add") == ["bob"]]
    one, other = (line["msg"]["metadata"] for line in two)
    assert {name for name in one if one[name] != other[name]} == {"accountTips"}


# The order of ids.


def by_collation(left: str, right: str) -> int:
    """Compare two base58 texts by the Unicode collation algorithm, level by level.

    Letters come first, then case. There are no accents.
    """

    def compare(one: list[int], other: list[int]) -> int:
        return (one > other) - (one < other)

    letters = "123456789abcdefghijklmnopqrstuvwxyz"
    weights = [[letters.index(sign.lower()) for sign in text] for text in (left, right)]
    cases = [[int(sign.isupper()) for sign in text] for text in (left, right)]
    return compare(*weights) or compare(*cases)


@given(st.lists(st.text("aAbB", max_size=3) | st.text(BASE58, max_size=44)))
def test_ids_compare_by_letter_and_then_by_case(texts: list[str]) -> None:
    assert sorted(texts, key=id_key) == sorted(texts, key=cmp_to_key(by_collation))


def test_ids_compare_as_javascript_says() -> None:
    """As sorted by Node.js 20 with ``localeCompare``."""
    sorted_text = "1 19 1a 1A 9 9z a aa aA Aa AA ab aB Ab AB aC B ba bA zZ Zz"
    by_code_point = sorted(sorted_text.split())
    assert sorted(by_code_point, key=id_key) == sorted_text.split() != by_code_point


# Random sets. No device would write them.


@st.composite
def messages_of_sets(draw: st.DrawFn) -> list[SetMessage]:
    ids_drawn = draw(st.lists(st.text("12abAB", min_size=1, max_size=3), max_size=12, unique=True))
    known = st.sampled_from([*ids_drawn, "unknown"])
    items = st.lists(st.sampled_from("wxyz"), max_size=3)
    found = []
    for message_id in ids_drawn:
        lists = (draw(items), draw(items), draw(st.lists(known, max_size=3)))
        if draw(st.integers(0, 7)) == 0:
            found.append(SetMessage(message_id, draw(st.integers(0, 4)), [], None, None, None))
        else:
            previous = draw(st.lists(known, max_size=2))
            found.append(SetMessage(message_id, draw(st.integers(1, 4)), previous, *lists))
    return found


def letter_by_letter(messages: list[SetMessage]) -> list[str]:
    """The reading of the reference: a list without repeats, additions first."""
    listed: list[str] = []
    for message in topological_order(messages):
        for item in message.added or ():
            if item not in listed:
                listed.append(item)
        for item in message.deleted or ():
            if item in listed:
                listed.remove(item)
    return listed


@given(messages_of_sets(), st.randoms())
def test_items_are_read_letter_by_letter_in_any_order(
    messages: list[SetMessage], random: Any
) -> None:
    shuffled = random.sample(messages, len(messages))
    items = read_items(shuffled)
    assert [item.item for item in items] == letter_by_letter(messages)
    assert [item.position for item in items] == list(range(len(items)))


@given(messages_of_sets())
def test_the_messages_that_an_item_depends_on(messages: list[SetMessage]) -> None:
    """The message since which the item was in, and the last message that adds it."""
    ordered = topological_order(messages)
    for item in read_items(messages):
        has_it = [item.item in letter_by_letter(ordered[: end + 1]) for end in range(len(ordered))]
        out = [end for end, has in enumerate(has_it) if not has]
        # One message may remove an item and another add it, but one message never does both in that order.
        assert item.placed_by_id == ordered[max(out, default=-1) + 1].message_id
        adding = [message for message in ordered if item.item in (message.added or ())]
        assert item.last_added_by_id == adding[-1].message_id


@given(messages_of_sets())
def test_the_last_change_says_whether_an_item_is_in(messages: list[SetMessage]) -> None:
    last = dict(change for message in topological_order(messages) for change in changes(message))
    assert {item for item, is_deletion in last.items() if not is_deletion} == {*names(messages)}


def test_a_message_reads_additions_before_deletions() -> None:
    message = SetMessage("m2", 2, [], ["a", "b", "a"], ["a", "c"], [])
    assert changes(message) == [Change("b", False), Change("a", True), Change("c", True)]
    assert names([SetMessage("m1", 1, [], ["a", "c"], [], []), message]) == ["b"]
    assert changes(SetMessage("moot", 0, [], None, None, None)) == []


@given(messages_of_sets())
def test_tips_are_listed_by_no_other(messages: list[SetMessage]) -> None:
    assert tips(messages) == [
        message
        for message in topological_order(messages)
        if not any(message.message_id in o.previous_ids for o in messages if o is not message)
    ]


@given(messages_of_sets())
def test_item_roots_are_not_superseded_over_any_number_of_steps(messages: list[SetMessage]) -> None:
    steps = {m.message_id: {*(m.superseded_ids or ())} - {m.message_id} for m in messages}
    reached = {one: set(direct) for one, direct in steps.items()}
    for _ in messages:
        for one in reached:
            reached[one] |= {far for near in reached[one] for far in steps.get(near, ())}
    ordered = topological_order(messages)
    superseded = {far for one in reached for far in reached[one] - {one}}
    in_loops = {one for one in reached if one in reached[one]}
    assert item_roots(messages) == [
        message
        for message in ordered
        if message.added is not None and message.message_id not in superseded | in_loops
    ]
    by_least = {one: [m for m in ids(ordered) if one in steps[m]] for one in ids(ordered)}
    assert superseded_by(messages) == {one: by[0] for one, by in by_least.items() if by}


def test_messages_that_supersede_each_other_are_not_roots() -> None:
    loop = [
        SetMessage("m1", 1, [], ["a"], [], ["m2"]),
        SetMessage("m2", 2, [], ["b"], [], ["m1", "m2"]),
    ]
    assert item_roots(loop) == []
    assert minimum_required_depth(loop) is None
    assert reference_keeps(loop) == loop


def depth_by_reference(messages: list[SetMessage]) -> int | None:
    """One pass over the order: remove superseded messages from the roots, then add the superseding one."""
    roots: dict[str, int] = {}
    for message in topological_order(messages):
        if message.superseded_ids is not None:
            for superseded in message.superseded_ids:
                roots.pop(superseded, None)
            roots[message.message_id] = message.depth
    return min(roots.values(), default=None)


@given(messages_of_sets())
def test_the_minimum_required_depth_differs_only_by_what_supersedes_later_messages(
    messages: list[SetMessage],
) -> None:
    turns = {one: turn for turn, one in enumerate(ids(topological_order(messages)))}
    earlier = [
        message._replace(
            superseded_ids=message.superseded_ids
            and [s for s in message.superseded_ids if turns.get(s, -1) <= turns[message.message_id]]
        )
        for message in messages
    ]
    assert depth_by_reference(messages) == minimum_required_depth(earlier)


def test_a_minimum_required_depth_that_differs_from_the_reference() -> None:
    """m1 supersedes m2, which comes later. The reference forgets that and counts m2 as a root."""
    messages = [
        SetMessage("m1", 1, [], ["a"], [], ["m2"]),
        SetMessage("m2", 2, [], ["b"], [], []),
        SetMessage("m3", 3, [], ["c"], [], ["m1"]),
    ]
    assert ids(item_roots(messages)) == ["m3"]
    assert (depth_by_reference(messages), minimum_required_depth(messages)) == (2, 3)


# The lipmaa function.


def bamboo(entry: int) -> int:
    """Bamboo's definition of the entry to link to."""

    def greatest(entry: int) -> int:
        power = 1
        while (3**power - 1) // 2 < entry:
            power += 1
        if (3**power - 1) // 2 == entry:
            return power
        return greatest(entry - (3 ** (power - 1) - 1) // 2)

    power = greatest(entry)
    if (3**power - 1) // 2 == entry:
        return entry - 3 ** (power - 1)
    return entry - (3**power - 1) // 2


def test_the_lipmaa_depth_is_bamboos() -> None:
    assert [bamboo(entry) for entry in range(1, 16)] == [
        0,
        1,
        2,
        1,
        4,
        5,
        6,
        4,
        8,
        9,
        10,
        8,
        4,
        13,
        14,
    ]
    for depth in range(1, 4000):
        assert lipmaa_depth(depth) == bamboo(depth + 1) - 1
    with pytest.raises(ValueError, match="below the moot"):
        lipmaa_depth(0)


@pytest.mark.parametrize(
    ("previous", "is_linked"),
    [
        (["m3", "m6"], True),
        (["m6", "not at hand", "m3"], True),
        (["m6", "not at hand"], None),
        (["m6"], False),
        ([], False),
    ],
)
def test_a_lipmaa_link_is_known_only_for_messages_at_hand(
    previous: list[str], is_linked: bool | None
) -> None:
    message = SetMessage("m7", 7, previous, [], [], [])
    assert lipmaa_link(message, {"m3": 3, "m6": 6}) is is_linked
    assert lipmaa_link(message._replace(depth=0), {}) is None
