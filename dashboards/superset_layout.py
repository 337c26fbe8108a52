"""Where the charts of a board stand, in the form that Superset imports."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from definitions import Board, Chart, chart_uuid, named, one_line, page_length

_COLUMNS = 12  # of Superset's grid

# In steps of 8 pixels. A table is as high as the rows of a page, so that nobody scrolls twice.
_HEIGHTS = {"number": 15, "bar": 46, "drawing": 90}
_TABLE_HEIGHT, _ROW_HEIGHT = 26, 4


class Layout:
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
        self._text("top", above, _COLUMNS, f"{links}\n\n{one_line(board['says'])}")
        for number, row in enumerate(board["rows"]):
            above = self._row(str(number))
            for chart in map(named, row):
                self._place(board, chart, above, chart.get("width", _COLUMNS // len(row)))

    def _place(self, board: Board, chart: Chart, above: list[str], width: int) -> None:
        uuid = chart_uuid(board, chart)
        # Superset puts the number that it gives a chart in place of this one.
        number = sum(name.startswith("CHART-") for name in self.position) + 1
        meta = {"uuid": uuid, "sliceName": chart["title"], "width": width, "chartId": number}
        column = f"COLUMN-{uuid}"
        self._add("COLUMN", column, above, {"width": width, "background": "BACKGROUND_TRANSPARENT"})
        inside = [*above, column]
        height = _HEIGHTS.get(chart["kind"]) or _TABLE_HEIGHT + _ROW_HEIGHT * page_length(chart)
        self._add("CHART", f"CHART-{uuid}", inside, {**meta, "height": height})
        self._text(uuid, inside, width, one_line(chart["says"]))

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
