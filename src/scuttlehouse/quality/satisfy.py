"""An expectation of our own: the columns of a row together fulfil a condition in SQL.

Great Expectations has conditional expectations, but asks a query of its own for every condition;
this one is answered in the same query as all others on its table.
"""

from __future__ import annotations

from typing import Any, ClassVar

from great_expectations.execution_engine import ExecutionEngine, SparkDFExecutionEngine
from great_expectations.expectations.expectation import ColumnMapExpectation
from great_expectations.expectations.metrics.map_metric_provider import (
    ColumnMapMetricProvider,
    column_condition_partial,
)
from pyspark.sql import Column
from pyspark.sql import functions as F


class ColumnValuesSatisfy(ColumnMapMetricProvider):
    """Which rows fulfil the condition; a row where it is null does not."""

    condition_metric_name = "column_values.satisfy"
    condition_value_keys = ("condition",)
    filter_column_isnull = False

    @column_condition_partial(engine=SparkDFExecutionEngine)
    def _spark(cls, column: Column, condition: str, **kwargs: Any) -> Column:
        return F.coalesce(F.expr(condition), F.lit(False))


class ExpectColumnValuesToSatisfy(ColumnMapExpectation):
    """Expect every row to fulfil a condition, which may name any column of the table."""

    condition: str

    map_metric: ClassVar[str] = "column_values.satisfy"
    success_keys: ClassVar[tuple[str, ...]] = ("mostly", "condition")

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: ExecutionEngine | None = None,
    ) -> dict[str, Any]:
        # The base class leaves rows out where the column is null; here they count.
        counted = {**metrics, "column_values.nonnull.unexpected_count": 0}
        return super()._validate(counted, runtime_configuration, execution_engine)
