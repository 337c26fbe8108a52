"""Names of people and groups, as tables may hold them.

A name is the only text of a message that tables hold, and strangers choose it. So its length is limited, it
has no character that controls a terminal or changes the text direction, and it must not look like a key.
"""

from __future__ import annotations

import re
import unicodedata
from typing import Any

from scuttlehouse.ssb.ids import any_id, link_text
from scuttlehouse.ssb.key_texts import has_many_signs, has_many_symbols, may_hold_key

NAME_CHARACTERS = 60

# What comes after so many characters is not looked at, nor are more of those that they stand for: one
# character may stand for eighteen others.
_MOST_CHARACTERS = 1000

# Letters and symbols that show nothing.
_FILLERS = dict.fromkeys(map(ord, "\u115f\u1160\u2800\u3164\uffa0"), " ")

# The base64 digits of 16 bytes in a row, or as many integers.
_LIKE_A_KEY = re.compile(r"[A-Za-z0-9+/=_-]{22}|(?:[0-9]{1,3}\W+){15}[0-9]")


def clean_name(text: object) -> str | None:
    """A name that is safe to show anywhere. None if there is no name.

    Runs of white space, and of letters that show nothing, become one space. Control, format, direction and
    unassigned characters are removed. The rest is cut after 60 characters. A text that shows nothing, or that
    may hold a key in its first 1,000 characters, is not a name (ruling R29).

    Complexity: O(length of the text), up to 1,000.

    >>> clean_name("  Ann\\n\\u202eof  the\\x1b[2J hill ")
    'Ann of the[2J hill'
    >>> clean_name("\\u200b"), clean_name(7), clean_name("my key: " + "Ab1" * 15)
    (None, None, None)
    >>> clean_name("\\u3164"), clean_name("\\ufe0f"), clean_name("Ann\\u3164\\u2800of")
    (None, None, 'Ann of')
    >>> clean_name("Ab1X cd2Y ef3Z gh4W ij5V") is None
    True
    >>> len(clean_name("a b" * 100))
    60
    """
    # Control characters, which no name keeps, may be a part of the bytes of a key.
    if not isinstance(text, str) or has_many_signs(text[:_MOST_CHARACTERS]):
        return None
    spaced = " ".join(text[:_MOST_CHARACTERS].translate(_FILLERS).split())
    plain = "".join(one for one in spaced if unicodedata.category(one)[0] != "C")
    name = " ".join(plain.split())
    shown = name[:NAME_CHARACTERS].strip()
    # Marks and selectors alone belong to no letter.
    if all(unicodedata.category(one)[0] in "MZ" for one in shown):
        return None
    # What is shown is the beginning of what is looked at, and is looked at as a whole.
    composed = unicodedata.normalize("NFC", name)
    plain = unicodedata.normalize("NFKC", composed)[:_MOST_CHARACTERS]
    if _LIKE_A_KEY.search(plain) or has_many_symbols(composed):
        return None
    return None if may_hold_key(plain) or may_hold_key(shown) else shown


def name_in_message(content: dict[str, Any], *, is_private: bool) -> dict[str, str]:
    """The name in a message: whose (`about`) and which (`name`). Empty for most messages.

    A person's name is what they write in a message that is not private. A group's name is in its
    ``group/init``, as a text or as ``{"set": text}``.

    >>> name_in_message({"type": "group/init", "name": {"set": "Soup"}}, is_private=True)
    {'name': 'Soup'}
    >>> name_in_message({"type": "about", "about": "nobody", "name": "Ann"}, is_private=False)
    {}
    """
    kind = content.get("type")
    if kind == "group/init":
        text = content.get("name")
        name = clean_name(text.get("set") if isinstance(text, dict) else text)
        return {"name": name} if name else {}
    if kind != "about" or is_private:
        return {}
    link, name = link_text(content.get("about")), clean_name(content.get("name"))
    about = any_id(link) if isinstance(link, str) else None
    return {"about": about, "name": name} if about and name else {}
