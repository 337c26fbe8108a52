"""Read one line of pzp, the second source, into ``stg_pzp__landed_lines``, and check its message.

A message of pzp belongs to an account, and devices sign for it. It is in the tangle of its account, if it
adds or removes a device's key, or in the tangle of a feed, which is one domain of one account. A feed begins
with a *moot*, a message without content that everybody can compute. Sets are feeds with messages that add
and delete items. Of the content, this module passes on only what :mod:`scuttlehouse.pzp.kept_content` keeps.

A line is a record (:mod:`scuttlehouse.pzp.records`). The hashes prove what a text was whose UTF-8 software
has read in a code page (:mod:`scuttlehouse.ssb.code_pages`), which members were null if an encoder
has left them out, and which numbers, data or metadata software has written as texts or objects.
"""

from __future__ import annotations

import json
from itertools import chain
from typing import Any, NamedTuple

from scuttlehouse.files.json_lines import has_word, line_object, received_time
from scuttlehouse.files.parts import MAX_LINE_BYTES, Line
from scuttlehouse.pzp.checked import CheckedRecord, checked_record
from scuttlehouse.pzp.kept_content import gives_power, key_of, public_key, set_message
from scuttlehouse.pzp.records import (
    is_pzp,
    with_data_read,
    with_metadata_read,
    with_nulls,
    with_numbers_read,
    without_nulls_of_tables,
)
from scuttlehouse.pzp.rules import (
    ANYBODY,
    SELF,
    SET_DOMAIN,
    feed_tangle_id,
    is_moot,
    is_of_a_set,
    is_signed_moot,
    is_texts,
    safe_integer,
)
from scuttlehouse.ssb.claims import compared_bytes
from scuttlehouse.ssb.code_pages import in_utf_8
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.nulls import without_nulls
from scuttlehouse.ssb.numbers import number_of
from scuttlehouse.ssb.rewritten_texts import undone_in_texts
from scuttlehouse.ssb.texts import kept_pzp_id, kept_word

# Messages have no limit of their own. What a row keeps of one is no longer than a line may be: the token of
# the shortest text takes ten times as much.
MOST_KEPT = MAX_LINE_BYTES

# Every line of this source has one of these, and most other lines have none. A name may be escaped.
PZP_WORDS = (b'"msg"', b'"metadata"', b"\\u")


class LandedPzpLine(NamedTuple):
    """A row of ``stg_pzp__landed_lines``.

    In a rejected line, all fields but the first three and the last two are null; ``line_hash`` may be null.
    A line whose lists are longer than ``MOST_KEPT`` together is a reject, ``too_long``.

    If a text should be an id and is not, or an item or a domain is neither a word nor an id, the row has its
    token (:mod:`scuttlehouse.ssb.texts`). The domain of a set keeps its beginning, ``SET_DOMAIN``. A member
    of another type is null.

    - ``account_id``: the account that the message speaks for. An account's own message is in the tangle of
      its account, which has the account's id. Null if the message is in several tangles, because then its
      account is unknown. ``any`` if anybody may write the message.
    - ``tangle_id``, ``depth``, ``previous_ids``: the tangle of the account or of the feed, and the message's
      place in it. Null if the message is in none. The root of a tangle has depth 0 and lists nothing.
    - ``device_key``: the public key that signed. Null if the sigkey is not a key, and in a moot whose
      signature is not that of the sigkey.
    - ``is_private``: whether the data was published as ciphertext: it is a text, or somebody has opened it.
    - ``is_erased``: whether somebody has removed the data and left its hash.
    - ``account_tips``: the tips of the account that the message names. Null if it names none.
    - ``added_key``, ``may_add``, ``may_remove``: the public key for signing that an account's message adds,
      and whether it gets the power to add others and to remove others; otherwise null.
    - ``removed_key``: the public key for signing that an account's message removes; otherwise null.
    - ``added_items``, ``deleted_items``, ``superseded_ids``: the content of a message of a set. Null in every
      other message. ``set_fault`` is one of ``SET_FAULTS`` if a message of a set's feed lacks this content;
      one line alone never has ``plaintexts_differ``.
    - ``plaintext_hash``: a keyed hash of the data if somebody has opened it, otherwise null. No signature
      covers opened data (ruling R36). Without its ciphertext, data counts only if another line holds that.
    - ``data_bytes``, ``line_bytes``: the length of the data as canonical JSON, as the message states it, and
      of the line without its end. Without a hash there is no data, whatever length the message states.
    - ``received_ms``: milliseconds since 1970. Null if the log has no finite number above 0.
    - ``validity``: ``valid``; ``invalid`` with one of ``REASONS``; or ``not_checked`` with the reason
      ``ciphertext_not_in_log``. With ``id_differs``, the ``message_id`` is only a claim: the message does not
      have this id. With ``version_is_not_4`` nobody can tell.
    - ``line_hash``, ``line_count``: see :mod:`scuttlehouse.landing.rejects`.
    """

    source_file: str
    line_number: int
    reject_reason: str | None = None
    message_id: str | None = None
    account_id: str | None = None
    domain: str | None = None
    tangle_id: str | None = None
    depth: int | None = None
    previous_ids: list[str] | None = None
    account_tips: list[str] | None = None
    device_key: str | None = None
    is_moot: bool | None = None
    is_account_message: bool | None = None
    is_private: bool | None = None
    is_erased: bool | None = None
    added_key: str | None = None
    may_add: bool | None = None
    may_remove: bool | None = None
    removed_key: str | None = None
    added_items: list[str] | None = None
    deleted_items: list[str] | None = None
    superseded_ids: list[str] | None = None
    set_fault: str | None = None
    plaintext_hash: str | None = None
    data_bytes: int | None = None
    line_bytes: int | None = None
    received_ms: float | None = None
    validity: str | None = None
    invalid_reason: str | None = None
    line_hash: str | None = None
    line_count: int = 1


def land_pzp_line(
    source_file: str, line: Line, ring: KeyRing, parsed: dict[str, Any] | str | None = None
) -> LandedPzpLine | None:
    """Turn a line into its row. None for a line of another source, even a broken one.

    ``parsed`` is what :func:`scuttlehouse.files.json_lines.line_object` said of the line, if it was asked.

    Never raises, for any line. O(n log n) in the length of the line.

    >>> ring = KeyRing(b"pepper")
    >>> land_pzp_line("a.jsonl", Line(7, b'{"key": "%a", "value": {}}', None), ring) is None
    True
    >>> land_pzp_line("a.jsonl", Line(7, b'{"msg": {}}', None), ring).reject_reason
    'not_a_message'
    """
    if not has_word(line, PZP_WORDS):
        return None
    parsed = line_object(line) if parsed is None else parsed
    if not is_pzp(parsed):
        return None
    parsed = with_metadata_read(parsed)
    read = checked_record(parsed)
    if read is None:
        return LandedPzpLine(source_file, line.line_number, "not_a_message")
    row = _row(source_file, line, ring, read)
    if row.validity in (None, "valid") and not read.is_opened:
        return row
    parsed, written = with_data_read(parsed), parsed
    if parsed is not written and (read := checked_record(parsed)) is not None:
        row = _row(source_file, line, ring, read)
    if row.validity in (None, "valid"):
        return row
    numbered = with_numbers_read(parsed)
    text = json.dumps(numbered, ensure_ascii=False)
    texts = chain(in_utf_8(text), undone_in_texts(text))
    recoded = (json.loads(text, parse_int=float) for text in texts)
    bare = without_nulls_of_tables(numbered)
    others = (bare, *with_nulls(bare)) if bare is not parsed else ()
    records = chain(with_nulls(parsed), others, recoded)
    for one in records:
        read = checked_record(one)
        # What nothing proves needs no row, with a token for each text.
        if read is None or read.validity == "invalid":
            continue
        other = _row(source_file, line, ring, read)
        if other.validity == "valid":
            return other
        if row.validity == "invalid":
            row = other
    return row


def _row(source_file: str, line: Line, ring: KeyRing, read: CheckedRecord) -> LandedPzpLine:
    record, message, metadata, message_id, is_opened, validity, reason = read
    data, sigkey = message.get("data"), message.get("sigkey")
    is_feed_root = is_moot(message)
    is_account_message = metadata.get("account") == SELF
    # What is not checked is a plaintext whose ciphertext another line may hold.
    is_plaintext = is_opened or validity == "not_checked"
    has_data = metadata.get("dataHash") is not None
    is_erased = data is None and has_data
    place = _place(message_id, metadata, is_feed_root, ring)
    has_lists = is_of_a_set(metadata) and not (is_feed_root or is_erased)
    set_content = set_message(data, is_opened, ring) if has_lists else None
    added, deleted, superseded = (
        set_content if isinstance(set_content, tuple) else (None, None, None)
    )
    account_tips = _ids(metadata.get("accountTips"), ring)
    texts = chain(*filter(None, (place.previous_ids, account_tips, added, deleted, superseded)))
    if sum(len(text) + len('"",') for text in texts) > MOST_KEPT:
        return LandedPzpLine(source_file, line.line_number, "too_long")
    added_key = key_of("add", data) if is_account_message else None
    return LandedPzpLine(
        source_file=source_file,
        line_number=line.line_number,
        message_id=kept_pzp_id(message_id, ring),
        account_id=_account_id(place.account_id, ring),
        domain=_domain(metadata.get("domain"), ring),
        tangle_id=_id(place.tangle_id, ring),
        depth=place.depth,
        previous_ids=place.previous_ids,
        account_tips=account_tips,
        device_key=None if is_feed_root and not is_signed_moot(message) else public_key(sigkey),
        is_moot=is_feed_root,
        is_account_message=is_account_message,
        is_private=is_plaintext or isinstance(data, str),
        is_erased=is_erased,
        added_key=added_key,
        may_add=gives_power("add", data) if added_key else None,
        may_remove=gives_power("del", data) if added_key else None,
        removed_key=key_of("del", data) if is_account_message else None,
        added_items=added,
        deleted_items=deleted,
        superseded_ids=superseded,
        set_fault=set_content if isinstance(set_content, str) else None,
        plaintext_hash=ring.hash(compared_bytes(without_nulls(data))) if is_plaintext else None,
        data_bytes=safe_integer(metadata.get("dataSize")) if has_data else 0,
        line_bytes=len(line.text or b""),
        received_ms=received_time(number_of(record.get("received"))),
        validity=validity,
        invalid_reason=reason,
    )


class _Place(NamedTuple):
    account_id: object
    tangle_id: object = None
    depth: int | None = None
    previous_ids: list[str] | None = None


def _place(message_id: str, metadata: dict[str, Any], is_moot: bool, ring: KeyRing) -> _Place:
    """The account that a message speaks for, and the message's place in the tangle of its account or feed."""
    account_id, tangles = metadata.get("account"), metadata.get("tangles")
    if is_moot or (account_id == SELF and tangles == {}):
        return _Place(account_id if is_moot else message_id, message_id, 0, [])
    if not isinstance(tangles, dict):
        tangles = {}
    tangle_id = feed_tangle_id(metadata)
    if account_id == SELF:
        account_id = tangle_id = next(iter(tangles)) if len(tangles) == 1 else None
    if tangle_id not in tangles:
        return _Place(account_id)
    tangle = tangles[tangle_id] if isinstance(tangles[tangle_id], dict) else {}
    depth, previous = safe_integer(tangle.get("depth")), _ids(tangle.get("prev"), ring)
    return _Place(account_id, tangle_id, depth, previous)


def _domain(value: object, ring: KeyRing) -> str | None:
    """The domain if it is a word, otherwise its token. The domain of a set keeps its beginning as it is."""
    if not isinstance(value, str):
        return None
    beginning = SET_DOMAIN if value.startswith(SET_DOMAIN) else ""
    return beginning + kept_word(value.removeprefix(beginning), ring)


def _id(value: object, ring: KeyRing) -> str | None:
    return kept_pzp_id(value, ring) if isinstance(value, str) else None


def _account_id(value: object, ring: KeyRing) -> str | None:
    return ANYBODY if value == ANYBODY else _id(value, ring)


def _ids(value: object, ring: KeyRing) -> list[str] | None:
    return [kept_pzp_id(text, ring) for text in value] if is_texts(value) else None
