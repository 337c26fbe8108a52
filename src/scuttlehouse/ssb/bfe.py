"""Bencode and binary field encoding (BFE): the bytes of feed formats, from the JSON that logs hold.

Bencode has bytes, whole numbers, lists and dictionaries. In BFE every text, id, signature, true, false and
null is bytes; the first two bytes name the type. (Specification "SSB Binary Field Encodings"; ``ssb-bfe``.)
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from collections.abc import Mapping
from typing import Any, TypeAlias, TypeGuard

from scuttlehouse.files import jsjson
from scuttlehouse.pzp.canonical import utf16_units
from scuttlehouse.ssb.ids import any_id, from_url, id_bytes

# The first two bytes of a value in BFE.
_FEEDS = {
    "classic": b"\0\0",
    "gabbygrove-v1": b"\0\1",
    "bamboo": b"\0\2",
    "bendybutt-v1": b"\0\3",
    "buttwoo-v1": b"\0\4",
    "indexed-v1": b"\0\5",
}
_MESSAGES = {
    "classic": b"\1\0",
    "gabbygrove-v1": b"\1\1",
    "cloaked": b"\1\2",
    "bamboo": b"\1\3",
    "bendybutt-v1": b"\1\4",
    "buttwoo-v1": b"\1\5",
    "indexed-v1": b"\1\6",
}
_TYPE_FORMATS = {
    "feed": _FEEDS,
    "message": _MESSAGES,
    "identity": {"po-box": b"\7\0", "group": b"\7\1"},
}
_OTHER_URIS = {
    "blob/classic": b"\2\0",
    "encryption-key/box2-dm-dh": b"\3\0",
    "encryption-key/box2-pobox-dh": b"\3\1",
}
_SIGNATURE, _BOX1, _BOX2 = b"\4\0", b"\5\0", b"\5\1"
_TEXT, _FALSE, _TRUE, _NIL, BYTES = b"\6\0", b"\6\1\0", b"\6\1\1", b"\6\2", b"\6\3"

_BASE64 = r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/](?:[AQgw]==|[A-Za-z0-9+/][AEIMQUYcgkosw048]=))?"
_SIGIL = re.compile(rf"[@%]{_BASE64}\.[a-zA-Z0-9-]+")
_BLOB = re.compile(rf"&({_BASE64})\.sha256")
CIPHERTEXT = re.compile(rf"({_BASE64})\.box(2?)")
_SIGNED = re.compile(rf"({_BASE64})\.sig\.ed25519")
_URI = re.compile(r"ssb:(?://)?([a-z-]+)[/:]([a-z0-9-]+)[/:]([A-Za-z0-9_=-]+)")
# 32 bytes, in their one spelling: a signature over bytes covers every other one, too.
_KEY = re.compile(r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]=")
_NONCE = re.compile(r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]=")
_MOST = 2**53
_NUMBERS = frozenset({float, int})
SIGNATURE_BYTES = 64


# Closes a list or a dictionary.
_END = object()

Bytes: TypeAlias = "bytes | int | list[Bytes] | dict[str, Bytes]"


class NoBytesError(ValueError):
    """The JSON holds a value that has no bytes in bendybutt-v1."""


def encode(value: jsjson.Value) -> Bytes:
    """A JSON value in BFE. Lists, members and numbers stay as they are; everything else becomes bytes.

    JavaScript writes bytes as JSON in the form ``{"type": "Buffer", "data": [...]}``.

    Raises:
        NoBytesError: a number is not whole, or an id has a format without a code.

    Complexity: O(size of the value).

    >>> encode({"type": "a", "sequence": 1.0, "root": None})
    {'type': b'\\x06\\x00a', 'sequence': 1, 'root': b'\\x06\\x02'}
    """
    encoded: list[Bytes] = [b""]
    # A loop, for the reason of jsjson.written: values, and where their bytes belong.
    left: list[tuple[jsjson.Value, Any, Any]] = [(value, encoded, 0)]
    while left:
        item, whole, place = left.pop()
        inner: Any
        if isinstance(item, list):
            whole[place] = inner = [b""] * len(item)
            left += ((one, inner, number) for number, one in enumerate(item))
        elif isinstance(item, dict):
            data = buffer_bytes(item)
            whole[place] = inner = dict.fromkeys(item, b"") if data is None else BYTES + data
            if data is None:
                left += ((one, inner, name) for name, one in item.items())
        else:
            whole[place] = _encode_scalar(item)
    return encoded[0]


def _encode_scalar(value: bool | float | str | None) -> bytes | int:
    """The bytes of a text or a constant; a number as it is."""
    if value is None:
        return _NIL
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, str):
        return encode_text(value)
    if not is_whole(value):
        raise NoBytesError
    return int(value)


def bencode(value: Bytes) -> bytes:
    """A value in bencode. The members of a dictionary are in the order of their names' UTF-16 units.

    Complexity: O(n log n) in the size of the value.

    >>> bencode([1, b"ab", {"b": 2, "a": []}])
    b'li1e2:abd1:ale1:bi2eee'
    """
    parts: list[bytes] = []
    left: list[Any] = [value]
    while left:
        item = left.pop()
        if item is _END:
            parts.append(b"e")
        elif isinstance(item, bytes):
            parts += [b"%d:" % len(item), item]
        elif isinstance(item, int):
            parts.append(b"i%de" % item)
        elif isinstance(item, list):
            parts.append(b"l")
            left += [_END, *reversed(item)]
        else:
            parts.append(b"d")
            left.append(_END)
            for name in sorted(item, key=utf16_units, reverse=True):
                left += [item[name], utf8(name)]
    return b"".join(parts)


def signature_bytes(signature: jsjson.Value) -> bytes | None:
    """The 64 bytes of a signature in a message. None for any other value.

    >>> signature_bytes("AAAA.sig.ed25519") is None
    True
    """
    match = _SIGNED.fullmatch(signature) if isinstance(signature, str) else None
    data = a2b_base64(match[1]) if match else b""
    return data if len(data) == SIGNATURE_BYTES else None


def encode_text(text: str) -> bytes:
    """A text in BFE: an id, a signature or a ciphertext as its type, any other as text. As :func:`encode`.

    >>> encode_text("abc")
    b'\\x06\\x00abc'
    """
    if text.startswith("ssb:"):
        return _encode_uri(text)
    if "." not in text:  # All ids, ciphertexts and signatures have one.
        return _TEXT + utf8(text)
    if match := CIPHERTEXT.fullmatch(text):
        return (_BOX2 if match[2] else _BOX1) + a2b_base64(match[1])
    if (signature := signature_bytes(text)) is not None:
        return _SIGNATURE + signature
    if match := _BLOB.fullmatch(text):
        return _sized(b"\2\0" + a2b_base64(match[1]))
    if _SIGIL.fullmatch(text):
        return _encode_id(text)
    return _TEXT + utf8(text)


def _encode_uri(text: str) -> bytes:
    match = _URI.fullmatch(text)
    if match and (code := _OTHER_URIS.get(f"{match[1]}/{match[2]}")):
        if not _KEY.fullmatch(match[3]):
            raise NoBytesError
        return code + a2b_base64(from_url(match[3]))
    if match and match[1] in _TYPE_FORMATS:
        return _encode_id(text)
    return _TEXT + utf8(text)


def _encode_id(text: str) -> bytes:
    whole, data = any_id(text), id_bytes(text)
    match = _URI.fullmatch(whole) if whole and whole.startswith("ssb:") else None
    kind, form = (match[1], match[2]) if match else ("feed", "classic")
    code = _TYPE_FORMATS.get(kind, {}).get(form) if whole else None
    if code is None or data is None:
        raise NoBytesError
    return code + data


def _sized(encoded: bytes) -> bytes:
    if len(encoded) != 34:
        raise NoBytesError
    return encoded


def buffer_bytes(value: Mapping[str, jsjson.Value]) -> bytes | None:
    """The bytes that JavaScript wrote as an object. None for any other object."""
    data = value.get("data")
    if len(value) != 2 or value.get("type") != "Buffer" or not isinstance(data, list):
        return None
    if not _NUMBERS.issuperset(map(type, data)):
        return None
    try:
        found = bytes(map(int, data))  # type: ignore[arg-type]
    except (ValueError, OverflowError):  # OverflowError: infinity.
        return None
    return found if [*found] == data else None


def with_nonce_read(value: Mapping[str, jsjson.Value]) -> Mapping[str, jsjson.Value]:
    """The value with its nonce as bytes, where ``go-metafeed`` has written base64. The same if it has none.

    The author may have written such a text, too: the signature tells.

    >>> nonce = with_nonce_read({"content": {"nonce": "A" * 43 + "="}})["content"]["nonce"]
    >>> nonce["type"], len(nonce["data"])
    ('Buffer', 32)
    """
    content = value.get("content")
    nonce = content.get("nonce") if isinstance(content, dict) else None
    if not isinstance(content, dict) or not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        return value
    data: list[jsjson.Value] = [*map(float, a2b_base64(nonce))]
    return {**value, "content": {**content, "nonce": {"type": "Buffer", "data": data}}}


def is_whole(value: jsjson.Value) -> TypeGuard[float]:
    """Whether a value is a whole number that a double holds exactly."""
    # The bounds come first, because infinity has no integer.
    return type(value) in (float, int) and -_MOST <= value <= _MOST and value == int(value)  # type: ignore[operator,arg-type]


def utf8(text: str) -> bytes:
    """A text as UTF-8. JavaScript writes half of a surrogate pair as U+FFFD."""
    if text.isascii():
        return text.encode()
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()
