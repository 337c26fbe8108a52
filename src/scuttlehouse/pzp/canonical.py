"""Canonical JSON, and the ids that pzp makes from it.

Canonical JSON (RFC 8785) writes a value in only one way: no spaces, the members of an object sorted by the
UTF-16 units of their names, numbers and texts as in JavaScript. An id is the first 32 bytes of the SHA-512
of such a text, in base58: digits of the Bitcoin alphabet, with a ``1`` for every zero byte at the start of
the bytes.
"""

from __future__ import annotations

from hashlib import sha512

from scuttlehouse.files.jsjson import Value, number_text, written

_ALPHABET = "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz"
_DIGITS = {character: digit for digit, character in enumerate(_ALPHABET)}

HASH_BYTES = 32


def canonical(value: Value) -> bytes:
    """The canonical JSON of a value, as UTF-8.

    ``value`` comes from :func:`scuttlehouse.files.jsjson.parse`, or has the same types.

    Raises:
        ValueError: a number is not finite, or a text has half of a surrogate pair. Neither has a
            canonical form. Or it nests in a loop.

    Complexity: O(n log n) in the length of the text.

    >>> canonical({"b": [1e21, -0.0, None], "a": "\\u20ac\\n", "10": True, "9": {}}).decode()
    '{"10":true,"9":{},"a":"€\\\\n","b":[1e+21,0,null]}'
    >>> canonical([1e400])
    Traceback (most recent call last):
    ValueError: a number that is not finite has no canonical form
    """
    return written(value, "", "", ":", _in_order, _finite_text).encode()


def _in_order(value: dict[str, Value]) -> dict[str, Value]:
    return {name: value[name] for name in sorted(value, key=utf16_units)}


def _finite_text(number: float) -> str:
    text = number_text(number)
    if text == "null":
        raise ValueError("a number that is not finite has no canonical form")
    return text


def utf16_units(text: str) -> bytes:
    """A sort key that gives the order of JavaScript: by UTF-16 units.

    >>> sorted(["\\uffff", "\\U00010000"], key=utf16_units) == ["\\U00010000", "\\uffff"]
    True
    """
    return text.encode("utf-16-be", "surrogatepass")


def id_key(message_id: str) -> tuple[str, str]:
    """Sort key of an id, for the order in which the reference compares ids (R26).

    ``localeCompare`` on en-US first compares the letters without case, digits before letters, a prefix
    before a longer text. If texts differ only in case, the first difference decides: lower before upper.
    Swapping the case gives the same order by code point. This is true for digits and the letters a to z,
    so for base58.

    >>> sorted(["Z1", "zA", "za", "ZA", "z", "9"], key=id_key)
    ['9', 'z', 'Z1', 'za', 'zA', 'ZA']
    """
    return message_id.lower(), message_id.swapcase()


def hash_text(data: bytes) -> str:
    """The first 32 bytes of the SHA-512 of some bytes, in base58. O(length of the data).

    >>> hash_text(b"{}")
    '3gH98YALCd8KPmFMqEvqrPf5HZz4EkxXJdGi2L2HhUyn'
    """
    return to_base58(sha512(data).digest()[:HASH_BYTES])


def to_base58(data: bytes) -> str:
    """Bytes in base58. O(n^2) in their number. For keys, hashes and signatures.

    >>> to_base58(bytes([0, 0, 58]))
    '1121'
    """
    number = int.from_bytes(data)
    digits = []
    while number:
        number, digit = divmod(number, 58)
        digits.append(_ALPHABET[digit])
    zeros = len(data) - len(data.lstrip(b"\0"))
    return "1" * zeros + "".join(reversed(digits))


def from_base58(text: object, size: int) -> bytes | None:
    """The bytes that a text in base58 spells. None unless there are exactly ``size`` bytes.

    O(size^2), for a text of any length.

    >>> from_base58("1121", 3), from_base58("1121", 4), from_base58("0", 1)
    (b'\\x00\\x00:', None, None)
    """
    # A byte takes at least one character and less than two.
    if not isinstance(text, str) or not size <= len(text) <= 2 * size:
        return None
    number = 0
    for character in text:
        digit = _DIGITS.get(character)
        if digit is None:
            return None
        number = number * 58 + digit
    zeros = len(text) - len(text.lstrip("1"))
    data = bytes(zeros) + number.to_bytes((number.bit_length() + 7) // 8)
    return data if len(data) == size else None
