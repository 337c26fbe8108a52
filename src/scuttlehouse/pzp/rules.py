"""The rules of a pzp message (msg-v4) by itself, as the reference validator judges them.

Rules that need other messages are checked elsewhere: whether the device belongs to the account, whether the
previous messages are in the tangle, and whether the depth is one more than theirs.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeGuard

from nacl.bindings import crypto_sign_open
from nacl.exceptions import BadSignatureError

from scuttlehouse.pzp.canonical import HASH_BYTES, canonical, from_base58, hash_text, utf16_units

KEY_BYTES = 32
SIGNATURE_BYTES = 64
SIGNATURE_TAG = b":msg-v4:"

# The metadata has this in place of an account's id if the message makes the account.
SELF = "self"

# The metadata has this in place of an account's id if anybody may write the message.
ANYBODY = "any"

# The domains of sets begin with it.
SET_DOMAIN = "set_v1__"

# How the URI of a message begins. Before 2024 the software was called ppppp.
_URIS = ("pzp:", "ppppp:")

# In the order in which the rules are checked. The seed reject_reasons says what they mean.
REASONS = (
    "version_is_not_4",
    "id_differs",
    "members_missing",
    "sigkey_is_no_key",
    "data_is_malformed",
    "data_size_is_malformed",
    "data_hash_differs",
    "data_size_differs",
    "domain_is_malformed",
    "account_is_no_text",
    "account_tips_are_malformed",
    "tangles_are_malformed",
    "depth_is_malformed",
    "previous_is_malformed",
    "previous_is_out_of_order",
    "signature_is_malformed",
    "signature_is_wrong",
    "not_in_its_feed",
    "ciphertext_not_in_log",
)

_MESSAGE_MEMBERS = frozenset({"data", "sigkey", "sig"})
_METADATA_MEMBERS = frozenset(
    {"dataHash", "dataSize", "account", "accountTips", "tangles", "domain", "v"}
)
# More than an id and the longest valid domain.
_MAX_REMEMBERED = 200
_DOMAIN = re.compile("[A-Za-z0-9_]{3,100}")


def moot_id(account_id: str, domain: str) -> str:
    """The id of the moot of an account's feed. It depends only on the account and the domain.

    Raises:
        ValueError: a text has half of a surrogate pair.

    >>> moot_id("5PLkHJgAmw5hxF4uuFtfwMvbobobeSVrKuZN4s5f2ZJ2", "set_v1__follows")
    '2MDaYySX4HbJkRaSnftUnrc2rETCJZAb9vqEbJ5qDiTp'
    """
    is_short = len(account_id) + len(domain) <= _MAX_REMEMBERED
    return (_short_moot_id if is_short else _moot_id)(account_id, domain)


def _moot_id(account_id: str, domain: str) -> str:
    metadata: dict[str, Any] = {
        "dataHash": None,
        "dataSize": 0,
        "account": account_id,
        "accountTips": None,
        "tangles": {},
        "domain": domain,
        "v": 4,
    }
    return hash_text(canonical(metadata))


# The messages of a feed ask for the same one. Texts of a megabyte would fill the memory.
_short_moot_id = lru_cache(1024)(_moot_id)


def feed_tangle_id(metadata: dict[str, Any]) -> str | None:
    """The id of the feed that a message with this metadata may be in. None if there is none.

    >>> feed_tangle_id({"account": "self", "domain": "account__person"}) is None
    True
    """
    account, domain = metadata.get("account"), metadata.get("domain")
    if not (isinstance(account, str) and isinstance(domain, str)) or account == SELF:
        return None
    try:
        return moot_id(account, domain)
    except ValueError:
        return None


def is_moot(message: dict[str, Any]) -> bool:
    """Whether a message (an object with an object ``metadata``) is the root of a feed.

    Everybody can compute a moot: it has no data, and its metadata has nothing of its own.

    >>> is_moot({"data": None, "metadata": {"account": "self", "tangles": {}}})
    False
    """
    metadata = message["metadata"]
    if message.get("data") is not None:
        return False
    feed_id = feed_tangle_id(metadata)
    try:
        return feed_id == hash_text(canonical(metadata))
    except ValueError:
        return False


def is_signed_moot(moot: dict[str, Any]) -> bool:
    """Whether the signature of a moot (:func:`is_moot`) is that of its sigkey.

    >>> is_signed_moot({"metadata": {}, "sigkey": "", "sig": ""})
    False
    """
    key, signed = from_base58(moot.get("sigkey"), KEY_BYTES), canonical(moot["metadata"])
    return key is not None and _signature_fault(moot.get("sig"), key, signed) is None


def depth_fits(depth: int, previous_ids: Sequence[str], depths: Mapping[str, int]) -> bool | None:
    """Whether the depth of a message fits those that it lists, as in the reference (``validateTangle``).

    It is greater than each of theirs, and one more than the greatest if all that it lists are in the tangle.
    ``depths`` has the messages in the tangle. None if the message lists none of these. O(messages listed).

    >>> depths = {"moot": 0, "m1": 1}
    >>> depth_fits(2, ["m1"], depths), depth_fits(3, ["m1"], depths), depth_fits(3, ["m1", "lost"], depths)
    (True, False, True)
    >>> depth_fits(3, ["lost"], depths) is None
    True
    """
    known = [depths[previous] for previous in previous_ids if previous in depths]
    if not known:
        return None
    is_whole = len(known) == len(previous_ids)
    return max(known) < depth and (not is_whole or max(known) == depth - 1)


def is_of_a_set(metadata: dict[str, Any]) -> bool:
    """Whether the domain is that of a set and the account is another's, as in all messages of sets.

    >>> is_of_a_set({"domain": "set_v1__follows", "account": "a"}), is_of_a_set({"domain": "post"})
    (True, False)
    """
    domain = metadata.get("domain")
    is_domain = isinstance(domain, str) and domain.startswith(SET_DOMAIN)
    return is_domain and metadata.get("account") != SELF


def invalid_reason(message_id: str, message: dict[str, Any]) -> str | None:
    """The first of ``REASONS`` that makes a message invalid by itself. None for a valid message.

    ``message`` is an object with an object ``metadata``, from :func:`scuttlehouse.files.jsjson.parse`. A
    moot is valid whatever its signature is, and if nobody signed it: anybody can sign one, so the signature
    means nothing. A valid message of a set is in the tangle of its feed: outside it the reference never
    reads it as one. No rule forbids a message in a tangle of its own id, because the id is the hash of the
    text that would have to name it. Never raises.

    Complexity: O(n log n) in the length of the message.

    >>> invalid_reason("a", {"metadata": {}})
    'id_differs'
    """
    metadata = message["metadata"]
    # Other versions have other ids: that of msg-v3 is 16 bytes of BLAKE3. Nothing tells that it is wrong.
    if metadata.get("v", 4) != 4:
        return "version_is_not_4"
    try:
        signed = canonical(metadata)
    except ValueError:
        return "id_differs"
    if message_id != hash_text(signed):
        return "id_differs"
    if not (message.keys() >= _MESSAGE_MEMBERS and metadata.keys() >= _METADATA_MEMBERS):
        return "members_missing"
    sigkey, signature = message["sigkey"], message["sig"]
    is_any_signature = isinstance(signature, str) and is_moot(message)
    key = from_base58(sigkey, KEY_BYTES)
    if key is None and not (is_any_signature and sigkey == ""):
        return "sigkey_is_no_key"
    reason = (
        _data_fault(message["data"], metadata)
        or _account_fault(metadata)
        or _tangles_fault(metadata["tangles"])
    )
    if reason is not None or key is None or is_any_signature:
        return reason
    return _signature_fault(signature, key, signed) or _feed_fault(message)


def safe_integer(number: object) -> int | None:
    """The number, if JavaScript calls it a safe integer; otherwise None.

    >>> safe_integer(3.0), safe_integer(1.5), safe_integer(2.0**53), safe_integer(1e400)
    (3, None, None, None)
    """
    if isinstance(number, float) and number.is_integer() and abs(number) < 2**53:
        return int(number)
    return None


def is_texts(value: object) -> TypeGuard[list[str]]:
    """Whether a value is a list that holds only texts."""
    return isinstance(value, list) and all(isinstance(item, str) for item in value)


def _data_fault(data: object, metadata: dict[str, Any]) -> str | None:
    if not (data is None or isinstance(data, dict | str)):
        return "data_is_malformed"
    size = safe_integer(metadata["dataSize"])
    if size is None or size < 0:
        return "data_size_is_malformed"
    if data is None:
        return None
    try:
        text = canonical(data)
    except ValueError:
        return "data_hash_differs"
    if metadata["dataHash"] != hash_text(text):
        return "data_hash_differs"
    return None if size == len(text) else "data_size_differs"


def _account_fault(metadata: dict[str, Any]) -> str | None:
    domain, account, tips = metadata["domain"], metadata["account"], metadata["accountTips"]
    if not (isinstance(domain, str) and _DOMAIN.fullmatch(domain)):
        return "domain_is_malformed"
    if not isinstance(account, str):
        return "account_is_no_text"
    if not (tips is None or (is_texts(tips) and account != SELF)):
        return "account_tips_are_malformed"
    return None


def _tangles_fault(tangles: object) -> str | None:
    if not isinstance(tangles, dict):
        return "tangles_are_malformed"
    for tangle_id, tangle in tangles.items():
        if from_base58(tangle_id, HASH_BYTES) is None or not isinstance(tangle, dict):
            return "tangles_are_malformed"
        depth, previous = safe_integer(tangle.get("depth")), tangle.get("prev")
        if depth is None or depth < 1:
            return "depth_is_malformed"
        if not (is_texts(previous) and previous) or any(p.startswith(_URIS) for p in previous):
            return "previous_is_malformed"
        if previous != sorted(set(previous), key=utf16_units):
            return "previous_is_out_of_order"
    return None


def _feed_fault(message: dict[str, Any]) -> str | None:
    metadata = message["metadata"]
    if not is_of_a_set(metadata) or feed_tangle_id(metadata) in metadata["tangles"]:
        return None
    return "not_in_its_feed"


def _signature_fault(signature_text: object, key: bytes, signed: bytes) -> str | None:
    signature = from_base58(signature_text, SIGNATURE_BYTES)
    if signature is None:
        return "signature_is_malformed"
    try:
        crypto_sign_open(signature + SIGNATURE_TAG + signed, key)
    except BadSignatureError:
        return "signature_is_wrong"
    return None
