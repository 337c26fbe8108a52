"""What a file is, by its first bytes: compression, then encoding, then the form of what is in it."""

from __future__ import annotations

import codecs
import io
import re
from itertools import islice
from json import JSONDecodeError
from typing import BinaryIO, cast

from zstandard import ZstdError

from scuttlehouse.files.bipf import BLOCK_BYTES, begins_a_log, holds_a_message
from scuttlehouse.files.encodings import as_utf_8, has_utf_16
from scuttlehouse.files.flume import offset_width
from scuttlehouse.files.jq_filters import (
    FIRST_MEMBERS,
    begins_with_a_message,
    list_inside,
    way_to_messages,
)
from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.objects import is_message_at
from scuttlehouse.files.parts import Kind, Log
from scuttlehouse.files.pzp_log import holds_a_record
from scuttlehouse.files.streams import BROKEN
from scuttlehouse.files.unpack import opened, unpacked

HEAD_BYTES = 1 << 18

_COMPRESSIONS = (
    ("gzip", re.compile(rb"\x1f\x8b\x08")),
    ("bzip2", re.compile(rb"BZh[1-9](?:1AY&SY|\x17rE8P\x90)")),
    ("zstd", re.compile(rb"\x28\xb5\x2f\xfd|[\x50-\x5f]\x2a\x4d\x18")),
)

# The size of the dictionary follows, a power of two. A record of pzp may begin with the same three bytes.
_LZMA = tuple(b"\x5d" + (1 << bits).to_bytes(4, "little") for bits in range(12, 32))

# What a log may lie in that nothing here unpacks, and the command that makes it readable.
_OTHERS = (
    (b"\xfd7zXZ\0", "an xz file", "unpack it with `xz -d`"),
    (_LZMA, "an lzma file", "unpack it with `xz -d`"),
    ((b"PK\x03\x04", b"PK\x05\x06", b"PK\x07\x08"), "a zip archive", "unpack it with `unzip`"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with `7z x`"),
    (b"Rar!", "a rar archive", "unpack it with `unrar x`"),
    (b"\x04\x22\x4d\x18", "an lz4 file", "unpack it with `lz4 -d`"),
    (b"\x1f\x9d", "a file of compress", "unpack it with `uncompress`"),
    (b"LZIP", "an lzip file", "unpack it with `lzip -d`"),
    (b"\xff\x06\0\0sNaPpY", "a snappy file", "unpack it with `snzip -d`"),
    (b"SQLite format 3\0", "an SQLite database", "export its messages, one a line"),
    (b"PAR1", "a Parquet file", "export its messages, one a line"),
    (b"Obj\x01", "an Avro file", "turn it into JSON with `avro-tools tojson`"),
    (b"version https://git-lfs", "a pointer of Git LFS", "fetch the file with `git lfs pull`"),
    (b"\0\x05\x16\x07", "an AppleDouble file of macOS", "move it out of the landing folder"),
    (b"%PDF", "a PDF", "move it out of the landing folder"),
    (b"\x89PNG", "a picture", "move it out of the landing folder"),
    (b"\xff\xd8\xff", "a picture", "move it out of the landing folder"),
    (b"\x7fELF", "a program", "move it out of the landing folder"),
)

# The file `data` of a margaret log: a length of eight bytes, and a message as go-ssb stores it, in CBOR
# (multimsg: a classic message, and its id and author as arrays of 32 bytes and an algorithm).
_MARGARET = re.compile(rb"\0{5}[\0-\x10].{2}\x01\x86\x82\x58\x20", re.DOTALL)

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

_BLANK = " \t\r\n\0\ufeff"
# Blanks are looked at once, however many there are.
_LINE_BEGINNING = re.compile(r'(?:\A|\n)[\s,\[\0\ufeff\x1e]*+(\{\s*")?')
_MAP_OF_MESSAGES = re.compile(
    r'\{\s*"(?:(?:%|ssb:)[^"\\\n]{1,200}|[1-9A-HJ-NP-Za-km-z]{43,44}|[0-9]{1,20})"\s*:\s*\{'
)

_TEXT_OF_JSON = re.compile(r'\[?\s*"\{\s*\\"')
# A cell of CSV writes each quotation mark twice.
_CELL_OF_JSON = re.compile(rf'([,;\t]?)"\{{\s*""(?:{FIRST_MEMBERS})""\s*:')
_BEHIND_A_CELL = re.compile(r'\}"([,;\t])')
_IDS = re.compile(r'[\s\[",\x1e]*(?:[%@&][A-Za-z0-9+/]{43}=\.[a-z]|ssb:[a-z]+[/:])')
_MESSAGE = re.compile(rf'\{{\s*"(?:{FIRST_MEMBERS})"\s*:')
_TRIES = 8
_EMPTY = b"\0 \t\r\n"
# A line of syslog begins with a number in such brackets.
_MARKUP = re.compile("<[A-Za-z!?]")
# Where an object goes on in the next line: no JSON on one line has this.
_OVER_LINES = re.compile(r'\{[ \t]*+\r?\n\s*+"')
_OVER_LINES_IN_BYTES = re.compile(_OVER_LINES.pattern.encode())
_LONGEST_INDENT = 1 << 10

# A person copies a filter of jq from a table or a terminal.
_LONGEST_FILTER = 1000

# A long file of JSON that has none of these in its first bytes is of other software. The peers in gossip.json
# of ssb-server have a "key", too, and what streams of follows and settings give has a "value".
_MANY = 100
_OF_MESSAGES = re.compile(
    r'"(?:author|msg|metadata)"\s*:|"value"\s*:\s*\{|"key"\s*:\s*"(?:%|ssb:)|\\u00'
)
_OF_OTHERS = (
    "JSON of other software: its first values are no messages. Move it out of the landing folder."
)
_OF_A_PEER = [*map(re.compile, (r'"host"\s*:', r'"port"\s*:', r'"key"\s*:\s*"@'))]
# A copy of ~/.ssb has such a file. Nobody may have meant it to be a log.
PEERS = "Peers of ssb-server (gossip.json), and no log."


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
    return recognise_head(head, compression)


def goes_over_lines(stream: BinaryIO) -> bool:
    """Whether an object of a stream of UTF-8 goes on in the next line, as no JSON on one line does.

    Reads up to there, or to the end. O(bytes), memory O(1).

    Raises:
        OSError, EOFError, zlib.error, ZstdError: the stream breaks.

    >>> goes_over_lines(io.BytesIO(b'{"a": 1}\\n' * 9)), goes_over_lines(io.BytesIO(b'{}\\n{\\n  "a": 1'))
    (False, True)
    """
    kept = b""
    while data := stream.read(HEAD_BYTES):
        kept += data
        if _OVER_LINES_IN_BYTES.search(kept):
            return True
        kept = kept[-_LONGEST_INDENT:]
    return False


def recognise_head(head: bytes, compression: str) -> Kind | str:
    """The same for the first bytes of what was unpacked."""
    inside = "" if compression == "none" else f" inside of a {compression} file"
    other = _other_file(head, inside)
    if other is not None:
        return other
    encoding = encoding_of(head)
    form = _binary_form(head, encoding)
    if form is not None:
        return Kind(form, compression, "binary")
    # Lines in both encodings are lines, but what goes over lines may be in either.
    stream = as_utf_8(io.BytesIO(head), Kind("pretty_printed", "none", encoding))
    data = stream.read()
    text = codecs.getincrementaldecoder("utf-8")("replace").decode(data)
    bare = text.lstrip(_BLANK)
    form = form_of(text)
    around = _around_messages(bare, form, inside)
    if around is not None:
        return around
    if form is None and _MARKUP.match(bare):
        return f"This is HTML or XML{inside}, perhaps an error page: download the log again."
    form = form or _form_beside_others(text)
    # A line in UTF-16 may have the byte of a line end anywhere, so no worker can begin in the middle.
    if form == "json_lines" and has_utf_16(stream):
        form = "pretty_printed"
    if form is not None:
        is_long = text.count("{") >= _MANY
        if is_long and not _OF_MESSAGES.search(text):
            return PEERS if all(part.search(text) for part in _OF_A_PEER) else _OF_OTHERS
        return Kind(form, compression, encoding)
    without_messages = _without_messages(bare, encoding, inside)
    if without_messages is not None:
        return without_messages
    if "\0" in text or text.count("\ufffd") > len(text) // 8:
        return f"Binary data{inside} in no form that is known: export the log as JSON, one message a line."
    return f"Text{inside} without a JSON object: export the log as JSON, one message a line (`jq -c .`)."


def _other_file(head: bytes, inside: str) -> str | None:
    """What a file of a known format that is not read here is, and what to do. None for other files."""
    if _compression(head) != "none":
        return f"A compressed file{inside}: unpack it once, for example with `gunzip` or `zstd -d`."
    for magic, what, remedy in _OTHERS:
        if head.startswith(magic):
            return f"This is {what}{inside}: {remedy}."
    # A text may have this word there, but no text has the zeros behind the names in a header.
    if head[257:262] == b"ustar" and bytes(8) in head[:257]:
        return f"This is a tar archive{inside}: unpack it with `tar -xf`."
    if _MARGARET.match(head):
        return (
            f"This is the log of go-ssb (margaret){inside}: export its messages with `sbotcli log`."
        )
    return None


def _binary_form(head: bytes, encoding: str) -> str | None:
    """The form of a binary log. None for text."""
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


def _around_messages(bare: str, form: str | None, inside: str) -> str | None:
    """What is around the messages of a text, and the command that takes them out. None if nothing is."""
    way = way_to_messages(bare)
    if way and len(way) > _LONGEST_FILTER:
        return f"JSON objects around messages{inside}, at many places: export the log, one message a line."
    if way:
        return f"JSON objects around messages{inside}: take these out with `jq -c '.{way}'`."
    if form == "array" and (member := list_inside(bare[1:].lstrip())):
        return f"One array of objects around lists{inside}: take the lists out with `jq -c '.[]{member}[]'`."
    if form is not None:
        return None
    if member := list_inside(bare):
        if begins_with_a_message(bare):
            way = f"del(.{member}), (.{member}[]?)"
            return f"Messages with lists of messages{inside}: take all of them out with `jq -c '{way}'`."
        return (
            f"One JSON object around a list{inside}: take the list out with `jq -c '.{member}[]'`."
        )
    if _MAP_OF_MESSAGES.match(bare):
        return f"One JSON object with the messages as its members{inside}: take them out with `jq -c '.[]'`."
    if _TEXT_OF_JSON.match(bare):
        return f"JSON inside of JSON texts{inside}: take it out with `jq -r .` or `jq -r '.[]'`."
    return None


def _without_messages(text: str, encoding: str, inside: str) -> str | None:
    """What a text without objects is, and what to do. None if nothing is known of it."""
    cell = _CELL_OF_JSON.search(text)
    if cell:
        behind = None if cell[1] else _BEHIND_A_CELL.search(text)
        separator = cell[1] or (behind[1] if behind else ",")
        decoded = (
            f"open(0, encoding='{'utf-8-sig' if encoding == 'utf-8' else encoding}', newline='')"
        )
        rows = f"csv.reader({decoded}, delimiter={separator!r})"
        program = f"import csv; [print(cell) for row in {rows} for cell in row if cell[:1] == '{{']"
        return f'Messages in the cells of CSV{inside}: take them out with `python3 -c "{program}"`.'
    if "{" not in text and _IDS.match(text):
        return (
            f"Ids{inside} and no messages: export the messages, too, for example with `ssb-server log` "
            "without `--values=false`."
        )
    return None


def encoding_of(head: bytes) -> str:
    """How the characters of a text are written, by its byte order mark or its zero bytes.

    >>> encoding_of(b"{}"), encoding_of("{}".encode("utf-16-be")), encoding_of("{}".encode("utf-32"))
    ('utf-8', 'utf-16-be', 'utf-32-le')
    """
    for mark, encoding in _MARKS:
        if head.startswith(mark):
            return encoding
    beginnings = (
        (0, 1) if head[:1] in (b"\xfe", b"\xff") else (0,)
    )  # Of a mark, a byte may be lost.
    for beginning in beginnings:
        for pattern, encoding in _PATTERNS:
            if pattern.match(head, beginning):
                return encoding
    return _encoding_inside(head)


def _encoding_inside(head: bytes) -> str:
    """The encoding by what JSON writes after names, where the beginning is damaged."""
    if _BEGINS_IN_UTF_8.match(head):
        return "utf-8"
    for unit in (4, 2):
        sign = '":'.encode(f"utf-{8 * unit}-le")
        if head.count(sign) > head.count(b'":'):
            return f"utf-{8 * unit}-{'be' if head.index(sign) % unit else 'le'}"
    return "utf-8"


def form_of(text: str) -> str | None:
    """The form of a text that begins so; None if it holds no JSON object.

    >>> form_of('{"a": 1}\\n{"a": 2}'), form_of('{\\n  "a": 1\\n}'), form_of('[{}]'), form_of("name,age")
    ('json_lines', 'pretty_printed', 'array', None)
    >>> form_of('[\\nnull,\\n{"a": 1}]')
    'array'
    """
    text = text.lstrip(_BLANK)
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
    if list_inside(text) or _MAP_OF_MESSAGES.match(text):
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


def _form_beside_others(text: str) -> str | None:
    """The form of messages with something else before each of them; None if the text holds none."""
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
            if left % BLOCK_BYTES == 0 and left < HEAD_BYTES and not b"".join(parts).strip(_EMPTY):
                parts, left = [], HEAD_BYTES
    except BROKEN as error:
        # What needs a dictionary or a larger window than others shows nothing.
        if isinstance(error, ZstdError) and not parts:
            raise
    return b"".join(parts)
