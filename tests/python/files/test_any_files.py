"""Files of any bytes: each is told or read."""

from __future__ import annotations

import gzip
import io
import json

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

import forms
from pieces import each_line
from read_files import faults, read
from rows import RING
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.recognise import recognise, recognise_head
from scuttlehouse.files.values import split_values
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.ssb.lines import REJECT_REASONS

PIECES = st.sampled_from(
    [
        b"{",
        b"}",
        b"[",
        b'"',
        b"\\",
        b"\n",
        b"\0",
        b"\x1e",
        b",",
        b'{"key":"%a","value":{}}',
        b'{"key":',
        b'{\n  "key": 1\n}\n',
        b"null",
        b"-1.5",
        b"\xef\xbb\xbf",
        b"\xff\xfe",
        b"\0\0\0\x02{}\0\0\0\x02\0\0\0\x0e",
        b"\x0c\x00\x55\x18key\x2868656",
        gzip.compress(b"{}"),
        b"\x28\xb5\x2f\xfd",
        b"BZh91AY&SY",
    ]
)


SEEDS = st.sampled_from(
    [
        forms.rewrite(
            [{"key": "%a", "value": {"content": n}} for n in range(3)], form, packed, code
        )
        for form in forms.FORMS
        for packed in forms.COMPRESSIONS
        for code in ("utf-8", "utf-16-le")
    ]
)


@st.composite
def damaged_files(draw: st.DrawFn) -> bytes:
    """A log in some form, with bytes flipped, cut out or put in."""
    data = bytearray(draw(SEEDS))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, min(len(data), 400)))
        length = draw(st.integers(0, 12))
        data[place : place + length] = draw(PIECES | st.binary(max_size=9))
    return bytes(data)


@given(data=st.one_of(damaged_files(), st.lists(PIECES | st.binary(max_size=4)).map(b"".join)))
@settings(suppress_health_check=[HealthCheck.too_slow])
def test_any_bytes_are_told_or_read(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    """Every line becomes rows: messages, or one reject; nothing crashes."""
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(data)
    log = entry_of(path, "a.jsonl")
    kind = recognise(log)
    if isinstance(kind, str):
        assert kind
        return
    last = 0
    for line in read(path):
        assert line.line_number >= last
        last = line.line_number
        assert (line.text is None) == (line.fault is not None)
        found = [*land_lines("a", line, RING), *land_pzp_lines("a", line, RING)]
        assert found
        assert {row.reject_reason for row in found} <= {None, *REJECT_REASONS}


@given(data=st.lists(PIECES | st.binary(max_size=4)).map(b"".join))
def test_all_bytes_of_a_text_are_in_values_or_damage(data: bytes) -> None:
    """What is in no value is damage: cut the values out, and faults are left, or nothing but separators."""
    found = [*each_line(split_values(io.BytesIO(data), by_line=False))]
    assert [line.line_number for line in found] == [*range(1, len(found) + 1)]
    rest = data
    for line in found:
        if line.text is not None:
            value = json.loads(line.text.decode("utf-8", "surrogateescape"))
            assert not isinstance(value, list)
            assert line.text in rest
            rest = rest.replace(line.text, b"", 1)
    is_clean = not rest.replace(b"\xef\xbb\xbf", b"").strip(b" \t\r\n,[]\x1e")
    assert is_clean == (not faults(found))


@given(data=st.binary(max_size=600))
@example(data=b'{"a": 1, "a.b": 2}')
@example(data=b'{"a": ["' + b"a" * 70_000)
@example(data=b'{"a": ' + b'{"a":' * 20_000)
def test_any_head_is_recognised_or_told(data: bytes) -> None:
    assert recognise_head(data, "none")
