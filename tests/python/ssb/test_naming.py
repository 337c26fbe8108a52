"""Names that strangers choose: short, harmless on a terminal and a page, and never a key."""

from __future__ import annotations

import base64
import binascii
import json
import random
import re
import string
import unicodedata
from collections.abc import Callable
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from planted_keys import SPELLINGS
from rows import row_of
from scuttlehouse.files import names
from scuttlehouse.ssb import key_texts
from scuttlehouse.ssb.naming import NAME_CHARACTERS, clean_name, name_in_message
from scuttlehouse.ssb.texts import MAX_WORD_LENGTH, is_word

ANN = f"@{'A' * 43}=.ed25519"
BOB = f"@{'B' * 42}A=.ed25519"


@given(st.text(max_size=200) | st.none() | st.integers())
def test_a_name_can_be_written_anywhere(text: object) -> None:
    name = clean_name(text)
    if name is not None:
        assert 0 < len(name) <= NAME_CHARACTERS
        assert name == " ".join(name.split())
        assert {unicodedata.category(one)[0] for one in name}.isdisjoint("C")
        assert clean_name(name) == name


@given(
    st.binary(min_size=16, max_size=64),
    st.sampled_from(["{}", "my key is {}!", "{} ", "\u200b{}", "(\u202e{})"]),
    st.integers(0, 60),
)
def test_no_key_is_a_name(key: bytes, frame: str, place: int) -> None:
    text = base64.b64encode(key).decode()
    at = place % len(text)
    spellings = [
        text,
        base64.urlsafe_b64encode(key).decode(),
        key.hex(),
        text[:at] + "\u200d" + text[at:],
        "".join(chr(ord(one) + 0xFEE0) for one in key.hex()),
        str(list(key)),
        json.dumps(list(key), separators=(",", ":")),
        "".join(f"&#x{ord(one):x};" for one in text),
    ]
    assert [clean_name(frame.format(one)) for one in spellings] == [None] * len(spellings)


@pytest.mark.parametrize("first", [0x2800, 0x1F300, 0x2200])
def test_no_key_in_symbols_is_a_name(first: int) -> None:
    """One for each byte. Of a billion keys of 16 bytes, some have no twelve that differ; of these none."""
    chance = random.Random(4)
    for _ in range(100):
        text = "".join(chr(first + byte) for byte in chance.randbytes(chance.choice([16, 32])))
        assert clean_name(text) is None
        assert clean_name(f"Ann {text}") is None


# What stands between the characters of a key: every few of them, or wherever a word could end.
PIECES = ["(.{4})", "(.{7})", "(.{21})", "([a-z])(?=[A-Z0-9])|([0-9])(?=[A-Za-z])"]
SEPARATORS = [" ", "-", ".", "/", "_", " \u200b", "\u00a0", " - ", "\u0301 "]


@pytest.mark.parametrize(
    "spelling", ["base64", "hex", "base58", "upper-case hex", "percent", "decimal"]
)
def test_no_key_in_pieces_is_a_name_or_a_word(spelling: str) -> None:
    """Of a thousand keys, chance lets one look like words. Of these it is none."""
    chance = random.Random(4)
    for pieces, separator in product(PIECES, SEPARATORS):
        key = SPELLINGS[spelling](chance.randbytes(32))
        text = re.sub(pieces, lambda found: found[0] + separator, key)  # noqa: B023
        for name in (text, f"my key: {text}", text[: NAME_CHARACTERS - 6]):
            assert clean_name(name) is None, name
        assert not is_word(text[:MAX_WORD_LENGTH])


@pytest.mark.parametrize(
    "name",
    [
        "Ann",
        "Jose\u0301 d'A\u00f1il",
        "\u6797 \u5c0f\u864e",
        "Anna Maria von Hohenstein-Wied",
        "50 cats",
    ],
)
def test_names_of_people_stay(name: str) -> None:
    assert clean_name(name) == name


@pytest.mark.parametrize(
    ("content", "is_private", "expected"),
    [
        ({"type": "about", "about": ANN, "name": " Ann\n"}, False, {"about": ANN, "name": "Ann"}),
        (
            {"type": "about", "about": {"link": ANN}, "name": "A"},
            False,
            {"about": ANN, "name": "A"},
        ),
        ({"type": "about", "about": ANN, "name": "Ann"}, True, {}),
        ({"type": "about", "about": "Ann", "name": "Ann"}, False, {}),
        ({"type": "about", "about": ANN, "name": {"set": "Ann"}}, False, {}),
        ({"type": "post", "about": ANN, "name": "Ann"}, False, {}),
        ({"type": "group/init", "name": "Soup"}, True, {"name": "Soup"}),
        ({"type": "group/init", "name": {"set": "Soup"}}, True, {"name": "Soup"}),
        ({"type": "group/init", "name": ["Soup"]}, True, {}),
        ({"type": "group/add-member", "name": "Soup"}, True, {}),
        ({"type": ["about"], "name": "Ann"}, False, {}),
    ],
)
def test_the_names_that_messages_give(
    content: dict[str, object], is_private: bool, expected: dict[str, str]
) -> None:
    assert name_in_message(content, is_private=is_private) == expected


def base_94(key: bytes) -> str:
    """All signs of ASCII are digits."""
    number = int.from_bytes(key)
    return "".join(chr(33 + number // 94**place % 94) for place in range(40))


def base_91(key: bytes) -> str:
    """The alphabet of basE91."""
    signs = string.ascii_letters + string.digits + '!#$%&()*+,./:;<=>?@[]^_`{|}~"'
    number = int.from_bytes(key)
    return "".join(signs[number // 91**place % 91] for place in range(40))


@pytest.mark.parametrize("size", [32, 64])
@pytest.mark.parametrize(
    "spelling",
    [
        pytest.param(base_94, id="base94"),
        pytest.param(base_91, id="base91"),
        pytest.param(lambda key: base64.a85encode(key).decode(), id="ascii85"),
        pytest.param(lambda key: base64.b85encode(key).decode(), id="base85"),
        pytest.param(lambda key: binascii.b2a_uu(key[:32]).decode(), id="uuencode"),
        pytest.param(lambda key: key.decode("latin-1"), id="bytes as characters"),
    ],
)
def test_no_key_in_signs_is_a_name(spelling: Callable[[bytes], str], size: int) -> None:
    """Of a key in base85, a third are signs: fewer than twenty letters and digits were taken for a name. Of
    its bytes as characters, a name kept all but control characters."""
    dice = random.Random(size)
    keys = [spelling(dice.randbytes(size)) for _ in range(2000)]
    names = [key for key in keys if clean_name(key) is not None]
    assert len(names) <= 4, names


@pytest.mark.parametrize(
    "name",
    [
        "Ann (she/her) *~ \u2728 says: hi",
        "[ ANN ] -=- <3",
        "\u00bfQu\u00e9? \u00a1No! \u00abAnn\u00bb",
        "Smith & Sons, Ltd. (est. 1904)",
        "\u00af\\_(\u30c4)_/\u00af",
    ],
)
def test_names_with_signs_stay(name: str) -> None:
    assert clean_name(name) == name


def test_what_comes_after_many_characters_is_not_looked_at() -> None:
    assert clean_name("Ann " + "x " * 500_000) == clean_name("Ann " + "x " * 500)
    assert clean_name(" " * 5_000 + "Ann") is None


def test_a_line_keeps_the_name_and_no_other_text() -> None:
    content = {"type": "about", "about": BOB, "name": "Bob\u0007", "description": "long story"}
    value = {"author": ANN, "sequence": 1, "content": content}
    row = row_of({"key": f"%{'M' * 42}A=.sha256", "value": value})
    assert json.loads(row.content or "") == {"type": "about", "about": BOB, "name": "Bob"}


@given(st.text("abcdef019gz -", max_size=90), st.integers(0, 90))
def test_hex_is_found_wherever_it_begins(text: str, place: int) -> None:
    """One look at each run of its digits is enough: a name of a thousand letters took 3 ms."""
    text = f"{text[:place]}{'0123456789abcdef' * (place % 6)}{text[place:]}"
    runs = re.findall("[a-f0-9]+", text)
    expected = any(
        len(one) >= 32 and {*one} & {*"abcdef"} and {*one} & {*"0123456789"} for one in runs
    )
    for pattern in (key_texts._HEX, names._HEX):
        assert bool(pattern.search(text)) == expected
        assert all(
            found.start() == 0 or text[found.start() - 1] in "gz -"
            for found in pattern.finditer(text)
        )
