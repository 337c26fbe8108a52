"""JSON text exactly as JavaScript reads and writes it.

The id and the signature of a Scuttlebutt message cover what ``JSON.stringify(value, null, 2)``
writes (ruling R3), so every character counts. Python's own module differs: it reads ``NaN`` and
fails on long integers; it writes ``1.0``, ``1e+16``, big integers and lone surrogates its own way,
and keeps members named by integers where they stand. Here (ECMA-262, "The JSON Object"):

- every number is a double, read as ``float``: 9007199254740993 is 9007199254740992.0, 1e400 is
  infinite and written ``null``;
- of members with the same name the first gives the place and the last the value;
- members named by the integers 0 to 4294967294 are written first, ascending; the others follow in
  the order of the dict. A dict that :func:`parse` gives is in the order of the text;
- a lone surrogate is written ``\\udxxx``, everything else as short as JavaScript has it.

``__proto__`` is a member like any other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import lru_cache
from json import JSONDecodeError, JSONDecoder
from json.encoder import encode_basestring
from typing import Any, NoReturn, TypeAlias

Value: TypeAlias = "bool | float | str | list[Value] | dict[str, Value] | None"

# Arrays and objects within each other. A valid message has at most 62 levels: more do not fit into
# its 8192 characters once they are indented.
MAX_DEPTH = 128
# What is written may be deeper: a value that is put into others.
MOST_LEVELS = 1000

# Each level indents all that is in it: a line of 1 MiB may stand for 100 MiB. So the blanks of a text have a
# limit, far beyond those of a message.
MAX_INDENTED = 1 << 22

_MAX_EXACT_INTEGER = 2**53
_LEAST_WITHOUT_EXPONENT = 1e-4
_MAX_INDEX = 2**32 - 2
_INDEX = re.compile(r"0|[1-9][0-9]{0,9}")
_FLOAT = re.compile(r"(-?)([0-9]+)(?:\.([0-9]+))?(?:e([+-][0-9]+))?")
_SURROGATE = re.compile("[\ud800-\udfff]")


class TooDeepError(ValueError):
    """Arrays and objects are nested more than ``MAX_DEPTH`` levels deep."""

    def __init__(self) -> None:
        super().__init__(f"the JSON is nested deeper than {MAX_DEPTH} levels")


class TooLongError(ValueError):
    """The text would be indented by more than ``MAX_INDENTED`` characters in all."""


def _refuse_constant(name: str) -> NoReturn:
    raise JSONDecodeError(f"JavaScript has no {name} in JSON", name, 0)


_DECODER = JSONDecoder(parse_int=float, parse_constant=_refuse_constant)
# JavaScript writes null for these numbers.
_DECODER_OF_PYTHON = JSONDecoder(parse_int=float, parse_constant=lambda _: None)
# For texts whose values are found here, and read elsewhere. Python refuses integers of thousands of digits.
LENIENT_DECODER = JSONDecoder(parse_int=float)


def parse(text: str) -> Value:
    """Read a JSON text as JavaScript's ``JSON.parse`` does.

    ``text`` is what UTF-8 decodes to. Objects become dicts, arrays lists, numbers floats.

    Raises:
        ValueError: the text is not JSON.
        TooDeepError: it nests deeper than ``MAX_DEPTH``; a ``ValueError`` too.

    Complexity: O(length of the text).

    >>> parse('{"b": 1, "a": [-0, 1e400], "b": "\\\\u20ac"}')
    {'b': '€', 'a': [-0.0, inf]}
    >>> parse("[NaN]")
    Traceback (most recent call last):
    json.decoder.JSONDecodeError: JavaScript has no NaN in JSON: line 1 column 1 (char 0)
    """
    return _parsed(text, _DECODER)


def parse_of_python(text: str) -> Value:
    """Read a JSON text as Python writes it, with null for ``NaN`` and ``Infinity``; see :func:`parse`.

    >>> parse_of_python('{"a": NaN, "b": -Infinity, "c": "NaN"}')
    {'a': None, 'b': None, 'c': 'NaN'}
    """
    return _parsed(text, _DECODER_OF_PYTHON)


def _parsed(text: str, decoder: JSONDecoder) -> Value:
    try:
        text = text.strip(" \t\n\r")
        value: Value
        value, end = decoder.raw_decode(text)
    except RecursionError:
        raise TooDeepError from None
    if end != len(text):
        raise JSONDecodeError("Extra data", text, end)
    if text.count("[") + text.count("{") > MAX_DEPTH and _is_too_deep(value):
        raise TooDeepError
    return value


def _is_too_deep(value: Value) -> bool:
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [
            member
            for outer in level
            if isinstance(outer, list | dict)
            for member in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(member, list | dict)
        ]
    return bool(level)


def stringify(value: Value, indent: int = 0) -> str:
    """Write a value as JavaScript's ``JSON.stringify(value, null, indent)`` does.

    ``indent`` is 0 to 10 spaces; 0 is one line without spaces. Integers are taken as doubles.

    Raises:
        TooDeepError: the value nests deeper than ``MOST_LEVELS``, or in a loop.
        TooLongError: the text would be indented by more than ``MAX_INDENTED`` characters.
        TypeError: something in it is not of JSON.

    Complexity: O(length of the text).

    >>> stringify({"b": 1.0, "a": [1e21, -0.0, "\\ud800"], "1": {}})
    '{"1":{},"b":1,"a":[1e+21,0,"\\\\ud800"]}'
    >>> print(stringify({"a": [], "b": [1]}, indent=2))
    {
      "a": [],
      "b": [
        1
      ]
    }
    """
    line, step, colon = ("\n", " " * indent, ": ") if indent else ("", "", ":")
    text = written(value, line, step, colon, _in_javascript_order, number_text)
    if not text.isascii() and _SURROGATE.search(text):
        # Two halves that stand side by side are one character; a half alone is escaped.
        text = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "surrogatepass")
        text = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", text)
    return text


def written(
    value: Value,
    line: str,
    step: str,
    colon: str,
    in_order: Callable[[dict[str, Value]], dict[str, Value]],
    number: Callable[[float], str],
) -> str:
    """A value as text, with the members of objects in some order.

    A loop, not a function that calls itself: at some depths, which a stranger may choose, Python asks the
    system for memory at each call of a function. And pieces, which are joined once: each level would copy
    what is in it. ``line`` is a line end or empty, ``step`` what is put before each member for each level,
    ``colon`` what follows a name.

    Raises:
        As :func:`stringify`.
    """
    out: list[str] = []
    indented = 0
    # What is written now: the values that are left, what stands before the next one, and before those that
    # follow it, and what closes them all.
    left: Iterator[Any] = iter((value,))
    is_object, before, comma, inner, closing = False, "", "", line, ""
    # The same of the arrays and objects around it.
    levels: list[tuple[Iterator[Any], bool, str, str, str]] = []
    while True:
        for member in left:
            start = before
            before = comma
            if is_object:
                name, member = member
                start += encode_basestring(name) + colon
            kind = type(member)
            if kind is str:
                out.append(start + encode_basestring(member))
            elif kind is float or kind is int:
                out.append(start + number(member))
            elif kind is dict or kind is list:
                if not member:
                    out.append(start + ("{}" if kind is dict else "[]"))
                    continue
                levels.append((left, is_object, comma, inner, closing))
                is_object = kind is dict
                closing, before, comma, inner = _marks(inner, step, is_object)
                if len(levels) > MOST_LEVELS:
                    raise TooDeepError
                indented += len(member) * len(inner)
                if indented > MAX_INDENTED:
                    raise TooLongError
                left = iter(in_order(member).items() if is_object else member)
                if start:
                    out.append(start)
                break
            elif member is None:
                out.append(start + "null")
            elif kind is bool:
                out.append(start + ("true" if member else "false"))
            else:
                raise TypeError(f"JSON has no {kind.__name__}.")
        else:
            if not levels:
                return "".join(out)
            out.append(closing)
            left, is_object, comma, inner, closing = levels.pop()
            before = comma


# A call of what is remembered is none of Python's functions.
@lru_cache(1024)
def _marks(line: str, step: str, is_object: bool) -> tuple[str, str, str, str]:
    """What closes an array or an object, and stands before its first member, its others, and inner ones."""
    inner = line + step
    opening, closing = ("{", "}") if is_object else ("[", "]")
    return line + closing, opening + inner, "," + inner, inner


def _in_javascript_order(value: dict[str, Value]) -> dict[str, Value]:
    if min(value) >= ":":
        return value
    indices = [name for name in value if _INDEX.fullmatch(name) and int(name) <= _MAX_INDEX]
    return {**{name: value[name] for name in sorted(indices, key=int)}, **value}


def number_text(number: float) -> str:
    """Write a number as JavaScript does: ECMA-262, Number::toString; ``null`` if it is not finite.

    >>> [number_text(n) for n in (1.0, 1e21, 123456789012345678901, 1e-7, -0.0, 0.1, 1e400)]
    ['1', '1e+21', '123456789012345680000', '1e-7', '0', '0.1', 'null']
    """
    if -_MAX_EXACT_INTEGER <= number <= _MAX_EXACT_INTEGER:
        if number == (whole := int(number)):
            return str(whole)
        # Python writes a fraction in the same way, if without exponent. The rest takes five times as long.
        if not -_LEAST_WITHOUT_EXPONENT < number < _LEAST_WITHOUT_EXPONENT:
            return repr(number)
    return _with_exponent(number)


# Short ones are few, and a stranger may write thousands of them.
@lru_cache(1024)
def _with_exponent(number: float) -> str:
    """The same of a number that Python may write with an exponent: large and whole, or a small fraction."""
    try:
        match = _FLOAT.fullmatch(repr(float(number)))
    except OverflowError:
        return "null"
    if match is None:
        return "null"
    sign, whole_digits, fraction, exponent = match.groups("")
    # The number is 0.<digits> times ten to the power of `point`.
    digits = (whole_digits + fraction).lstrip("0")
    point = len(whole_digits) + int(exponent or 0) - (len(whole_digits + fraction) - len(digits))
    digits = digits.rstrip("0")
    if len(digits) <= point <= 21:
        text = digits.ljust(point, "0")
    elif -6 < point <= 0:
        text = "0." + "0" * -point + digits
    else:
        mantissa = digits[0] + (f".{digits[1:]}" if len(digits) > 1 else "")
        text = f"{mantissa}e{point - 1:+d}"
    return sign + text
