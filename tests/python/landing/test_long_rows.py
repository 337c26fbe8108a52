"""Rows and batches of rows have a limit, whatever a stranger writes: Spark has them in memory."""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory import peak_memory
from scuttlehouse.files.jsjson import stringify
from scuttlehouse.files.parts import MAX_LINE_BYTES, Line
from scuttlehouse.landing import spark
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.landing.spark import arrow_schema, row_batches
from scuttlehouse.pzp import lines as pzp_lines
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message
from scuttlehouse.ssb import kept_content
from scuttlehouse.ssb import lines as ssb_lines
from scuttlehouse.ssb.bendybutt import message_bytes
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine
from scuttlehouse.ssb.validation import MAX_LENGTH

RING = KeyRing(b"pepper")
PLACE = {"account": "a", "domain": "set_v1__a"}
AT = 1_700_000_000_000


def landed(line: dict[str, Any]) -> LandedLine:
    [row] = land_lines("a.jsonl", Line(1, json.dumps(line).encode(), None), RING)
    return row


def with_content(content: Any) -> dict[str, Any]:
    return {"author": "b", "sequence": 1, "content": content}


def pzp_message(metadata: dict[str, Any], data: dict[str, Any]) -> dict[str, Any]:
    return {"msg": {"metadata": PLACE | metadata, "data": data, "sigkey": "", "sig": ""}}


def set_data(**lists: list[str]) -> dict[str, Any]:
    return {"add": [], "del": [], "supersedes": []} | lists


LONG: dict[str, Callable[[list[Any]], dict[str, Any]]] = {
    "excludes": lambda items: with_content({"excludes": items}),
    "excludes in a text": lambda items: {
        **with_content(json.dumps({"excludes": items})),
        "private": True,
    },
    "lists of excludes": lambda items: with_content({"excludes": [items] * 3}),
    "recps": lambda items: with_content({"recps": items}),
    "branch": lambda items: with_content({"branch": {"link": 1}, "root": items}),
    "one tangle": lambda items: with_content({"tangles": {"a": {"previous": items}}}),
    "tangles": lambda items: with_content(
        {"tangles": {f"{item}{number}": 0 for number, item in enumerate(items)}}
    ),
    "opened": lambda items: {**with_content({"recps": items}), "private": True},
    "add": lambda items: pzp_message({}, set_data(add=items)),
    "del": lambda items: pzp_message({}, {"add": [], "del": items, "supersedes": []}),
    "supersedes": lambda items: pzp_message({}, set_data(supersedes=items)),
    "prev": lambda items: pzp_message(
        {"account": "self", "tangles": {"a": {"depth": 1, "prev": items}}}, {}
    ),
}


@pytest.mark.parametrize("name", LONG)
def test_a_line_that_lists_more_than_a_message_can_is_a_reject(name: str) -> None:
    """One of 1 MiB kept 21 million characters, and a few of them stopped every build."""
    text = json.dumps(LONG[name](["?"] * 150_000)).encode()
    line = Line(1, text, None)
    rows = [*land_lines("a.jsonl", line, RING), *land_pzp_lines("a.jsonl", line, RING)]
    assert [(row.source_file, row.reject_reason) for row in rows] == [("a.jsonl", "too_long")]
    assert sum(value is not None for value in rows[0]) == 4


@pytest.mark.costs
def test_a_long_list_costs_little_memory() -> None:
    """The items that no row keeps are not looked at."""
    text = json.dumps(with_content({"excludes": ["?"] * 200_000})).encode()
    [row], peak = peak_memory(lambda: [*land_lines("a.jsonl", Line(1, text, None), RING)])
    assert row.reject_reason == "too_long"
    assert peak < 40 * MAX_LINE_BYTES


texts = st.sampled_from(["", "?", "a", "a b", "%" + "A" * 43 + "=.sha256"])
items = st.one_of(
    texts,
    st.sampled_from([None, 1.0, True, {}, {"id": "?", "sequence": 2.0}, {"link": "?"}]),
    st.lists(texts, max_size=9),
)
contents = st.fixed_dictionaries(
    {},
    optional={
        "excludes": st.lists(items, max_size=40),
        "recps": st.lists(items, max_size=40),
        "root": items,
        "tangles": st.dictionaries(
            texts, st.fixed_dictionaries({"previous": st.lists(items, max_size=40)}), max_size=4
        ),
    },
)


@given(contents, st.integers(3, 400))
def test_a_row_is_whole_or_rejected(content: dict[str, Any], most: int) -> None:
    """A list is cut only where its row is rejected."""
    whole = landed(with_content(content))
    assert whole.content is not None
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ssb_lines, "MOST_KEPT", most)
        patch.setattr(kept_content, "_MOST_ITEMS", most // len("0, ") + 1)
        row = landed(with_content(content))
    is_long = len(whole.content) > most
    assert row == (LandedLine("a.jsonl", 1, "too_long") if is_long else whole)


@given(
    st.lists(st.text(max_size=5), max_size=9),
    st.lists(st.text(max_size=5), max_size=9),
    st.integers(0, 300),
)
def test_a_row_of_pzp_is_whole_or_rejected(
    added: list[str], superseded: list[str], most: int
) -> None:
    data = {"add": added, "del": [], "supersedes": superseded}
    line = Line(1, json.dumps(pzp_message({}, data)).encode(), None)
    [whole] = land_pzp_lines("a.jsonl", line, RING)
    assert whole.added_items is not None
    assert whole.superseded_ids is not None
    kept = [*whole.added_items, *whole.superseded_ids]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pzp_lines, "MOST_KEPT", most)
        [row] = land_pzp_lines("a.jsonl", line, RING)
    is_long = sum(len(item) + 3 for item in kept) > most
    assert row == (LandedPzpLine("a.jsonl", 1, "too_long") if is_long else whole)


@pytest.mark.costs
@pytest.mark.parametrize("item", ["a", "", 0.0, None, [], {}, ["?"] * 20, {"id": "?"}])
@pytest.mark.parametrize("feed_type", [ClassicFeed, BendyFeed])
def test_no_message_of_a_checked_format_keeps_as_much(
    feed_type: type[ClassicFeed | BendyFeed], item: Any
) -> None:
    """The longest one that is valid is no reject."""

    def message(count: int) -> Message:
        content = {"type": "group/exclude-member", "excludes": [item] * count}
        return feed_type(bytes(32)).publish(content, AT)

    counts = range(9_000)
    most = bisect_right(counts, MAX_LENGTH, key=lambda count: length(message(count).value)) - 1
    assert 20 < most < counts[-1]
    longest = message(most)
    row = landed({"key": longest.key, "value": longest.value})
    assert (row.reject_reason, row.validity) == (None, "valid")


def length(value: dict[str, Any]) -> int:
    is_classic = value["author"].startswith("@")
    return len(stringify(value, 2) if is_classic else message_bytes(value)[1])


def test_an_opened_message_keeps_less() -> None:
    """Its plaintext is no longer than a message may be, and nothing is indented in it."""
    content = json.dumps(
        {"type": "group/exclude-member", "excludes": ["a"] * 2_000}, separators=(",", ":")
    )
    assert len(content) > 8_000
    message = {"key": f"%{'A' * 43}=.sha256", "value": {**with_content(content), "private": True}}
    message["value"]["author"] = f"@{'A' * 43}=.ed25519"
    row = landed(message)
    assert (row.reject_reason, row.is_decrypted) == (None, True)


@given(
    st.lists(st.tuples(st.text(max_size=9), st.lists(st.text(max_size=9), max_size=3))),
    st.integers(1, 4),
    st.integers(1, 99),
)
def test_batches_have_all_rows_and_are_short(
    rows: list[tuple[str, list[str]]], most_lines: int, most_characters: int
) -> None:
    schema = pa.schema([("a", pa.string()), ("b", pa.list_(pa.string()))])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spark, "BATCH_LINES", most_lines)
        patch.setattr(spark, "BATCH_CHARACTERS", most_characters)
        batches = [batch.to_pylist() for batch in row_batches(rows, schema)]
    assert [(row["a"], row["b"]) for batch in batches for row in batch] == rows
    for batch in batches:
        assert 0 < len(batch) <= most_lines
        # Without its last row it is below the limit.
        characters = sum(len(row["a"] + "".join(row["b"])) for row in batch[:-1])
        assert characters < most_characters


def test_rows_at_their_limit_come_in_many_batches() -> None:
    """2,000 of them are 200 MB, and Java has them a few times."""
    row = LandedLine("a.jsonl", 1, content="x" * ssb_lines.MOST_KEPT)
    sizes = [batch.nbytes for batch in row_batches([row] * 500, arrow_schema(LandedLine))]
    assert max(sizes) < 20 << 20
    of_pzp = LandedPzpLine("a.jsonl", 1, added_items=["x"] * (MAX_LINE_BYTES // 4))
    sizes = [batch.nbytes for batch in row_batches([of_pzp] * 20, arrow_schema(LandedPzpLine))]
    assert max(sizes) < 20 << 20
