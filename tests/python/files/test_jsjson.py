"""JSON as JavaScript reads and writes it, compared with what Node has written."""

from __future__ import annotations

import json
import math
from decimal import Decimal

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from conftest import FIXTURES
from scuttlehouse.files import jsjson
from scuttlehouse.files.jsjson import (
    MAX_DEPTH,
    MAX_INDENTED,
    TooDeepError,
    TooLongError,
    Value,
    number_text,
    parse,
    stringify,
)
from scuttlehouse.files.parts import MAX_LINE_BYTES

# What node makes of each text, written by make_corpus.mjs beside it.
CORPUS = [
    json.loads(line)
    for line in (FIXTURES / "feeds" / "corpus.jsonl")
    .read_text(encoding="utf-8")
    .removesuffix("\n")
    .split("\n")
]
READABLE = [case for case in CORPUS if len(case) == 3]
REFUSED = [case[0] for case in CORPUS if len(case) == 1]

numbers = st.floats() | st.integers() | st.integers(-(2**53) - 5, 2**53 + 5)
texts = st.text(st.characters(exclude_categories=()) | st.sampled_from("\ud83d\ude00"))
names = texts | st.integers(-2, 12).map(str) | st.sampled_from(["4294967294", "4294967295", "01"])
values: st.SearchStrategy[Value] = st.recursive(
    st.none() | st.booleans() | numbers | texts,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(names, inner, max_size=5),
    max_leaves=20,
)


def test_the_corpus_holds_both_kinds() -> None:
    assert len(READABLE) > 300
    assert len(REFUSED) > 80


@pytest.mark.parametrize(("text", "compact", "indented"), READABLE)
def test_reads_and_writes_as_javascript(text: str, compact: str, indented: str) -> None:
    value = parse(text)
    assert stringify(value) == compact
    assert stringify(value, 2) == indented


@pytest.mark.parametrize("text", REFUSED)
def test_refuses_what_javascript_refuses(text: str) -> None:
    with pytest.raises(ValueError, match=r".") as caught:
        parse(text)
    assert not isinstance(caught.value, TooDeepError)


def as_javascript(value: Value) -> Value:
    """The value that JavaScript has after writing and reading this one."""
    if isinstance(value, bool) or value is None:
        return value
    if isinstance(value, int | float):
        try:
            number = float(value)
        except OverflowError:
            return None
        return number + 0.0 if math.isfinite(number) else None
    if isinstance(value, str):
        return joined(value)
    if isinstance(value, list):
        return [as_javascript(member) for member in value]
    return {joined(name): as_javascript(member) for name, member in value.items()}


def joined(text: str) -> str:
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "surrogatepass")


@given(values, st.integers(0, 4))
def test_what_is_written_is_read_again(value: Value, indent: int) -> None:
    text = stringify(value, indent)
    text.encode()  # never a lone surrogate
    again = parse(text)
    assert again == as_javascript(value)
    assert stringify(again, indent) == text


def member_order(value: dict[str, Value]) -> list[str]:
    """A slow oracle: the order of a JavaScript object's members."""
    indices = sorted(
        int(name)
        for name in value
        if name.isascii() and name.isdigit() and str(int(name)) == name and int(name) < 2**32 - 1
    )
    named = [str(index) for index in indices]
    return named + [name for name in value if name not in named]


@given(st.dictionaries(names.map(joined), st.none()))
def test_integers_come_first_among_the_members(value: dict[str, Value]) -> None:
    written = parse(stringify(value))
    assert isinstance(written, dict)
    assert list(written) == member_order(value)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("\ud83d\ude00", '"😀"'),
        ("\ude00\ud83d", '"\\ude00\\ud83d"'),
        ("\ud83d\ud83d\ude00", '"\\ud83d😀"'),
        ("é\udfff", '"é\\udfff"'),
    ],
    ids=ascii,
)
def test_halves_of_a_surrogate_pair(text: str, written: str) -> None:
    assert stringify(text) == written
    assert parse(written) == joined(text)


plain_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text().map("n{}".format), inner),
    max_leaves=20,
)


@given(plain_values, st.integers(1, 10))
def test_plain_values_are_laid_out_as_python_does(value: Value, indent: int) -> None:
    assert stringify(value, indent) == json.dumps(value, ensure_ascii=False, indent=indent)
    assert stringify(value) == json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def number_oracle(number: float) -> str:
    """Number::toString by way of decimal notation."""
    if not math.isfinite(number):
        return "null"
    if number == 0:
        return "0"
    decimal = Decimal(repr(number)).normalize()
    if 1e-6 <= abs(number) < 1e21:
        return format(decimal, "f")
    sign, digits, power = decimal.as_tuple()
    head, tail = str(digits[0]), "".join(map(str, digits[1:]))
    assert isinstance(power, int)
    return f"{'-' * sign}{head}{'.' * bool(tail)}{tail}e{power + len(tail):+d}"


@given(st.floats())
@example(1e21)
@example(math.nextafter(1e21, 0))
@example(1e-6)
@example(math.nextafter(1e-6, 0))
@example(1e-4)
@example(math.nextafter(1e-4, 0))
@example(-0.00012)
@example(2.0**53 - 0.5)
@example(5e-324)
@example(2.0**53)
@example(2.0**53 + 2)
def test_numbers_are_written_as_javascript_does(number: float) -> None:
    assert number_text(number) == number_oracle(number)


@given(st.integers())
@example(2**53 + 1)
@example(10**400)
@example(-(10**5000))
def test_integers_are_doubles(number: int) -> None:
    try:
        expected = number_oracle(float(number))
    except OverflowError:
        expected = "null"
    assert number_text(number) == expected


def test_long_integers_are_read_as_doubles() -> None:
    assert parse("9" * 6000) == math.inf
    assert parse("-" + "9" * 6000) == -math.inf
    assert parse("1" + "0" * 300) == 1e300


@pytest.mark.parametrize(("opening", "closing"), [("[", "]"), ('{"a":', "}")])
def test_depth_is_bounded(opening: str, closing: str) -> None:
    def nested(depth: int) -> str:
        return opening * depth + "1" + closing * depth

    text = nested(MAX_DEPTH)
    assert stringify(parse(text)) == text
    for depth in (MAX_DEPTH + 1, 300, 900, 5_000, 200_000):
        with pytest.raises(TooDeepError):
            parse(nested(depth))


@pytest.mark.parametrize("innermost", ["1", "[]", "{}", '[[],"[",{}]'])
def test_the_limit_is_the_same_beside_other_brackets(innermost: str) -> None:
    depth = MAX_DEPTH - 1 - innermost.count("[[") - ("[]" in innermost or "{}" in innermost)
    text = '{"a":[],"b":' + "[" * depth + innermost + "]" * depth + "}"
    assert stringify(parse(text)) == text
    with pytest.raises(TooDeepError):
        parse(f"[{text}]")


def test_many_brackets_are_not_deep() -> None:
    text = stringify([[{}, [], "[[{"] for _ in range(2000)])
    assert stringify(parse(text)) == text


def test_the_blanks_of_a_text_are_bounded() -> None:
    def nested(levels: int, others: int) -> Value:
        value: Value = 1.0
        for _ in range(levels):
            value = [value, *[0.0] * others]
        return value

    blanks = stringify(nested(100, 400), 2).count(" ")
    assert MAX_INDENTED * 0.9 < blanks < MAX_INDENTED
    with pytest.raises(TooLongError):
        stringify(nested(100, 4_000), 2)
    assert len(stringify(nested(100, 4_000))) < MAX_LINE_BYTES


def test_a_value_of_endless_depth_is_refused() -> None:
    loop: list[Value] = []
    loop.append(loop)
    with pytest.raises(TooDeepError):
        stringify(loop)


def test_what_is_not_json_is_refused() -> None:
    with pytest.raises(TypeError, match="tuple"):
        stringify([(1,)])  # type: ignore[list-item]


@given(
    st.text(st.sampled_from('{}[]",:\\u0189aeE+-. \n\t\x00\x0btrufalsn\ud83d\ude00é'), max_size=40)
)
def test_reading_gives_a_value_or_a_value_error(text: str) -> None:
    try:
        value = parse(text)
    except ValueError:
        return
    assert parse(jsjson.stringify(value)) == as_javascript(value)
