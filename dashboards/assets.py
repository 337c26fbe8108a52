"""The dashboards in the form that Superset imports, made from `boards` and `datasets`.

A board is a page: what it says, its filters, and rows of charts. A dataset is one query over the published
tables; `datasets/_labels.sql` comes before each of them. Superset's own form of the same has about forty
times as many lines, most of them numbers of the layout.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any
from uuid import NAMESPACE_URL, uuid5

import duckdb
import yaml

HERE = Path(__file__).parent
DATABASE = "scuttlehouse"
COLUMNS = 12  # of Superset's grid
VERSION = "1.0.0"

# What the connection of a dashboard may do: read this one file. Nobody can change that by SQL.
CONNECTION: dict[str, Any] = {
    "read_only": True,
    "config": {"enable_external_access": False, "lock_configuration": True},
}

# In steps of 8 pixels. A table is as high as the rows of a page, so that nobody scrolls twice.
_HEIGHTS = {"number": 15, "bar": 46, "drawing": 90}
_TABLE_HEIGHT, _ROW_HEIGHT = 26, 4
_PAGE_LENGTH = 8

# How numbers of each type are shown.
_NUMBERS = {"BIGINT": ",d", "INTEGER": ",d", "DOUBLE": ",.1f"}

Board = Mapping[str, Any]
Chart = Mapping[str, Any]
# The names of a dataset's columns with their types.
Columns = Mapping[str, str]

_FILTERS = {
    "group": ("Group", "groups"),
    "person": ("Person", "people"),
    "time": ("Time", None),
}


def boards() -> list[Board]:
    """All boards, in the order in which they are linked."""
    return [yaml.safe_load(path.read_text()) for path in sorted(HERE.glob("boards/*.yml"))]


def charts(board: Board) -> Iterator[Chart]:
    """The charts of a board, each with its kind and title."""
    return (_named(chart) for row in board["rows"] for chart in row)


def _named(chart: Chart) -> Chart:
    kind, title = next(iter(chart.items()))
    return {**chart, "kind": kind, "title": title}


def dataset_sql(name: str) -> str:
    """The query of a dataset."""
    labels = (HERE / "datasets" / "_labels.sql").read_text()
    return labels + (HERE / "datasets" / f"{name}.sql").read_text()


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
        chosen = ", ".join([*_measures(chart), *(f'"{one}"' for one in _dimensions(chart))])
    where = f" where {chart['where']}" if "where" in chart else ""
    by = " group by all" if chart["kind"] == "bar" else ""
    return f"select {chosen} from ({dataset_sql(chart['dataset'])}) as data{where}{by}"


def _measures(chart: Chart) -> list[str]:
    if "max" in chart:
        return [f"max({chart['max']})"]
    return [f"coalesce(sum({column}), 0)" for column in _summed(chart)] or ["count(*)"]


def _summed(chart: Chart) -> list[str]:
    return list(chart.get("sums", ()))


def _dimensions(chart: Chart) -> list[str]:
    return [chart[name] for name in ("x", "by") if name in chart]


def _uuid(kind: str, name: str) -> str:
    return str(uuid5(NAMESPACE_URL, f"scuttlehouse/{kind}/{name}"))


def _words(column: str) -> str:
    """The header of a column.

    >>> _words("valid_from_at"), _words("is_missing"), _words("has_late_post"), _words("group_link")
    ('Valid from (UTC)', 'Missing', 'Late post', 'Group')
    """
    words = column.removeprefix("is_").removeprefix("has_").removesuffix("_link").replace("_", " ")
    if words.endswith(" at"):
        words = f"{words.removesuffix(' at')} (UTC)"
    return words[:1].upper() + words[1:]


def _time_of(columns: Columns) -> str | None:
    """The column that a filter by time looks at: the first time of a dataset."""
    times = [name for name, kind in columns.items() if kind in ("TIMESTAMP", "DATE")]
    return times[0] if times else None


def _database(file: Path) -> dict[str, Any]:
    return {
        "database_name": DATABASE,
        "sqlalchemy_uri": f"duckdb:///{file}",
        "expose_in_sqllab": True,
        "allow_run_async": False,
        "allow_ctas": False,
        "allow_cvas": False,
        "allow_dml": False,
        "allow_file_upload": False,
        "extra": {"engine_params": {"connect_args": CONNECTION}},
        "uuid": _uuid("database", DATABASE),
        "version": VERSION,
    }


def _imported_sql(name: str, columns: Columns, shown: Container[str]) -> str:
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


def _dataset(name: str, columns: Columns, shown: Container[str]) -> dict[str, Any]:
    return {
        "table_name": name,
        "schema": "main",
        "sql": _imported_sql(name, columns, shown),
        "main_dttm_col": _time_of(columns),
        "metrics": [],
        "columns": [
            {
                "column_name": column,
                "verbose_name": _words(column),
                "type": kind,
                "is_dttm": kind in ("TIMESTAMP", "DATE"),
                "groupby": True,
                "filterable": True,
            }
            for column, kind in columns.items()
        ],
        "uuid": _uuid("dataset", name),
        "database_uuid": _uuid("database", DATABASE),
        "version": VERSION,
    }


def _chart(board: Board, chart: Chart, columns: Columns) -> dict[str, Any]:
    kinds = {
        "number": ("big_number_total", _number),
        "table": ("table", _table),
        "bar": ("echarts_timeseries_bar", _bar),
        "drawing": ("table", _drawing),
    }
    viz_type, parameters = kinds[chart["kind"]]
    return {
        "slice_name": chart["title"],
        "description": _one_line(chart["says"]),
        "viz_type": viz_type,
        "params": {
            "viz_type": viz_type,
            "adhoc_filters": list(_conditions(chart, columns)),
            **parameters(chart, columns),
        },
        "uuid": _chart_uuid(board, chart),
        "dataset_uuid": _uuid("dataset", chart["dataset"]),
        "version": VERSION,
    }


def _chart_uuid(board: Board, chart: Chart) -> str:
    return _uuid("chart", f"{board['slug']}/{chart['kind']}/{chart['title']}")


def _conditions(chart: Chart, columns: Columns) -> Iterator[dict[str, Any]]:
    if "where" in chart:
        yield {"clause": "WHERE", "expressionType": "SQL", "sqlExpression": chart["where"]}
    time = _time_of(columns)
    if time and chart["kind"] != "number":
        yield {
            "clause": "WHERE",
            "expressionType": "SIMPLE",
            "subject": time,
            "operator": "TEMPORAL_RANGE",
            "comparator": "No filter",
        }


def _metric(expression: str, label: str) -> dict[str, Any]:
    return {
        "expressionType": "SQL",
        "sqlExpression": expression,
        "label": label,
        "optionName": f"metric_{label}",
        "hasCustomLabel": True,
    }


def _metrics(chart: Chart) -> list[dict[str, Any]]:
    labels = [_words(column) for column in _summed(chart)] or ["Number"]
    return [_metric(*pair) for pair in zip(_measures(chart), labels, strict=True)]


def _number(chart: Chart, _: Columns) -> dict[str, Any]:
    return {
        "metric": _metrics(chart)[0],
        "header_font_size": 0.5,
        "y_axis_format": ",d",
        "force_timestamp_formatting": "max" in chart,
        "time_format": "%Y-%m-%d %H:%M",
    }


def _page_length(chart: Chart) -> int:
    return int(chart.get("lines", _PAGE_LENGTH))


def _table(chart: Chart, columns: Columns) -> dict[str, Any]:
    return {
        "query_mode": "raw",
        "all_columns": chart["columns"],
        "order_by_cols": [
            f'["{column.removeprefix("-")}", {str(not column.startswith("-")).lower()}]'
            for column in chart["order"]
        ],
        "column_config": {
            column: {"d3NumberFormat": _NUMBERS[columns[column]]}
            for column in chart["columns"]
            if columns[column] in _NUMBERS
        },
        "row_limit": 1000,
        "page_length": _page_length(chart),
        "include_search": True,
        "allow_render_html": True,
        "show_cell_bars": False,
        "table_timestamp_format": "%Y-%m-%d %H:%M",
    }


def _bar(chart: Chart, columns: Columns) -> dict[str, Any]:
    is_time = columns[chart["x"]] in ("TIMESTAMP", "DATE")
    return {
        "x_axis": chart["x"],
        "time_grain_sqla": "P1D" if is_time else None,
        "x_axis_sort": None if is_time else _bar_order(chart),
        "x_axis_sort_asc": is_time,
        "xAxisForceCategorical": not is_time,
        "metrics": _metrics(chart),
        "groupby": [chart["by"]] if "by" in chart else [],
        "stack": "Stack",
        "row_limit": chart.get("limit", 1000),
        "orientation": "vertical" if is_time else "horizontal",
        "show_legend": "by" in chart or len(_summed(chart)) > 1,
        "x_axis_time_format": "%Y-%m-%d",
        "y_axis_format": "SMART_NUMBER",
        "rich_tooltip": True,
    }


def _bar_order(chart: Chart) -> str:
    """What bars are in the order of, in Superset's words: those of one colour by a number of the query."""
    return "sum" if "by" in chart else str(_metrics(chart)[0]["label"])


def _drawing(chart: Chart, columns: Columns) -> dict[str, Any]:
    """A table of pictures: Superset has a chart for pages of HTML, but that one runs texts as code."""
    pictures = {**chart, "columns": ["picture"], "order": ["rank"]}
    return {**_table(pictures, columns), "include_search": False, "page_length": 1}


def _one_line(text: str) -> str:
    return " ".join(text.split())


def _dashboard(board: Board, all_boards: Sequence[Board]) -> dict[str, Any]:
    return {
        "dashboard_title": board["title"],
        "description": _one_line(board["says"]),
        "slug": board["slug"],
        "css": (HERE / "boards" / "style.css").read_text(),
        "published": True,
        "uuid": _uuid("dashboard", board["slug"]),
        "position": _Layout(board, all_boards).position,
        "metadata": {
            "native_filter_configuration": [_filter(name) for name in board["filters"]],
            "cross_filters_enabled": False,
            "refresh_frequency": 0,
            "color_scheme": "okabe_ito",
        },
        "version": VERSION,
    }


def _filter(name: str) -> dict[str, Any]:
    label, dataset = _FILTERS[name]
    target = {"column": {"name": name}, "datasetUuid": _uuid("dataset", dataset)} if dataset else {}
    return {
        "id": f"NATIVE_FILTER-{name}",
        "name": label,
        "type": "NATIVE_FILTER",
        "filterType": "filter_select" if dataset else "filter_time",
        "targets": [target],
        "controlValues": {"multiSelect": True, "searchAllOptions": True} if dataset else {},
        "defaultDataMask": {"extraFormData": {}, "filterState": {}, "ownState": {}},
        "cascadeParentIds": [],
        "scope": {"rootPath": ["ROOT_ID"], "excluded": []},
        "description": "",
    }


class _Layout:
    """Where the charts of a board stand: each above the sentence about it, as one card."""

    def __init__(self, board: Board, all_boards: Sequence[Board]) -> None:
        self.position: dict[str, Any] = {
            "DASHBOARD_VERSION_KEY": "v2",
            "ROOT_ID": {"type": "ROOT", "id": "ROOT_ID", "children": ["GRID_ID"]},
            "HEADER_ID": {"type": "HEADER", "id": "HEADER_ID", "meta": {"text": board["title"]}},
        }
        self._add("GRID", "GRID_ID", ["ROOT_ID"], {})
        links = " · ".join(
            f"**{one['title']}**"
            if one is board
            else f"[{one['title']}](/superset/dashboard/{one['slug']}/)"
            for one in all_boards
        )
        above = self._row("top")
        self._text("top", above, COLUMNS, f"{links}\n\n{_one_line(board['says'])}")
        for number, row in enumerate(board["rows"]):
            above = self._row(str(number))
            for chart in map(_named, row):
                self._place(board, chart, above, chart.get("width", COLUMNS // len(row)))

    def _place(self, board: Board, chart: Chart, above: list[str], width: int) -> None:
        uuid = _chart_uuid(board, chart)
        # Superset puts the number that it gives a chart in place of this one.
        number = sum(name.startswith("CHART-") for name in self.position) + 1
        meta = {"uuid": uuid, "sliceName": chart["title"], "width": width, "chartId": number}
        column = f"COLUMN-{uuid}"
        self._add("COLUMN", column, above, {"width": width, "background": "BACKGROUND_TRANSPARENT"})
        inside = [*above, column]
        height = _HEIGHTS.get(chart["kind"]) or _TABLE_HEIGHT + _ROW_HEIGHT * _page_length(chart)
        self._add("CHART", f"CHART-{uuid}", inside, {**meta, "height": height})
        self._text(uuid, inside, width, _one_line(chart["says"]))

    def _row(self, name: str) -> list[str]:
        above = ["ROOT_ID", "GRID_ID"]
        self._add("ROW", f"ROW-{name}", above, {"background": "BACKGROUND_TRANSPARENT"})
        return [*above, f"ROW-{name}"]

    def _text(self, name: str, above: list[str], width: int, code: str) -> None:
        # Of this height if the style sheet does not apply.
        meta = {"code": code, "width": width, "height": 16}
        self._add("MARKDOWN", f"MARKDOWN-{name}", above, meta)

    def _add(self, kind: str, name: str, above: list[str], meta: dict[str, Any]) -> None:
        self.position[name] = {
            "type": kind,
            "id": name,
            "parents": above,
            "children": [],
            "meta": meta,
        }
        if name != "GRID_ID":
            self.position[above[-1]]["children"].append(name)


def all_assets(file: Path) -> dict[str, str]:
    """The texts of all assets, by the names of their files.

    Args:
        file: the serving file, which says which columns datasets have.
    """
    all_boards = boards()
    used = {chart["dataset"] for board in all_boards for chart in charts(board)}
    used |= {dataset for _, dataset in _FILTERS.values() if dataset}
    assets: dict[str, Any] = {
        "metadata.yaml": {
            "version": VERSION,
            "type": "assets",
            "timestamp": "2026-01-01T00:00:00+00:00",
        },
        f"databases/{DATABASE}.yaml": _database(file),
    }
    with duckdb.connect(str(file), **CONNECTION) as connection:
        columns = {name: dataset_columns(connection, name) for name in sorted(used)}
    shown: dict[str, set[str]] = {name: set() for name in columns}
    for board in all_boards:
        for chart in charts(board):
            shown[chart["dataset"]].update(chart.get("columns", ()))
    for name in columns:
        assets[f"datasets/{DATABASE}/{name}.yaml"] = _dataset(name, columns[name], shown[name])
    for board in all_boards:
        assets[f"dashboards/{board['slug']}.yaml"] = _dashboard(board, all_boards)
        for chart in charts(board):
            name = _chart_uuid(board, chart)
            assets[f"charts/{name}.yaml"] = _chart(board, chart, columns[chart["dataset"]])
    return {name: yaml.safe_dump(asset, sort_keys=False) for name, asset in assets.items()}
