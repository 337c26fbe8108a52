"""Messages that somebody has opened, and the places where software keeps their ciphertext.

The id and the signature of a private message cover its ciphertext (ruling R2). Software that opens a
message replaces the ciphertext with the plaintext, and keeps the ciphertext in another place:

==================================  ============================================================
place                               software
==================================  ============================================================
``meta.originalContent``            ssb-db2 and software that uses it: ssb-box2, ssb-tribes2, Manyverse
``meta.original``                   the same object beside the value
``value.meta.original``             ssb-db 19 and 20 (``util.js``, ``originalValue``), ssb-tribes
``value.cyphertext``                ssb-db up to 20, with ``value.private``, ``value.unbox`` and
                                    ``value.meta.unbox``; Patchwork
``misc.originalData``               pzp (``lib/encryption.js``), of a record's data
any other of a record               other software: the hash or the signature proves the ciphertext. It may be
                                    in a message that is a text there (``raw``, as databases keep it)
none                                go-ssb (``private/manager.go``): an empty hash, the signature ``reboxed``
none                                go-ssb (``private/unboxlog.go``), in ``private.read``: ``go-ssb-unboxed``
                                    is the hash and the signature, and nothing says that it was private
none                                ssb-private 1 (``index.js``, ``unboxValue``): no signature
==================================  ============================================================

In gabbygrove-v1 a content may be bytes, which JSON has as base64. Encrypted ones begin with ``box1:`` or
``box2:`` (go-ssb, ``multilogs/combined.go``).

Software may also change a message that nobody has encrypted (ssb-db, ``addMap``). It keeps the members that
were signed in ``value.meta.original``, as it keeps a ciphertext there. Who wrote the message, and its place
in the feed, are what the value says.

The word ``private``, and the key that opens the message (``unbox``), say that a message was private, wherever
they stand beside the content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any, NamedTuple

from scuttlehouse.ssb.ids import feed_format
from scuttlehouse.ssb.restored import TEXTS_FOR_NULL
from scuttlehouse.ssb.rewritten_texts import json_in_text
from scuttlehouse.ssb.validation import is_ciphertext

# Members that unboxers add to a value. No signed value has these (ssb-db util.js, ssb-db2 msg-utils.js).
UNBOXER_MEMBERS = frozenset({"meta", "cyphertext", "private", "unbox"})

# Who wrote a message, and its place in the feed: what the line says of these counts, so it has to be signed.
_CLAIMED = frozenset({"author", "sequence", "previous"})

# The hash in an opened message of go-ssb.
OPENED_BY_GO_SSB = "go-ssb-unboxed"

# How an encrypted content of gabbygrove-v1 begins: the base64 of "box1:" or "box2:", and of what follows.
_BOX_IN_BYTES = re.compile("Ym94M[Tj][o-r]")

# What software publishes only encrypted, though it names no recipients: a seed, and the first message of a
# group (ssb-meta-feeds; private-group-spec, "group/init").
_PRIVATE_TYPES = frozenset({"metafeed/seed", "group/init"})

# What stands for false or null. SQLite writes a truth value as a number, and tables of text as a text.
_NO = (None, False, 0, "0", "false", "False", "FALSE", "f", *TEXTS_FOR_NULL)

# So many texts like ciphertext are tried in one record. Each may cost as much as a wrong key.
MOST_CIPHERTEXTS = 4


class Opened(NamedTuple):
    """``value``: the value as it was signed, if the log has it. ``ciphertext``: None if the log has none.

    ``is_decrypted``: somebody has opened the message.
    """

    value: dict[str, Any]
    ciphertext: str | None
    is_decrypted: bool


def original(value: dict[str, Any], meta: dict[str, Any]) -> Opened:
    """The value that id and signature cover. ``meta`` is the member beside the value.

    >>> original({"content": {"type": "post"}, "cyphertext": "AAAA.box", "private": True}, {})
    Opened(value={'content': 'AAAA.box'}, ciphertext='AAAA.box', is_decrypted=True)
    >>> original({"content": {"type": "post"}}, {"private": True}).ciphertext is None
    True
    """
    # No software has opened it. Most messages are of this kind, and none of it is copied.
    is_of_go_ssb = value.get("hash") == OPENED_BY_GO_SSB
    if not meta and UNBOXER_MEMBERS.isdisjoint(value) and not is_of_go_ssb:
        return Opened(value, None, False)
    content = value.get("content")
    signed = {name: part for name, part in value.items() if name not in UNBOXER_MEMBERS}
    if is_ciphertext(content):
        return Opened(signed, None, False)
    inner = members_of(value.get("meta"))
    # A dict keeps the order of a member that it already has.
    signed |= {name: part for name, part in _original_members(inner).items() if name in signed}
    ciphertext = next(filter(is_ciphertext, _kept_texts(value, (meta, inner))), None)
    if ciphertext is not None:
        signed["content"] = ciphertext
    is_marked = is_of_go_ssb or any(map(_says_private, (value, meta, inner)))
    is_opened = content is not None and (ciphertext is not None or is_marked)
    return Opened(signed, ciphertext, is_opened)


def is_marked_beside(record: dict[str, Any]) -> bool:
    """Whether what stands beside the value of a record says that the message was private.

    >>> [*map(is_marked_beside, ({"private": True}, {"misc": {"private": True}}, {}))]
    [True, True, False]
    """
    return _says_private(record) or _says_private(members_of(record.get("misc")))


def members_of(part: object) -> dict[str, Any]:
    """The members of an object, also of one that is a text, as databases have it. Nothing else has members.

    Complexity: O(length of the text).

    >>> members_of({"private": True}), members_of('{"private": true}'), members_of(None)
    ({'private': True}, {'private': True}, {})
    """
    if isinstance(part, str) and part.startswith("{"):
        with suppress(ValueError):
            part = json_in_text(part)
    return part if isinstance(part, dict) else {}


def _says_private(place: dict[str, Any]) -> bool:
    return any(place.get(name) not in _NO for name in ("private", "unbox"))


def unbox_key(value: dict[str, Any]) -> str | None:
    """The text that ssb-db keeps in an opened value as the key that opened it. None if it has none. O(1).

    >>> unbox_key({"unbox": "", "meta": {"private": True, "unbox": "AAAA"}}), unbox_key({"unbox": {}})
    ('AAAA', None)
    """
    places = (value, members_of(value.get("meta")))
    keys = (place.get("unbox") for place in places)
    return next((key for key in keys if isinstance(key, str) and key), None)


def opened_elsewhere(
    value: dict[str, Any], opened: Opened, record: dict[str, Any]
) -> Iterator[Opened]:
    """The message with each ciphertext that stands in any place of its record, but not in its content.

    No software is known to keep it there, so it counts only where the hash or the signature proves it.

    Complexity: O(length of the record).

    >>> value = {"content": {"type": "post"}, "ciphertext": "AAAA.box"}
    >>> [found.value for found in opened_elsewhere(value, original(value, {}), {"value": value})]
    [{'content': 'AAAA.box', 'ciphertext': 'AAAA.box'}]
    """
    beside = [part for name, part in record.items() if name != "value"]
    inside = [part for name, part in value.items() if name != "content"]
    texts = dict.fromkeys(filter(is_ciphertext, texts_in([inside, beside])))
    texts.pop(opened.ciphertext or "", None)
    is_decrypted = value.get("content") is not None
    return (Opened({**opened.value, "content": text}, text, is_decrypted) for text in texts)


def texts_in(value: object) -> Iterator[str]:
    """The texts in a JSON value, and in objects that are a text in it, but not the names of members.

    Complexity: O(length).

    >>> sorted(texts_in({"a": ["b", {"c": "d"}, 1], "raw": '{"e": "f"}'}))
    ['b', 'd', 'f', '{"e": "f"}']
    """
    left = [value]
    while left:
        part = left.pop()
        if isinstance(part, str):
            yield part
            if part.startswith("{"):
                with suppress(ValueError):
                    left.append(json_in_text(part))
        elif isinstance(part, list | dict):
            left.extend(part.values() if isinstance(part, dict) else part)


def is_sealed(value: dict[str, Any]) -> bool:
    """Whether the content of a value is encrypted, in any format. O(length of the content).

    >>> author = "ssb:feed/gabbygrove-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M="
    >>> is_sealed({"author": author, "content": "Ym94MToAAAA="}), is_sealed({"content": "AAAA.box2"})
    (True, True)
    """
    content = value.get("content")
    if isinstance(content, str) and _BOX_IN_BYTES.match(content):
        return feed_format(str(value.get("author"))) == "gabbygrove-v1"
    return is_ciphertext(content)


def _original_members(meta: dict[str, Any]) -> dict[str, Any]:
    members = members_of(meta.get("original"))
    return {name: part for name, part in members.items() if name not in _CLAIMED}


def _kept_texts(value: dict[str, Any], metas: Iterable[dict[str, Any]]) -> Iterator[str]:
    """The texts in the places where software keeps a ciphertext."""
    for place in metas:
        if isinstance(place.get("originalContent"), str):
            yield place["originalContent"]
        members = place.get("original")
        content = members.get("content") if isinstance(members, dict) else members
        if isinstance(content, str):
            yield content
    if isinstance(value.get("cyphertext"), str):
        yield value["cyphertext"]


def is_of_private_kind(content: object) -> bool:
    """Whether software publishes such a content only encrypted: with recipients, or a key to messages."""
    kind = content.get("type") if isinstance(content, dict) else None
    return (isinstance(kind, str) and kind in _PRIVATE_TYPES) or has_recipients(content)


def has_recipients(content: object) -> bool:
    """Whether a content names recipients, in a list or one alone. Software encrypts such content."""
    recipients = content.get("recps") if isinstance(content, dict) else None
    return isinstance(recipients, list | str) and bool(recipients)
