"""Which texts of strangers a table may hold: an id, a word, or a token in place of any other text.

A key to people's messages may be anywhere in a log, in any spelling (ruling R29). So this module does not
search for keys. A table holds ids, by their grammar (:mod:`scuttlehouse.ssb.ids`), and *words*: texts like
the types of contents and the names of tangles, too short and too plain for a key. For any other text a table
holds a token: its length, and a hash that the key of the warehouse keys. Equal texts have equal tokens, so
they can still be joined. The macro ``is_token`` recognises tokens in SQL.
"""

from __future__ import annotations

import re
from functools import lru_cache

from scuttlehouse.pzp.canonical import from_base58
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import TOKEN, any_id, is_bare_id
from scuttlehouse.ssb.key_texts import LEAST_CHARACTERS, may_hold_key

MAX_WORD_LENGTH = 40

# A token has at most 40 characters, so it does not look like a key.
_TOKEN_DIGITS = 24

_WORD = re.compile(rf"[A-Za-z0-9_/-]{{1,{MAX_WORD_LENGTH}}}")
# 32 bytes take 43 characters in base64, and more in all other alphabets of letters and digits. A shorter key,
# for example of 16 bytes, has digits among its letters; a word does not.
_RUN = re.compile(rf"[A-Za-z0-9]{{{LEAST_CHARACTERS},}}")

PZP_ID_BYTES = 32


def is_word(text: str) -> bool:
    """Whether a text is written like a type or the name of a tangle, and cannot be a key. O(length).

    >>> is_word("metafeed/add/existing"), is_word("group/init"), is_word("what?")
    (True, True, False)
    >>> is_word("000102030405060708090a0b0c0d0e0f"), is_word("x" * 41), is_word("token-1-a")
    (False, False, False)
    """
    # What is remembered is short: texts of a megabyte would fill the memory.
    return len(text) <= MAX_WORD_LENGTH and _is_short_word(text)


@lru_cache(4096)
def _is_short_word(text: str) -> bool:
    if not _WORD.fullmatch(text) or text.startswith(TOKEN):
        return False
    if len(text) < LEAST_CHARACTERS:
        return True
    if may_hold_key(text):
        return False
    if not any(sign.isdigit() for sign in text):
        return True
    has_mixed_case = text != text.lower() and text != text.upper()
    return not has_mixed_case and not _RUN.search(text)


def token(text: str, ring: KeyRing) -> str:
    """The token of a text that no table may hold. The token of an empty text is empty. O(length).

    >>> token("a secret", KeyRing(b"pepper"))
    'token-8-a8ae2bf02eb94e89d316e231'
    """
    if not text:
        return text
    digest = ring.hash(text.encode("utf-8", "surrogatepass"))
    return f"{TOKEN}{len(text)}-{digest[:_TOKEN_DIGITS]}"


def kept_word(text: str, ring: KeyRing) -> str:
    """The text if it is a word, otherwise its token."""
    return text if is_word(text) else token(text, ring)


def kept_id(text: str, ring: KeyRing) -> str:
    """The id in our one spelling (ruling R1), otherwise the token of the text."""
    return any_id(text) or token(text, ring)


def kept_pzp_id(text: str, ring: KeyRing) -> str:
    """The id of a message or an account of pzp (32 bytes in base58), otherwise the token of the text."""
    return text if from_base58(text, PZP_ID_BYTES) is not None else token(text, ring)


def kept_item(text: str, ring: KeyRing) -> str:
    """The item of a set if it is a word or an id of either source, otherwise its token. O(length).

    Items are texts: if two spell one id in two ways, they are two items. So an id stays as it is written, and
    an id with a tail becomes a token, because a key may be in the tail.

    >>> message, ring = "%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256", KeyRing(b"pepper")
    >>> kept_item(message, ring) == message, kept_item(f"{message}#chapter1", ring)
    (True, 'token-61-22ea63e8b6834e68165aaf2a')
    """
    if is_word(text) or is_bare_id(text):
        return text
    return kept_pzp_id(text, ring)
