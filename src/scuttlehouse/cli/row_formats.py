"""How the answer of a query is printed: for the eye, as CSV or as JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import IO

from scuttlehouse.printing import csv_cell, visible

FORMATS = "table", "csv", "json"


def write_rows(
    out: IO[str],
    form: str,
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    *,
    is_raw: bool = False,
) -> None:
    """Write rows as a table for the eye, as CSV (null is empty) or as JSON lines.

    JSON is exact. A table and CSV show control characters as codes, and CSV guards cells that a spreadsheet
    would run, unless ``is_raw``.

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
        lines = [columns, *rows]
        writer.writerows(lines if is_raw else (map(csv_cell, line) for line in lines))
    elif form == "json":
        for row in rows:
            out.write(json.dumps(dict(zip(columns, row, strict=True)), default=str) + "\n")
    else:
        _write_table(out, columns, rows, str if is_raw else visible)


def _write_table(
    out: IO[str],
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    shown: Callable[[str], str],
) -> None:
    cells = [["null" if cell is None else shown(str(cell)) for cell in row] for row in rows]
    names = [shown(name) for name in columns]
    widths = [max([len(name), *(len(row[n]) for row in cells)]) for n, name in enumerate(names)]
    is_number = [
        all(isinstance(row[n], int | float | Decimal | None) for row in rows)
        for n in range(len(columns))
    ]
    for line in (names, ["-" * width for width in widths], *cells):
        padded = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, is_number, strict=True)
        ]
        out.write("  ".join(padded).rstrip() + "\n")
