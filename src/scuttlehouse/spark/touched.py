"""What a refresh computes, for Python models. SQL models use the macros in ``macros/changes``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from dbt.flags import get_flags

from scuttlehouse.catalog.names import schemas_of

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


def is_refresh(session: SparkSession, schema: str) -> bool:
    """Whether this build refreshes the tables of an earlier one (macro ``is_refresh``).

    Args:
        session: the session of the model.
        schema: the schema of dbt's target.
    """
    flags: Any = get_flags()  # type: ignore[no-untyped-call]
    base = schemas_of(schema).base
    return not flags.FULL_REFRESH and session.catalog.tableExists(f"{base}.stg_ssb__messages")


def touched_rows(rows: DataFrame, touched: DataFrame) -> DataFrame:
    """The rows with a touched id. ``touched`` has one column, the id."""
    [id_column] = touched.columns
    return rows.join(touched, id_column, "left_semi")
