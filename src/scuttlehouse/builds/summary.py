"""One screen about what a build found, for somebody who sees these tables for the first time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from pathlib import Path
from textwrap import wrap
from typing import TYPE_CHECKING, NamedTuple

from scuttlehouse.catalog import NOTHING_PUBLISHED, PUBLISHED, open_catalog
from scuttlehouse.printing import count, visible
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import Warehouse, open_published, open_tables

if TYPE_CHECKING:
    from scuttlehouse.catalog import Build

SHOWN_GROUPS = 12
_WIDTH = 80

_COUNTS = (
    """
        select
            count(*) as message_count,
            count(*) filter (where validity = 'invalid') as invalid_count,
            count(*) filter (where validity = 'not_checked') as not_checked_count,
            count(*) filter (where is_private and not is_decrypted) as encrypted_count
        from fct_messages
    """,
    """
        select count(*) as feed_count, count(distinct person_id) as person_count
        from dim_feeds
        where message_count > 0
    """,
    """
        select
            count(*) as tangle_count,
            coalesce(max(depth), 0) as deepest
        from dim_tangles
    """,
    # A message may be in several tangles, and missing in several: each counts once.
    """
        select
            count(distinct message_id) filter (where status = 'in') as tangle_message_count,
            count(distinct message_id) filter (where status = 'set_aside') as set_aside_count
        from fct_tangle_messages
    """,
    "select count(distinct missing_id) as missing_count from fct_tangle_gaps",
    "select count(*) as group_count from dim_groups",
    """
        select
            count(*) filter (where status = 'new') as new_log_count,
            count(*) filter (where status = 'changed') as changed_log_count,
            count(*) filter (where status = 'known') as known_log_count,
            count(*) filter (where status = 'vanished') as vanished_log_count,
            count(*) filter (where status in ('copy', 'moved')) as copied_log_count,
            count(*) filter (where status = 'left_out') as left_out_count
        from dim_logs
    """,
    """
        select
            count(*) as set_count,
            sum(item_count) as item_count,
            sum(prunable_count) as prunable_count,
            sum(freed_bytes) as freed_bytes,
            sum(lost_by_reference_count) as lost_count
        from dim_sets
    """,
)

_REASONS = """
    select
        'Rejected lines' as title,
        reason as word,
        sum(line_count) as figure,
        'first: ' || arg_min(source_file, (line_number, source_file)) || ' line ' || min(line_number) as note
    from fct_rejected_lines
    group by reason
    union all
    select
        if(status = 'set_aside', 'Set aside', 'Not a candidate'),
        status_reason,
        count(distinct message_id),
        'in ' || count(distinct tangle_id) || if(count(distinct tangle_id) = 1, ' tangle', ' tangles')
    from fct_tangle_messages
    where status in ('set_aside', 'rejected')
    group by status, status_reason
    union all
    select
        'To publish, so that groups are connected (fct_epoch_repairs)',
        action,
        count(*),
        'in ' || count(distinct group_id) || if(count(distinct group_id) = 1, ' group', ' groups')
    from fct_epoch_repairs
    group by action
    order by title, figure desc, word
"""

_GROUPS = f"""
    with

    preferences as (

        select group_id, epoch_id, count(*) as person_count
        from fct_preferred_epochs
        group by group_id, epoch_id

    ),

    placed as (

        select
            *,
            row_number() over (partition by group_id order by person_count desc, epoch_id) as place,
            count(*) over (partition by group_id) as preferred_count
        from preferences

    ),

    -- Three fit into a line; of more, two and the number of the others.
    preferences_of_groups as (

        select
            group_id,
            string_agg(person_count || ' ' || split_part(epoch_id, '/', -1)[1:6], ', ' order by place)
                filter (where place <= if(preferred_count > 3, 2, 3))
            || if(max(preferred_count) > 3, ', ' || max(preferred_count) - 2 || ' more epochs', '')
                as preferences
        from placed
        group by group_id

    ),

    largest_groups as (

        select * from dim_groups
        order by epoch_count desc, group_id
        limit {SHOWN_GROUPS}

    )

    select
        split_part(group_id, '/', -1)[1:6] as short_id,
        epoch_count,
        tip_count,
        person_count,
        coalesce(split_part(preferred_epoch_id, '/', -1)[1:6], 'none') as preferred,
        coalesce(preferences, '') as preferences
    from largest_groups
    left join preferences_of_groups using (group_id)
    order by epoch_count desc, short_id
"""


class _Reason(NamedTuple):
    title: str
    word: str
    figure: int
    note: str


def print_summary(home: Path, build: Build, changes: tuple[int, int, int]) -> None:
    """Print what a build published.

    Args:
        home: the folder of the warehouse.
        build: the build to describe. Another build may publish in the meantime and does not count.
        changes: how many rows of the public tables the build added, changed and deleted.

    Raises:
        WarehouseError: a published table lacks a column, or one of its files is missing or damaged.
    """
    print(*summary(home, build, changes), sep="\n")


def summary(home: Path, build: Build, changes: tuple[int, int, int]) -> Iterator[str]:
    """The lines of :func:`print_summary`, without control characters of strangers."""
    with open_tables(home, {PUBLISHED: build.public}) as warehouse:
        # A line feed that a stranger wrote begins no line.
        yield from map(visible, _lines(warehouse, home, build.build_id, changes))


def summary_of_published(home: Path) -> Iterator[str]:
    """The lines that the published build printed at its end.

    Raises:
        CatalogError: the catalog cannot be read.
        WarehouseError: nothing is published, or a file of a table is missing or damaged.
    """
    with open_catalog(home, read_only=True) as catalog:
        build = catalog.published()
    if build is None:
        raise WarehouseError(NOTHING_PUBLISHED)
    with open_published(home) as warehouse:
        _, logged = warehouse.query(f"""
            select rows_added, rows_changed, rows_deleted from fct_builds
            where step = 'build' and rows_added is not null and build_id = {literal(build.build_id)}
        """)
    yield from summary(home, build, logged[0] if logged else (0, 0, 0))


def _lines(
    warehouse: Warehouse, home: Path, build_id: str, changes: tuple[int, int, int]
) -> Iterator[str]:
    counted = _counts(warehouse)
    _, found = warehouse.query(_REASONS)
    reasons = {
        title: [*rows]
        for title, rows in groupby(map(_Reason._make, found), key=lambda reason: reason.title)
    }
    added, changed, deleted = changes
    yield from ("", f"scuttlehouse: built, tested and published as build {build_id}.")
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
    yield from ("", "The log")
    yield (
        f"  {count(counted['message_count'], 'message')} in {count(counted['feed_count'], 'feed')} of "
        f"{count(counted['person_count'], 'person', 'people')}."
    )
    yield from _sentences(
        "Of the messages: {encrypted_count:,} that nobody opened, {invalid_count:,} invalid, "
        "{not_checked_count:,} that cannot be checked.".format_map(counted)
    )
    yield from _table_of("Rejected lines", reasons)
    yield from ("", "Tangles")
    yield from _sentences(
        f"{count(counted['tangle_count'], 'tangle holds', 'tangles hold')} "
        f"{count(counted['tangle_message_count'], 'message')}; the deepest has "
        f"{count(counted['deepest'], 'step')}. "
        f"{count(counted['set_aside_count'], 'message is', 'messages are')} set aside, and "
        f"{count(counted['missing_count'], 'message is', 'messages are')} missing from the log."
    )
    yield from _table_of("Set aside", reasons)
    yield from _table_of("Not a candidate", reasons)
    yield from ("", "Groups and the epoch that people should prefer (an id by its first letters)")
    yield from _groups(warehouse, counted["group_count"])
    yield from _table_of("To publish, so that groups are connected (fct_epoch_repairs)", reasons)
    if counted["set_count"]:
        yield from ("", "Replicated sets")
        yield from _sentences(
            f"{count(counted['set_count'], 'set holds', 'sets hold')} "
            f"{count(counted['item_count'], 'item')}. "
            "{prunable_count:,} of their messages may go, which frees {freed_bytes:,} bytes and changes "
            "nothing; the software that wrote them would drop ".format_map(counted)
            + f"{count(counted['lost_count'], 'item')}."
        )
    data_docs = home / "data_docs" / "index.html"
    shown = data_docs.relative_to(Path.cwd()) if data_docs.is_relative_to(Path.cwd()) else data_docs
    yield from ("", "Look further")
    further = {
        '.venv/bin/scuttlehouse sql "select * from dim_groups"': "any query of the tables",
        ".venv/bin/scuttlehouse show ID": "all about a thing",
        "make docs": "what each column means",
        "make dashboards": "the tables in a browser",
    }
    width = max(map(len, further))
    further[str(shown)] = "what was checked"
    yield from (f"  {place.ljust(width)}  {what}" for place, what in further.items())
    yield ""


def _counts(warehouse: Warehouse) -> dict[str, int]:
    counted: dict[str, int] = {}
    for statement in _COUNTS:
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
    _, groups = warehouse.query(_GROUPS)
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
