"""Whether a short text may hold a key to messages, in any alphabet and with anything between its characters.

Words are told from keys by how often small letters, capitals and digits take turns. In a key they do with
every other character, wherever blanks, dots or hyphens stand.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

# A shorter text may be a word: tables hold words of this length.
LEAST_CHARACTERS = 20

# A word, or a part of one: "Ann", "de", "NASA", "2024". Somewhere in a key, this many are this short.
_PIECE = re.compile(r"u?l+|u+|d+")
_LEAST_PIECES = 7
_MOST_CHARACTERS = 19
# How often a digit is beside a letter: alphabets with few digits, for example base32.
_TURN = re.compile(r"(?=d[lu]|[lu]d)")
_LEAST_TURNS = 5
# A key as one number.
_DIGITS = re.compile(r"d{22}")
# Alphabets of 85 and more characters have many different signs, and so have bytes that stand as characters:
# a quarter of them are control characters.
_BYTES = "".join(map(chr, range(256)))
_SIGNS = frozenset(one for one in _BYTES if not (one.isalnum() or one.isspace()))
_LEAST_SIGNS = 7
# Signs that no keyboard has are an alphabet, too: 256 of Braille, and more emoji.
_LEAST_SYMBOLS = 12
# A stranger could name a million characters.
_MOST_REMEMBERED = 4096
# From the first of such characters: what begins later holds no more.
_HEX = re.compile(r"(?<![a-f0-9])(?=[a-f0-9]*[a-f])(?=[a-f0-9]*[0-9])[a-f0-9]{32}")


def may_hold_key(text: str) -> bool:
    """Whether a text may hold 16 bytes or more of a key, in base64, base58, base32, hex, digits or symbols.

    Chance hides one key of 32 bytes in a thousand: it is written like words.

    Complexity: O(length of the text).

    >>> may_hold_key("The Old Men of St Gallen 2024"), may_hold_key("José María De La O")
    (False, False)
    >>> may_hold_key("glTD Kako-UPbV Od03 b0gW 7ikU"), may_hold_key("0123-4567-89ab-cdef-0123-4567-89ab-cdef")
    (True, True)
    """
    if has_many_symbols(text) or has_many_signs(text):
        return True
    text = unicodedata.normalize("NFKC", text)
    if has_many_signs(text):
        return True
    bare = text.translate(_CLASSES)
    if len(bare) < LEAST_CHARACTERS:
        return False
    lengths = [len(piece) for piece in _PIECE.findall(bare)]
    return (
        any(
            sum(lengths[place : place + _LEAST_PIECES]) <= _MOST_CHARACTERS
            for place in range(len(lengths) - _LEAST_PIECES + 1)
        )
        or len(_TURN.findall(bare)) >= _LEAST_TURNS
        or bool(_DIGITS.search(bare))
        or bool(_HEX.search(text.lower().translate(_LETTERS)))
    )


def has_many_signs(text: str) -> bool:
    """Whether a text has so many different signs and control characters of one byte that it may be a key.

    Complexity: O(length of the text).

    >>> has_many_signs("Ann (she/her) <3"), has_many_signs("m7>Z&K^@R;2Q[W#RP(+I")
    (False, True)
    """
    signs = _SIGNS.intersection(text)
    return len(signs) >= _LEAST_SIGNS and len("".join(text.split())) >= LEAST_CHARACTERS


def has_many_symbols(text: str) -> bool:
    """Whether a text has so many different symbols or accents that they may be the digits of a key.

    Complexity: O(length of the text).

    >>> has_many_symbols("1\u20ac\u2192\u20ac"), has_many_symbols("".join(map(chr, range(0x2801, 0x2811))))
    (False, True)
    """
    composed = unicodedata.normalize("NFC", text)
    symbols = {
        one
        for one in composed
        if not one.isascii()
        and (unicodedata.category(one)[0] == "S" or "\u0300" <= one <= "\u036f")
    }
    return len(symbols) >= _LEAST_SYMBOLS


def _class_of(character: str) -> str:
    """Digit, upper case or lower case; nothing for what may stand between."""
    if character.isdecimal():
        return "d"
    if character.isupper():
        return "u"
    return "l" if character.isalpha() else ""


def _letter(character: str) -> str:
    return character if character.isalnum() else ""


class _Table(dict[int, str]):
    """What a function gives for each character, for ``str.translate``: one may become eighteen in NFKC."""

    def __init__(self, function: Callable[[str], str]) -> None:
        super().__init__()
        self._function = function

    def __missing__(self, code: int) -> str:
        found = self._function(chr(code))
        if len(self) < _MOST_REMEMBERED:
            self[code] = found
        return found


_CLASSES, _LETTERS = _Table(_class_of), _Table(_letter)
