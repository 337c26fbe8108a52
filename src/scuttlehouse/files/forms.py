"""The form of what is in a file, by its first bytes."""

from __future__ import annotations

import re
from itertools import islice
from json import JSONDecodeError
from typing import BinaryIO

from scuttlehouse.files.bipf import BLOCK_BYTES, begins_a_log, holds_a_message
from scuttlehouse.files.flume import offset_width
from scuttlehouse.files.jq_filters import list_inside, way_out_of_map
from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.objects import is_message_at
from scuttlehouse.files.parts import FIRST_MEMBERS
from scuttlehouse.files.pzp_log import holds_a_record

BLANK = " \t\r\n\0\ufeff"
# Blanks are looked at once, however many there are.
_LINE_BEGINNING = re.compile(r'(?:\A|\n)[\s,\[\0\ufeff\x1e]*+(\{\s*")?')
_MESSAGE = re.compile(rf'\{{\s*"(?:{FIRST_MEMBERS})"\s*:')
_TRIES = 8
# Where an object goes on in the next line: no JSON on one line has this.
_OVER_LINES = re.compile(r'\{[ \t]*+\r?\n\s*+"')
_OVER_LINES_IN_BYTES = re.compile(_OVER_LINES.pattern.encode())
_LONGEST_INDENT = 1 << 10
_CHUNK = 1 << 18


def binary_form(head: bytes, encoding: str) -> str | None:
    """The form of a binary log. None for text.

    >>> binary_form(bytes([3, 0, 0, 0, 0, 1, 0, 5]), "utf-8"), binary_form(b"{}", "utf-8")
    ('bipf_log', None)
    """
    # A text of a message in another encoding may have the bytes of a record.
    if encoding == "utf-8" and offset_width(head) is not None:
        return "flume_log"
    if begins_a_log(head[:BLOCK_BYTES]):
        return "bipf_log"
    if encoding == "utf-8" and b"\0" in head:
        if holds_a_record(head):
            return "pzp_log"
        if holds_a_message(head):
            return "bipf_log"
    return None


def form_of(text: str) -> str | None:
    """The form of a text that begins so; None if it holds no JSON object.

    >>> form_of('{"a": 1}\\n{"a": 2}'), form_of('{\\n  "a": 1\\n}'), form_of('[{}]'), form_of("name,age")
    ('json_lines', 'pretty_printed', 'array', None)
    >>> form_of('[\\nnull,\\n{"a": 1}]')
    'array'
    """
    text = text.lstrip(BLANK)
    if not text:
        return "json_lines"
    if text[0] == "\x1e":
        return "json_sequence"
    if text[0] == "[" and text[1:].lstrip().startswith(("{", "]", "null")):
        return "array"
    if text[0] != "{" or text[1:].lstrip()[:1] not in ('"', "}", ""):
        beginnings = (found.start(1) for found in _LINE_BEGINNING.finditer(text) if found[1])
        first = next(beginnings, 0)
        return form_of(text[first:]) if first else None
    if list_inside(text) or way_out_of_map(text):
        return None
    try:
        _, end = LENIENT_DECODER.raw_decode(text)
    except (JSONDecodeError, RecursionError):
        return _form_of_lines(text)
    # Exports of several programs may follow each other in one file.
    if "\n" in text[:end] or _OVER_LINES.search(text, end):
        return "pretty_printed"
    is_one_line = "\n" not in text.rstrip()
    is_followed = text[end:].lstrip(" \t\r,\0\x1e")[:1] == "{"
    return "concatenated" if is_one_line and is_followed else "json_lines"


def form_beside_others(text: str) -> str | None:
    """The form of messages with something else before each of them; None if the text holds none.

    >>> form_beside_others('1: {"key": "%a", "value": {}}'), form_beside_others('1: {"a": 1}')
    ('concatenated', None)
    """
    tries = islice(_MESSAGE.finditer(text), _TRIES)
    if not any(is_message_at(text, found.start()) for found in tries):
        return None
    # Where a line has something before its message, what is behind that may go on in the next line.
    return "pretty_printed" if "\n" in text.strip() else "concatenated"


def _form_of_lines(text: str) -> str:
    """The form of objects of which the first is damaged, or longer than what was read."""
    _, _, rest = text.partition("\n")
    is_over_lines = _OVER_LINES.search(text) or re.match('[ \t]+"', rest)
    return "pretty_printed" if is_over_lines else "json_lines"


def goes_over_lines(stream: BinaryIO) -> bool:
    """Whether an object of a stream of UTF-8 goes on in the next line, as no JSON on one line does.

    Reads up to there, or to the end. O(bytes), memory O(1).

    Raises:
        OSError, EOFError, zlib.error, ZstdError: the stream breaks.

    >>> import io
    >>> goes_over_lines(io.BytesIO(b'{"a": 1}\\n' * 9)), goes_over_lines(io.BytesIO(b'{}\\n{\\n  "a": 1'))
    (False, True)
    """
    kept = b""
    while data := stream.read(_CHUNK):
        kept += data
        if _OVER_LINES_IN_BYTES.search(kept):
            return True
        kept = kept[-_LONGEST_INDENT:]
    return False
