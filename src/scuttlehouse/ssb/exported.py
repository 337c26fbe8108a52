"""What exporters change in a value of the classic format, and how it is undone.

==========================================  ==========================================================
change                                      software
==========================================  ==========================================================
members in another order                    ``jq -S``, jsonb of PostgreSQL; go-ssb writes one of two orders;
                                            of the content alone: Go, which sorts the members of a map
members added                               exporters
``previous`` (null) or ``hash`` left out    encoders that leave out null: Swift, Kotlin, Go with omitempty
``previous`` (null) as a text               CSV, and what reads it
members of null added, or left out          tables, and such encoders (:mod:`scuttlehouse.ssb.nulls`)
``author`` and ``previous`` as URIs         the vectors of private-group-spec
the content as JSON in a text               databases with a column for it
a timestamp without its fraction            go-ssb-refs (``millisecs.go``), so all that go-ssb exports
numbers as texts, a time as a date          databases: BigQuery and ClickHouse write integers of 64 bits as
                                            texts, mongoexport as ``{"$numberLong": ...}``, and a column of
                                            times as dates (ISO 8601)
apostrophes written twice                   SQL, in which a dump writes texts so
entities of HTML in texts                   software that puts JSON into HTML or XML
backslashes written twice                   ``COPY`` of PostgreSQL, ``INTO OUTFILE`` of MySQL
UTF-8 that was read in a code page          PowerShell 5, which reads what other programs print in the code
                                            page of the console, and writes it as UTF-16 (``>``)
==========================================  ==========================================================

Nothing that is undone is believed: the key of the message proves it by its hash, or else the signature.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from functools import cache, partial
from hashlib import sha256
from itertools import chain
from typing import Any, NamedTuple, TypeAlias

from scuttlehouse.files import jsjson
from scuttlehouse.files.json_lines import finite_number
from scuttlehouse.ssb.checks import Check
from scuttlehouse.ssb.code_pages import in_code_pages, recoded
from scuttlehouse.ssb.ids import id_bytes, message_sigil
from scuttlehouse.ssb.nulls import without_nulls
from scuttlehouse.ssb.numbers import with_numbers
from scuttlehouse.ssb.restored import (
    may_be_json,
    with_content_read,
    with_sigils,
    with_what_is_left_out,
)
from scuttlehouse.ssb.rewritten_texts import undone_in_texts
from scuttlehouse.ssb.validation import MAX_LENGTH, MEMBER_ORDERS, check_value, hashed_bytes

# Faults that a value has if it is not in the order that was signed. A key that is right proves the order.
_FAULTS = frozenset({"members_out_of_order", "id_mismatch"})
_FAULTS_WITHOUT_KEY = _FAULTS | {"signature_is_wrong"}

# Software counts the messages of the same millisecond: monotonic-timestamp 0.0.8 adds n / 1000 to the time of
# the nth of them, and 0.0.9 adds n / (n + 1000). Real logs have up to 16.
_FRACTIONS = tuple(n / parts for n in range(1, 17) for parts in (1000, n + 1000))
# The year 2248. A double of this size still has thousandths.
_MOST_TIME = 2**43

# Each byte of UTF-8 has become a character, so the message may be too long.
_FAULTS_OF_TEXTS = _FAULTS_WITHOUT_KEY | {"too_long"}

_Texts: TypeAlias = Mapping[tuple[str, ...], str]

_BEFORE_TIME = '\n  "timestamp": '


class Form(NamedTuple):
    """A value that may be the signed one, and its check."""

    value: dict[str, Any]
    check: Check


def forms(value: dict[str, Any], key: str | None, hmac_key: bytes | None) -> Iterator[Form]:
    """The value as it is and, if that is not what was signed, as it may have been before an export.

    ``key`` is the id that the log gives the message. Without a key a fraction is not searched: the hash tells
    it at once, a signature only after as many checks.

    Complexity: O(length of the value). A wrong key costs up to 70 hashes, and as many for each code page in
    which the texts are UTF-8: the value is not written again for each of them.

    >>> [form.check.invalid_reason for form in forms({"author": "@nobody"}, None, None)]
    ['author_is_no_feed_id']
    """
    check = check_value(value, key=key, hmac_key=hmac_key)
    yield Form(value, check)
    if check.validity != "invalid":
        return
    texts = cache(partial(_texts_of_forms, value))
    for form in _other_forms(value, check, key, hmac_key, texts):
        yield form
        if form.check.validity != "invalid":
            return
        check = form.check
    reason = check.invalid_reason
    numbered, wanted = with_numbers(value), message_sigil(key or "")
    if numbered is not value:
        texts = cache(partial(_texts_of_forms, numbered))
        for form in _forms(numbered, key, hmac_key, texts):
            reason = form.check.invalid_reason
            is_proven = wanted is not None and form.check.message_key == wanted
            if form.check.validity == "valid" or is_proven:
                yield form
    whole = with_sigils(with_what_is_left_out(with_content_read(numbered)))
    if whole is not numbered:
        reason = check_value(whole, key=key, hmac_key=hmac_key).invalid_reason
    if reason not in _FAULTS_OF_TEXTS and not may_be_json(value.get("content")):
        return
    for other in chain(_rewritten(numbered), _value_in_utf_8(numbered, key, texts)):
        found = _forms(other, key, hmac_key, partial(_texts_of_forms, other))
        yield from (form for form in found if form.check.validity == "valid")


def _forms(
    value: dict[str, Any], key: str | None, hmac_key: bytes | None, texts: Callable[[], _Texts]
) -> Iterator[Form]:
    """The same without other characters. ``texts`` are those of the forms, written when they are needed."""
    check = check_value(value, key=key, hmac_key=hmac_key)
    yield Form(value, check)
    if check.validity == "invalid":
        yield from _other_forms(value, check, key, hmac_key, texts)


def _other_forms(
    value: dict[str, Any],
    check: Check,
    key: str | None,
    hmac_key: bytes | None,
    texts: Callable[[], _Texts],
) -> Iterator[Form]:
    """The same without the value as it is, whose check finds it invalid."""
    read = with_content_read(value)
    restored = read if read is not value else with_what_is_left_out(value)
    if restored is not value:
        found = _forms(restored, key, hmac_key, texts)
        yield from (form for form in found if form.check.validity == "valid")
        return
    spelled = with_sigils(value)
    faults = _FAULTS if key else _FAULTS_WITHOUT_KEY
    if spelled is value and check.invalid_reason not in faults:
        return
    mismatched = [value] if spelled is value and check.invalid_reason == "id_mismatch" else []
    for order in MEMBER_ORDERS:
        is_as_it_is = spelled is value and list(value) == order
        if not is_as_it_is and spelled.keys() >= set(order):
            ordered = {name: spelled[name] for name in order}
            check = check_value(ordered, key=key, hmac_key=hmac_key)
            yield Form(ordered, check)
            if check.invalid_reason == "id_mismatch":
                mismatched.append(ordered)
    if key is None:
        return
    times = _times(value.get("timestamp"))
    for form in mismatched if times else []:
        time = _signed_time(texts().get(tuple(form), ""), times, id_bytes(key))
        if time is not None:
            whole = {**form, "timestamp": time}
            yield Form(whole, check_value(whole, key=key, hmac_key=hmac_key))


def _value_in_utf_8(
    value: dict[str, Any], key: str | None, texts: Callable[[], _Texts]
) -> Iterator[dict[str, Any]]:
    """The value as it may have been in UTF-8. With a key, only if one of its forms has the key."""
    content = value.get("content")
    if isinstance(content, str) and content.isascii():
        # Python writes each character beyond ASCII as an escape, also one that was read in a code page.
        value = with_content_read(value)
        content = value["content"]
    found = [*in_code_pages(json.dumps(value, ensure_ascii=False))]
    # Where a text has such characters, what an escape in it stands for has not been read in a code page.
    is_known = key is not None and not (isinstance(content, str) and "\\u" in content)
    short = [*filter(_may_be_signed, texts().values())] if found and is_known else []
    for code_page, read in found:
        if not is_known or any(_has_key(text, code_page, value, str(key)) for text in short):
            yield json.loads(read, parse_int=float)


def _may_be_signed(text: str) -> bool:
    """Whether a text may be short enough for a message: characters of ASCII stay as they are in UTF-8."""
    return len(text.encode("ascii", "ignore")) <= MAX_LENGTH


def _texts_of_forms(value: dict[str, Any]) -> _Texts:
    """The texts of all that :func:`_forms` may check of a value, by the order of their members."""
    restored = value
    while (read := with_content_read(restored)) is not restored:
        restored = read
    spelled = with_sigils(with_what_is_left_out(restored))
    ordered = [
        {name: spelled[name] for name in order}
        for order in MEMBER_ORDERS
        if spelled.keys() >= set(order)
    ]
    with suppress(jsjson.TooDeepError, jsjson.TooLongError):
        return {tuple(form): jsjson.stringify(form, indent=2) for form in ordered}
    return {}


def _has_key(text: str, code_page: str, value: dict[str, Any], key: str) -> bool:
    """Whether a text is that of a classic message with this key, if it was read in a code page."""
    read = recoded(text, code_page)
    units, wanted = hashed_bytes(read), id_bytes(key)
    if len(units) > MAX_LENGTH:
        return False
    if sha256(units).digest() == wanted:
        return True
    return _signed_time(read, _times(value.get("timestamp")), wanted) is not None


def _rewritten(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The value as it may have been before software wrote its content in another way.

    Who wrote it, and its place in the feed, are what the line says.

    Complexity: O(length of the value).
    """
    content = with_content_read(value).get("content")
    bare = without_nulls(content)
    if bare is not content:
        yield {**value, "content": bare}
    # Software may have written the text that a content is, or the texts in it.
    contents = (json.dumps(part, ensure_ascii=False) for part in (value.get("content"), content))
    for undone in chain.from_iterable(map(undone_in_texts, dict.fromkeys(contents))):
        yield {**value, "content": json.loads(undone, parse_int=float)}


def _times(timestamp: object) -> dict[bytes, float]:
    """The times that a timestamp may have had before its fraction was cut off, by their JSON."""
    number = finite_number(timestamp)
    if number is None or not 1 <= number < _MOST_TIME or not number.is_integer():
        return {}
    # Python writes such a number as JavaScript does, and faster than jsjson.
    return {repr(time).encode(): time for time in (number + fraction for fraction in _FRACTIONS)}


def _signed_time(text: str, times: dict[bytes, float], wanted: bytes | None) -> float | None:
    """The one of the times with which the text of a message has this hash. None if none is."""
    before, _, after = text.partition(_BEFORE_TIME)
    if "," not in after:
        return None
    head, tail = hashed_bytes(before + _BEFORE_TIME), hashed_bytes(after[after.index(",") :])
    for shown, time in times.items():
        if sha256(head + shown + tail).digest() == wanted:
            return time
    return None
