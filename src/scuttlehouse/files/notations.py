"""What people and programs make of JSON that is none any more, and the command that turns it back.

A file is told only if nothing in its first bytes is a message, and something is one when the command is done.
"""

from __future__ import annotations

import json
import quopri
import re
from binascii import a2b_base64
from collections.abc import Callable
from functools import partial
from itertools import islice
from typing import NamedTuple
from urllib.parse import unquote

from scuttlehouse.files.json_lines import line_object
from scuttlehouse.files.objects import NoObject, is_message_at, object_at
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import FIRST_MEMBERS, Line
from scuttlehouse.ssb.judging import has_key
from scuttlehouse.ssb.messages import Message, checked_message, unkeyed_message
from scuttlehouse.ssb.rewritten_texts import without_entities

# So much of a text is turned back: a message is shorter.
_LOOKED_AT = 1 << 16
# An object behind the name of a member is inside of another.
_OBJECT = re.compile(rf'("\s*+:\s*+)?(\{{\s*"(?:{FIRST_MEMBERS}))(?="\s*+:)')
# So many places are looked at, of which each may begin a message: more where a message keeps a file in.
_TRIES, _TRIES_OF_UNDONE = 64, 16

# The end of a text and of a comment may be missing: nothing is tried twice.
_TEXT = r'("(?:[^"\\]|\\.)*"?)'
_COMMENT = r"//.*|/\*(?:[^*]|\*(?!/))*(?:\*/)?"
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_LOOSE = re.compile(rf"{_TEXT}|{_COMMENT}|,(?=\s*[\]}}])|\s")


_OF_RUBY = re.compile(rf"{_TEXT}|=>|\bnil\b")
_TO_JSON = {"=>": ": ", "nil": "null"}
_JSON_LINE = re.compile(r"\{[ \t]*+\S")
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")
_HEX = re.compile(r"[0-9A-Fa-f]+")

# Characters that a text of JSON has only as escapes.
_ESCAPES = {"\n": r"\n", "\r": r"\r", "\t": r"\t"}


class _Notation(NamedTuple):
    """``undone``: a text as it is when ``command`` is done.

    ``is_proven``: whether it counts only if a message then has the hash that its key says.
    """

    what: str
    command: str
    undone: Callable[[str], str]
    is_proven: bool = False


def _on_standard_input(program: str, modules: str) -> str:
    return f"python3 -c 'import {modules}, sys; print({program}, end=\"\")'"


def _with_escapes(text: str) -> str:
    table = str.maketrans(_ESCAPES)
    return re.sub(_TEXT, lambda one: one[0].translate(table), text)


def _without_escapes(text: str) -> str:
    """Lines as the texts of JSON that they would be in quotation marks."""
    return "\n".join(map(_without_escapes_in_line, text.split("\n")))


def _without_escapes_in_line(line: str) -> str:
    try:
        return str(json.loads(f'"{line.rstrip()}"'))
    except (ValueError, RecursionError):
        return ""


def _from_quoted_printable(text: str) -> str:
    is_quoted = "=3D" in text or re.search("=\r?\n", text)
    return quopri.decodestring(text.encode()).decode("utf-8", "replace") if is_quoted else text


def _from_base64(text: str) -> str:
    digits = "".join(text.split())
    if not _BASE64.fullmatch(digits):
        return text
    return a2b_base64(digits[: len(digits) // 4 * 4]).decode("utf-8", "replace")


def _from_hex(text: str) -> str:
    digits = "".join(text.split())
    if not _HEX.fullmatch(digits):
        return text
    return bytes.fromhex(digits[: len(digits) // 2 * 2]).decode("utf-8", "replace")


def _with_backslashes_once(text: str) -> str:
    # Of JSON lines, the others are read, and these too.
    return text if _JSON_LINE.match(text) else text.replace(r"\\", "\\")


_NOTATIONS = (
    # Mail breaks its lines, as if they were broken in the middle of texts.
    _Notation(
        "JSON in quoted-printable, as mail has it",
        "python3 -c 'import quopri, sys; quopri.decode(sys.stdin.buffer, sys.stdout.buffer)'",
        _from_quoted_printable,
        is_proven=True,
    ),
    _Notation(
        "JSON in base64",
        "python3 -c 'import base64, sys; base64.decode(sys.stdin.buffer, sys.stdout.buffer)'",
        _from_base64,
    ),
    _Notation(
        "JSON in hexadecimal digits",
        "tr -dc 0-9A-Fa-f | python3 -c "
        "'import sys; sys.stdout.buffer.write(bytes.fromhex(sys.stdin.read()))'",
        _from_hex,
    ),
    _Notation(
        "JSON in the encoding of URLs",
        _on_standard_input("urllib.parse.unquote(sys.stdin.read())", "urllib.parse"),
        lambda text: unquote(text) if "%22" in text else text,
        is_proven=True,
    ),
    _Notation(
        "JSON in the colours of a terminal",
        _on_standard_input(rf're.sub(r"{_COLOURS.pattern}", "", sys.stdin.read())', "re"),
        lambda text: _COLOURS.sub("", text),
    ),
    # As the command `echo` of some shells prints "\\n".
    _Notation(
        "JSON with line ends or tabs inside of texts",
        _on_standard_input(
            rf're.sub(r"""{_TEXT}""", lambda one: one[0].translate(str.maketrans({{'
            r'"\n": "\\n", "\r": "\\r", "\t": "\\t"})), sys.stdin.read())',
            "re",
        ),
        _with_escapes,
        is_proven=True,
    ),
    _Notation(
        "JSON whose lines are broken in the middle of texts",
        r"tr -d '\r\n'",
        lambda text: text.replace("\r", "").replace("\n", ""),
    ),
    _Notation(
        "JSON with entities of HTML",
        _on_standard_input("html.unescape(sys.stdin.read())", "html"),
        without_entities,
    ),
    _Notation(
        "JSON with each backslash written twice, as COPY of PostgreSQL and INTO OUTFILE of MySQL do",
        r"sed 's/\\\\/\\/g'",
        _with_backslashes_once,
        is_proven=True,
    ),
    _Notation(
        "Objects as Ruby prints them",
        _on_standard_input(
            rf're.sub(r"""{_OF_RUBY.pattern}""", lambda one: one[1] or '
            '{"=>": ": ", "nil": "null"}[one[0]], sys.stdin.read())',
            "re",
        ),
        lambda text: _OF_RUBY.sub(lambda one: one[1] or _TO_JSON[one[0]], text),
    ),
    _Notation(
        "JSON with a backslash before each quotation mark",
        "sed 's/.*/\"&\"/' | jq -r .",
        _without_escapes,
    ),
    _Notation(
        "JSON with comments, with commas before brackets, or with blanks that JSON has not",
        _on_standard_input(
            rf're.sub(r"""{_LOOSE.pattern}""", lambda one: one[1] or " ", sys.stdin.read())', "re"
        ),
        lambda text: _LOOSE.sub(lambda one: one[1] or " ", text),
    ),
)

# Where an object begins behind something else on its line, and goes on in the next one.
_BEHIND = re.compile(r"^([\x1b\t -~]{1,99}?)\{\r?$", re.M)
_TRIES_BEHIND = 4

_NAME = rf"(?:{FIRST_MEMBERS})"
# What no command turns back without losing something, or only one that is not told in a line.
_OTHERS = (
    (
        re.compile(rf"\A[\s\[(]*\{{\s*'{_NAME}'\s*:"),
        "Objects as Python prints them",
        "write them with `json.dumps`, or turn each line into JSON with `{to_utf_8}python3 -c 'import ast, "
        'json; [print(json.dumps(ast.literal_eval(line))) for line in open(0, encoding="utf-8-sig")]\'`',
    ),
    (
        re.compile(rf"\A[\s\[]*\{{\s*{_NAME}\s*:"),
        "Objects as JavaScript prints them, which leaves out what is deep in them",
        "write them with `JSON.stringify`",
    ),
    (
        re.compile(r'"\s*:\s*(?:ObjectId|ISODate|NumberLong|NumberInt|NumberDecimal|BinData)\('),
        "Objects as the shell of MongoDB prints them",
        "export them with `mongoexport`",
    ),
    (
        re.compile(
            rf"\A[\s\[]*\{{\s*[\u201c-\u201f\u00ab\u2033]{_NAME}[\u201c-\u201f\u00bb\u2033]\s*:"
        ),
        "JSON with typographic quotation marks, as word processors and chats make them",
        "export the log again",
    ),
    (
        re.compile(rf"\A\s*(?:---\s*)?(?:- +)?{_NAME}: *(?:['\"]?[%@]|['\"]?ssb:|null|\n)"),
        "YAML",
        "turn it into JSON with `{to_utf_8}yq -o json -I 0`",
    ),
    (
        re.compile(r"\A\s*\{\\rtf"),
        "RTF of a word processor",
        "save it as plain text, or export the log again",
    ),
    (
        re.compile(r"^(?:insert\s+into|create\s+table|copy\s.*\sfrom\s+stdin)\b", re.I | re.M),
        "SQL, as databases dump their tables",
        "load it into a database, and export the messages, one a line",
    ),
)


def told_notation(text: str, packing: Packing) -> str | None:
    """What a text is and what to do, if it holds no message because of its notation. None for others.

    Complexity: O(length of the text), up to _LOOKED_AT.

    >>> told_notation('{&quot;key&quot;: &quot;%a&quot;, &quot;value&quot;: {}}', Packing())[:31]
    'JSON with entities of HTML: tur'
    >>> told_notation('{"key": "%a", "value": {}}', Packing()) is None
    True
    """
    if _holds_a_message(text, _TRIES):
        return None
    text = text[:_LOOKED_AT]
    inside, to_utf_8 = packing.inside, packing.to_utf_8
    for sign, what, remedy in _OTHERS:
        if sign.search(text):
            return f"{what}{inside}: {remedy.format(to_utf_8=to_utf_8)}."
    for notation in _NOTATIONS:
        undone = notation.undone(text)
        is_other = undone != text
        if is_other and _holds_a_message(undone, _TRIES_OF_UNDONE, is_true=notation.is_proven):
            return f"{notation.what}{inside}: turn it back with `{to_utf_8}{notation.command}`."
    width = _width_before(text)
    if width is None:
        return None
    command = f"{to_utf_8}cut -b {width + 1}-"
    return f"JSON with something before each of its lines{inside}: cut it off with `{command}`."


def _width_before(text: str) -> int | None:
    """How many characters stand before each line of the first message that goes over lines. None without one.

    As in quoted mail, in differences and in logs of other programs. They are ASCII, so bytes.
    """
    begun = islice(_BEHIND.finditer(text), _TRIES_BEHIND)
    for width in dict.fromkeys(len(one[1]) for one in begun):
        undone = "\n".join(line[width:] for line in text.split("\n"))
        if _holds_a_message(undone, _TRIES_OF_UNDONE, is_true=True):
            return width
    return None


def _holds_a_message(text: str, tries: int, *, is_true: bool = False) -> bool:
    starts = (found.start(2) for found in _OBJECT.finditer(text) if not found[1])
    tells = _is_true_message if is_true else partial(is_message_at, start=0)
    return any(tells(text[at : at + _LOOKED_AT]) for at in islice(starts, tries))


def _is_true_message(text: str) -> bool:
    """Whether a text begins with a message of SSB that has the hash of its key."""
    found = object_at(text, 0)
    if isinstance(found, NoObject):
        return False
    line = Line(1, text[: found.end].encode(), None)
    message = checked_message(unkeyed_message(line_object(line)), None)
    return isinstance(message, Message) and has_key(message.judged.check, message.key)
