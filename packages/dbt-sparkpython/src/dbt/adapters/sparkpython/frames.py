"""Turn the result of a Python model into a Spark DataFrame."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from dbt_common.exceptions import DbtRuntimeError
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

if TYPE_CHECKING:
    import pyarrow as pa

ACCEPTED = "a pyspark DataFrame, a pandas DataFrame or a pyarrow Table"


def to_spark(session: SparkSession, result: object) -> DataFrame:
    """Turn what a model returned into a Spark DataFrame, classic or Connect.

    pandas always goes through Arrow, whatever `spark.sql.execution.arrow.pyspark.enabled` says. Row by row,
    the default of PySpark, would turn missing strings into 'nan'.
    """
    if hasattr(result, "createOrReplaceTempView"):
        return cast(DataFrame, result)
    kind = f"{type(result).__module__}.{type(result).__qualname__}"
    if kind in ("pandas.DataFrame", "pandas.core.frame.DataFrame"):
        import pyarrow as pa

        return from_arrow(session, pa.Table.from_pandas(result, preserve_index=False))
    if kind == "pyarrow.lib.Table":
        return from_arrow(session, cast("pa.Table", result))
    if result is None:
        raise DbtRuntimeError(
            f"The model returned nothing: its function `model` must return {ACCEPTED}."
        )
    raise DbtRuntimeError(f"The model returned {_a(type(result).__name__)}, not {ACCEPTED}.")


def from_arrow(session: SparkSession, table: pa.Table) -> DataFrame:
    """An Arrow table as a DataFrame. Connect needs the types of a table without rows."""
    if table.num_rows > 0:
        return session.createDataFrame(table)
    without_zone = session.conf.get("spark.sql.timestampType") == "TIMESTAMP_NTZ"
    return session.createDataFrame([], from_arrow_schema(table.schema, without_zone))


def _a(noun: str) -> str:
    return f"{'an' if noun[0].lower() in 'aeiou' else 'a'} {noun}"
