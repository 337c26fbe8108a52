"""``scuttlehouse inspect``: what files are, and what is in them, without a build and without Java."""

from __future__ import annotations

import argparse
import csv
import os
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from importlib.resources import files
from pathlib import Path

from scuttlehouse.files.limits import recognise_within_limits
from scuttlehouse.files.listing import entry_of, list_logs
from scuttlehouse.files.names import has_name_of_a_log, shown_name
from scuttlehouse.files.parts import Kind, LandingError, Log, Piece
from scuttlehouse.files.streams import BROKEN
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.landing.rejects import fold_rejects
from scuttlehouse.printing import count, visible
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.s3 import is_in_s3
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.ids import TOKEN
from scuttlehouse.ssb.lines import LandedLine

# Strangers write the types: this many different types are counted, by this many characters.
MOST_TYPES = 1000
MOST_CHARACTERS = 60
SHOWN_TYPES = 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of ``scuttlehouse inspect``."""
    parser.add_argument("files", nargs="+", metavar="FILE", help="a log, or a folder of logs")


def run(args: argparse.Namespace) -> int:
    """Print what the files are; return 1 if one of them cannot be read as a log."""
    return 0 if _print_all(args.files) else 1


def _print_all(names: Iterable[str]) -> bool:
    is_good = True
    for name in names:
        try:
            logs = _listed(name)
        except LandingError as error:
            print(visible(str(error)))
            is_good = False
            continue
        for log in logs:
            lines = [*_told(log)]
            print(*map(visible, lines), sep="\n")
            is_good = is_good and len(lines) > 1
    return is_good


def _listed(name: str) -> list[Log]:
    """The file with this name, or the files below the folder.

    Raises:
        LandingError: there are none.
    """
    path, shown = Path(name), shown_name(name)
    if is_in_s3(name):
        raise LandingError(f"{shown}: What is in S3 is not inspected: copy it to this machine.")
    if not os.path.lexists(name):
        raise LandingError(
            f"{shown or 'An empty name'}: There is no such file, or you may not look into its folder."
        )
    if not path.is_dir():
        return [entry_of(path, shown)]
    logs = list_logs(path)
    if not logs:
        raise LandingError(f"{shown}: The folder holds no files.")
    return logs


def _told(log: Log) -> Iterator[str]:
    """What a file is, line by line; a single line if it is not a log."""
    has_other_name = log.problem is not None and not has_name_of_a_log(Path(log.path).name)
    problem = log.problem
    try:
        if problem is None or (has_other_name and Path(log.path).is_file()):
            kind = recognise_within_limits(log)
            problem = kind if isinstance(kind, str) else None
    except LandingError as error:
        problem = str(error)
    except BROKEN as error:
        problem = f"The file cannot be read ({getattr(error, 'strerror', None) or 'it breaks'})."
    if problem is not None:
        yield f"{log.source_file}: {problem}"
        return
    assert isinstance(kind, Kind)
    packed = "not compressed" if kind.compression == "none" else kind.compression
    yield f"{log.source_file}: {kind.form}, {packed}, {kind.encoding}, {count(log.size_bytes, 'byte')}"
    if has_other_name:
        yield f"  {log.problem}"
    place = "line" if kind.form in ("json_lines", "pretty_printed") else "place"
    yield from _found(replace(log, kind=kind)).told(place)


@dataclass
class _Found:
    """What is in a log."""

    messages: Counter[str] = field(default_factory=Counter)
    validities: Counter[str] = field(default_factory=Counter)
    rejected: Counter[str] = field(default_factory=Counter)
    first_lines: dict[str, int] = field(default_factory=dict)

    def add(self, kind: str, validity: str, reason: str | None) -> None:
        """Count a message."""
        shown = shown_name(kind[:MOST_CHARACTERS])
        is_known = shown in self.messages or len(self.messages) < MOST_TYPES
        self.messages[shown if is_known else "(other types)"] += 1
        self.validities[f"{validity} ({reason})" if reason else validity] += 1

    def reject(self, reason: str, line_number: int, count: int) -> None:
        """Count lines that are no messages."""
        self.rejected[reason] += count
        # The lines of one source are counted before those of the other.
        self.first_lines[reason] = min(line_number, self.first_lines.get(reason, line_number))

    def told(self, place: str) -> Iterator[str]:
        """The counts, line by line; `place` is the unit that numbers the messages."""
        kinds = self.messages.most_common(SHOWN_TYPES)
        yield f"  {count(self.messages.total(), 'message')}" + (", by type:" if kinds else "")
        yield from (f"    {number:>8,}  {kind}" for kind, number in kinds)
        if len(self.messages) > len(kinds):
            left = self.messages.total() - sum(number for _, number in kinds)
            yield f"    {left:>8,}  of {count(len(self.messages) - len(kinds), 'more type')}"
        if kinds:
            yield "  each by itself:"
            yield from (f"    {n:>8,}  {word}" for word, n in self.validities.most_common())
        if not self.rejected:
            return
        yield f"  {count(self.rejected.total(), 'line')} would be rejected:"
        says = _remedies()
        for reason, number in self.rejected.most_common():
            first = self.first_lines[reason]
            yield f"    {number:>8,}  {reason}, first at {place} {first}. {says[reason]}"


def _remedies() -> dict[str, str]:
    """What each reason to reject a line means, and what to do: the seed ``reject_reasons``."""
    seed = files("scuttlehouse.cli").joinpath("reject_reasons.csv").read_text("utf-8")
    return {row["reason"]: row["remedy"] for row in csv.DictReader(seed.splitlines())}


def _found(log: Log) -> _Found:
    found = _Found()
    ring = KeyRing(secrets.token_bytes(32))
    for row in fold_rejects(_lines(log), partial(land_lines, ring=ring), ring, LandedLine):
        if row.reject_reason is not None:
            found.reject(row.reject_reason, row.line_number, row.line_count)
        else:
            why = row.invalid_reason or row.warning
            found.add(_type_of(row), row.validity or "", why)
    land = partial(land_pzp_lines, ring=ring)
    private_ids = set[str | None]()
    opened = list[tuple[str | None, str, str, int]]()
    for pzp in fold_rejects(_lines(log), land, ring, LandedPzpLine):
        kind, reason = f"pzp {pzp.domain or ''}", pzp.reject_reason or pzp.invalid_reason
        if reason is None:
            found.add(kind, "valid", None)
            if pzp.is_private:
                private_ids.add(pzp.message_id)
        elif pzp.validity == "not_checked":
            opened.append((pzp.message_id, kind, reason, pzp.line_number))
        else:
            found.reject(reason, pzp.line_number, pzp.line_count)
    # What somebody has opened is the message that another line has as ciphertext.
    for message_id, kind, reason, line_number in opened:
        if message_id in private_ids:
            found.add(kind, "not_checked", reason)
        else:
            found.reject(reason, line_number, 1)
    return found


def _lines(log: Log) -> Iterator[tuple[str, Piece]]:
    for split in list_splits([log], max(log.size_bytes, 1)):
        for line in read_lines(split):
            yield log.source_file, line


def _type_of(row: LandedLine) -> str:
    if row.is_private and not row.is_decrypted:
        return "(encrypted)"
    kind = row.content_type or "(without a type)"
    return f"(a text of {kind.split('-')[1]} characters)" if kind.startswith(TOKEN) else kind
