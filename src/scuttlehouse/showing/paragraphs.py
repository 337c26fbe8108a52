"""A paragraph of a page: a small query, and how its rows are printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from scuttlehouse.drawing.names import short
from scuttlehouse.printing import aligned, cut, visible
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.warehouse import Warehouse

MOST_ROWS = 12
_LONGEST_CELL = 60

# Every id in one spelling (ruling R1), alone or in a sentence.
_FEED = re.compile(r"@[A-Za-z0-9+/]{43}=\.ed25519|ssb:feed/[a-z0-9-]+(?:/[A-Za-z0-9_=-]+)+")
_GROUP = re.compile(
    r"(?:unnamed:ssb:message|ssb:identity/group|ssb:message/cloaked)[A-Za-z0-9/_=-]+"
)
# A message, an account or a device of pzp: 32 bytes in base58.
_PZP = re.compile(r"(?<![A-Za-z0-9])[1-9A-HJ-NP-Za-km-z]{43,44}(?![A-Za-z0-9])")
_ID = re.compile(
    rf"{_FEED.pattern}|{_GROUP.pattern}|ssb:message/[a-z0-9-]+(?:/[A-Za-z0-9_=-]+)+|{_PZP.pattern}"
)


class Paragraph(NamedTuple):
    """A query about one thing.

    Attributes:
        title: what stands above its rows; empty for the facts at the top of a page, a line for each column.
        query: SQL with ``{id}`` for the id of the thing, without an order. Its columns have names for people.
        order: SQL of the order of its rows.
        is_problem: whether every row is something that is wrong.
    """

    title: str
    query: str
    order: str = "all"
    is_problem: bool = False


class Answer(NamedTuple):
    """The first rows of a paragraph, and how many there are."""

    paragraph: Paragraph
    columns: list[str]
    rows: list[tuple[Any, ...]]
    row_count: int


def ask(warehouse: Warehouse, paragraph: Paragraph, thing: str) -> Answer:
    """The first rows of a paragraph about a thing.

    Raises:
        WarehouseError: a table cannot be read.

    Complexity: linear in the rows of the tables that its filters cannot leave out.
    """
    # No window without a partition: DuckDB may fail there after `union all` (duckdb issue 22352).
    columns, rows = warehouse.query(f"""
        with answer as ({paragraph.query.format(id=literal(thing))})
        select *, (select count(*) from answer) from answer order by {paragraph.order} limit {MOST_ROWS}
    """)
    row_count = rows[0][-1] if rows else 0
    return Answer(paragraph, columns[:-1], [row[:-1] for row in rows], row_count)


class Names:
    """How ids are printed: short, with the name of a person or a group before it if it has one."""

    def __init__(self, warehouse: Warehouse, cells: Iterable[object]) -> None:
        texts = [cell for cell in cells if isinstance(cell, str)]
        self._names: dict[str, str] = {}
        for ids, table, column in (
            (_FEED, "dim_people", "person_id"),
            (_GROUP, "dim_groups", "group_id"),
        ):
            listed = ", ".join(
                sorted({literal(one) for text in texts for one in ids.findall(text)})
            )
            if not listed:
                continue
            query = f"select {column}, name from {table} where name is not null and {column} in ({listed})"
            for one, name in warehouse.rows(query):
                # A group without a name is named by its short id.
                is_own = name == f"Group {short(one)}"
                self._names[one] = short(one) if is_own else f"{cut(name)} ({short(one)})"

    def printed(self, cell: object) -> str:
        """A cell as people read it."""
        if cell is None:
            return "-"
        if isinstance(cell, bool):
            return "yes" if cell else "no"
        if isinstance(cell, int):
            return f"{cell:,}"
        if isinstance(cell, datetime):
            return f"{cell:%Y-%m-%d %H:%M}"
        named = _ID.sub(lambda one: self._names.get(one[0], short(one[0])), str(cell))
        return visible(cut(named, _LONGEST_CELL))


class Style:
    """Colours of a terminal, or none. A colour never says what no word says."""

    def __init__(self, *, is_coloured: bool) -> None:
        self._is_coloured = is_coloured

    def _in(self, codes: str, text: str) -> str:
        return f"\x1b[{codes}m{text}\x1b[0m" if self._is_coloured else text

    def heading(self, text: str) -> str:
        """What a page is about."""
        return self._in("1", text)

    def title(self, text: str) -> str:
        """What a paragraph is about."""
        return self._in("1;36", text)

    def problem(self, text: str) -> str:
        """The title of what is wrong."""
        return self._in("1;33", text)

    def label(self, text: str) -> str:
        """The name of a column."""
        return self._in("36", text)


def lines(answer: Answer, names: Names, style: Style) -> Iterator[str]:
    """The lines of a paragraph; none if it has no rows."""
    if not answer.rows:
        return
    if not answer.paragraph.title:
        yield from _facts(answer, names, style)
        return
    yield ""
    title = f"{answer.paragraph.title} ({answer.row_count:,})"
    yield style.problem(title) if answer.paragraph.is_problem else style.title(title)
    yield from _table(answer, names, style)
    if answer.row_count > len(answer.rows):
        yield f"  ... and {answer.row_count - len(answer.rows):,} more"


def _facts(answer: Answer, names: Names, style: Style) -> Iterator[str]:
    """A line for each column that is not null."""
    (row,) = answer.rows
    width = max(map(len, answer.columns))
    for column, cell in zip(answer.columns, row, strict=True):
        if cell is not None:
            yield f"  {style.label(column.ljust(width))}  {names.printed(cell)}"


def _table(answer: Answer, names: Names, style: Style) -> Iterator[str]:
    cells = [[names.printed(cell) for cell in row] for row in answer.rows]
    is_number = [
        {type(row[n]) for row in answer.rows} in ({int}, {int, type(None)})
        for n in range(len(answer.columns))
    ]
    heading, *below = aligned([answer.columns, *cells], is_number)
    yield "  " + style.label(heading)
    yield from ("  " + line for line in below)
