"""The boards and datasets, as `boards` and `datasets` define them, and the queries of charts.

A board is a page: what it says, its filters, and rows of charts. A dataset is one query over the published
tables; `datasets/_labels.sql` comes before each of them.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import duckdb
import yaml

HERE = Path(__file__).parent

_PAGE_LENGTH = 8

Board = Mapping[str, Any]
Chart = Mapping[str, Any]
# The names of a dataset's columns with their types.
Columns = Mapping[str, str]


def boards() -> list[Board]:
    """All boards, in the order in which they are linked."""
    return [yaml.safe_load(path.read_text()) for path in sorted(HERE.glob("boards/*.yml"))]


def charts(board: Board) -> Iterator[Chart]:
    """The charts of a board, each with its kind and title."""
    return (named(chart) for row in board["rows"] for chart in row)


def named(chart: Chart) -> Chart:
    """A chart with its kind and title, which are the first of its members."""
    kind, title = next(iter(chart.items()))
    return {**chart, "kind": kind, "title": title}


def dataset_sql(name: str) -> str:
    """The query of a dataset."""
    labels = (HERE / "datasets" / "_labels.sql").read_text()
    return labels + (HERE / "datasets" / f"{name}.sql").read_text()


def shown_sql(name: str, columns: Columns, shown: Container[str]) -> str:
    """The query of a dataset, whose texts are shown as texts.

    Superset shows what looks like HTML as HTML, if Superset's own filter finds it harmless: links of ours,
    but also what a stranger has written. So each column of a table holds either links, or no mark of HTML:
    a sign that looks like `<` stands in its place.
    """
    texts = [
        f"""replace("{column}", '<', chr(8249)) as "{column}\""""
        for column, kind in columns.items()
        if kind == "VARCHAR" and column in shown and not column.endswith("_link")
    ]
    replaced = f" replace ({', '.join(texts)})" if texts else ""
    return f"select *{replaced} from (\n{dataset_sql(name)}\n) as data"


def dataset_columns(connection: duckdb.DuckDBPyConnection, name: str) -> Columns:
    """The columns of a dataset, as DuckDB sees them."""
    described = connection.execute(f"describe {dataset_sql(name)}").fetchall()
    return {column: kind for column, kind, *_ in described}


def chart_sql(chart: Chart) -> str:
    """A query that gives the rows of a chart before filters, as Superset asks it.

    >>> print(chart_sql({"kind": "number", "dataset": "gaps", "where": "waiting > 1"}).split("as data")[1])
     where waiting > 1
    """
    if chart["kind"] == "table":
        chosen = ", ".join(f'"{column}"' for column in chart["columns"])
    elif chart["kind"] == "drawing":
        chosen = "picture"
    else:
        chosen = ", ".join([*measures(chart), *(f'"{one}"' for one in _dimensions(chart))])
    where = f" where {chart['where']}" if "where" in chart else ""
    by = " group by all" if chart["kind"] == "bar" else ""
    return f"select {chosen} from ({dataset_sql(chart['dataset'])}) as data{where}{by}"


def measures(chart: Chart) -> list[str]:
    """SQL of the numbers of a chart."""
    if "max" in chart:
        return [f"max({chart['max']})"]
    return [f"coalesce(sum({column}), 0)" for column in summed(chart)] or ["count(*)"]


def summed(chart: Chart) -> list[str]:
    """The columns that a chart sums up."""
    return list(chart.get("sums", ()))


def _dimensions(chart: Chart) -> list[str]:
    return [chart[name] for name in ("x", "by") if name in chart]


def uuid_of(kind: str, name: str) -> str:
    """The id of a part of the dashboards, the same in each start."""
    return str(uuid5(NAMESPACE_URL, f"scuttlehouse/{kind}/{name}"))


def chart_uuid(board: Board, chart: Chart) -> str:
    """The id of a chart."""
    return uuid_of("chart", f"{board['slug']}/{chart['kind']}/{chart['title']}")


def page_length(chart: Chart) -> int:
    """How many rows of a table are shown at a time."""
    return int(chart.get("lines", _PAGE_LENGTH))


def one_line(text: str) -> str:
    """A text of a board without its line breaks."""
    return " ".join(text.split())
