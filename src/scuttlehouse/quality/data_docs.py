"""Data Docs: what every table promises and how it fared in the last build, as pages for people.

The pages need no network. Each takes the place of the one before it in one step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from scuttlehouse.quality import SUITES
from scuttlehouse.quality.check import Checked


class Foot(NamedTuple):
    """The footer of every page."""

    build_id: str
    built_at: str


def write_pages(folder: Path, checked: Sequence[Checked], foot: Foot) -> None:
    """Write the page of each checked table.

    Raises:
        OSError: the folder cannot be written.
    """
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer

    from scuttlehouse.quality.view import OfflineView

    view, renderer = OfflineView(), ValidationResultsPageRenderer()
    for suite, _, report in checked:
        page = {"title": suite.table_name, "row": suite.row, **foot._asdict()}
        _write(folder, suite.table_name, view.render(renderer.render(report), **page))  # type: ignore[no-untyped-call]


def write_index(
    folder: Path, promises: Mapping[str, int], broken: Mapping[str, int], foot: Foot
) -> None:
    """Write ``index.html``, which leads to the page of each table, and remove the pages of other tables.

    Args:
        promises: how many expectations were checked, by the name of the table.
        broken: how many of them do not hold.

    Raises:
        OSError: the folder cannot be written.
    """
    from scuttlehouse.quality.view import OfflineView

    tables = [
        {
            "name": suite.table_name,
            "row": suite.row,
            "promises": promises[suite.table_name],
            "broken": broken[suite.table_name],
        }
        for suite in SUITES
        if suite.table_name in promises
    ]
    index = OfflineView().env.get_template("offline_index")
    page = index.render(title="What the tables promise", tables=tables, **foot._asdict())
    _write(folder, "index", page)
    for file in folder.iterdir():
        if file.stem not in {"index", *promises}:
            file.unlink()


def _write(folder: Path, name: str, page: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{name}.new"
    unfinished.write_text(page, encoding="utf-8")
    unfinished.replace(folder / f"{name}.html")
