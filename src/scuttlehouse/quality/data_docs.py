"""Data Docs: the expectations of every table, and whether it met them in the last build, as pages.

The pages need no network. Each takes the place of the one before it in one step.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from jinja2 import DictLoader, Environment

from scuttlehouse.catalog.names import Schemas
from scuttlehouse.quality.templates import INDEX, PAGE, STYLE

if TYPE_CHECKING:
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer

    from scuttlehouse.quality.check import Checked
    from scuttlehouse.quality.view import OfflineView


def pages_folder(home: Path, schemas: Schemas) -> Path:
    """The folder of the pages: ``data_docs`` in the home. Those of a developer are in a folder below it."""
    pages = home / "data_docs"
    return pages if schemas.is_published else pages / schemas.work


def is_page_of(folder: Path, table: str, build_id: str) -> bool:
    """Whether the page of a table is there, and this build wrote it."""
    page = _page(folder, table)
    return page.exists() and f"Build {build_id}," in page.read_text(encoding="utf-8")


def write_page(folder: Path, build_id: str, checked: Checked) -> None:
    """Write the page of a checked table.

    Raises:
        OSError: the folder cannot be written.
    """
    suite, _, report = checked
    view, renderer = _view()
    page = {"title": suite.table_name, "row": suite.row, **_foot(build_id)}
    _write(folder, suite.table_name, view.render(renderer.render(report), **page))


@cache
def _view() -> tuple[OfflineView, ValidationResultsPageRenderer]:
    """What renders pages: it compiles its templates once."""
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer

    from scuttlehouse.quality.view import OfflineView

    return OfflineView(), ValidationResultsPageRenderer()


def write_index(
    folder: Path, build_id: str, rows: Mapping[str, str], results: Iterable[Mapping[str, Any]]
) -> None:
    """Write ``index.html``, which leads to the page of each table, and remove the pages of other tables.

    Args:
        rows: what a row of a table is, by the name of the table.
        results: rows of ``fct_quality_results``, about these tables only.

    Raises:
        OSError: the folder cannot be written.
    """
    total: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for result in results:
        total[result["table_name"]] += 1
        broken[result["table_name"]] += not result["is_success"]
    tables = [
        {"name": name, "row": rows[name], "total": total[name], "broken": broken[name]}
        for name in sorted(total)
    ]
    pages = Environment(
        loader=DictLoader({"offline_page": PAGE, "offline_index": INDEX}), autoescape=True
    )
    page = pages.get_template("offline_index").render(
        title="The expectations of the tables",
        style=STYLE,
        ge_version=version("great_expectations"),
        tables=tables,
        **_foot(build_id),
    )
    _write(folder, "index", page)
    for file in folder.iterdir():
        if file.is_file() and file.stem not in {"index", *total}:
            file.unlink()


def _foot(build_id: str) -> dict[str, str]:
    return {"build_id": build_id, "built_at": f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC"}


def _write(folder: Path, name: str, page: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    unfinished = folder / f"{name}.new"
    unfinished.write_text(page, encoding="utf-8")
    unfinished.replace(_page(folder, name))


def _page(folder: Path, name: str) -> Path:
    return folder / f"{name}.html"
