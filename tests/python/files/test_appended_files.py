"""What other shells, or other exports, append to a log."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import forms
from read_files import POST, SAMPLE, read, records_with_ids, row_of, rows, values
from rows import RING
from scuttlehouse.files import streams
from scuttlehouse.files.encodings import as_utf_8
from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import MAX_LINE_BYTES, Kind, Line
from scuttlehouse.files.recognise import HEAD_BYTES
from scuttlehouse.landing.glued_lines import epoch_keys, land_lines, land_pzp_lines, line_parts
from scuttlehouse.sample.signing import ClassicFeed


@pytest.mark.product
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("between", ["", "\n"])
def test_exports_in_two_forms_one_after_the_other(
    first: str, second: str, between: str, tmp_path: Path
) -> None:
    """As `ssb-server log >> log.jsonl` makes of a log."""
    records = [value for value in values() if "value" in value][:6]
    path = tmp_path / "a.json"
    parts = [forms.TEXTS[first][1](records[:3]), forms.TEXTS[second][1](records[3:])]
    path.write_text(between.join(parts))
    found = [row for row in rows(path) if row.reject_reason != "empty_line"]
    expected = [row_of(record) for record in records]
    assert [row.message_id for row in found] == [row.message_id for row in expected]


@pytest.mark.product
@pytest.mark.parametrize("encoding", [one for one in forms.ENCODINGS if "utf-8" not in one])
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_what_another_shell_appends_in_utf_8_is_read(
    encoding: str, first: str, second: str, mark: str, tmp_path: Path
) -> None:
    records, ids = records_with_ids()
    # Longer logs take long, so not each pair of forms has them.
    for count in (2, 40) if first == second else (2,):
        path = tmp_path / "a.json"
        begun = forms.packed(forms.TEXTS[first][1](records[:count]) + "\n", "none", encoding)
        path.write_bytes(begun + (mark + forms.TEXTS[second][1](records[-count:])).encode())
        found = [row.message_id for row in rows(path) if row.message_id]
        assert found == [*filter(None, ids[:count] + ids[-count:])]


@pytest.mark.product
@pytest.mark.parametrize("first", [*forms.TEXTS])
@pytest.mark.parametrize("second", [*forms.TEXTS])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
def test_what_another_shell_appends_in_utf_16_is_read(
    compression: str, first: str, second: str, mark: str, tmp_path: Path
) -> None:
    """However much it is. It begins where one read of the file ends, too."""
    records, ids = records_with_ids()
    for before, behind in ((2, 40), (40, 2)) if first == second else ((2, 9),):
        path = tmp_path / "a.json"
        begun = forms.TEXTS[first][1](records[:before]) + "\n"
        begun = begun.ljust(-(-len(begun) // (1 << 16)) * (1 << 16) - 3)
        appended = (mark + forms.TEXTS[second][1](records[-behind:])).replace("\n", "\r\n")
        data = begun.encode() + appended.encode("utf-16-le")
        path.write_bytes(forms.COMPRESSIONS[compression](data))
        found = [row.message_id for row in rows(path) if row.message_id]
        assert found == [*filter(None, ids[:before] + ids[-behind:])]


def in_both_encodings(
    texts: list[str], end: str, encodings: Sequence[str] = ("utf-8", "utf-16-le")
) -> bytes:
    """Lines that two shells have appended in turn."""
    return b"".join((text + end).encode(encodings[n % 2]) for n, text in enumerate(texts))


@pytest.mark.parametrize("encodings", [("utf-8", "utf-16-le"), ("utf-16-le", "utf-8")])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize(
    "written", [forms.text, partial(forms.text, indent=2)], ids=["lines", "pretty"]
)
def test_two_shells_append_in_turn(
    written: Callable[[Any], str],
    compression: str,
    end: str,
    encodings: Sequence[str],
    tmp_path: Path,
) -> None:
    """In UTF-16, letters of many scripts have the byte of a line end."""
    feed = ClassicFeed(bytes(32))
    posts = [feed.publish({"type": "post", "text": "\u4e0a\u0a05\u010a"}, n + 1) for n in range(9)]
    texts = [written({"key": post.key, "value": post.value}).replace("\n", end) for post in posts]
    path = tmp_path / "a.jsonl"
    path.write_bytes(forms.COMPRESSIONS[compression](in_both_encodings(texts, end, encodings)))
    found = rows(path)
    assert [(row.message_id, row.validity) for row in found] == [(p.uri, "valid") for p in posts]
    long = in_both_encodings([*texts[:1] * 1000, *texts], end, encodings)
    assert len(long) > HEAD_BYTES
    path.write_bytes(forms.COMPRESSIONS[compression](long))
    assert {row.message_id for row in rows(path)} == {post.uri for post in posts}


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["utf-8", "utf-16-le"]),
            st.text('a{"\n\u4e0a\u0a05\u010a\u0a00\u0100\u227b\u7b22', max_size=40),
            st.sampled_from([None, 2]),
            st.sampled_from(["\n", "\r\n"]),
        ),
        min_size=1,
        max_size=12,
    ),
    st.integers(1, 99),
)
def test_any_values_in_both_encodings_are_whole(
    written: list[tuple[str, str, int | None, str]], length: int
) -> None:
    """However long the pieces are that a file is read in."""
    texts = [
        json.dumps({"key": text}, ensure_ascii=False, indent=indent) + end
        for _, text, indent, end in written
    ]
    encodings = [encoding for encoding, _, _, _ in written]
    data = b"".join(map(str.encode, texts, encodings))
    stream = streams.buffered(Pieces(data, length))
    kind = Kind("pretty_printed", "none", encodings[0])
    assert as_utf_8(stream, kind).read().decode() == "".join(texts)


class Pieces(streams.Chunked):
    """Bytes that come in pieces of a length."""

    def __init__(self, data: bytes, length: int) -> None:
        self._data, self._length = data, length

    def _next(self) -> bytes | None:
        piece, self._data = self._data[: self._length], self._data[self._length :]
        return piece or None


def test_no_text_in_utf_16_behind_lines_in_utf_8_is_a_line(tmp_path: Path) -> None:
    """A stranger may write a message in somebody else's name, between two line ends, in units of UTF-16."""
    feed, other = (ClassicFeed(bytes([n]) * 32) for n in (1, 2))
    first = feed.publish({"type": "post", "text": "a"}, 1)
    meant = {"key": first.key, "value": {**first.value, "content": {"type": "x"}, "private": True}}
    line = json.dumps(meant).encode()
    hidden = b"a\n" + line + b" " * (len(line) % 2) + b"\na"
    post = other.publish({"type": "post", "text": (b"a" + hidden + b"a").decode("utf-16-le")}, 1)
    assert hidden in json.dumps(post.value, ensure_ascii=False).encode("utf-16-le")
    path = tmp_path / "a.jsonl"
    texts = [forms.text({"key": one.key, "value": one.value}) for one in (first, post)]
    path.write_bytes(in_both_encodings(texts, "\n"))
    assert [(row.message_id, row.validity) for row in rows(path)] == [
        (first.uri, "valid"),
        (post.uri, "valid"),
    ]


@pytest.mark.parametrize(
    ("form", "compression", "encoding"),
    [
        ("pretty_printed", "none", "utf-8"),
        ("pretty_array", "gzip", "utf-8"),
        ("pretty_array", "none", "utf-16-le"),
        ("pretty_printed", "zstd", "utf-16-be"),
    ],
)
def test_what_is_appended_to_a_long_log_is_read(
    form: str, compression: str, encoding: str, tmp_path: Path
) -> None:
    """Also where the log has been continued since. Its copies have the same form."""
    records = [value for value in values() if "value" in value]
    path = tmp_path / "a.jsonl"
    long = forms.json_lines(records) * 4
    assert len(long) > 2 * HEAD_BYTES
    appended = forms.TEXTS[form][1](records[:9])
    for behind in ("", long):
        path.write_bytes(forms.packed(long + appended + behind, compression, encoding))
        found = [row.message_id for row in rows(path) if row.message_id]
        ids = records_with_ids()[1]
        assert found == [*filter(None, ids * 4 + ids[:9] + ids * (4 if behind else 0))]
        kind = recognise_within_limits(entry_of(path, "a.jsonl"))
        assert kind == Kind("pretty_printed", compression, encoding)
    path.write_bytes(forms.packed(long, compression, encoding))
    kind = recognise_within_limits(entry_of(path, "a.jsonl"))
    assert kind == Kind("json_lines", compression, encoding)


@pytest.mark.parametrize("over", range(4))
@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_an_array_on_a_line_a_little_over_the_limit_is_read(
    over: int, end: str, tmp_path: Path
) -> None:
    lines = forms.json_lines([records_with_ids()[0][0]])
    path = tmp_path / "a.jsonl"
    path.write_text(
        lines + f"[{POST.decode()}".ljust(MAX_LINE_BYTES + over - 1) + "]" + end, newline=""
    )
    texts = [line.text for line in read(path)]
    assert [part.text for part in line_parts(Line(2, texts[1], None))] == [POST]
    assert len(texts) == 2


@pytest.mark.parametrize("form", ["array", "concatenated"])
@pytest.mark.parametrize("compression", ["none", "gzip"])
@pytest.mark.parametrize("other", ["", "null", "x", "{" * 70, f'"{"x" * 70}"'])
def test_messages_on_a_line_that_is_too_long_are_read(
    form: str, compression: str, other: str, tmp_path: Path
) -> None:
    """Behind JSON lines, as `cat` makes of two exports; with lines behind them again."""
    records, ids = records_with_ids()
    long = forms.TEXTS[form][1](records * 6)
    assert len(long) > MAX_LINE_BYTES
    lines = forms.json_lines(records[:9])
    path = tmp_path / "a.jsonl"
    end = "]" if form == "array" else ""
    text = f"{lines}{long.removesuffix(end)},{other}{end}\n{lines}"
    path.write_bytes(forms.packed(text, compression, "utf-8"))
    found = rows(path)
    assert [row.message_id for row in found if row.message_id] == [
        *filter(None, ids[:9] + ids * 6 + ids[:9])
    ]
    rejects = [(row.line_number, row.reject_reason) for row in found if row.message_id is None]
    expected = [(10, "too_long")] if other else []
    assert [one for one in rejects if one[1] == "too_long"] == expected
    assert found[-1].line_number == 19


def test_what_powershell_appends_to_a_long_log_over_several_lines_is_read(tmp_path: Path) -> None:
    records, ids = records_with_ids()
    path = tmp_path / "a.jsonl"
    appended = forms.pretty_printed(records[:9]).replace("\n", "\r\n")
    path.write_bytes((forms.json_lines(records) * 4).encode() + appended.encode("utf-16-le"))
    found = [row.message_id for row in rows(path) if row.message_id]
    assert found == [*filter(None, ids * 4 + ids[:9])]


def test_what_powershell_appends_is_read() -> None:
    """`>>` writes UTF-16 whatever the file has; lines are cut at the byte of the line end."""
    lines = (SAMPLE / "devices.jsonl").read_bytes().splitlines()[:9]
    lines += (SAMPLE / "alice.jsonl").read_bytes().splitlines()[:40]
    for mark in ("", "\ufeff"):
        text = mark + "".join(f"{line.decode()}\r\n" for line in lines)
        parts = text.encode("utf-16-le").split(b"\n")[:-1]
        assert len(parts) == len(lines)
        for part, line in zip(parts, lines, strict=True):
            plain, appended = Line(1, line, None), Line(1, part, None)
            assert [*land_lines("a", appended, RING)] == [*land_lines("a", plain, RING)]
            found, expected = (
                [row._replace(line_bytes=0) for row in land_pzp_lines("a", one, RING)]
                for one in (appended, plain)
            )
            assert found == expected
            assert [*epoch_keys(appended)] == [*epoch_keys(plain)]
