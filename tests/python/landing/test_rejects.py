"""Rejected lines that are counted: totals stay exact, rows and memory bounded."""

from __future__ import annotations

import io
import json
from collections import Counter
from collections.abc import Iterator
from functools import partial
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from conftest import PROJECT
from memory import peak_memory
from pieces import each_line
from scuttlehouse.files.parts import SHORT_BYTES, Line, ShortLines
from scuttlehouse.files.whole import numbered_lines
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.landing.rejects import MOST_REJECTS, TOO_SHORT, fold_rejects, reason_of
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

RING = KeyRing(b"pepper")
SAMPLE = (PROJECT / "sample" / "alice.jsonl").read_bytes().splitlines()
MESSAGES = [line for line in SAMPLE if b'"value"' in line][:4]
SETS = (PROJECT / "sample" / "devices.jsonl").read_bytes().splitlines()
PZP = [line for line in SETS if json.loads(line).get("msg")][:4]
FORGED = PZP[1].replace(b'"dataSize":', b'"dataSize":1')
BAD = [b"", b"{", b"{}", b"\xff", b'{"msg": {}}', b"{}{}", b"\0", b'{"msg": {}}{}', FORGED]
LINES = st.sampled_from(
    [*MESSAGES, *PZP, *BAD, MESSAGES[0] + b"{", PZP[0] + FORGED + b"{", MESSAGES[0] + FORGED]
)
LANDS: list[tuple[Any, Any]] = [
    (partial(land_lines, ring=RING), LandedLine),
    (partial(land_pzp_lines, ring=RING), LandedPzpLine),
]
# They lack ids.
UNSIGNED = [b'{"author":"a","sequence":1,"content":0}', b'{"id":"a","msg":{"metadata":{}}}']

Place = tuple[str, int]


def places(rows: list[LandedLine] | list[LandedPzpLine]) -> set[Place]:
    return {(row.source_file, row.line_number) for row in rows if reason_of(row)}


@given(
    lines=st.lists(st.tuples(st.sampled_from(["a", "b"]), LINES), max_size=40),
    most=st.integers(1, 4),
)
def test_every_line_is_a_message_or_counted(lines: list[tuple[str, bytes]], most: int) -> None:
    numbered = [(name, Line(number, text, None)) for number, (name, text) in enumerate(lines, 1)]
    rejected: Counter[str] = Counter()
    good: set[Place] = set()
    expected: set[Place] = set()
    for land, kind in LANDS:
        alone = [row for name, line in numbered for row in land(name, line)]
        rows = [*fold_rejects(numbered, land, RING, kind, most)]
        assert [row for row in rows if not reason_of(row)] == [
            row for row in alone if not reason_of(row)
        ]
        messages = {(row.source_file, row.line_number) for row in rows if not reason_of(row)}
        assert not places(alone) & expected, "a line is rejected by one source only"
        folded = [row for row in rows if reason_of(row)]
        kinds = Counter((row.source_file, reason_of(row)) for row in folded)
        assert all(count <= most + 1 for count in kinds.values())
        for row in folded:
            rejected[row.source_file] += row.line_count
            assert row.line_count == 1 or kinds[row.source_file, reason_of(row)] == most + 1
            assert (row.source_file, row.line_number) in places(alone)
        expected |= places(alone)
        good |= messages
    assert rejected == Counter(name for name, _ in expected)
    assert {(name, line.line_number) for name, line in numbered} == good | expected


def test_rejects_beside_messages_are_counted_too() -> None:
    """A line may hold many objects, and a log any number of such lines."""
    other = b'{"a":"' + b"x" * SHORT_BYTES + b'"}'
    text = MESSAGES[0] + b"{}" * 100 + other * 100
    lines = [("a", Line(number, text, None)) for number in range(MOST_REJECTS + 20)]
    rows = [*fold_rejects(lines, partial(land_lines, ring=RING), RING, LandedLine)]
    assert sum(row.reject_reason is None for row in rows) == len(lines)
    rejects = [row for row in rows if row.reject_reason]
    assert len(rejects) == MOST_REJECTS + 1
    assert {row.reject_reason for row in rejects} == {"damaged"}
    assert sum(row.line_count for row in rejects) == len(lines)


def test_the_same_line_has_the_same_hash_in_every_log() -> None:
    lines = [("a", Line(1, b"{", None)), ("b", Line(9, b"{", None)), ("b", Line(10, b"[", None))]
    rows = [*fold_rejects(lines, partial(land_lines, ring=RING), RING, LandedLine)]
    assert rows[0].line_hash == rows[1].line_hash != rows[2].line_hash
    [other] = fold_rejects(lines[:1], partial(land_lines, ring=RING), KeyRing(b"other"), LandedLine)
    assert other.line_hash != rows[0].line_hash
    [good] = fold_rejects(
        [("a", Line(1, MESSAGES[0], None))], partial(land_lines, ring=RING), RING, LandedLine
    )
    assert (good.line_hash, good.line_count) == (None, 1)


SHORT = st.sampled_from(
    [
        *BAD[:-1],
        b"\r",
        b"{1}",
        b"{2}",
        b"[]",
        b"x" * SHORT_BYTES,
        b"x" * (SHORT_BYTES + 1),
        *UNSIGNED,
        PZP[0],
    ]
)


@given(texts=st.lists(SHORT | st.binary(max_size=3), max_size=60), most=st.integers(1, 3))
def test_short_lines_are_counted_as_if_they_were_read_one_by_one(
    texts: list[bytes], most: int
) -> None:
    """Except that those that look like messages are too short."""
    file = b"".join(text + b"\n" for text in texts)
    lines = [("a", line) for line in numbered_lines(io.BytesIO(file))]
    for land, kind in LANDS:
        alone: dict[str, list[int]] = {}
        for _, line in [("a", one) for one in each_line(line for _, line in lines)]:
            rows = [*land("a", line)]
            is_short = line.text is not None and len(line.text) <= SHORT_BYTES
            if rows and (is_short or all(map(reason_of, rows))):
                reason = min(reason_of(row) or TOO_SHORT for row in rows)
                alone.setdefault(reason, []).append(line.line_number)
        expected = {
            (reason, *row)
            for reason, numbers in alone.items()
            for row in [
                *((number, 1) for number in numbers[:most]),
                *((number, len(numbers) - most) for number in numbers[most : most + 1]),
            ]
        }
        found = [row for row in fold_rejects(lines, land, RING, kind, most) if reason_of(row)]
        assert {(reason_of(row), row.line_number, row.line_count) for row in found} == expected
        assert len(found) == len(expected)


def test_no_plaintext_is_counted_among_others() -> None:
    """The ciphertext of each may be on another line."""
    message = json.loads(PZP[1])["msg"] | {"data": {"recps": ["a"]}}
    lines = [("a", Line(number, json.dumps(message).encode(), None)) for number in range(1, 301)]
    found = [*fold_rejects(lines, partial(land_pzp_lines, ring=RING), RING, LandedPzpLine)]
    assert [row.line_number for row in found] == [*range(1, 301)]
    assert {(row.validity, row.line_count) for row in found} == {("not_checked", 1)}


def test_of_different_short_lines_the_first_are_looked_at() -> None:
    """In both sources the same ones, so that no line is counted twice or not at all."""
    texts = [b'{"msg":{},"%d":1}' % number for number in range(3_000)]
    texts += [b"%d" % number for number in range(3_000)] + texts[:10] + texts[2_500:2_600]
    lines = [("a", ShortLines(1, b"\n".join(texts))), ("b", ShortLines(1, texts[2_999]))]
    counts: Counter[tuple[str, str, str]] = Counter()
    for land, kind in LANDS:
        for row in fold_rejects(lines, land, RING, kind):
            counts[kind.__name__, row.source_file, reason_of(row)] += row.line_count
    assert counts == {
        ("LandedPzpLine", "a", "not_a_message"): 2_010,
        ("LandedLine", "a", TOO_SHORT): len(texts) - 2_010,
        ("LandedPzpLine", "b", "not_a_message"): 1,
    }


def test_no_message_is_as_short_as_a_short_line() -> None:
    """The shortest ones that hold the ids that they must have."""
    key = "1" * 43
    for shortest in (
        {"author": key, "sequence": 1, "content": 0},
        {"id": key, "msg": {"metadata": {}}},
    ):
        assert len(json.dumps(shortest, separators=(",", ":"))) > SHORT_BYTES


def test_short_lines_without_end_cost_no_memory() -> None:
    def lines() -> Iterator[tuple[str, ShortLines]]:
        for number in range(20):
            yield (
                "a",
                ShortLines(
                    10_000 * number, b"".join(b"%d\n" % (number * n) for n in range(10_000))
                ),
            )

    land = partial(land_lines, ring=RING)
    rows, peak = peak_memory(lambda: [*fold_rejects(lines(), land, RING, LandedLine)])
    assert {row.reject_reason for row in rows} == {"not_a_message", TOO_SHORT}
    assert len(rows) == 2 * (MOST_REJECTS + 1)
    assert sum(row.line_count for row in rows) == 200_000
    assert peak < 8_000_000, f"{peak} bytes of memory"


def test_the_tables_count_from_the_same_number() -> None:
    model = (PROJECT / "models" / "marts" / "feeds" / "fct_rejected_lines.sql").read_text()
    assert f"most_rejects = {MOST_REJECTS} %}}" in model
