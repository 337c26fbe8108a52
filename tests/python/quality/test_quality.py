"""The suites: good tables pass, every expectation can fail, and people can read what did."""

from __future__ import annotations

import csv
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from conftest import MARTS
from quality_rows import BAD, GOOD, Row, arrow_type
from scuttlehouse.quality import SUITES, Expectation, Suite
from scuttlehouse.quality.check import Checked, check
from scuttlehouse.quality.data_docs import Foot, write_index, write_pages
from scuttlehouse.quality.feeds import REJECTS
from scuttlehouse.quality.satisfy import ExpectColumnValuesToSatisfy
from scuttlehouse.quality.tangles import REJECTED, SET_ASIDE

PROJECT = Path(__file__).parents[3]

SATISFY = "expect_column_values_to_satisfy"

KEY = "q7Jm2cVx0ZbT4nLw8RkE1yHs5UdGfA9oPiX3eKtMvBw="

BY_NAME = {suite.table_name: suite for suite in SUITES}


@pytest.fixture(scope="module")
def session(warehouse: Any) -> SparkSession:
    """The session of all tests, opened as dbt opens it."""
    assert warehouse.dbt("show", "--inline", "select 1 as one").success
    return SparkSession.builder.getOrCreate()


def table(session: SparkSession, name: str, rows: list[Row]) -> DataFrame:
    columns = BY_NAME[name].expectations[0].arguments["column_set"]
    schema = pa.schema([(column, arrow_type(column)) for column in columns])
    return session.createDataFrame(pa.Table.from_pylist(rows, schema))


def told(checked: list[Checked]) -> dict[tuple[str, str, str | None], str | None]:
    """What was observed of every expectation that failed."""
    return {
        (suite.table_name, outcome.expectation.name, outcome.expectation.column): outcome.observed
        for suite, outcomes, _ in checked
        for outcome in outcomes
        if not outcome.is_success
    }


def spoilt(suite: Suite, expectation: Expectation) -> Row:
    """A good row with values changed so that it breaks the expectation."""
    column = expectation.column or ""
    least = expectation.arguments.get("min_value", 0)
    changes: dict[str, Row] = {
        "expect_column_values_to_not_be_null": {column: None},
        "expect_column_values_to_be_in_set": {column: "nothing known"},
        "expect_column_values_to_be_between": {column: least - 1},
        "expect_column_values_to_match_regex": {column: "nothing known"},
        "expect_column_values_to_not_match_regex": {column: KEY},
        SATISFY: BAD.get((suite.table_name, column), [{}])[0],
    }
    return GOOD[suite.table_name][0] | changes[expectation.name]


def is_broken(expectation: Expectation, row: Row) -> bool:
    """The slow plain oracle: whether a row breaks an expectation on one column."""
    value, arguments = row[expectation.column or ""], expectation.arguments
    if value is None:
        return expectation.name == "expect_column_values_to_not_be_null"
    plain: dict[str, Callable[[], bool]] = {
        "expect_column_values_to_not_be_null": lambda: False,
        "expect_column_values_to_be_in_set": lambda: value not in arguments["value_set"],
        "expect_column_values_to_be_between": lambda: value < arguments["min_value"],
        "expect_column_values_to_match_regex": lambda: not matches(arguments["regex"], value),
        "expect_column_values_to_not_match_regex": lambda: matches(arguments["regex"], value),
    }
    return plain[expectation.name]()


def matches(pattern: Any, text: str) -> bool:
    return re.search(pattern.replace(r"\z", r"\Z"), text, re.ASCII) is not None


def test_good_tables_pass(session: SparkSession, capfd: pytest.CaptureFixture[str]) -> None:
    checked = check(SUITES, {name: table(session, name, rows) for name, rows in GOOD.items()})
    assert told(checked) == {}
    assert [len(c.outcomes) for c in checked] == [len(suite.expectations) for suite in SUITES]
    assert capfd.readouterr() == ("", ""), "a build shows no log lines or progress bars of checks"


def test_empty_tables_pass(session: SparkSession) -> None:
    assert told(check(SUITES, {name: table(session, name, []) for name in GOOD})) == {}


def test_every_expectation_on_columns_can_fail(session: SparkSession) -> None:
    rows = {
        suite.table_name: GOOD[suite.table_name]
        + [spoilt(suite, expectation) for expectation in suite.expectations[1:]]
        for suite in SUITES
    }
    observed = told(check(SUITES, {name: table(session, name, rows[name]) for name in rows}))
    for suite in SUITES:
        name = suite.table_name
        for expectation in suite.expectations[1:]:
            text = observed[name, expectation.name, expectation.column] or ""
            found = re.match(r"(\d+) of (\d+) rows", text)
            assert found, (name, expectation, text)
            assert int(found[2]) == len(rows[name])
            if expectation.name != SATISFY:
                broken = sum(is_broken(expectation, row) for row in rows[name])
                assert int(found[1]) == broken, (name, expectation, text)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.table_name)
def test_conditions_tell_good_rows_from_bad_ones(suite: Suite, session: SparkSession) -> None:
    name = suite.table_name
    conditions = {
        expectation.column: expectation.arguments["condition"]
        for expectation in suite.expectations
        if expectation.name == SATISFY
    }
    assert {column for table_name, column in BAD if table_name == name} == set(conditions)
    cases = [(None, row) for row in GOOD[name]] + [
        (column, GOOD[name][0] | change) for column in conditions for change in BAD[name, column]
    ]
    frame = table(session, name, [row for _, row in cases])
    answers = frame.selectExpr("1", *map(str, conditions.values())).collect()
    for (broken, row), (_, *answer) in zip(cases, answers, strict=True):
        holds = dict(zip(conditions, answer, strict=True))
        assert holds[broken] is not True if broken else all(holds.values()), (broken, row, holds)


def test_a_column_of_nulls_is_no_excuse(session: SparkSession) -> None:
    unplaced = {"rank": None, "position": None, "thread_position": None}
    rows = [GOOD["fct_tangle_messages"][0] | unplaced]
    checked = check([BY_NAME["fct_tangle_messages"]], tables(session, fct_tangle_messages=rows))
    assert {column for _, _, column in told(checked)} == {"rank", "position", "thread_position"}


def test_a_condition_that_is_null_is_not_fulfilled(session: SparkSession) -> None:
    rows = [GOOD["fct_tangle_messages"][0] | {"status": None}]
    observed = told(
        check([BY_NAME["fct_tangle_messages"]], tables(session, fct_tangle_messages=rows))
    )
    columns = {column for _, name, column in observed if name == SATISFY}
    assert columns == {"status_reason", "rank", "position", "thread_position", "is_tip"}


def test_other_columns_than_documented(
    session: SparkSession, caplog: pytest.LogCaptureFixture
) -> None:
    frame = table(session, "dim_groups", GOOD["dim_groups"])
    frame = frame.withColumnRenamed("root_id", "first_id").drop("repair_count")
    observed = told(check([BY_NAME["dim_groups"]], {"dim_groups": frame}))
    columns = observed.pop(("dim_groups", "expect_table_columns_to_match_set", None))
    assert columns == "missing: repair_count, root_id; not documented: first_id"
    assert {column for _, _, column in observed} == {"root_id", "repair_count"}
    assert all((text or "").startswith("This could not be checked") for text in observed.values())
    assert not [r for r in caplog.records if r.name.startswith("great_expectations")]


def test_a_table_that_cannot_be_read(session: SparkSession, tmp_path: Path) -> None:
    frame = table(session, "fct_epoch_links", GOOD["fct_epoch_links"]).selectExpr(
        "epoch_id",
        "cast(raise_error('out of order' || repeat('!', 999)) as string) as previous_epoch_id",
    )
    checked = check([BY_NAME["fct_epoch_links"]], {"fct_epoch_links": frame})
    observed = told(checked)
    assert "previous_epoch_id" in {column for _, _, column in observed}
    assert all("out of order!" in (text or "") for text in observed.values())
    write_pages(tmp_path / "docs", checked, Foot("b", "t"))
    page = (tmp_path / "docs" / "fct_epoch_links.html").read_text()
    assert "out of order!" in page
    assert "!" * 300 not in page
    assert "Traceback" not in page
    assert sys.prefix not in page


def test_an_expectation_that_crashes(
    session: SparkSession, monkeypatch: pytest.MonkeyPatch
) -> None:
    def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("no luck today")

    monkeypatch.setattr(ExpectColumnValuesToSatisfy, "_validate", crash)
    rows = GOOD["fct_tangle_links"]
    checked = check([BY_NAME["fct_tangle_links"]], tables(session, fct_tangle_links=rows))
    assert told(checked) == {
        ("fct_tangle_links", SATISFY, "is_in_graph"): "This could not be checked: no luck today"
    }


def test_examples_are_few_and_never_keys(session: SparkSession, tmp_path: Path) -> None:
    good = GOOD["fct_messages"][0]
    rows = [good | {"content_type": KEY, "validity": f"odd {n}"} for n in range(9)]
    checked = check([BY_NAME["fct_messages"]], tables(session, fct_messages=rows))
    observed = told(checked)
    name = "expect_column_values_to_not_match_regex"
    assert observed["fct_messages", name, "content_type"] == "9 of 9 rows (100 %)"
    name = "expect_column_values_to_be_in_set"
    examples = (observed["fct_messages", name, "validity"] or "").partition("such as ")[2]
    assert len(set(examples.split(", "))) == 3
    write_pages(tmp_path / "docs", checked, Foot("b", "t"))
    assert all(KEY not in page.read_text() for page in (tmp_path / "docs").iterdir())


def test_the_session_stays_as_it_is(session: SparkSession, monkeypatch: pytest.MonkeyPatch) -> None:
    frames = tables(session, fct_tangle_tips=GOOD["fct_tangle_tips"])
    before = session.conf.getAll
    application = session.sparkContext.applicationId
    connect = socket.socket.connect

    def connect_at_home(self: socket.socket, address: Any) -> None:
        assert address[0] in ("127.0.0.1", "localhost"), f"a check talks to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_at_home)
    check([BY_NAME["fct_tangle_tips"]], frames)
    assert session.conf.getAll == before
    assert SparkSession.builder.getOrCreate().sparkContext.applicationId == application
    assert session.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_data_docs_say_every_sentence_and_need_no_network(
    session: SparkSession, tmp_path: Path
) -> None:
    hostile = GOOD["fct_rejected_lines"][0] | {"reason": "<script>alert(1)</script> $x ${y}"}
    rows = GOOD | {"fct_rejected_lines": [hostile]}
    folder = tmp_path / "home" / "data_docs"
    checked = check(SUITES, {name: table(session, name, rows[name]) for name in rows})
    foot = Foot("the build", "the time")
    promises = {suite.table_name: len(outcomes) for suite, outcomes, _ in checked}
    broken = {name: int(name == "fct_rejected_lines") for name in promises}
    write_pages(folder, checked, foot)
    write_index(folder, promises, broken, foot)
    index = (folder / "index.html").read_text()
    for suite in SUITES:
        page = (folder / f"{suite.table_name}.html").read_text()
        assert f'href="{suite.table_name}.html"' in index
        for text in (suite.row, "the build", "the time", *(e.sentence for e in suite.expectations)):
            assert text in page
        assert not re.search(r"https?:|//[a-z]|<script|<link|<img|src=", page)
    assert not re.search(r"https?:|<script|<link|<img|src=", index)
    assert re.findall(r"text-danger\"></i></td>\s*<td><a href=\"(\w+)", index) == [
        "fct_rejected_lines"
    ]
    assert (
        "&lt;script&gt;alert(1)&lt;/script&gt; $x ${y}"
        in (folder / "fct_rejected_lines.html").read_text()
    )

    write_index(folder, {"dim_feeds": 1}, {"dim_feeds": 0}, Foot("the next", "later"))
    assert sorted(page.name for page in folder.iterdir()) == ["dim_feeds.html", "index.html"]
    assert "the next" in (folder / "index.html").read_text()


def test_suites_are_found_without_great_expectations() -> None:
    code = (
        "import sys, scuttlehouse.quality\n"
        "print(sorted({'great_expectations', 'pyspark'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[]\n"


def test_every_mart_has_a_suite_and_is_checked_by_a_model() -> None:
    models = (PROJECT / "python_models" / "ops").glob("int_quality__*.py")
    refs = [
        name for model in models for name in re.findall(r'dbt\.ref\("(\w+)"\)', model.read_text())
    ]
    assert sorted(BY_NAME) == MARTS == sorted(ref for ref in refs if ref in MARTS)


@pytest.mark.parametrize("suite", SUITES, ids=lambda suite: suite.table_name)
def test_expectations_are_told_apart_by_name_and_column(suite: Suite) -> None:
    names = [(expectation.name, expectation.column) for expectation in suite.expectations]
    assert len(set(names)) == len(names)
    columns = set(suite.expectations[0].arguments["column_set"])
    assert {column for _, column in names[1:]} <= columns


def test_reasons_are_those_that_the_models_give() -> None:
    with (PROJECT / "seeds" / "reject_reasons.csv").open(newline="") as file:
        assert {row["reason"] for row in csv.DictReader(file)} == set(REJECTS)

    def given(path: str) -> set[str]:
        sql = (PROJECT / "models" / path).read_text()
        return set(re.findall(r"(?:then|else) '([a-z_]+)'", sql))

    rejected = given("staging/ssb/stg_ssb__tangle_fields.sql") - {"thread"}
    assert rejected | given("intermediate/tangles/int_tangles__candidates.sql") == set(REJECTED)
    judged = given("intermediate/tangles/int_tangles__messages.sql")
    assert judged == {"rejected", "in", "set_aside"} | set(SET_ASIDE)


def tables(session: SparkSession, **rows: list[Row]) -> dict[str, DataFrame]:
    return {name: table(session, name, rows[name]) for name in rows}
