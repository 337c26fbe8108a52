"""Text by strangers is shown, written for spreadsheets and stored, and controls nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import unicodedata

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse import printing
from scuttlehouse.cli.row_formats import write_rows
from scuttlehouse.printing import csv_cell, read_text, stored_text, visible, width_of
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.replicas.replicas import PublishedUpdate, open_replica
from scuttlehouse.showing.paragraphs import Answer, Names, Paragraph, Style, lines

# Any text, with many more controls, direction marks and halves of surrogate pairs than by chance.
TEXTS = st.text(
    st.characters()
    | st.characters(categories=["Cc", "Cf", "Cs", "Zl", "Zp"])
    | st.sampled_from("=+-@\t\r\n\0\\'\"u0,;\uff1d\uff0d")
)
FORMULA_SIGNS = {*"=+-@\uff1d\uff0b\uff0d\uff20"}
FEED_ID = "@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519"


def is_steering(sign: str) -> bool:
    """Whether a terminal may act on a character, by Unicode's own tables."""
    is_control = unicodedata.category(sign) in ("Cc", "Cs", "Zl", "Zp")
    return is_control or unicodedata.bidirectional(sign) in (
        "LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI",
    ) or sign in "\u200e\u200f\u061c"  # fmt: skip


@given(TEXTS)
def test_nothing_shown_controls_a_terminal(text: str) -> None:
    shown = visible(text)
    assert not any(map(is_steering, shown))
    # Text that needs no code is unchanged.
    assert visible(shown) == shown
    if not any(map(is_steering, text)) and "\ufeff" not in text:
        assert shown == text


@given(st.lists(st.tuples(TEXTS, TEXTS), max_size=4))
def test_tables_control_nothing_and_have_one_line_per_row(rows: list[tuple[str, str]]) -> None:
    out = io.StringIO()
    write_rows(out, "table", ["a", "b\x1b"], rows)
    lines = out.getvalue().split("\n")[:-1]
    assert len(lines) == len(rows) + 2
    assert not any(is_steering(sign) for line in lines for sign in line)


@given(st.lists(st.tuples(TEXTS, st.none() | st.integers() | st.floats()), max_size=4))
def test_csv_runs_nothing(rows: list[tuple[object, ...]]) -> None:
    out = io.StringIO()
    write_rows(out, "csv", ["a", "b"], rows)
    read = list(csv.reader(io.StringIO(out.getvalue(), newline="")))[1:]
    for (text, number), (cell, other) in zip(rows, read, strict=True):
        assert cell[:1] not in FORMULA_SIGNS | {*"\t\r\n"}
        # Programs begin a cell there, too, and quotes and blanks before a formula are none to them.
        later = [part.lstrip(' \u3000"') for part in re.split("[;\t\n]", cell)[1:]]
        assert not any(part[:1] in FORMULA_SIGNS for part in later)
        assert other == ("" if number is None else str(number))
        assert not any(is_steering(sign) for sign in cell if sign not in "\n\t")
        is_plain = isinstance(text, str) and text.isprintable() and ";" not in text
        if is_plain and text[:1] not in FORMULA_SIGNS:
            assert cell == text


@pytest.mark.parametrize(
    "cell", ["=1+1", "+1", "-1+1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "\uff1d1"]
)
def test_a_formula_is_guarded(cell: str) -> None:
    assert str(csv_cell(cell)).startswith("'")


@pytest.mark.parametrize("cell", [("a;=1+1",), b"a;=1+1", ["a;=1+1"], {"a": ["b;=1+1"]}])
def test_a_formula_inside_of_a_value_is_guarded(cell: object) -> None:
    """DuckDB has rows, arrays, bytes, lists and maps. A program may begin a cell at the semicolon."""
    assert ";'=1+1" in str(csv_cell(cell))


def test_harmless_cells_are_unchanged() -> None:
    for cell in [FEED_ID, -1, 1.5, None, "", "a=1", "a; b-c", "1, -1", "ssb:message/classic/a"]:
        assert csv_cell(cell) == cell
    assert csv_cell(FEED_ID + "\n") != FEED_ID + "\n"
    assert str(csv_cell((1, "a"))) == "(1, 'a')"


@given(st.text("\t\n; \"'=+@a", max_size=20))
def test_a_formula_behind_any_white_space_is_guarded(text: str) -> None:
    """Each place is looked at once: a cell of 40,000 line feeds took a second."""
    cell, begins = "", False
    for sign in f"a{text}":
        if begins and sign in FORMULA_SIGNS:
            cell += "'"
        begins = sign in "\t\n;" or (begins and sign in " \"'")
        cell += sign
    assert csv_cell(f"a{text}") == cell
    runs = [one.span() for one in printing._LATER_FORMULA.finditer("\n" * 9)]
    assert runs == [(0, 9)]


@given(st.lists(st.tuples(st.text()), max_size=4))
def test_raw_and_json_are_exact(rows: list[tuple[str]]) -> None:
    out = io.StringIO()
    write_rows(out, "json", ["a"], rows)
    assert [(json.loads(line)["a"],) for line in out.getvalue().split("\n")[:-1]] == rows
    out = io.StringIO(newline="")
    write_rows(out, "csv", ["a"], [*rows, ("=1+1\x1b",)], is_raw=True)
    assert "=1+1\x1b" in out.getvalue()


@given(TEXTS)
def test_a_stored_text_is_read_back(text: str) -> None:
    stored = stored_text(text)
    assert read_text(stored) == text
    assert "\0" not in stored
    stored.encode()


def follow(address: str, tangles: list[str]) -> None:
    with open_replica(address) as replica:
        updates = [PublishedUpdate(t, 1, 0, "b", f"{t}\0\ud800\\", None, 0) for t in tangles]
        assert replica.apply(updates) == len(tangles)
        assert replica.apply(updates) == 0
        assert replica.orders() == {t: [f"{t}\0\ud800\\"] for t in tangles}
        assert replica.orders(tangles[:1]) == {tangles[0]: [f"{tangles[0]}\0\ud800\\"]}


NAMES = ["plain", "\0", "a\0b", "\ud800", "\\", "\\u0000", "a\\\\b\0"]


def test_no_text_stops_a_replica_in_sqlite() -> None:
    follow("sqlite::memory:", NAMES)


def test_no_text_stops_a_replica_in_postgresql(postgresql_url: str) -> None:
    follow(postgresql_url, NAMES)


def starts(printed: list[str], word: str) -> set[int]:
    """The columns of a terminal at which a word begins."""
    return {width_of(line[: line.index(word)]) for line in printed if word in line}


@pytest.mark.parametrize("name", ["漢字漢字", "e\u0301\u0302ve", "Ann"])
def test_the_columns_of_a_table_are_those_of_the_terminal(name: str) -> None:
    """A letter of East Asia takes two columns, and an accent none."""
    rows: list[tuple[object, ...]] = [(name, "member"), ("somebody else", "member")]
    out = io.StringIO()
    write_rows(out, "table", ["person", "state"], rows)
    assert len(starts(out.getvalue().splitlines(), "member")) == 1
    answer = Answer(Paragraph("People", ""), ["person", "state"], rows, len(rows))
    names = Names(Warehouse(duckdb.connect(), {}), [])
    shown = [*lines(answer, names, Style(is_coloured=False))]
    assert len(starts(shown, "member")) == 1
