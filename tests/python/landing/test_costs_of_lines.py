"""What a hostile line costs, by counts. `benchmarks/bombs.py` and `fuzz.py` measure seconds."""

from __future__ import annotations

import inspect
import io
import struct
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from types import FrameType
from typing import Any

import pytest

import forms
from scuttlehouse.files import bipf, jsjson, notations, values
from scuttlehouse.files.jsjson import stringify
from scuttlehouse.files.objects import NoObject
from scuttlehouse.files.packing import Packing
from scuttlehouse.files.parts import SHORT_BYTES, Line
from scuttlehouse.landing.glued_lines import line_parts
from scuttlehouse.pzp import lines as pzp_lines
from scuttlehouse.pzp.canonical import canonical
from scuttlehouse.ssb import exported
from scuttlehouse.ssb.bfe import bencode, encode
from scuttlehouse.ssb.code_pages import in_utf_8, recoded
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.naming import clean_name
from scuttlehouse.ssb.texts import kept_pzp_id

Json = dict[str, Any]


def levels(innermost: Any, depth: int) -> Any:
    for _ in range(depth):
        innermost = [innermost]
    return innermost


@pytest.mark.parametrize("write", [partial(stringify, indent=2), stringify, canonical, encode])
def test_depth_costs_no_calls(write: Callable[[Any], object]) -> None:
    """At some depths Python asks the system for memory at each call, and a stranger chooses the depth."""
    value = levels(1.0, 120)
    with few_calls():
        written = write(value)
    assert written


def test_depth_of_bytes_costs_no_calls() -> None:
    value = levels(b"1", 120)
    record = forms.bipf(levels(None, 120))
    with few_calls():
        assert bencode(value) == b"l" * 120 + b"1:1" + b"e" * 120
        decoded = bipf.decode(record)
    assert decoded == levels(None, 120)


def test_a_long_name_costs_few_calls() -> None:
    """U+FDFA becomes eighteen characters, and each was looked at by several functions."""
    clean_name("\ufdfa")
    assert calls(partial(clean_name, 1_000 * "\ufdfa")) < 10_000


def misnamed(content: Json) -> Json:
    """A message that has another key, in the order that was signed."""
    return {
        "previous": "a",
        "author": f"@{'A' * 43}=.ed25519",
        "sequence": 1.0,
        "timestamp": 1445587812859.0,
        "hash": "sha256",
        "content": content,
        "signature": f"{'A' * 86}==.sig.ed25519",
    }


def test_texts_in_a_code_page_are_written_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever the texts may have been: the key tells which, by the hash of what is written once."""
    written = []

    def counted(value: Any, indent: int = 0) -> str:
        written.append(value)
        return stringify(value, indent)

    monkeypatch.setattr(jsjson, "stringify", counted)
    value = misnamed({"type": "post", "text": "\u2554\u00a2"})
    found = [*exported.forms(value, f"%{'A' * 43}=.sha256", None)]
    assert {form.check.validity for form in found} == {"invalid"}
    assert len([*in_utf_8("\u2554\u00a2")]) == 3
    assert len(written) <= 5


@pytest.mark.parametrize("content", [{"a": [{"b": 1.5}] * 2000}, levels([1.5] * 2000, 60)])
def test_what_is_too_long_for_a_message_is_not_read_in_code_pages(
    monkeypatch: pytest.MonkeyPatch, content: Any
) -> None:
    """Indentation makes it many times as long as its line, and it was read in each of them."""
    read = []

    def counted(text: str, code_page: str) -> str:
        read.append(len(text))
        return recoded(text, code_page)

    monkeypatch.setattr(exported, "recoded", counted)
    for more, is_read in ((content, False), ("", True)):
        value = misnamed({"type": "post", "text": "\u2554\u00a2", "more": more})
        assert [*exported.forms(value, f"%{'A' * 43}=.sha256", None)]
        assert bool(read) == is_read


@pytest.mark.parametrize(("text", "most"), [("a", 1), ("''", 1), ("&", 4), ("&amp;", 7)])
def test_a_text_without_an_entity_is_not_read_again(text: str, most: int) -> None:
    """Each text of a message with a wrong hash was read and written twice, in 35 calls."""
    content = {"type": "post", "more": [text] * 1000}
    found = calls(lambda: [*exported._rewritten({"content": content})])
    assert found < 1000 * most + 100


def test_the_texts_of_a_set_become_tokens_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """They became tokens again for each code page in which software may have read them."""
    kept = []

    def counted(text: str, ring: KeyRing) -> str:
        kept.append(text)
        return kept_pzp_id(text, ring)

    monkeypatch.setattr(pzp_lines, "kept_pzp_id", counted)
    tips = ["\u2554\u00a2"] * 1000
    metadata = {"account": "a", "domain": "set_v1__a", "accountTips": tips}
    line = stringify({"id": "a", "msg": {"metadata": metadata}}).encode()
    row = pzp_lines.land_pzp_line("a.jsonl", Line(1, line, None), KeyRing(b"pepper"))
    assert row is not None
    assert row.validity == "invalid"
    assert 1000 <= len(kept) < 1100


def test_a_file_in_no_notation_is_looked_at_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each object may begin a message, and so may each in the text that a command makes of it."""
    lengths = []
    look = notations.is_message_at

    def counted(text: str, start: int) -> bool:
        lengths.append(len(text) - start)
        return look(text, start)

    monkeypatch.setattr(notations, "is_message_at", counted)
    beginnings = ('{"key":', '[{"key":', "[{&quot;key&quot;:", '\\"[{\\"key\\":', '/* [{"key":"')
    for beginning in beginnings:
        text = beginning * ((1 << 18) // len(beginning))
        assert notations.told_notation(text, Packing()) is None
        assert sum(lengths) < 40 * len(text)
        lengths.clear()


def calls(work: Callable[[], object]) -> int:
    """How many functions are called, those in C too."""
    counted = 0

    def count(_frame: FrameType, event: str, _argument: object) -> None:
        nonlocal counted
        counted += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(count)
    try:
        work()
    finally:
        sys.setprofile(before)
    return counted


@contextmanager
def few_calls() -> Iterator[None]:
    """Functions may be within each other only a few times, fewer than a value's levels."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack(0)) + 40)
    try:
        yield
    finally:
        sys.setrecursionlimit(limit)


def test_a_line_has_no_more_parts_than_short_texts_fit() -> None:
    """What a piece of a line costs is bounded, so its pieces are counted."""
    message = b'{"author":"b","sequence":1,"content":{"type":"a message of a line"}}'
    damaged = b'{"a":"' + b"\\u0022" * 12 + b'"}{'
    begun = b'{"key":' * 20 + b'"value"}}'
    for piece in (message, damaged, begun, b"{}", b'{"key":{}}', message + b"{", b'{"msg":' * 9):
        for text in (piece, piece * 7, piece * 1_000):
            parts = [*line_parts(Line(1, text, None))]
            assert len(parts) <= len(text) // SHORT_BYTES + 2


@pytest.mark.parametrize("between", [b"{}", b"null"])
def test_objects_inside_of_a_damaged_one_are_read_a_few_times(
    between: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What follows each of them tells that it is inside, and is the same for all."""
    lengths = []
    read = values.object_at

    def counted(text: str, start: int) -> Any:
        found = read(text, start)
        lengths.append(0 if isinstance(found, NoObject) else found.end - start)
        return found

    monkeypatch.setattr(values, "object_at", counted)
    message = b'{"key":1,"value":"%s"}' % (b"x" * 48)
    part = b",".join([message, between] * 40 + [between] * 1_000) + b"} x "
    text = b'[{"key" x ' + part * 20 + b"]"
    assert [*values.split_values(io.BytesIO(text), by_line=False)]
    assert sum(max(length, SHORT_BYTES) for length in lengths) < 8 * len(text)


def test_a_damaged_block_is_decoded_a_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    """The name of each member may begin an object, up to the same byte that is wrong."""
    block = bytearray(b"\xff\xff\7" + bytes(5))
    end = bipf.BLOCK_BYTES - 64
    while len(block) < end - 4_000:
        length = end - len(block) - 3
        tag = (length - 3) << 3 | 5
        tags = bytes([tag & 0x7F | 0x80, tag >> 7 & 0x7F | 0x80, tag >> 14])
        block += b"\x28" + struct.pack("<H", length) + tags
    block = block.ljust(end - 1, b"\0") + b"\7" + bytes(64)
    lengths = []
    decode = bipf.decode

    def counted(data: bytes) -> Any:
        lengths.append(len(data))
        return decode(data)

    monkeypatch.setattr(bipf, "decode", counted)
    assert [record.fault for record in bipf.block_records(bytes(block))] == ["damaged"]
    assert bipf.BLOCK_BYTES < sum(lengths) < 6 * bipf.BLOCK_BYTES
