"""The rules of the classic feed format, as the reference validator judges them.

There are two questions. *Is the message valid by itself?* (:func:`check_value`): its shape, its length, its
id and its signature, which need no other message. *Does it follow the message before it?* The model
``int_feeds__links`` answers this. The reference appends a message to a feed if both are true. (Tangle SIP,
"Classic feed"; rulings R3 and R4. No document has the other rules, only the reference validator.)
:mod:`scuttlehouse.ssb.bendybutt` judges messages of bendybutt-v1. Feeds of other formats are not checked.

The reference accepts some messages that break its own rules. They are valid here too, with a warning.
"""

from __future__ import annotations

import hmac
from binascii import a2b_base64, b2a_base64
from hashlib import sha256
from typing import TypeGuard

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from scuttlehouse.files import jsjson
from scuttlehouse.ssb import bendybutt
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.ids import feed_format, feed_id, message_sigil

MAX_LENGTH = 8192

REASONS = {
    "too_deep": "The message nests deeper than any message may.",
    "not_an_object": "The message is not a JSON object.",
    "author_is_no_feed_id": "The author is not a feed id.",
    "members_out_of_order": "The members are not exactly previous, sequence and author (or author "
    "and sequence), timestamp, hash, content, signature, in this order.",
    "sequence_is_no_integer": "The sequence is not a whole number from -2147483648 to 2147483647.",
    "first_timestamp_is_no_number": "The timestamp of the feed's first message is not a number.",
    "hash_is_not_sha256": "The hash is not the text sha256.",
    "content_is_malformed": "The content is neither an object nor ciphertext: canonical base64, "
    ".box, and whatever follows on the same line.",
    "type_is_malformed": "The content's type is not a text of 3 to 52 UTF-16 units.",
    "signature_is_malformed": "The signature is not canonical base64 of 64 bytes (the reference "
    "lets 65 and 66 pass) with .sig.ed25519 at its end.",
    "too_long": "The message has more than 8192 UTF-16 units as indented JSON with its signature.",
    "id_mismatch": "The key of the message is not the hash of its value.",
    "signature_is_wrong": "The signature was not made by the author over this message (and, in a "
    "network with a key of its own, with that key).",
    **bendybutt.REASONS,
}

# A message gets the first of these that applies to it.
WARNINGS = {
    "timestamp_is_no_number": "The timestamp is not a number; the reference looks at it in the first "
    "message of a feed, and in messages that come out of order.",
    "previous_is_no_message_id": "The previous is neither null nor a message id. The reference "
    "compares it as text, so that an array of one id passes as that id.",
    "signature_has_extra_bytes": "The signature has one or two bytes more than the 64 that count.",
    **bendybutt.WARNINGS,
    "plaintexts_differ": "Logs give different plaintexts of the message. That of its author's own log "
    "counts, else that of more logs, else none.",
    "members_reordered": "The members of the message are not in the order of a message, or all members in "
    "its content are in the order of their names, as `jq -S`, databases and Go write them, or some are null, "
    "as tables have them, so that what was signed is not in the log and the message is not checked.",
    "characters_replaced": "Software has replaced characters of the message by U+FFFD, as log.bipf, jq and "
    "Go do with half of a surrogate pair, so that what was signed is not in the log and the message is not "
    "checked.",
    "ids_respelled": "The author or the previous is a URI, where a message has a sigil. With sigils the "
    "message has not the id of its key either, so what was signed is not in the log and it is not checked.",
    "ciphertext_not_in_log": "The message is private and somebody has opened it; the ciphertext that "
    "was signed is not in the log, so that the message is not checked.",
}

MEMBER_ORDERS = tuple(
    ["previous", *middle, "timestamp", "hash", "content", "signature"]
    for middle in (("sequence", "author"), ("author", "sequence"))
)
_SIGNATURE_END = ".sig.ed25519"
_LINE_ENDS = frozenset("\n\r\u2028\u2029")


def check_value(
    value: jsjson.Value,
    *,
    key: str | None = None,
    hmac_key: bytes | None = None,
) -> Check:
    """Judge a message's value by itself. :func:`scuttlehouse.files.jsjson.parse` makes such values.

    If several rules are broken, the result names the first in the order of ``REASONS``. A feed of another
    format is not checked at all. Never raises, for any value.

    Args:
        value: the value, as it was signed: with its ciphertext as content (ruling R2). It is not changed.
        key: the id that the log gives the message, in either spelling. None to accept any id.
        hmac_key: the 32 bytes of :func:`scuttlehouse.ssb.network_key.network_key`. None in the main network.

    Complexity: O(length of the text).

    >>> check_value({"author": "@nobody"})[1:]
    ('invalid', 'author_is_no_feed_id', None)
    >>> check_value({"author": "ssb:feed/bamboo/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M="})
    Check(message_key=None, validity='not_checked', invalid_reason=None, warning=None)
    """
    author = value.get("author") if isinstance(value, dict) else None
    is_classic = False
    if isinstance(author, str):
        form = feed_format(author)
        if form is not None and form != "classic":
            return Check(None, "not_checked")
        # A classic feed has other spellings too, but an author must be in this one.
        is_classic = form is not None and feed_id(author) == author
    try:
        text = jsjson.stringify(value, indent=2)
    except jsjson.TooDeepError:
        return Check(None, "invalid", "too_deep")
    except jsjson.TooLongError:
        text = ""
    units = hashed_bytes(text)
    digest = b2a_base64(sha256(units).digest(), newline=False).decode()
    message_key = f"%{digest}.sha256" if text else None

    if not isinstance(value, dict):
        return Check(message_key, "invalid", "not_an_object")
    if not is_classic or not isinstance(author, str):
        return Check(message_key, "invalid", "author_is_no_feed_id")
    reason = _shape_fault(value)
    if reason is not None:
        return Check(message_key, "invalid", reason)
    signature_text = value["signature"]
    signature = _signature_bytes(signature_text)
    if signature is None or not isinstance(signature_text, str):
        return Check(message_key, "invalid", "signature_is_malformed")
    if not text or len(units) > MAX_LENGTH:
        return Check(message_key, "invalid", "too_long")
    if key is not None and key != message_key and message_sigil(key) != message_key:
        return Check(message_key, "invalid", "id_mismatch")

    # The signature is the last member and plain ASCII, so it is cut off: faster than writing JSON again.
    signed = text[: -len(f',\n  "signature": "{signature_text}"\n}}')].encode() + b"\n}"
    if hmac_key is not None:
        signed = hmac.digest(hmac_key, signed, "sha512")[:32]
    try:
        crypto_sign_open(signature[:64] + signed, a2b_base64(author[1:45]))
    except BadSignatureError:
        return Check(message_key, "invalid", "signature_is_wrong")
    return Check(message_key, "valid", None, _warning(value, signature))


def hashed_bytes(text: str) -> bytes:
    """What the hash of a message covers of its text: the low byte of every UTF-16 unit.

    >>> hashed_bytes("a\u2713").hex()
    '6113'
    """
    return text.encode() if text.isascii() else text.encode("utf-16-le")[::2]


def previous_text(previous: jsjson.Value) -> str | None:
    """The id that the reference sees in a ``previous``. None if it sees none.

    It compares with JavaScript's ``==``, which makes an array with one id equal to that id.

    >>> previous_text([["%a"]]), previous_text(None), previous_text(["%a", "%b"])
    ('%a', None, None)
    """
    while isinstance(previous, list) and len(previous) == 1:
        previous = previous[0]
    return previous if isinstance(previous, str) else None


def _shape_fault(value: dict[str, jsjson.Value]) -> str | None:
    if list(value) not in MEMBER_ORDERS:
        return "members_out_of_order"
    sequence = value["sequence"]
    # The bounds come first, because infinity has no integer.
    if not (_is_number(sequence) and -(2**31) <= sequence < 2**31 and sequence == int(sequence)):
        return "sequence_is_no_integer"
    if sequence == 1 and not _is_number(value["timestamp"]):
        return "first_timestamp_is_no_number"
    if value["hash"] != "sha256":
        return "hash_is_not_sha256"
    content = value["content"]
    if isinstance(content, dict):
        return None if _is_type(content.get("type")) else "type_is_malformed"
    if isinstance(content, list):
        return "type_is_malformed"
    if not is_ciphertext(content):
        return "content_is_malformed"
    return None


def _is_number(value: jsjson.Value) -> TypeGuard[float]:
    return type(value) is float or type(value) is int


def _is_type(value: jsjson.Value) -> bool:
    if not isinstance(value, str):
        return False
    length = len(value) if value.isascii() else len(value.encode("utf-16-le", "surrogatepass")) // 2
    return 3 <= length <= 52


def is_ciphertext(content: object) -> bool:
    """Whether a content is ciphertext of any encryption format. The name of the format follows ``.box``.

    >>> is_ciphertext("AAAA.box2"), is_ciphertext("AAAA.box-of-tomorrow"), is_ciphertext("AAAA")
    (True, True, False)
    """
    if not isinstance(content, str):
        return False
    base64, box, rest = content.partition(".box")
    return bool(box) and _LINE_ENDS.isdisjoint(rest) and canonical_bytes(base64) is not None


def _signature_bytes(signature: jsjson.Value) -> bytes | None:
    if not (isinstance(signature, str) and signature.endswith(_SIGNATURE_END)):
        return None
    data = canonical_bytes(signature.removesuffix(_SIGNATURE_END))
    return data if data is not None and 64 <= len(data) <= 66 else None


def canonical_bytes(base64: str) -> bytes | None:
    """The bytes of a text in canonical base64. None for any other text."""
    try:
        data = a2b_base64(base64)
        return data if b2a_base64(data, newline=False) == base64.encode() else None
    except ValueError:
        return None


def _warning(value: dict[str, jsjson.Value], signature: bytes) -> str | None:
    content = value["content"]
    if bendybutt.is_announcement(content) or not bendybutt.is_announce_signed(content):
        return "content_signature_is_wrong"
    if not _is_number(value["timestamp"]):
        return "timestamp_is_no_number"
    previous = value["previous"]
    if previous is not None and not (
        isinstance(previous, str) and message_sigil(previous) == previous
    ):
        return "previous_is_no_message_id"
    return "signature_has_extra_bytes" if len(signature) > 64 else None
