"""What goes wrong in logs: messages that break a rule, and lines that are not a message."""

from __future__ import annotations

import json
from typing import Any

from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.signing import ClassicFeed, Message, base64_text, uri_text
from scuttlehouse.sample.world import World

NESTING = 2_000


def broken_feeds(world: World) -> None:
    """Feeds of strangers with faults: a forged signature, a wrong id, a fork, a gap, a text for a time.
    None of them has a metafeed."""
    invalid = world.summary.invalid

    forged = stranger(world, "forged")
    _post(world, forged, "This one is really mine.")
    world.forge(forged, _content("This one is not."))

    renamed = stranger(world, "renamed")
    _post(world, renamed, "My id is right.")
    message = renamed.publish(_content("My id is wrong."), world.tick())
    digest = world.bytes_for("wrong id")
    message.key = f"%{base64_text(digest)}.sha256"
    message.uri = f"ssb:message/classic/{uri_text(digest)}"
    world.export(message, ("alice",))
    invalid["wrong_id"] = [message.uri]

    forked = stranger(world, "forked")
    _post(world, forked, "One feed, one line of messages.")
    _post(world, forked, "I write from my phone, too.")
    left = _post(world, forked, "Third message, from the laptop.")
    forked.rewind(left)
    right = _post(world, forked, "Third message, from the phone.")
    invalid["feed_fork"] = sorted((left.uri, right.uri))
    world.summary.forked_feeds.append(forked.id)

    untimed = stranger(world, "untimed")
    _post(world, untimed, "My clock works.")
    message = untimed.publish(_content("My clock stopped."), world.tick(), timestamp="yesterday")
    world.export(message, ("alice",))
    world.summary.warned["timestamp is no number"] = message.uri

    gapped = stranger(world, "gapped")
    _post(world, gapped, "Hello, I am new here.")
    world.publish(gapped, _content("Nobody kept this one."), exporters=())
    _post(world, gapped, "Did you get my last message?")
    _post(world, gapped, "I will try again later.")


def odd_lines(world: World) -> list[tuple[str, bytes]]:
    """Good messages in unusual lines: (kind, line with its end)."""
    feed = stranger(world, "odd")
    lines = []
    for kind, text in (
        ("line_separator_in_text", "One line,\u2028and one more\u0085in the same message."),
        ("emoji", "Gr\u00fc\u00dfe \U0001f41d \u3053\u3093\u306b\u3061\u306f"),
        ("crlf", "This line ends as on Windows."),
        ("duplicate_member", "The last one counts."),
        ("no_final_newline", "Nothing follows me."),
    ):
        message = feed.publish(_content(text), world.tick())
        world.summary.count(message, ("bob",))
        line = line_of(message, "bob", message.at + 5)
        if kind == "crlf":
            line = line[:-1] + b"\r\n"
        elif kind == "duplicate_member":
            line = line.replace(b'"text":', b'"text":"The first one is void.","text":')
        elif kind == "no_final_newline":
            line = line[:-1]
        lines.append((kind, line))
    return lines


def bad_lines(world: World) -> list[tuple[str, bytes]]:
    """Lines without a usable message: (kind, line with its end). No other count includes them."""
    feed = stranger(world, "bad")
    message = feed.publish(_content("A good message, once."), world.tick())
    line = line_of(message, "alice", message.at + 5)
    entry = json.loads(line)
    anonymous = {name: part for name, part in entry["value"].items() if name != "author"}
    nested = "[" * NESTING + "]" * NESTING
    return [
        ("not_json", b"-- exported on a rainy day --\n"),
        ("empty_line", b"\n"),
        ("array", b'["key","value"]\n'),
        ("number", b"42\n"),
        ("no_value", json_line({"key": entry["key"], "timestamp": entry["timestamp"]})),
        ("no_author", json_line({**entry, "value": anonymous})),
        ("invalid_utf8", line.replace(b"good", b"g\xff\xfed")),
        ("cut_short", line[: len(line) // 2] + b"\n"),
        ("deep_nesting", line.replace(b'"A good message, once."', nested.encode())),
        ("huge_sequence", line.replace(b'"sequence":1', b'"sequence":18446744073709551615')),
    ]


def stranger(world: World, name: str) -> ClassicFeed:
    """The feed of somebody without a metafeed."""
    return ClassicFeed(world.bytes_for(f"stranger {name}"))


def _content(text: str) -> dict[str, Any]:
    return {"type": "post", "text": text}


def _post(world: World, feed: ClassicFeed, text: str) -> Message:
    return world.publish(feed, _content(text), exporters=("alice",))
