"""Files as a build reads them, for the tests of files."""

from __future__ import annotations

import json
from dataclasses import replace
from functools import cache
from pathlib import Path
from subprocess import run
from typing import Any

import forms
from conftest import FIXTURES, PROJECT
from pieces import each_line
from rows import RING
from scuttlehouse.files.json_lines import line_object
from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import Kind, Line
from scuttlehouse.landing.glued_lines import land_lines
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.ssb.lines import LandedLine

REPORTED = FIXTURES / "reported" / "files"
SAMPLE = PROJECT / "sample"
POST = b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {}}}'


def read(path: Path) -> list[Line]:
    log = entry_of(path, path.name)
    kind = recognise_within_limits(log)
    assert isinstance(kind, Kind), kind
    return [
        line
        for split in list_splits([replace(log, kind=kind)])
        for line in each_line(read_lines(split))
    ]


def rows(path: Path) -> list[LandedLine]:
    return [row for line in read(path) for row in land_lines(path.name, line, RING)]


@cache
def values() -> tuple[Any, ...]:
    """Messages of the sample, of both sources, each for itself."""
    lines = (SAMPLE / "alice.jsonl").read_bytes().splitlines()[:160]
    lines += (SAMPLE / "devices.jsonl").read_bytes().splitlines()[:20]
    return tuple(forms.objects(lines))


def parsed(lines: list[Line]) -> list[Any]:
    return [json.loads(line.text or b"null", parse_int=float) for line in lines]


@cache
def records_with_ids() -> tuple[list[Any], list[str | None]]:
    """Messages of the classic source, and the ids of their rows."""
    records = [value for value in values() if "value" in value]
    return records, [row_of(record).message_id for record in records]


def told(path: Path) -> str:
    """What a file is that is not read, and what to do."""
    sentence = recognise_within_limits(entry_of(path, path.name))
    assert isinstance(sentence, str)
    return sentence


def output_of(command: str, path: Path) -> Path:
    """A file with what a command of a shell makes of another one."""
    output = path.with_name("output.json")
    with path.open("rb") as stdin, output.open("wb") as stdout:
        run(["sh", "-c", command], stdin=stdin, stdout=stdout, check=True)
    return output


def row_of(value: Any) -> LandedLine:
    return row_of_text(json.dumps(value).encode())


def row_of_text(text: bytes | None) -> LandedLine:
    [row] = land_lines("a", Line(1, text, None), RING)
    return row


def faults(lines: list[Line]) -> list[str]:
    return [line.fault for line in lines if line.fault]


@cache
def bare_values() -> tuple[Any, ...]:
    """Public messages of both sources, without the records around them."""
    bare = [one.get("msg") or one["value"] for one in values() if "msg" in one or "value" in one]
    return tuple(one for one in bare if "data" in one or row_of(one).validity == "valid")


def is_json(line: Line) -> bool:
    return line.text is not None and isinstance(line_object(line), dict)
