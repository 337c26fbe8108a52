"""The row of one record, or of the text of one line, with a key of tests."""

from __future__ import annotations

import json

from scuttlehouse.files.parts import Line
from scuttlehouse.pzp.lines import LandedPzpLine, land_pzp_line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine, land_line

RING = KeyRing(b"pepper")


def row_of(record: object) -> LandedLine:
    """The row of a line that is not one of pzp."""
    row = land_line("a.jsonl", _line(record), RING)
    assert row is not None, "a line of pzp"
    return row


def pzp_row_of(record: object) -> LandedPzpLine:
    """The row of a line of pzp."""
    row = land_pzp_line("a.jsonl", _line(record), RING)
    assert row is not None, "no line of pzp"
    return row


def _line(record: object) -> Line:
    text = record if isinstance(record, bytes) else json.dumps(record).encode()
    return Line(1, text, None)
