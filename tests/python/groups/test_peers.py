"""What one peer knows of a group: the product and the oracle, on a part of a log."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Collection, Mapping

import pytest

from group_histories import MEMBERS, History
from group_oracle import LogMessage, Oracle
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.peers import Listed, peer_epochs, seen
from scuttlehouse.ssb.epoch_keys import KeyRing
from test_exclusions import Log
from test_group_histories import CHUNKS, Tangle, group_messages, seeds


def lists(log: list[LogMessage], root: str) -> dict[str, Listed]:
    """What every message of the group lists, as in int_groups__messages: of an unsigned one, nobody knows."""
    group, epoch = (Tangle.of(log, kind, root) for kind in ("group", "epoch"))
    signed = {entry.id for entry in log if entry.is_signed}
    members = {one: Tangle.of(log, "members", one) for one in epoch.graph & signed}
    found = {}
    for entry in log:
        own = [*group.listed.get(entry.id, ()), *epoch.listed.get(entry.id, ())]
        base = next((e for e, tangle in members.items() if entry.id in tangle.listed), None)
        is_in_members = base is not None and entry.id != base and entry.id in members[base].graph
        in_base = members[base].listed[entry.id] if base else []
        if entry.is_signed:
            found[entry.id] = Listed(sorted(set(own)), base, in_base, is_in_members)
            continue
        said = group.listed[entry.id] if entry.id in group.graph else []
        found[entry.id] = Listed([], base, [], is_in_members, said, in_base)
    return found


def own_repairs(oracle: Oracle, peer: str) -> set[tuple[str, str, str | None]]:
    """The repairs for a peer: additions to their epochs, and new epochs that heal forks that they witness.

    The creator of an epoch is a member, as far as additions are concerned (R30). Witnesses are declared (3).
    """
    declared = {epoch: oracle.declared(epoch) for epoch in oracle.standing}
    healed = {
        base
        for base, rivals, _ in oracle.merges()
        if all(peer in oracle.fork(base, rival, declared).witnesses for rival in rivals)
    }
    return {
        (epoch, action, person)
        for epoch, action, person in oracle.repairs()
        if (action != "add" and epoch in healed)
        or (action == "add" and peer in declared[epoch] | {oracle.log[epoch].author})
    }


@pytest.mark.parametrize("chunk", range(CHUNKS))
@pytest.mark.parametrize("is_forged", [False, True])
def test_a_peer_judges_by_what_their_log_shows(chunk: int, is_forged: bool) -> None:
    met: Counter[str] = Counter()
    for seed in seeds(chunk):
        history = History(seed, is_forged=is_forged)
        dice = random.Random(seed)
        messages = {one.message_id: one for one in group_messages(history.log, history.root)}
        listed = lists(history.log, history.root)
        ring = KeyRing(b"pepper").ranked(entry.key for entry in history.log if entry.key)
        key_ranks = {
            entry.id: ring.ranks[ring.hash(entry.key)] if entry.key else None
            for entry in history.log
        }
        ids = {entry.id for entry in history.log}
        peer = dice.choice(MEMBERS)
        some = set(dice.sample(sorted(ids), dice.randint(1, len(ids)))) | {history.root}
        for view in (ids, history.views[peer] & ids, some):
            if history.root not in view:
                continue
            where = f"seed {seed}, {len(view)} of {len(ids)}"
            oracle = Oracle([entry for entry in history.log if entry.id in view], history.root)
            found = peer_epochs(seen(messages, listed, view), key_ranks, peer)
            assert [one.epoch_id for one in found] == oracle.epochs, where
            assert [one.epoch_id for one in found if one.counts] == oracle.standing, where
            assert [one.epoch_id for one in found if one.is_tip] == sorted(oracle.tips), where
            members = {one.epoch_id: one.member_count for one in found if one.counts}
            assert members == {e: len(oracle.declared(e)) for e in oracle.standing}, where
            assert [one.epoch_id for one in found if one.is_member] == [
                epoch for epoch in oracle.standing if peer in oracle.declared(epoch)
            ], where
            preferred = [one.epoch_id for one in found if one.rule]
            assert (preferred or [None])[0] == oracle.preferences().get(peer), where
            assert len(preferred) < 2, where
            detected = Counter(
                epoch
                for pair, fork in oracle.forks().items()
                if peer in fork.witnesses
                for epoch in pair
            )
            assert {one.epoch_id: one.fork_count for one in found if one.fork_count} == detected
            repairs = {one[:3] for epoch in found for one in epoch.repairs}
            assert repairs == own_repairs(oracle, peer), where
            met.update(one.rule or "none" for one in found)
            met.update(one.action for epoch in found for one in epoch.repairs)
            met["forks"] += sum(one.fork_count for one in found)
            met["less"] += len(found) < sum(one.kind == "init" for one in messages.values())
    assert met.keys() >= {"successor", "only", "none", "add", "less"}
    assert met["less"]
    assert met["forks"]


def test_the_creator_of_an_empty_epoch_adds_its_members() -> None:
    """4.1.5. Nobody else has the key yet, so nobody else can."""
    log = Log("abc")
    log.exclude("-c", "a", "c", "X+")
    log.found("H", "a", "", "-c")
    messages = {one.message_id: one for one in group_messages(log.entries, "X")}
    view = seen(messages, lists(log.entries, "X"), messages.keys())
    found = {
        peer: [one[:3] for epoch in peer_epochs(view, {}, peer) for one in epoch.repairs]
        for peer in "ab"
    }
    assert found == {"a": [("H", "add", "a"), ("H", "add", "b")], "b": []}


def repairs_by_peer(log: Log) -> dict[str, set[tuple[str, str, str | None]]]:
    """What each of four people should publish if all of them know all messages."""
    messages = {one.message_id: one for one in group_messages(log.entries, "X")}
    view = seen(messages, lists(log.entries, "X"), messages.keys())
    return {
        peer: {one[:3] for epoch in peer_epochs(view, {}, peer) for one in epoch.repairs}
        for peer in "abcd"
    }


def test_a_witness_heals_the_fork_of_figure_4_and_nobody_else() -> None:
    """4.6. d is in L and no witness: the epoch to create excludes d."""
    log = Log("abcd")
    log.exclude("-c", "a", "c", "X+")
    log.found("L", "a", "abd", "-c")
    log.exclude("-d", "b", "d", "X+")
    log.found("R", "b", "abc", "-d")
    healing = {("L", "create_epoch", None), ("L", "exclude", "d")}
    assert repairs_by_peer(log) == {"a": healing, "b": healing, "c": set(), "d": set()}


def test_who_is_missing_in_an_epoch_is_no_witness_of_its_forks() -> None:
    """4.6 is about declared members, and 4.9 wants both epochs complete first. b cannot add to R."""
    log = Log("abcd")
    log.exclude("-c", "a", "c", "X+")
    log.found("L", "a", "abd", "-c")
    log.exclude("-d", "b", "d", "X+")
    log.found("R", "c", "ac", "-d")
    adding = {("R", "add", "b")}
    healing = {("L", "create_epoch", None), ("L", "exclude", "d")}
    assert repairs_by_peer(log) == {"a": adding | healing, "b": set(), "c": adding, "d": set()}


def test_what_a_message_lists_of_an_unknown_epoch_says_nothing_of_this_group() -> None:
    """The log lacks the epoch E. All messages before F are there otherwise, so F is an outsider's."""
    log = Log("ab")
    log.found("E", "a", "ab", "X+")
    log.entries.append(
        LogMessage(
            "E+c",
            "b",
            "group/add-member",
            {
                "members": {"root": "E", "previous": ["E+"]},
                "group": {"root": "X", "previous": ["X+"]},
            },
            frozenset("c"),
        )
    )
    log.found("F", "x", "bx", "E+c")
    messages = {one.message_id: one for one in group_messages(log.entries, "X")}
    view = seen(messages, lists(log.entries, "X"), messages.keys() - {"E", "E+"})
    found = {one.epoch_id: (one.counts, one.rule) for one in peer_epochs(view, {}, "b")}
    assert found == {"X": (True, "only"), "F": (False, None)}


def additions(
    messages: Mapping[str, GroupMessage], listed: Mapping[str, Listed], view: Collection[str]
) -> list[str]:
    """The messages that add somebody, as a log with some messages shows."""
    return [one.message_id for one in seen(messages, listed, view) if one.kind == "add"]


def test_a_change_that_nobody_can_check_is_no_act_and_still_comes_before_others() -> None:
    """The signed bytes of c's addition are in no log, but a's log has it opened."""
    log = Log("ab")
    log.add("X+c", "a", "c", "X+")
    after = {"root": "X", "previous": ["X+c"]}
    fields: dict[str, object] = {"members": after, "group": after}
    log.say("X+d", "a", "group/add-member", fields, "d")
    messages = {one.message_id: one for one in group_messages(log.entries, "X")}
    messages["X+c"] = messages["X+c"]._replace(kind="other", epoch_id=None, person_ids=())
    listed = lists(log.entries, "X")

    assert additions(messages, listed, messages.keys()) == ["X+", "X+d"]
    assert additions(messages, listed, messages.keys() - {"X+c"}) == ["X+"]


def test_an_unsigned_message_waits_for_what_it_says_that_it_follows() -> None:
    """As in the tangles of all logs (R7): c's addition, d's without its signed bytes, then e's."""
    log = Log("ab")
    log.add("X+c", "a", "c", "X+")
    for previous, person in ("X+c", "d"), ("X+d", "e"):
        after = {"root": "X", "previous": [previous]}
        fields: dict[str, object] = {"members": after, "group": after}
        log.say(f"X+{person}", "a", "group/add-member", fields, person)
    log.entries[-2] = log.entries[-2]._replace(is_signed=False)
    messages = {one.message_id: one for one in group_messages(log.entries, "X")}
    listed = lists(log.entries, "X")

    def positions(view: Collection[str]) -> dict[str, int]:
        return {one.message_id: one.position for one in seen(messages, listed, view)}

    assert additions(messages, listed, messages.keys()) == ["X+", "X+c", "X+e"]
    assert positions(messages.keys()) == {"X": 0, "X+": 1, "X+c": 2, "X+d": 3, "X+e": 4}
    assert additions(messages, listed, messages.keys() - {"X+c"}) == ["X+"]
    assert positions(messages.keys() - {"X+c"}) == {"X": 0, "X+": 1, "X+d": 5, "X+e": 5}
