"""What a file is that is not read here, in a sentence that says how to make it readable."""

from __future__ import annotations

import re

from scuttlehouse.files.first_values import (
    begins_with_contents,
    begins_with_parts,
    begins_with_printed_objects,
)
from scuttlehouse.files.jq_filters import (
    list_inside,
    way_out_of_map,
    way_to_lists_too,
    way_to_messages,
)
from scuttlehouse.files.keys_beside import OUT_OF_LINES, has_keys_before
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import FIRST_MEMBERS

# The size of the dictionary follows, a power of two. A record of pzp may begin with the same three bytes.
_LZMA = rb"\x5d(?:%s)" % b"|".join(re.escape((1 << n).to_bytes(4, "little")) for n in range(12, 32))

# Text, and the first packets for a key of RSA or of an elliptic curve, or for a password.
_GNUPG = rb"-----BEGIN PGP MESSAGE|\x85[\x01\x02]\x0c\x03|\x84\x5e\x03|\x8c\x0d\x04"

# A text may have this word there, but no text has the zeros behind the names in a header.
_TAR = rb"(?=.{0,249}\0{8}).{257}ustar"

# The file `data` of a margaret log: a length of eight bytes, and a message as go-ssb stores it, in CBOR
# (multimsg: a classic message, and its id and author as arrays of 32 bytes and an algorithm).
_MARGARET = rb"\0{5}[\0-\x10].{2}\x01\x86\x82\x58\x20"

# A document of MongoDB: its length, and its first member, which is an id, a text or a document.
_BSON = rb"..[\0-\x10]\0(?:\x07_id|[\x02\x03](?:_id|%s))\0" % FIRST_MEMBERS.encode()

# macOS puts such a file (`._alice.jsonl`) beside each that it copies to a disk or archive of another kind.
_APPLE_DOUBLE = "an AppleDouble file of macOS"
BESIDE_COPIES = f"This is {_APPLE_DOUBLE}"

_EXPORT = "export its messages, one a line"
_MOVE = "move it out of the landing folder"

# How a file begins that nothing here reads, what it is, and the command that makes it readable.
_OTHERS = [
    (re.compile(sign, re.DOTALL), what, remedy)
    for sign, what, remedy in (
        (rb"\xfd7zXZ\0", "an xz file", "unpack it with `xz -d`"),
        (_LZMA, "an lzma file", "unpack it with `xz -d`"),
        (rb"PK(?:\x03\x04|\x05\x06|\x07\x08)", "a zip archive", "unpack it with `unzip`"),
        (rb"7z\xbc\xaf\x27\x1c", "a 7z archive", "unpack it with `7z x`"),
        (rb"Rar!", "a rar archive", "unpack it with `unrar x`"),
        (rb"\x04\x22\x4d\x18|\x02\x21\x4c\x18", "an lz4 file", "unpack it with `lz4 -d`"),
        (rb"\x78[\x9c\xda]", "a zlib file", "unpack it with `pigz -dz`"),
        (rb"\x1f\x9d", "a file of compress", "unpack it with `uncompress`"),
        (rb"LZIP", "an lzip file", "unpack it with `lzip -d`"),
        (rb"\xff\x06\0\0sNaPpY", "a snappy file", "unpack it with `snzip -d`"),
        (rb"SQLite format 3\0", "an SQLite database", _EXPORT),
        (rb"PAR1", "a Parquet file", _EXPORT),
        (rb"ARROW1", "an Arrow file", _EXPORT),
        (rb"ORC", "an ORC file", _EXPORT),
        (rb"PGDMP", "a dump of PostgreSQL", f"restore it with `pg_restore`, and {_EXPORT}"),
        (
            rb"age-encryption\.org/|-----BEGIN AGE ENCRYPTED FILE",
            "a file that age has encrypted",
            "decrypt it with `age -d`",
        ),
        (_GNUPG, "a file that GnuPG has encrypted", "decrypt it with `gpg -d`"),
        (rb"Salted__", "a file that OpenSSL has encrypted", "decrypt it with `openssl enc -d`"),
        # avro-tools writes the type of each value that may be null: {"string": "..."}.
        (rb"Obj\x01", "an Avro file", "turn it into JSON with `fastavro`"),
        (rb"version https://git-lfs", "a pointer of Git LFS", "fetch the file with `git lfs pull`"),
        (rb"\0\x05\x16\x07", _APPLE_DOUBLE, _MOVE),
        (rb"%PDF", "a PDF", _MOVE),
        (rb"\x89PNG|\xff\xd8\xff", "a picture", _MOVE),
        (rb"\x7fELF", "a program", _MOVE),
        (_TAR, "a tar archive", "unpack it with `tar -xf`"),
        (_MARGARET, "the log of go-ssb (margaret)", "export its messages with `sbotcli log`"),
        # Its sign is behind a checksum.
        (rb".{8}DUCK", "a DuckDB database", _EXPORT),
        (_BSON, "a BSON file of MongoDB", "turn it into JSON with `bsondump`"),
    )
]

_TEXT_OF_JSON = re.compile(r'\[?\s*"\{\s*\\"')
# A cell of CSV writes each quotation mark twice. pandas writes the objects in it as Python prints them.
_CELL_OF_OBJECT = re.compile(rf'([,;\t]?)"\{{\s*(""|\')(?:{FIRST_MEMBERS})\2\s*:')
# Columns from which a row becomes a message. Each cell that is empty is a member that is left out.
_OF_TABLES = (
    {"key", "value"},
    {"author", "sequence", "content", "signature"},
    {"id", "msg"},
    {"metadata", "sigkey", "sig"},
)
_OF_MEMBERS = {"key", "author", "sequence", "timestamp", "type", "text", "content"}
_LEAST_MEMBERS = 2
_BEHIND_A_CELL = re.compile(r'\}"([,;\t])')
_IDS = re.compile(r'[\s\[",\x1e]*(?:[%@&][A-Za-z0-9+/]{43}=\.[a-z]|ssb:[a-z]+[/:])')
# A line of syslog begins with a number in such brackets.
_MARKUP = re.compile("<[A-Za-z!?]")

# A person copies a filter of jq from a table or a terminal.
_LONGEST_FILTER = 1000

# A long file of JSON that has none of these in its first bytes is of other software. The peers in gossip.json
# of ssb-server have a "key", too, and what streams of follows and settings give has a "value".
_MANY = 100
_OF_MESSAGES = re.compile(
    r'"(?:author|msg|metadata)"\s*:|"value"\s*:\s*\{|"key"\s*:\s*"(?:%|ssb:)|\\u00'
)
_OF_OTHERS = (
    "JSON of other software: its first values are no messages. Move it out of the landing folder."
)
_OF_PARTS = (
    "Rows with parts of messages, which lack the sequence, the content or the signature: export whole "
    "messages, one a line."
)
_OF_CONTENTS = (
    "Contents of messages without their authors, or JSON of other software: export whole messages, one a "
    "line, or move it out of the landing folder."
)
_PRINTED = (
    "Messages in which a program has printed objects as texts, and may have left out some: write them as "
    "JSON again, in PowerShell with `ConvertTo-Json -Depth 100`."
)
_OF_A_PEER = [*map(re.compile, (r'"host"\s*:', r'"port"\s*:', r'"key"\s*:\s*"@'))]
# ssb-conn names the peers by their addresses (multiserver-address).
_PEERS_OF_CONN = re.compile(r'\{\s*"[a-z]{1,20}:[^"\\]{1,300}~(?:shs|noauth)[:"]')
# A copy of ~/.ssb has such a file. Nobody may have meant it to be a log.
PEERS = "Peers of ssb-server (gossip.json or conn.json), and no log."

_BINARY, _TEXT = "Binary data", "Text"


def other_file(head: bytes, inside: str) -> str | None:
    """What a file of a known format that is not read here is, and what to do. None for other files.

    >>> other_file(b"%PDF-1.7", " inside of a gzip file")
    'This is a PDF inside of a gzip file: move it out of the landing folder.'
    """
    for sign, what, remedy in _OTHERS:
        if sign.match(head):
            return f"This is {what}{inside}: {remedy}."
    return None


def around_messages(bare: str, form: str | None, packing: Packing) -> str | None:
    """What is around the messages of a text, or in their place, and what to do. None if nothing is.

    >>> around_messages("<html>", None, Packing())
    'This is HTML or XML, perhaps an error page: download the log again.'
    >>> rows = '{"rows": [{"key": "%a", "value": {}}]}'
    >>> around_messages(rows, None, Packing("none", "utf-16")).split("`")[1]
    'iconv -f utf-16 -t utf-8 | jq -c \\'.["rows"][]\\''
    """
    jq, inside = f"{packing.to_utf_8}jq", packing.inside
    if way := way_to_lists_too(bare):
        return (
            f"Messages with lists of messages{inside}: take all of them out with `{jq} -c '{way}'`."
        )
    way = way_to_messages(bare)
    if way and len(way) > _LONGEST_FILTER:
        return f"JSON objects around messages{inside}, at many places: export the log, one message a line."
    if way:
        return f"JSON objects around messages{inside}: take these out with `{jq} -c '.{way}'`."
    if form == "array" and (member := list_inside(bare[1:].lstrip())):
        way = f".[]{member}[]"
        return (
            f"One array of objects around lists{inside}: take the lists out with `{jq} -c '{way}'`."
        )
    if form is not None:
        return None
    if member := list_inside(bare):
        return f"One JSON object around a list{inside}: take the list out with `{jq} -c '.{member}[]'`."
    if way := way_out_of_map(bare):
        what = "One JSON object with the messages as its members"
        return f"{what}{inside}: take them out with `{jq} -c '.{way}'`."
    if has_keys_before(bare):
        command = f"{jq} -cR '{OUT_OF_LINES}'"
        return f"Messages behind their keys{inside}: put both together with `{command}`."
    if _TEXT_OF_JSON.match(bare):
        return (
            f"JSON inside of JSON texts{inside}: take it out with `{jq} -r .` or `{jq} -r '.[]'`."
        )
    if _MARKUP.match(bare):
        return f"This is HTML or XML{inside}, perhaps an error page: download the log again."
    return None


def of_other_software(text: str) -> str | None:
    """What a text of JSON is whose first values are no messages. None for other texts.

    It has peers, messages that a program has printed, or is long.

    Databases have tables with parts of messages.

    >>> of_other_software('{"host": 1, "port": 2, "key": "@a"}'), of_other_software("{}")
    ('Peers of ssb-server (gossip.json or conn.json), and no log.', None)
    """
    is_of_messages = _OF_MESSAGES.search(text) is not None
    is_of_peers = _PEERS_OF_CONN.match(text) or all(part.search(text) for part in _OF_A_PEER)
    if is_of_peers and not is_of_messages:
        return PEERS
    if begins_with_printed_objects(text):
        return _PRINTED
    if text.count("{") < _MANY:
        return None
    is_unsigned = '"sig' not in text
    if is_unsigned and begins_with_contents(text):
        return _OF_CONTENTS
    if not is_of_messages:
        return _OF_OTHERS
    return _OF_PARTS if is_unsigned and begins_with_parts(text) else None


def without_messages(text: str, packing: Packing) -> str | None:
    """What a text without objects is, and what to do. None if nothing is known of it.

    >>> without_messages('"{""key"":""%a""}"', Packing()).partition(":")[0]
    'Messages in the cells of CSV'
    """
    inside = packing.inside
    if program := _program_for_cells(text, packing.encoding):
        command = f'{packing.unpack}python3 -c "{program}"'
        return f"Messages in the cells of CSV{inside}: take them out with `{command}`."
    if len(_columns(text)[1] & _OF_MEMBERS) >= _LEAST_MEMBERS:
        return f"CSV{inside}. {_OF_PARTS}"
    if "{" not in text and _IDS.match(text):
        return (
            f"Ids{inside} and no messages: export the messages, too, for example with `ssb-server log` "
            "without `--values=false`."
        )
    return None


def _program_for_cells(text: str, encoding: str) -> str | None:
    """The Python program that takes messages out of CSV: as records, if its first line names the columns."""
    separator, columns = _columns(text)
    cell = _CELL_OF_OBJECT.search(text)
    is_table = any(map(columns.issuperset, _OF_TABLES))
    if cell is None and not is_table:
        return None
    if not is_table and cell:
        behind = None if cell[1] else _BEHIND_A_CELL.search(text)
        separator = cell[1] or (behind[1] if behind else ",")
    is_of_python = cell is not None and cell[2] == "'"
    read = "ast.literal_eval(cell)" if is_of_python else "json.loads(cell)"
    modules = "ast, csv, json" if is_of_python else "csv, json"
    decoded = f"open(0, encoding='{'utf-8-sig' if encoding == 'utf-8' else encoding}', newline='')"
    if is_table:
        rows = f"csv.DictReader({decoded}, delimiter={separator!r})"
        part = f"{read} if cell[:1] == '{{' else cell"
        record = f"{{name: {part} for name, cell in row.items() if name and cell}}"
        return f"import {modules}; [print(json.dumps({record})) for row in {rows}]"
    rows = f"csv.reader({decoded}, delimiter={separator!r})"
    shown = f"json.dumps({read})" if is_of_python else "cell"
    return (
        f"import {modules}; [print({shown}) for row in {rows} for cell in row if cell[:1] == '{{']"
    )


def _columns(text: str) -> tuple[str, set[str]]:
    """What separates the cells of CSV, and the cells of its first line."""
    first = text.partition("\n")[0].replace('"', "").strip()
    separator = max(",;\t", key=first.count)
    return separator, set(first.split(separator))


def of_no_known_form(text: str, inside: str) -> str:
    """What a file is of which nothing is known, and what to do.

    >>> of_no_known_form("hello", "").partition(":")[0]
    'Text without a JSON object'
    """
    if "\0" in text or text.count("\ufffd") > len(text) // 8:
        return f"{_BINARY}{inside} in no form that is known: export the log as JSON, one message a line."
    return f"{_TEXT}{inside} without a JSON object: export the log as JSON, one message a line (`jq -c .`)."


def told_by_name(told: str, path: str) -> str:
    """What is told of a file or, if nothing is known of it, what its name tells.

    >>> told_by_name(of_no_known_form("hello", ""), "log.jsonl.br")
    'A brotli file: unpack it with `brotli -d`.'
    """
    # Nothing in a brotli file says that it is one.
    is_unknown = told.startswith((_BINARY, _TEXT))
    if is_unknown and path.lower().endswith(".br"):
        return "A brotli file: unpack it with `brotli -d`."
    return told
