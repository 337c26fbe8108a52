"""Names of files, as tables and errors show them: printable, and without what may be a key to messages."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from itertools import accumulate, pairwise
from operator import and_
from pathlib import PurePosixPath

from scuttlehouse.printing import UNSEEN
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.key_texts import has_many_symbols
from scuttlehouse.ssb.texts import token

SUFFIXES = (".jsonl", ".ndjson", ".json", ".log", ".bipf", ".offset", ".txt")
PACKED = (".gz", ".bz2", ".zst")
# What nothing here unpacks. Behind the name of a log, its first bytes tell what to do.
_PACKED_OTHERWISE = (
    ".xz",
    ".lzma",
    ".lz4",
    ".lz",
    ".z",
    ".br",
    ".sz",
    ".zip",
    ".7z",
    ".rar",
    ".tar",
)

# Neighbours among 20 letters and digits: a key of 16 bytes in base64 has 22 characters, and a few are signs.
_WINDOW = 19
# So many of them are of different classes (small, capital, digit) in a key: 12 as a rule. In names it is 4.
_LEAST_CHANGES = 8
# Where words follow each other ("MyOldPhoneLog"), it is 8 as well. But a key has short pieces: by how many
# characters they are shorter than four is 24 as a rule, and 5 in words.
_PIECE = re.compile(r"u?l+|u+(?!l)|d+")
_WORD_LENGTH = 4
_LEAST_MISSING = 7

# Base32 has few digits. A key has 52 characters, and a digit is beside a letter 15 times as a rule. In names
# with two dates it is 8 times.
_LONG_WINDOW = 51
_LEAST_TURNS = 10

_SEPARATORS = re.compile(r"[^A-Za-z0-9]+")
# From the first of such characters: what begins later holds no more.
_HEX = re.compile(r"(?<![a-f0-9])(?=[a-f0-9]*[a-f])(?=[a-f0-9]*[0-9])[a-f0-9]{32,}")
# A key of 16 bytes as a number, or as the codes of its characters. A date has up to 24 digits.
_DIGITS = re.compile(r"[0-9]{32}")
_WORD = re.compile(r"[A-Z]?[a-z]*|[A-Z]*|[0-9]*|[A-Za-z0-9]{1,3}")
_RUN = re.compile(r"(?<![A-Za-z0-9])(?=[A-Za-z0-9]*[A-Za-z])(?=[A-Za-z0-9]*[0-9])[A-Za-z0-9]{20,}")
# How a name shows a character that nobody may see. In a key, it stands between the digits, or is one.
_CODE = re.compile(r"\\(?:[nrt]|x[0-9a-f]{2}|u[0-9a-f]{4})")
_LEAST_CODES = 16
_LOG = "|".join(map(re.escape, SUFFIXES))
_ANY_PACKED = "|".join(map(re.escape, PACKED + _PACKED_OTHERWISE))
_ENDING = re.compile(rf"(?:{_LOG})?(?:{_ANY_PACKED})?\Z", re.I)
# A number, a date or a time behind it, as programs write that rotate logs (`.1`, `-20260131`, `.2026-01-31`).
_ROTATED = r"[-._T:][0-9]++Z?"
_NAME_OF_A_LOG = re.compile(rf"(?:{_LOG})(?:{_ANY_PACKED}|{_ROTATED})*\Z", re.I)


def shown_name(name: str) -> str:
    """A name as a table may hold it and a terminal may show it: control characters and marks of direction
    stand escaped. With such marks, "nosj.exe" may be shown as "exe.json".

    >>> shown_name("a\\nb\\udcff \\u200d.jsonl") == "a\\\\nb\\\\udcff \\u200d.jsonl"
    True
    """
    return UNSEEN.sub(lambda unseen: unseen[0].encode("unicode_escape").decode(), name)


def kept_name(name: str, ring: KeyRing) -> str:
    """A path below the landing folder, with a token for a part that looks like a key; O(length).

    The ending stays, and so do folders whose names are words, if the last part looks like a key.

    >>> ring = KeyRing(b"pepper")
    >>> kept_name("alice/log 2023-10-10T10.10.10.jsonl.gz", ring)
    'alice/log 2023-10-10T10.10.10.jsonl.gz'
    >>> kept_name("alice/000102030405060708090a0b0c0d0e0f.jsonl", ring)
    'alice/token-32-57ca5a44679d6564a4f35981.jsonl'
    """
    if not looks_like_key(name):
        return name
    path = PurePosixPath(name)
    # A key in base64 may have a "/", which ends a folder's name. Another key may be in the folders.
    parent = str(path.parent)
    is_in_last = (
        looks_like_key(path.name)
        and not looks_like_key(parent)
        and "\\" not in parent
        and all(map(_WORD.fullmatch, _SEPARATORS.split(parent)))
    )
    folder, hidden = (name[: -len(path.name)], path.name) if is_in_last else ("", name)
    ending = _ENDING.search(hidden)
    end = ending[0] if ending else ""
    return f"{folder}{token(hidden.removesuffix(end), ring)}{end}"


def looks_like_key(text: str) -> bool:
    """Whether a key may be in a text, in base64, base58, base32, hex or digits, with separators or without.

    The codes of :func:`shown_name` are separators, and many of them are the bytes of a key.

    >>> looks_like_key("Patchwork-Export-20231010T1010"), looks_like_key("glTDKakoUPbVOd03b0gW7i_kUX2")
    (False, True)
    """
    bare, code_count = _CODE.subn(" ", text)
    return code_count >= _LEAST_CODES or any(map(_holds_key, {text, bare}))


def _holds_key(text: str) -> bool:
    is_of_symbols = has_many_symbols(text)
    text = unicodedata.normalize("NFKC", text)
    if is_of_symbols or _RUN.search(text):
        return True
    bare = _SEPARATORS.sub("", text)
    if _DIGITS.search(bare) or _HEX.search(bare.lower()):
        return True
    classes = "".join(map(_class_of, bare))
    turns = accumulate(
        (one != other for one, other in pairwise(map("d".__eq__, classes))), initial=0
    )
    if any(_reached([*turns], _LONG_WINDOW, _LEAST_TURNS)):
        return True
    missing = [0] * len(bare)
    for piece in _PIECE.finditer(classes):
        missing[piece.start()] = max(_WORD_LENGTH - len(piece[0]), 0)
    changes = accumulate((one != other for one, other in pairwise(classes)), initial=0)
    is_changing = _reached([*changes], _WINDOW, _LEAST_CHANGES)
    is_short = _reached([*accumulate(missing, initial=0)], _WINDOW + 1, _LEAST_MISSING)
    return any(map(and_, is_changing, is_short))


def _reached(sums: list[int], length: int, least: int) -> Iterator[bool]:
    """Whether so many come together, for each part of this length."""
    return (after - before >= least for before, after in zip(sums, sums[length:], strict=False))


def _class_of(character: str) -> str:
    return "d" if character.isdigit() else "u" if character.isupper() else "l"


def has_control(name: str) -> bool:
    """Whether a name has line ends, control characters or bytes that are no text.

    >>> has_control("a\\nb"), has_control("a\\u200fb")
    (True, False)
    """
    return any(unicodedata.category(one) in ("Cc", "Cs", "Zl", "Zp") for one in name)


def has_name_of_a_log(name: str) -> bool:
    """Whether a name ends as names of logs do, packed in any way, or rotated.

    >>> has_name_of_a_log("a.JSONL.gz"), has_name_of_a_log("a.gz"), has_name_of_a_log("log.bipf.stats")
    (True, False, False)
    >>> has_name_of_a_log("a.jsonl.xz"), has_name_of_a_log("a.json.gz.zip"), has_name_of_a_log("a.log.2.gz")
    (True, True, True)
    """
    return bool(_NAME_OF_A_LOG.search(name))
