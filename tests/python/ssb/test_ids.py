"""Every spelling of an id is one id, and what looks like an id is none."""

from __future__ import annotations

import base64
from urllib.parse import quote

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from scuttlehouse.ssb.ids import (
    any_id,
    feed_format,
    feed_id,
    feed_of_message,
    id_bytes,
    is_bare_id,
    link_text,
    message_format,
    message_sigil,
    message_uri,
)

KEY = bytes(range(200, 232))
SIGIL64 = base64.b64encode(KEY).decode()
URL64 = base64.urlsafe_b64encode(KEY).decode()
URL64_OF_64 = base64.urlsafe_b64encode(KEY + KEY).decode()
MESSAGE = f"%{SIGIL64}.sha256"
FEED = f"@{SIGIL64}.ed25519"
BENDY_FEED = f"ssb:feed/bendybutt-v1/{URL64}"

keys = st.binary(min_size=32, max_size=32)


@given(keys)
def test_both_spellings_of_an_id_are_one(key: bytes) -> None:
    plain = base64.b64encode(key).decode()
    url = base64.urlsafe_b64encode(key).decode()
    sigil, uri = f"%{plain}.sha256", f"ssb:message/classic/{url}"
    spellings = [sigil, uri, f"ssb:message/sha256/{url}"]
    assert {message_uri(text) for text in spellings} == {uri}
    assert {message_sigil(text) for text in spellings} == {sigil}
    feed = f"@{plain}.ed25519"
    feeds = [feed, f"ssb:feed/classic/{url}", f"ssb:feed/ed25519/{url}"]
    assert {feed_id(text) for text in feeds} == {feed}
    assert {feed_format(text) for text in feeds} == {"classic"}


@pytest.mark.parametrize(
    "uri",
    [
        f"ssb:message/bendybutt-v1/{URL64}",
        f"ssb:message/buttwoo-v1/{URL64}",
        f"ssb:message/gabbygrove-v1/{URL64}",
    ],
)
def test_messages_of_other_formats_keep_their_uri(uri: str) -> None:
    assert message_uri(uri) == uri
    assert message_sigil(uri) is None
    assert feed_id(uri) is None


@pytest.mark.parametrize(
    ("uri", "form"),
    [
        (BENDY_FEED, "bendybutt-v1"),
        (f"ssb:feed/buttwoo-v1/{URL64}/{URL64}", "buttwoo-v1"),
        (f"ssb:feed/indexed-v1/{URL64}", "indexed-v1"),
        (f"ssb:feed/{'a' * 17}-v1/{URL64}", f"{'a' * 17}-v1"),
    ],
)
def test_feeds_of_other_formats_keep_their_uri(uri: str, form: str) -> None:
    assert feed_id(uri) == uri
    assert feed_format(uri) == form
    assert message_uri(uri) is None


def lookalikes(text: str) -> list[str]:
    """Texts that a careless pattern takes for the id."""
    last = text.rindex("=")
    return [
        text + "\n",
        text + " ",
        " " + text,
        text + "x",
        text[1:],
        text.upper(),
        text.replace("=", "=="),
        text.replace("=", "%253D"),
        text.replace("=", "%3"),
        text[: last - 1] + "\u0664" + text[last:],  # ARABIC-INDIC DIGIT FOUR
        text[: last - 1] + "\uff21" + text[last:],  # FULLWIDTH A
        text[: last - 5] + text[last - 4 :],
        text[: last - 5] + "AA" + text[last - 4 :],
        text[: last - 1] + chr(ord(text[last - 1]) + 1) + text[last:],  # bits beyond the last byte
        text[: last - 5] + "\ud800" + text[last - 4 :],
    ]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "%",
        "@",
        "null",
        "__proto__",
        *lookalikes(MESSAGE),
        *lookalikes(FEED),
        *lookalikes(f"ssb:message/classic/{URL64}"),
        *lookalikes(f"ssb:feed/classic/{URL64}"),
        MESSAGE.replace("%", "&"),
        MESSAGE.replace(".sha256", ".ed25519"),
        MESSAGE.replace(".sha256", "Xsha256"),
        FEED.replace(".ed25519", ".sha256"),
        FEED.replace(".ed25519", ".ed25519.x"),
        f"%{SIGIL64.replace('=', '')}.sha256=",
        f"ssb:message/classic/{SIGIL64.replace('/', '+')}",
        f"ssb:message/classic/{URL64}/{URL64}",
        f"%{'+-' + SIGIL64[2:]}.sha256",  # two alphabets
        "ssb:message/classic/",
        "ssb:message/bendybutt-v1/",
        "ssb:message/bendybutt-v1",
        f"ssb:message//{URL64}",
        f"ssb:message/Bendybutt-v1/{URL64}",
        f"ssb:message/bendybutt-v1/{URL64}/",
        f"ssb:message/bendybutt-v1/{URL64}\n",
        *lookalikes(f"ssb:message/bendybutt-v1/{URL64}"),
        *lookalikes(f"ssb:feed/buttwoo-v1/{URL64}/{URL64}"),
        f"ssb:message/bamboo/{URL64_OF_64[:-3]}B==",  # bits beyond the last byte
        f"ssb:feed/bendybutt-\u0661/{URL64}",
        f"ssb:feed/{'a' * 21}/{URL64}",
        f"@{SIGIL64}.{'a' * 18}-v1",
        f"ssb:feed/buttwoo-v1/{URL64}/{URL64}/{URL64}",
        f"ssb:feed/buttwoo-v1/{URL64}/AAAA",
        f"ssb:message/ed25519/{URL64}",
        f"ssb:feed/sha256/{URL64}",
        f"ssb:message/classic/{URL64_OF_64}",
        f"ssb:identity/group/{URL64_OF_64}",
        f"ssb:identity/group/{URL64}/{URL64}",
        f"ssb:blob/classic/{URL64}",
        f"http://ssb:feed/classic/{URL64}",
    ],
)
def test_a_lookalike_is_not_an_id(text: str) -> None:
    assert (any_id(text), id_bytes(text)) == (None, None)
    assert (message_uri(text), message_sigil(text), message_format(text)) == (None, None, None)
    assert (feed_id(text), feed_format(text)) == (None, None)


@given(keys, st.integers(0, 50), st.characters())
def test_a_changed_character_gives_another_id_or_none(key: bytes, at: int, char: str) -> None:
    sigil = f"%{base64.b64encode(key).decode()}.sha256"
    changed = sigil[:at] + char + sigil[at + 1 :]
    assume(char not in "-_")  # What these stand for in a URI, they may be in a sigil.
    assert (message_uri(changed) == message_uri(sigil)) == (changed == sigil)
    back = message_sigil(changed)
    assert back in (None, changed)
    if back is not None:
        plain = back[1:-7]
        assert base64.b64encode(base64.b64decode(plain, validate=True)).decode() == plain


# Sigil, end of the sigil and format, as the table of scuttlehouse.ssb.ids lists them.
SUFFIXES = [
    ("%", "sha256", "classic"),
    ("@", "ed25519", "classic"),
    ("%", "cloaked", "cloaked"),
    ("%", "ggmsg-v1", "gabbygrove-v1"),
    ("@", "ggfeed-v1", "gabbygrove-v1"),
    ("%", "bbmsg-v1", "bendybutt-v1"),
    ("@", "bbfeed-v1", "bendybutt-v1"),
    ("@", "indexedfeed-v1", "indexed-v1"),
    ("%", "indexedmsg-v1", "indexed-v1"),
    ("@", "bamboo", "bamboo"),
    ("%", "buttwoo-v1", "buttwoo-v1"),
    ("@", "fusion-v1", "fusion-v1"),
]
TAILS = [
    "",
    "?unbox=AZlrtZIJQiHqgwCaB0GgtIiFXha+XN5y6n5NJz/HtunP",
    "?a=1&b=2\n",
    "#part",
    "/blob",
    "/blob?x#y",
]


@st.composite
def spellings(draw: st.DrawFn) -> tuple[str, str]:
    """An id in any spelling, and in the spelling of ruling R1."""
    key = draw(keys)
    plain, url = base64.b64encode(key).decode(), base64.urlsafe_b64encode(key).decode()
    sigil, suffix, form = draw(st.sampled_from([*SUFFIXES, ("ssb", "group", "group")]))
    kind = {"%": "message", "@": "feed"}.get(sigil, "identity")
    expected = f"ssb:{kind}/{form}/{url}"
    if (sigil, form) == ("@", "classic"):
        expected = f"@{plain}.ed25519"
    padding, end = draw(st.sampled_from(["=", ""])), draw(st.sampled_from(TAILS))
    if sigil != "ssb" and draw(st.booleans()):
        digits = draw(st.sampled_from([plain, url]))
        return f"{sigil}{digits[:-1]}{padding}.{suffix}{end}", expected
    separators = [draw(st.sampled_from("/:")) for _ in range(2)]
    name = draw(st.sampled_from([form, suffix]))
    begin = draw(st.sampled_from(["ssb:", "ssb://"]))
    return f"{begin}{kind}{separators[0]}{name}{separators[1]}{url[:-1]}{padding}{end}", expected


@settings(max_examples=4 * settings.default.max_examples)
@given(spellings())
def test_every_spelling_gives_that_of_the_ruling(spelling: tuple[str, str]) -> None:
    text, expected = spelling
    assert any_id(text) == expected
    assert any_id(expected) == expected
    kind = "feed" if expected[0] == "@" else expected[4:].split("/")[0]
    assert message_uri(text) == (expected if kind == "message" else None)
    assert feed_id(text) == (expected if kind == "feed" else None)
    form = "classic" if expected[0] == "@" else expected.split("/")[1]
    assert message_format(text) == (form if kind == "message" else None)
    assert feed_format(text) == (form if kind == "feed" else None)
    key = id_bytes(text)
    assert key is not None
    sigil = f"%{base64.b64encode(key).decode()}.sha256"
    assert message_sigil(text) == (sigil if (kind, form) == ("message", "classic") else None)
    assert base64.urlsafe_b64encode(key).decode() in expected.replace("+", "-").replace("/", "_")
    assert any_id(" " + text) is None
    assert any_id("x" + text) is None


@given(spellings(), st.sampled_from(["", "/", ":", "@", "=", "@:/", "%"]))
def test_an_id_in_a_url_is_that_id(spelling: tuple[str, str], safe: str) -> None:
    """With all escapes or some (ssb-ref 2, ``extract``). A URI of Patchfox has the base64 of sigils."""
    text, expected = spelling
    assert any_id(quote(text, safe)) == expected
    key = id_bytes(text)
    assert key is not None
    base64_of_sigils = quote(base64.b64encode(key).decode(), safe="")
    kind, form = ("feed", "ed25519") if expected[0] == "@" else expected[4:].split("/")[:2]
    for begin in (f"ssb:{kind}/{form}/", f"ssb://{kind}/{form}/", f"ssb:{kind}:{form}:"):
        assert any_id(begin + base64_of_sigils) == expected


@pytest.mark.parametrize("digits", ["25", "2F", "3D", "3F", "40"])
def test_a_key_that_begins_like_an_escape_is_itself(digits: str) -> None:
    expected = f"ssb:message/classic/{digits}{URL64[2:]}"
    text = f"%{digits}{SIGIL64[2:]}.sha256"
    assert (any_id(text), is_bare_id(text)) == (expected, True)
    assert any_id(quote(text, safe="")) == expected


@pytest.mark.parametrize("tail", ["?unbox=c2VjcmV0", "#part", "/blob"])
@pytest.mark.parametrize("text", [MESSAGE, FEED, BENDY_FEED])
def test_what_has_escapes_is_more_than_an_id(text: str, tail: str) -> None:
    """A key may be in it."""
    written = quote(text + tail, safe="")
    assert any_id(written) == any_id(text)
    assert not is_bare_id(written)


@given(st.text())
def test_the_one_spelling_is_a_fixed_point(text: str) -> None:
    name = any_id(text)
    assert name is None or any_id(name) == name


IDS = [
    f"ssb:{kind}/{form}/{keys}"
    for kind in ("feed", "message")
    for form in ("buttwoo-v1", "bendybutt-v1")
    for keys in (URL64, f"{URL64}/{URL64}")
]


@pytest.mark.parametrize("parent", [*IDS, FEED, MESSAGE, "x", None, 1])
@pytest.mark.parametrize("author", [*IDS, FEED, MESSAGE, "x"])
def test_only_a_key_of_buttwoo_has_a_feed_for_each_message_above(
    author: str, parent: object
) -> None:
    """What is above a feed is one message of this format."""
    is_own = (author, parent) == (IDS[0], IDS[4])
    assert feed_of_message(author, parent) == (f"{author}/{URL64}" if is_own else author)


def test_long_ids_of_bamboo_and_of_feeds_with_two_keys() -> None:
    long = base64.b64encode(KEY * 2).decode()
    uri = f"ssb:message/bamboo/{base64.urlsafe_b64encode(KEY * 2).decode()}"
    assert message_uri(f"%{long}.bamboo") == message_uri(f"%{long[:-2]}.bamboo") == uri
    assert message_uri(f"%{uri.rpartition('/')[2]}.bamboo") == uri
    assert message_uri(uri[:-2]) == uri
    assert message_uri(f"%{long}.sha256") is None
    two = f"ssb:feed/buttwoo-v1/{URL64}/{URL64}"
    assert feed_id(two.replace("/", ":").replace("=", "")) == two
    assert id_bytes(uri) == KEY * 2
    assert id_bytes(two) is None, "it is no one key"


@pytest.mark.parametrize(
    "text",
    [
        "%" * 500_000,
        "ssb:feed/a" + "-a" * 250_000,
        "ssb:feed/a" + "/a" * 250_000 + "!",
        "ssb:message/" + "blob/" * 100_000 + "?",
    ],
)
def test_long_texts_are_read_once(text: str) -> None:
    """A pattern that backtracks would not finish here."""
    assert any_id(text) is None


def test_a_link_may_be_an_object() -> None:
    assert link_text({"link": MESSAGE, "name": "x"}) == MESSAGE
    assert link_text(MESSAGE) == MESSAGE
    assert link_text({"link": 1}) == {"link": 1}


@pytest.mark.parametrize(
    "form", ["0a1b2c3d4e5f60718293", "a1b2c3d4-v1", "x-v12345678901234567", "sha256-v1"]
)
def test_a_format_holds_no_part_of_a_key(form: str) -> None:
    """It is words, and perhaps the number of a version."""
    key = "A" * 43
    assert any_id(f"ssb:message/{form}/{key}=") is None
    assert any_id(f"@{key}=.{form}") is None
