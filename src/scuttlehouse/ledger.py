"""Which logs a refresh reads: what lies in the landing folder beside what earlier builds have read.

A log is read once. It is known again by its size and time, or by its content where only its time
has changed, and keeps the lines that an earlier build has read; a log whose content has changed is read
again, and its new lines take the place of the old ones. A log that has vanished (moved to an
archive, say) keeps its lines: messages are never unseen.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from scuttlehouse.landing import Log

LogStatus = Literal["new", "changed", "known", "vanished"]


class LedgerEntry(NamedTuple):
    """A log, and the batch of lines that a build has read from it.

    ``status``, a ``LogStatus``, says what this build found. ``batch_id`` is the build that read its lines,
    and ``lines_hash`` stands for the rules by which it read them.
    """

    source_file: str
    content_hash: str
    size_bytes: int
    modified_ms: int
    status: str
    batch_id: str
    lines_hash: str


class RulesChangedError(Exception):
    """Lines that were read by other rules cannot stand beside new ones; says what to do."""


def take_stock(
    found: Iterable[Log],
    known: Mapping[str, LedgerEntry],
    batch_id: str,
    lines_hash: str,
    content_hash: Callable[[Log], str],
) -> list[LedgerEntry]:
    """Compare the logs in the landing folder with the ledger of the last published build.

    Args:
        found: what lies in the landing folder.
        known: the ledger by ``source_file``; empty to read everything.
        batch_id: what the lines that this build reads are filed under.
        lines_hash: the rules by which this build reads lines.
        content_hash: called for new logs, and for those whose size or time has changed.

    Returns:
        An entry per log, found or known, in the order of their names.

    Raises:
        RulesChangedError: a known log was read by other rules.

    Complexity: O(logs), beside the hashes.

    >>> old = LedgerEntry("a.jsonl", "aa", 3, 0, "new", "batch 1", "rules")
    >>> logs = [Log("/landing/a.jsonl", "a.jsonl", 3, 0), Log("/landing/b.jsonl", "b.jsonl", 5, 7)]
    >>> stock = take_stock(logs, {"a.jsonl": old}, "batch 2", "rules", lambda log: "bb")
    >>> [(entry.source_file, entry.status, entry.batch_id) for entry in stock]
    [('a.jsonl', 'known', 'batch 1'), ('b.jsonl', 'new', 'batch 2')]
    """
    if any(entry.lines_hash != lines_hash for entry in known.values()):
        vanished = known.keys() - {log.source_file for log in found}
        raise RulesChangedError(
            "The rules by which lines are read have changed since the logs were read (see "
            "CHANGELOG.md), or the network key has: run `scuttlehouse build --full-refresh`, which reads all "
            f"logs again.{_loss(len(vanished))}"
        )
    stock = {name: entry._replace(status="vanished") for name, entry in known.items()}
    for log in found:
        old = known.get(log.source_file)
        if old and (old.size_bytes, old.modified_ms) == (log.size_bytes, log.modified_ms):
            digest = old.content_hash
        else:
            digest = content_hash(log)
        is_known = old is not None and old.content_hash == digest
        stock[log.source_file] = LedgerEntry(
            source_file=log.source_file,
            content_hash=digest,
            size_bytes=log.size_bytes,
            modified_ms=log.modified_ms,
            status="known" if is_known else "changed" if old else "new",
            batch_id=old.batch_id if old and is_known else batch_id,
            lines_hash=lines_hash,
        )
    return [stock[name] for name in sorted(stock)]


def _loss(vanished: int) -> str:
    if vanished == 0:
        return ""
    return (
        f" {vanished} logs are in the warehouse and no longer in the landing folder: put them back "
        "first, or their messages will be gone."
    )
