"""Keys planted in logs: spellings, disguises and places, put together at random.

A planting is a key, a text that spells it and a message that carries the text. What must be found nowhere
afterwards is the key in any plain spelling, and the text as it was planted.
"""

from __future__ import annotations

import base64
import json
import random
from collections.abc import Callable
from typing import Any, NamedTuple
from urllib.parse import quote

from scuttlehouse.pzp.canonical import to_base58
from scuttlehouse.sample.signing import ClassicFeed

KINDS = 400

SPELLINGS: dict[str, Callable[[bytes], str]] = {
    "base64": lambda key: base64.b64encode(key).decode(),
    "base64 without padding": lambda key: base64.b64encode(key).decode().rstrip("="),
    "url-safe base64": lambda key: base64.urlsafe_b64encode(key).decode(),
    "url-safe base64 without padding": lambda key: (
        base64.urlsafe_b64encode(key).decode().rstrip("=")
    ),
    "hex": bytes.hex,
    "upper-case hex": lambda key: key.hex().upper(),
    "0x and hex": lambda key: f"0x{key.hex()}",
    "hex with colons": lambda key: key.hex(":"),
    "base58": to_base58,
    "base32": lambda key: base64.b32encode(key).decode(),
    "base32 in lower case": lambda key: base64.b32encode(key).decode().lower().rstrip("="),
    "base85": lambda key: base64.b85encode(key).decode(),
    "ascii85": lambda key: base64.a85encode(key).decode(),
    "latin-1": lambda key: key.decode("latin-1"),
    "decimal": lambda key: str(int.from_bytes(key)),
    "integers": lambda key: ",".join(map(str, key)),
    "percent": lambda key: "".join(f"%{byte:02X}" for byte in key),
    "base32hex": lambda key: base64.b32hexencode(key).decode(),
    "binary digits": lambda key: "".join(f"{byte:08b}" for byte in key),
    "octal escapes": lambda key: "".join(f"\\{byte:03o}" for byte in key),
    "HTML entities": lambda key: "".join(f"&#{one};" for one in base64.b64encode(key)),
    "JSON escapes": lambda key: "".join(f"\\u{one:04x}" for one in base64.b64encode(key)),
    "base64 backwards": lambda key: base64.b64encode(key).decode().rstrip("=")[::-1],
    "base64 of base64": lambda key: base64.b64encode(base64.b64encode(key)).decode(),
    "wide letters": lambda key: "".join(chr(one + 0xFEE0) for one in base64.b64encode(key)),
    "Braille": lambda key: "".join(chr(0x2800 + byte) for byte in key),
    "JSON of a buffer": lambda key: json.dumps({"type": "Buffer", "data": list(key)}),
}

DISGUISES: dict[str, Callable[[str], str]] = {
    "bare": str,
    "a blank before": lambda text: f" {text}",
    "a newline after": lambda text: f"{text}\n",
    "a blank within": lambda text: f"{text[:20]} {text[20:]}",
    "more padding": lambda text: f"{text}==",
    "words around": lambda text: f"the key is {text}, keep it",
    "a suffix .box2": lambda text: f"{text}.box2",
    "a suffix .cloaked": lambda text: f"{text}.cloaked",
    "a suffix .ed25519": lambda text: f"{text}.ed25519",
    "a query of an id": lambda text: f"%{'A' * 43}=.sha256?unbox={text}",
    "a query of no id": lambda text: f"&{'B' * 20}=.sha256?unbox={text}.boxs",
    "a fragment": lambda text: f"ssb:message/classic/{'A' * 43}=#{text}",
    "a query in percent": lambda text: quote(f"%x.sha256?unbox={text}", safe=""),
    "a path": lambda text: f"group/{text}",
    "two lines": lambda text: f"{text[:22]}\n{text[22:]}",
    "zero-width spaces": lambda text: "\u200b".join(text),
    "JSON in a text": lambda text: json.dumps({"unbox": text}),
    "halves in turn": lambda text: f"{text[len(text) // 2 :]}.{text[: len(text) // 2]}",
    "quotes": lambda text: f'"{text}"',
    "a URI of no format": lambda text: f"ssb:secret/{text}",
    "a URI with many parts": lambda text: f"ssb:message/a/{text}/{'A' * 43}=/{'A' * 43}=",
    "a format": lambda text: f"ssb:message/{text}/{'A' * 43}=",
}

PLACES: dict[str, Callable[[str], dict[str, Any]]] = {
    "type": lambda text: {"type": text},
    "tangle name": lambda text: {"tangles": {text: {"root": None, "previous": None}}},
    "tangle root": lambda text: {"tangles": {"x": {"root": text, "previous": [text]}}},
    "tangle previous": lambda text: {"tangles": {"a": {"root": "%a", "previous": [text, {"link": text}]}}},
    "root": lambda text: {"root": text, "branch": text},
    "root as a list": lambda text: {"root": [text], "branch": [text, [text]]},
    "a link as an object": lambda text: {"root": {"link": text, "name": text}},
    "recps": lambda text: {"type": "group/add-member", "recps": [text, text, {"key": text}]},
    "recps of a post": lambda text: {"recps": text, "root": "%a"},
    "excludes": lambda text: {"type": "group/exclude-member", "excludes": [text]},
    "excluded feeds": lambda text: {"excludes": [{"id": text, "groupFeedId": text}]},
    "creator": lambda text: {"type": "group/init", "creator": text, "version": text},
    "announcement": lambda text: {"type": "metafeed/add/derived", "metafeed": text, "subfeed": text},
    "purpose": lambda text: {"type": "metafeed/add/existing", "feedpurpose": text},
    "a name": lambda text: {"type": "about", "about": f"@{'A' * 43}=.ed25519", "name": text},
    "a group's name": lambda text: {"type": "group/init", "name": {"set": text}},
    "mentions": lambda text: {"mentions": [{"link": text}], "channel": text, "image": {"link": text}},
    "seed": lambda text: {"type": "metafeed/seed", "metafeed": text, "seed": text},
    "another member": lambda text: {"secret": text, text: text, "text": {"deep": [[text]]}},
}  # fmt: skip


class Planting(NamedTuple):
    """``kind`` names the planting and shows no key; ``line`` is the line of a log that carries the text."""

    kind: str
    key: bytes
    text: str
    line: bytes


def plantings(seed: int = 1) -> list[Planting]:
    """Plantings of different kinds, every spelling, disguise and place among them where there are enough."""
    chance = random.Random(seed)
    feed = ClassicFeed(chance.randbytes(32))
    found: dict[str, Planting] = {}
    while len(found) < KINDS:
        n = len(found)
        spelling = [*SPELLINGS][n % len(SPELLINGS)]
        disguise = chance.choice([*DISGUISES]) if n >= len(SPELLINGS) else "bare"
        place = [*PLACES][n % len(PLACES)]
        where = chance.choice(["content", "opened", "author", "previous", "pzp"])
        kind = f"{spelling}, {disguise}, {place} of {where}"
        if kind in found:
            continue
        # A private key of Ed25519 has 64 bytes.
        key = chance.randbytes(chance.choice([32, 32, 64]))
        text = DISGUISES[disguise](SPELLINGS[spelling](key))
        found[kind] = Planting(kind, key, text, _line(feed, where, PLACES[place](text), text))
    return [*found.values()]


def _line(feed: ClassicFeed, where: str, content: dict[str, Any], text: str) -> bytes:
    if where == "pzp":
        tangles = {text: {"depth": 1, "prev": [text]}}
        metadata = {
            "account": text,
            "domain": f"set_v1__{text}",
            "tangles": tangles,
            "accountTips": [text],
        }
        data = {"add": [text], "del": [text], "supersedes": [text]}
        message = {"data": data, "metadata": metadata, "sigkey": text, "sig": text}
        return json.dumps({"id": text, "msg": message, "received": 1}).encode()
    message = feed.publish(
        {"type": "post", **content}, 1, ciphertext="AAAA.box2" if where == "opened" else None
    )
    value = dict(message.value)
    entry: dict[str, Any] = {"key": message.key, "value": value, "timestamp": 2}
    if where == "opened":
        value["content"] = {"type": "post", **content}
        entry["meta"] = {"private": True, "originalContent": "AAAA.box2"}
    elif where in ("author", "previous"):
        value[where] = text
    return json.dumps(entry).encode()


def needles(planting: Planting) -> set[bytes]:
    """What must be found nowhere: the key in every plain spelling, half of it, and what was planted.

    A half is enough to guess the rest, and a text may be cut. Texts may stand in JSON.
    """
    texts = {spell(planting.key).rstrip("=") for spell in SPELLINGS.values()}
    halves = {half for text in texts for half in (text[: len(text) // 2], text[len(text) // 2 :])}
    forms = texts | halves | {planting.text}
    forms |= {json.dumps(form)[1:-1] for form in forms}
    return {form.encode("utf-8", "surrogatepass") for form in forms} | {planting.key}
