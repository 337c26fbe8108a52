"""Some inputs for every target. `benchmarks/fuzz.py` tries more, and measures what they cost."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from targets import NAMES, target

# Python reads no integer of so many digits.
DIGITS = b"1" * 5_000
# What has broken a promise before.
FOUND: dict[str, tuple[str, Any]] = {
    "digits, pretty-printed": ("file", b'{\n"key": %s}\n{\n}\n' % DIGITS),
    "digits in an array": ("file", b'[{"key": %s}, {}]' % DIGITS),
    "digits on a line": ("line", b'{"value":{"author":"b","sequence":%s}}{"content":0}' % DIGITS),
}


@pytest.mark.parametrize(("name", "found"), FOUND.values(), ids=FOUND)
def test_what_broke_a_promise_does_so_no_more(name: str, found: Any) -> None:
    assert target(name).run(found) == len(found)


@pytest.mark.parametrize("name", NAMES)
def test_no_input_breaks_a_promise(name: str) -> None:
    inputs, run = target(name, most_bytes=1 << 14)

    @settings(suppress_health_check=[*HealthCheck])
    @given(st.data())
    def try_input(data: st.DataObject) -> None:
        assert run(data.draw(inputs)) >= 0

    try_input()
