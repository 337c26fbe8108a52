"""What a file is, by its first bytes: compression, then encoding, then the form of what is in it."""

from __future__ import annotations

import codecs
import io
import re
from typing import BinaryIO, cast

from zstandard import ZstdError

from scuttlehouse.files.bipf import BLOCK_BYTES
from scuttlehouse.files.encodings import as_utf_8, has_utf_16
from scuttlehouse.files.forms import BLANK, binary_form, form_beside_others, form_of
from scuttlehouse.files.notations import told_notation
from scuttlehouse.files.other_files import (
    around_messages,
    of_no_known_form,
    of_other_software,
    other_file,
    told_by_name,
    without_messages,
)
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import Kind, Log
from scuttlehouse.files.streams import BROKEN
from scuttlehouse.files.unpack import opened, unpacked

HEAD_BYTES = 1 << 18

_COMPRESSIONS = (
    ("gzip", re.compile(rb"\x1f\x8b\x08")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")),
)

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
# JSON begins with two ASCII characters (RFC 4627, section 3): the places of zero bytes tell the encoding.
_PATTERNS = (
    (re.compile(rb"\0\0\0[^\0]\0\0\0[^\0]"), "utf-32-be"),
    (re.compile(rb"[^\0]\0\0\0[^\0]\0\0\0"), "utf-32-le"),
    (re.compile(rb"\0[^\0]\0[^\0]"), "utf-16-be"),
    (re.compile(rb"[^\0]\0[^\0]\0"), "utf-16-le"),
)

# A first member in UTF-8 tells that the log is in UTF-8, whatever another shell has appended.
_BEGINS_IN_UTF_8 = re.compile(rb'(?:\xef\xbb\xbf)?[\s\[\x1e]*+\{\s*+"[^"\0]{1,64}"\s*+:')

_EMPTY = b"\0 \t\r\n"
_OF_NO_VALUE = _EMPTY + b"[]\x1e" + codecs.BOM_UTF8


def recognise(log: Log) -> Kind | str:
    """The kind of a log, or a sentence that says what the file is and how to make it readable.

    Reads the first ``HEAD_BYTES`` that are in the file; ``limits.recognise_within_limits`` reads on. An empty
    file is a log without lines.

    Raises:
        OSError: the file cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     file.write(b'\\xff\\xfe{\\0}\\0')
    ...     file.flush()
    ...     recognise(Log(file.name, "a.txt", 6, 0))
    6
    Kind(form='json_lines', compression='none', encoding='utf-16-le')
    """
    with opened(log.path, log.size_bytes, Kind("", "none", "binary")) as stream:
        beginning = stream.read(512)
    compression = _compression(beginning)
    with opened(log.path, log.size_bytes, Kind("", "none", "binary")) as stream:
        try:
            head = _head(unpacked(stream, compression))
        except ZstdError as error:
            return f"A zstd file that is not unpacked here ({error}): unpack it with `zstd -d --long=31`."
    kind = recognise_head(head, compression)
    return told_by_name(kind, log.path) if isinstance(kind, str) else kind


def is_without_values(log: Log) -> bool:
    """Whether a log that was recognised holds nothing, or what an export that failed leaves: blanks, ``[]``.

    Raises:
        OSError: the file cannot be read.

    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     is_without_values(Log(file.name, "a.jsonl", 0, 0))
    True
    """
    with opened(log.path, log.size_bytes, log.kind._replace(encoding="binary")) as stream:
        head = _head(stream)
    text = as_utf_8(io.BytesIO(head), Kind("pretty_printed", "none", log.kind.encoding)).read()
    return not text.strip(_OF_NO_VALUE)


def recognise_head(head: bytes, compression: str) -> Kind | str:
    """The same for the first bytes of what was unpacked."""
    inside = Packing(compression).inside
    if _compression(head) != "none":
        return f"A compressed file{inside}: unpack it once, for example with `gunzip` or `zstd -d`."
    other = other_file(head, inside)
    if other is not None:
        return other
    encoding = encoding_of(head)
    form = binary_form(head, encoding)
    if form is not None:
        return Kind(form, compression, "binary")
    # Lines in both encodings are lines, but what goes over lines may be in either.
    stream = as_utf_8(io.BytesIO(head), Kind("pretty_printed", "none", encoding))
    data = stream.read()
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    bare = text.lstrip(BLANK)
    form = form_of(text)
    packing = Packing(compression, _named_for_commands(head, encoding))
    around = around_messages(bare, form, packing)
    if around is not None:
        return around
    notation = told_notation(bare, packing)
    if notation is not None:
        return notation
    form = form or form_beside_others(text)
    # A line in UTF-16 may have the byte of a line end anywhere, so no worker can begin in the middle.
    if form == "json_lines" and has_utf_16(stream):
        form = "pretty_printed"
    if form is not None:
        return of_other_software(bare) or Kind(form, compression, encoding)
    return without_messages(bare, packing) or of_no_known_form(text, inside)


def encoding_of(head: bytes) -> str:
    """How the characters of a text are written, by its byte order mark or its zero bytes.

    >>> encoding_of(b"{}"), encoding_of("{}".encode("utf-16-be")), encoding_of("{}".encode("utf-32"))
    ('utf-8', 'utf-16-be', 'utf-32-le')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    # Of a mark, a byte may be lost.
    beginnings = (0, 1) if head[:1] in (b"\xfe", b"\xff") else (0,)
    for beginning in beginnings:
        for pattern, encoding in _PATTERNS:
            if pattern.match(head, beginning):
                return encoding
    return _encoding_inside(head)


def _named_for_commands(head: bytes, encoding: str) -> str:
    """The name of an encoding by which commands read the byte order mark as what it is."""
    is_marked = any(head.startswith(mark) for mark, _ in _MARKS)
    return re.sub("-[bl]e$", "", encoding) if is_marked else encoding


def _encoding_inside(head: bytes) -> str:
    """The encoding by what JSON writes after names, where the beginning is damaged."""
    if _BEGINS_IN_UTF_8.match(head):
        return "utf-8"
    for unit in (4, 2):
        sign = '":'.encode(f"utf-{8 * unit}-le")
        if head.count(sign) > head.count(b'":'):
            return f"utf-{8 * unit}-{'be' if head.index(sign) % unit else 'le'}"
    return "utf-8"


def _compression(head: bytes) -> str:
    return next((name for name, magic in _COMPRESSIONS if magic.match(head)), "none")


def _head(stream: BinaryIO) -> bytes:
    """The first bytes of a stream, up to where it breaks, after blocks of zeros and blanks.

    Raises:
        ZstdError: no byte can be unpacked.
    """
    parts: list[bytes] = []
    left = HEAD_BYTES
    read1 = cast("io.BufferedReader", stream).read1
    try:
        # Where a stream breaks, read() loses what it has read before.
        while left > 0 and (data := read1(min(left % BLOCK_BYTES or BLOCK_BYTES, 4096))):
            parts.append(data)
            left -= len(data)
            if left % BLOCK_BYTES == 0 and not b"".join(parts).strip(_EMPTY):
                parts, left = [], HEAD_BYTES
    except BROKEN as error:
        # What needs a dictionary or a larger window than others shows nothing.
        if isinstance(error, ZstdError) and not parts:
            raise
    return b"".join(parts)
