"""What a build reads of a landing folder: its logs in splits, and what a reader yields as single lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import MagicMock

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Line, Piece, ShortValues, Split
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
