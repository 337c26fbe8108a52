"""Generated histories as a log, through a whole build. The tables must be what the oracle says.

One build reads all histories, which share people, odd groups, and unrelated logs. `test_group_histories.py`
compares thousands without a warehouse.
"""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Rows, Unrelated
from group_histories import History
from group_oracle import LogMessage, Oracle
from scuttlehouse.sample.groups import Group
from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.signing import ClassicFeed, base64_text, uri_text
from scuttlehouse.sample.world import World

SEEDS = range(7_000, 7_040)
TABLES = (
    "dim_groups",
    "dim_epochs",
    "fct_epoch_links",
    "fct_epoch_precedence",
    "fct_epoch_members",
    "fct_epoch_forks",
    "fct_fork_witnesses",
    "fct_preferred_epochs",
    "fct_epoch_repairs",
    "fct_exclusions",
    "fct_group_audit_log",
    "fct_membership_history",
    "fct_messages",
    "fct_tangle_messages",
    "fct_tangle_gaps",
)
READER = frozenset({"reader"})


class Written(NamedTuple):
    """A history as written to its log: messages and people by their ids."""

    group_id: str
    root: str
    log: list[LogMessage]


def write(world: World, seed: int, lines: list[bytes]) -> Written:
    """Sign the messages of a history, each on an additions feed of its author."""
    history = History(seed)
    ids: dict[str, str] = {"nothing": f"ssb:message/classic/{uri_text(world.bytes_for('lost'))}"}
    people = {person: world.person(person).root.id for person in history.views}
    group_id = f"ssb:identity/group/{uri_text(world.bytes_for(f'group {seed}'))}"
    written = []
    for entry in history.entries:
        fields = {kind: translated(field, ids) for kind, field in entry.fields.items()}
        content: dict[str, Any] = {"type": entry.type, "tangles": fields}
        recps = [group_id, *sorted(people[one] for one in entry.people)]
        if entry.type == "group/exclude-member":
            content["excludes"], recps = recps[1:], recps[:1]
        if entry.type == "group/add-member":
            content["root"] = ids[history.root]
        if entry.id != history.root:
            content["recps"] = recps
        if entry.key:
            content["secret"] = base64_text(entry.key)
        # The author gives a time that says nothing about the order.
        time = entry.time or 0
        message = world.person(entry.author).additions.publish(
            content, world.tick(), READER, world.ciphertext(content, 2, "box2"), timestamp=time
        )
        ids[entry.id] = message.uri
        if entry.id not in history.lost:
            lines.append(line_of(message, "reader", message.at))
            written.append(
                LogMessage(
                    message.uri,
                    people[entry.author],
                    entry.type,
                    fields,
                    frozenset(people[one] for one in entry.people),
                    entry.key,
                    time,
                )
            )
    return Written(group_id, ids[history.root], written)


def translated(field: object, ids: dict[str, str]) -> object:
    if not isinstance(field, dict):
        return field
    found = dict(field)
    if field.get("root"):
        found["root"] = ids[field["root"]]
    if field.get("previous"):
        found["previous"] = [ids[one] for one in field["previous"]]
    return found


class OddGroups:
    """Small groups for the tests of cut-offs and of other special cases."""

    def __init__(self, world: World) -> None:
        self.group = group = Group(world, "odd", ["a", "b", "c"], ["X", "H"])
        group.start("a", "X", ["b", "c"])
        group.sync()
        self.before = group.post("c", "X", "before")
        group.exclude("a", "X", ["c"], as_objects=True)
        group.found("a", "H", ["X"], ["a", "b"])
        self.late = [group.post("c", "X", text) for text in ("late", "later")]
        group.sync()
        nothing = {"root": None, "previous": None}
        content = {
            "type": "group/init",
            "secret": base64_text(world.secret_for("lonely")),
            "tangles": dict.fromkeys(("group", "epoch", "members"), nothing),
        }
        feed = ClassicFeed(world.bytes_for("lonely feed"))
        self.lonely = world.publish(feed, content, READER)
        # As before epochs (R38), but with a members tangle that it is not the root of (R32).
        field = {"root": self.lonely.uri, "previous": [self.lonely.uri]}
        content = {"type": "group/init", "tangles": {"group": nothing, "members": field}}
        self.early = world.publish(feed, content, READER)
        self.cut_twice = self.with_two_cut_offs(world)
        self.cut_first = self.with_a_cut_off_before_its_first_message(world)
        self.continued = self.with_three_epochs(world, "continued")
        self.rootless = self.with_three_epochs(world, "rootless")
        self.headless = self.with_three_epochs(world, "headless")
        self.gap = self.with_a_gap(world)
        # The reader opened these, and the log lacks their ciphertext.
        self.without_bytes = {self.continued.epochs["E"].init, self.rootless.root}
        self.missing = {self.headless.root}

    def with_two_cut_offs(self, world: World) -> Group:
        """c writes to the group on two feeds, and once to everybody, after an exclusion cut both off."""
        group = Group(world, "cut twice", ["a", "b", "c"], ["X"])
        group.start("a", "X", ["b", "c"])
        group.sync()
        group.post("c", "X", "before")
        group.add("c", "X", ["b"])
        group.sync()
        person = world.person("c")
        excludes = [
            {"id": person.root.id, "groupFeedId": feed.id, "sequence": feed.sequence}
            for feed in (person.additions, group.feed("c", "X"))
        ]
        content = {"type": "group/exclude-member", "excludes": excludes, "recps": [group.id]}
        feed = group.feed("a", "X")
        group._publish("a", group.epochs["X"], content, feed, with_members=True)
        group.post("c", "X", "late")
        group.add("c", "X", ["b"])
        world.publish(person.additions, {"type": "post", "text": "to everybody"})
        return group

    def with_a_cut_off_before_its_first_message(self, world: World) -> str:
        """The founder leaves, on a feed that nobody announced. The id of the group."""
        group_id = f"ssb:identity/group/{uri_text(world.bytes_for('cut first'))}"
        feed = ClassicFeed(world.bytes_for("cut first feed"))
        nothing = {"root": None, "previous": None}
        tangles = dict.fromkeys(("group", "epoch", "members"), nothing)
        root = world.publish(feed, {"type": "group/init", "tangles": tangles}, READER)
        out = {"id": feed.id, "groupFeedId": feed.id, "sequence": 0}
        acts: list[dict[str, Any]] = [
            {"type": "group/add-member", "root": root.uri, "recps": [group_id, feed.id]},
            {"type": "group/exclude-member", "excludes": [out], "recps": [group_id]},
        ]
        last = root
        for act in acts:
            field = {"root": root.uri, "previous": [last.uri]}
            act["tangles"] = {"group": field, "members": field}
            last = world.publish(feed, act, READER)
        return group_id

    def with_a_gap(self, world: World) -> Group:
        """After a lost post, b is excluded and added again, c is added and excluded, and d is added."""
        group = Group(world, "gap", ["a", "b", "c", "d"], ["X"])
        group.start("a", "X", ["b"])
        group.post("a", "X", "lost", lost=True)
        group.exclude("a", "X", ["b"])
        group.add("a", "X", ["b", "c"])
        group.exclude("a", "X", ["c"])
        group.add("a", "X", ["d"])
        return group

    def with_three_epochs(self, world: World, name: str) -> Group:
        group = Group(world, name, ["a", "b"], ["X", "E", "Z"])
        group.start("a", "X", ["b"])
        group.found("a", "E", ["X"], ["a", "b"])
        group.found("a", "Z", ["E"], ["a", "b"])
        return group


class Histories(NamedTuple):
    """All histories and the odd groups, in one log."""

    log: Path
    written: list[Written]
    odd: OddGroups


def write_histories(log: Path) -> Histories:
    world, lines = World(3, "histories"), []
    written = [write(world, seed, lines) for seed in SEEDS]
    odd = OddGroups(world)
    for message, _ in world._published:
        if message.readers is not None:
            message.readers = frozenset({*message.readers, "reader"})
        line = line_of(message, "reader", message.at)
        if message.uri in odd.missing:
            continue
        if message.uri in odd.without_bytes:
            line = json_line({key: part for key, part in json.loads(line).items() if key != "meta"})
        lines.append(line)
    log.write_bytes(b"".join(lines))
    return Histories(log, written, odd)


@pytest.fixture(scope="module")
def tables(unrelated_logs: Unrelated) -> dict[str, Rows]:
    return {name: unrelated_logs.tables[name] for name in TABLES}


def pairs(rows: Rows, flag: str) -> dict[str, set[str]]:
    found: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        if row[flag]:
            found[row["epoch_id"]].add(row["person_id"])
    return found


def test_the_tables_are_what_the_oracle_says(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    for written, seed in zip(written_histories.written, SEEDS, strict=True):
        oracle, where = Oracle(written.log, written.root), f"seed {seed}"
        own = {
            name: [row for row in rows if row["group_id"] == written.group_id]
            for name, rows in tables.items()
        }
        epochs = {row["epoch_id"]: row for row in own["dim_epochs"]}
        assert {epoch: row["is_authorized"] for epoch, row in epochs.items()} == {
            epoch: oracle.authority(epoch) for epoch in oracle.epochs
        }, where
        standing = {
            epoch
            for epoch, row in epochs.items()
            if row["has_valid_members_tangle"] and row["is_authorized"] is not False
        }
        assert standing == set(oracle.standing), where
        assert {e for e, row in epochs.items() if row["is_tip"]} == set(oracle.tips), where
        for flag, answer in (("is_declared", oracle.declared), ("is_correct", oracle.correct)):
            found = pairs(own["fct_epoch_members"], flag)
            expected = {epoch: set(answer(epoch)) for epoch in oracle.standing if answer(epoch)}
            assert found == expected, f"{where}, {flag}"
        again = {
            (row["epoch_id"], row["person_id"])
            for row in own["fct_epoch_members"]
            if row["is_readded"]
        }
        assert again == {
            (epoch, person)
            for epoch in oracle.standing
            for person in oracle.declared(epoch)
            if oracle.is_readded(epoch, person)
        }, where
        still = {
            (row["epoch_id"], row["person_id"]): row["is_still_excluded"]
            for row in own["fct_epoch_members"]
        }
        last = oracle.last_changes()
        assert {pair: still[pair] for pair in last} == last, where
        current = [row for row in own["fct_epoch_forks"] if row["is_current"]]
        assert {
            (row["left_epoch_id"], row["right_epoch_id"]): (
                row["rule"],
                row["winner_epoch_id"],
                {
                    one["person_id"]
                    for one in own["fct_fork_witnesses"]
                    if one["left_epoch_id"] == row["left_epoch_id"]
                    and one["right_epoch_id"] == row["right_epoch_id"]
                },
            )
            for row in current
        } == {pair: tuple(fork) for pair, fork in oracle.forks().items()}, where
        preferences = {row["person_id"]: row["epoch_id"] for row in own["fct_preferred_epochs"]}
        (group,) = own["dim_groups"]
        assert preferences | {None: group["preferred_epoch_id"]} == oracle.preferences(), where
        assert {
            (row["epoch_id"], row["action"], row["person_id"]) for row in own["fct_epoch_repairs"]
        } == oracle.repairs(), where
        assert {(row["message_id"], row["counts"]) for row in own["fct_exclusions"]} == {
            (act, oracle.authority(act) is not False)
            for graph in oracle.members_graphs.values()
            for act in graph
            if oracle.log[act].type == "group/exclude-member"
        }, where


def test_a_cut_off_is_stored_and_later_messages_are_marked(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    odd = written_histories.odd
    (row,) = [one for one in tables["fct_exclusions"] if one["group_id"] == odd.group.id]
    feed = odd.group.feed("c", "X")
    assert row["group_feed_id"] == feed.id
    assert row["cutoff_sequence"] == odd.before.value["sequence"]
    assert row["late_message_count"] == 2
    assert row["following_epoch_id"] == odd.group.epochs["H"].init
    past = {
        one["message_id"]
        for one in tables["fct_group_audit_log"]
        if one["group_id"] == odd.group.id and one["is_past_cutoff"]
    }
    assert past == {message.uri for message in odd.late}


def test_each_feed_of_a_person_has_its_own_cut_off(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """What is_past_cutoff marks is what late_message_count counts. A public message is of no group."""
    group = written_histories.odd.cut_twice
    (row,) = [one for one in tables["fct_exclusions"] if one["group_id"] == group.id]
    assert row["late_message_count"] == 2
    feeds = {group.world.person("c").additions.id, group.feed("c", "X").id}
    written = {
        "fct_group_audit_log": [
            one for one in tables["fct_group_audit_log"] if one["group_id"] == group.id
        ],
        "fct_messages": [one for one in tables["fct_messages"] if one["feed_id"] in feeds],
    }
    for name, rows in written.items():
        past = {(one["message_id"], one["content_type"]) for one in rows if one["is_past_cutoff"]}
        assert sorted(type for _, type in past) == ["group/add-member", "post"], name


def test_a_message_is_past_the_cut_off_in_both_tables_or_in_none(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """The first message of a group is addressed to nobody. The audit log marked it, fct_messages did not."""
    messages = {one["message_id"]: one for one in tables["fct_messages"]}
    told = tables["fct_group_audit_log"]
    for row in told:
        message = messages[row["message_id"]]
        if message["group_id"] in (row["group_id"], None):
            assert row["is_past_cutoff"] == message["is_past_cutoff"], row
    own = [one for one in told if one["group_id"] == written_histories.odd.cut_first]
    marks = {one["action"]: one["is_past_cutoff"] for one in own}
    assert marks == {"init": False, "add": True, "exclude": True}


def test_a_group_with_only_its_first_message_in_the_log(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    uri = written_histories.odd.lonely.uri
    rows = [row for row in tables["dim_groups"] if row["root_id"] == uri]
    assert [row["group_id"] for row in rows] == [f"unnamed:{uri}"]
    assert (rows[0]["epoch_count"], rows[0]["person_count"], rows[0]["repair_count"]) == (1, 0, 0)
    (epoch,) = [row for row in tables["dim_epochs"] if row["epoch_id"] == uri]
    assert (epoch["group_id"], epoch["member_count"], epoch["is_tip"]) == (
        f"unnamed:{uri}",
        0,
        True,
    )


def test_a_group_before_epochs_without_a_members_tangle(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """Anybody can found such a group: it stopped every build."""
    uri = written_histories.odd.early.uri
    (row,) = [row for row in tables["dim_groups"] if row["root_id"] == uri]
    assert (row["protocol"], row["epoch_count"], row["tip_count"]) == ("before_epochs", 1, 0)
    assert row["preferred_epoch_id"] is row["current_member_count"] is None


def test_first_messages_whose_signed_bytes_are_not_in_the_log(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """Such an epoch stands for those before it, and such a group has no rows. Both stopped every build."""
    odd = written_histories.odd
    epochs = odd.continued.epochs
    (group,) = [one for one in tables["dim_groups"] if one["group_id"] == odd.continued.id]
    assert (group["epoch_count"], group["tip_count"]) == (2, 1)
    assert group["preferred_epoch_id"] == epochs["Z"].init
    authorized = {one["epoch_id"]: one["is_authorized"] for one in tables["dim_epochs"]}
    assert authorized[epochs["Z"].init]
    assert epochs["E"].init not in authorized
    ids = {epoch.init for epoch in epochs.values()}
    assert not [row for row in tables["fct_epoch_links"] if row["epoch_id"] in ids]
    (row,) = [row for row in tables["fct_epoch_precedence"] if row["epoch_id"] in ids]
    assert row["epoch_id"] == epochs["Z"].init
    assert (row["predecessor_id"], row["distance"]) == (epochs["X"].init, 2)
    of_rootless = {epoch.init for epoch in odd.rootless.epochs.values()}
    assert not of_rootless & authorized.keys()
    assert odd.rootless.id not in {one["group_id"] for one in tables["dim_groups"]}


def test_messages_wait_for_the_first_message_of_their_group(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """R8. They were rejected for good, and no gap of the group's tangle named the message that they lack."""
    group = written_histories.odd.headless
    kinds = ("group", "epoch", "members")
    tangles = {f"{kind}:{group.root}" for kind in kinds}
    found = [row for row in tables["fct_tangle_messages"] if row["tangle_id"] in tangles]
    assert {row["tangle_kind"] for row in found} == set(kinds)
    assert {row["status"] for row in found} == {"set_aside"}
    assert {row["status_reason"] for row in found} == {"missing", "previous_set_aside"}
    gaps = {
        row["tangle_id"] for row in tables["fct_tangle_gaps"] if row["missing_id"] == group.root
    }
    assert gaps == tangles
    assert group.id not in {row["group_id"] for row in tables["dim_groups"]}


def test_after_a_missing_message_it_is_known_who_is_out(
    tables: dict[str, Rows], written_histories: Histories
) -> None:
    """The timeline does not hold what follows a missing message. b was out after the addition, too."""
    group = written_histories.odd.gap
    people = {group.world.person(name).root.id: name for name in group.people}
    periods = {
        people[row["person_id"]]: row
        for row in tables["fct_membership_history"]
        if row["group_id"] == group.id and row["is_current"]
    }
    assert {name for name, row in periods.items() if row["is_excluded"]} == {"c"}
    assert set(periods) == set("abcd")
    added = {
        people[row["person_id"]]: row["added_at"]
        for row in tables["fct_epoch_members"]
        if row["group_id"] == group.id
    }
    assert {name: row["valid_from_at"] for name, row in periods.items()} == added


def test_keys_of_other_lengths(tables: dict[str, Rows], written_histories: Histories) -> None:
    """A key of 48 bytes has a rank. One of 16 bytes has none and is flagged (R31). Outsiders have none."""
    by_epoch = {row["epoch_id"]: row for row in tables["dim_epochs"]}
    found, outsiders = set(), 0
    for written in written_histories.written:
        own = [entry for entry in written.log if entry.id in by_epoch]
        ranked = [entry for entry in own if by_epoch[entry.id]["is_authorized"] is not False]
        outsiders += len(own) - len(ranked)
        for entry in own:
            row, length = by_epoch[entry.id], len(entry.key or b"")
            assert row["has_short_key"] == (0 < length < 32)
            assert (row["key_rank"] is None) == (length < 32 or entry not in ranked)
            found.add(length)
        known = sorted({entry.key for entry in ranked if entry.key and len(entry.key) >= 32})
        for entry in ranked:
            if entry.key in known:
                assert by_epoch[entry.id]["key_rank"] == known.index(entry.key) + 1
    assert outsiders
    assert found >= {0, 16, 32, 48}
