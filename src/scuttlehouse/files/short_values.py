"""Short values of JSON that follow each other in a text: found many at a time, without a parser for each.

No message is as short as ``SHORT_BYTES`` characters, so these values are rejects. A file may hold a hundred
million of them, which must not cost more than messages.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import islice, takewhile
from json import JSONDecodeError
from typing import NamedTuple

from scuttlehouse.files.jsjson import LENIENT_DECODER
from scuttlehouse.files.parts import SHORT_BYTES

# What stands between values.
BETWEEN = "[ \t\r\n,\\[\\]\x1e\ufeff]*+"

# A text without its end, and a value that is no object.
BEGUN_TEXT = r'"(?:[^"\\\x00-\x1f]|\\.)*+'
_TEXT = f'{BEGUN_TEXT}"'
_NUMBER = r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?"
PLAIN_VALUE = f"(?:null|true|false|{_NUMBER}|{_TEXT})"
# The same where it is not the name of a member. JavaScript writes null in an array for what is undefined.
PLAIN_VALUE_BETWEEN = rf"{PLAIN_VALUE}(?=[ \t\r\n,\]\x1e])"

# An object of JSON with objects in it, as deep as SHORT_BYTES characters can nest; whether it is one in all
# else, the parser says. Nothing in it is tried twice.
_OTHERS = r'[^{}"\0]*+'
_OBJECT = rf"\{{{_OTHERS}(?:{_TEXT}{_OTHERS})*+\}}"
for _ in range(SHORT_BYTES // len('{"":}')):
    _OBJECT = rf"\{{{_OTHERS}(?:(?:{_TEXT}|{_OBJECT}){_OTHERS})*+\}}"
# Zeros are told as one, so their end is here.
_FEW_ZEROS = rf"\0{{1,{SHORT_BYTES - 1}}}+(?=[^\0])"
_ANY = rf"{_OBJECT}|{_FEW_ZEROS}|{PLAIN_VALUE_BETWEEN}"
_ITEM = re.compile(_ANY)
_ITEMS = re.compile(rf"(?:(?:{_ANY}){BETWEEN})+")


class Run(NamedTuple):
    """Short values and zeros, the text that they stand in, and where it ends; and whether more may follow."""

    found: list[str]
    text: str
    end: int
    is_whole: bool


def find_run(text: str, start: int, length: int) -> Run | None:
    """The short values and zeros that stand at a place of a text, as far as some length. None if none do.

    Complexity: O(length).

    >>> run = find_run('{"a":{}} null,{x}{}', 0, 99)
    >>> run.found, run.end, run.is_whole
    (['{"a":{}}', 'null'], 13, False)
    """
    run = _ITEMS.match(text, start, start + length)
    if not run:
        return None
    # The last zeros end before another character.
    inner = text[start : run.end() + 1]
    found: list[str] = _ITEM.findall(inner)
    different = dict.fromkeys(found)
    good = {item for item in different if len(item) <= SHORT_BYTES}
    if not _are_values(good):
        good = {item for item in good if _are_values({item})}
    is_whole = len(good) == len(different)
    if not is_whole:
        found = [*takewhile(good.__contains__, found)]
    if not found:
        return None
    end = run.end() if is_whole else start + _end_of(inner, len(found))
    return Run(found, inner, end, is_whole)


def _are_values(items: set[str]) -> bool:
    """Whether all of some items are JSON, each by itself; zeros are none, but no matter.

    The braces of each item match, so where all of them together are JSON, each one is.
    """
    values = [item for item in items if item[0] != "\0"]
    try:
        return len(LENIENT_DECODER.decode(f"[{','.join(values)}]")) == len(values)
    except JSONDecodeError:
        return False


def _end_of(text: str, count: int) -> int:
    """Where so many items end, at the beginning of a text."""
    return next(islice(_ITEM.finditer(text), count - 1, None)).end()


def line_numbers(text: str, line: int, count: int) -> Iterator[int]:
    """The lines in which so many items begin, of a text that begins in a line.

    >>> [*line_numbers("{}{} {}", 7, 3)]
    [7, 7, 7]
    """
    place = 0
    for item in islice(_ITEM.finditer(text), count):
        line += text.count("\n", place, item.start())
        place = item.start()
        yield line
