"""Several messages on a line, and what stands before or beside them."""

from __future__ import annotations

from pathlib import Path

import pytest

import forms
from read_files import SAMPLE, read, values
from rows import RING
from scuttlehouse.files.parts import Line
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines, line_parts


def test_glued_messages_of_both_sources() -> None:
    """Each is a row of its source; the keys of epochs are found, and damage is told once."""
    lines = (SAMPLE / "alice.jsonl").read_bytes().splitlines()
    inits = [line for line in lines if [*epoch_keys(Line(1, line, None))]]
    assert len(inits) > 5
    posts = [line for line in lines if b'"type": "post"' in line or b'"type":"post"' in line]
    sets = (SAMPLE / "devices.jsonl").read_bytes().splitlines()
    glued = Line(
        7, b"".join([inits[0], inits[1][:200], sets[0], posts[0], inits[2], sets[1]]), None
    )
    alone = [Line(7, text, None) for text in (inits[0], sets[0], posts[0], inits[2], sets[1])]
    found = [*land_lines("a", glued, RING)]
    assert found[:-1] == [row for line in alone for row in land_lines("a", line, RING)]
    assert (found[-1].reject_reason, found[-1].line_number) == ("damaged", 7)
    expected = [row for line in alone for row in land_pzp_lines("a", line, RING)]
    assert len(expected) == 2
    assert [*land_pzp_lines("a", glued, RING)] == expected
    assert [*epoch_keys(glued)] == [key for line in alone for key in epoch_keys(line)]


@pytest.mark.parametrize(
    ("before", "behind"),
    [
        (b"2023-01-01 12:00:00 INFO ", b""),
        (b"<34>Oct 11 22:14:15 host ssb: ", b""),
        (b"data: ", b"\n"),
        (b"7\t", b"\tpeer"),
        (b'["%a",', b"]"),
        (b"\x1b[32m", b"\x1b[0m"),
    ],
)
def test_lines_with_something_before_their_messages_are_numbered_as_lines(
    before: bytes, behind: bytes, tmp_path: Path
) -> None:
    """As programs print them, with the time or the name of a peer; syslog begins with a bracket."""
    path = tmp_path / "a.jsonl"
    texts = [forms.text(value).encode() for value in values()[:40]]
    path.write_bytes(b"".join(before + text + behind + b"\n" for text in texts))
    found = [part for part in read(path) if part.text and part.text.startswith(b"{")]
    assert [part.text for part in found] == texts
    step = 1 + behind.count(b"\n")
    numbers = [*range(1, step * len(texts) + 1, step)]
    assert [part.line_number for part in found] == numbers
    assert {part.line_number for part in read(path)} == set(numbers)


@pytest.mark.parametrize(
    ("last", "fault"),
    [
        (
            b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {"a": "b',
            "cut_short",
        ),
        (b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {', "cut_short"),
        (b'{"key": "%a", "value" {"author": "@a", "sequence": 1, "content": {}}}', "damaged"),
        (b'{"key": "%a", "value": {"author": "@a", "sequence": 1, "content": {}},}', "damaged"),
        (b"{key: '%a', value: {author: '@a', sequence: 1, content: {type: 'post'}}}", "damaged"),
    ],
)
@pytest.mark.parametrize(("opening", "ending"), [(b"[", b","), (b"", b"\n\n")])
def test_a_file_is_cut_only_if_it_ends_in_a_message(
    opening: bytes, ending: bytes, last: bytes, fault: str, tmp_path: Path
) -> None:
    path = tmp_path / "a.json"
    first = forms.text(values()[0], 2).encode()
    behind = b"" if fault == "cut_short" else b"\n]" if opening else b"\n"
    path.write_bytes(opening + first + ending + last + behind)
    found = read(path)
    assert [line.fault for line in found] == [None, fault]


def test_a_text_beside_a_message_on_its_line_is_damage() -> None:
    message, text = b'{"key":"%%a","value":{"content":"%s"}}' % (b"b" * 50), b'"%s"' % (b"b" * 70)
    parts = [*line_parts(Line(7, message + b"," + text + b",5", None))]
    assert parts == [Line(7, message, None), Line(7, None, "damaged")]
    alone = Line(7, text + b",5,", None)
    assert [*line_parts(alone)] == [alone]
