"""The dashboards in the form that Superset imports, made from `boards` and `datasets`.

Superset's own form of the same has about forty times as many lines, most of them numbers of the layout.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from pathlib import Path
from typing import Any

import duckdb
import yaml

from definitions import (
    HERE,
    Board,
    Chart,
    Columns,
    boards,
    chart_uuid,
    charts,
    dataset_columns,
    measures,
    one_line,
    page_length,
    shown_sql,
    summed,
    uuid_of,
)
from superset_layout import Layout

DATABASE = "scuttlehouse"
VERSION = "1.0.0"

# What the connection of a dashboard may do: read this one file. Nobody can change that by SQL.
CONNECTION: dict[str, Any] = {
    "read_only": True,
    "config": {"enable_external_access": False, "lock_configuration": True},
}

# How numbers of each type are shown.
_NUMBERS = {"BIGINT": ",d", "INTEGER": ",d", "DOUBLE": ",.1f"}

_FILTERS = {
    "group": ("Group", "groups"),
    "person": ("Person", "people"),
    "time": ("Time", None),
}


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
        "uuid": uuid_of("database", DATABASE),
        "version": VERSION,
    }


def _dataset(name: str, columns: Columns, shown: Container[str]) -> dict[str, Any]:
    return {
        "table_name": name,
        "schema": "main",
        "sql": shown_sql(name, columns, shown),
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
        "uuid": uuid_of("dataset", name),
        "database_uuid": uuid_of("database", DATABASE),
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
        "description": one_line(chart["says"]),
        "viz_type": viz_type,
        "params": {
            "viz_type": viz_type,
            "adhoc_filters": list(_conditions(chart, columns)),
            **parameters(chart, columns),
        },
        "uuid": chart_uuid(board, chart),
        "dataset_uuid": uuid_of("dataset", chart["dataset"]),
        "version": VERSION,
    }


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
    labels = [_words(column) for column in summed(chart)] or ["Number"]
    return [_metric(*pair) for pair in zip(measures(chart), labels, strict=True)]


def _number(chart: Chart, _: Columns) -> dict[str, Any]:
    return {
        "metric": _metrics(chart)[0],
        "header_font_size": 0.5,
        "y_axis_format": ",d",
        "force_timestamp_formatting": "max" in chart,
        "time_format": "%Y-%m-%d %H:%M",
    }


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
        "page_length": page_length(chart),
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
        "show_legend": "by" in chart or len(summed(chart)) > 1,
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


def _dashboard(board: Board, all_boards: Sequence[Board]) -> dict[str, Any]:
    return {
        "dashboard_title": board["title"],
        "description": one_line(board["says"]),
        "slug": board["slug"],
        "css": (HERE / "boards" / "style.css").read_text(),
        "published": True,
        "uuid": uuid_of("dashboard", board["slug"]),
        "position": Layout(board, all_boards).position,
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
    target = (
        {"column": {"name": name}, "datasetUuid": uuid_of("dataset", dataset)} if dataset else {}
    )
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
            name = chart_uuid(board, chart)
            assets[f"charts/{name}.yaml"] = _chart(board, chart, columns[chart["dataset"]])
    return {name: yaml.safe_dump(asset, sort_keys=False) for name, asset in assets.items()}
