"""Entries of logs, and what must hold of their rows."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any

from rows import row_of as land
from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.ssb.lines import REJECT_REASONS, LandedLine

KEY = bytes(range(200, 232))
KEY_TEXT = base64.b64encode(KEY).decode()


def post(feed: ClassicFeed, text: str = "hello", **content: Any) -> Message:
    return feed.publish({"type": "post", "text": text, **content}, feed.sequence + 1)


def entry(message: Message, **changes: Any) -> dict[str, Any]:
    return {"key": message.key, "value": {**message.value, **changes}, "timestamp": message.at}


def written(value: object) -> bytes:
    return json.dumps(value).encode()


def land_value(**changes: Any) -> LandedLine:
    """The row of a message with some members of its value changed."""
    row = land(written(entry(post(ClassicFeed(bytes(32))), **changes)))
    assert row.reject_reason is None, row
    return row


def is_clean(row: LandedLine) -> bool:
    """Whether every text of the row is text that a table can hold."""
    texts = [cell for cell in row if isinstance(cell, str)]
    return all(text == text.encode("utf-8", "ignore").decode() for text in texts)


def assert_row(row: LandedLine) -> None:
    assert is_clean(row), row
    if row.reject_reason is None:
        assert None not in (row.message_id, row.feed_id, row.is_private, row.is_decrypted)
        assert row.validity in ("valid", "invalid", "not_checked")
        assert (row.validity == "invalid") == (row.invalid_reason is not None), row
        assert row.sequence is None or -(2**53) <= row.sequence <= 2**53
        if row.content is not None:
            json.loads(row.content)
    else:
        assert row.reject_reason in REJECT_REASONS, row
        assert set(row[3:-2]) == {None}, row


def nested(levels: int) -> bytes:
    return b"[" * levels + b"]" * levels


def places() -> dict[str, Callable[[object], dict[str, Any]]]:
    """Every place of a message where a key has been seen, or could stand by mistake."""
    root = {"root": None, "previous": None}
    return {
        "secret of an init": lambda key: {"type": "group/init", "secret": key},
        "secret of an addition": lambda key: {"type": "group/add-member", "secret": key},
        "old secrets": lambda key: {"type": "group/add-member", "oldSecrets": [key]},
        "seed": lambda key: {"type": "metafeed/seed", "seed": key, "metafeed": "x"},
        "purpose": lambda key: {"type": "metafeed/add/derived", "feedpurpose": key},
        "key of a recipient": lambda key: {"recps": [{"key": {"data": key}, "scheme": "x"}]},
        "recipient": lambda key: {"recps": [key]},
        "type": lambda key: {"type": key},
        "root": lambda key: {"type": "post", "root": key},
        "branch": lambda key: {"type": "post", "branch": [key]},
        "root of a tangle": lambda key: {"tangles": {"group": {"root": key, "previous": [key]}}},
        "tangle": lambda key: {"tangles": {"group": key}},
        "name of a tangle": lambda key: {"tangles": {key: root} if isinstance(key, str) else {}},
        "excluded": lambda key: {"type": "group/exclude-member", "excludes": [key, {"id": key}]},
        "creator": lambda key: {"creator": key},
        "metafeed": lambda key: {"metafeed": key, "subfeed": key},
        "text": lambda key: {"type": "post", "text": key},
        "member's name": lambda key: {key: 1} if isinstance(key, str) else {},
    }
