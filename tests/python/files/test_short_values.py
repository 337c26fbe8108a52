"""Short lines, read many at a time."""

from __future__ import annotations

import io
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pieces import each_line
from scuttlehouse.files import short_values
from scuttlehouse.files.values import split_values

VALUES = st.sampled_from(
    [
        "{}",
        '{"a":1}',
        '{"key":"%a","value":{}}',
        '{\n  "key": {\n    "a": [{}, "}\\""]\n  }\n}\n',
        '{"key":"%a","value":{"a":"' + "b" * 50 + '"}}',
        '{"":' * 12 + "{}" + "}" * 12,
        '{"":' * 13 + "{" + "}" * 14,
        "\0" * 3,
        "\0" * 65,
        '{"a":"\n"}',
        '{"a":[}',
        "{]}",
        '{"a":"}',
        '{":1}',
        "{x}",
        '{"a":NaN}',
        '{"a":"\u00e9"}',
        "{",
        "}",
        '"',
        "null",
        "nul",
        "true",
        "-0.5e+3",
        "01",
        '"a\\""',
        '"\\q"',
        f'"{"b" * 63}"',
    ]
    + [f'{{"a":"{"b" * length}"}}' for length in (50, 56, 57, 58, 59, 70)]
)


@given(
    pieces=st.lists(
        VALUES | st.sampled_from([",", "\n", " ", "\r\n", "[", "]", "\x1e", "\0"]), max_size=40
    ),
    by_line=st.booleans(),
)
def test_short_values_are_read_as_all_others(pieces: list[str], by_line: bool) -> None:
    """Many at a time, and one by one."""
    data = "".join(pieces).encode()
    many = [*each_line(split_values(io.BytesIO(data), by_line=by_line))]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(short_values, "_ITEMS", re.compile("(?!)"))
        one_by_one = [*split_values(io.BytesIO(data), by_line=by_line)]
    assert many == one_by_one
