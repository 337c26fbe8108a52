"""Messages validated per second on one core, compared with signature verification alone.

    python benchmarks/validate.py [--million]

Signed messages are made during the run, in batches, so memory stays the same at every size. These are timed
on the same batch, one after the other:

- bare: PyNaCl's ``crypto_sign_open`` on bytes and a key that are ready;
- all rules: from the text of the log line to the result: JSON, shape, length, id, signature, and the place
  in the feed.

The exponent says how the time for all rules grows with the number of messages. 1 is linear.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
from base64 import b64encode
from collections.abc import Iterator
from hashlib import sha256
from itertools import islice
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

from nacl.bindings import crypto_sign_open
from nacl.signing import SigningKey

from scuttlehouse.files import jsjson
from scuttlehouse.ssb.validation import check_value

sys.path.append(str(Path(__file__).parents[1] / "tests/python/ssb"))
from chain_rule import check_link

SEED = 1
FEEDS = 100
BATCH = 5_000
WORDS = ["river", "stone", "köln", "moss", "lantern", "海", "harbour", "willow", "ember", "🌊"]


class Signed(NamedTuple):
    line: str
    signed: bytes
    public_key: bytes


def content(dice: random.Random, some_id: str) -> Any:
    kind = dice.random()
    if kind < 0.12:
        return b64encode(dice.randbytes(dice.randrange(300, 1200))).decode() + ".box"
    if kind < 0.45:
        return {"type": "vote", "vote": {"link": some_id, "value": 1, "expression": "Like"}}
    if kind < 0.6:
        return {"type": "contact", "contact": some_id, "following": True, "blocking": False}
    text = " ".join(dice.choices(WORDS, k=dice.randrange(3, 120)))
    mentions = [{"link": some_id, "name": word} for word in dice.sample(WORDS, dice.randrange(3))]
    thread = {"root": some_id, "branch": [some_id]} if dice.random() < 0.7 else {}
    return {"type": "post", "text": text, **thread, "mentions": mentions}


def messages() -> Iterator[Signed]:
    """Endless signed messages of FEEDS feeds. Each feed is an unbroken chain."""
    dice = random.Random(SEED)
    keys = [SigningKey(dice.randbytes(32)) for _ in range(FEEDS)]
    authors = [f"@{b64encode(bytes(key.verify_key)).decode()}.ed25519" for key in keys]
    last: list[str | None] = [None] * FEEDS
    sequences = [0] * FEEDS
    while True:
        feed = dice.randrange(FEEDS)
        sequences[feed] += 1
        now = 1_600_000_000_000 + dice.randrange(10**11)
        value = {
            "previous": last[feed],
            "sequence": sequences[feed],
            "author": authors[feed],
            "timestamp": now,
            "hash": "sha256",
            "content": content(dice, last[feed] or authors[feed]),
        }
        text = jsjson.stringify(value, 2)
        signed = keys[feed].sign(text.encode())
        value["signature"] = f"{b64encode(signed.signature).decode()}.sig.ed25519"
        low_bytes = jsjson.stringify(value, 2).encode("utf-16-le")[::2]
        key = f"%{b64encode(sha256(low_bytes).digest()).decode()}.sha256"
        last[feed] = key
        line = jsjson.stringify({"key": key, "value": value, "timestamp": now})
        yield Signed(line, bytes(signed), bytes(keys[feed].verify_key))


def bare(batch: list[Signed]) -> float:
    start = process_time()
    for message in batch:
        crypto_sign_open(message.signed, message.public_key)
    return process_time() - start


def all_rules(batch: list[Signed], last: dict[str, tuple[str, int]]) -> float:
    start = process_time()
    for message in batch:
        line: Any = jsjson.parse(message.line)
        value, key = line["value"], line["key"]
        check = check_value(value, key=key)
        author = value["author"]
        fault = check_link(value["sequence"], value["previous"], last.get(author))
        last[author] = key, value["sequence"]
        if check.validity != "valid" or fault:
            raise AssertionError(f"a message of our own is not valid: {check} {fault}")
    return process_time() - start


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure validation on one core.")
    parser.add_argument("--million", action="store_true", help="also run 1,000,000 messages")
    sizes = [10_000, 100_000] + [1_000_000] * parser.parse_args().million
    print(f"seed {SEED}, {FEEDS} feeds\n")
    print(f"{'messages':>10} {'bytes each':>10} {'bare/s':>8} {'all rules/s':>11} {'ratio':>6}")
    seconds = []
    all_rules(list(islice(messages(), BATCH)), {})  # a process is slower at first
    for size in sizes:
        source, last = messages(), dict[str, tuple[str, int]]()
        bare_seconds = rules_seconds = 0.0
        length = 0
        for _ in range(size // BATCH):
            batch = list(islice(source, BATCH))
            bare_seconds += bare(batch)
            rules_seconds += all_rules(batch, last)
            length += sum(len(message.line.encode()) for message in batch)
        seconds.append(rules_seconds)
        print(
            f"{size:>10,} {length / size:>10.0f} {size / bare_seconds:>8,.0f} "
            f"{size / rules_seconds:>11,.0f} {bare_seconds / rules_seconds:>6.1%}"
        )
    exponent = math.log(seconds[-1] / seconds[0]) / math.log(sizes[-1] / sizes[0])
    print(f"\ntime grows with the number of messages to the power of {exponent:.3f}")


if __name__ == "__main__":
    main()
