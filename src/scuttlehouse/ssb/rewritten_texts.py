"""Texts that software has written in another way: what they may have been. None of it is believed."""

from __future__ import annotations

import html
import json
import re
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import lru_cache, partial
from json.encoder import encode_basestring
from typing import Any

from scuttlehouse.files import jsjson
from scuttlehouse.ssb.code_pages import MOST_CHARACTERS

# So often software may have written entities for the same text.
_MOST_TIMES = 3
_TEXT = re.compile(r'"(?:[^"\\]|\\.)*+"')


def undone_in_texts(written: str) -> Iterator[str]:
    """The JSON that some JSON may have been, for each way in which software may have written its texts.

    These ways are apostrophes that are written twice (SQL), entities of HTML, and backslashes that are
    written twice (``COPY`` of PostgreSQL, ``INTO OUTFILE`` of MySQL). A text stays a text: an entity may
    stand for a quotation mark.

    Complexity: O(length of the JSON).

    >>> [*undone_in_texts('["&amp;"]')], [*undone_in_texts('["a"]')]
    (['["&"]'], [])
    """
    for sign, undo in _WAYS if len(written) <= MOST_CHARACTERS else ():
        if sign in written and (undone := undo(written)) != written:
            yield undone


def json_in_text(text: str) -> Any:
    """The value that a text is the JSON of, also where software has written the text in another way.

    Raises:
        ValueError: it is the JSON of none.

    Complexity: O(length of the text).

    >>> json_in_text('{"a": 1}'), json_in_text("{&quot;a&quot;: 1}")
    ({'a': 1.0}, {'a': 1.0})
    """
    try:
        return jsjson.parse(text)
    except ValueError:
        undone = _undone_json(text) if len(text) <= MOST_CHARACTERS else None
        if undone is None:
            raise
    return jsjson.parse(undone)


# The same content is read several times.
@lru_cache(4)
def _undone_json(text: str) -> str | None:
    for undone in undone_in_texts(json.dumps(text, ensure_ascii=False)):
        with suppress(ValueError):
            jsjson.parse(read := json.loads(undone))
            return str(read)
    return None


def compared_text(written: str) -> str:
    """The same JSON for all that these ways make of its texts, for comparing them. Others may have it, too.

    Complexity: O(length of the JSON).

    >>> compared_text('["a &amp;amp; b"]'), compared_text('["a & b"]')
    ('["a & b"]', '["a & b"]')
    """
    for sign, undo in _WAYS if len(written) <= MOST_CHARACTERS else ():
        for _ in range(_MOST_TIMES):
            if sign not in written:
                break
            written = undo(written)
    return written


def without_entities(text: str) -> str:
    """The text with its entities of HTML read.

    A text stays as it is if it has a number of more digits than Python reads, which is no character. Anybody
    can write one.

    Complexity: O(length of the text).

    >>> without_entities("a &amp; b"), without_entities("&amp;&#" + "1" * 9999) == "&amp;&#" + "1" * 9999
    ('a & b', True)
    """
    try:  # `suppress` takes as long as short texts do.
        return html.unescape(text)
    except ValueError:
        return text


def _with_apostrophes_once(written: str) -> str:
    # JSON has no apostrophes but those of its texts, and escapes none.
    return written.replace("''", "'")


def _in_texts(sign: str, undo: Callable[[str], str], written: str) -> str:
    """Undo something in each text of some JSON that has a sign of it."""

    def undone(found: re.Match[str]) -> str:
        text = found[0]
        if sign not in text:
            return text
        said = json.loads(text) if "\\" in text else text[1:-1]
        read = undo(said)
        return text if read == said else encode_basestring(read)

    return _TEXT.sub(undone, written)


def _with_escapes_read(text: str) -> str:
    with suppress(ValueError):
        return str(json.loads(f'"{text}"'))
    # JSON that is a text has quotation marks.
    return text.replace(r"\\", "\\")


# Each behind what JSON has in which texts were written so. An entity may stand for one of the other signs.
_WAYS: tuple[tuple[str, Callable[[str], str]], ...] = (
    ("&", partial(_in_texts, "&", without_entities)),
    ("''", _with_apostrophes_once),
    (r"\\", partial(_in_texts, r"\\", _with_escapes_read)),
)
