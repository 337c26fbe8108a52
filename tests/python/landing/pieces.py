"""What a build reads of a landing folder: its logs in splits, and what a reader yields as single lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

from hypothesis import strategies as st

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import MAX_LINE_BYTES, Line, Piece, ShortValues, Split
from scuttlehouse.landing.folder import require_logs
from scuttlehouse.landing.ledger import LedgerEntry, take_stock
from scuttlehouse.landing.looks import look_into
from scuttlehouse.landing.spark import new_splits
from scuttlehouse.ssb.epoch_keys import KeyRing


def ledger_of(folder: Path, ring: KeyRing) -> list[LedgerEntry]:
    """The ledger of a build in which all logs are new."""
    return take_stock(list_logs(folder, ring), {}, "batch", "rules", look_into)


def splits_of(folder: Path, ring: KeyRing, ledger: Iterable[LedgerEntry]) -> list[Split]:
    """What the models of that build read."""
    frame = MagicMock()
    frame.where().join().orderBy().collect.return_value = [
        SimpleNamespace(**entry._asdict(), landing_folder=str(folder))
        for entry in ledger
        if entry.batch_id is not None
    ]
    return new_splits(frame, MagicMock(), ring, "rules")


def each_line(pieces: Iterable[Piece]) -> Iterator[Line]:
    """Lines one by one, also those that came together."""
    for piece in pieces:
        if isinstance(piece, Line):
            yield piece
            continue
        for number, text in zip(piece.numbers(), piece.texts(), strict=True):
            is_zero = isinstance(piece, ShortValues) and text.startswith(b"\0")
            yield Line(number, None, "zero_bytes") if is_zero else Line(number, text, None)


def plain_lines(data: bytes, limit: int = MAX_LINE_BYTES) -> list[Line]:
    """The slow plain oracle: split on line ends, nothing else."""
    lines = data.split(b"\n")
    if lines[-1] == b"":
        lines.pop()
    lines = [line.removesuffix(b"\r") for line in lines]
    return [
        Line(number, None, "too_long") if len(line) > limit else Line(number, line, None)
        for number, line in enumerate(lines, 1)
    ]


LINE_TEXTS = st.lists(
    st.one_of(
        st.binary(max_size=12),
        st.sampled_from([b"", b"\r", b"\n\n", b"\r\n", b"\x00", "\u2028\u0085".encode(), b"\n"]),
    ),
    max_size=20,
).map(b"".join)


def stock_of(folder: Path) -> dict[str, LedgerEntry]:
    stock = take_stock(list_logs(folder), {}, "now", "rules", look_into)
    require_logs(folder, stock)
    return {entry.source_file: entry for entry in stock}
