"""Rewrites the messages of a log into the dialects of released software, which say the same.

What an author has signed stays as it is. The dialects differ in what software adds to it: the key beside the
value, the place of the ciphertext of an opened message, and the spellings inside of an opened content.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any
from urllib.parse import quote

Record = dict[str, Any]

_ID = re.compile(r"(?:[%@][A-Za-z0-9+/]{43}=\.[a-z0-9-]+|ssb:[a-z]+/[a-z0-9-]+/[A-Za-z0-9_-]{43}=)")
_TO_URL = str.maketrans("+/", "-_")
_FROM_URL = str.maketrans("-_", "+/")
# Where the kind and the format of a URI have a sigil: see scuttlehouse.ssb.ids.
_SIGILS = {
    "message/classic": ("%", "sha256"),
    "message/cloaked": ("%", "cloaked"),
    "message/bendybutt-v1": ("%", "bbmsg-v1"),
    "feed/classic": ("@", "ed25519"),
    "feed/bendybutt-v1": ("@", "bbfeed-v1"),
}
_KINDS = {sigil: kind for kind, sigil in _SIGILS.items()}
UNBOX = "?unbox=AZlrtZIJQiHqgwCaB0GgtIiFXha-XN5y6n5NJz_HtunP"


def sigil(text: str) -> str:
    """The id as a sigil, if its kind has one."""
    if not text.startswith("ssb:"):
        return text
    kind, _, key = text.removeprefix("ssb:").rpartition("/")
    if kind not in _SIGILS:
        return text
    sign, suffix = _SIGILS[kind]
    return f"{sign}{key.translate(_FROM_URL)}.{suffix}"


def in_base64url(text: str) -> str:
    """The sigil as a client in Objective-C writes it (``sigilStringFromBFE``)."""
    key, dot, suffix = text.partition("=.")
    return f"{key.translate(_TO_URL)}.{suffix}" if dot else text


def uri(text: str) -> str:
    """The id as a URI with slashes."""
    if text.startswith("ssb:"):
        return text
    key, suffix = text[1:45], text[46:]
    return f"ssb:{_KINDS[text[0], suffix]}/{key.translate(_TO_URL)}"


def older_uri(text: str) -> str:
    """The id as a URI that names the hash or the key, as before ssb-uri-spec 1.0."""
    found = uri(text)
    older = found.replace("message/classic", "message/sha256")
    return older.replace("feed/classic", "feed/ed25519")


def patchfox_uri(text: str) -> str:
    """The id as a URI with the base64 of sigils, in escapes, as ssb-custom-uri."""
    begin, _, key = older_uri(text).rpartition("/")
    return f"{begin}/{quote(key.translate(_FROM_URL), safe='')}"


SPELLINGS: dict[str, Callable[[str], str]] = {
    "sigils": sigil,
    "URIs": uri,
    "URIs with colons": lambda text: uri(text).replace("/", ":"),
    "URIs with two slashes": lambda text: uri(text).replace("ssb:", "ssb://"),
    "older URIs": older_uri,
    "without padding": lambda text: uri(text).rstrip("="),
    "sigils without padding": lambda text: sigil(text).replace("=.", "."),
    "sigils in base64url": lambda text: in_base64url(sigil(text)),
    "unbox": lambda text: sigil(text) + UNBOX,
    "fragments": lambda text: uri(text) + "#part",
    "sigils in URLs": lambda text: quote(sigil(text), safe=""),
    "URIs of Patchfox": patchfox_uri,
}


def spelled(value: Any, spell: Callable[[str], Any]) -> Any:
    """A value with all ids in it, but not those in texts, in another spelling."""
    if isinstance(value, str):
        return spell(value) if _ID.fullmatch(value) else value
    if isinstance(value, list):
        return [spelled(item, spell) for item in value]
    if isinstance(value, dict):
        return {name: spelled(part, spell) for name, part in value.items()}
    return value


def is_opened(record: Record) -> bool:
    return isinstance(record.get("meta"), dict) and "originalContent" in record["meta"]


def with_key(record: Record, spell: Callable[[str], str]) -> Record:
    key = record.get("key")
    return record | {"key": spell(key)} if isinstance(key, str) and _ID.fullmatch(key) else record


def is_free(record: Record) -> bool:
    """Whether nobody has signed the text of an opened message: that of a metafeed is signed by itself."""
    return is_opened(record) and "contentSignature" not in record["value"]


def with_links(record: Record, spell: Callable[[str], Any]) -> Record:
    """The content of an opened message with its ids in another spelling."""
    if not is_free(record):
        return record
    content = spelled(record["value"]["content"], spell)
    return record | {"value": record["value"] | {"content": content}}


def with_objects(record: Record) -> Record:
    """Links as objects in the recipients of an opened message, and where it names a thread."""
    if not is_free(record):
        return record
    content = {**record["value"]["content"]}
    for name in ("recps", "root", "branch"):
        if name in content:
            content[name] = spelled(content[name], lambda text: {"link": text, "name": "x"})
    return record | {"value": record["value"] | {"content": content}}


def with_lists(record: Record) -> Record:
    """The root that an opened message names as a list with one id."""
    if not is_free(record):
        return record
    content = record["value"]["content"]
    root = content.get("root")
    if isinstance(root, str):
        content = content | {"root": [root]}
    return record | {"value": record["value"] | {"content": content}}


def with_epoch_key(record: Record, write: Callable[[Record, bytes], Record]) -> Record:
    """The epoch key of an opened message in another spelling."""
    content = record["value"]["content"] if is_opened(record) else {}
    if content.get("type") not in ("group/init", "group/add-member") or "secret" not in content:
        return record
    try:
        key = base64.b64decode(content["secret"], validate=True)
    except (TypeError, ValueError):
        return record
    return record | {"value": record["value"] | {"content": write({**content}, key)}}


def group_key(content: Record, _: bytes) -> Record:
    content["groupKey"] = content.pop("secret")
    return content


def group_exclude(record: Record) -> Record:
    """An opened exclusion under the type that it has in private-group-spec 6.0.0."""
    content = record["value"]["content"] if is_opened(record) else {}
    if content.get("type") != "group/exclude-member":
        return record
    return record | {"value": record["value"] | {"content": content | {"type": "group/exclude"}}}


def with_addition(record: Record, write: Callable[[Record], Record]) -> Record:
    """An opened addition as older software or a document writes it."""
    content = record["value"]["content"] if is_opened(record) else {}
    if content.get("type") != "group/add-member":
        return record
    return record | {"value": record["value"] | {"content": write({**content})}}


def initial_message(content: Record) -> Record:
    content["initialMsg"] = content.pop("root")
    return content


def with_numbers(record: Record, write: Callable[[float], Any], *names: str) -> Record:
    """The numbers of a message with these names in another notation, if its key proves what was signed."""

    def written(members: Record) -> Record:
        numbers = {
            name: write(number)
            for name in names
            if isinstance(number := members.get(name), float) and number.is_integer() and number > 0
        }
        return members | numbers

    value = record.get("value")
    if not isinstance(value, dict) or not isinstance(value.get("sequence"), float):
        return record
    if without_key(record) == record:
        return record
    return written(record) | {"value": written(value)}


def pzp_with_numbers(record: Record, write: Callable[[float], Any]) -> Record:
    """The numbers of a message of pzp in another notation, if its id proves what was signed."""
    if pzp_without_id(record) == record:
        return record
    message = record["msg"]
    metadata = message["metadata"]
    tangles = {
        name: place | {"depth": write(place["depth"])}
        for name, place in metadata["tangles"].items()
    }
    numbers = {name: write(metadata[name]) for name in ("dataSize", "v")}
    return record | {
        "msg": message | {"metadata": metadata | numbers | {"tangles": tangles}},
        "received": write(record["received"]),
    }


def date(milliseconds: float) -> str:
    at = datetime.fromtimestamp(0, UTC) + timedelta(milliseconds=milliseconds)
    return at.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def with_place(record: Record, place: Callable[[Record, str], Record]) -> Record:
    """The ciphertext of an opened message in another place."""
    if not is_opened(record):
        return record
    bare = {name: part for name, part in record.items() if name != "meta"}
    return place(bare, record["meta"]["originalContent"])


def in_value(**members: Any) -> Callable[[Record, str], Record]:
    """Members of the value, in which CIPHERTEXT stands for the ciphertext."""

    def place(record: Record, ciphertext: str) -> Record:
        text = json.dumps(members).replace("CIPHERTEXT", ciphertext)
        return record | {"value": record["value"] | json.loads(text)}

    return place


def sealed(record: Record) -> Record:
    """The value of a message as it was signed."""
    if not is_opened(record):
        return record["value"]
    return record["value"] | {"content": record["meta"]["originalContent"]}


def without_key(record: Record) -> Record:
    """The record without its key, where the key is the hash of the value."""
    from scuttlehouse.ssb.judging import check_opened
    from scuttlehouse.ssb.opened import original

    if not isinstance(record.get("value"), dict) or not isinstance(record.get("key"), str):
        return record
    value = sealed(record)
    judged = check_opened(value, original(value, {}), record["key"], None)
    if judged.check.message_key != record["key"]:
        return record
    return {name: part for name, part in record.items() if name != "key"}


def sorted_members(record: Record) -> Record:
    """The members of a value in the order of their names, if its key proves the order that was signed."""
    if without_key(record) == record:
        return record
    value = record["value"]
    return record | {"value": {name: value[name] for name in sorted(value)}}


def with_author_first(record: Record) -> Record:
    """The author before the sequence, as go-ssb writes, if the key proves the order that was signed."""
    if without_key(record) == record:
        return record
    value = record["value"]
    names = dict.fromkeys(("previous", "author", "sequence", *value))
    return record | {"value": {name: value[name] for name in names if name in value}}


def with_uris_of_the_value(record: Record) -> Record:
    """The author and the previous as URIs, if the key proves how the author wrote them."""
    if without_key(record) == record or "content" not in record["value"]:
        return record
    value = record["value"]
    ids = {name: value[name] for name in ("author", "previous") if isinstance(value[name], str)}
    return record | {"value": value | {name: uri(text) for name, text in ids.items()}}


def pzp_without_id(record: Record) -> Record:
    from scuttlehouse.pzp.canonical import canonical, hash_text

    if "msg" not in record or record.get("id") != hash_text(canonical(record["msg"]["metadata"])):
        return record
    return {name: part for name, part in record.items() if name != "id"}


UNBOXED = {"private": True, "unbox": "dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXV1dXU="}
ORIGINAL = {"private": True, "original": {"content": "CIPHERTEXT"}}

DIALECTS: dict[str, Callable[[Record], Record]] = {
    "as written": lambda record: record,
    **{
        f"keys: {name}": lambda record, spell=spell: with_key(record, spell)
        for name, spell in SPELLINGS.items()
    },
    **{
        f"links: {name}": lambda record, spell=spell: with_links(record, spell)
        for name, spell in SPELLINGS.items()
    },
    "links: objects": with_objects,
    "links: lists": with_lists,
    "epoch keys: ssb-tribes2 1.0.0": lambda record: with_epoch_key(record, group_key),
    "epoch keys: capital hex": lambda record: with_epoch_key(
        record, lambda content, key: content | {"secret": key.hex().upper()}
    ),
    "epoch keys: URL": lambda record: with_epoch_key(
        record,
        lambda content, key: (
            content | {"secret": base64.urlsafe_b64encode(key).decode().rstrip("=")}
        ),
    ),
    "exclusions: private-group-spec 6.0.0": group_exclude,
    "additions: group exclusion 4.1.5.A": lambda record: with_addition(
        record, lambda content: content | {"type": "group/add-members"}
    ),
    "additions: private-group-spec 0.0.1": lambda record: with_addition(record, initial_message),
    "numbers: texts": lambda record: with_numbers(
        record, lambda number: f"{number:.0f}", "sequence", "timestamp"
    ),
    "numbers: MongoDB": lambda record: with_numbers(
        record, lambda number: {"$numberLong": f"{number:.0f}"}, "sequence", "timestamp"
    ),
    "numbers: dates": lambda record: with_numbers(record, date, "timestamp"),
    "numbers: dates of MongoDB": lambda record: with_numbers(
        record, lambda number: {"$date": {"$numberLong": f"{number:.0f}"}}, "timestamp"
    ),
    "opened: meta.original": lambda record: with_place(
        record,
        lambda bare, text: bare | {"meta": {"private": True, "original": {"content": text}}},
    ),
    "opened: ssb-tribes": lambda record: with_place(record, in_value(meta=ORIGINAL)),
    "opened: ssb-db 19": lambda record: with_place(record, in_value(cyphertext="CIPHERTEXT")),
    "opened: ssb-db 20": lambda record: with_place(
        record, in_value(cyphertext="CIPHERTEXT", **UNBOXED)
    ),
    "without keys": without_key,
    "sorted members": sorted_members,
    "the author first": with_author_first,
    "the author and the previous as URIs": with_uris_of_the_value,
    "pzp without ids": pzp_without_id,
    "pzp: numbers as texts": lambda record: pzp_with_numbers(
        record, lambda number: f"{number:.0f}"
    ),
    "pzp: numbers of MongoDB": lambda record: pzp_with_numbers(
        record, lambda number: {"$numberLong": f"{number:.0f}"}
    ),
}


def rewrite(records: list[Record], *names: str) -> list[Record]:
    """The records in the dialects of these names, one after the other."""
    for name in names:
        records = [DIALECTS[name](record) for record in records]
    return records
