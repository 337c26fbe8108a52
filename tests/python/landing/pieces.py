"""What a reader of files yields, as single lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from scuttlehouse.files.parts import Line, Piece, ShortValues


def each_line(pieces: Iterable[Piece]) -> Iterator[Line]:
    """Lines one by one, also those that came together."""
    for piece in pieces:
        if isinstance(piece, Line):
            yield piece
            continue
        for number, text in zip(piece.numbers(), piece.texts(), strict=True):
            is_zero = isinstance(piece, ShortValues) and text.startswith(b"\0")
            yield Line(number, None, "zero_bytes") if is_zero else Line(number, text, None)
