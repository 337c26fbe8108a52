"""The results of the expectations that a run has checked, as rows of ``fct_quality_results``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from scuttlehouse.catalog import Build, Catalog, Schemas, checksums
from scuttlehouse.catalog.pyiceberg_tables import changing
from scuttlehouse.catalog.reached_files import files_of
from scuttlehouse.quality.data_docs import pages_folder, write_index
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


def checking_builds(home: Path, published: Build) -> dict[str, str]:
    """The id of the build that checked each published table. Empty if no results are published.

    Raises:
        WarehouseError: the published results are damaged.
    """
    if TABLE not in published.public:
        return {}
    with open_published(home) as warehouse:
        _, rows = warehouse.query(f"select distinct table_name, build_id from {TABLE}")
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
