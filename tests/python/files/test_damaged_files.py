"""Damage costs the messages that it is in, and no others."""

from __future__ import annotations

import io
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forms
from pieces import each_line
from read_files import POST, bare_values, faults, is_json, parsed, read, row_of, rows, values
from scuttlehouse.files import flume, pzp_log
from scuttlehouse.files.json_lines import line_object
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import Line
from scuttlehouse.files.recognise import recognise
from scuttlehouse.files.values import split_values
from scuttlehouse.landing.glued_lines import line_parts
from scuttlehouse.sample.signing import BendyFeed


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("fault", ["zeros", "cut", "glued"])
def test_damage_costs_one_message(form: str, fault: str, tmp_path: Path) -> None:
    """A part of one message is overwritten by zeros, or lost; or what stands between two is lost."""
    messages = [value for value in values() if "value" in value][:30]
    data = forms.TEXTS[form][1](messages).encode()
    victim = data.index(messages[11]["key"].encode()) + 120
    beginnings = [data.rindex(b"{", 0, data.index(message["key"].encode())) for message in messages]
    if fault == "zeros":
        data = data[:victim] + bytes(100) + data[victim + 100 :]
    elif fault == "cut":
        data = data[:victim] + data[beginnings[12] :]
    else:
        data = data[: beginnings[11]].rstrip(b"\n\x1e, ") + data[beginnings[11] :]
    path = tmp_path / "a.json"
    path.write_bytes(data)
    found = rows(path)
    expected = [row_of(message).message_id for message in messages]
    if fault != "glued":
        del expected[11]
    assert [row.message_id for row in found if row.message_id] == expected
    assert [row.reject_reason for row in found if row.reject_reason] == {
        "glued": [],
        "cut": ["damaged"],
        "zeros": ["not_json" if form == "json_lines" else "damaged"],
    }[fault]


@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("member", ["value", "msg"])
@pytest.mark.parametrize("fault", ["zeros", "garbage", "cut"])
def test_damage_at_the_beginning_costs_the_first_message(
    form: str, member: str, fault: str, tmp_path: Path
) -> None:
    """The form is recognised by what comes after."""
    messages = [value for value in values() if isinstance(value.get(member), dict)][:30]
    data = forms.rewrite(messages, form, "none", "utf-8")
    path = tmp_path / "a.json"
    path.write_bytes({"zeros": bytes(90), "garbage": b"\xa5" * 90, "cut": b""}[fault] + data[90:])
    whole = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
    # What is left of the first message may be an object.
    assert [one for one in whole if member in one] == messages[1:]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("wrapper", ["", "seq", "offset"])
@pytest.mark.parametrize("fault", ["a line before", "cut"])
def test_values_without_records_behind_something_else(
    form: str, wrapper: str, fault: str, tmp_path: Path
) -> None:
    """None of them but the first begins with what stands at the beginning of the file."""
    for bare in (
        [value for value in bare_values() if "content" in value][:30],
        [value for value in bare_values() if "data" in value],
    ):
        messages = [{wrapper: 1.0, "value": value} if wrapper else value for value in bare]
        data = forms.rewrite(messages, form, "none", "utf-8")
        path = tmp_path / "a.json"
        path.write_bytes(b"server started\n" + data if fault == "a line before" else data[150:])
        whole = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
        assert whole == (messages if fault == "a line before" else messages[1:])


@pytest.mark.parametrize("before", [b"msg: ", b"00ff12ab", b"cb(null, "])
@pytest.mark.parametrize(
    "behind", [b"", b", from a peer", b", true)", b", 5 ms", b', "a" ms', b", 5"]
)
def test_values_beside_something_else_on_their_lines(
    before: bytes, behind: bytes, tmp_path: Path
) -> None:
    """As debuggers print them, and as the test data of flumedb-rs has them behind their bytes in hex."""
    path = tmp_path / "a.jsonl"
    texts = (forms.text(value).encode() for value in bare_values())
    path.write_bytes(b"".join(before + text + behind + b"\n" for text in texts))
    parts = [part for line in read(path) for part in line_parts(line)]
    assert parsed([part for part in parts if is_json(part)]) == [*bare_values()]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("lost", ["before it", "behind it", "around it"])
def test_a_value_inside_of_a_damaged_record_is_no_message(
    form: str, lost: str, tmp_path: Path
) -> None:
    """Its ciphertext may be beside it, in the record."""
    messages = [value for value in values() if "value" in value][:30]
    data = forms.rewrite(messages, form, "none", "utf-8").decode()
    key = data.index(messages[11]["key"])
    name = data.index('"value"', key)
    brace = data.index("{", name)
    end = brace + json.JSONDecoder().raw_decode(data[brace:])[1]
    following = data.rindex("{", 0, data.index(messages[12]["key"]))
    before = data[: name if lost == "behind it" else key + 8]
    behind = data[end if lost == "before it" else following :]
    path = tmp_path / "a.json"
    path.write_text(before + data[name:end] + behind)
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    assert parsed(parts) == messages[:11] + messages[12:]


@pytest.mark.parametrize("form", [*forms.TEXTS])
@pytest.mark.parametrize("fault", ["too deep", "cut", "its beginning is lost", "damaged"])
def test_no_message_inside_of_another_counts(form: str, fault: str, tmp_path: Path) -> None:
    """A stranger may write it there, in the name of somebody else: no rule for damage takes it out."""
    messages = [value for value in values() if "value" in value][:12]
    foreign = {"key": messages[0]["key"], "value": {"author": "@a", "content": "y" * 9}}
    others = [foreign, {"a": 1.0}, foreign, None, foreign, -1.5, foreign, "\\", foreign, True]
    content = {"deep": "DEEP", "one": foreign, "some": others, "z": "end"}
    stranger = {"key": "%a", "value": {"author": "@a", "content": content, "hash": "sha256"}}
    place = len(messages) if fault == "cut" else 6
    text = forms.TEXTS[form][1]([*messages[:place], stranger, *messages[place:]])
    deep = "[" * 3000 + "]" * 3000 if fault == "too deep" else "123454321.5"
    text = text.replace('"DEEP"', deep)
    if fault == "cut":
        text = text[: text.index('"end"')]
    elif fault == "its beginning is lost":
        text = text[: text.index('"%a"') - 4] + text[text.index(deep) :]
    elif fault == "damaged":
        text = text.replace(deep, "x")
    path = tmp_path / "a.json"
    path.write_text(text)
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    found = parsed(parts)
    assert foreign not in found
    assert [value for value in found if value in messages] == messages


@pytest.mark.parametrize("form", ["array", "pretty_array", "json_sequence"])
@pytest.mark.parametrize("other", [None, True, -1.5, "%a"])
def test_values_between_messages_cost_none(form: str, other: Any, tmp_path: Path) -> None:
    """JavaScript writes null in an array for what is undefined, as a message that was deleted."""
    messages = [value for value in values() if "value" in value][:12]
    between = [one for message in messages for one in (other, message)]
    path = tmp_path / "a.json"
    path.write_text(forms.TEXTS[form][1]([*between, other]))
    found = rows(path)
    assert [row.message_id for row in found if row.message_id] == [
        row_of(message).message_id for message in messages
    ]
    assert {row.reject_reason for row in found} == {None, "not_a_message"}


def test_damage_before_every_message_of_an_array_costs_none() -> None:
    messages = [value for value in values() if "value" in value][:12]
    text = forms.array(messages).replace('},{"key"', '},x{"key"')
    lines = [*each_line(split_values(io.BytesIO(text.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages


@pytest.mark.parametrize("place", [0, 5])
def test_damage_costs_one_message_whatever_member_is_its_first(place: int) -> None:
    """The damaged message says how it begins, or those before it how all of the file begin."""
    messages = [{"time": 1, **value} for value in values() if "value" in value][:12]
    text = forms.array(messages)
    for _ in range(place):
        text = text.replace('{"time":1', "BEFORE", 1)
    text = text.replace('{"time":1', "x" if place else '{"time":x', 1).replace(
        "BEFORE", '{"time":1'
    )
    lines = [*each_line(split_values(io.BytesIO(text.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages[:place] + messages[place + 1 :]


@pytest.mark.parametrize("ends", ["values", "entries"])
def test_damage_in_an_array_with_other_values_costs_one_message(ends: str, tmp_path: Path) -> None:
    """Null for what is deleted; and a list of names and messages, as JavaScript writes a map."""
    messages = [value for value in values() if "value" in value]
    others = [one for message in messages for one in (message, None)]
    items = others if ends == "values" else [[message["key"], message] for message in messages]
    text = forms.array(items)
    for place in (2, len(messages) // 2, len(messages) - 2):
        number = text.index('"timestamp":', text.index(f'{{"key":"{messages[place]["key"]}')) + 12
        path = tmp_path / "a.json"
        path.write_text(text[:number] + "x" + text[number + 1 :])
        found = parsed([part for part in read(path) if is_json(part)])
        assert found == messages[:place] + messages[place + 1 :]


@pytest.mark.parametrize("form", ["pretty_printed", "json_sequence", "concatenated"])
def test_a_second_damage_costs_no_message_between_where_no_comma_joins_them(form: str) -> None:
    messages = [value for value in values() if "value" in value][:12]
    text = forms.TEXTS[form][1](messages)
    first, second = (text.index(messages[number]["key"]) for number in (3, 9))
    begins = text.rindex("{", 0, second)
    damaged = text[:first] + '"' + text[first:begins] + "}" + text[begins:]
    lines = [*each_line(split_values(io.BytesIO(damaged.encode()), by_line=False))]
    assert parsed([line for line in lines if line.text]) == messages[:3] + messages[4:]


# What a stranger may write beside an object that looks like a message.
BESIDE = st.recursive(
    st.none()
    | st.booleans()
    | st.floats(-1e9, 1e9)
    | st.sampled_from(["", "z", '"', "\\", "},{", "é" * 300]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text("az"), inner, max_size=3),
    max_leaves=12,
)


OF_ANOTHER = {"key": "%" + "f" * 44, "value": {"author": "@" + "f" * 44, "content": "y" * 9}}


@given(data=st.data(), form=st.sampled_from([*forms.TEXTS]), is_ascii=st.booleans())
def test_no_damage_makes_a_message_of_what_is_inside_of_one(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject, form: str, is_ascii: bool
) -> None:
    messages = [value for value in values() if "value" in value][:12]
    others = data.draw(st.lists(BESIDE | st.just(OF_ANOTHER), max_size=40))
    content = {
        "type": "x",
        "some": [OF_ANOTHER, *others, OF_ANOTHER, *others],
        "z": data.draw(BESIDE),
    }
    inner = {
        "previous": None,
        "author": "@a",
        "sequence": 1.0,
        "content": content,
        "hash": "sha256",
    }
    stranger = data.draw(st.sampled_from([inner, {"key": "%a", "value": inner, "timestamp": 1.0}]))
    nulls = data.draw(st.booleans())
    items = [*messages[:6], stranger, *messages[6:]]
    items = [one for item in items for one in ((item, None) if nulls else (item,))]
    text = forms.TEXTS[form][1](items)
    if is_ascii:
        text = "".join(mark if mark.isascii() else f"\\u{ord(mark):04x}" for mark in text)
    begins, ends = text.index(messages[5]["key"]), text.index(messages[6]["key"])
    place = data.draw(st.integers(begins, ends))
    lost = data.draw(st.sampled_from([0, 1]))
    damaged = (
        text[:place] + data.draw(st.sampled_from(["", *'x"0{}[],:\\\0'])) + text[place + lost :]
    )
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_text(damaged)
    found = parsed([part for line in read(path) for part in line_parts(line) if is_json(part)])
    assert OF_ANOTHER not in found
    assert [value for value in found if value in messages[:5]] == messages[:5]
    assert [value for value in found if value in messages[8:]] == messages[8:]


@pytest.mark.parametrize("form", [*forms.FORMS])
@pytest.mark.parametrize("empty", [b"\0", b" \n"])
def test_zeros_and_blanks_before_a_log(form: str, empty: bytes, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value][:30]
    path = tmp_path / "a.json"
    size = 5 << 16
    path.write_bytes((empty * size)[:size] + forms.rewrite(messages, form, "none", "utf-8"))
    kind = recognise(entry_of(path, "a.json"))
    assert kind == forms.kind_of(form, "none", "utf-8")
    parts = [part for line in read(path) for part in line_parts(line)]
    assert parsed([part for part in parts if is_json(part)]) == messages
    assert set(faults(parts)) <= {"zero_bytes", "damaged"}


@given(
    form=st.sampled_from([*forms.TEXTS]),
    encoding=st.sampled_from([name for name in forms.ENCODINGS if "utf-8" not in name]),
    place=st.floats(0.01, 1, exclude_max=True),
    lost=st.integers(0, 3),
    new=st.binary(max_size=3),
)
def test_bytes_lost_or_put_in_cost_the_messages_they_are_in(
    tmp_path_factory: pytest.TempPathFactory,
    form: str,
    encoding: str,
    place: float,
    lost: int,
    new: bytes,
) -> None:
    """Units of UTF-16 and UTF-32 begin elsewhere after them; characters of all planes stand around."""
    chosen = [value for value in values() if "value" in value]
    messages = [
        {**value, "odd": "\u3042\u4e00\u4e00\u4e00\u4e00\U0001d11e \u2200"} for value in chosen
    ]
    name, mark = forms.ENCODINGS[encoding]
    data = mark + forms.TEXTS[form][1](messages).encode(name)
    at = int(len(data) * place)
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_bytes(data[:at] + new + data[at + lost :])
    parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
    kept = [value for value in parsed(parts) if value in messages]
    assert len(kept) >= len(messages) - (2 if lost > 1 else 1)


@pytest.mark.parametrize("encoding", ["utf-16-le with a mark", "utf-16-be with a mark"])
def test_a_mark_that_has_lost_a_byte_costs_no_message(encoding: str, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value]
    data = forms.packed(forms.json_lines(messages), "none", encoding)
    for place in (0, 1):
        path = tmp_path / "a.jsonl"
        path.write_bytes(data[:place] + data[place + 1 :])
        parts = [part for line in read(path) for part in line_parts(line) if is_json(part)]
        assert parsed(parts) == messages


FOREIGN = b'{"key":"%a","value":{"author":"@a","content":{}}}'


@given(
    encoding=st.sampled_from(["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"]),
    place=st.floats(0, 1),
    pieces=st.lists(
        st.tuples(
            st.sampled_from([FOREIGN, b"\n%s\n" % FOREIGN, b"\n", b'":', b'a":1', b"x" * 4000]),
            st.booleans(),
            st.integers(0, 3),
        ),
        max_size=6,
    ),
)
def test_no_text_tells_where_units_or_another_encoding_begin(
    tmp_path_factory: pytest.TempPathFactory,
    encoding: str,
    place: float,
    pieces: list[tuple[bytes, bool, int]],
) -> None:
    """A stranger's text may have the bytes of messages in UTF-8, or of messages between its units."""
    crafted = b""
    for ascii_bytes, is_encoded, shift in pieces:
        data = ascii_bytes.decode().encode(encoding) if is_encoded else ascii_bytes
        crafted += b"N" * shift + data
        crafted += b"N" * (-len(crafted) % 4)
    odd = crafted.decode(encoding, "ignore")
    messages = [{**value, "odd": "a", "after": 1.0} for value in values() if "value" in value]
    messages[int(place * (len(messages) - 1))]["odd"] = odd
    path = tmp_path_factory.mktemp("landing") / "a.jsonl"
    path.write_bytes(forms.json_lines(messages).encode(encoding, "replace"))
    assert [json.dumps(one) for one in parsed(read(path))] == [json.dumps(one) for one in messages]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be", "utf-32-le", "utf-32-be"])
@pytest.mark.parametrize("is_encoded", [False, True])
def test_no_text_across_two_pieces_of_a_file_tells_it(
    encoding: str, is_encoded: bool, tmp_path: Path
) -> None:
    """What ends a text, as long as a message allows, may not be in memory with its beginning."""
    data = FOREIGN.decode().encode(encoding) if is_encoded else FOREIGN
    crafted = b"N" * is_encoded + data
    crafted += b"N" * (-len(crafted) % 4)
    odd = (crafted.decode(encoding, "ignore") * 300)[:7500]
    messages = [{**value, "odd": odd, "after": 1.0} for value in values() if "value" in value][:20]
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.json_lines(messages).encode(encoding))
    assert [json.dumps(one) for one in parsed(read(path))] == [json.dumps(one) for one in messages]


def test_a_log_of_pzp_that_is_cut(tmp_path: Path) -> None:
    """In its last block; what is whole before it is read. Zeros may stand behind data."""
    messages = [value for value in values() if "msg" in value]
    data = forms.pzp_log(messages)
    place = data.rindex(b"{", 0, data.rindex(b'"msg"'))
    path = tmp_path / "log.log"
    path.write_bytes(data[: place + 100])
    lines = read(path)
    assert parsed(lines[:-1]) == messages[:-1]
    assert lines[-1] == Line(2 * len(messages) - 1, None, "cut_short")


def test_damage_in_the_text_of_the_first_record_of_a_log_of_pzp(tmp_path: Path) -> None:
    """The lengths are right, so only the text tells it. The records behind it tell what the file is."""
    messages = [value for value in values() if "msg" in value]
    data = bytearray(forms.pzp_log(messages))
    data[data.index(b'"msg"')] = 0xA5
    path = tmp_path / "log"
    path.write_bytes(data)
    found = read(path)
    assert parsed(found[1:]) == messages[1:]
    assert line_object(found[0]) == "not_utf8"


@pytest.mark.parametrize("beginning", [b"\x5d\0\0", b"\x1f\x8b"])
def test_no_length_of_the_first_record_makes_a_log_of_pzp_an_archive(
    beginning: bytes, tmp_path: Path
) -> None:
    """Files of lzma and of gzip begin with bytes that are lengths of records, too."""
    record = {"id": "", "msg": {"data": ""}}
    record["id"] = "a" * (int.from_bytes(beginning[:2], "little") - len(forms.text(record)))
    path = tmp_path / "log"
    path.write_bytes(forms.pzp_log([record]))
    assert path.read_bytes().startswith(beginning)
    assert parsed(read(path)) == [record]


def deleted_records(form: str, size: int) -> bytes:
    """More deleted records than are looked at to recognise a file."""
    if form == "flume_log_of_old":
        length = size.to_bytes(4)
        return 5 * forms.BLOCK // size * (length + bytes(size) + length)
    length = size.to_bytes(2, "little")
    record = (length if form == "bipf_log" else bytes(2) + length) + bytes(size)
    return 5 * (record * ((forms.BLOCK - 1) // len(record))).ljust(forms.BLOCK, b"\0")


@pytest.mark.parametrize("form", ["bipf_log", "flume_log_of_old", "pzp_log"])
@pytest.mark.parametrize("size", [10, 0x3FFF])
def test_deleted_records_at_the_beginning_of_a_log_do_not_hide_it(
    form: str, size: int, tmp_path: Path
) -> None:
    """However many there are."""
    messages = [value for value in values() if ("msg" in value) == (form == "pzp_log")]
    log = forms.rewrite(messages, form, "none", "utf-8")
    path = tmp_path / "log"
    path.write_bytes(deleted_records(form, size) + log)
    assert parsed(read(path)) == messages


@pytest.mark.parametrize("form", forms.BINARIES)
def test_short_records_keep_the_numbers_of_those_behind_them(form: str, tmp_path: Path) -> None:
    """They come together, and deleted ones among them have numbers, too."""
    message = next(value for value in values() if ("msg" in value) == (form == "pzp_log"))
    written = [message, {"a": 1}, {"b": 2}, message, {"c": 3}]
    path = tmp_path / "log"
    path.write_bytes(forms.rewrite(written, form, "gzip", "utf-8")[:-8])
    *found, end = read(path)
    assert [line.line_number for line in found] == [1, 3, 5, 7, 9]
    assert parsed(found) == written
    assert end == Line(11, None, "cut_short")


def test_brackets_of_a_damaged_record_of_pzp_hide_no_other() -> None:
    """Four brackets may be the lengths of a record that ends where a stranger has written a brace."""

    def record(value: object) -> bytes:
        data = forms.text(value).encode()
        return len(data).to_bytes(2, "little") + bytes(2) + data

    brackets = record({"id": "%a", "msg": [[[[[{"": 0}]]]] for _ in range(40)]})
    others = [{"id": str(number), "msg": {"data": "x" * 300}} for number in range(60)]
    braces = {"id": "%b", "msg": "}" * 7_000}
    log = bytes(4) + brackets[4:] + b"".join(map(record, [*others, braces, *others]))
    found = [*each_line(pzp_log.read_records(io.BytesIO(log)))]
    assert [line.fault for line in found] == ["damaged"] + [None] * 121


def test_a_file_whose_units_begin_elsewhere_at_every_sign(tmp_path: Path) -> None:
    """It is read to its end, and what is told is one line."""
    path = tmp_path / "a.jsonl"
    sign = '":'.encode("utf-16-le")
    path.write_bytes('{"a":1}\n{"b'.encode("utf-16-le") + (sign + b"x") * 100_000)
    assert [line.line_number for line in read(path)] == [1, 2]


def test_bytes_in_a_log_of_ssb_db2_are_those_that_were_signed(tmp_path: Path) -> None:
    """Not only those of a nonce. JavaScript writes them in JSON as an object."""
    as_json = {"type": "Buffer", "data": [0.0, 255.0]}
    signed = BendyFeed(bytes(32)).publish({"type": "metafeed/update", "more": [as_json]}, 1)
    content = {"type": "metafeed/update", "more": [b"\0\xff"]}
    path = tmp_path / "log.bipf"
    path.write_bytes(
        forms.bipf_log([{"key": signed.key, "value": {**signed.value, "content": content}}])
    )
    assert parsed(read(path)) == [{"key": signed.key, "value": signed.value}]
    assert [row.validity for row in rows(path)] == ["valid"]


@pytest.mark.parametrize("form", ["bipf_log", "flume_log", "flume_log_53"])
@pytest.mark.parametrize("zeros", [False, True])
def test_damage_of_a_binary_log_costs_one_message(form: str, zeros: bool, tmp_path: Path) -> None:
    messages = [value for value in values() if "value" in value][:60]
    data = bytearray(forms.BINARIES[form][1](messages))
    victim = data.index(messages[30]["key"].encode()) - 16
    data[victim : victim + 60] = bytes(60) if zeros else b"\xa5" * 60
    path = tmp_path / "log.bin.bipf"
    path.write_bytes(data)
    found = read(path)
    assert parsed([line for line in found if line.text]) == messages[:30] + messages[31:]
    assert len(faults(found)) == 1


@pytest.mark.parametrize("damage", [b"\0", b"x"], ids=["zeros", "garbage"])
def test_a_message_behind_long_damage_of_a_flume_log_is_read(
    damage: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it begins. Damage that is longer than what is in memory is searched in several pieces."""
    monkeypatch.setattr(flume, "MAX_LINE_BYTES", 200)
    monkeypatch.setattr(flume, "_CHUNK", 16)
    message = json.loads(POST) | {"timestamp": 1}
    record = forms.flume_log([message])
    for length in range(1, 1000):
        log = io.BytesIO(record + damage * length + 3 * record)
        found = [*each_line(flume.read_records(log))]
        assert parsed([line for line in found if line.text]) == [message] * 4, length
        assert len(faults(found)) == 1


@pytest.mark.parametrize("width", [0, 4, 6, 8])
@pytest.mark.parametrize("longer", [(0, 12), (12, 0), (12, 12), (0, 16)])
def test_no_lengths_of_the_first_records_tell_another_width(
    width: int, longer: tuple[int, int]
) -> None:
    """The length of a record may be what a file length would be, or be where another width has a record."""
    messages = [{"key": "%a", "value": {"x": "." * (100 + more)}} for more in (0, *longer)]
    log = b""
    for message in messages:
        data = forms.text(message).encode()
        length = len(data).to_bytes(4)
        log += length + data + length
        log += (len(log) + width).to_bytes(width) if width else b""
    found = [*each_line(flume.read_records(io.BytesIO(log)))]
    assert [(line.text, line.fault) for line in found] == [
        (forms.text(message).encode(), None) for message in messages
    ]


def test_only_a_record_of_zeros_is_deleted_in_a_flume_log() -> None:
    def record(data: bytes) -> bytes:
        length = len(data).to_bytes(4)
        return length + data + length

    log = record(POST) + record(bytes(20)) + record(b"\0" + b"x" * 19) + record(POST)
    found = each_line(flume.read_records(io.BytesIO(log)))
    assert [(line.line_number, line.fault) for line in found] == [
        (1, None),
        (3, "zero_bytes"),
        (4, None),
    ]
