"""The expectations of tables in a run: dbt's tests check them, and its end writes ``fct_quality_results``."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from scuttlehouse.builds import runs
from scuttlehouse.builds.new_rows import is_empty
from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import Schemas
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.pyiceberg_tables import changing
from scuttlehouse.catalog.reached_files import files_of
from scuttlehouse.catalog.records import Build
from scuttlehouse.quality.check import check
from scuttlehouse.quality.data_docs import is_page_of, pages_folder, write_index, write_page
from scuttlehouse.quality.expectations import suite_of
from scuttlehouse.reading.warehouse import open_published

TABLE = "fct_quality_results"

SCHEMA = pa.schema(
    [
        ("build_id", pa.string()),
        ("table_name", pa.string()),
        ("expectation", pa.string()),
        ("column_name", pa.string()),
        ("description", pa.string()),
        ("observed", pa.string()),
        ("is_success", pa.bool_()),
    ]
)

# dbt tests several tables at once, and Great Expectations keeps its context and its logger for all threads.
_one_at_a_time = threading.Lock()


def broken_expectations(relation: Any, tested_rows: str) -> str:
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
    from pyspark.sql import SparkSession

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


def checking_builds(home: Path, published: Build) -> dict[str, str]:
    """The id of the build that checked each published table. Empty if no results are published.

    Raises:
        WarehouseError: the published results are damaged.
    """
    if TABLE not in published.public:
        return {}
    with open_published(home) as warehouse:
        rows = warehouse.rows(f"select distinct table_name, build_id from {TABLE}")
    return dict(rows)


def write_results(
    catalog: Catalog,
    home: Path,
    schemas: Schemas,
    build_id: str,
    results: Sequence[Mapping[str, Any]],
    models: Mapping[str, Mapping[str, Any]],
) -> bool:
    """Write the results of the tables that a run has checked, in place of their earlier ones.

    Results of tables that the project does not have any more go. The first page of the Data Docs
    then tells of all results. Nothing is done if nothing was checked, or there is no such table yet.

    Args:
        models: the public models of the project, as dbt's manifest has them, by the name of their table.

    Returns:
        Whether there are new results.

    Raises:
        CatalogError: the table is damaged or cannot be changed.
    """
    if not results or TABLE not in catalog.tables(schemas.work):
        return False
    checked = {row["table_name"] for row in results}
    with changing(catalog, home, schemas.work, TABLE) as table:
        for file in files_of(table.metadata_location):
            if file.endswith(".parquet"):
                checksums.verify(file)
        earlier = table.scan().to_arrow().to_pylist()
        kept = [row for row in earlier if row["table_name"] in models.keys() - checked]
        rows = [*kept, *results]
        # pyiceberg warns if there is nothing to overwrite.
        (table.overwrite if earlier else table.append)(pa.Table.from_pylist(rows, SCHEMA))
    described = {name: suite_of(model).row for name, model in models.items()}
    write_index(pages_folder(home, schemas), build_id, described, rows)
    return True
