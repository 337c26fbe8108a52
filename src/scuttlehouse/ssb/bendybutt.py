"""The rules of the feed format bendybutt-v1, which metafeeds use.

A message is bencode: ``[[author, sequence, previous, timestamp, section], signature]``. Every value except
lists, dictionaries and whole numbers is in binary field encoding (BFE: two bytes that name a type, then the
data). The id is the SHA-256 of these bytes, and the author signs the inner list. The section is ``[content,
content signature]``. In an announcement, the announced feed makes the content signature, so nobody can claim
another person's feed. (Specifications "Bendy Butt", "SSB Binary Field Encodings" and "ssb-meta-feeds";
rulings R4 and R37.)

A log holds the JSON form (``ssb-bendy-butt``), and this module builds the bytes from it again. For an opened
message, ssb-db2 exports the inner content signature in place of the signed one. Its bytes cannot be built,
and only the content signature can be checked; its ``reEncrypt`` puts the ciphertext back beside that one.
``go-metafeed`` (``ValueContent``) writes the whole section as the content, and its bytes as text, in which
every byte that is not UTF-8 becomes U+FFFD: ids, signatures and ciphertext are lost. Its signatures end in
``.metafeed-v1.sig.ed25519``. Such a message is not checked.
"""

from __future__ import annotations

import hmac
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256

from nacl.bindings import crypto_sign_open, crypto_sign_seed_keypair
from nacl.exceptions import BadSignatureError

from scuttlehouse.files import jsjson
from scuttlehouse.ssb.bfe import (
    CIPHERTEXT,
    Bytes,
    NoBytesError,
    bencode,
    encode,
    is_whole,
    signature_bytes,
    with_nonce_read,
)
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.ids import any_id, feed_format, id_bytes, message_format

FORMAT = "bendybutt-v1"
MAX_BYTES = 8192
MEMBERS = ("author", "sequence", "previous", "timestamp", "content", "signature")
ANNOUNCEMENTS = frozenset({"metafeed/add/derived", "metafeed/add/existing"})

REASONS = {
    "member_is_missing": "A member that every message of bendybutt-v1 has is missing: author, sequence, "
    "previous, timestamp, content or signature.",
    "sequence_is_no_place": "The sequence is not a whole number of at least 1 (bendybutt-v1).",
    "previous_is_malformed": "The previous is not null in the first message, or not an id of a bendybutt-v1 "
    "message in another.",
    "timestamp_is_no_time": "The timestamp is not a whole number of at least 0 (bendybutt-v1).",
    "content_signature_is_malformed": "The content signature of bendybutt-v1 is not canonical base64 of "
    "64 bytes with .sig.ed25519 at its end.",
}

WARNINGS = {
    "content_signature_is_wrong": "The announcement lacks the signature of the other feed: of the "
    "announced one in metafeed/add, of the metafeed in metafeed/announce. It ties no feed to anybody.",
    "content_signature_only": "The message is opened, and the bytes that its author signed are not in "
    "the log; the feed that it announces has signed the content.",
    "signed_bytes_not_in_log": "The bytes of bendybutt-v1 that were signed cannot be built again from "
    "what the log holds.",
}

_FAULTS_OF_SECTION = frozenset({"content_is_malformed", "content_signature_is_malformed"})

_PREFIX = b"bendybutt"


# Of a message whose signed bytes the log does not hold.
NOT_IN_LOG = Check(None, "not_checked", None, "signed_bytes_not_in_log")


def check_message(
    value: Mapping[str, jsjson.Value],
    ciphertext: str | None,
    key: str | None,
    hmac_key: bytes | None,
    *,
    is_opened: bool = False,
) -> Check:
    """Judge a message of bendybutt-v1 by itself, from the value in a log.

    Never raises. ``key`` is the id that the log gives it. For an opened message, ``ciphertext`` is what the
    log keeps of the section, None if it keeps nothing; ``is_opened`` says that somebody opened it.

    Complexity: O(n log n) in the length of the value.

    >>> author = "ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M="
    >>> check_message({"author": author}, None, None, None)
    Check(message_key=None, validity='invalid', invalid_reason='member_is_missing', warning=None)
    """
    is_opened = is_opened or ciphertext is not None
    read = with_nonce_read(value)
    check = _check(read, ciphertext, key, hmac_key, is_opened)
    if check.validity == "invalid" and read is not value:
        as_text = _check(value, ciphertext, key, hmac_key, is_opened)
        return as_text if as_text.validity == "valid" else check
    return check


def _check(
    value: Mapping[str, jsjson.Value],
    ciphertext: str | None,
    key: str | None,
    hmac_key: bytes | None,
    is_opened: bool,
) -> Check:
    reason = _shape_fault(value)
    if reason == "signature_is_malformed":  # The log does not hold the bytes of the signature.
        return NOT_IN_LOG
    sealed = {name: part for name, part in value.items() if name != "contentSignature"} | {
        "content": ciphertext
    }
    signed = value if ciphertext is None else sealed
    # What somebody has read in a section is not what its author signed.
    if reason is not None and not (is_opened and reason in _FAULTS_OF_SECTION):
        message_id = _hashed_id(signed)
        # Nobody knows which bytes stood in the place of the text of another signature.
        is_known = not is_opened and reason != "content_signature_is_malformed"
        is_proven = is_known or message_id == any_id(key or "")
        return Check(message_id if is_proven else None, "invalid", reason)
    check = _check_bytes(signed, key, hmac_key)
    announces = is_announcement(value["content"])
    is_signed_by_subfeed = announces and is_content_signed(value, _subfeed(value), hmac_key)
    if check.validity == "valid":
        is_wrong = announces and not is_signed_by_subfeed
        is_wrong |= not is_announce_signed(value["content"])
        return check._replace(warning="content_signature_is_wrong" if is_wrong else None)
    if not is_opened or check.invalid_reason == "too_long":
        return check
    if announces:
        warning = "content_signature_only" if is_signed_by_subfeed else "content_signature_is_wrong"
        return Check(None, "not_checked", None, warning)
    return NOT_IN_LOG


def is_announcement(content: object) -> bool:
    """Whether a content announces a feed below a metafeed.

    >>> is_announcement({"type": "metafeed/add/existing"}), is_announcement({"type": ["x"]})
    (True, False)
    """
    kind = content.get("type") if isinstance(content, dict) else None
    return isinstance(kind, str) and kind in ANNOUNCEMENTS


def message_bytes(value: Mapping[str, jsjson.Value]) -> tuple[bytes, bytes]:
    """The bytes that the author signs, and the bytes that the id hashes, from a message as JSON.

    By the specification, an encrypted section is one value in BFE. ssb-db2 writes a list of it and a content
    signature; the content signature is then in the JSON.

    Raises:
        NoBytesError: see :func:`encode`.
    """
    section = encode(value["content"])
    if "contentSignature" in value:
        section = [section, encode(value["contentSignature"])]
    head: list[Bytes] = [
        encode(_id(value["author"])),
        encode(value["sequence"]),
        encode(_id(value["previous"])),
    ]
    signed = bencode([*head, encode(value["timestamp"]), section])
    return signed, b"l" + signed + bencode(encode(value["signature"])) + b"e"


def _hashed_id(value: Mapping[str, jsjson.Value]) -> str | None:
    """The id of a message of any shape by its hash. None if the log does not hold its bytes."""
    try:
        return _id_of(message_bytes(value)[1])
    except (KeyError, NoBytesError):
        return None


def _id_of(native: bytes) -> str:
    return f"ssb:message/{FORMAT}/{urlsafe_b64encode(sha256(native).digest()).decode()}"


def _check_bytes(
    value: Mapping[str, jsjson.Value], key: str | None, hmac_key: bytes | None
) -> Check:
    try:
        signed, native = message_bytes(value)
    except NoBytesError:
        return NOT_IN_LOG
    message_id = _id_of(native)
    if len(native) > MAX_BYTES:
        return Check(message_id, "invalid", "too_long")
    if key is not None and any_id(key) != message_id:
        return Check(message_id, "invalid", "id_mismatch")
    author, signature = value["author"], signature_bytes(value["signature"])
    author_key = id_bytes(author) if isinstance(author, str) else None
    if signature and author_key and _is_signed(signed, signature, author_key, hmac_key):
        return Check(message_id, "valid")
    return Check(message_id, "invalid", "signature_is_wrong")


def _shape_fault(value: Mapping[str, jsjson.Value]) -> str | None:
    if any(name not in value for name in MEMBERS):
        return "member_is_missing"
    sequence, previous = value["sequence"], value["previous"]
    if not (is_whole(sequence) and sequence >= 1):
        return "sequence_is_no_place"
    is_id = isinstance(previous, str) and message_format(previous) == FORMAT
    if not (previous is None if sequence == 1 else is_id):
        return "previous_is_malformed"
    timestamp = value["timestamp"]
    if not (is_whole(timestamp) and timestamp >= 0):
        return "timestamp_is_no_time"
    content = value["content"]
    is_sealed = isinstance(content, str) and CIPHERTEXT.fullmatch(content) is not None
    # Where the signature has no bytes, the content has none either: it may be any JSON (go-metafeed).
    if signature_bytes(value["signature"]) is None:
        return "signature_is_malformed"
    # The reference takes any text beside a content signature for ciphertext.
    if not isinstance(content, str | dict):
        return "content_is_malformed"
    if is_sealed and "contentSignature" not in value:
        return None
    is_malformed = signature_bytes(value.get("contentSignature")) is None
    return "content_signature_is_malformed" if is_malformed else None


def is_content_signed(
    value: Mapping[str, jsjson.Value], feed: jsjson.Value, hmac_key: bytes | None
) -> bool:
    """Whether a feed made the content signature of a message over the content that the message has."""
    signature = signature_bytes(value.get("contentSignature"))
    if not isinstance(feed, str) or signature is None or feed_format(feed) is None:
        return False
    try:
        signed = _PREFIX + bencode(encode(value["content"]))
    except NoBytesError:
        return False
    key = id_bytes(feed)
    return key is not None and _is_signed(signed, signature, key, hmac_key)


def _subfeed(value: Mapping[str, jsjson.Value]) -> jsjson.Value:
    content = value["content"]
    return content.get("subfeed") if isinstance(content, dict) else None


def _is_signed(message: bytes, signature: bytes, key: bytes, hmac_key: bytes | None) -> bool:
    if hmac_key is not None:
        message = hmac.digest(hmac_key, message, "sha512")[:32]
    try:
        crypto_sign_open(signature + message, key)
    except (BadSignatureError, ValueError):
        return False
    return True


def is_announce_signed(content: jsjson.Value) -> bool:
    """Whether the metafeed in a ``metafeed/announce`` has signed it, too. True for any other content.

    The signature is ssb-keys' ``signObj``: over the indented JSON of the content without it.
    """
    if not isinstance(content, dict) or content.get("type") != "metafeed/announce":
        return True
    metafeed, signature = content.get("metafeed"), signature_bytes(content.get("signature"))
    key = id_bytes(metafeed) if isinstance(metafeed, str) and feed_format(metafeed) else None
    if key is None or signature is None:
        return False
    unsigned = {name: part for name, part in content.items() if name != "signature"}
    try:
        text = jsjson.stringify(unsigned, indent=2)
    except ValueError:
        return False
    return _is_signed(text.encode(), signature, key, None)


def root_metafeed_seed(seed: bytes) -> bytes:
    """The Ed25519 seed of the root metafeed that a person's ``metafeed/seed`` derives (HKDF, RFC 5869).

    >>> root_metafeed_seed(bytes(32)).hex()[:8]
    '4bb20f86'
    """
    extracted = hmac.digest(b"ssb", seed, "sha256")
    return hmac.digest(extracted, b"ssb-meta-feed-seed-v1:metafeed\x01", "sha256")


def root_metafeed(seed: bytes) -> str:
    """The id of the root metafeed that a seed derives. Whoever knows the seed owns it.

    >>> root_metafeed(bytes(32))
    'ssb:feed/bendybutt-v1/jKvZcTEW2MPdiRadH5sd9_5IEGnIFvlE6h7ANLjkMcg='
    """
    public, _ = crypto_sign_seed_keypair(root_metafeed_seed(seed))
    return f"ssb:feed/{FORMAT}/{urlsafe_b64encode(public).decode()}"


def _id(value: jsjson.Value) -> jsjson.Value:
    """An author or a previous, in the spelling that has bytes."""
    return any_id(value) or value if isinstance(value, str) else value
