"""The commands that turn what is told into a log: each is run, and its output is read."""

from __future__ import annotations

import csv
import html
import io
import json
import quopri
import re
from base64 import encodebytes
from collections.abc import Callable
from pathlib import Path
from shutil import which
from typing import Any
from urllib.parse import quote

import pytest

import forms
from conftest import FIXTURES
from read_files import POST, output_of, parsed, read, rows, told, values
from rows import RING
from scuttlehouse.files.keys_beside import has_keys_before
from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.notations import told_notation
from scuttlehouse.files.other_files import without_messages
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import Kind
from scuttlehouse.files.recognise import recognise_head
from scuttlehouse.landing.glued_lines import land_pzp_lines
from scuttlehouse.sample.signing import ClassicFeed
from scuttlehouse.ssb.ids import message_uri


@pytest.mark.parametrize(("encoding", "indent"), [("utf-8", 0), ("utf-16", 2)])
@pytest.mark.parametrize("separator", [",", ";", "\t"])
@pytest.mark.parametrize("cells", [("1", "{}", "x"), ("{}", "x"), ("{}",)])
def test_the_command_takes_messages_out_of_csv(
    cells: tuple[str, ...], separator: str, encoding: str, indent: int, tmp_path: Path
) -> None:
    """As databases and spreadsheets write columns with JSON."""
    if len(cells) == 1:
        separator = ","
    path = tmp_path / "a.txt"
    with path.open("w", encoding=encoding, newline="") as file:
        rows = csv.writer(file, delimiter=separator)
        rows.writerow(["a", "message", "b"][: len(cells)])
        for value in values()[:3]:
            text = forms.text(value, indent)
            rows.writerow([text if cell == "{}" else cell for cell in cells])
    said = told(path)
    assert said.startswith("Messages in the cells of CSV: take them out with `python3 -c")
    taken = output_of(said.split("`")[1], path)
    assert parsed(read(taken)) == [*values()[:3]]


def in_rows(records: list[dict[str, Any]]) -> str:
    return json.dumps({"rows": records})


# What programs put around messages, or make of them, and a command takes them out of.
AROUND: dict[str, Callable[[list[dict[str, Any]]], str]] = {
    "rows": in_rows,
    "a row a line": lambda records: "\n".join(json.dumps({"doc": one}) for one in records),
    "texts": lambda records: json.dumps([json.dumps(one) for one in records]),
    "many texts": lambda records: json.dumps([*map(json.dumps, records)] * 400),
    "many rows": lambda records: in_rows(records * 400),
    "a map": lambda records: json.dumps({one["key"]: one for one in records}),
    "a map without keys": lambda records: json.dumps({one["key"]: one["value"] for one in records}),
    "a long map without keys": lambda records: json.dumps(
        {f"{one['key']}?{n}": one["value"] for n in range(300) for one in records}
    ),
    "columns": lambda records: json.dumps(
        {name: [one[name] for one in records] for name in ("key", "value")}
    ),
    "columns of pandas": lambda records: json.dumps(
        {name: {str(n): one[name] for n, one in enumerate(records)} for name in ("key", "value")}
    ),
    "pairs": lambda records: json.dumps([[one["key"], one["value"]] for one in records]),
    "a pair a line": lambda records: "\n".join(
        json.dumps([one["key"], one["value"], 1]) for one in records
    ),
    "SQLite": lambda records: "\n".join(
        f"{one['key']}|{json.dumps(one['value'])}|17" for one in records
    ),
    "SQLite with names of columns": lambda records: (
        "id|key|value\n"
        + "".join(f"{n}|{one['key']}|{json.dumps(one['value'])}\n" for n, one in enumerate(records))
    ),
    "COPY": lambda records: "".join(
        f"{one['key']}\t{json.dumps(one['value'])}\n".replace("\\", r"\\") for one in records
    ),
    "lists": lambda records: json.dumps([{"thread": records}, {"thread": records}]),
    "Python": lambda records: "\n".join(map(repr, records)),
    "cells": lambda records: "".join(f"{in_cell(one)}\n" for one in records),
    "cells of members": lambda records: in_columns(records),
    "cells of Python": lambda records: in_table(records),
    "records of Python in cells": lambda records: "".join(
        '"' + repr(one).replace('"', '""') + '"\n' for one in records
    ),
    "cells beside keys": lambda records: (
        "key;timestamp;value\n"
        + "".join(f"{one['key']};1.7E+12;{in_cell(one['value'])}\n" for one in records)
    ),
}


def in_table(records: list[dict[str, Any]]) -> str:
    """As pandas writes it: objects as Python prints them, behind a column without a name."""
    table = io.StringIO()
    rows = csv.writer(table)
    rows.writerow(["", "key", "value"])
    rows.writerows([n, one["key"], one["value"]] for n, one in enumerate(records))
    return table.getvalue()


def in_columns(records: list[dict[str, Any]]) -> str:
    """As a database exports a table with a column for each member; the content is one of JSON."""
    names = ["previous", "sequence", "author", "timestamp", "hash", "content", "signature"]
    lines = [",".join(["key", *names])]
    for one in records:
        cells = [one["key"], *(one["value"][name] for name in names)]
        lines.append(
            ",".join(in_cell(cell) if isinstance(cell, dict) else str(cell or "") for cell in cells)
        )
    return "\n".join(lines)


def in_cell(record: dict[str, Any]) -> str:
    return '"' + json.dumps(record).replace('"', '""') + '"'


@pytest.mark.product
@pytest.mark.parametrize(
    ("compression", "encoding"),
    [
        *(("none", name) for name in ("utf-8", "utf-8-sig", "utf-16", "utf-16-be", "utf-32")),
        *(("gzip", name) for name in ("utf-8", "utf-16")),
        ("bzip2", "utf-8"),
        ("zstd", "utf-8"),
    ],
)
@pytest.mark.parametrize("around", AROUND)
def test_the_command_reads_the_file_as_it_is(
    around: str, compression: str, encoding: str, tmp_path: Path
) -> None:
    """A shell of Windows writes what any program prints as UTF-16, with a mark.

    An opened message without its ciphertext has no id but the key that the file gives it.
    """
    if which("jq") is None and around != "Python" and "cells" not in around:
        pytest.skip("the command is one of jq")
    if compression == "zstd" and which("zstd") is None:
        pytest.skip("the command unpacks with zstd")
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    opened = ClassicFeed(bytes(32)).publish({"type": "post"}, 1, ciphertext="AAAA.box")
    records = [{"key": one.key, "value": one.value} for one in signed]
    value = opened.value | {"content": OF_NOTATIONS | {"recps": [opened.author]}}
    signed.append(opened)
    path = tmp_path / "a.json"
    text = AROUND[around]([*records, {"key": opened.key, "value": value}])
    path.write_bytes(forms.COMPRESSIONS[compression](text.encode(encoding)))
    said = told(path)
    command = next(part for part in said.split("`")[1::2] if part != "json.dumps")
    taken = output_of(command, path)
    assert {row.message_id for row in rows(taken)} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in rows(taken)} == {"valid", "not_checked"}


@pytest.mark.parametrize("columns", [("id", "msg"), ("data", "metadata", "sigkey", "sig")])
def test_the_command_takes_messages_of_pzp_out_of_csv_with_their_ciphertexts(
    columns: tuple[str, ...], tmp_path: Path
) -> None:
    log = FIXTURES / "reported" / "f02_pzp_decrypted_set.jsonl"
    records = [*map(json.loads, log.open())]
    path = tmp_path / "a.txt"
    with path.open("w", newline="") as file:
        rows = csv.writer(file)
        rows.writerow([*columns, "misc"])
        for record in records:
            parts = record | record["msg"]
            cells = (parts.get(name) for name in (*columns, "misc"))
            rows.writerow([json.dumps(one) if isinstance(one, dict) else one for one in cells])
    taken = output_of(told(path).split("`")[1], path)
    found, expected = (
        [row.validity for line in read(one) for row in land_pzp_lines("a", line, RING)]
        for one in (taken, log)
    )
    assert found == expected == ["valid"] * len(records)


def coloured(text: str) -> str:
    """As `jq -C` writes; the colours of other programs end with other signs."""
    texts = re.sub(r'("(?:[^"\\]|\\.)*")', "\x1b[0;32m\\1\x1b[0m", text)
    return re.sub(r"(?m)^(\{|\})", "\x1b[1;39m\\1\x1b[K", texts)


def wrapped(text: str) -> str:
    return "\r\n".join(text[start : start + 80] for start in range(0, len(text), 80))


def with_commas(text: str) -> str:
    return "/* a log:\n   mine */\n" + re.sub("(?m)}$", ",  } // one", text)


def test_a_file_may_have_an_entity_with_a_number_of_any_length(tmp_path: Path) -> None:
    """Python reads no more than 4,300 digits. The file ended every build."""
    path = tmp_path / "a.json"
    path.write_text(f"{{&quot;key&quot;: &#{'1' * 4301}; }}\n")
    assert recognise_within_limits(entry_of(path, path.name))


# What people and programs make of lines of JSON, and of JSON over several lines.
NOTATIONS: dict[str, tuple[Callable[[str], str], str]] = {
    "colours": (coloured, "JSON in the colours of a terminal"),
    "broken lines": (wrapped, "JSON whose lines are broken in the middle of texts"),
    "escapes": (
        lambda text: text.replace(r"\n", "\n").replace(r"\t", "\t").replace(r"\r", "\r"),
        "JSON with line ends or tabs inside of texts",
    ),
    "entities": (html.escape, "JSON with entities of HTML"),
    "quoted-printable": (
        lambda text: quopri.encodestring(text.encode()).decode(),
        "JSON in quoted-printable, as mail has it",
    ),
    "base64": (lambda text: encodebytes(text.encode()).decode(), "JSON in base64"),
    "hexadecimal": (lambda text: text.encode().hex("\n", 30), "JSON in hexadecimal digits"),
    "URL": (quote, "JSON in the encoding of URLs"),
    "backslashes twice": (
        lambda text: re.sub(r"(?m)^{", "x\t{", text).replace("\\", "\\\\"),
        "JSON with each backslash written twice",
    ),
    "Ruby": (
        lambda text: text.replace('": ', '"=>').replace("=>null", "=>nil"),
        "Objects as Ruby prints them",
    ),
    "backslashes": (
        lambda text: "\n".join(json.dumps(line)[1:-1] for line in text.splitlines()),
        "JSON with a backslash before each quotation mark",
    ),
    "commas": (with_commas, "JSON with comments, with commas before brackets, or with blanks"),
    "blanks": (
        lambda text: re.sub('": ', '":\u00a0', text),
        "JSON with comments, with commas before brackets, or with blanks",
    ),
}


@pytest.mark.product
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-be"])
@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("notation", NOTATIONS)
def test_the_command_turns_another_notation_back(
    notation: str, indent: int | None, encoding: str, tmp_path: Path
) -> None:
    """Each as a whole file, and behind lines of other programs."""
    write, what = NOTATIONS[notation]
    if notation == "backslashes" and (indent is not None or which("jq") is None):
        pytest.skip("an escape is undone line by line, by jq")
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    texts = [json.dumps({"key": one.key, "value": one.value}, indent=indent) for one in signed]
    path = tmp_path / "a.json"
    path.write_bytes(write("\n".join(texts) + "\n").encode(encoding))
    said = told(path)
    assert said.startswith(what)
    taken = output_of(said.split("`")[1], path)
    assert {row.validity for row in rows(taken) if row.message_id} == {"valid"}
    assert {row.message_id for row in rows(taken)} >= {message_uri(one.key) for one in signed}


# What mail, a difference, a log of other programs and `cat -n` have before each line.
BEFORE = ["> ", "+", "ssb_1  | ", "\x1b[36mssb |\x1b[0m ", "Nov 30 10:00:00 host ssb[1]: ", "%6d\t"]


@pytest.mark.parametrize("encoding", ["utf-8", "utf-16"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("form", ["pretty_printed", "pretty_array"])
@pytest.mark.parametrize("before", BEFORE)
def test_the_command_cuts_off_what_is_before_each_line(
    before: str, form: str, end: str, encoding: str, tmp_path: Path
) -> None:
    signed = [ClassicFeed(bytes([n]) * 32).publish(OF_NOTATIONS, n) for n in range(1, 4)]
    text = forms.TEXTS[form][1]([{"key": one.key, "value": one.value} for one in signed])
    lines = ["ssb-server starts {", "...", *text.splitlines()]
    shown = (before % n if "%" in before else before for n in range(len(lines)))
    path = tmp_path / "a.txt"
    log = "".join(f"{one}{line}{end}" for one, line in zip(shown, lines, strict=True))
    path.write_bytes(log.encode(encoding))
    said = told(path)
    assert said.startswith("JSON with something before each of its lines: cut it off with `")
    found = [row for row in rows(output_of(said.split("`")[1], path)) if row.message_id]
    assert {row.message_id for row in found} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in found} == {"valid"}


@pytest.mark.parametrize("notation", ["base64", "hexadecimal"])
def test_digits_that_end_anywhere_are_told(notation: str) -> None:
    """Those of a file that is cut, or so many as are looked at."""
    write, what = NOTATIONS[notation]
    signed = ClassicFeed(bytes(32)).publish(OF_NOTATIONS, 1)
    text = write(json.dumps({"key": signed.key, "value": signed.value}) * 2).strip()
    for cut in range(len(text) - 9, len(text) + 1):
        assert (told_notation(text[:cut], Packing()) or "").startswith(what)


def test_a_line_broken_behind_a_sign_of_mail_is_not_of_mail() -> None:
    """The command for mail would lose that sign, which is a part of an id."""
    signed = ClassicFeed(bytes(32)).publish({"type": "post"}, 1)
    text = json.dumps({"key": signed.key, "value": signed.value})
    broken = text.replace("=.ed25519", "=\n.ed25519", 1)
    assert (told_notation(broken, Packing()) or "").startswith(NOTATIONS["broken lines"][1])


@pytest.mark.parametrize(
    "names", ["key,value", "author,sequence,content,signature", "key,author,sequence"]
)
def test_line_ends_and_quotation_marks_change_nothing_of_what_is_told_of_csv(names: str) -> None:
    text = f"{names}\n{','.join('%a' for _ in names.split(','))}\n"
    said = without_messages(text, Packing())
    assert said is not None
    assert without_messages(text.replace("\n", "\r\n"), Packing()) == said
    quoted = text.replace(names, '"{}"'.format(names.replace(",", '","')))
    assert without_messages(quoted, Packing()) == said


OF_NOTATIONS = {"type": "post", "text": "a 'b' <c> & \u2713 // d /* e */ ,} ,] \u00a0 \\ \" \r\n\t"}


def test_no_text_of_a_message_is_another_notation(tmp_path: Path) -> None:
    """A stranger's message may hold all of them. So may one that is damaged, if others are whole."""
    content = {
        "type": "post",
        "text": "".join(write(POST.decode()) for write, _ in NOTATIONS.values()),
    }
    signed = ClassicFeed(bytes(32)).publish(content, 1)
    text = json.dumps({"key": signed.key, "value": signed.value}).encode()
    path = tmp_path / "a.jsonl"
    for log in (text, text[:-1] + b"\n" + text, text[:9] + b"\n" + text[9:] + b"\n" + text):
        path.write_bytes(log)
        assert [row.validity for row in rows(path) if row.message_id] == ["valid"]


@pytest.mark.parametrize(
    "text",
    [
        " " * (1 << 20),
        "%" + "a" * (1 << 20),
        "ssb:" * (1 << 18),
        "%|" * (1 << 19),
        "%a{" * (1 << 18),
    ],
    ids=["blanks", "a key", "beginnings", "cells", "objects"],
)
def test_keys_before_messages_are_looked_for_once(text: str) -> None:
    """A pattern that backtracks would not finish here."""
    assert not has_keys_before(text)


def test_a_message_as_deep_as_the_parser_goes_is_in_no_notation() -> None:
    """Only its line end in a text would make it one, and what is proven of it is written again."""
    signed = ClassicFeed(bytes(32)).publish({"type": "post", "text": "a\nb", "deep": 0}, 1)
    text = json.dumps({"value": signed.value}).replace(r"\n", "\n")
    for depth in (200, *range(900, 1000)):
        deep = text.replace('"deep": 0', f'"deep": {depth * "["}{depth * "]"}')
        assert recognise_head(deep.encode(), "none") == Kind("json_lines", "none", "utf-8")


@pytest.mark.skipif(which("jq") is None, reason="jq is not here")
@pytest.mark.parametrize("opening", ["", "["])
def test_the_command_turns_columns_back_into_messages(opening: str, tmp_path: Path) -> None:
    """As `json_normalize` of pandas makes them: a name has the names of the members around it."""
    feed = ClassicFeed(bytes(32))
    contents = [{"type": "post", "text": "a"}, {"type": "vote", "vote": {"value": 1}, "root": "%a"}]
    signed = [feed.publish(content, 1) for content in contents]
    records = [{"key": one.key, "value": one.value} for one in signed]
    columns = [flat(record) for record in records]
    wide = [dict.fromkeys(name for row in columns for name in row) | row for row in columns]
    path = tmp_path / "a.json"
    path.write_text(json.dumps(wide) if opening else "\n".join(map(json.dumps, wide)))
    said = told(path)
    assert said.startswith("JSON objects around messages: take these out with `jq -c '.")
    taken = output_of(said.split("`")[1], path)
    assert [row.message_id for row in rows(taken)] == [message_uri(one.key) for one in signed]
    assert {row.validity for row in rows(taken)} <= {"valid", "not_checked"}


def flat(value: Any, before: str = "") -> dict[str, Any]:
    if not isinstance(value, dict):
        return {before[:-1]: value}
    return {
        name: part
        for member, inner in value.items()
        for name, part in flat(inner, f"{before}{member}.").items()
    }


@pytest.mark.skipif(which("jq") is None, reason="jq is not here")
@pytest.mark.parametrize("lists", [("replies",), ("replies", "votes")], ids=len)
@pytest.mark.parametrize("is_bare", [False, True])
@pytest.mark.parametrize("form", ["json_lines", "pretty_printed", "array", "pretty_array"])
def test_the_command_takes_lists_and_the_messages_beside_them(
    form: str, is_bare: bool, lists: tuple[str, ...], tmp_path: Path
) -> None:
    """As viewers of threads keep replies. The first message has none, so that its list is empty."""
    feed = ClassicFeed(bytes(32))
    signed = [feed.publish({"type": "post", "text": f"{n}"}, n) for n in range(1, 6)]
    records = [one.value if is_bare else {"key": one.key, "value": one.value} for one in signed]
    first, second, third, *others = records
    found = [
        first | {name: [] for name in lists},
        second | {name: [third] for name in lists},
        *others,
    ]
    path = tmp_path / "a.json"
    path.write_text(forms.TEXTS[form][1](found))
    said = told(path)
    assert said.startswith("Messages with lists of messages: ")
    read_rows = rows(output_of(said.split("`")[1], path))
    assert {row.message_id for row in read_rows} == {message_uri(one.key) for one in signed}
    assert {row.validity for row in read_rows} == {"valid"}
