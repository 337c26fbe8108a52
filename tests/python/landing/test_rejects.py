"""Rejected lines that are counted: totals stay exact, rows and memory bounded."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from functools import partial

from hypothesis import given
from hypothesis import strategies as st

from conftest import PROJECT
from memory import peak_memory
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.landing.rejects import MOST_REJECTS, fold_rejects, reason_of
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
    for land in (partial(land_lines, ring=RING), partial(land_pzp_lines, ring=RING)):
        alone = [row for name, line in numbered for row in land(name, line)]
        rows = [*fold_rejects(numbered, land, RING, most)]
        assert [row for row in rows if not reason_of(row)] == [
            row for row in alone if not reason_of(row)
        ]
        messages = {(row.source_file, row.line_number) for row in rows if not reason_of(row)}
        assert not places(alone) & expected, "a line is rejected by one source only"
        mixed = places(alone) & messages
        folded = [
            row
            for row in rows
            if reason_of(row) and (row.source_file, row.line_number) not in mixed
        ]
        kinds = Counter((row.source_file, reason_of(row)) for row in folded)
        assert all(count <= most + 1 for count in kinds.values())
        for row in folded:
            rejected[row.source_file] += row.line_count
            assert row.line_count == 1 or kinds[row.source_file, reason_of(row)] == most + 1
            assert (row.source_file, row.line_number) in places(alone)
        for name in "ab":
            rejected[name] += len({place for place in mixed if place[0] == name})
        expected |= places(alone)
        good |= messages
    assert rejected == Counter(name for name, _ in expected)
    assert {(name, line.line_number) for name, line in numbered} == good | expected


def test_the_same_line_has_the_same_hash_in_every_log() -> None:
    lines = [("a", Line(1, b"{", None)), ("b", Line(9, b"{", None)), ("b", Line(10, b"[", None))]
    rows = [*fold_rejects(lines, partial(land_lines, ring=RING), RING)]
    assert rows[0].line_hash == rows[1].line_hash != rows[2].line_hash
    [other] = fold_rejects(lines[:1], partial(land_lines, ring=RING), KeyRing(b"other"))
    assert other.line_hash != rows[0].line_hash
    [good] = fold_rejects([("a", Line(1, MESSAGES[0], None))], partial(land_lines, ring=RING), RING)
    assert (good.line_hash, good.line_count) == (None, 1)


def test_empty_lines_without_end_cost_no_memory() -> None:
    def lines() -> Iterator[tuple[str, Line]]:
        for number in range(1, 20_001):
            yield "a", Line(number, b"", None)

    rows, peak = peak_memory(lambda: [*fold_rejects(lines(), partial(land_lines, ring=RING), RING)])
    assert len(rows) == MOST_REJECTS + 1
    assert rows[-1].line_count == 20_000 - MOST_REJECTS
    assert peak < 500_000, f"{peak} bytes of memory"


def test_the_tables_count_from_the_same_number() -> None:
    model = (PROJECT / "models" / "marts" / "feeds" / "fct_rejected_lines.sql").read_text()
    assert f"most_rejects = {MOST_REJECTS} %}}" in model
