"""People do what the tables tell them: each from their own log, at once, in any order, or only in part."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence

import pytest

from group_histories import MEMBERS, OUTSIDERS, ForkedHistory, History
from scuttlehouse.groups.peers import peer_epochs, seen
from scuttlehouse.groups.repairs import Repair
from test_group_histories import CHUNKS, Answers, group_messages, seeds
from test_peers import lists

PEOPLE = MEMBERS + OUTSIDERS
ROUNDS = 40
# A history is judged for each person in each round, so fewer are tried than elsewhere.
FEW_CHUNKS = max(CHUNKS // 3, 1)


def advice(history: History) -> dict[str, list[Repair]]:
    """fct_peer_repairs: what everybody's own log tells them to publish."""
    key_ranks = Answers(history.log, history.root).key_ranks
    messages = {one.message_id: one for one in group_messages(history.log, history.root)}
    listed = lists(history.log, history.root)
    found = {}
    for person in PEOPLE:
        view = history.views[person]
        if history.root in view:
            epochs = peer_epochs(seen(messages, listed, view), key_ranks, person)
            found[person] = [repair for epoch in epochs for repair in epoch.repairs]
    return found


def follow(history: History, person: str, told: Sequence[Repair], *, is_partly: bool) -> None:
    """Publish repairs, additions first. ``is_partly``: only some additions, and no epoch yet (4.9)."""
    dice = history.dice
    for epoch, action, who, *_ in told:
        if action == "add" and who and not (is_partly and dice.random() < 0.4):
            history.change(person, epoch, "group/add-member", {who})
    for base in [one.epoch_id for one in told if one.action == "create_epoch" and not is_partly]:
        out = {one.person_id or "" for one in told if one[:2] == (base, "exclude")}
        own = Answers([one for one in history.log if one.id in history.views[person]], history.root)
        history.succeed(person, base, out, set(own.members[base] - out))


def follow_until_nothing_is_left(history: History, dice: random.Random) -> int:
    """Everybody decides by what has reached them before the round. Returns how many rounds it took."""
    history.is_careful = True
    for view in history.views.values():
        view -= history.lost
    is_known_to_all = False
    for turn in range(ROUNDS):
        told = advice(history)
        if is_known_to_all and not any(told.values()):
            return turn
        is_late = turn > ROUNDS // 2
        for person in dice.sample(sorted(told), len(told)):
            if is_late or dice.random() < 0.7:
                follow(history, person, told[person], is_partly=not is_late and dice.random() < 0.3)
        is_known_to_all = turn > 3 or dice.random() < 0.5
        history.sync(*(PEOPLE if is_known_to_all else dice.sample(PEOPLE, 3)))
    return ROUNDS


@pytest.mark.parametrize("chunk", range(FEW_CHUNKS))
@pytest.mark.parametrize("kind", [History, ForkedHistory])
def test_people_who_follow_their_repairs_come_to_an_end(chunk: int, kind: type[History]) -> None:
    met: Counter[str] = Counter()
    for seed in seeds(chunk):
        history, where = kind(seed), f"{kind.__name__}, seed {seed}"
        before = len(history.entries)
        assert follow_until_nothing_is_left(history, random.Random(seed)) < ROUNDS, where
        answers = Answers(history.log, history.root)
        assert answers.repairs() == [], where
        own = [entry.id for entry in history.entries[before:]]
        judged = {act: answers.judged.authority[act] for act in own}
        # R30 asks what an init knows of. It cannot list an addition that waits for a missing message.
        if kind is ForkedHistory:
            assert set(judged.values()) <= {True}, where
        kinds = {one.message_id: one.kind for one in answers.messages}
        assert all(judged[act] is not False for act in own if kinds[act] == "exclude"), where
        assert answers.known.stale.isdisjoint(own), where
        met.update(kinds[act] for act in own)
    assert met.keys() >= ({"add", "exclude", "init"} if kind is ForkedHistory else {"add"})


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("kind", [History, ForkedHistory])
def test_nobody_is_late_who_posts_in_the_epoch_to_prefer(chunk: int, kind: type[History]) -> None:
    """They list all tips of the group's tangle (fct_tangle_tips, 4.8.1)."""
    posts = 0
    for seed in seeds(chunk):
        history = kind(seed)
        preferred = Answers(history.log, history.root).preferences()
        history.is_careful = True
        history.views["everything"] = {entry.id for entry in history.log}
        field = history.field("everything", "group", history.root)
        own = {
            history.say(person, "post", {"group": field}, epoch=epoch)
            for person, epoch in preferred.items()
            if person and epoch
        }
        after = Answers(history.log, history.root)
        assert after.preferences() == preferred
        assert after.known.late.isdisjoint(own), f"{kind.__name__}, seed {seed}"
        posts += len(own)
    assert posts
