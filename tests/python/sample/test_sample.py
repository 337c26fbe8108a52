"""The sample logs: read back with plain code, and compared with what their maker says of them."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from argparse import ArgumentParser
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict
from errno import ENOSPC
from functools import cache, cached_property
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from nacl.exceptions import BadSignatureError
from nacl.signing import VerifyKey

from examples import share_of
from oracles import uri
from scuttlehouse.files.listing import list_logs
from scuttlehouse.sample import write
from scuttlehouse.sample.summary import Summary
from scuttlehouse.sample.write import (
    Sample,
    SampleError,
    add_arguments,
    run,
    write_sample,
)

SHIPPED = Path(__file__).parents[3] / "sample"
CASES = [(1, "small"), (2, "small"), (77, "small"), (3, "medium"), (32, "epochs")]
RIVALS = 20


def contents(folder: Path) -> dict[str, bytes]:
    """The files by name, unpacked: zlib builds may differ in how they pack."""
    return {
        path.name: gzip.decompress(path.read_bytes()) if path.suffix == ".gz" else path.read_bytes()
        for path in sorted(folder.glob("*.jsonl*"))
    }


def read_line(line: bytes) -> tuple[str, dict[str, Any]]:
    """What kind of line it is, and the entry if it holds a message."""
    if b"[" * 1_000 in line:
        return "deep_nesting", {}
    try:
        entry = json.loads(line.decode("utf-8"))
    except UnicodeDecodeError:
        return "invalid_utf8", {}
    except json.JSONDecodeError:
        kind = "cut_short" if line.startswith(b"{") else "not_json"
        return (kind if line else "empty_line"), {}
    if not isinstance(entry, dict):
        return ("array" if isinstance(entry, list) else "number"), {}
    if "value" not in entry:
        return "no_value", {}
    if "author" not in entry["value"]:
        return "no_author", {}
    if entry["value"]["sequence"] > 2**53:
        return "huge_sequence", {}
    return "message", entry


class Logs:
    """A sample as read back from its files: all sightings, and the best content of each message."""

    def __init__(self, files: dict[str, bytes], summary: Summary) -> None:
        self.files = files
        self.summary = summary
        self.kinds: Counter[str] = Counter()
        self.sightings: list[tuple[str, dict[str, Any]]] = []
        self.lines: dict[str, int] = {}
        for name, data in files.items():
            lines = data.split(b"\n")
            if lines[-1] == b"":
                lines.pop()
            self.lines[name] = len(lines)
            if name == "devices.jsonl":  # of the second source: see test_sample_sets.py
                continue
            for line in lines:
                kind, entry = read_line(line)
                self.kinds[kind] += 1
                if entry:
                    self.sightings.append((name, entry))
        self.entries: dict[str, dict[str, Any]] = {}
        for _, entry in self.sightings:
            known = self.entries.get(uri(entry["key"]))
            if known is None or isinstance(known["value"]["content"], str):
                self.entries[uri(entry["key"])] = entry
        self.contents: dict[str, dict[str, Any]] = {
            key: entry["value"]["content"]
            for key, entry in self.entries.items()
            if isinstance(entry["value"]["content"], dict)
        }
        self.invalid = {key for keys in summary.invalid.values() for key in keys}

    def of_type(self, kind: str) -> dict[str, dict[str, Any]]:
        return {key: content for key, content in self.contents.items() if content["type"] == kind}

    @cached_property
    def candidates(self) -> dict[tuple[str, str], dict[str, list[str]]]:
        """The candidates of each tangle (kind, root) but its root, with their previous messages."""
        found: dict[tuple[str, str], dict[str, list[str]]] = defaultdict(dict)
        recipe = {"epoch": {"group/init"}, "members": {"group/add-member", "group/exclude-member"}}
        groups = {group.root: group.group_id for group in self.summary.groups}
        for key, content in self.contents.items():
            if key in self.invalid - set(self.summary.invalid["feed_fork"]):
                continue
            for kind, field in tangle_fields(content):
                if not isinstance(field, dict) or not isinstance(field.get("root"), str):
                    continue
                root, previous = uri(field["root"]), field.get("previous")
                if not isinstance(previous, list):
                    continue
                if not all(isinstance(item, str) for item in previous):
                    continue
                if len(set(previous)) < len(previous):
                    continue
                if content["type"] not in recipe.get(kind, {content["type"]}):
                    continue
                if kind == "group" and content.get("recps", [None])[0] != groups.get(root):
                    continue
                found[kind, root][key] = [uri(item) for item in previous]
        return found


def tangle_fields(content: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """The kinds of tangles that a message may be in, each with its field."""
    branch = content.get("branch")
    listed = [branch] if isinstance(branch, str) else branch
    yield "thread", {"root": content.get("root"), "previous": listed}
    tangles = content.get("tangles")
    if isinstance(tangles, dict):
        yield from ((kind, field) for kind, field in tangles.items() if kind != "thread")


@pytest.fixture(scope="module", autouse=True)
def fewer_rivals() -> Iterator[None]:
    """Size `epochs` with a few groups of competing epochs, not a thousand."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setitem(write.TARGETS, "epochs", RIVALS * 500)
        yield
    written.cache_clear()
    made_again.cache_clear()


@cache
def written(seed: int, size: str) -> Logs:
    """A sample as it is read back from the files that it was written to."""
    with TemporaryDirectory() as folder:
        summary = write_sample(Path(folder), seed, size)
        return Logs(contents(Path(folder)), summary)


@cache
def made_again(seed: int, size: str) -> tuple[dict[str, bytearray], list[bytes]]:
    """The files and the secrets of the same sample, made anew."""
    sample = Sample(seed, size)
    files: dict[str, bytearray] = defaultdict(bytearray)
    for name, line in sample.lines():
        files[name] += line
    return files, sample.secrets


@pytest.fixture(scope="module", params=share_of(CASES), ids=lambda case: f"{case[1]}-{case[0]}")
def logs(request: pytest.FixtureRequest) -> Logs:
    return written(*request.param)


@pytest.fixture
def small() -> Logs:
    return written(1, "small")


@pytest.fixture
def rivals() -> Logs:
    return written(32, "epochs")


# The shipped sample


def test_the_shipped_sample_is_what_seed_1_makes(small: Logs) -> None:
    assert contents(SHIPPED) == small.files


def test_the_shipped_sample_is_small() -> None:
    assert sum(path.stat().st_size for path in SHIPPED.glob("*.jsonl*")) < 1_000_000


def test_the_same_seed_makes_the_same_sample(logs: Logs) -> None:
    assert made_again(logs.summary.seed, logs.summary.size)[0] == logs.files


def test_another_seed_makes_other_people(small: Logs) -> None:
    other = Sample(2, "small")
    assert {line for _, line in other.lines()}.isdisjoint(
        line + b"\n" for line in small.files["alice.jsonl"].split(b"\n") if len(line) > 100
    )
    assert set(other.summary.people.values()).isdisjoint(small.summary.people.values())
    assert set(other.secrets).isdisjoint(made_again(1, "small")[1])


# Lines and messages


def test_every_count_of_lines_is_right(logs: Logs) -> None:
    assert logs.lines == logs.summary.files
    assert logs.kinds.pop("message") == logs.summary.messages == len(logs.sightings)
    assert dict(logs.kinds) == logs.summary.bad_lines
    assert len(logs.entries) == logs.summary.distinct_messages
    types = Counter(content["type"] for content in logs.contents.values())
    for kind in ("about", "contact", "vote", "poll", "poll-vote", "metafeed/announce"):
        assert types[kind] == logs.summary.content_types[kind] > 0


def test_every_kind_of_bad_line_is_there(small: Logs) -> None:
    assert set(small.summary.bad_lines) == {
        "not_json",
        "empty_line",
        "array",
        "number",
        "no_value",
        "no_author",
        "invalid_utf8",
        "cut_short",
        "deep_nesting",
        "huge_sequence",
    }


def test_odd_lines_are_there(small: Logs) -> None:
    bob = small.files["bob.jsonl"]
    assert not bob.endswith(b"\n")
    assert bob.count(b"\r\n") == 1
    for text in ("\u2028", "\u0085", "\U0001f41d", '"text":"The first one is void.","text":'):
        assert bob.count(text.encode()) == 1
    assert len(small.summary.odd_lines) == 5


def is_signed(entry: dict[str, Any]) -> bool:
    value = signed_value(entry)
    signature = base64.b64decode(value.pop("signature").removesuffix(".sig.ed25519"))
    author = base64.b64decode(value["author"][1:].removesuffix(".ed25519"))
    text = json.dumps(value, indent=2, ensure_ascii=False)
    try:
        VerifyKey(author).verify(text.encode("utf-8"), signature)
    except BadSignatureError:
        return False
    return True


def has_right_id(entry: dict[str, Any]) -> bool:
    text = json.dumps(signed_value(entry), indent=2, ensure_ascii=False)
    digest = hashlib.sha256(text.encode("utf-16-le")[::2]).digest()
    assert len(text.encode("utf-16-le")) // 2 <= 8192
    return bool(entry["key"] == f"%{base64.b64encode(digest).decode()}.sha256")


def signed_value(entry: dict[str, Any]) -> dict[str, Any]:
    if "meta" not in entry:
        return dict(entry["value"])
    return {**entry["value"], "content": entry["meta"]["originalContent"]}


def test_ids_and_signatures_are_true_but_for_the_named_ones(logs: Logs) -> None:
    classic = [entry for _, entry in logs.sightings if entry["key"].startswith("%")]
    if len(classic) > 2_000:
        classic = classic[::7]
    forged = {uri(entry["key"]) for entry in classic if not is_signed(entry)}
    renamed = {uri(entry["key"]) for entry in classic if not has_right_id(entry)}
    checked = {uri(entry["key"]) for entry in classic}
    assert forged == checked & set(logs.summary.invalid["wrong_signature"])
    assert renamed == checked & set(logs.summary.invalid["wrong_id"])


def test_forgeries_stand_alone_and_in_a_tangle(small: Logs) -> None:
    contents = [small.contents[key] for key in small.summary.invalid["wrong_signature"]]
    assert sorted("tangles" in content for content in contents) == [False, True]
    assert len(small.summary.invalid["wrong_id"]) == 1


def test_members_stand_in_the_order_that_is_signed(logs: Logs) -> None:
    for _, entry in logs.sightings:
        if entry["key"].startswith("%"):
            assert list(entry["value"]) == [
                "previous",
                "sequence",
                "author",
                "timestamp",
                "hash",
                "content",
                "signature",
            ]
        if "meta" in entry:
            assert list(entry) == ["key", "value", "timestamp", "meta"]
            ending = "." + entry["meta"]["encryptionFormat"]
            assert entry["meta"]["private"] is True
            assert entry["meta"]["originalContent"].endswith(ending)


def test_feeds_are_chains_but_for_named_gaps_and_forks(logs: Logs) -> None:
    feeds: dict[str, dict[int, list[str]]] = defaultdict(lambda: defaultdict(list))
    for key, entry in logs.entries.items():
        feeds[entry["value"]["author"]][entry["value"]["sequence"]].append(key)
    gaps, forked = {}, []
    for feed, messages in feeds.items():
        missing = [number for number in range(1, max(messages)) if number not in messages]
        if missing:
            gaps[feed] = missing
        if any(len(keys) > 1 for keys in messages.values()):
            forked.append(feed)
        for number, keys in messages.items():
            before = messages.get(number - 1, [])
            for key in keys:
                previous = logs.entries[key]["value"]["previous"]
                assert (previous is None) == (number == 1)
                if before:
                    assert uri(previous) in before
    assert gaps == logs.summary.feed_gaps
    assert forked == logs.summary.forked_feeds
    pair = sorted(key for keys in feeds[forked[0]].values() if len(keys) > 1 for key in keys)
    assert pair == logs.summary.invalid["feed_fork"]
    assert [2] in gaps.values()


def test_a_clock_may_be_hours_ahead_or_a_day_behind(small: Logs) -> None:
    (late,) = small.summary.warned.values()
    assert isinstance(small.entries[late]["value"]["timestamp"], str)
    ahead = [
        entry["value"]["timestamp"] - entry["timestamp"]
        for entry in small.entries.values()
        if uri(entry["key"]) != late
    ]
    assert max(ahead) > 3_600_000
    assert min(ahead) < -23 * 3_600_000


# Sightings


def test_messages_are_seen_by_several_exporters(logs: Logs) -> None:
    seen: dict[str, list[tuple[str, dict[str, Any]]]] = defaultdict(list)
    for name, entry in logs.sightings:
        seen[entry["key"]].append((name.partition(".")[0].partition("-")[0], entry))
    both, twice = 0, 0
    for sightings in seen.values():
        times = {name: entry["timestamp"] for name, entry in sightings}
        assert len(set(times.values())) == len(times)
        shapes = {name: type(entry["value"]["content"]) for name, entry in sightings}
        both += len(set(shapes.values())) > 1
        twice += len(sightings) - len(times)
    assert both > 10
    assert twice == logs.summary.repeated_messages > 1


def test_what_nobody_opened(logs: Logs) -> None:
    closed = [
        entry["value"]["content"]
        for entry in logs.entries.values()
        if isinstance(entry["value"]["content"], str)
    ]
    opened = sum("meta" in entry for entry in logs.entries.values())
    assert len(closed) == logs.summary.unopened_messages
    assert opened == logs.summary.opened_messages
    assert {text.rpartition(".")[2] for text in closed} == {"box", "box2"}


# Tangles


def candidates(logs: Logs, kind: str, root: str) -> dict[str, list[str]]:
    """The candidates of a tangle but its root, with their previous messages."""
    return logs.candidates.get((kind, root), {})


def test_every_tangle_is_as_stated(logs: Logs) -> None:
    kinds = Counter(tangle.kind for tangle in logs.summary.tangles)
    assert all(
        logs.summary.tangle_counts[kind] == count
        for kind, count in kinds.items()
        if kind != "thread"
    )
    tangles = [t for t in logs.summary.tangles if len(logs.entries) < 5_000 or t.in_graph < 200]
    for tangle in tangles:
        listed = candidates(logs, tangle.kind, tangle.root)
        placed = {tangle.root}
        while more := {
            key
            for key, previous in listed.items()
            if key not in placed and previous and placed.issuperset(previous)
        }:
            placed |= more
        covered = {key for message in placed - {tangle.root} for key in listed[message]}
        absent = {key for previous in listed.values() for key in previous} - set(logs.entries)
        assert len(placed) == tangle.in_graph, tangle
        assert len(listed) + 1 - len(placed) == tangle.set_aside, tangle
        assert sorted(placed - covered) == tangle.tips, tangle
        assert sorted(absent) == tangle.missing, tangle


def test_tangles_branch_merge_and_have_gaps(small: Logs) -> None:
    tangles = small.summary.tangles
    for kind in ("group", "thread"):
        assert any(t.kind == kind and t.missing and t.set_aside > 1 for t in tangles)
    garden = next(group for group in small.summary.groups if group.name == "garden")
    listed = candidates(small, "group", garden.root)
    assert sum(len(previous) > 1 for previous in listed.values()) > 5
    followers = Counter(key for previous in listed.values() for key in previous)
    assert max(followers.values()) > 2
    branches = [content["branch"] for content in small.contents.values() if "branch" in content]
    assert {type(branch) for branch in branches} == {str, list}
    (rootless,) = small.summary.rootless
    assert uri(small.contents[rootless]["root"]) not in small.entries


def test_wrong_fields_and_strays_are_there(small: Logs) -> None:
    poll = next(tangle for tangle in small.summary.tangles if tangle.kind == "poll")
    outside = set(small.summary.wrong_fields.values())
    assert len(outside) == len(small.summary.wrong_fields) == 12
    assert not outside & {poll.root, *candidates(small, "poll", poll.root)}
    assert poll.set_aside == 1
    group = next(group for group in small.summary.groups if group.name == "lost and found")
    for breach, key in small.summary.strays.items():
        assert small.contents[key]["type"] == "post", breach
        for kind in ("group", "epoch", "members"):
            assert key not in candidates(small, kind, group.root), breach


# Groups


def test_people_are_known_by_their_metafeeds(logs: Logs) -> None:
    parents = {
        content["subfeed"]: content["metafeed"]
        for content in logs.contents.values()
        if content["type"] in ("metafeed/add/derived", "metafeed/add/existing")
    }
    for group in logs.summary.groups:
        if not group.is_opened:
            continue
        for feed, name, _ in group.feeds:
            top = parents[parents[parents[feed]]]
            assert top == logs.summary.people[name]
    announced = {content["metafeed"] for content in logs.of_type("metafeed/announce").values()}
    assert announced == set(logs.summary.people.values())
    assert logs.summary.people["grace"] not in parents.values()


def test_declared_members_creators_and_keys(logs: Logs) -> None:
    names = {root: name for name, root in logs.summary.people.items()}
    inits = logs.of_type("group/init")
    adds = logs.of_type("group/add-member")
    for group in logs.summary.groups:
        if not group.is_opened:
            assert group.root not in inits
            continue
        feeds = {feed: (name, label) for feed, name, label in group.feeds}
        keys = {
            epoch.label: base64.b64decode(inits[epoch.epoch_id]["secret"]) for epoch in group.epochs
        }
        ranked = sorted(keys, key=lambda label: keys[label])
        for epoch in group.epochs:
            init = inits[epoch.epoch_id]
            author = logs.entries[epoch.epoch_id]["value"]["author"]
            assert feeds[author] == (epoch.creator, epoch.label)
            assert ranked[epoch.key_rank] == epoch.label
            previous = {e.epoch_id for e in group.epochs if e.label in epoch.previous}
            assert set(init["tangles"]["epoch"]["previous"] or []) == previous
            declared = {
                names[member]
                for add in adds.values()
                if add["tangles"]["members"]["root"] == epoch.epoch_id
                for member in add["recps"][1:]
            }
            assert sorted(declared) == epoch.members


def test_base64_text_of_keys_would_pick_the_wrong_winner(small: Logs) -> None:
    inits = small.of_type("group/init")
    group = next(group for group in small.summary.groups if group.name == "orchard")
    texts = [
        inits[epoch.epoch_id]["secret"] for epoch in sorted(group.epochs, key=lambda e: e.key_rank)
    ]
    assert texts != sorted(texts)


def ancestors(epochs: dict[str, Any], label: str) -> set[str]:
    """The epochs before `label`, by label."""
    before = set(epochs[label].previous)
    return before.union(*(ancestors(epochs, old) for old in before))


def best(epochs: dict[str, Any], labels: list[str]) -> list[str]:
    """Rulings R20 and R21 in plain words: what is left of `labels`, most preferred first."""
    tips = [a for a in labels if not any(a in ancestors(epochs, b) for b in labels)]
    members = {label: set(epochs[label].members) for label in tips}
    left = [a for a in tips if not any(members[b] < members[a] for b in tips)]
    return sorted(left, key=lambda label: epochs[label].key_rank)


def test_forks_and_preferred_epochs(logs: Logs) -> None:
    stated = [group for group in logs.summary.groups if group.preferred]
    random = RIVALS if logs.summary.size == "epochs" else 0
    assert len(stated) == len(logs.summary.groups) - random
    for group in stated:
        epochs = {epoch.label: epoch for epoch in group.epochs}
        people = {name for epoch in group.epochs for name in epoch.members}
        for person in people:
            labels = [label for label, epoch in epochs.items() if person in epoch.members]
            assert group.preferred[person] == best(epochs, labels)[0], (group.name, person)
        assert set(group.preferred) == people
        left = best(epochs, list(epochs))
        is_split = any(
            not set(epochs[a].members) & set(epochs[b].members) for a, b in combinations(left, 2)
        )
        assert group.group_preferred == (None if is_split else left[0]), group.name

        tips = [label for label, epoch in epochs.items() if epoch.is_tip]
        stated = {frozenset((fork.left, fork.right)): fork for fork in group.forks}
        assert set(stated) == {frozenset(pair) for pair in combinations(tips, 2)}
        for fork in group.forks:
            a, b = epochs[fork.left], epochs[fork.right]
            one, two = set(a.members), set(b.members)
            shared = (ancestors(epochs, a.label) | {a.label}) & (
                ancestors(epochs, b.label) | {b.label}
            )
            nearest = [x for x in shared if not any(x in ancestors(epochs, y) for y in shared)]
            witnesses = one & two
            for label in nearest:
                witnesses &= set(epochs[label].members)
            first = min(a, b, key=lambda epoch: epoch.key_rank).label
            rule, winner = (
                ("4.7", None)
                if not witnesses
                else ("4.4", first)
                if one == two
                else ("4.5", a.label)
                if one < two
                else ("4.5", b.label)
                if two < one
                else ("4.6", first)
            )
            assert (fork.rule, fork.winner) == (rule, winner), (group.name, fork)
            assert fork.witnesses == sorted(witnesses)
            assert fork.is_criss_cross == (len(nearest) > 1)


def test_every_kind_of_fork_and_history_is_there(small: Logs) -> None:
    groups = small.summary.groups
    assert {fork.rule for group in groups for fork in group.forks} == {"4.4", "4.5", "4.6", "4.7"}
    assert any(fork.is_criss_cross for group in groups for fork in group.forks)
    assert any(sum(epoch.is_tip for epoch in group.epochs) == 3 for group in groups)
    assert any(
        len(epoch.previous) == 2 and len(group.epochs) == 4 and not group.forks
        for group in groups
        for epoch in group.epochs
    )
    assert any(not epoch.members for group in groups for epoch in group.epochs)
    assert any(group.excluded and len(group.epochs) == 1 for group in groups)
    assert [group.name for group in groups if not group.is_opened] == ["night swimmers"]

    adds = list(small.of_type("group/add-member").values())
    late = [add for add in adds if add.get("oldSecrets")]
    per_root = Counter(add["root"] for add in late)
    assert sorted(per_root.values()) == [1, 2]
    inits = small.of_type("group/init")
    disagreeing = [
        add for add in adds if inits[add["tangles"]["members"]["root"]]["secret"] != add["secret"]
    ]
    assert len(disagreeing) == 1
    shapes = {
        type(item)
        for exclusion in small.of_type("group/exclude-member").values()
        for item in exclusion["excludes"]
    }
    assert shapes == {str, dict}


def test_nobody_lists_what_they_cannot_open(logs: Logs) -> None:
    names = {root: name for name, root in logs.summary.people.items()}
    inits = logs.of_type("group/init")
    adds = logs.of_type("group/add-member")
    for group in logs.summary.groups:
        creators = {epoch.epoch_id: epoch.creator for epoch in group.epochs}
        epoch_ids = {epoch.label: epoch.epoch_id for epoch in group.epochs}
        feeds = {feed: (name, epoch_ids[label]) for feed, name, label in group.feeds}
        held: dict[str, set[str]] = defaultdict(set)
        for epoch_id, creator in creators.items():
            if group.is_opened:
                held[creator].add(inits[epoch_id]["secret"])
        for add in adds.values():
            if add["root"] == group.root:
                for member in add["recps"][1:]:
                    held[names[member]].update([add["secret"], *add.get("oldSecrets", [])])
        written_in = {}
        for key in candidates(logs, "group", group.root):
            if key in adds:
                written_in[key] = adds[key]["tangles"]["members"]["root"]
            else:
                written_in[key] = feeds[logs.entries[key]["value"]["author"]][1]
        for key, previous in candidates(logs, "group", group.root).items():
            author = logs.entries[key]["value"]["author"]
            if author in feeds:
                for listed in set(previous) & set(written_in):
                    assert inits[written_in[listed]]["secret"] in held[feeds[author][0]], key


def test_excluded_feeds_and_sequences_are_real(logs: Logs) -> None:
    feeds = {feed: name for group in logs.summary.groups for feed, name, _ in group.feeds}
    last = Counter(entry["value"]["author"] for entry in logs.entries.values())
    for exclusion in logs.of_type("group/exclude-member").values():
        for item in exclusion["excludes"]:
            if isinstance(item, dict):
                assert list(item) == ["id", "groupFeedId", "sequence"]
                assert item["id"] == logs.summary.people[feeds[item["groupFeedId"]]]
                assert 0 < item["sequence"] <= last[item["groupFeedId"]]


# Competing epochs


def histories(logs: Logs) -> list[Any]:
    """The groups of random histories."""
    return [group for group in logs.summary.groups if not group.preferred]


def causes(previous: dict[str, list[str]], key: str) -> set[str]:
    """The messages that `key` lists, those that they list, and so on."""
    found, open_keys = set(), [key]
    while open_keys:
        more = set(previous.get(open_keys.pop(), ())) - found
        found |= more
        open_keys += more
    return found


def test_competing_epochs_keep_their_bounds(rivals: Logs) -> None:
    groups = histories(rivals)
    assert len(groups) == RIVALS
    assert RIVALS * 500 <= rivals.summary.distinct_messages < RIVALS * 505
    people = [{name for epoch in group.epochs for name in epoch.members} for group in groups]
    assert len(set().union(*people)) == 50
    for bounds, counts in (
        ((4, 50), [len(names) for names in people]),
        ((1, 12), [len(group.epochs) for group in groups]),
        ((1, 8), [sum(epoch.is_tip for epoch in group.epochs) for group in groups]),
    ):
        assert bounds[0] <= min(counts) < max(counts) == bounds[1]


def test_all_of_competing_epochs_is_signed_and_opened(rivals: Logs) -> None:
    invalid = rivals.summary.invalid
    unlike = {
        key
        for key, entry in rivals.entries.items()
        if entry["key"].startswith("%") and not (is_signed(entry) and has_right_id(entry))
    }
    assert unlike == {*invalid["wrong_signature"], *invalid["wrong_id"]}
    feeds = {feed for group in histories(rivals) for feed, _, _ in group.feeds}
    entries = [e for e in rivals.entries.values() if e["value"]["author"] in feeds]
    assert len(entries) > RIVALS * 300
    assert all("meta" in entry for entry in entries)


def test_competing_epochs_fork_in_every_way(rivals: Logs) -> None:
    met: Counter[str] = Counter()
    for group in histories(rivals):
        listed = Counter(tuple(epoch.previous) for epoch in group.epochs if epoch.previous)
        met["chain"] += len(listed) == len(group.epochs) - 1 > 1
        met["fork"] += any(len(labels) == 1 and n > 1 for labels, n in listed.items())
        met["resolving"] += any(len(labels) == 2 for labels in listed)
        met["criss-cross"] += any(len(labels) == 2 and n > 1 for labels, n in listed.items())
        tips = [set(epoch.members) for epoch in group.epochs if epoch.is_tip]
        for a, b in combinations(tips, 2):
            met["same"] += a == b
            met["subset"] += a < b or b < a
            met["overlapping"] += bool(a & b and a - b and b - a)
            met["disjoint"] += not a & b
    assert len(met) == 8
    assert min(met.values()) > 0, met


def test_odd_things_happen_among_competing_epochs(rivals: Logs) -> None:
    inits, adds = rivals.of_type("group/init"), rivals.of_type("group/add-member")
    exclusions = rivals.of_type("group/exclude-member")
    names = {root: name for name, root in rivals.summary.people.items()}
    met: Counter[str] = Counter()
    for group in histories(rivals):
        previous = candidates(rivals, "group", group.root)
        epochs = {epoch.epoch_id: epoch for epoch in group.epochs}
        labels = {epoch.label: epoch for epoch in group.epochs}
        followed = set().union(*(causes(previous, key) for key in epochs))
        excluded = {
            key: {names[e if isinstance(e, str) else e["id"]] for e in exclusions[key]["excludes"]}
            for key in previous
            if key in exclusions
        }
        met["exclusion without an epoch"] += any(key not in followed for key in excluded)
        for epoch in group.epochs:
            met["nobody in it"] += not epoch.members
            met["creator is no member"] += (
                epoch.members != [] and epoch.creator not in epoch.members
            )
        left_out = set().union(*excluded.values())
        for a, b in combinations([set(e.members) for e in group.epochs if e.is_tip], 2):
            met["missing member"] += bool((a ^ b) - left_out)
        feeds = {feed: labels[label] for feed, _, label in group.feeds}
        for key in previous:
            past = causes(previous, key)
            if key in adds:
                root = adds[key]["tangles"]["members"]["root"]
                met["secret of another epoch"] += inits[root]["secret"] != adds[key]["secret"]
                added = {names[root] for root in adds[key]["recps"][1:]}
                gone = set().union(*(excluded[e] for e in past & set(excluded)))
                met["added again"] += len(added) == 1 and added <= gone
            elif key not in inits and key not in excluded:
                label = feeds[rivals.entries[key]["value"]["author"]].label
                successors = {e.epoch_id for e in group.epochs if label in e.previous}
                met["post in a superseded epoch"] += bool(successors & past)
    assert len(met) == 7
    assert min(met.values()) > 0, met
    shapes = Counter(type(item) for e in exclusions.values() for item in e["excludes"])
    assert min(shapes[str], shapes[dict]) > RIVALS


# Secrets


def found_secrets(logs: Logs) -> set[bytes]:
    """Every key that the logs show in the clear."""
    found = set()
    for key, content in logs.contents.items():
        texts = [content.get("secret"), *content.get("oldSecrets", [])]
        if "meta" in logs.entries[key] and "feedpurpose" in content:
            texts.append(content["feedpurpose"])
            found.add(bytes(content["recps"][0]["key"]["data"]))
        found.update(base64.b64decode(text) for text in texts if text is not None)
        if "seed" in content:
            found.add(bytes.fromhex(content["seed"]))
    return found


def test_all_secrets_are_listed_and_none_is_told(logs: Logs) -> None:
    _, made = made_again(logs.summary.seed, logs.summary.size)
    assert len(set(made)) == len(made)
    assert all(len(secret) == 32 for secret in made)
    assert found_secrets(logs) <= set(made)
    told = json.dumps(asdict(logs.summary))
    for secret in made:
        for text in (secret.hex(), base64.b64encode(secret).decode(), str(list(secret))):
            assert text not in told


# Sizes and the command


def test_larger_samples_are_streamed() -> None:
    sample = Sample(1, "huge")
    assert len(list(islice(sample.lines(), 3_000))) == 3_000
    assert sample.summary.distinct_messages < 20_000


def test_competing_epochs_are_streamed() -> None:
    sample = Sample(1, "epochs")
    assert len(list(islice(sample.lines(), 2_000))) == 2_000
    assert sample.summary.distinct_messages < 4_000


def test_medium_has_ten_thousand_messages_in_more_files() -> None:
    medium = written(3, "medium")
    assert medium.summary.distinct_messages >= 10_000
    assert set(medium.files) == {
        f"{name}{part}" for name in ("alice", "bob", "relay") for part in parts(name)
    }
    files = medium.files.items()
    assert all(data.endswith(b"\n") for name, data in files if name != "bob.jsonl")


def parts(name: str) -> list[str]:
    ending = ".jsonl.gz" if name == "relay" else ".jsonl"
    return [ending, f"-2{ending}"]


def test_an_unknown_size_is_refused() -> None:
    with pytest.raises(ValueError, match="There is no sample size 'tiny': use one of small"):
        Sample(1, "tiny")


def test_a_folder_that_is_a_file_is_told_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "a\x1b file").write_text("")
    parser = ArgumentParser()
    add_arguments(parser)
    assert run(parser.parse_args(["--out", str(tmp_path / "a\x1b file")])) == 1
    said = capsys.readouterr().err
    assert said.startswith(
        f"The sample cannot be written to {tmp_path}/a\\x1b file (File exists): "
    )


def test_the_command_writes_and_says_so(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], small: Logs
) -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    args = parser.parse_args(["--out", str(tmp_path / "new" / "folder")])
    assert run(args) == 0
    assert contents(tmp_path / "new" / "folder") == small.files
    assert capsys.readouterr().out.startswith(f"Wrote {small.summary.messages} messages")


def test_a_log_of_the_same_name_is_never_replaced(tmp_path: Path) -> None:
    (tmp_path / "alice.jsonl").write_text("a log of years\n")
    with pytest.raises(
        SampleError, match=r" holds other files named alice\.jsonl, so nothing was "
    ):
        write_sample(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["alice.jsonl"]
    assert (tmp_path / "alice.jsonl").read_text() == "a log of years\n"


def test_a_sample_is_written_again_where_it_is(tmp_path: Path) -> None:
    write_sample(tmp_path)
    before = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    (tmp_path / "bob.jsonl").unlink()
    write_sample(tmp_path)
    after = {path.name: path.stat().st_ino for path in tmp_path.iterdir()}
    assert after.keys() == before.keys()
    # What is there stays, so a build does not read it again.
    assert after["alice.jsonl"] == before["alice.jsonl"]


def test_an_unfinished_sample_is_no_log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails_after_a_line(_: Sample) -> Iterator[tuple[str, bytes]]:
        yield "alice.jsonl", b"{}\n"
        assert [log.problem is None for log in list_logs(tmp_path)] == [False]
        raise OSError(ENOSPC, "No space left on device")

    monkeypatch.setattr(Sample, "lines", fails_after_a_line)
    with pytest.raises(OSError, match="No space left"):
        write_sample(tmp_path)
    assert not [*tmp_path.iterdir()]


def test_a_folder_needs_a_name(capsys: pytest.CaptureFixture[str]) -> None:
    parser = ArgumentParser()
    add_arguments(parser)
    with pytest.raises(SystemExit):
        parser.parse_args(["--out", ""])
    assert "the name of the folder is empty" in capsys.readouterr().err
