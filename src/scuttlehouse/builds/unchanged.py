"""Decide whether anything is new since the published build, without dbt and without Java."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, NamedTuple

from scuttlehouse.builds.rules import lines_hash, project_hash, project_variables, rules_hash
from scuttlehouse.catalog.opening import published_build
from scuttlehouse.catalog.records import Build
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Log
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.landing.ledger import LedgerEntry, lost_logs
from scuttlehouse.landing.looks import look_into
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.ssb.epoch_keys import KeyRing

_LEDGER = """
    select
        landing_folder, source_file, content_hash, size_bytes, epoch_ms(modified_at), status, batch_id,
        lines_hash, status_reason, form, compression, encoding
    from dim_logs
"""


class PublishedLogs(NamedTuple):
    """The ledger of the published build: the landing folder, and an entry per log."""

    folder: str = ""
    entries: tuple[LedgerEntry, ...] = ()

    def lost(self, stock: Iterable[LedgerEntry]) -> int:
        """How many logs that have lines in it are not among those of a folder, whatever their names are now.

        An empty log has its name, and not its lines.

        >>> read = LedgerEntry("a.jsonl", "aa", 3, 0, "new", "batch 1", "rules")
        >>> logs = PublishedLogs("/logs", (read, read._replace(source_file="b.jsonl")))
        >>> logs.lost([read]), logs.lost([read._replace(source_file="a.jsonl.gz")]), logs.lost([])
        (0, 0, 2)
        >>> logs.lost([read._replace(content_hash="of nothing", size_bytes=0)])
        2
        """
        found = [*stock]
        names = {entry.source_file for entry in found if entry.size_bytes}
        return len(lost_logs(self.entries, names, (entry.content_hash for entry in found)))

    def of_folder(self, folder: str) -> Mapping[str, LedgerEntry]:
        """The entries by name; none if another landing folder was read."""
        return {entry.source_file: entry for entry in self.entries if folder == self.folder}


def published_logs(home: Path) -> PublishedLogs:
    """The ledger of the published build. It has no entries if nothing is published.

    Raises:
        WarehouseError: the ledger is damaged.
    """
    published = published_build(home)
    if published is None or "dim_logs" not in published.public:
        return PublishedLogs()
    with open_published(home) as warehouse:
        rows = warehouse.rows(_LEDGER)
    entries = tuple(LedgerEntry(*row[1:]) for row in rows)
    return PublishedLogs(rows[0][0], entries) if rows else PublishedLogs()


def unchanged_build(home: Path, project: Path) -> Build | None:
    """The published build, if a new build would make the same tables; otherwise None.

    That is so if no log is new, has another size or time, has vanished or has come back, and if no rule, test
    or description of the project has changed.

    Raises:
        LandingError: the landing folder cannot be read.
    """
    if not home.is_dir():
        return None
    variables = project_variables(project)
    landing = landing_folder()
    published = _build_to_refresh(home, project, variables, landing)
    if published is None or published.project_hash != project_hash(project):
        return None
    known = published_logs(home).of_folder(landing)
    rules = lines_hash(home, variables["network_key_file"])
    is_same = all(entry.lines_hash == rules for entry in known.values())
    found = list_logs(landing, KeyRing.of_home(home))
    return published if is_same and is_unchanged(found, known) else None


def is_to_refresh(home: Path, project: Path) -> bool:
    """Whether a new build keeps the rows that no new line touches.

    Raises:
        LandingError: the landing folder has no possible name.
    """
    variables = project_variables(project)
    return _build_to_refresh(home, project, variables, landing_folder()) is not None


def _build_to_refresh(
    home: Path, project: Path, variables: Mapping[str, Any], landing: str
) -> Build | None:
    """The published build, if a new build continues from its tables; otherwise None."""
    published = published_build(home)
    if published is None or not published.can_be_refreshed(rules_hash(project, variables), landing):
        return None
    return published


def is_unchanged(logs: Iterable[Log], known: Mapping[str, LedgerEntry]) -> bool:
    """Whether a folder and a ledger have the same entries, with the same sizes, times and reasons."""
    present = {
        name: (entry.size_bytes, entry.modified_ms, entry.status_reason)
        for name, entry in known.items()
        if entry.status not in ("vanished", "moved")
    }
    found = {
        log.source_file: (log.size_bytes, log.modified_ms, _reason(log, known.get(log.source_file)))
        for log in logs
    }
    return found == present


def _reason(log: Log, entry: LedgerEntry | None) -> str | None:
    """Why a log is not read, if the answer may have changed since the ledger was written."""
    if entry is None:
        return log.problem
    if log.problem is None and entry.status != "left_out":
        return entry.status_reason
    look = look_into(log)
    return look.problem if entry.batch_id is None else look.problem_of_known()
