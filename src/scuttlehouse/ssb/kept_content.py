"""What a row keeps of the content of a message: the members that connect messages, and names.

Their texts become ids, words and tokens (:mod:`scuttlehouse.ssb.texts`). No other text, no seed and no key is
kept.
"""

from __future__ import annotations

import math
from typing import Any

from scuttlehouse.ssb.epoch_keys import KeyRing, purpose_key
from scuttlehouse.ssb.ids import link_text
from scuttlehouse.ssb.legacy_names import feed_purpose
from scuttlehouse.ssb.naming import name_in_message
from scuttlehouse.ssb.numbers import number_of
from scuttlehouse.ssb.texts import is_word, kept_id, kept_word

KEPT_MEMBERS = (
    "type",
    "tangles",
    "root",
    "branch",
    "recps",
    "excludes",
    "creator",
    "metafeed",
    "subfeed",
    "feedpurpose",
)

# It bounds a row. No message of a checked format keeps as much: it has at most 8192 characters or bytes. A
# text and its comma take four of them, and its token in an object 44, so that `excludes` keep up to 88 KiB.
MOST_KEPT = 96 << 10

# So many items are too many in any list. The others are not looked at.
_MOST_ITEMS = MOST_KEPT // len("0, ") + 1

# Purposes that say what a feed is for. Any other purpose of a private announcement may be a key.
PUBLIC_PURPOSES = frozenset({"group/additions", "index", "main", "root", "v1"})


def kept_content(
    content: dict[str, Any], kind: str | None, is_decrypted: bool, ring: KeyRing
) -> dict[str, Any]:
    """The kept members of a content of some kind; a list of them has ``_MOST_ITEMS`` at most. O(length).

    >>> kept_content({"type": "post", "text": "hello"}, "post", False, KeyRing(b"pepper"))
    {'type': 'post'}
    """
    kept: dict[str, object] = {}
    for name in KEPT_MEMBERS:
        if name not in content:
            continue
        member = content[name]
        if name == "type" and kind is not None:
            kept[name] = kind
        elif name == "tangles":
            kept[name] = _kept_tangles(member, ring)
        elif name == "excludes":
            kept[name] = _kept_excludes(member, ring)
        elif name == "feedpurpose" and isinstance(member, str):
            purpose = feed_purpose(member)
            if not _may_be_a_key(purpose, is_decrypted):
                kept[name] = kept_word(purpose, ring)
        elif name == "root":
            kept[name] = _kept_root(member, ring)
        else:
            kept[name] = _kept_links(member, ring)
    return kept | name_in_message(content, is_private=is_decrypted)


def _may_be_a_key(purpose: str, is_decrypted: bool) -> bool:
    is_public = purpose in PUBLIC_PURPOSES or (len(purpose) == 1 and is_word(purpose))
    return (is_decrypted and not is_public) or bool(purpose_key(purpose))


def _kept_root(member: object, ring: KeyRing) -> object:
    """The link to a root. Some software writes it as a list with one item."""
    root = _kept_links(member, ring)
    return root[0] if isinstance(root, list) and len(root) == 1 else root


def _kept_links(member: object, ring: KeyRing) -> object:
    """Ids in our one spelling, from texts, from objects (ids.link_text), or from a list of these.

    A text that is not an id becomes its token, and an empty one names nothing, as null does. Anything else
    becomes 0, which shows its shape but not its content: a recipient may be a key itself, as an object.
    """
    if isinstance(member, list):
        return _kept_ids([link_text(item) or None for item in member[:_MOST_ITEMS]], ring)
    link = link_text(member)
    return None if link == "" else _kept_ids(link, ring)


def _kept_ids(member: object, ring: KeyRing) -> object:
    """The same from texts alone: in a tangle's field, any other form of a link is a fault (ruling R6)."""
    if member is None:
        return None
    if isinstance(member, str):
        return kept_id(member, ring)
    if isinstance(member, list):
        return [
            kept_id(text, ring) if isinstance(text, str) else 0 for text in member[:_MOST_ITEMS]
        ]
    return 0


def _kept_tangles(tangles: object, ring: KeyRing) -> object:
    if not isinstance(tangles, dict):
        return 0
    return {kept_word(name, ring): _kept_field(field, ring) for name, field in tangles.items()}


def _kept_field(field: object, ring: KeyRing) -> object:
    """The links of a tangle's field. 0 stands for what is no object, but null stays.

    An empty root is the id of nothing, and null would make the message a root: 0 is a fault.
    """
    if not isinstance(field, dict):
        return None if field is None else 0
    links = {name: field[name] for name in ("root", "previous") if name in field}
    return {name: 0 if link == "" else _kept_ids(link, ring) for name, link in links.items()}


def _kept_excludes(excludes: object, ring: KeyRing) -> list[object]:
    """The excluded people as objects, with their cut-offs. The log may have objects or ids (ruling R17)."""
    if not isinstance(excludes, list):
        return []
    return [_kept_excluded(item, ring) for item in excludes[:_MOST_ITEMS]]


def _kept_excluded(item: object, ring: KeyRing) -> dict[str, object]:
    if not isinstance(item, dict) or "id" not in item:
        return {"id": _kept_links(item, ring)}
    cutoff = {
        "groupFeedId": _kept_links(item.get("groupFeedId"), ring),
        "sequence": _kept_number(item.get("sequence")),
    }
    given = {name: part for name, part in cutoff.items() if part is not None}
    return {"id": _kept_links(item["id"], ring), **given}


def _kept_number(number: object) -> int | None:
    finite = number_of(number)
    return None if finite is None else whole_number(finite)


def whole_number(number: float) -> int | None:
    """The number if it is whole and at most 2^53; otherwise None.

    >>> whole_number(7.0), whole_number(0.5), whole_number(1e300)
    (7, None, None)
    """
    is_whole = math.isfinite(number) and number == int(number) and abs(number) <= 2**53
    return int(number) if is_whole else None
