"""Rejected lines: known again in another log by a hash, and counted where one log has many of a kind.

A file of ten million empty lines is a hundred rows and one that counts the rest. So rows, and the memory of
the step that reads logs, stay bounded whatever is in a file.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import TypeVar, cast

from scuttlehouse.files.parts import Line
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

# So many rows a log has for a reason, before the others are counted in one. fct_rejected_lines has the
# same number.
MOST_REJECTS = 100

_HASH_DIGITS = 24

# A file may be millions of lines as short as this, which are the same few texts: each is judged once.
_TINY_BYTES = 40
_MOST_TEXTS = 4096

Row = TypeVar("Row", bound=LandedLine | LandedPzpLine)


def fold_rejects(
    lines: Iterable[tuple[str, Line]],
    land: Callable[[str, Line], Iterable[Row]],
    ring: KeyRing,
    most: int = MOST_REJECTS,
) -> Iterator[Row]:
    """Yield the rows of lines; beyond ``most`` rejects of a log for one reason, one row counts the others.

    A line that gives several rejects and nothing else is one reject. The row that counts others comes
    last and has the number of the first of them. A row that is rejected, or is an invalid message, has the
    hash of its line, keyed by the key of the warehouse; a row that counts others, and one of bytes that
    could not be read, has none.

    Complexity: O(bytes), memory O(logs * reasons).

    >>> lines = [("a.jsonl", Line(number, b"", None)) for number in range(1, 6)]
    >>> land = lambda file, line: [LandedLine(file, line.line_number, "empty_line")]
    >>> rows = fold_rejects(lines, land, KeyRing(b"pepper"), most=2)
    >>> [(row.line_number, row.line_count, row.line_hash is None) for row in rows]
    [(1, 1, False), (2, 1, False), (3, 3, True)]
    """
    counts: Counter[tuple[str, str]] = Counter()
    others: dict[tuple[str, str], Row] = {}
    reasons: dict[bytes, str] = {}
    for source_file, line in lines:
        known = "" if line.text is None else reasons.get(line.text, "")
        place = source_file, known
        if place in others:
            counts[place] += 1
            continue
        rows = [*land(source_file, line)]
        if not rows or not all(map(reason_of, rows)):
            yield from (_hashed(row, line, ring) for row in rows)
            continue
        row = min(rows, key=reason_of)
        place = source_file, reason_of(row)
        if line.text is not None and len(line.text) <= _TINY_BYTES and len(reasons) < _MOST_TEXTS:
            reasons[line.text] = place[1]
        counts[place] += 1
        if counts[place] <= most:
            yield _hashed(row, line, ring)
        elif place not in others:
            others[place] = row
    for place, row in others.items():
        yield cast("Row", row._replace(line_count=counts[place] - most))


def reason_of(row: LandedLine | LandedPzpLine) -> str:
    """Why the line of a row is rejected by itself; empty where it is not. An invalid line of pzp is a reject.

    >>> reason_of(LandedLine("a", 1, "not_json")), reason_of(LandedLine("a", 1, validity="invalid"))
    ('not_json', '')
    """
    if isinstance(row, LandedPzpLine):
        return row.reject_reason or row.invalid_reason or ""
    return row.reject_reason or ""


def _hashed(row: Row, line: Line, ring: KeyRing) -> Row:
    is_of_use = row.reject_reason is None and row.invalid_reason is None
    if is_of_use or line.text is None:
        return row
    return cast("Row", row._replace(line_hash=ring.hash(line.text)[:_HASH_DIGITS]))
