"""Make texts fit to show. Strangers wrote them, and they must not control a terminal or a spreadsheet."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from unicodedata import category, east_asian_width

# C0 and C1 controls, direction marks and overrides, line separators, halves of surrogate pairs.
UNSEEN = re.compile(
    "[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\ud800-\udfff]"
)
_UNSEEN_IN_CSV = re.compile(UNSEEN.pattern.replace("\x00-\x1f", "\x00-\x08\x0b-\x1f"))

# A spreadsheet reads a cell that begins with one of these as a formula, in Japan also the wide ones. Where
# people write a comma in numbers, it begins a cell at a semicolon, too. The id of a classic feed is safe.
_SIGNS = "=+\\-@\uff1d\uff0b\uff0d\uff20"
_FORMULA = re.compile(f"[{_SIGNS}\\t\\r\\n]")
# Matches without one, too: a search that fails begins again at each of a million line feeds.
_LATER_FORMULA = re.compile(f"([;\\t\\r\\n][\\s\"']*+)([{_SIGNS}])?")
_FEED_ID = re.compile(r"@[A-Za-z0-9+/]{43}=\.ed25519")

# Where people write passwords: in an address before its host, and behind a name. A password may hold any
# character. Quotes and escapes that are wrong do not tell where it ends, so all that follows a name counts.
_NAME = r"(?:password|secret|token)\s*="
_PASSWORD_IN_ADDRESS = re.compile(r"(:/{1,2}).*@|(?<=:)(?=\S).+@", re.DOTALL)
_NAMED_SECRET = re.compile(rf"({_NAME}\s*).+", re.IGNORECASE | re.DOTALL)
# Either may be a part of the other.
_NAME_BEFORE_AT = re.compile(rf"(:/{{1,2}}|:(?=\S)).*{_NAME}.*@.*", re.IGNORECASE | re.DOTALL)

_UNSTORABLE = re.compile("[\\\\\x00\ud800-\udfff]")
_STORED = re.compile(r"\\(\\|u[0-9a-f]{4})")


def visible(text: str) -> str:
    """The text with every control character and direction mark written as its code.

    >>> print(visible("a\\x1b[31m\\u202eb\\n"))
    a\\x1b[31m\\u202eb\\x0a
    """
    return UNSEEN.sub(_code, text)


def visible_lines(text: str) -> str:
    """The same for a text of several lines, which stay lines.

    >>> print(visible_lines("a\\x1b\\nb"))
    a\\x1b
    b
    """
    return "\n".join(map(visible, text.split("\n")))


def without_passwords(text: str) -> str:
    """The text without what may be a password in an address or in a connection string.

    >>> without_passwords("postgresql://ann:pass word@host/db"), without_passwords("ann:pass@host")
    ('postgresql://...@host/db', 'ann:...@host')
    >>> without_passwords("host=one password='a b'"), without_passwords("sc://one/;token=a")
    ('host=one password=...', 'sc://one/;token=...')
    """
    text = _NAME_BEFORE_AT.sub(r"\1...", text)
    return _NAMED_SECRET.sub(r"\1...", _PASSWORD_IN_ADDRESS.sub(r"\1...@", text))


def cut(text: str, most: int = 24) -> str:
    """The text, or its start and an ellipsis.

    >>> cut("abcdef", 4)
    'abc\\u2026'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def first_of(names: Collection[str]) -> str:
    """The first three of some names.

    >>> first_of({"b", "a"}), first_of("dbca")
    ('a, b', 'a, b, c, ...')
    """
    return ", ".join(sorted(names)[:3]) + (", ..." if len(names) > 3 else "")


def count(number: int, noun: str, plural: str = "") -> str:
    """A number of things.

    >>> count(1, "epoch"), count(2000, "message")
    ('1 epoch', '2,000 messages')
    """
    return f"{number:,} " + (noun if number == 1 else plural or f"{noun}s")


def width_of(text: str) -> int:
    """How many columns of a terminal a text takes: East Asian letters take two, accents and joiners none.

    >>> width_of("Ann"), width_of("\\u6f22\\u5b57"), width_of("e\\u0301"), width_of("a\\u200db")
    (3, 4, 1, 2)
    """
    if text.isascii():
        return len(text)
    return sum(
        0 if category(one) in ("Mn", "Me", "Cf") else 1 + (east_asian_width(one) in "WF")
        for one in text
    )


def filled(text: str, width: int, *, to_the_left: bool = False) -> str:
    """The text with spaces behind it, or before it, up to a number of columns of a terminal.

    >>> filled("a", 3) + "|" + filled("\\u6f22", 3, to_the_left=True)
    'a  | \u6f22'
    """
    spaces = " " * (width - width_of(text))
    return spaces + text if to_the_left else text + spaces


def aligned(rows: Iterable[Sequence[str]], to_the_left: Sequence[bool]) -> list[str]:
    """Rows as lines, with each column as wide as its widest cell.

    Args:
        to_the_left: for each column, whether the spaces stand before its cells.

    >>> aligned([["epoch", "members"], ["a", "12"]], [False, True])
    ['epoch  members', 'a           12']
    """
    table = list(rows)
    widths = [max(map(width_of, column)) for column in zip(*table, strict=True)]
    return [
        "  ".join(
            filled(cell, width, to_the_left=left)
            for cell, width, left in zip(row, widths, to_the_left, strict=True)
        ).rstrip()
        for row in table
    ]


def csv_cell(cell: object) -> object:
    """A cell for a spreadsheet: a formula gets an apostrophe, control characters are written as codes.

    So does a formula behind a semicolon, a tab or a line feed, where some programs begin a cell. Line feeds
    and tabs stay: CSV has quotes for them. Numbers, times and nulls stay as they are. Bytes, lists, rows and
    maps are guarded as the texts that CSV writes for them.

    >>> csv_cell("=1+1"), csv_cell(-1), csv_cell("a\\x1b"), csv_cell("a;=1+1")
    ("'=1+1", -1, 'a\\\\x1b', "a;'=1+1")
    """
    if not isinstance(cell, str | bytes | list | tuple | dict):
        return cell
    text = _LATER_FORMULA.sub(_guarded, _UNSEEN_IN_CSV.sub(_code, str(cell)))
    is_formula = _FORMULA.match(str(cell)) and not _FEED_ID.fullmatch(text)
    return f"'{text}" if is_formula else text


def stored_text(text: str) -> str:
    """The text in a form that every database can hold: U+0000 and halves of surrogate pairs become codes.

    >>> stored_text("a\\x00\\\\b")
    'a\\\\u0000\\\\\\\\b'
    """
    return _UNSTORABLE.sub(
        lambda found: "\\\\" if found[0] == "\\" else f"\\u{ord(found[0]):04x}", text
    )


def read_text(stored: str) -> str:
    """The text that :func:`stored_text` was given: its inverse.

    >>> read_text(stored_text("\\x00\\\\u0000")) == "\\x00\\\\u0000"
    True
    """
    return _STORED.sub(
        lambda found: "\\" if found[1] == "\\" else chr(int(found[1][1:], 16)), stored
    )


def _guarded(found: re.Match[str]) -> str:
    return f"{found[1]}'{found[2]}" if found[2] else found[0]


def _code(found: re.Match[str]) -> str:
    number = ord(found[0])
    return f"\\x{number:02x}" if number < 256 else f"\\u{number:04x}"
