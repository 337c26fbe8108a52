"""Ids in one spelling each (ruling R1), from any spelling in a log.

Only this module knows spellings. SQL sees ids as :func:`any_id` gives them.

=====================================  ===================================================================
spelling                               where it comes from
=====================================  ===================================================================
``%<base64>.sha256``                   classic message: ssb-ref 2, ``msgIdRegex``
``@<base64>.ed25519``                  classic feed: ssb-ref 2, ``feedIdRegex``
``%<base64>.cloaked``                  group of ssb-tribes: ssb-ref 2, ``cloakedMsgIdRegex``
``.ggmsg-v1``, ``.ggfeed-v1``          gabbygrove-v1: ssb-bfe-spec, ``bfe.json``; go-ssb-refs
``.bbmsg-v1``, ``.bbfeed-v1``          bendybutt-v1: ssb-bfe-spec, ``bfe.json``; ssb-bendy-butt 0
``.bamboo``                            bamboo: ssb-bfe-spec, ``bfe.json``; 64 bytes in a message's id
``.indexedfeed-v1``, ``.<name>-v<n>``  formats that came later: the sigils of go-ssb-refs and other clients
``.indexedmsg-v1``                     the same, of a client in Objective-C (``sigilStringFromBFE``)
``%<base64url>.sha256``                sigils with ``-`` and ``_``, and no ``=``: the same client
``ssb:message/classic/<base64url>``    ssb-uri-spec; older names for ``classic``: ``sha256``, ``ed25519``
``ssb:message:classic:...``, ``ssb://``  ssb-uri-spec and ssb-uri2: ``:`` between the parts, ``//`` before
``ssb:identity/group/<base64url>``     group: private-group-spec, ``ssb:identity`` of ssb-uri-spec
no ``=`` at the end                    base64url without padding, as RFC 4648, section 3.2 allows
``?unbox=<key>`` and other queries     ssb-ref 2, ``parseLinkRegex``; ssb-uri-spec, query
``#<fragment>``, ``/blob``             tails of links to a part of a message: ssb-uri-spec, RFC 3986
``%25<base64>%3D.sha256``              sigils in links of viewers and of git-ssb: ssb-ref 2, ``extract``
``ssb:message/sha256/<base64>%3D``     URIs of Patchfox (ssb-custom-uri): ``%2B`` for ``+``, ``%2F`` for ``/``
``{"link": <id>, ...}``                a link as an object: ssb-ref 2, ssb-mentions (see :func:`link_text`)
=====================================  ===================================================================

Base64 is canonical in every format, as in the reference library: bytes have one spelling. A text that differs
in the bits after the last byte is not an id: a signature over bytes would cover it, too, and anybody could
move a message to another feed. Every function takes O(length of the text).
"""

from __future__ import annotations

import re
from binascii import a2b_base64
from functools import lru_cache
from typing import NamedTuple
from urllib.parse import unquote

# 32 bytes: 43 characters and the padding. The last character carries four bits.
_BASE64 = r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]"
_BASE64URL = r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]"
_BASE64_OF_64 = r"[A-Za-z0-9+/]{85}[AQgw]"
_BASE64URL_OF_64 = r"[A-Za-z0-9_-]{85}[AQgw]"
# A name of words and a number of its version: a stranger's format may not hold a part of a key.
_FORMAT = r"(?:sha256|ed25519|[a-z]+(?:-[a-z]+)*(?:-v[0-9]{1,3})?)"
_TAIL = r"(?:/blob)?(?:[?#].*)?"

_KEY_OF_32 = rf"(?:{_BASE64}|{_BASE64URL})=?"
_KEY_OF_64 = rf"(?:{_BASE64_OF_64}|{_BASE64URL_OF_64})(?:==)?"
_SIGIL = re.compile(rf"([%@])({_KEY_OF_32}|{_KEY_OF_64})\.({_FORMAT}){_TAIL}", re.DOTALL)
_URI = re.compile(
    rf"ssb:(?://)?(message|feed|identity)[/:]({_FORMAT})"
    rf"((?:[/:](?!blob(?:[?#]|\Z))[A-Za-z0-9_-]+={{0,2}})+){_TAIL}",
    re.DOTALL,
)
# Where the escapes of a URI are read, its base64 is that of sigils.
_URI_OF_BASE64 = re.compile(rf"(ssb:(?://)?[a-z]+[/:]{_FORMAT}[/:])({_BASE64}=?){_TAIL}", re.DOTALL)
_KEY = re.compile(rf"{_BASE64URL}=?|{_BASE64URL_OF_64}(?:==)?")
_HAS_TAIL = re.compile(r"[?#]|/blob\Z")
_VERSIONED = re.compile(r"[a-z-]+-v[0-9]+")

# The format for each ending of a sigil, or older name in a URI.
_FORMATS = {
    "message": {
        "sha256": "classic",
        "cloaked": "cloaked",
        "ggmsg-v1": "gabbygrove-v1",
        "bbmsg-v1": "bendybutt-v1",
        "indexedmsg-v1": "indexed-v1",
        "bamboo": "bamboo",
    },
    "feed": {
        "ed25519": "classic",
        "ggfeed-v1": "gabbygrove-v1",
        "bbfeed-v1": "bendybutt-v1",
        "indexedfeed-v1": "indexed-v1",
        "bamboo": "bamboo",
    },
    "identity": {},
}
_KINDS = {"%": "message", "@": "feed"}
# The format in which a key has a feed for each parent that its messages name.
_WITH_PARENTS = "buttwoo-v1"
_CLASSIC_NAMES = frozenset({"classic", "sha256", "ed25519", "cloaked"})  # Ids of exactly 32 bytes.

# An id holds little more than its key. Today's formats have names of up to 15 characters.
MAX_FORMAT_LENGTH, MAX_KEYS = 20, 2
# 32 bytes in base64, and padded: a shorter text is no id.
_LEAST_LENGTH, _SHORT_KEY = 43, 44

TOKEN = "token-"  # So begins what a table holds in place of a text that is no id (scuttlehouse.ssb.texts).

# Longer texts are not remembered: a stranger's would fill the memory.
REMEMBERED_LENGTH = 200


class _Id(NamedTuple):
    """The parts of an id, its key in base64url, and ``text``, our one spelling of it. Empty if it is none."""

    kind: str
    form: str
    key: str
    text: str


_NO_ID = _Id("", "", "", "")


def to_url(base64: str) -> str:
    """Base64 in the alphabet for URIs. Faster than ``str.translate``.

    >>> to_url("a+/=")
    'a-_='
    """
    return base64.replace("+", "-").replace("/", "_")


def from_url(base64url: str) -> str:
    """Base64 in its own alphabet.

    >>> from_url("a-_=")
    'a+/='
    """
    return base64url.replace("-", "+").replace("_", "/")


def message_uri(text: str) -> str | None:
    """The URI of a message, from any spelling. None for a text that is not a message id.

    >>> message_uri("%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256?unbox=c2VjcmV0")
    'ssb:message/classic/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw='
    >>> message_uri("ssb:message:bendybutt-v1:HoqvHRNVVQ0ytxAiA5eg62F5t7lsJdM7QZx1-5ekCCk=")
    'ssb:message/bendybutt-v1/HoqvHRNVVQ0ytxAiA5eg62F5t7lsJdM7QZx1-5ekCCk='
    >>> message_uri("%hgtpIhsC.sha256") is None
    True
    """
    found = _id(text)
    return found.text if found.kind == "message" else None


def message_sigil(text: str) -> str | None:
    """The sigil of a classic message, from any spelling. None for any other text.

    >>> message_sigil("ssb:message/classic/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw=")
    '%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256'
    """
    found = _id(text)
    is_classic = found.kind == "message" and found.form == "classic"
    return f"%{from_url(found.key)}.sha256" if is_classic else None


def feed_id(text: str) -> str | None:
    """The id of a feed: the sigil of a classic feed, or the URI of another feed. None for any other text.

    >>> feed_id("ssb:feed/ed25519/6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=")
    '@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519'
    >>> feed_id("@PETZhVe/pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M=.bbfeed-v1")
    'ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M='
    """
    found = _id(text)
    return found.text if found.kind == "feed" else None


def feed_of_message(author: str, parent: object) -> str:
    """The id of the feed that a message is in, which is its author in every format but buttwoo-v1.

    There, a key has several feeds, each with messages from 1. The id of such a feed is that of its key and
    that of the message in the feed above which it belongs to, its parent (``ssb-buttwoo``, ``getFeedId``).

    >>> key = "hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw="
    >>> author, parent = f"ssb:feed/buttwoo-v1/{key}", f"ssb:message/buttwoo-v1/{key}"
    >>> feed_of_message(author, parent) == f"{author}/{key}", feed_of_message(author, None) == author
    (True, True)
    """
    feed, above = _id(author), _id(parent) if isinstance(parent, str) else _NO_ID
    is_below = (feed.kind, above.kind) == ("feed", "message") and "/" not in feed.key + above.key
    has_parents = feed.form == above.form == _WITH_PARENTS
    return f"{feed.text}/{above.key}" if is_below and has_parents else author


def feed_format(text: str) -> str | None:
    """The name of a feed's format, from its id. None for a text that is not a feed id.

    >>> feed_format("@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519")
    'classic'
    >>> feed_format("ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M=")
    'bendybutt-v1'
    """
    found = _id(text)
    return found.form if found.kind == "feed" else None


def any_id(text: str) -> str | None:
    """The id of a message, a feed or a group in our one spelling. None for any other text.

    >>> any_id("ssb:identity:group:hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw")
    'ssb:identity/group/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw='
    >>> any_id("%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.cloaked")
    'ssb:message/cloaked/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw='
    """
    return _id(text).text or None


def is_bare_id(text: str) -> bool:
    """Whether a text is an id in any spelling, and nothing else: no query, fragment or other tail.

    >>> key = "hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw="
    >>> is_bare_id(f"ssb:message:sha256:{key}"), is_bare_id(f"ssb:message/classic/{key}#chapter1")
    (True, False)
    """
    return bool(_parts_as_written(text)[0]) and not _HAS_TAIL.search(text)


def message_format(text: str) -> str | None:
    """The name of the format of a message's id. None for a text that is not a message id.

    >>> message_format("ssb:message/bendybutt-v1/HoqvHRNVVQ0ytxAiA5eg62F5t7lsJdM7QZx1-5ekCCk=")
    'bendybutt-v1'
    """
    found = _id(text)
    return found.form if found.kind == "message" else None


def id_bytes(text: str) -> bytes | None:
    """The bytes of an id in any spelling. None for a text that is not an id with one key.

    >>> id_bytes("@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519").hex()[:8]
    'ea4a6c63'
    """
    found = _id(text)
    return a2b_base64(from_url(found.key)) if found.kind and "/" not in found.key else None


def link_text(link: object) -> object:
    """The target of a link: the ``link`` of an object that has it as text, otherwise the link itself.

    >>> link_text({"link": "%a", "name": "b"}), link_text("%a"), link_text({"key": "b"})
    ('%a', '%a', {'key': 'b'})
    """
    if isinstance(link, dict) and isinstance(link.get("link"), str):
        return link["link"]
    return link


def _id(text: str) -> _Id:
    if len(text) < _LEAST_LENGTH:
        return _NO_ID
    return _short_id(text) if len(text) <= REMEMBERED_LENGTH else _read_id(text)


def _read_id(text: str) -> _Id:
    kind, form, key = _read_parts(text)
    if kind == "feed" and form == "classic":
        return _Id(kind, form, key, f"@{from_url(key)}.ed25519")
    return _Id(kind, form, key, f"ssb:{kind}/{form}/{key}") if kind else _NO_ID


# A message asks several times for the same ids, and a feed for the same author.
_short_id = lru_cache(4096)(_read_id)


def _read_parts(text: str) -> tuple[str, str, str]:
    """The kind, the format and the key (in base64url) of an id. Empty texts if the text is not an id."""
    parts = _parts_as_written(text)
    if parts[0] or "%" not in text:
        return parts
    start = text[: 2 * REMEMBERED_LENGTH]  # Only a tail is longer.
    # The first character of a sigil may be itself, before a key that begins like an escape.
    for read in (unquote(start), start[0] + unquote(start[1:])):
        match = _URI_OF_BASE64.fullmatch(read)
        parts = _parts_as_written(match[1] + to_url(match[2]) if match else read)
        if parts[0]:
            break
    return parts


def _parts_as_written(text: str) -> tuple[str, str, str]:
    """The same without the escapes of URLs."""
    if match := _SIGIL.fullmatch(text):
        kind, key, name = _KINDS[match[1]], to_url(match[2]), match[3]
        form = _FORMATS[kind].get(name) or (name if _VERSIONED.fullmatch(name) else "")
        is_long = len(key) > _SHORT_KEY
        has_length = is_long == (form == "bamboo" and kind == "message")
        if form and len(form) <= MAX_FORMAT_LENGTH and has_length:
            return kind, form, _padded(key)
    elif match := _URI.fullmatch(text):
        kind, name = match[1], match[2]
        keys = match[3][1:].replace(":", "/").split("/")
        is_short = len(name) <= MAX_FORMAT_LENGTH and len(keys) <= MAX_KEYS
        is_allowed = True
        if name in _CLASSIC_NAMES or kind == "identity":
            is_name_of_kind = kind == "identity" or name == "classic" or name in _FORMATS[kind]
            is_allowed = is_name_of_kind and len(keys) == 1 and len(keys[0]) <= _SHORT_KEY
        if is_short and is_allowed and all(map(_KEY.fullmatch, keys)):
            return kind, _FORMATS[kind].get(name, name), "/".join(map(_padded, keys))
    return "", "", ""


def _padded(base64: str) -> str:
    """The base64 of 32 or 64 bytes, with its padding."""
    return base64 + "=" * (-len(base64) % 4)
