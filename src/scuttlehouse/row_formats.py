"""How the answer of a query is printed: for the eye, as CSV or as JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import IO

FORMATS = "table", "csv", "json"


def write_rows(
    out: IO[str], form: str, columns: Sequence[str], rows: Sequence[tuple[object, ...]]
) -> None:
    """Write rows as a table for the eye, as CSV (null is empty) or as JSON lines.

    >>> import sys
    >>> write_rows(sys.stdout, "table", ["epoch", "members"], [("a", 3), (None, 12)])
    epoch  members
    -----  -------
    a            3
    null        12
    >>> write_rows(sys.stdout, "json", ["a"], [(None,)])
    {"a": null}
    """
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)
    elif form == "json":
        for row in rows:
            out.write(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n")
    else:
        _write_table(out, columns, rows)


def _write_table(out: IO[str], columns: Sequence[str], rows: Sequence[tuple[object, ...]]) -> None:
    cells = [["null" if cell is None else str(cell) for cell in row] for row in rows]
    widths = [max([len(name), *(len(row[n]) for row in cells)]) for n, name in enumerate(columns)]
    is_number = [
        all(isinstance(row[n], int | float | Decimal | None) for row in rows)
        for n in range(len(columns))
    ]
    for line in (list(columns), ["-" * width for width in widths], *cells):
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        out.write("  ".join(padded).rstrip() + "\n")
