"""Messages that do not list exactly the tips that their author knew (4.10)."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Literal

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.messages import GroupMessage, Kind
from scuttlehouse.groups.tips import Written, left_out_tips, no_tips
from test_parts import python_model


def message(
    name: str, kind: Kind, group: list[str] | None, epoch: list[str], members: list[str]
) -> GroupMessage:
    return GroupMessage(
        message_id=name,
        author_id="ann",
        kind=kind,
        epoch_id="x" if kind in ("add", "exclude") else None,
        person_ids=[],
        previous_ids=sorted({*(group or ()), *epoch, *members}),
        timeline_previous_ids=group,
        previous_epoch_ids=epoch,
        declares_members=True,
        lacks_previous=False,
        asserted_ms=None,
        position=0,
    )


def test_a_message_that_another_listed_one_only_leads_to_is_no_tip() -> None:
    chain = [message(str(n), "other", [str(n - 1)] if n else [], [], []) for n in range(4)]
    both = message("both", "other", ["0", "3"], [], [])
    assert no_tips([*chain, both], {}) == {"both": ["0"]}


def test_messages_side_by_side_are_tips() -> None:
    sides = [message(name, "other", ["x"], [], []) for name in "ab"]
    assert no_tips([message("x", "init", [], [], []), *sides], {}) == {}


def test_an_author_knows_the_members_tangle_through_the_timeline() -> None:
    """The addition 2 lists the first message in the members tangle, and in the timeline the addition 1."""
    root = message("x", "init", [], [], [])
    first = message("1", "add", ["x"], [], ["x"])
    second = message("2", "add", ["1"], [], ["x"])
    assert no_tips([root, first, second], {"1": ["x"], "2": ["x"]}) == {"2": ["x"]}


def test_a_loop_proves_nothing() -> None:
    loop = [message("1", "other", ["2"], [], []), message("2", "other", ["1"], [], [])]
    assert no_tips([*loop, message("3", "other", ["1", "2"], [], [])], {}) == {}


def in_feed(tangle: Literal["group", "members"], *names: str) -> list[Written]:
    return [Written((tangle, "x"), "feed", place, name) for place, name in enumerate(names)]


def test_who_lists_another_tip_alone_leaves_out_their_own() -> None:
    root = message("x", "init", [], [], [])
    sides = [message(name, "other", ["x"], [], []) for name in "ab"]
    both = message("both", "other", ["a", "b"], [], [])
    rows = [root, *sides, message("later", "other", ["b"], [], [])]
    assert left_out_tips(rows, {}, in_feed("group", "a", "later")) == {"later": ["a"]}
    assert left_out_tips([*rows, both], {}, in_feed("group", "a", "both", "later")) == {
        "later": ["both"]
    }
    assert left_out_tips([*rows, both], {}, in_feed("group", "a", "both")) == {}
    after = message("after", "other", ["both"], [], [])
    assert left_out_tips([*rows, both, after], {}, in_feed("group", "x", "a", "after")) == {}


def test_each_members_tangle_has_its_own_tips() -> None:
    root = message("x", "init", [], [], [])
    first = message("1", "add", ["x"], [], ["x"])
    second = message("2", "add", ["1"], [], ["x"])
    rows, changes = [root, first, second], {"1": ["x"], "2": ["x"]}
    assert left_out_tips(rows, changes, in_feed("members", "1", "2")) == {"2": ["1"]}
    assert left_out_tips(rows, changes, in_feed("group", "1", "2")) == {}
    apart = [Written(("members", name), "feed", int(name), name) for name in "12"]
    assert left_out_tips(rows, changes, apart) == {}


def test_a_forked_feed_and_an_incomplete_past_prove_nothing() -> None:
    """Somebody opened "gap" and lost its signed bytes: nobody knows what it lists."""
    root = message("x", "init", [], [], [])
    one = message("1", "other", ["x"], [], [])
    gap = message("gap", "other", [], [], [])._replace(lacks_previous=True)
    two = message("2", "other", ["gap"], [], [])
    assert left_out_tips([root, one, gap, two], {}, in_feed("group", "1", "2")) == {}
    apart = message("2", "other", ["x"], [], [])
    assert left_out_tips([root, one, apart], {}, in_feed("group", "1", "2")) == {"2": ["1"]}
    side = message("0", "other", ["x"], [], [])
    for places in ((0, 0, 1), (0, 1, 1)):
        forked = [
            Written(("group", "x"), "feed", at, name)
            for at, name in zip(places, "012", strict=True)
        ]
        assert left_out_tips([root, side, one, apart], {}, forked) == {}
    loop = [message("a", "other", ["1", "b"], [], []), message("b", "other", ["a"], [], [])]
    behind = message("2", "other", ["b"], [], [])
    assert left_out_tips([root, one, *loop, behind], {}, in_feed("group", "1", "2")) == {}


def test_the_model_takes_feeds_and_graphs_from_the_rows() -> None:
    """A message without signed bytes has no sequence. One outside of a graph has no tips there."""
    root = message("x", "init", [], [], [])
    rows = [
        (root, "f0", 1, None),
        (message("1", "add", ["x"], [], ["x"]), "f", 1, "x"),
        (message("2", "add", ["x"], [], ["x"]), "f", 2, "x"),
        (message("3", "add", None, [], ["2"]), "f", 3, "x"),
        (message("4", "other", ["x"], [], []), "f", None, None),
        (message("5", "other", ["x"], [], []), "g", 5, None),
        (message("6", "other", ["1"], [], []), "g", 6, None),
    ]
    table = pa.Table.from_pylist(
        [
            one._asdict()
            | {
                "group_id": "g",
                "key_rank": None,
                "feed_id": feed,
                "sequence": sequence,
                "members_root_id": members_root,
                "is_in_members_graph": members_root is not None,
                "members_previous_ids": one.previous_ids if members_root else [],
            }
            for one, feed, sequence, members_root in rows
        ]
    )
    found = python_model("int_groups__judged")["find"](table).to_pylist()
    left_out = {row["message_id"]: row["left_out_tip_ids"] for row in found}
    assert {name: ids for name, ids in left_out.items() if ids} == {"2": ["1"], "6": ["5"]}


@given(st.integers(0, 2**32))
def test_random_feeds_agree_with_the_definition(seed: int) -> None:
    """A message leads to its feed's last one in the tangle, or to a message that lists that one."""
    dice = random.Random(seed)
    names = [f"{dice.randrange(10**6)}-{n}" for n in range(dice.randint(1, 25))]
    rows: list[GroupMessage] = []
    written: list[Written] = []
    past: dict[str, set[str]] = {}
    for n, name in enumerate(names):
        listed = dice.sample(names[:n], min(n, dice.choice([1, 1, 2, 3])))
        rows.append(message(name, "other", listed, [], []))
        past[name] = {*listed}.union(*(past[one] for one in listed))
        written.append(Written(("group", "x"), dice.choice("abc"), n, name))
    expected = {}
    for feed in "abc":
        own = [one.message_id for one in written if one.feed_id == feed]
        expected |= {later: [one] for one, later in pairwise(own) if one not in past[later]}
    dice.shuffle(rows)
    dice.shuffle(written)
    assert left_out_tips(rows, {}, written) == expected


@given(st.integers(0, 2**32))
def test_random_tangles_agree_with_the_definition(seed: int) -> None:
    dice = random.Random(seed)
    names = [f"{dice.randrange(10**6)}-{n}" for n in range(dice.randint(1, 25))]
    messages: list[GroupMessage] = []
    changes: dict[str, list[str]] = {}
    knows: dict[str, set[str]] = {}
    for n, name in enumerate(names):
        before = names[:n]

        def some(before: list[str] = before) -> list[str]:
            return sorted(dice.sample(before, min(len(before), dice.choice([0, 1, 1, 2, 3]))))

        kinds: list[Kind] = ["init", "other", "other"]
        kind = dice.choice(kinds)
        group = some() if dice.random() < 0.8 else None
        epoch = some() if kind == "init" else []
        members = some() if kind == "other" and dice.random() < 0.4 else []
        messages.append(message(name, kind, group, epoch, members))
        if members:
            changes[name] = members
        listed = {*(group or ()), *epoch, *members}
        knows[name] = listed.union(*(knows[one] for one in listed))

    def lists(one: GroupMessage) -> list[tuple[str, str]]:
        fields = {
            "group": one.timeline_previous_ids or (),
            "epoch": one.previous_epoch_ids,
            "members": changes.get(one.message_id, ()),
        }
        return [(kind, name) for kind, listed in fields.items() for name in listed]

    expected = {
        one.message_id: sorted(
            {
                name
                for kind, name in lists(one)
                for other in messages
                if other.message_id in knows[one.message_id] and (kind, name) in lists(other)
            }
        )
        for one in messages
    }
    dice.shuffle(messages)
    assert no_tips(messages, changes) == {name: ids for name, ids in expected.items() if ids}
