"""One screen about what a build found, for somebody who sees these tables for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from scuttlehouse.builds.summary_queries import COUNTS, GROUPS, REASONS
from scuttlehouse.catalog.names import PUBLISHED, NothingPublishedError
from scuttlehouse.catalog.opening import published_build
from scuttlehouse.printing import count, visible
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.warehouse import Warehouse, open_published, open_tables

if TYPE_CHECKING:
    from scuttlehouse.catalog.records import Build

_WIDTH = 80


class _Reason(NamedTuple):
    title: str
    word: str
    figure: int
    note: str


def summary(home: Path, build: Build, changes: tuple[int, int, int]) -> Iterator[str]:
    """The lines about what a build published, without control characters of strangers.

    Args:
        home: the folder of the warehouse.
        build: the build to describe. Another build may publish in the meantime and does not count.
        changes: how many rows of the public tables the build added, changed and deleted.

    Raises:
        WarehouseError: a published table lacks a column, or one of its files is missing or damaged.
    """
    with open_tables(home, {PUBLISHED: build.public}) as warehouse:
        # A line feed that a stranger wrote begins no line.
        yield from map(visible, _lines(warehouse, home, build.build_id, changes))


def summary_of_published(home: Path) -> Iterator[str]:
    """The lines that the published build printed at its end.

    Raises:
        CatalogError: nothing is published, or the catalog cannot be read.
        WarehouseError: a file of a table is missing or damaged.
    """
    build = published_build(home)
    if build is None:
        raise NothingPublishedError(home)
    with open_published(home) as warehouse:
        logged = warehouse.rows(f"""
            select rows_added, rows_changed, rows_deleted from fct_builds
            where step = 'build' and rows_added is not null and build_id = {literal(build.build_id)}
        """)
    yield from summary(home, build, logged[0] if logged else (0, 0, 0))


def _lines(
    warehouse: Warehouse, home: Path, build_id: str, changes: tuple[int, int, int]
) -> Iterator[str]:
    counted = _counts(warehouse)
    found = warehouse.rows(REASONS)
    reasons = {
        title: [*rows]
        for title, rows in groupby(map(_Reason._make, found), key=lambda reason: reason.title)
    }
    yield from ("", f"scuttlehouse: built, tested and published as build {build_id}.")
    yield from _about_build(counted, changes)
    yield from ("", "The log")
    yield from _about_messages(counted)
    yield from _table_of("Rejected lines", reasons)
    yield from ("", "Tangles")
    yield from _about_tangles(counted)
    yield from _table_of("Set aside", reasons)
    yield from _table_of("Not a candidate", reasons)
    yield from ("", "Groups and the epoch that people should prefer (an id by its first letters)")
    yield from _groups(warehouse, counted["group_count"])
    yield from _table_of("To publish, so that groups are connected (fct_epoch_repairs)", reasons)
    if counted["set_count"]:
        yield from ("", "Replicated sets")
        yield from _about_sets(counted)
    yield from ("", "Look further")
    yield from _further(home)
    yield ""


def _about_build(counted: dict[str, int], changes: tuple[int, int, int]) -> Iterator[str]:
    added, changed, deleted = changes
    yield from _sentences(
        "Logs: {new_log_count:,} new, {changed_log_count:,} changed, {known_log_count:,} known (not read "
        "again), {vanished_log_count:,} vanished (their lines stay).".format_map(counted)
    )
    if copies := counted["copied_log_count"]:
        yield f"  {count(copies, 'log is', 'logs are')} the same as another one, under another name."
    if left_out := counted["left_out_count"]:
        yield from _sentences(
            count(left_out, "entry of the landing folder was", "entries of the landing folder were")
            + " left out. What they are, and what to do:"
        )
        yield "    select source_file, status_reason from dim_logs where status = 'left_out'"
    yield from _sentences(
        f"Rows of tables: {added:,} new, {changed:,} changed, {deleted:,} gone (fct_builds says in which)."
    )


def _about_messages(counted: dict[str, int]) -> Iterator[str]:
    yield (
        f"  {count(counted['message_count'], 'message')} in {count(counted['feed_count'], 'feed')} of "
        f"{count(counted['person_count'], 'person', 'people')}."
    )
    yield from _sentences(
        "Of the messages: {encrypted_count:,} that nobody opened, {invalid_count:,} invalid, "
        "{not_checked_count:,} that cannot be checked.".format_map(counted)
    )


def _about_tangles(counted: dict[str, int]) -> list[str]:
    return _sentences(
        f"{count(counted['tangle_count'], 'tangle holds', 'tangles hold')} "
        f"{count(counted['tangle_message_count'], 'message')}; the deepest has "
        f"{count(counted['deepest'], 'step')}. "
        f"{count(counted['set_aside_count'], 'message is', 'messages are')} set aside, and "
        f"{count(counted['missing_count'], 'message is', 'messages are')} missing from the log."
    )


def _about_sets(counted: dict[str, int]) -> list[str]:
    return _sentences(
        f"{count(counted['set_count'], 'set holds', 'sets hold')} "
        f"{count(counted['item_count'], 'item')}. "
        "{prunable_count:,} of their messages may go, which frees {freed_bytes:,} bytes and changes "
        "nothing; the software that wrote them would drop ".format_map(counted)
        + f"{count(counted['lost_count'], 'item')}."
    )


def _further(home: Path) -> Iterator[str]:
    """Where to read on, a line for each place."""
    data_docs = home / "data_docs" / "index.html"
    shown = data_docs.relative_to(Path.cwd()) if data_docs.is_relative_to(Path.cwd()) else data_docs
    further = {
        '.venv/bin/scuttlehouse sql "select * from dim_groups"': "any query of the tables",
        ".venv/bin/scuttlehouse show ID": "all about a thing",
        "make docs": "what each column means",
        "make dashboards": "the tables in a browser",
    }
    width = max(map(len, further))
    further[str(shown)] = "what was checked"
    return (f"  {place.ljust(width)}  {what}" for place, what in further.items())


def _counts(warehouse: Warehouse) -> dict[str, int]:
    counted: dict[str, int] = {}
    for statement in COUNTS:
        columns, [row] = warehouse.query(statement)
        counted |= dict(zip(columns, row, strict=True))
    return counted


def _sentences(text: str) -> list[str]:
    """A text in lines that a terminal of 80 columns shows whole."""
    return wrap(text, _WIDTH, initial_indent="  ", subsequent_indent="  ")


def _groups(warehouse: Warehouse, group_count: int) -> Iterator[str]:
    if not group_count:
        yield "  no groups in this log"
        return
    yield "  group     epochs  tips  people  preferred  people by epoch"
    groups = warehouse.rows(GROUPS)
    for group, epochs, tips, people, preferred, preferences in groups:
        line = f"  {group:<8}  {epochs:>6}  {tips:>4}  {people:>6}  {preferred:<9}  {preferences}"
        yield line.rstrip()
    if group_count > len(groups):
        yield f"  ... and {group_count - len(groups):,} more (dim_groups)"


def _table_of(title: str, reasons: dict[str, list[_Reason]]) -> Iterator[str]:
    if title in reasons:
        yield f"  {title}:"
        for reason in reasons[title]:
            yield f"    {reason.figure:>5,}  {reason.word:<26}  {reason.note}"
