"""Landed lines on Spark: log files to numbered lines in many workers, and typed rows to batches.

What the staging models of all sources share. Spark itself comes in as a session; nothing of it is
imported here, so that a worker loads no more than Arrow.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, get_args, get_type_hints

import pyarrow as pa

from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.parts import Kind, Line, Piece, Split
from scuttlehouse.landing.ledger import require_rules
from scuttlehouse.landing.logs import (
    count_line_ends,
    first_line_numbers,
    list_splits,
    read_lines,
    require_all_there,
    still_there,
)
from scuttlehouse.landing.replaced import Reading, begin_to_read

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from scuttlehouse.ssb.epoch_keys import KeyRing

# Small files share a task up to this size.
BIN_BYTES = 1 << 20

# Python, Arrow and Java have a batch in memory at the same time.
BATCH_LINES = 2_000
BATCH_CHARACTERS = 16 << 20

_ARROW_TYPES = {
    list[str]: pa.list_(pa.string()),
    bool: pa.bool_(),
    int: pa.int64(),
    float: pa.float64(),
    str: pa.string(),
}


def arrow_schema(row_type: type) -> pa.Schema:
    """The Arrow schema of a named tuple, from the types of its fields; each may be None.

    >>> from typing import NamedTuple
    >>> Row = NamedTuple("Row", [("n", int), ("texts", list[str] | None)])
    >>> [str(kind) for kind in arrow_schema(Row).types]
    ['int64', 'list<item: string>']
    """
    return pa.schema(
        (name, next(_ARROW_TYPES[kind] for kind in (hint, *get_args(hint)) if kind in _ARROW_TYPES))
        for name, hint in get_type_hints(row_type).items()
    )


def new_splits(
    ledger: DataFrame, new_logs: DataFrame, ring: KeyRing, lines_hash: str
) -> list[Split]:
    """What a build reads: the logs of ``stg_landing__logs`` in ``stg_landing__new_logs``, in splits.

    A new log without a batch has moved, or is a copy of another: its lines go, and none come.

    Raises:
        RulesChangedError: ``stg_landing__logs`` was made by other rules than ``lines_hash``.
        LandingError: a log was moved, removed or cut since it was listed.
    """
    read = ledger.where("batch_id is not null")
    rows = read.join(new_logs, "source_file", "left_semi").orderBy("source_file").collect()
    require_rules([row.lines_hash for row in rows], lines_hash)
    # Tables have names as they are shown: with codes, a token or a "~". No file has such a name.
    folder = rows[0].landing_folder if rows else ""
    found = {log.source_file: log for log in list_logs(folder, ring)} if rows else {}
    hashes = {
        replace(
            still_there(found.get(row.source_file), row.source_file, row.size_bytes),
            size_bytes=row.size_bytes,
            modified_ms=row.modified_ms,
            kind=Kind(row.form, row.compression, row.encoding),
        ): row.content_hash
        for row in rows
    }
    begin_to_read(Reading(folder, ring, hashes))
    return list_splits(hashes)


def splits_frame(session: SparkSession, splits: list[Split]) -> DataFrame:
    """One row per split, spread so that a task has at least BIN_BYTES to read."""
    first_lines = first_line_numbers(splits, _line_ends(session, splits))
    rows, bin_number, bin_bytes = [], 0, 0
    for split, first_line in zip(splits, first_lines, strict=True):
        if bin_bytes >= BIN_BYTES:
            bin_number, bin_bytes = bin_number + 1, 0
        bin_bytes += split.end - split.start
        place = (split.path, split.source_file, split.start, split.end)
        rows.append((bin_number, *place, *split.kind, first_line))
    columns = (
        "bin int, path string, source_file string, start long, end long, form string, "
        "compression string, encoding string, first_line long"
    )
    return session.createDataFrame(rows, columns).repartitionById(bin_number + 1, "bin")


def _line_ends(session: SparkSession, splits: list[Split]) -> list[int]:
    """What each split adds to the line numbers of the splits after it in the same file."""
    followed = [n for n in range(len(splits) - 1) if splits[n].path == splits[n + 1].path]
    counts = [0] * len(splits)
    if followed:
        rows = [(n, splits[n].path, splits[n].start, splits[n].end) for n in followed]
        frame = session.createDataFrame(rows, "n int, path string, start long, end long")
        counted = frame.repartition(len(rows)).mapInArrow(_count_batches, "n int, line_ends long")
        for row in counted.collect():
            counts[row.n] = row.line_ends
    return counts


def _count_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        rows = batch.to_pylist()
        ends = [
            count_line_ends(Split(row["path"], row["path"], row["start"], row["end"]))
            for row in rows
        ]
        yield pa.record_batch({"n": batch["n"], "line_ends": pa.array(ends, pa.int64())})


def lines_of(
    batches: Iterable[pa.RecordBatch], words: tuple[bytes, ...] = ()
) -> Iterator[tuple[str, Piece]]:
    """The lines of the splits in batches of :func:`splits_frame`, each with the name of its file.

    With ``words``, see :func:`scuttlehouse.landing.logs.read_lines`.

    Raises:
        LandingError: a log was moved, removed or cut since it was listed.
    """
    for batch in batches:
        for row in batch.to_pylist():
            kind = Kind(row["form"], row["compression"], row["encoding"])
            split = Split(row["path"], row["source_file"], row["start"], row["end"], kind)
            for line in read_lines(split, row["first_line"], words):
                if isinstance(line, Line) and line.fault == "cut_short":
                    require_all_there(split)
                yield split.source_file, line


def row_batches(rows: Iterable[Sequence[Any]], schema: pa.Schema) -> Iterator[pa.RecordBatch]:
    """Rows as batches of up to BATCH_LINES. A batch ends where its texts have BATCH_CHARACTERS.

    Memory: O(BATCH_CHARACTERS + the longest row).

    >>> schema = pa.schema([("n", pa.int64())])
    >>> [batch.to_pylist() for batch in row_batches([(1,), (2,)], schema)]
    [[{'n': 1}, {'n': 2}]]
    """
    texts = [at for at, field in enumerate(schema) if pa.types.is_string(field.type)]
    lists = [at for at, field in enumerate(schema) if pa.types.is_list(field.type)]
    batch: list[Sequence[Any]] = []
    left = BATCH_CHARACTERS
    for row in rows:
        batch.append(row)
        left -= sum([len(row[at]) for at in texts if row[at]])
        # Spark needs 16 bytes beside each text of a list.
        left -= sum([len(text) + 16 for at in lists for text in row[at] or ()])
        if left <= 0 or len(batch) == BATCH_LINES:
            yield _record_batch(batch, schema)
            batch, left = [], BATCH_CHARACTERS
    if batch:
        yield _record_batch(batch, schema)


def _record_batch(rows: list[Sequence[Any]], schema: pa.Schema) -> pa.RecordBatch:
    columns = zip(*rows, strict=True)
    return pa.record_batch(
        [pa.array(c, f.type) for c, f in zip(columns, schema, strict=True)], schema=schema
    )
