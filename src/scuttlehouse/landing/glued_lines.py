"""Lines with several messages, glued together, or with a message beside other bytes.

A line is one message as a rule, and read as one first. Only where that fails, its parts are looked for.
"""

from __future__ import annotations

import codecs
import io
from collections.abc import Iterable, Iterator
from typing import Any, TypeGuard

from scuttlehouse.files.encodings import recoded
from scuttlehouse.files.json_lines import has_word, line_object
from scuttlehouse.files.parts import Line, Piece
from scuttlehouse.files.values import split_line
from scuttlehouse.pzp.lines import PZP_WORDS, LandedPzpLine, land_pzp_line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import KEY_WORDS, LandedLine, epoch_key, land_line

# Reasons for which a line may hold more than one value.
_MAY_HAVE_PARTS = ("not_json", "not_utf8", "not_a_message")

# What may stand between values, beside byte order marks.
_BETWEEN = b" \t\r\n,[]\x1e"

# A quotation mark in a text, where COPY of PostgreSQL or INTO OUTFILE of MySQL wrote each backslash twice.
_MARK_WRITTEN_TWICE = rb'\\"'

# What stands behind the name of a member. PowerShell appends UTF-16 to a log whatever its encoding is.
_UTF_16_SIGN = '":'.encode("utf-16-le")


def line_parts(line: Line) -> Iterator[Line]:
    """The objects on a line that is none as a whole, and the rest of it as a fault.

    The fault is ``zero_bytes`` or ``damaged``; objects too short for a message are part of it. A line without
    an object that is long enough comes as it is; one of brackets and commas alone is empty.

    Never raises, whatever the line holds. O(length of the line).

    >>> message = b'{"key": "%%%s", "value": {}}' % (b"A" * 43)
    >>> parts = line_parts(Line(1, b'{"key": "%' + message + b'{"a": 2}', None))
    >>> [part.text == message or part.fault for part in parts]
    [True, 'damaged']
    """
    if line.text is None or not line.text.strip():
        yield line
        return
    if _UTF_16_SIGN in line.text:
        yield from line_parts(Line(line.line_number, _from_utf_16(line.text), None))
        return
    found = [*split_line(line.text)]
    objects = [part for part in found if _is_object(part)]
    others = [part for part in found if not _is_object(part)]
    for part in objects:
        yield part._replace(line_number=line.line_number)
    if objects and others:
        is_zero = all(map(_is_zero, others))
        yield Line(line.line_number, None, "zero_bytes" if is_zero else "damaged")
    elif not objects and line.text.translate(None, _BETWEEN + b"\0").replace(codecs.BOM_UTF8, b""):
        yield line
    elif not objects:
        is_zero = b"\0" in line.text
        yield Line(line.line_number, None if is_zero else b"", "zero_bytes" if is_zero else None)


def _is_object(part: Piece) -> TypeGuard[Line]:
    """Whether a part is an object that is no short one."""
    return isinstance(part, Line) and part.text is not None and part.text.startswith(b"{")


def _is_zero(part: Piece) -> bool:
    if isinstance(part, Line):
        return part.fault == "zero_bytes"
    return all(text.startswith(b"\0") for text in part.texts())


def _from_utf_16(text: bytes) -> bytes:
    """A line that was cut at the byte of a line end, as UTF-8."""
    return recoded(io.BytesIO(text.strip(b"\0") + b"\0"), "utf-16-le").read()


def _parts(
    line: Line, parsed: dict[str, Any] | str
) -> list[tuple[Line, dict[str, Any] | str | None]]:
    """The parts of a line, each with what it holds if that is known."""
    if parsed == "not_json" and line.text is not None and _MARK_WRITTEN_TWICE in line.text:
        once = line._replace(text=line.text.replace(rb"\\", b"\\"))
        read = line_object(once)
        if isinstance(read, dict):
            return [(once, read)]
    if parsed not in _MAY_HAVE_PARTS:
        return [(line, parsed)]
    return [(part, parsed if part is line else None) for part in line_parts(line)]


def land_lines(
    source_file: str, line: Line, ring: KeyRing, network_key: bytes | None = None
) -> Iterator[LandedLine]:
    """The rows of a line, see :func:`scuttlehouse.ssb.lines.land_line`; a fault of it comes last.

    >>> rows = land_lines("a.jsonl", Line(7, b'\\0{"id": 1}', None), KeyRing(b"pepper"))
    >>> [row.reject_reason for row in rows]
    ['not_json']
    """
    for part, known in _parts(line, line_object(line)):
        row = land_line(source_file, part, ring, network_key, known)
        if row is not None:
            yield row


def land_pzp_lines(source_file: str, line: Line, ring: KeyRing) -> Iterable[LandedPzpLine]:
    """The rows of a line, see :func:`scuttlehouse.pzp.lines.land_pzp_line`.

    Of a line that :func:`land_lines` rejects in part, only the messages: it is rejected once.
    """
    if not has_word(line, PZP_WORDS):
        return ()
    parsed = line_object(line)
    parts = _parts(line, parsed)
    rows = [land_pzp_line(source_file, part, ring, known) for part, known in parts]
    if not any(rows):
        return ()
    others = (land_line(source_file, part, ring, None, known) for part, known in parts)
    if len(parts) > 1 and any(
        other is not None and other.reject_reason is not None for other in others
    ):
        rows = [row for row in rows if row is not None and row.validity in ("valid", "not_checked")]
    return (row for row in rows if row is not None)


def epoch_keys(line: Line) -> Iterable[bytes]:
    """The keys of the epochs that the messages of a line make (:func:`scuttlehouse.ssb.lines.epoch_key`)."""
    if not has_word(line, KEY_WORDS):
        return ()
    parsed = line_object(line)
    keys = [epoch_key(part, known) for part, known in _parts(line, parsed)]
    return (key for key in keys if key is not None)
