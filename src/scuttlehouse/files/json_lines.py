"""What the sources of lines share: a line as a JSON object, and what a table can hold of it."""

from __future__ import annotations

import math
from typing import Any

from scuttlehouse.files import jsjson
from scuttlehouse.files.parts import Line


def line_object(line: Line) -> dict[str, Any] | str:
    """The JSON object that a line holds, or the reason of a reject why it holds none.

    Python writes ``NaN`` for what a table has not, which is read as null.

    Never raises, whatever the line holds. O(length of the line).

    >>> line_object(Line(1, b'{"a": [1]}', None)), line_object(Line(2, b"{", None))
    ({'a': [1.0]}, 'not_json')
    """
    if line.text is None:
        return line.fault or "cut_short"
    if not line.text.strip():
        return "empty_line"
    try:
        is_of_python = b"NaN" in line.text or b"Infinity" in line.text
        parse = jsjson.parse_of_python if is_of_python else jsjson.parse
        value = parse(line.text.decode("utf-8"))
    except UnicodeDecodeError:
        return "not_utf8"
    except jsjson.TooDeepError:
        return "too_deep"
    except ValueError:
        return "not_json"
    return value if isinstance(value, dict) else "not_a_message"


def has_word(line: Line, words: tuple[bytes, ...]) -> bool:
    """Whether a line has one of some words: to look before parsing.

    >>> has_word(Line(1, b'{"msg": 1}', None), (b'"msg"',))
    True
    """
    text = line.text
    if text is not None and b"\0" in text:  # It may be UTF-16.
        text = text.replace(b"\0", b"")
    if text is not None:
        for word in words:  # Faster than any().
            if word in text:
                return True
    return False


def finite_number(number: object) -> float | None:
    """The number; None for what is none, and for what no double can hold: ``jsjson`` reads it as infinite.

    >>> finite_number(1.0), finite_number(True), finite_number(float("inf"))
    (1.0, None, None)
    """
    return number if isinstance(number, float) and math.isfinite(number) else None


def received_time(number: object) -> float | None:
    """A time of reception in milliseconds since 1970. None for what is none: go-ssb writes the year 1.

    >>> received_time(1.0), received_time(0.0), received_time(-62135596800000.0)
    (1.0, None, None)
    """
    time = finite_number(number)
    return time if time is not None and time > 0 else None
