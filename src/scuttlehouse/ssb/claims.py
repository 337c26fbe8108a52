"""What a line says about its writers: the owner of the log, and feeds of the same person.

Strangers write logs. An opened message is only the word of its log, and counts by who owns that log
(ruling R36). An announcement counts if both feeds have signed it (ruling R37).
"""

from __future__ import annotations

import json
import re
from typing import Any

from scuttlehouse.ssb.bendybutt import FORMAT, is_announcement, root_metafeed
from scuttlehouse.ssb.bfe import utf8
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.code_pages import in_utf_8
from scuttlehouse.ssb.epoch_keys import KEY_MEMBERS, KeyRing, spelled_bytes
from scuttlehouse.ssb.ids import any_id, feed_format, link_text
from scuttlehouse.ssb.rewritten_texts import compared_text
from scuttlehouse.ssb.validation import is_ciphertext
from scuttlehouse.warehouse_key import KEY_BYTES


def is_announcement_signed(
    content: object, author: str, check: Check, *, is_decrypted: bool
) -> bool | None:
    """Whether both feeds have signed an announcement that ties a feed to a metafeed. None for other messages.

    A classic feed writes ``metafeed/announce`` of itself, and a metafeed the others of feeds below itself.
    Elsewhere their text has no second signature that is checked. A feed of another format is no metafeed.
    (``validate.js`` of ssb-meta-feeds)

    >>> post, check = {"type": "post"}, Check(None, "valid")
    >>> is_announcement_signed(post, "@a", check, is_decrypted=False) is None
    True
    >>> is_announcement_signed({"type": "metafeed/add/existing"}, "@a", check, is_decrypted=False)
    False
    """
    if not isinstance(content, dict):
        return None
    if content.get("type") == "metafeed/announce":
        # The main feed has not signed the text of an opened message.
        is_valid = check.validity == "valid" and not check.warning
        names_metafeed = feed_format(str(content.get("metafeed"))) == FORMAT
        is_own = feed_format(author) == "classic" and _is_named(content.get("subfeed"), author)
        return is_own and names_metafeed and is_valid and not is_decrypted
    if not is_announcement(content):
        return None
    # Nobody has signed who the author of an opened message is.
    is_own = feed_format(author) == FORMAT and _is_named(content.get("metafeed"), author)
    return is_own and (
        check.warning == "content_signature_only"
        or (check.validity == "valid" and check.warning is None)
    )


def _is_named(link: object, feed: str) -> bool:
    """Whether a link names a feed, in any spelling."""
    text = link_text(link)
    return isinstance(text, str) and any_id(text) == any_id(feed)


def plaintext_hash(
    content: object, kept: dict[str, Any] | None, epoch_key: bytes | None, ring: KeyRing
) -> str | None:
    """A keyed hash of a content; None for ciphertext and null.

    Equal contents have the same hash in any order of members (:func:`compared_bytes`).
    Software spells ids and keys differently. So the hash covers the members that tables keep as they are
    kept, and the key of an epoch by its bytes.

    Complexity: O(n log n).

    >>> ring, kept = KeyRing(b"pepper"), {"root": "an id"}
    >>> [spelled, other] = [{"root": {"link": "AN ID"}, "secret": "AA", "text": "a"}, {"root": "an id",
    ...     "groupKey": "00", "text": "a"}]
    >>> one, two = (plaintext_hash(text, kept, b"key", ring) for text in (spelled, other))
    >>> one == two, one == plaintext_hash({**other, "text": "b"}, kept, b"key", ring)
    (True, False)
    """
    if content is None or is_ciphertext(content):
        return None
    if not isinstance(content, dict) or kept is None:
        return ring.hash(compared_bytes(content))
    compared = content | kept
    if epoch_key:
        for name in KEY_MEMBERS:
            compared.pop(name, None)
    key = epoch_key.hex() if epoch_key else None
    return ring.hash(compared_bytes([key, compared]))


# A text that may be an id, in JSON.
_MAY_BE_ID = re.compile(r'(?<=")(?:[%@]|ssb:)[^"\\]{43,200}(?=")')
# One encoder for all contents: json.dumps would make one for each.
_ENCODER = json.JSONEncoder(sort_keys=True, ensure_ascii=False)
# A sum of zeros has no sign.
_WITHOUT_ODD_NUMBERS = json.JSONDecoder(
    parse_float=lambda text: 0.0 + float(text), parse_constant=lambda _: None
)


def compared_bytes(content: object) -> bytes:
    """A text of a content, for comparing plaintexts: the same for every spelling of equal JSON.

    So it is for a content of which jq or Go has written half of a surrogate pair as U+FFFD, whose UTF-8
    PowerShell has read in a code page, or whose numbers JavaScript has written: it has no -0 and no infinity;
    for texts in a dump of SQL or in HTML (:mod:`scuttlehouse.ssb.rewritten_texts`); and for ids anywhere.

    Complexity: O(n log n).

    >>> compared_bytes({"b": -0.0, "a": float("inf")}) == compared_bytes({"a": None, "b": 0.0})
    True
    """
    text = _ENCODER.encode(content)
    if "-0.0" in text or "Infinity" in text:  # Most contents have neither.
        text = _ENCODER.encode(_WITHOUT_ODD_NUMBERS.decode(text))
    text = compared_text(next(in_utf_8(text), text))
    return utf8(_MAY_BE_ID.sub(lambda found: any_id(found[0]) or found[0], text))


def proven_owner(content: object) -> str | None:
    """The root metafeed of a ``metafeed/seed``, if the seed derives it. None for all other contents.

    >>> seed = {"type": "metafeed/seed", "metafeed": root_metafeed(bytes(32)), "seed": "00" * 32}
    >>> proven_owner(seed) == root_metafeed(bytes(32)), proven_owner({**seed, "seed": "01" * 32})
    (True, None)
    """
    if not isinstance(content, dict) or content.get("type") != "metafeed/seed":
        return None
    seed, metafeed = spelled_bytes(content.get("seed")), content.get("metafeed")
    if seed is None or len(seed) != KEY_BYTES or not isinstance(metafeed, str):
        return None
    owner = root_metafeed(seed)
    return owner if any_id(metafeed) == owner else None
