"""The links of a message that are kept: ids in one spelling, from any form, and never a key."""

from __future__ import annotations

import base64
import json
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rows import RING, row_of
from scuttlehouse.sample.signing import ClassicFeed, Message
from scuttlehouse.ssb.lines import LandedLine
from scuttlehouse.ssb.texts import token

KEY = base64.b64encode(bytes(range(200, 232))).decode()
CIPHERTEXT = "AAAA.box2"
OPENED = {"type": "post", "text": "hello"}


def land(message: Message, value: dict[str, Any], meta: object = None) -> LandedLine:
    line = {"key": message.key, "value": value, "timestamp": message.at, "meta": meta}
    return row_of(line)


def kept(content: dict[str, Any]) -> dict[str, Any]:
    """The part of a message's content that is kept."""
    message = ClassicFeed(bytes(32)).publish({"type": "post", **content}, 1)
    found = json.loads(land(message, message.value).content or "")
    assert isinstance(found, dict)
    return found


def message_ids(key: bytes) -> tuple[str, str, list[str]]:
    """The id of a message in our one spelling, its sigil, and more spellings."""
    plain, url = base64.b64encode(key).decode(), base64.urlsafe_b64encode(key).decode()
    sigil, uri = f"%{plain}.sha256", f"ssb:message/classic/{url}"
    others = [f"{sigil}?unbox={KEY}", f"ssb://message:sha256:{url[:-1]}", f"%{plain[:-1]}.sha256#a"]
    return uri, sigil, others


IDS = st.binary(min_size=32, max_size=32).map(message_ids)


@st.composite
def links(draw: st.DrawFn) -> tuple[object, str]:
    """A link to a message in any form and spelling, and its id in our one spelling."""
    uri, sigil, others = draw(IDS)
    text = draw(st.sampled_from([uri, sigil, *others]))
    return draw(st.sampled_from([text, {"link": text}, {"link": text, "name": "x"}])), uri


@given(links(), st.lists(links(), max_size=3), st.booleans())
def test_links_of_any_shape_give_the_same_ids(
    root: tuple[object, str], others: list[tuple[object, str]], is_list: bool
) -> None:
    link = [root[0]] if is_list else root[0]
    listed, ids = [link for link, _ in others], [name for _, name in others]
    found = kept({"root": link, "branch": listed, "recps": listed})
    assert found["root"] == root[1]
    assert found["branch"] == found["recps"] == ids


@given(IDS, st.lists(IDS, max_size=3))
def test_a_field_of_a_tangle_names_ids_as_texts(
    root: tuple[str, str, list[str]], others: list[tuple[str, str, list[str]]]
) -> None:
    """In any spelling, but in no other form (ruling R6): that keeps its shape, which is a fault."""
    texts, ids = [text for _, text, _ in others], [uri for uri, _, _ in others]
    objects = [{"link": text} for text in texts]
    for written, expected in (
        ({"root": root[1], "previous": texts}, {"root": root[0], "previous": ids}),
        ({"root": root[2][0], "previous": None}, {"root": root[0], "previous": None}),
        ({"root": [root[1]], "previous": objects}, {"root": [root[0]], "previous": [0] * len(ids)}),
        ({"root": {"link": root[1]}, "previous": root[1]}, {"root": 0, "previous": root[0]}),
        ({"root": root[1], "previous": [texts]}, {"root": root[0], "previous": [0]}),
        ({"root": "", "previous": [""]}, {"root": 0, "previous": [""]}),
    ):
        assert kept({"tangles": {"x": written}})["tangles"] == {"x": expected}


@pytest.mark.parametrize(
    ("link", "expected"),
    [
        (None, None),
        (1, 0),
        ({}, 0),
        ({"link": 1}, 0),
        ({"link": {"link": "%a"}}, 0),
        ([], []),
        (["%a", "%b"], [token("%a", RING), token("%b", RING)]),
        ([None, [1], {"x": 1}, {"link": "%a"}], [0, 0, 0, token("%a", RING)]),
        ([[{"link": "%a"}]], 0),
    ],
)
def test_values_that_are_not_links_keep_their_shape(link: object, expected: object) -> None:
    assert kept({"root": link})["root"] == expected


# Links that are not ids, so nothing cuts their queries off.
LINKS_WITH_A_KEY = [
    f"&{KEY[::-1][1:]}=.sha256?unbox={KEY}.boxs",
    f"%x.sha256?unbox={KEY}",
    f"%x.sha256?UNBOX={KEY}",
    f"%x.sha256?unbox={KEY[:20]}",
    f"%x.sha256?a=b&unbox={KEY}",
    f"%x.sha256?key={KEY}",
    f"%x.sha256#{KEY}",
    f"%x.sha256&box={KEY}",
    quote(f"%x.sha256?unbox={KEY}", safe=""),
    quote(f"%x.sha256?key={KEY}", safe=""),
    f"\ud800?unbox={KEY}",
]


@pytest.mark.parametrize("link", LINKS_WITH_A_KEY)
def test_no_key_of_a_query_is_kept(link: str) -> None:
    row = kept(
        {
            "type": link,
            "root": link,
            "branch": [link, {"link": link}],
            "recps": [link],
            "tangles": {link: {"root": link, "previous": [link, {"link": link}]}},
            "metafeed": link,
            "feedpurpose": link,
        }
    )
    assert KEY[:20] not in json.dumps(row)
    assert row["root"] == row["type"] == token(link, RING)
    assert list(row["tangles"]) == [token(link, RING)]


@pytest.mark.parametrize(
    "text",
    [
        "unboxing-video",
        "unbox",
        "metafeed/add/existing",
        "v1",
        "privateGroupInvitationAccepted",
        "a",
    ],
)
def test_words_are_kept(text: str) -> None:
    assert kept({"type": f"{text}/b"})["type"] == f"{text}/b"
    assert list(kept({"tangles": {text: {}}})["tangles"]) == [text]


@pytest.mark.parametrize(
    "text", ["what?", "a&b", "&" + KEY + ".sha256", "100%", "a#b=c", "x" * 41, "a b", "пост"]
)
def test_other_texts_are_tokens_that_join(text: str) -> None:
    row = kept({"type": text, "tangles": {text: {}}})
    assert row["type"] == token(text, RING) == next(iter(row["tangles"]))
    assert text not in json.dumps(row, ensure_ascii=False)


# Opened messages


def opened(**members: Any) -> tuple[Message, dict[str, Any]]:
    """A private message, and its value with the text in place of the ciphertext."""
    message = ClassicFeed(bytes(32)).publish(OPENED, 1, ciphertext=CIPHERTEXT)
    return message, {**message.value, "content": OPENED, **members}


@pytest.mark.parametrize("garbage", ["", "garbage", "AA=A.box", ".boo", "AAAA"])
def test_a_text_that_is_no_ciphertext_hides_none(garbage: str) -> None:
    message, value = opened(cyphertext=CIPHERTEXT)
    row = land(message, value, {"originalContent": garbage})
    assert (row.validity, row.is_decrypted) == ("valid", True)
    message, value = opened(cyphertext=garbage, private=True)
    row = land(message, value, {"original": garbage})
    assert (row.validity, row.warning) == ("not_checked", "ciphertext_not_in_log")


def test_an_unknown_member_accuses_nobody() -> None:
    message, value = opened(private=True, opened_by="software of tomorrow")
    row = land(message, value)
    assert (row.validity, row.invalid_reason) == ("not_checked", None)
    assert (row.warning, row.is_decrypted) == ("ciphertext_not_in_log", True)


def test_an_opened_message_with_another_fault_is_invalid() -> None:
    message, value = opened(private=True, hash="sha512")
    assert land(message, value).invalid_reason == "hash_is_not_sha256"
    message, value = opened(private=True)
    del value["timestamp"]
    assert land(message, value).invalid_reason == "members_out_of_order"


@pytest.mark.parametrize("meta", [{"private": True}, {"private": True, "original": "x"}])
@pytest.mark.parametrize("members", [{}, {"private": True, "unbox": KEY}, {"exported": 1}])
def test_a_text_that_was_signed_was_never_encrypted(
    members: dict[str, Any], meta: dict[str, Any]
) -> None:
    message = ClassicFeed(bytes(32)).publish(OPENED, 1)
    row = land(message, {**message.value, **members}, meta)
    assert (row.validity, row.is_private, row.is_decrypted) == ("valid", False, False)
