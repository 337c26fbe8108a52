"""Data Docs: what every table promises and how it fared in the last build, as pages for people."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from pathlib import Path

from scuttlehouse.quality.check import Checked


def write_data_docs(folder: Path, checked: Sequence[Checked], build_id: str, built_at: str) -> None:
    """Write ``index.html`` and a page per table, in place of those of the build before.

    ``build_id`` and ``built_at`` stand at the foot of every page. The pages need no network, and
    take the place of the old ones all at once.

    Raises:
        OSError: the folder cannot be written.
    """
    from great_expectations.render.renderer.page_renderer import ValidationResultsPageRenderer

    from scuttlehouse.quality.view import OfflineView

    view, renderer = OfflineView(), ValidationResultsPageRenderer()
    foot = {"build_id": build_id, "built_at": built_at}
    pages = {}
    for suite, _, report in checked:
        page = {"title": suite.table_name, "row": suite.row, **foot}
        pages[suite.table_name] = view.render(renderer.render(report), **page)  # type: ignore[no-untyped-call]
    tables = [
        {
            "name": suite.table_name,
            "row": suite.row,
            "promises": len(outcomes),
            "broken": sum(not outcome.is_success for outcome in outcomes),
        }
        for suite, outcomes, _ in checked
    ]
    index = view.env.get_template("offline_index")
    pages["index"] = index.render(title="What the tables promise", tables=tables, **foot)
    _replace(folder, pages)


def _replace(folder: Path, pages: dict[str, str]) -> None:
    fresh, stale = folder.with_name(f"{folder.name}.new"), folder.with_name(f"{folder.name}.old")
    for leftover in (fresh, stale):
        shutil.rmtree(leftover, ignore_errors=True)
    fresh.mkdir(parents=True)
    for name, page in pages.items():
        (fresh / f"{name}.html").write_text(page, encoding="utf-8")
    if folder.exists():
        folder.rename(stale)
    fresh.rename(folder)
    shutil.rmtree(stale, ignore_errors=True)
