"""What the models ``int_quality__*`` share: they check the marts of a subject, and write the page of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from dbt_common.invocation import get_invocation_id
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.builds.runs import tested_keys
from scuttlehouse.catalog import home_folder
from scuttlehouse.quality.check import check
from scuttlehouse.quality.data_docs import Foot, write_index, write_pages
from scuttlehouse.quality.expectations import Suite

DATA_DOCS = "data_docs"

COLUMNS = (
    "build_id string, table_name string, expectation string, column_name string,"
    " description string, observed string, is_success boolean"
)


def check_marts(
    session: SparkSession, schema: str, suites: Sequence[Suite], marts: Mapping[str, DataFrame]
) -> DataFrame:
    """Check the marts of a subject; a row is an expectation, with the columns of ``fct_quality_results``.

    In a refresh only the touched rows of a mart are checked: the others have met the same expectations.

    Args:
        schema: the schema of the models that hold the touched ids.
        marts: a DataFrame per ``table_name`` of the suites.
    """
    checked = check(suites, {name: _tested(session, schema, name, marts[name]) for name in marts})
    write_pages(home_folder() / DATA_DOCS, checked, _foot())
    # What dbt renders into a model's settings may be the id of an earlier parse.
    build_id = get_invocation_id()
    rows = [
        (
            build_id,
            suite.table_name,
            outcome.expectation.name,
            outcome.expectation.column,
            outcome.expectation.sentence,
            outcome.observed,
            outcome.is_success,
        )
        for suite, outcomes, _ in checked
        for outcome in outcomes
    ]
    return session.createDataFrame(rows, COLUMNS)


def write_results_index(results: DataFrame) -> None:
    """Write the first page of the Data Docs from the results of all subjects."""
    promises: Counter[str] = Counter()
    broken: Counter[str] = Counter()
    for row in results.collect():
        promises[row.table_name] += 1
        broken[row.table_name] += not row.is_success
    write_index(home_folder() / DATA_DOCS, promises, broken, _foot())


def _tested(session: SparkSession, schema: str, name: str, mart: DataFrame) -> DataFrame:
    if (tested := tested_keys(name)) is None:
        return mart
    key, touched = tested
    return mart.join(session.table(f"{schema}.{touched}"), key, "left_semi")


def _foot() -> Foot:
    return Foot(get_invocation_id(), f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S} UTC")
