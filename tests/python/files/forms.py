"""Rewrites a log into other forms, compressions and encodings, which hold the same messages."""

from __future__ import annotations

import bz2
import gzip
import struct
from collections.abc import Callable, Iterable
from typing import Any

import zstandard

from scuttlehouse.files import jsjson

Values = list[Any]


def objects(lines: Iterable[bytes]) -> Values:
    """The JSON objects of a log; what no other form can hold, a line that is none, is left out."""
    found = []
    for line in lines:
        try:
            value = jsjson.parse(line.decode())
        except ValueError:
            continue
        if isinstance(value, dict):
            found.append(value)
    return found


def text(value: Any, indent: int = 0) -> str:
    return jsjson.stringify(value, indent)


def json_lines(values: Values) -> str:
    return "".join(f"{text(value)}\n" for value in values)


def pretty_printed(values: Values) -> str:
    """As `ssb-server log` prints: two spaces, and a blank line after each."""
    return "".join(f"{text(value, 2)}\n\n" for value in values)


def array(values: Values) -> str:
    return text(values)


def pretty_array(values: Values) -> str:
    return text(values, 4)


def array_by_line(values: Values) -> str:
    return "[\n" + ",\n".join(map(text, values)) + "\n]\n"


def json_sequence(values: Values) -> str:
    return "".join(f"\x1e{text(value)}\n" for value in values)


def concatenated(values: Values) -> str:
    return "".join(map(text, values))


TEXTS: dict[str, tuple[str, Callable[[Values], str]]] = {
    "json_lines": ("json_lines", json_lines),
    "pretty_printed": ("pretty_printed", pretty_printed),
    "array": ("array", array),
    "pretty_array": ("array", pretty_array),
    "array_by_line": ("array", array_by_line),
    "json_sequence": ("json_sequence", json_sequence),
    "concatenated": ("concatenated", concatenated),
}

BLOCK = 1 << 16


def bipf_log(values: Values) -> bytes:
    """async-append-only-log, with a deleted record after each that is kept."""
    blocks = [bytearray()]
    for value in values:
        data = bipf(value)
        for record in (data, bytes(len(data) // 2 + 1)):
            framed = struct.pack("<H", len(record)) + record
            if len(blocks[-1]) + len(framed) + 2 > BLOCK:
                blocks.append(bytearray())
            blocks[-1] += framed
    return b"".join(block.ljust(BLOCK, b"\0") for block in blocks)


def bipf(value: Any) -> bytes:
    """A value as bipf-spec has it."""
    kind, data = _tagged(value)
    return _varint(len(data) << 3 | kind) + data


def _tagged(value: Any) -> tuple[int, bytes]:
    if value is None:
        return 6, b""
    if isinstance(value, bool):
        return 6, bytes([value])
    if isinstance(value, str):
        return 0, value.encode("utf-8", "replace")
    if isinstance(value, bytes):
        return 1, value
    if isinstance(value, list):
        return 4, b"".join(map(bipf, value))
    if isinstance(value, dict):
        return 5, b"".join(bipf(name) + bipf(member) for name, member in value.items())
    if float(value).is_integer() and abs(value) < 2**31:
        return 2, struct.pack("<i", int(value))
    return 3, struct.pack("<d", value)


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def flume_log(values: Values, width: int = 4) -> bytes:
    """flumelog-offset, with a deleted record after each that is kept."""
    log = bytearray()
    for value in values:
        data = text(value).encode("utf-8", "surrogatepass")
        for record in (data, bytes(len(data))):
            length = struct.pack(">I", len(record))
            log += length + record + length
            log += (len(log) + width).to_bytes(width) if width else b""
    return bytes(log)


def pzp_log(values: Values) -> bytes:
    """ppppp-db, with a deleted record after each that is kept, and zeros behind some data."""
    blocks = [bytearray()]
    for number, value in enumerate(values):
        data = text(value).encode("utf-8", "surrogatepass")
        empty = number % 3
        for record in (
            struct.pack("<HH", len(data), empty) + data + bytes(empty),
            struct.pack("<HH", 0, len(data)) + bytes(len(data)),
        ):
            if len(blocks[-1]) + len(record) + 4 > BLOCK:
                blocks.append(bytearray())
            blocks[-1] += record
    return b"".join(block.ljust(BLOCK, b"\0") for block in blocks)


BINARIES: dict[str, tuple[str, Callable[[Values], bytes]]] = {
    "bipf_log": ("bipf_log", bipf_log),
    "flume_log": ("flume_log", flume_log),
    "flume_log_48": ("flume_log", lambda values: flume_log(values, 6)),
    "flume_log_53": ("flume_log", lambda values: flume_log(values, 8)),
    "flume_log_of_old": ("flume_log", lambda values: flume_log(values, 0)),
    "pzp_log": ("pzp_log", pzp_log),
}

ENCODINGS = {
    "utf-8": ("utf-8", b""),
    "utf-8 with a mark": ("utf-8", b"\xef\xbb\xbf"),
    "utf-16-le": ("utf-16-le", b""),
    "utf-16-be": ("utf-16-be", b""),
    "utf-32-le": ("utf-32-le", b""),
    "utf-32-be": ("utf-32-be", b""),
    "utf-16-le with a mark": ("utf-16-le", b"\xff\xfe"),
    "utf-16-be with a mark": ("utf-16-be", b"\xfe\xff"),
    "utf-32-le with a mark": ("utf-32-le", b"\xff\xfe\0\0"),
    "utf-32-be with a mark": ("utf-32-be", b"\0\0\xfe\xff"),
}

COMPRESSIONS: dict[str, Callable[[bytes], bytes]] = {
    "none": lambda data: data,
    "gzip": lambda data: gzip.compress(data, 1),
    "bzip2": lambda data: bz2.compress(data, 1),
    "zstd": lambda data: zstandard.ZstdCompressor().compress(data),
}

FORMS: dict[str, tuple[str, Callable[[Values], str | bytes]]] = {**TEXTS, **BINARIES}


def rewrite(values: Values, form: str, compression: str, encoding: str) -> bytes:
    """A file that holds these values; the encoding says nothing of forms that are no text."""
    return packed(FORMS[form][1](values), compression, encoding)


def packed(log: str | bytes, compression: str, encoding: str) -> bytes:
    """A file with this text, or with these bytes in no encoding."""
    if isinstance(log, str):
        name, mark = ENCODINGS[encoding]
        log = mark + log.encode(name)
    return COMPRESSIONS[compression](log)


def kind_of(form: str, compression: str, encoding: str) -> tuple[str, str, str]:
    """What such a file is recognised as."""
    return FORMS[form][0], compression, "binary" if form in BINARIES else ENCODINGS[encoding][0]
