"""Builds of logs that are not as they should be."""

from __future__ import annotations

import gzip
import json
from typing import Any

import pytest

from conftest import Warehouse
from entries import KEY_TEXT, entry, nested, post, written
from scuttlehouse.sample.signing import ClassicFeed, Message
from test_listing import SPOILT, spoil_nothing


def test_a_build_of_odd_logs(warehouse: Warehouse) -> None:
    """Every line comes out once: as its message, or in its place with a reason."""
    feed, other = ClassicFeed(bytes([1] * 32)), ClassicFeed(bytes([2] * 32))
    good = [post(feed, f"message {n}") for n in range(6)]
    separated = post(feed, "a\u2028b\u0085c\x00")
    sealed = other.publish({"type": "post"}, 1, ciphertext="AAAA.box2")
    wide = post(other, tangles={"\ud800": {"root": "\ud800", "previous": ["\ud800"]}}, root="\x00")
    deep = post(other, "DEEP")
    late = post(other, "never came")

    def line(message: Message, **changes: Any) -> bytes:
        return written(entry(message, **changes))

    opened = entry(sealed, content=sealed.content) | {"meta": {"originalContent": "AAAA.box2"}}
    files: dict[str, list[tuple[bytes, str]]] = {
        "lines.jsonl": [
            (line(good[0]), good[0].uri),
            (b"", "empty_line"),
            (line(good[1]) + b"\r", good[1].uri),
            (b"\r", "empty_line"),
            (b"\xef\xbb\xbf" + line(good[2]), good[2].uri),
            (line(good[2]), good[2].uri),
            (line(good[3]).replace(b"message 3", b"message \xff"), "not_utf8"),
            (line(good[0], content={"type": "post", "text": "another"}), "forged"),
            (line(deep).replace(b'"DEEP"', nested(5_000)), "too_deep"),
            (b'{"key": "' + good[2].key.encode() + b'"', "not_json"),
            (line(good[3]).replace(b"message", b"mess\x00age"), "not_json"),
            (b'{"key": "%nothing", ' + line(good[3])[1:], good[3].uri),
            (json.dumps(entry(separated), ensure_ascii=False).encode(), separated.uri),
            (line(wide), wide.uri),
            (line(good[4], sequence=2**63 - 1), "rewritten"),
            (line(late, sequence=2**64), late.uri),
            (line(good[4], author=KEY_TEXT), "rewritten"),
            (b"42", "not_a_message"),
        ],
        "far/below/sealed.jsonl": [(line(sealed), sealed.uri), (line(good[0]), good[0].uri)],
        "far/opened.jsonl": [(written(opened), sealed.uri)],
        "cut.jsonl.gz": [(line(good[4]), good[4].uri), (b"", "cut_short")],
        "no.jsonl.gz": [(line(good[3]), good[3].uri)],
        "long.jsonl": [
            (line(good[0]), good[0].uri),
            (b"x" * 50_000_000, "too_long"),
            (line(good[5]), good[5].uri),
        ],
    }
    warehouse.land()
    for name, lines in files.items():
        path = warehouse.landing / name
        path.parent.mkdir(parents=True, exist_ok=True)
        # The last line of every file has no end.
        path.write_bytes(b"\n".join(text for text, _ in lines))
    filler = b"".join(line(good[5]).replace(b"message 5", b"%064x" % (n**9)) for n in range(500))
    packed = gzip.compress(line(good[4]) + b"\n" + filler)
    (warehouse.landing / "cut.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    expected = {
        (name, number): outcome
        for name, lines in files.items()
        for number, (_, outcome) in enumerate(lines, 1)
    }

    some = "-s", "+fct_rejected_lines", "+stg_ssb__tangle_fields"
    warehouse.build("build", *some, "--exclude-resource-types", "test", "unit_test")

    rejected = warehouse.rows("select source_file, line_number, reason from fct_rejected_lines")
    messages = warehouse.rows("select * from stg_ssb__messages")
    lines = warehouse.rows(
        "select source_file, line_number, reject_reason, message_id from stg_ssb__landed_lines"
    )
    reasons = {(row["source_file"], row["line_number"]): row["reason"] for row in rejected}
    known = {row["message_id"] for row in messages}
    outcomes = {
        place: reasons.get(place, row["message_id"])
        for row in lines
        for place in [(row["source_file"], row["line_number"])]
    }
    assert outcomes == expected
    assert len(rejected) == len(reasons), "a line was rejected twice"
    assert (
        len(lines)
        == len(expected)
        == len(rejected)
        + sum(
            row["message_id"] in known and (row["source_file"], row["line_number"]) not in reasons
            for row in lines
        )
    )
    assert known == {outcome for outcome in expected.values() if outcome.startswith("ssb:")}
    one = {row["message_id"]: row for row in messages}
    assert all(
        one[message.uri]["validity"] == "valid" for message in [*good, separated, sealed, wide]
    )
    assert one[sealed.uri]["source_file"] == "far/opened.jsonl", "the opened sighting counts"
    assert one[good[0].uri]["source_file"] != "", "one of three sightings"
    assert (one[late.uri]["validity"], one[late.uri]["sequence"]) == ("invalid", None)
    fields = warehouse.rows(
        f"select root_id, previous_ids from stg_ssb__messages join stg_ssb__tangle_fields "
        f"using (message_id) where message_id = '{wide.uri}' and tangle_kind != 'thread'"
    )
    [field] = fields
    assert field["root_id"].startswith("token-1-")
    assert field["previous_ids"] == [field["root_id"]]


@pytest.mark.usefixtures("built")
def test_a_build_without_a_folder_of_logs_changes_nothing(warehouse: Warehouse) -> None:
    before = warehouse.published()
    warehouse.land()
    spoil_nothing(warehouse.landing)
    outcome = warehouse.dbt("build", "--exclude-resource-type", "unit_test")
    assert not outcome.success
    [failed] = [result for result in outcome.result if result.status == "error"]
    assert failed.node.name == "stg_landing__logs"
    said = [line.strip() for line in failed.message.splitlines()]
    sentence = SPOILT[spoil_nothing].format(warehouse.landing)
    assert sentence in said
    assert len(said) == 2, said
    ran = {
        result.node.name
        for result in outcome.result
        if result.status == "success" and str(result.node.resource_type) == "model"
    }
    # Their rows come when a run ends.
    assert ran == {"fct_builds", "fct_quality_results"}
    assert warehouse.published() == before
