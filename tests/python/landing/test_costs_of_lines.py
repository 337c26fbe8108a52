"""What a hostile line costs, by counts. `benchmarks/bombs.py` and `fuzz.py` measure seconds."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import pytest

import forms
from scuttlehouse.files import bipf
from scuttlehouse.files.jsjson import stringify
from scuttlehouse.files.parts import SHORT_BYTES, Line
from scuttlehouse.landing.glued_lines import line_parts
from scuttlehouse.pzp.canonical import canonical
from scuttlehouse.ssb.bfe import bencode, encode


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
