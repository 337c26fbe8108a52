"""Rejected lines: known again in another log by a hash, and counted where one log has many of a kind.

A file of ten million empty lines is a hundred rows and one that counts the rest. So rows, and the memory of
the step that reads logs, stay bounded whatever is in a file. Short lines are counted many at a time, so that
a file of them costs little more than an ordinary one of as many bytes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from typing import Generic, TypeVar, cast

from scuttlehouse.files.parts import SHORT_BYTES, Line, Piece
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

# So many rows a log has for a reason, before the others are counted in one. fct_rejected_lines has the
# same number.
MOST_REJECTS = 100

_HASH_DIGITS = 24

# So many different short lines of a log are examined. A file of millions of them would cost too much.
_MOST_SHORT = 2000
TOO_SHORT = "too_short"

Row = TypeVar("Row", bound=LandedLine | LandedPzpLine)
Land = Callable[[str, Line], Iterable[Row]]


def fold_rejects(
    lines: Iterable[tuple[str, Piece]],
    land: Land[Row],
    ring: KeyRing,
    kind: type[Row],
    most: int = MOST_REJECTS,
) -> Iterator[Row]:
    """Yield the rows of lines; beyond ``most`` rejects of a log for one reason, one row counts the others.

    A line that gives several rejects is one reject, even beside messages. The row that counts others comes
    last and has the number of the first of them. A row that is rejected, or is an invalid message, has the
    hash of its line, keyed by the key of the warehouse; a row that counts others, and one of bytes that
    could not be read, has none.

    A short line is no message: it is ``too_short`` if it looks like one. Only the first ``_MOST_SHORT``
    different short lines of a log are examined. Later ones are ``too_short`` as SSB lines, and are no lines
    of pzp. Logs come one after the other.

    Complexity: O(bytes), memory O(logs * reasons).

    >>> from scuttlehouse.files.parts import ShortLines
    >>> lines = [("a.jsonl", ShortLines(1, b"\\n" * 5))]
    >>> land = lambda file, line: [LandedLine(file, line.line_number, "empty_line")]
    >>> rows = fold_rejects(lines, land, KeyRing(b"pepper"), LandedLine, most=2)
    >>> [(row.line_number, row.line_count, row.line_hash is None) for row in rows]
    [(1, 1, False), (2, 1, False), (3, 3, True)]
    """
    folded: _Folded[Row] = _Folded(ring, most)
    short: _ShortReasons[Row] | None = None
    for source_file, piece in lines:
        texts = _short_texts(piece)
        if isinstance(piece, Line) and not texts:
            yield from _rows_of_line(piece, land(source_file, piece), folded, ring)
            continue
        if short is None or short.source_file != source_file:
            short = _ShortReasons(source_file, land, TOO_SHORT if kind is LandedLine else "")
        for number, text, reason in _rejects_with_rows(piece, texts, short, folded):
            row = cast("Row", kind(source_file, number, reason))
            yield from folded.take(row, Line(number, text, None))
    yield from folded.others()


def _rows_of_line(
    line: Line, rows: Iterable[Row], folded: _Folded[Row], ring: KeyRing
) -> Iterator[Row]:
    """The rows of a line that is not short: one reject at most, then the messages."""
    messages: list[Row] = []
    rejects: list[Row] = []
    for row in rows:
        (rejects if reason_of(row) else messages).append(row)
    if rejects:
        yield from folded.take(min(rejects, key=reason_of), line)
    yield from _hashed(messages, line, ring)


def _rejects_with_rows(
    piece: Piece, texts: list[bytes], short: _ShortReasons[Row], folded: _Folded[Row]
) -> Iterator[tuple[int, bytes, str]]:
    """Number, text and reason of each short line that may have a row of its own; others are counted."""
    reasons = {}
    for text, count in Counter(texts).items():
        reason = short.reason(text)
        if folded.counts_only(short.source_file, reason):
            folded.add(short.source_file, reason, count)
        elif reason:
            reasons[text] = reason
    if reasons:
        numbers = (piece.line_number,) if isinstance(piece, Line) else piece.numbers()
        for number, text in zip(numbers, texts, strict=True):
            if text in reasons:
                yield number, text, reasons[text]


def _short_texts(line: Piece) -> list[bytes]:
    """The texts of short lines; none if it is a line that is not short."""
    if not isinstance(line, Line):
        return line.texts()
    return [] if line.text is None or len(line.text) > SHORT_BYTES else [line.text]


class _ShortReasons(Generic[Row]):
    """Why the short lines of a log are rejected."""

    def __init__(self, source_file: str, land: Land[Row], of_others: str) -> None:
        self.source_file, self._land, self._of_others = source_file, land, of_others
        self._known: dict[bytes, str] = {}

    def reason(self, text: bytes) -> str:
        """Why a line is rejected; empty if it is a line of the other source, which rejects it."""
        reason = self._known.get(text)
        if reason is None:
            if len(self._known) == _MOST_SHORT:
                return self._of_others
            rows = self._land(self.source_file, Line(0, text, None))
            reason = min((reason_of(row) or TOO_SHORT for row in rows), default="")
            self._known[text] = reason
        return reason


class _Folded(Generic[Row]):
    """The rejects of each log for each reason: how many, and the first that has no row of its own."""

    def __init__(self, ring: KeyRing, most: int) -> None:
        self._ring, self._most = ring, most
        self._counts: Counter[tuple[str, str]] = Counter()
        self._others: dict[tuple[str, str], Row] = {}

    def take(self, row: Row, line: Line) -> Iterator[Row]:
        """The row of a rejected line, if it has one of its own."""
        place = row.source_file, reason_of(row)
        self._counts[place] += 1
        if self._counts[place] <= self._most:
            yield from _hashed([row], line, self._ring)
        elif place not in self._others:
            self._others[place] = row

    def counts_only(self, source_file: str, reason: str) -> bool:
        """Whether rejects of a log for a reason have no rows of their own any more."""
        return (source_file, reason) in self._others

    def add(self, source_file: str, reason: str, count: int) -> None:
        """Count rejects that have no rows of their own."""
        self._counts[source_file, reason] += count

    def others(self) -> Iterator[Row]:
        """The rows that count what has no row of its own."""
        for place, row in self._others.items():
            yield cast("Row", row._replace(line_count=self._counts[place] - self._most))


def reason_of(row: LandedLine | LandedPzpLine) -> str:
    """Why the line of a row is rejected by itself; empty where it is not. An invalid line of pzp is a reject.

    One that is not checked is none: another line may hold the ciphertext of its data.

    >>> reason_of(LandedLine("a", 1, "not_json")), reason_of(LandedLine("a", 1, validity="invalid"))
    ('not_json', '')
    """
    if isinstance(row, LandedPzpLine) and row.validity == "invalid":
        return row.invalid_reason or ""
    return row.reject_reason or ""


def _hashed(rows: list[Row], line: Line, ring: KeyRing) -> Iterator[Row]:
    """The rows of a line, with its hash if they are of no use. A line may have thousands of rows."""
    line_hash = None
    for row in rows:
        is_of_use = row.reject_reason is None and row.invalid_reason is None
        if is_of_use or line.text is None:
            yield row
            continue
        line_hash = line_hash or ring.hash(line.text)[:_HASH_DIGITS]
        yield cast("Row", row._replace(line_hash=line_hash))
