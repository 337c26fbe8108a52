"""Read one line of a log into the columns of ``stg_ssb__landed_lines``, and check its message.

Only this module sees what a message says. It passes on what :mod:`scuttlehouse.ssb.kept_content` keeps of the
content: no other text, no seed and no key. The validity of the message by itself is also found here, because
the exact text is needed for it (rulings R3 and R29).
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from scuttlehouse.files.json_lines import finite_number, has_word, line_object, received_time
from scuttlehouse.files.parts import Line
from scuttlehouse.ssb.claims import is_announcement_signed, plaintext_hash, proven_owner
from scuttlehouse.ssb.epoch_keys import WITH_EPOCH_KEY, KeyRing, message_key, spelled_bytes
from scuttlehouse.ssb.group_ids import made_group_id
from scuttlehouse.ssb.ids import feed_format, feed_of_message, message_uri
from scuttlehouse.ssb.judging import has_key
from scuttlehouse.ssb.kept_content import MOST_KEPT, kept_content, whole_number
from scuttlehouse.ssb.legacy_names import content_type, with_root
from scuttlehouse.ssb.messages import UnkeyedMessage, checked_message, unkeyed_message
from scuttlehouse.ssb.nulls import without_nulls
from scuttlehouse.ssb.opened import is_sealed, unbox_key
from scuttlehouse.ssb.restored import with_content_read
from scuttlehouse.ssb.texts import kept_id, kept_word
from scuttlehouse.ssb.validation import previous_text

# Every line with such a message has these bytes, and most other lines do not. Names may be escaped.
KEY_WORDS = (b"secret", b"groupKey", b"\\u")

# The seed reject_reasons says what they mean.
REJECT_REASONS = (
    "cut_short",
    "damaged",
    "zero_bytes",
    "too_long",
    "too_short",
    "not_utf8",
    "empty_line",
    "not_json",
    "too_deep",
    "not_a_message",
    "id_is_unknown",
)


class LandedLine(NamedTuple):
    """A row of ``stg_ssb__landed_lines``.

    In a rejected line, all fields but the first three and the last two are null; ``line_hash`` may be null.

    ``asserted_ms`` and ``received_ms`` are milliseconds since 1970, null if the log has no number.
    ``asserted_ms`` has the fraction that was signed, if an exporter cut it off. A ``received_ms`` of 0 or
    less is null.
    ``sequence`` is null if it is not a whole number of at most 2^53. ``content`` is the kept members as JSON
    text, null if nobody opened the message; a line whose kept members are longer than ``MOST_KEPT`` is a
    reject, ``too_long``. ``key_hash`` replaces the key of the epoch that the message makes, adds people to,
    or announces a feed for. ``plaintext_hash`` is a hash of everything in the message that no signature
    covers; the order of members, members that are null, the spelling of ids and halves of surrogate pairs
    that software has replaced do not matter (ruling R36).
    ``is_announcement_signed``: whether both feeds have signed the announcement of a feed (ruling R37); null
    in all other messages. ``owner_id`` is the root metafeed of a seed in an opened message: only its owner's
    log has the seed. A seed that anybody can read proves nothing.
    ``has_claimed_id``: whether the message is invalid, and what the line holds has another hash than this id,
    or none. Anybody can write such a line under any id.
    ``line_hash``, ``line_count``: see :mod:`scuttlehouse.landing.rejects`.
    """

    source_file: str
    line_number: int
    reject_reason: str | None = None
    message_id: str | None = None
    feed_id: str | None = None
    feed_format: str | None = None
    sequence: int | None = None
    previous_id: str | None = None
    content_type: str | None = None
    asserted_ms: float | None = None
    received_ms: float | None = None
    is_private: bool | None = None
    is_decrypted: bool | None = None
    content: str | None = None
    key_hash: str | None = None
    plaintext_hash: str | None = None
    is_announcement_signed: bool | None = None
    made_group_id: str | None = None
    owner_id: str | None = None
    validity: str | None = None
    invalid_reason: str | None = None
    warning: str | None = None
    has_claimed_id: bool | None = None
    line_hash: str | None = None
    line_count: int = 1


def land_line(
    source_file: str,
    line: Line,
    ring: KeyRing,
    network_key: bytes | None = None,
    parsed: dict[str, Any] | str | None = None,
) -> LandedLine | None:
    """Turn a line into its row. A line that is not a message becomes a row with a reason.

    None for a line of pzp; :func:`scuttlehouse.pzp.lines.land_pzp_line` turns it into a row.
    ``parsed`` is what :func:`scuttlehouse.files.json_lines.line_object` said of the line, if it was asked.

    Never raises, for any line. O(length of the line).

    >>> ring = KeyRing(b"pepper")
    >>> land_line("a.jsonl", Line(7, b"[1, 2]", None), ring).reject_reason
    'not_a_message'
    """
    message = checked_message(
        unkeyed_message(line_object(line) if parsed is None else parsed), network_key
    )
    if message is None:
        return None
    if isinstance(message, str):
        return LandedLine(source_file, line.line_number, message)
    key, value, received, opened, (check, is_decrypted, signed) = message
    # An exporter may have written the content as text, or in the columns of a table.
    content = (with_content_read(value) if is_decrypted else signed)["content"]
    content = with_root(without_nulls(content) if is_decrypted else content)
    is_encrypted = is_sealed(signed)
    secret, kind = message_key(content), content_type(content)
    kind = None if kind is None else kept_word(kind, ring)
    kept = kept_content(content, kind, is_decrypted, ring) if isinstance(content, dict) else None
    kept_text = None if kept is None else json.dumps(kept)
    if kept_text is not None and len(kept_text) > MOST_KEPT:
        return LandedLine(source_file, line.line_number, "too_long")
    # Software may have written null as a text.
    previous = (value if check.validity == "invalid" else signed).get("previous")
    return LandedLine(
        source_file=source_file,
        line_number=line.line_number,
        message_id=message_uri(key),
        feed_id=kept_id(feed_of_message(value["author"], value.get("parent")), ring),
        feed_format=feed_format(value["author"]),
        sequence=whole_number(value["sequence"]),
        previous_id=None if previous is None else kept_id(previous_text(previous) or "", ring),
        content_type=kind,
        asserted_ms=finite_number(signed.get("timestamp")),
        received_ms=received_time(received),
        is_private=is_decrypted or is_encrypted,
        is_decrypted=is_decrypted,
        content=kept_text,
        key_hash=ring.hash(secret) if secret else None,
        plaintext_hash=plaintext_hash(content, kept, secret, ring)
        if is_decrypted or (check.validity == "not_checked" and not is_encrypted)
        else None,
        is_announcement_signed=is_announcement_signed(
            content, value["author"], check, is_decrypted=is_decrypted
        ),
        # Anybody can write a ciphertext that nobody has signed, and a key that opens it.
        made_group_id=made_group_id(
            key, signed, opened.ciphertext, secret, spelled_bytes(unbox_key(value))
        )
        if kind == "group/init" and check.validity == "valid"
        else None,
        owner_id=proven_owner(content) if is_decrypted and check.validity != "invalid" else None,
        validity=check.validity,
        invalid_reason=check.invalid_reason,
        warning=check.warning,
        has_claimed_id=check.validity == "invalid" and not has_key(check, key),
    )


def epoch_key(line: Line, parsed: dict[str, Any] | str | None = None) -> bytes | None:
    """The key of an epoch, from the message of a line that makes it or adds people. None for other lines.

    >>> epoch_key(Line(1, b'{"key": "%a"}', None)) is None
    True
    """
    if not has_word(line, KEY_WORDS):
        return None
    found = unkeyed_message(line_object(line) if parsed is None else parsed)
    if not isinstance(found, UnkeyedMessage):
        return None
    content = with_content_read(found.value)["content"]
    return message_key(content) if content_type(content) in WITH_EPOCH_KEY else None
