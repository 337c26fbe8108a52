"""Lines put together from parts of signed messages: what is valid is what its author has signed.

A stranger may write any line. Software keeps what was signed in many places of a line (`value.meta.original`,
`meta.originalContent`, `msg` ...), and each of them may hold a message of somebody else.
"""

from __future__ import annotations

import json
import random
from copy import deepcopy
from hashlib import sha256
from typing import Any

import pytest
from hypothesis import settings

from scuttlehouse.files.parts import Line
from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine, land_line

COUNT = 100 * settings.default.max_examples
CHUNKS = 4
RING = KeyRing(b"pepper")
NOW = 1_710_000_000_000
CLAIMED = ("author", "sequence", "previous", "timestamp", "content")
SIGNED = ("feed_id", "sequence", "previous_id", "asserted_ms", "content_type", "content")
PLACES = [
    ("meta", "original"),
    ("meta",),
    ("original",),
    ("value",),
    ("msg",),
    ("misc", "original"),
    ("meta", "original", "value"),
    ("content",),
    ("data",),
]


def messages_of(name: str, contents: list[dict[str, Any]]) -> list[Message]:
    feed = ClassicFeed(sha256(name.encode()).digest())
    return [feed.publish(content, NOW + number) for number, content in enumerate(contents)]


ANN = messages_of("ann", [{"type": "post", "text": f"hello {number}"} for number in range(3)])
EVE = messages_of(
    "eve",
    [
        {"type": "post", "text": "hello"},
        {"type": "vote", "author": ANN[0].value["author"], "sequence": 2},
        {"type": "about", "key": ANN[0].key, "value": ANN[0].value},
        {"name": "a", "type": "contact"},
        {"type": "post", "text": '&quot;, "author": "\'\''},
    ],
)


def land(record: Any) -> LandedLine | None:
    return land_line("a.jsonl", Line(1, json.dumps(record).encode(), None), RING)


def row_of(message: Message) -> LandedLine:
    row = land({"key": message.key, "value": message.value, "timestamp": NOW})
    assert row
    return row


ROWS = {row.message_id: row for row in map(row_of, [*ANN, *EVE])}


def part_of(message: Message, dice: random.Random) -> Any:
    value = message.value
    some = {name: value[name] for name in dice.sample([*value], dice.randint(1, 6))}
    record = {"key": message.key, "value": value}
    return deepcopy(dice.choice([value, some, record, value["content"], json.dumps(value)]))


def forged(dice: random.Random) -> Any:
    """A message of Eve that claims to be one of Ann in some ways, with its signed members somewhere in it."""
    eve, ann = dice.choice(EVE), dice.choice(ANN)
    value = deepcopy(eve.value)
    for name in dice.sample(CLAIMED, dice.randint(1, 3)):
        value[name] = deepcopy(dice.choice([ann.value[name], ann.value[name], 1, None]))
    *way, last = dice.choice(PLACES)
    inner = value
    for name in way:
        inner[name] = inner = {}
    inner[last] = part_of(eve, dice)
    record = {"key": dice.choice([eve.key, eve.key, ann.key]), "value": value, "timestamp": NOW}
    if dice.random() < 0.3:
        record[dice.choice(PLACES)[0]] = {"original": part_of(eve, dice)}
    return dice.choice([record, record, value, value | {"key": eve.key}])


@pytest.mark.parametrize("chunk", range(CHUNKS))
def test_what_is_valid_is_what_its_author_has_signed(chunk: int) -> None:
    seen = 0
    for seed in range(chunk * COUNT // CHUNKS, (chunk + 1) * COUNT // CHUNKS):
        row = land(forged(random.Random(seed)))
        if row is None or row.validity != "valid":
            continue
        seen += 1
        assert row.message_id in ROWS, f"seed {seed}"
        signed = ROWS[row.message_id]
        for name in SIGNED:
            assert getattr(row, name) == getattr(signed, name), f"seed {seed}: {name}"
    assert seen or COUNT < 1000
