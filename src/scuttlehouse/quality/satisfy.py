"""An expectation of our own: the columns of a row together fulfil a condition in SQL.

Great Expectations has conditional expectations, but asks a query for every condition. This one is
answered in the same query as the others on its table.
"""

from __future__ import annotations

from typing import Any, ClassVar

from great_expectations.execution_engine.execution_engine import ExecutionEngine
from great_expectations.execution_engine.sparkdf_execution_engine import SparkDFExecutionEngine
from great_expectations.expectations.expectation import ColumnMapExpectation
from great_expectations.expectations.metrics.map_metric_provider.column_condition_partial import (
    column_condition_partial,
)
from great_expectations.expectations.metrics.map_metric_provider.column_map_metric_provider import (
    ColumnMapMetricProvider,
)
from pyspark.sql import Column
from pyspark.sql.functions import coalesce, expr, lit


class ColumnValuesSatisfy(ColumnMapMetricProvider):
    """Which rows fulfil the condition; a row for which it is null does not."""

    condition_metric_name = "column_values.satisfy"
    condition_value_keys = ("condition",)
    filter_column_isnull = False

    @column_condition_partial(engine=SparkDFExecutionEngine)
    def _spark(cls, _column: Column, condition: str, **_: Any) -> Column:  # noqa: N805 - gets the class
        return coalesce(expr(condition), lit(False))


class ExpectColumnValuesToSatisfy(ColumnMapExpectation):
    """Expect every row to fulfil a condition, which may name any column of the table."""

    condition: str

    map_metric: ClassVar[str] = "column_values.satisfy"
    success_keys: ClassVar[tuple[str, ...]] = ("mostly", "condition")

    def _validate(
        self,
        metrics: dict[str, Any],
        runtime_configuration: dict[str, Any] | None = None,
        execution_engine: ExecutionEngine[Any] | None = None,
    ) -> Any:
        # The base class would leave out the rows where the column is null.
        counted = {**metrics, "column_values.nonnull.unexpected_count": 0}
        return super()._validate(counted, runtime_configuration, execution_engine)
