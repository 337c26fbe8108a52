"""What dbt's test ``meets_expectations`` calls: it checks a table, and writes its page of the Data Docs."""

from __future__ import annotations

import threading
from typing import Any

from pyspark.sql import SparkSession

from scuttlehouse.builds import runs
from scuttlehouse.builds.new_rows import is_empty
from scuttlehouse.quality.check import check
from scuttlehouse.quality.data_docs import is_page_of, pages_folder, write_page
from scuttlehouse.quality.expectations import suite_of

# dbt tests several tables at once, and Great Expectations keeps its context and its logger for all threads.
_one_at_a_time = threading.Lock()


def broken(relation: Any, tested_rows: str) -> str:
    """SQL for the broken expectations of a table: a row has a column, a sentence, and what was observed.

    The results become rows of ``fct_quality_results`` when the run ends. If this refresh computes no row of
    the table, nothing is checked, and the earlier results and page stay. A command that only shows its SQL
    checks nothing.

    Args:
        relation: the table, as dbt names it.
        tested_rows: the rows of it that are checked, as the macro of this name gives them.

    Raises:
        ValueError: the entry of the table in yml has an expectation that cannot be read.
    """
    run = runs.current()
    if run is None or _has_passed(run, relation.identifier):
        return _sql([])
    suite = suite_of(runs.table_node(run, relation.identifier))
    table = SparkSession.builder.getOrCreate().sql(f"select * from {tested_rows}")
    with _one_at_a_time:
        checked = check(suite, table)
        write_page(pages_folder(run.home, run.schemas), run.run_id, checked)
    rows = [
        {
            "build_id": run.run_id,
            "table_name": suite.table_name,
            "expectation": outcome.expectation.name,
            "column_name": outcome.expectation.column,
            "description": outcome.expectation.sentence,
            "observed": outcome.observed,
            "is_success": outcome.is_success,
        }
        for outcome in checked.outcomes
    ]
    run.quality_results += rows
    return _sql([row for row in rows if not row["is_success"]])


def _has_passed(run: runs.Run, table: str) -> bool:
    """Whether a table is as it was published, and its page is of the build that published its results.

    A later page tells of rows that were never published.
    """
    keys, build_id = runs.tested_keys(table), run.checked_by.get(table)
    if keys is None or build_id is None:
        return False
    return is_page_of(pages_folder(run.home, run.schemas), table, build_id) and is_empty(keys[1])


def _sql(broken: list[dict[str, Any]]) -> str:
    columns = "column_name", "description", "observed"
    values = [[_literal(row[column]) for column in columns] for row in broken]
    rows = values or [["''"] * len(columns)]
    selects = [
        "select "
        + ", ".join(f"{value} as {name}" for value, name in zip(row, columns, strict=True))
        for row in rows
    ]
    return " union all ".join(selects) + ("" if values else " where false")


def _literal(text: str | None) -> str:
    """A text in SQL, letter by letter: what a log says cannot end it.

    >>> _literal("it's"), _literal(None)
    ("decode(unhex('69742773'), 'utf-8')", "''")
    """
    return f"decode(unhex('{text.encode().hex()}'), 'utf-8')" if text else "''"
