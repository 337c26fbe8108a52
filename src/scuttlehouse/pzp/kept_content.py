"""What a row keeps of the data of a message: the items of sets, and the keys that accounts add or remove."""

from __future__ import annotations

from scuttlehouse.pzp.canonical import from_base58
from scuttlehouse.pzp.rules import KEY_BYTES, is_texts
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.texts import kept_item, kept_pzp_id

SET_FAULTS = {
    "not_opened": "The data is a text, as ciphertext is, and no log holds it opened.",
    "no_lists": "The data is not an object with the arrays add, del and supersedes.",
    "item_is_no_text": "An item of add, del or supersedes is not a text.",
    "plaintexts_differ": "Logs give different plaintexts of the message, and no plaintext is in more logs "
    "than each of the others, so none counts.",
}

# With these faults the message may have lists, and nobody knows them.
UNKNOWN_LISTS = ("not_opened", "plaintexts_differ")


def set_message(
    data: object, is_opened: bool, ring: KeyRing
) -> tuple[list[str], list[str], list[str]] | str:
    """The items added, the items deleted and the ids superseded in the data of a set; or a fault.

    >>> ring = KeyRing(b"pepper")
    >>> set_message({"add": ["a"], "del": [], "supersedes": []}, False, ring), set_message({}, False, ring)
    ((['a'], [], []), 'no_lists')
    """
    if isinstance(data, str) and not is_opened:
        return "not_opened"
    members = data if isinstance(data, dict) else {}
    added, deleted, superseded = members.get("add"), members.get("del"), members.get("supersedes")
    if not all(isinstance(items, list) for items in (added, deleted, superseded)):
        return "no_lists"
    if not (is_texts(added) and is_texts(deleted) and is_texts(superseded)):
        return "item_is_no_text"
    kept_added, kept_deleted = (
        [kept_item(item, ring) for item in items] for items in (added, deleted)
    )
    return kept_added, kept_deleted, [kept_pzp_id(one, ring) for one in superseded]


def key_of(action: str, data: object) -> str | None:
    """The public key for signing that an account's message adds or deletes."""
    key = data.get("key") if isinstance(data, dict) and data.get("action") == action else None
    if not isinstance(key, dict) or key.get("algorithm") != "ed25519":
        return None
    return public_key(key.get("bytes")) if key.get("purpose") in ("sig", "shs-and-sig") else None


def gives_power(power: str, data: object) -> bool:
    """Whether an account's message gives the key that it adds a power.

    >>> gives_power("del", {"powers": ["add"]}), gives_power("add", {"powers": ["add"]})
    (False, True)
    """
    powers = data.get("powers") if isinstance(data, dict) else None
    return isinstance(powers, list) and power in powers


def public_key(text: object) -> str | None:
    """The text if it is a public key for signing; otherwise None."""
    return text if isinstance(text, str) and from_base58(text, KEY_BYTES) is not None else None
