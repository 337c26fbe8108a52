"""A stranger's log beside the sample changes only what SECURITY.md allows of what others said.

The stranger has seen every message and holds nobody's key. The log comes first by its name. It has copies
of all messages with changes, other plaintexts of private messages, the same plaintexts with other things
beside them, impossible times, claims about the owners of feeds, invalid messages under the ids that others
list and no log has, and messages that list more than Java has memory for. It has groups of the stranger,
whose messages say anything. The log of another person has a message of theirs with a seed.
"""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attackers import invented_key
from conftest import OF_BUILDS, BesideAStranger, Build, Rows
from odd_groups import known_groups, odd_groups
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed
from scuttlehouse.ssb.bendybutt import root_metafeed

Json = dict[str, Any]
STRANGER = "stranger.jsonl"
LONG_AGO = -1_000_000_000_000
ODD_GROUPS = int(os.environ.get("SCUTTLEHOUSE_TEST_ODD_GROUPS", "20"))
LONG_LINES = 20


def lines_of(path: Path) -> list[Json]:
    data = path.read_bytes()
    texts = (gzip.decompress(data) if path.suffix == ".gz" else data).split(b"\n")
    found = []
    for text in texts:
        try:
            line = json.loads(text)
        except (ValueError, RecursionError):
            continue
        if (
            isinstance(line, dict)
            and isinstance(line.get("value"), dict)
            and "author" in line["value"]
        ):
            found.append(line)
    return found


def owner_of(lines: list[Json]) -> str | None:
    """The root metafeed that belongs to an opened seed in the log."""
    for line in lines:
        content = line["value"]["content"]
        if isinstance(content, dict) and content.get("type") == "metafeed/seed":
            return str(content["metafeed"])
    return None


def hostile_lines(
    logs: dict[str, list[Json]], people: dict[str, str], missing: set[str]
) -> Iterator[Json]:
    """``people`` is the person of each feed in the tables before the stranger's log arrives."""
    main, metafeed = ClassicFeed(bytes([66] * 32)), BendyFeed(bytes([67] * 32))
    own = claim(main, metafeed.id)
    yield own
    yield from long_lines()
    for message_id in missing:
        yield {**own, "key": message_id}
        # Two plaintexts of a message that is invalid whatever it says.
        for text in ("Yes.", "No."):
            said = {"content": {"type": "post", "text": text}, "sequence": 0.5, "private": True}
            yield {**own, "key": message_id, "value": own["value"] | said}
    for lines in logs.values():
        owner = owner_of(lines)
        if owner:
            # The named metafeed has not signed this, or it is in that metafeed's name without its key.
            yield claim(main, owner)
            yield forged_announcement(owner, main.id)
        for line in lines:
            value, content = line["value"], line["value"]["content"]
            # The unchanged message, received before Scuttlebutt existed.
            yield {**line, "timestamp": LONG_AGO}
            changed = {**content, "more": 1} if isinstance(content, dict) else "AAAA.box2"
            if "meta" not in line:
                yield {**line, "value": {**value, "content": changed}}
            elif owner and people.get(value["author"]) == owner:
                # Another plaintext of the same ciphertext. The owner's own log decides.
                yield {**line, "value": {**value, "content": changed}}
                other = {
                    "type": "group/exclude-member",
                    "excludes": [owner],
                    "recps": content.get("recps"),
                }
                yield {**line, "value": {**value, "content": other}}
                yield from same_plaintexts(line)
            if isinstance(content, str):
                opened = {**value, "content": {"type": "post"}, "private": True}
                yield {**line, "key": invented_key(line["key"]), "value": opened}
    yield from known_groups()
    yield from odd_groups(ODD_GROUPS)


def same_plaintexts(line: Json) -> Iterator[Json]:
    """An opened message with its plaintext, and other things beside it, which nobody has signed."""
    value = line["value"]
    for changed in (
        {"contentSignature": value["signature"]},
        {"author": BendyFeed(bytes([67] * 32)).id},
        {"timestamp": value["timestamp"] + 1},
        {"signature": "reboxed"},
    ):
        yield {**line, "value": {**value, **changed}}
        yield {**line, "value": {**value, **changed}, "meta": {"private": True}}


def long_lines() -> Iterator[Json]:
    """Lines that list more than any message can, and many under one id that list as much as a row keeps."""
    own = ClassicFeed(bytes([69] * 32)).publish({"type": "post"}, 1_700_000_000_000)
    for count in [200_000] * LONG_LINES + [2_000] * 300:
        content = {"type": "post", "excludes": ["a"] * count}
        yield {"key": own.key, "value": {**own.value, "content": content, "private": True}}


def public_seed() -> Json:
    """A seed that a stranger tells everybody, so that it is in everybody's log."""
    seed = bytes([66] * 32)
    content = {"type": "metafeed/seed", "metafeed": root_metafeed(seed), "seed": seed.hex()}
    message = ClassicFeed(bytes([70] * 32)).publish(content, 1_700_000_000_000)
    return {"key": message.key, "value": message.value, "timestamp": message.at}


def claim(main: ClassicFeed, metafeed: str) -> Json:
    content = {"type": "metafeed/announce", "metafeed": metafeed, "subfeed": main.id}
    message = main.publish(
        {**content, "signature": main.signer.sign(b"nothing")}, 1_700_000_000_000
    )
    return {"key": message.key, "value": message.value, "timestamp": message.at}


def forged_announcement(metafeed: str, subfeed: str) -> Json:
    forger = BendyFeed(bytes([68] * 32))
    forger.id = metafeed
    content = {"type": "metafeed/add/existing", "metafeed": metafeed, "subfeed": subfeed}
    message = forger.publish(content, 1_700_000_000_000)
    return {"key": message.key, "value": message.value, "timestamp": message.at}


def put_hostile_lines(landing: Path, built: Build) -> None:
    """Write the stranger's log beside those of a build, and a message with a seed into another person's."""
    before = built.tables
    people = {row["feed_id"]: row["person_id"] for row in before["dim_feeds"]}
    missing = missing_ids(before)
    assert missing
    logs = {path.name: lines_of(path) for path in built.logs if "devices" not in path.name}
    lines = (
        json.dumps(line, separators=(",", ":")) + "\n"
        for line in hostile_lines(logs, people, missing)
    )
    (landing / f"+{STRANGER}").write_text("".join(lines))
    with (landing / "000-alice.jsonl").open("a") as file:
        file.write(json.dumps(public_seed()) + "\n")


@pytest.fixture(scope="module")
def before_and_after(
    built: Build, unrelated_logs: BesideAStranger
) -> tuple[dict[str, Rows], dict[str, Rows], set[str]]:
    """All published tables without and with the stranger's log, and the ids that came with it.

    Unrelated logs have come, too. Nothing that others said changes beside them.
    """
    before, after = built.tables, unrelated_logs.published
    known = ids_in(before) | missing_ids(before)
    own = ids_in(after) - known
    return before, after, own | groups_of(after, own) | tangles_of(after, own)


def ids_in(tables: dict[str, Rows]) -> set[str]:
    """The ids of messages, feeds and sets."""
    named = ("fct_messages", "message_id"), ("fct_set_messages", "message_id")
    named += ("dim_feeds", "feed_id"), ("dim_sets", "set_id")
    return {row[column] for table, column in named for row in tables[table]}


def groups_of(tables: dict[str, Rows], own: set[str]) -> set[str]:
    """The groups that begin with one of the stranger's messages."""
    return {row["group_id"] for row in tables["dim_groups"] if row["root_id"] in own}


def tangles_of(tables: dict[str, Rows], own: set[str]) -> set[str]:
    """The tangles that only the stranger writes in. No log has the roots of some."""
    rows = tables["fct_tangle_messages"]
    of_others = {row["tangle_id"] for row in rows if row["message_id"] not in own}
    return {row["tangle_id"] for row in rows} - of_others


def missing_ids(tables: dict[str, Rows]) -> set[str]:
    """The ids that messages list in tangles, or follow in their feeds, and no log has."""
    listed = {row["missing_id"] for row in tables["fct_tangle_gaps"]}
    followed = {row["previous_id"] for row in tables["fct_messages"]}
    listed |= {one for one in followed if one and one.startswith("ssb:message/")}
    return listed - {row["message_id"] for row in tables["fct_messages"]}


def owners(tables: dict[str, Rows]) -> dict[str, str | None]:
    """The owner of each log."""
    return {row["source_file"]: row["owner_id"] for row in tables["dim_logs"]}


def rows_about_others(rows: Rows, own: set[str], own_logs: set[str]) -> list[str]:
    """The rows about others, without the columns that the threat model allows to change."""
    return sorted(
        repr({name: value for name, value in row.items() if name not in ALLOWED})
        for row in rows
        if not own & {value for value in row.values() if isinstance(value, str)}
        # A message of others may have been read in the stranger's log. Only rejected lines there are own.
        and ("validity" in row or row.get("source_file") not in own_logs)
    )


# The place where a message was read, whether somebody gave another plaintext of it, and who else did. The
# number of messages in the name of a feed, including invalid ones: anybody can write one.
ALLOWED = {"source_file", "line_number", "warning", "differing_source_file", "message_count"}


def test_a_strangers_log_changes_nothing_that_others_said(
    before_and_after: tuple[dict[str, Rows], dict[str, Rows], set[str]],
) -> None:
    before, after, own = before_and_after
    assert owners(after).items() >= owners(before).items()
    came = owners(after).keys() - owners(before).keys()
    changed = {
        table: sorted(
            set(rows_about_others(before[table], own, came))
            ^ set(rows_about_others(after[table], own, came))
        )[:4]
        for table in before
        if table not in OF_BUILDS
    }
    assert not {table: rows for table, rows in changed.items() if rows}


def test_the_strangers_log_was_read(
    before_and_after: tuple[dict[str, Rows], dict[str, Rows], set[str]],
) -> None:
    """Otherwise the test above would pass if nothing was read."""
    before, after, own = before_and_after
    forged = [row for row in after["fct_rejected_lines"] if STRANGER in row["source_file"]]
    assert sum(row["line_count"] for row in forged) > 100
    long = [row["line_count"] for row in forged if row["reason"] == "too_long"]
    assert sum(long) == LONG_LINES
    differing = [row for row in after["fct_messages"] if row["warning"] == "plaintexts_differ"]
    assert len(differing) > 10
    assert all(row["is_decrypted"] for row in differing)
    strangers = [row for row in after["dim_feeds"] if row["feed_id"] in own]
    assert strangers
    people = {row["person_id"] for row in before["dim_feeds"]}
    assert all(row["person_id"] not in people for row in strangers)
