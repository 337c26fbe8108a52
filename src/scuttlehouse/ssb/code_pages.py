"""Texts whose UTF-8 software has read in a code page: what they may have been."""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from contextlib import suppress

from scuttlehouse.ssb.validation import MAX_LENGTH

# The code pages of windows, and of consoles that have a character for each byte, so that nothing is lost.
# Many texts that were read in one of windows are UTF-8 in one of consoles, too, and few the other way round.
_OF_WINDOWS = (1252, 1250, 1251, 1253, 1254, 1257)
_OF_CONSOLES = (437, 850, 852, 866, 858, 737, 775, 857, 860, 862, 865)
_CODE_PAGES = [f"cp{number}" for number in (*_OF_WINDOWS, *_OF_CONSOLES)]
# A message has at most 8192 units of UTF-16, each of up to three bytes.
MOST_CHARACTERS = 4 * MAX_LENGTH
_SINGLE = re.compile(r"(?<![^\x00-\x7f])[^\x00-\x7f](?![^\x00-\x7f])")
_NOT_ASCII = re.compile(r"[^\x00-\x7f]+")
# Windows has a control character for a byte that its code page leaves out.
_BYTE = "scuttlehouse.byte"


def _byte(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    code = ord(error.object[error.start])
    if not 0x80 <= code < 0xA0:
        raise error
    return bytes([code]), error.start + 1


codecs.register_error(_BYTE, _byte)


def in_utf_8(text: str) -> Iterator[str]:
    """The texts that a text may have been, if software has read its UTF-8 in a code page. None comes twice.

    Complexity: O(length of the text).

    >>> [*in_utf_8("\u251c\u2310")], [*in_utf_8("\xe9")], [*in_utf_8("a")]
    (['\xe9'], [], [])
    """
    return (read for _, read in in_code_pages(text))


def in_code_pages(text: str) -> Iterator[tuple[str, str]]:
    """The same, each behind a code page in which it was read. The first one is the likeliest.

    Complexity: O(length of the text).

    >>> next(in_code_pages("\u251c\u2310"))
    ('cp437', '\xe9')
    """
    # UTF-8 has no single byte that is not ASCII.
    if text.isascii() or len(text) > MOST_CHARACTERS or _SINGLE.search(text):
        return
    # No character of UTF-8 goes over one of ASCII.
    parts = "\n".join(_NOT_ASCII.findall(text))
    seen: set[str] = set()
    for code_page in _CODE_PAGES:
        with suppress(UnicodeError):
            read = recoded(parts, code_page)
            if read not in seen:
                seen.add(read)
                yield code_page, recoded(text, code_page)


def recoded(text: str, code_page: str) -> str:
    """The text that was read in a code page.

    Raises:
        UnicodeError: the code page has not these characters, or their bytes are no UTF-8.

    >>> recoded("\u251c\u2310", "cp437")
    '\xe9'
    """
    return text.encode(code_page, _BYTE).decode("utf-8")
