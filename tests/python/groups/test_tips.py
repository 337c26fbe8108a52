"""What messages list although their author knew of a message after it (4.10)."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.authority import GroupMessage, Kind
from scuttlehouse.groups.tips import no_tips


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
