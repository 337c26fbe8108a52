"""Threads in real builds: one thread from several exporters, each with its own clock."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

from conftest import Rows, Unrelated
from odd_threads import OddThreads, Place, places
from oracles import ThreadPost, kahn_order
from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.signing import ClassicFeed, Message

NOON = 1_714_564_800_000
# How many milliseconds after publishing each exporter received a message.
DELAYS = {"near": 2_000, "far": 50_000, "late": 900_000}
ODD_SEEDS = range(12)
OF_MESSAGE = "thread:ssb:message/"


def thread() -> list[Message]:
    """A thread in both spellings, by three feeds. The clock of one of them is in the year 9999.

    What the root says of its own thread is faulty, and so is what the post with ``branch`` says beside it.
    """
    ann, bob, future = (ClassicFeed(bytes([seed]) * 32) for seed in (1, 2, 3))
    future.clock = 253_402_300_799_000 - NOON - 100_000
    odd = {"thread": {"root": None, "previous": []}}
    root = ann.publish({"type": "post", "text": "hello", "tangles": odd}, NOON)
    future.publish({"type": "post", "text": "first of my feed"}, NOON)

    def tangled(*previous: Message) -> dict[str, object]:
        listed = {"root": root.key, "previous": [message.key for message in previous]}
        return {"type": "post", "text": "so it is", "tangles": {"thread": listed}}

    def branched(*previous: Message) -> dict[str, object]:
        branch = [message.key for message in previous]
        post = {"type": "post", "text": "ah", "root": root.key, "branch": branch}
        return {**post, "tangles": {"thread": {"root": None}}}

    dreamt = future.publish(tangled(root), NOON + 10_000)
    old = bob.publish(branched(root), NOON + 20_000)
    negative = bob.publish(branched(root), NOON + 30_000, timestamp=-5)
    clueless = ann.publish(tangled(root), NOON + 15_000, timestamp="today")
    merge = ann.publish(tangled(dreamt, old), NOON + 40_000)
    last = bob.publish(branched(merge, clueless), NOON + 41_000)
    return [root, dreamt, old, negative, clueless, merge, last]


def write_exports(folder: Path) -> list[Path]:
    """The log of each exporter."""
    logs = []
    for exporter, delay in DELAYS.items():
        logs.append(folder / f"{exporter}.jsonl")
        lines = [line_of(message, exporter, message.at + delay) for message in thread()]
        logs[-1].write_bytes(b"".join(lines))
    return logs


def odd_threads(seed: int) -> OddThreads:
    return OddThreads.write(seed, 80 if seed % 2 else 20)


def write_odd_threads(folder: Path) -> Path:
    """The messages of all seeds in one log."""
    log = folder / "odd_threads.jsonl"
    lines = (line for seed in ODD_SEEDS for line in odd_threads(seed).lines)
    log.write_bytes(b"".join(map(json_line, lines)))
    return log


def read_thread(tables: dict[str, Rows], root: Message) -> Rows:
    rows = [
        row for row in tables["fct_thread_messages"] if row["tangle_id"] == f"thread:{root.uri}"
    ]
    return sorted(rows, key=lambda row: int(row["thread_position"]))


def test_one_thread_from_three_exporters_is_one(
    unrelated_logs: Unrelated, last_logs: Unrelated
) -> None:
    """The rows are the same for any exporters in any order."""
    messages = thread()
    rows = read_thread(unrelated_logs.tables, messages[0])

    def time(message: Message) -> float:
        asserted, received = message.value["timestamp"], message.at + DELAYS["near"]
        return received if isinstance(asserted, str) else min(asserted, received)

    names = {message.key: message.uri for message in messages}
    posts = {message.uri: ThreadPost([], time(message)) for message in messages}
    for message in messages[1:]:
        content = message.content
        listed = (
            content["branch"] if "branch" in content else content["tangles"]["thread"]["previous"]
        )
        posts[message.uri] = ThreadPost([names[key] for key in listed], time(message))
    order = [row["message_id"] for row in rows]
    assert order == kahn_order(posts)
    assert [row["is_concurrent"] for row in rows] == [
        None,
        *(above not in posts[name].previous for above, name in pairwise(order)),
    ]
    faults = {row["message_id"]: row["asserted_time_fault"] for row in rows}
    _, dreamt, _, negative, clueless, _, last = (message.uri for message in messages)
    assert {name: fault for name, fault in faults.items() if fault} == {
        dreamt: "after_received",
        negative: "before_1970",
        clueless: "missing",
    }
    assert [row["message_id"] for row in rows if row["is_tip"]] == sorted(
        [negative, last], key=order.index
    )

    assert read_thread(last_logs.tables, messages[0]) == rows


def test_random_threads_read_as_the_rulings_say(unrelated_logs: Unrelated) -> None:
    """Every message that names a root is at its place, in whatever form, and however odd the others are."""
    tables = unrelated_logs.tables
    whole = {(row["tangle_id"], row["message_id"]): row for row in tables["fct_thread_messages"]}
    found = {}
    for row in tables["fct_tangle_messages"]:
        key = row["tangle_id"], row["message_id"]
        # A field that names no root is in a tangle of its own.
        is_own = row["tangle_id"] == f"thread:{row['message_id']}"
        names_no_root = is_own and row["status"] == "rejected" and not row["is_root"]
        if row["tangle_id"].startswith(OF_MESSAGE) and not names_no_root:
            shown = whole.get(key, {})
            found[key] = Place(
                *(row[name] for name in ("status", "rank", "thread_position", "is_root", "is_tip")),
                *(shown.get(name) for name in ("attached_by", "thread_position", "is_concurrent")),
            )
    for seed in ODD_SEEDS:
        posts = odd_threads(seed).posts
        in_tables = {key: place for key, place in found.items() if key[1] in posts}
        assert in_tables == places(posts), f"odd_threads({seed})"
