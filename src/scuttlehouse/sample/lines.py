"""Log lines as exporters write them."""

from __future__ import annotations

from typing import Any

from scuttlehouse.files.jsjson import Value, stringify
from scuttlehouse.sample.signing import Message


def line_of(message: Message, exporter: str, received: int) -> bytes:
    """The log line of `message` as `exporter` writes it. It is opened if they can open it."""
    entry: dict[str, Any] = {"key": message.key, "value": message.value, "timestamp": received}
    if message.readers is not None and exporter in message.readers:
        entry["value"] = {**message.value, **message.opened, "content": message.content}
        entry["meta"] = {
            "private": True,
            "originalContent": message.value["content"],
            "encryptionFormat": message.encryption,
        }
    return json_line(entry)


def json_line(value: Value) -> bytes:
    """`value` as JSON on its own line."""
    return stringify(value).encode("utf-8") + b"\n"
