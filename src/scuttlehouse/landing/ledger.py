"""Which logs a refresh reads: what is in the landing folder, compared with what earlier builds have read.

A log is read once. It is known again by its size and time, or by its content where only its time
has changed, and keeps the lines that an earlier build has read; a log whose content has changed is read
again, and its new lines replace the old ones. A log that has vanished (moved to an archive, for
example) keeps its lines: messages stay known. So does one that cannot be read, or that is empty now. The same
content under another name is the same log: it is read under one name only, and the others, which have no
lines, are forgotten when they vanish.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Literal, NamedTuple

from scuttlehouse.errors import HouseError
from scuttlehouse.files.parts import Kind, Log
from scuttlehouse.printing import count

# The expectation of dim_logs.status names it (`among` in yml).
LogStatus = Literal["new", "changed", "known", "vanished", "copy", "moved", "left_out"]


_EMPTIED = (
    "The log is empty now, as after an export that failed, and keeps the lines that an earlier build has "
    "read: export it again, or remove it, which keeps them, too."
)


class LedgerEntry(NamedTuple):
    """A log, and the batch of lines that a build has read from it.

    ``status``, a ``LogStatus``, says what this build found, and ``status_reason`` why a log is not read.
    ``batch_id`` is the build that read the lines that count, null where none do, and ``lines_hash`` stands
    for the rules by which it read them. ``form``, ``compression`` and ``encoding`` (see ``Kind``) and
    ``content_hash`` are null in what was never recognised.
    """

    source_file: str
    content_hash: str | None
    size_bytes: int
    modified_ms: int
    status: str
    batch_id: str | None
    lines_hash: str
    status_reason: str | None = None
    form: str | None = None
    compression: str | None = None
    encoding: str | None = None

    @property
    def kind(self) -> Kind:
        """The kind of a log that was recognised."""
        return Kind(self.form or "", self.compression or "", self.encoding or "")


class Look(NamedTuple):
    """What a look into a log finds: its kind, the hash of its content, and whether there are values in it; or
    what keeps it out.
    """

    kind: Kind
    content_hash: str | None
    problem: str | None = None
    has_values: bool = True

    def problem_of_known(self) -> str | None:
        """What keeps a log out of which an earlier build has read lines that nothing else has."""
        return self.problem or (None if self.has_values else _EMPTIED)


class RulesChangedError(HouseError):
    """Lines that were read by other rules cannot be combined with new ones; says what to do."""


def take_stock(
    found: Iterable[Log],
    known: Mapping[str, LedgerEntry],
    batch_id: str,
    lines_hash: str,
    look: Callable[[Log], Look],
    *,
    trusts_times: bool = True,
) -> list[LedgerEntry]:
    """Compare the entries of the landing folder with the ledger of the last published build.

    Args:
        found: what is in the landing folder.
        known: the ledger by ``source_file``; empty to read everything.
        batch_id: what the lines that this build reads are filed under.
        lines_hash: the rules by which this build reads lines.
        look: called for new logs, those whose size or time has changed, and those that were left out.
        trusts_times: whether a log of the same size and time counts as known; else all are looked into.

    Returns:
        An entry per log, found or known, in the order of their names. A log that is ``moved`` is in the
        ledger for the last time: its lines go, and come under the name that its ``status_reason`` says.

    Raises:
        RulesChangedError: a known log was read by other rules.

    Complexity: O(logs), beside the function that it calls.

    >>> old = LedgerEntry("a.jsonl", "aa", 3, 0, "new", "batch 1", "rules")
    >>> logs = [Log("/landing/a.jsonl", "a.jsonl", 3, 0), Log("/landing/b.jsonl", "b.jsonl", 5, 7)]
    >>> found = Look(Kind("json_lines", "none", "utf-8"), "bb")
    >>> stock = take_stock(logs, {"a.jsonl": old}, "batch 2", "rules", lambda _: found)
    >>> [(entry.source_file, entry.status, entry.batch_id) for entry in stock]
    [('a.jsonl', 'known', 'batch 1'), ('b.jsonl', 'new', 'batch 2')]
    """
    if any(entry.lines_hash != lines_hash for entry in known.values()):
        logs = [*found]
        others = (log for log in logs if log.source_file not in known)
        hashes = (look(log).content_hash for log in others)
        lost = lost_logs(known.values(), {log.source_file for log in logs}, hashes)
        raise RulesChangedError(
            "The rules for reading lines have changed since the logs were read (see CHANGELOG.md), or the "
            "key of the warehouse or the network key has changed: run `scuttlehouse build --full-refresh`, "
            f"which reads all logs again.{_loss(len(lost))}"
        )
    # What has no lines, or whose lines have another name, is in the ledger only while it is found.
    stock = {
        name: entry._replace(status="vanished", status_reason=None)
        for name, entry in known.items()
        if entry.batch_id is not None
    }
    emptied: dict[str, LedgerEntry] = {}
    for log in found:
        old = known.get(log.source_file)
        if old is not None and trusts_times and _looks_the_same(log, old):
            seen = Look(old.kind, old.content_hash)
        else:
            seen = look(log)
        read = old if old is not None and old.batch_id is not None else None
        entry = _entry(log, seen, read, batch_id, lines_hash)
        if read is not None and entry.status == "changed" and not seen.has_values:
            emptied[log.source_file] = _left_out(log, read, lines_hash, seen.problem_of_known())
        stock[log.source_file] = entry
    # A log that was rotated is empty, too, and its lines have another name.
    there = _contents(stock)
    stock |= {name: entry for name, entry in emptied.items() if _content(entry) not in there}
    return _without_copies(stock)


def require_rules(of_ledger: Iterable[str], lines_hash: str) -> None:
    """See to it that logs are read by the rules that the ledger names for them.

    Args:
        of_ledger: the ``lines_hash`` of each log that is to be read.
        lines_hash: the rules by which this run reads lines.

    Raises:
        RulesChangedError: a run of a part, or a retry, has other rules than the run that made the ledger.

    >>> require_rules(["rules"], "rules")
    """
    if any(rules != lines_hash for rules in of_ledger):
        raise RulesChangedError(
            "The rules for reading lines, the key of the warehouse or the network key have changed since "
            "`stg_landing__logs` was made: run `scuttlehouse build`, which makes all tables by the same "
            "rules."
        )


def _entry(
    log: Log, look: Look, read: LedgerEntry | None, batch_id: str, lines_hash: str
) -> LedgerEntry:
    """The entry of a log by itself.

    ``read`` is its entry in the ledger, if that has lines: a log that is left out keeps them.
    """
    if look.problem is not None:
        nothing = LedgerEntry(log.source_file, None, 0, 0, "", None, "")
        return _left_out(log, read or nothing, lines_hash, look.problem)
    is_known = read is not None and read.content_hash == look.content_hash
    return LedgerEntry(
        log.source_file,
        look.content_hash,
        log.size_bytes,
        log.modified_ms,
        "known" if is_known else "changed" if read else "new",
        read.batch_id if read and is_known else batch_id,
        lines_hash,
        None,
        *look.kind,
    )


def _left_out(log: Log, read: LedgerEntry, lines_hash: str, reason: str | None) -> LedgerEntry:
    """The entry of a log that is not read now. Its lines of before stay."""
    return read._replace(
        size_bytes=log.size_bytes,
        modified_ms=log.modified_ms,
        status="left_out",
        status_reason=reason,
        lines_hash=lines_hash,
    )


def _looks_the_same(log: Log, old: LedgerEntry) -> bool:
    """Whether a log has the size and time of an entry that was read."""
    return (
        old.status != "left_out"
        and log.problem is None
        and (old.size_bytes, old.modified_ms) == (log.size_bytes, log.modified_ms)
    )


def changed_unseen(
    found: Iterable[Log], known: Mapping[str, LedgerEntry], look: Callable[[Log], Look]
) -> list[str]:
    """The names of logs with the size and time that the ledger has, and another content.

    Complexity: O(bytes of the logs).
    """
    return [
        log.source_file
        for log in found
        if (old := known.get(log.source_file)) is not None
        and _looks_the_same(log, old)
        and look(log).content_hash != old.content_hash
    ]


def lost_logs(
    read: Iterable[LedgerEntry], names: Collection[str], hashes: Iterable[str | None]
) -> list[LedgerEntry]:
    """The logs with lines that are gone: no log that is there has their name or their content.

    Args:
        read: logs in the ledger.
        names: the names of the logs that are there.
        hashes: the hashes of their contents. They are asked for only if a name is missing.

    >>> entry = LedgerEntry("a.jsonl", "aa", 3, 0, "new", "batch 1", "rules")
    >>> here = (["a.jsonl"], []), ([], ["aa"]), ([], [])
    >>> [len(lost_logs([entry], names, hashes)) for names, hashes in here]
    [0, 0, 1]
    """
    missing = [
        entry for entry in read if entry.batch_id is not None and entry.source_file not in names
    ]
    contents = set(hashes) if missing else set()
    return [entry for entry in missing if entry.content_hash not in contents]


def _without_copies(stock: dict[str, LedgerEntry]) -> list[LedgerEntry]:
    """Let every content count under one name: that of a log which is there, and was read if one was."""
    same: dict[tuple[str | None, str | None], list[LedgerEntry]] = {}
    for entry in stock.values():
        if entry.size_bytes and entry.status != "left_out":
            same.setdefault((entry.content_hash, entry.form), []).append(entry)
    for entries in same.values():
        order = ("known", "changed", "new", "vanished")
        first, *others = sorted(entries, key=lambda one: (order.index(one.status), one.source_file))
        for entry in others:
            if first.status == "vanished" or entry.status == "known":
                continue
            status = "moved" if entry.status == "vanished" else "copy"
            stock[entry.source_file] = entry._replace(
                status=status,
                batch_id=None,
                status_reason=f"The same content as {first.source_file}.",
            )
    _without_lines_of_copied(stock)
    return [stock[name] for name in sorted(stock)]


def _without_lines_of_copied(stock: dict[str, LedgerEntry]) -> None:
    """A log that cannot be read keeps its lines, unless another log that is there has them."""
    there = _contents(stock)
    for name, entry in stock.items():
        if entry.status == "left_out" and _content(entry) in there:
            stock[name] = entry._replace(
                batch_id=None, content_hash=None, form=None, compression=None, encoding=None
            )


def _content(entry: LedgerEntry) -> tuple[str | None, str | None]:
    return entry.content_hash, entry.form


def _contents(stock: Mapping[str, LedgerEntry]) -> set[tuple[str | None, str | None]]:
    """The contents of the logs that are there and can be read."""
    return {
        _content(entry) for entry in stock.values() if entry.status in ("known", "changed", "new")
    }


def _loss(lost: int) -> str:
    if lost == 0:
        return ""
    return (
        f" {count(lost, 'log is', 'logs are')} in the warehouse and no longer in the landing folder: put "
        "back what is missing first, or the warehouse loses its messages."
    )
