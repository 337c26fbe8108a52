"""Runs a suite with Great Expectations, in the Spark session of its table."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from scuttlehouse.quality.expectations import Expectation, Suite

if TYPE_CHECKING:
    from great_expectations.core import (
        ExpectationSuite,
        ExpectationSuiteValidationResult,
        ExpectationValidationResult,
    )
    from great_expectations.core.batch_definition import BatchDefinition
    from great_expectations.datasource.fluent.interfaces import Batch
    from pyspark.sql import DataFrame

# How many of the values that break an expectation are reported.
EXAMPLES = 3

LONGEST_TEXT = 200


class Outcome(NamedTuple):
    """The result of an expectation; ``observed`` says in a few words what broke it, null if nothing did."""

    expectation: Expectation
    is_success: bool
    observed: str | None


class Checked(NamedTuple):
    """A suite, the outcomes of its expectations in order, and what Great Expectations reports."""

    suite: Suite
    outcomes: tuple[Outcome, ...]
    report: ExpectationSuiteValidationResult


def check(suite: Suite, table: DataFrame) -> Checked:
    """Check a table. What is broken is reported, never raised.

    The table is read twice, to count its rows and for all expectations; where one fails it is read
    again, for examples of what breaks it. Nothing is cached in Spark, no setting of its session is
    changed, nothing is printed or sent.
    """
    with _quiet():
        return _check_batch(_whole_table().get_batch({"dataframe": table}), suite)


@cache
def _whole_table() -> BatchDefinition:
    """What turns a DataFrame into a batch. All tables share it, because it takes a while to make."""
    import great_expectations as gx

    import scuttlehouse.quality.satisfy  # noqa: F401 - registers an expectation

    context = gx.get_context(mode="ephemeral")
    context.enable_analytics(enable=False)
    context.variables.progress_bars = {"globally": False}
    tables = context.data_sources.add_spark("tables", persist=False)
    return tables.add_dataframe_asset("table").add_batch_definition_whole_dataframe("all")


def _check_batch(batch: Batch, suite: Suite) -> Checked:
    report = batch.validate(_gx_suite(suite), result_format="BOOLEAN_ONLY")
    results = {_number(result): result for result in report.results}
    for is_private in (False, True):
        broken = [
            number
            for number, result in results.items()
            if not (result.success or _error(result))
            and suite.expectations[number].is_private is is_private
        ]
        results |= _examples(batch, suite, broken, is_private)
    for number, result in results.items():
        result.exception_info = _without_stack(result)
        if result.success and suite.expectations[number].column:
            result.result = {"unexpected_percent": 0}
    report.results = [results[number] for number in sorted(results)]
    outcomes = (
        Outcome(expectation, bool(result.success), _observed(result))
        for expectation, result in zip(suite.expectations, report.results, strict=True)
    )
    return Checked(suite, tuple(outcomes), report)


def _examples(
    batch: Batch, suite: Suite, broken: Collection[int], is_private: bool
) -> dict[int, ExpectationValidationResult]:
    """The results of broken expectations, with examples of values that break them."""
    if not broken:
        return {}
    result_format = {
        "result_format": "BASIC",
        "partial_unexpected_count": EXAMPLES,
        "exclude_unexpected_values": is_private,
    }
    report = batch.validate(_gx_suite(suite, broken), result_format=result_format)
    return {_number(result): result for result in report.results}


def _gx_suite(suite: Suite, only: Collection[int] | None = None) -> ExpectationSuite:
    from great_expectations.core import ExpectationSuite
    from great_expectations.expectations.expectation_configuration import ExpectationConfiguration

    return ExpectationSuite(
        suite.table_name,
        expectations=[
            ExpectationConfiguration(
                expectation.name,
                kwargs={**expectation.arguments, **_column(expectation)},
                description=expectation.sentence,
                meta={"number": number},
            )
            for number, expectation in enumerate(suite.expectations)
            if only is None or number in only
        ],
    )


def _column(expectation: Expectation) -> dict[str, str]:
    return {} if expectation.column is None else {"column": expectation.column}


def _number(result: ExpectationValidationResult) -> int:
    assert result.expectation_config is not None
    assert result.expectation_config.meta is not None
    return int(result.expectation_config.meta["number"])


def _error(result: ExpectationValidationResult) -> str | None:
    """The error of an expectation that could not be checked; null for one that was checked."""
    info = result.exception_info
    errors = [info] if "raised_exception" in info else list(info.values())
    messages = [error["exception_message"] for error in errors if error["raised_exception"]]
    return " ".join(messages[0].split())[:LONGEST_TEXT] if messages else None


def _without_stack(result: ExpectationValidationResult) -> dict[str, object]:
    """The error without the stack, which shows the paths of this machine."""
    error = _error(result)
    return {
        "raised_exception": error is not None,
        "exception_message": error,
        "exception_traceback": "",
    }


def _observed(result: ExpectationValidationResult) -> str | None:
    if result.success:
        return None
    if error := _error(result):
        return f"This could not be checked: {error}"
    details = result.result
    if "unexpected_count" not in details:
        return _mismatch(**details["details"]["mismatched"])
    broken, total = details["unexpected_count"], details["element_count"]
    examples = [value for value in details.get("partial_unexpected_list", []) if value is not None]
    shown = ", ".join(dict.fromkeys(str(value)[:LONGEST_TEXT] for value in examples))
    rows = f"{broken} of {total} rows ({100 * broken / total:.3g} %)"
    return f"{rows}, such as {shown}" if shown else rows


def _mismatch(missing: Sequence[str] = (), unexpected: Sequence[str] = ()) -> str:
    named = {"missing": missing, "not documented": unexpected}
    return "; ".join(f"{what}: {', '.join(columns)}" for what, columns in named.items() if columns)


@contextmanager
def _quiet() -> Iterator[None]:
    """Without what Great Expectations logs and warns of; it would leave warnings redirected."""
    logger, nowhere = logging.getLogger("great_expectations"), logging.NullHandler()
    logger.addHandler(nowhere)
    logger.propagate = False
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        logger.propagate = True
        logger.removeHandler(nowhere)
