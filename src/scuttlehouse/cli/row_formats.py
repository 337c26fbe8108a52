"""How the answer of a query is printed: for the eye, as CSV or as JSON lines."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from decimal import Decimal
from itertools import count
from math import isfinite
from typing import IO

from scuttlehouse.printing import aligned, csv_cell, visible, width_of

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

    JSON is exact: a column whose name another one has gets a number, and numbers that JSON does not know are
    the texts ``NaN``, ``Infinity`` and ``-Infinity``. A table and CSV show control characters as codes, and
    CSV guards cells that a spreadsheet would run, unless ``is_raw``.

    >>> import sys
    >>> write_rows(sys.stdout, "table", ["epoch", "members"], [("a", 3), (None, 12)])
    epoch  members
    -----  -------
    a            3
    null        12
    >>> write_rows(sys.stdout, "json", ["a"], [(None,)])
    {"a": null}
    >>> write_rows(sys.stdout, "json", ["a", "a"], [(1, float("nan"))])
    {"a": 1, "a_1": "NaN"}
    """
    if form == "csv":
        writer = csv.writer(out, lineterminator="\n")
        lines = [columns, *rows]
        writer.writerows(lines if is_raw else (map(csv_cell, line) for line in lines))
    elif form == "json":
        names = _different(columns)
        for row in rows:
            out.write(_json_line(dict(zip(names, row, strict=True))) + "\n")
    else:
        _write_table(out, columns, rows, str if is_raw else visible)


def _different(names: Sequence[str]) -> list[str]:
    """The names, each once: `a` and `a` become `a` and `a_1`. A name that only one column has stays.

    >>> _different(["a", "a", "a_1", "a"])
    ['a', 'a_2', 'a_1', 'a_3']
    """
    found: list[str] = []
    for name in names:
        numbered = (f"{name}_{number}" for number in count(1))
        unused = (other for other in numbered if other not in found and other not in names)
        found.append(name if name not in found else next(unused))
    return found


def _json_line(members: dict[str, object]) -> str:
    try:
        return json.dumps(members, default=str, allow_nan=False)
    except (TypeError, ValueError):
        # Rare, and looking for it in every row would take as long again.
        return json.dumps(_known_to_json(members), default=str, allow_nan=False)


def _known_to_json(value: object) -> object:
    """The value without numbers and names of members that JSON does not know: they become texts."""
    if isinstance(value, float) and not isfinite(value):
        return str(Decimal(value))
    if isinstance(value, dict):
        return {
            key if isinstance(key, str | int) else str(_known_to_json(key)): _known_to_json(member)
            for key, member in value.items()
        }
    if isinstance(value, list | tuple):
        return [_known_to_json(element) for element in value]
    return value


def _write_table(
    out: IO[str],
    columns: Sequence[str],
    rows: Sequence[tuple[object, ...]],
    shown: Callable[[str], str],
) -> None:
    cells = [["null" if cell is None else shown(str(cell)) for cell in row] for row in rows]
    names = [shown(name) for name in columns]
    marks = ["-" * max(map(width_of, column)) for column in zip(names, *cells, strict=True)]
    is_number = [
        all(isinstance(row[n], int | float | Decimal | None) for row in rows)
        for n in range(len(columns))
    ]
    out.writelines(f"{line}\n" for line in aligned([names, marks, *cells], is_number))
