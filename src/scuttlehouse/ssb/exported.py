"""What exporters change in a value of the classic format, and how it is undone.

==========================================  ==========================================================
change                                      software
==========================================  ==========================================================
members in another order                    ``jq -S``, jsonb of PostgreSQL; go-ssb writes one of two orders
members added                               exporters
``previous`` (null) or ``hash`` left out    encoders that leave out null: Swift, Kotlin, Go with omitempty
``author`` and ``previous`` as URIs         the vectors of private-group-spec
the content as JSON in a text               databases with a column for it
a timestamp without its fraction            go-ssb-refs (``millisecs.go``), so all that go-ssb exports
UTF-8 that was read in a code page          PowerShell 5, which reads what other programs print in the code
                                            page of the console, and writes it as UTF-16 (``>``)
==========================================  ==========================================================

Nothing that is undone is believed: the key of the message proves it by its hash, or else the signature.
"""

from __future__ import annotations

import codecs
import json
import re
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from typing import Any, NamedTuple

from scuttlehouse.files import jsjson
from scuttlehouse.files.json_lines import finite_number
from scuttlehouse.ssb.ids import feed_format, feed_id, id_bytes, message_format, message_sigil
from scuttlehouse.ssb.validation import MAX_LENGTH, MEMBER_ORDERS, Check, check_value, hashed_bytes

# Faults that a value has if it is not in the order that was signed. A key that is right proves the order.
_FAULTS = frozenset({"members_out_of_order", "id_mismatch"})
_FAULTS_WITHOUT_KEY = _FAULTS | {"signature_is_wrong"}

# Encoders that leave out null leave out the previous of a first message. All messages have this hash.
_LEFT_OUT = {"previous": None, "hash": "sha256"}

# Software counts the messages of the same millisecond: monotonic-timestamp 0.0.8 adds n / 1000 to the time of
# the nth of them, and 0.0.9 adds n / (n + 1000). Real logs have up to 16.
_FRACTIONS = tuple(n / parts for n in range(1, 17) for parts in (1000, n + 1000))
# The year 2248. A double of this size still has thousandths.
_MOST_TIME = 2**43

# The code pages of consoles that have a character for each byte, so that nothing is lost, and of windows.
_CODE_PAGES = (
    *(
        "cp437",
        "cp850",
        "cp852",
        "cp866",
        "cp858",
        "cp737",
        "cp775",
        "cp857",
        "cp860",
        "cp862",
        "cp865",
    ),
    *("cp1252", "cp1250", "cp1251", "cp1253", "cp1254", "cp1257"),
)
# A message has at most 8192 units of UTF-16, each of up to three bytes.
_MOST_CHARACTERS = 4 * MAX_LENGTH
_SINGLE = re.compile(r"(?<![^\x00-\x7f])[^\x00-\x7f](?![^\x00-\x7f])")
# Windows has a control character for a byte that its code page leaves out.
_BYTE = "scuttlehouse.byte"
# Each byte of UTF-8 has become a character, so the message may be too long.
_FAULTS_OF_TEXTS = _FAULTS_WITHOUT_KEY | {"too_long"}

_BEFORE_TIME = '\n  "timestamp": '


def _byte(error: UnicodeError) -> tuple[bytes, int]:
    assert isinstance(error, UnicodeEncodeError)
    code = ord(error.object[error.start])
    if not 0x80 <= code < 0xA0:
        raise error
    return bytes([code]), error.start + 1


codecs.register_error(_BYTE, _byte)


class Form(NamedTuple):
    """A value that may be the signed one, and its check."""

    value: dict[str, Any]
    check: Check


def forms(value: dict[str, Any], key: str | None, hmac_key: bytes | None) -> Iterator[Form]:
    """The value as it is and, if that is not what was signed, as it may have been before an export.

    ``key`` is the id that the log gives the message. Without a key a fraction is not searched: the hash tells
    it at once, a signature only after as many checks.

    Complexity: O(length of the value). A wrong key costs up to 60 hashes, and as many for each code page in
    which the texts are UTF-8.

    >>> [form.check.invalid_reason for form in forms({"author": "@nobody"}, None, None)]
    ['author_is_no_feed_id']
    """
    reason = None
    for form in _forms(value, key, hmac_key):
        yield form
        if form.check.validity != "invalid":
            return
        reason = form.check.invalid_reason
    for recoded in _value_in_utf_8(value) if reason in _FAULTS_OF_TEXTS else ():
        found = _forms(recoded, key, hmac_key)
        yield from (form for form in found if form.check.validity == "valid")


def _forms(value: dict[str, Any], key: str | None, hmac_key: bytes | None) -> Iterator[Form]:
    """The same without other characters."""
    check = check_value(value, key=key, hmac_key=hmac_key)
    yield Form(value, check)
    if check.validity != "invalid":
        return
    read = with_content_read(value)
    restored = read if read is not value else _with_what_is_left_out(value)
    if restored is not value:
        found = _forms(restored, key, hmac_key)
        yield from (form for form in found if form.check.validity == "valid")
        return
    spelled = with_sigils(value)
    is_respelled = spelled is not value and check.invalid_reason == "author_is_no_feed_id"
    if not is_respelled and check.invalid_reason not in (_FAULTS if key else _FAULTS_WITHOUT_KEY):
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
    if key is None or message_format(key) != "classic":
        return
    times = _times(value.get("timestamp"))
    for form in mismatched if times else []:
        if (time := _signed_time(form, times, key)) is not None:
            whole = {**form, "timestamp": time}
            yield Form(whole, check_value(whole, key=key, hmac_key=hmac_key))


def in_utf_8(text: str) -> Iterator[str]:
    """The texts that a text may have been, if software has read its UTF-8 in a code page. None comes twice.

    Complexity: O(length of the text).

    >>> [*in_utf_8("\u251c\u2310")], [*in_utf_8("\xe9")], [*in_utf_8("a")]
    (['\xe9'], [], [])
    """
    # UTF-8 has no single byte that is not ASCII.
    if text.isascii() or len(text) > _MOST_CHARACTERS or _SINGLE.search(text):
        return
    seen: set[str] = set()
    for code_page in _CODE_PAGES:
        with suppress(UnicodeError):
            recoded = text.encode(code_page, _BYTE).decode("utf-8")
            if recoded not in seen:
                seen.add(recoded)
                yield recoded


def _value_in_utf_8(value: dict[str, Any]) -> Iterator[dict[str, Any]]:
    text = json.dumps(value, ensure_ascii=False)
    return (json.loads(recoded, parse_int=float) for recoded in in_utf_8(text))


def with_content_read(value: dict[str, Any]) -> dict[str, Any]:
    """The value with what its content is the JSON of, an object or a text. The same object if it is neither.

    Complexity: O(length of the content).

    >>> with_content_read({"content": '{"type": "post"}'}), with_content_read({"content": "AAAA.box"})
    ({'content': {'type': 'post'}}, {'content': 'AAAA.box'})
    """
    content = value.get("content")
    if not isinstance(content, str) or not content.startswith(("{", '"')):
        return value
    try:
        return {**value, "content": jsjson.parse(content)}
    except ValueError:
        return value


def _with_what_is_left_out(value: dict[str, Any]) -> dict[str, Any]:
    """The value with the members that say the same in every first message. The same object if it has them."""
    return value if value.keys() >= _LEFT_OUT.keys() else {**_LEFT_OUT, **value}


def with_sigils(value: dict[str, Any]) -> dict[str, Any]:
    """The value with the ids of its author and its previous as sigils. The same object if they are.

    >>> with_sigils({"author": "ssb:feed/ed25519/6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw="})
    {'author': '@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519'}
    """
    author, previous = value.get("author"), value.get("previous")
    sigils = {}
    if isinstance(author, str) and feed_format(author) == "classic":
        sigils["author"] = feed_id(author)
    if isinstance(previous, str) and (sigil := message_sigil(previous)) is not None:
        sigils["previous"] = sigil
    is_spelled = all(value[name] == sigil for name, sigil in sigils.items())
    return value if is_spelled else {**value, **sigils}


def _times(timestamp: object) -> dict[bytes, float]:
    """The times that a timestamp may have had before its fraction was cut off, by their JSON."""
    number = finite_number(timestamp)
    if number is None or not 1 <= number < _MOST_TIME or not number.is_integer():
        return {}
    # Python writes such a number as JavaScript does, and faster than jsjson.
    return {repr(time).encode(): time for time in (number + fraction for fraction in _FRACTIONS)}


def _signed_time(value: dict[str, Any], times: dict[bytes, float], key: str) -> float | None:
    """The one of the times with which a value has its key. None if none is."""
    wanted = id_bytes(key)
    before, _, after = jsjson.stringify(value, indent=2).partition(_BEFORE_TIME)
    head, tail = hashed_bytes(before + _BEFORE_TIME), hashed_bytes(after[after.index(",") :])
    for text, time in times.items():
        if sha256(head + text + tail).digest() == wanted:
            return time
    return None
