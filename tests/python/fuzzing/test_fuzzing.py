"""Some inputs for every target. `benchmarks/fuzz.py` tries more, and measures what they cost."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from targets import NAMES, target


@pytest.mark.parametrize("name", NAMES)
def test_no_input_breaks_a_promise(name: str) -> None:
    inputs, run = target(name, most_bytes=1 << 14)

    @settings(suppress_health_check=[*HealthCheck])
    @given(st.data())
    def try_input(data: st.DataObject) -> None:
        assert run(data.draw(inputs)) >= 0

    try_input()
