"""The suites: good tables pass, every expectation can fail, and people can read what did."""

from __future__ import annotations

import csv
import re
import socket
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyspark.sql import DataFrame, SparkSession

from manifest import Manifest
from quality_rows import BAD, GOOD, Row, matches, tried_rows
from scuttlehouse.pzp.rules import REASONS as PZP_REASONS
from scuttlehouse.quality.check import Checked, check
from scuttlehouse.quality.data_docs import write_index, write_page
from scuttlehouse.quality.expectations import Expectation, Suite, suite_of
from scuttlehouse.quality.view import OfflineView
from scuttlehouse.ssb.lines import REJECT_REASONS

PROJECT = Path(__file__).parents[3]

SATISFY = "expect_column_values_to_satisfy"

KEY = "q7Jm2cVx0ZbT4nLw8RkE1yHs5UdGfA9oPiX3eKtMvBw="

HOSTILE = "<script>\x1b\u202e"

# How many rows are tried for a mart without written rows.
TRIED = 3000

ARROW = {
    "string": pa.string(),
    "bigint": pa.int64(),
    "int": pa.int32(),
    "boolean": pa.bool_(),
    "timestamp": pa.timestamp("us", "UTC"),
    "date": pa.date32(),
}


@dataclass
class Marts:
    """Every mart with its expectations, the types of its columns, and good and bad rows."""

    session: SparkSession
    suites: dict[str, Suite]
    types: dict[str, dict[str, str]]
    good: dict[str, list[Row]]
    bad: dict[tuple[str, str], list[Row]]

    def table(self, name: str, rows: list[Row]) -> DataFrame:
        schema = pa.schema([(column, ARROW[kind]) for column, kind in self.types[name].items()])
        return self.session.createDataFrame(pa.Table.from_pylist(rows, schema))

    def check(self, **rows: list[Row]) -> list[Checked]:
        return [check(self.suites[name], self.table(name, rows[name])) for name in rows]

    def conditions(self, name: str) -> dict[str, str]:
        return {
            str(one.column): str(one.arguments["condition"])
            for one in self.suites[name].expectations
            if one.name == SATISFY
        }

    def answers(self, name: str, rows: list[Row]) -> list[dict[str, bool | None]]:
        """Which conditions of a mart hold in each row, as Spark alone says."""
        conditions = self.conditions(name)
        found = self.table(name, rows).selectExpr("1", *conditions.values()).collect()
        return [dict(zip(conditions, answer, strict=True)) for (_, *answer) in found]

    def find_rows(self, name: str) -> None:
        """Find a good row and bad ones for a mart by trying."""
        rows = tried_rows(self.suites[name], self.types[name], TRIED)
        answers = self.answers(name, rows)
        held = [row for row, answer in zip(rows, answers, strict=True) if all(answer.values())]
        assert held, (
            f"None of {TRIED} rows meets what {name} expects: write rows in quality_rows.py."
        )
        self.good[name] = held[:1]
        for column in self.conditions(name):
            broken = [
                row for row, answer in zip(rows, answers, strict=True) if answer[column] is not True
            ]
            assert broken, f"None of {TRIED} rows breaks a condition: write {name, column} in BAD."
            self.bad[name, column] = broken[:3]


@pytest.fixture(scope="module")
def session(warehouse: Any) -> SparkSession:
    """The session of all tests, opened as dbt opens it."""
    assert warehouse.dbt("show", "--inline", "select 1 as one").success
    return SparkSession.builder.getOrCreate()


@pytest.fixture(scope="module")
def marts(session: SparkSession, manifest: Manifest) -> Marts:
    suites = {name: suite_of(node.to_dict()) for name, node in manifest.marts.items()}
    types = {
        name: {column: entry.data_type for column, entry in node.columns.items()}
        for name, node in manifest.marts.items()
    }
    assert GOOD.keys() <= suites.keys()
    found = Marts(session, suites, types, dict(GOOD), dict(BAD))
    for name in suites.keys() - GOOD.keys():
        found.find_rows(name)
    return found


def told(checked: list[Checked]) -> dict[tuple[str, str, str | None], str | None]:
    """What was observed of every expectation that failed."""
    return {
        (suite.table_name, outcome.expectation.name, outcome.expectation.column): outcome.observed
        for suite, outcomes, _ in checked
        for outcome in outcomes
        if not outcome.is_success
    }


def spoilt(marts: Marts, suite: Suite, expectation: Expectation) -> Row:
    """A good row with values changed so that it breaks the expectation."""
    name, column = suite.table_name, expectation.column or ""
    least = expectation.arguments.get("min_value", 0)
    changes: dict[str, Row] = {
        "expect_column_values_to_not_be_null": {column: None},
        "expect_column_values_to_be_in_set": {column: "nothing known"},
        "expect_column_values_to_be_between": {column: least - 1},
        "expect_column_values_to_match_regex": {column: "nothing known"},
        "expect_column_values_to_not_match_regex": {column: KEY},
        SATISFY: marts.bad.get((name, column), [{}])[0],
    }
    return marts.good[name][0] | changes[expectation.name]


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


@pytest.fixture(scope="module")
def spoilt_rows(marts: Marts) -> dict[str, list[Row]]:
    """For each mart a good row, and for each of its expectations on columns a row that breaks it."""
    return {
        name: marts.good[name] + [spoilt(marts, suite, one) for one in suite.expectations[1:]]
        for name, suite in marts.suites.items()
    }


@pytest.fixture(scope="module")
def checked_spoilt(marts: Marts, spoilt_rows: dict[str, list[Row]]) -> list[Checked]:
    return marts.check(**spoilt_rows)


def test_good_and_empty_tables_pass(marts: Marts, capfd: pytest.CaptureFixture[str]) -> None:
    """Some tables, with expectations of each kind; the next two tests have a good row of every table."""
    names = "fct_messages", "fct_tangle_messages", "dim_logs"
    every = {one.name for suite in marts.suites.values() for one in suite.expectations}
    assert {one.name for name in names for one in marts.suites[name].expectations} == every
    for rows in ({name: marts.good[name] for name in names}, {name: [] for name in names}):
        checked = marts.check(**rows)
        assert told(checked) == {}
        assert all(len(one.outcomes) == len(one.suite.expectations) for one in checked)
    assert capfd.readouterr() == ("", ""), "a build shows no log lines or progress bars of checks"


def test_every_expectation_on_columns_can_fail(
    marts: Marts, spoilt_rows: dict[str, list[Row]], checked_spoilt: list[Checked]
) -> None:
    observed = told(checked_spoilt)
    for name, suite in marts.suites.items():
        rows = spoilt_rows[name]
        for expectation in suite.expectations[1:]:
            text = observed.pop((name, expectation.name, expectation.column)) or ""
            found = re.match(r"(\d+) of (\d+) rows", text)
            assert found, (name, expectation, text)
            assert int(found[2]) == len(rows)
            if expectation.name != SATISFY:
                broken = sum(is_broken(expectation, row) for row in rows)
                assert int(found[1]) == broken, (name, expectation, text)
    assert observed == {}, "the tables have the documented columns"


def test_conditions_tell_good_rows_from_bad_ones(marts: Marts) -> None:
    expected = {(name, column) for name in marts.suites for column in marts.conditions(name)}
    assert marts.bad.keys() == expected
    for name in marts.suites:
        good = marts.good[name]
        cases = [(None, row) for row in good] + [
            (column, good[0] | change)
            for column in marts.conditions(name)
            for change in marts.bad[name, column]
        ]
        answers = marts.answers(name, [row for _, row in cases])
        for (broken, row), holds in zip(cases, answers, strict=True):
            right = holds[broken] is not True if broken else all(holds.values())
            assert right, (name, broken, row, holds)


def test_rows_of_a_mart_are_found_by_trying(marts: Marts) -> None:
    """As for a mart that has no written rows."""
    tried = replace(marts, good={}, bad={})
    tried.find_rows("dim_logs")
    assert {column for _, column in tried.bad} == tried.conditions("dim_logs").keys()


def test_a_column_of_nulls_is_no_excuse(marts: Marts) -> None:
    unplaced = {"rank": None, "position": None, "thread_position": None}
    rows = [GOOD["fct_tangle_messages"][0] | unplaced]
    observed = told(marts.check(fct_tangle_messages=rows))
    assert {column for _, _, column in observed} == {"rank", "position", "thread_position"}


def test_a_condition_that_is_null_is_not_fulfilled(marts: Marts) -> None:
    rows = [GOOD["fct_tangle_messages"][0] | {"status": None}]
    observed = told(marts.check(fct_tangle_messages=rows))
    columns = {column for _, name, column in observed if name == SATISFY}
    assert columns == {"status_reason", "rank", "position", "thread_position", "is_tip"}


def test_other_columns_than_documented(marts: Marts, caplog: pytest.LogCaptureFixture) -> None:
    frame = marts.table("dim_groups", GOOD["dim_groups"])
    frame = frame.withColumnRenamed("root_id", "first_id").drop("repair_count")
    observed = told([check(marts.suites["dim_groups"], frame)])
    columns = observed.pop(("dim_groups", "expect_table_columns_to_match_set", None))
    assert columns == "missing: repair_count, root_id; not documented: first_id"
    assert {column for _, _, column in observed} == {"root_id", "repair_count"}
    assert all((text or "").startswith("This could not be checked") for text in observed.values())
    assert not [r for r in caplog.records if r.name.startswith("great_expectations")]


def test_a_table_that_cannot_be_read(marts: Marts, tmp_path: Path) -> None:
    frame = marts.table("fct_epoch_links", GOOD["fct_epoch_links"]).selectExpr(
        "epoch_id",
        "group_id",
        "cast(raise_error('out of order' || repeat('!', 999)) as string) as previous_epoch_id",
    )
    checked = check(marts.suites["fct_epoch_links"], frame)
    observed = told([checked])
    assert "previous_epoch_id" in {column for _, _, column in observed}
    assert all("out of order!" in (text or "") for text in observed.values())
    write_page(tmp_path, "b", checked)
    page = (tmp_path / "fct_epoch_links.html").read_text()
    assert "out of order!" in page
    assert "!" * 300 not in page
    assert "Traceback" not in page
    assert sys.prefix not in page


def test_an_expectation_that_crashes(marts: Marts, monkeypatch: pytest.MonkeyPatch) -> None:
    # Importing Great Expectations takes seconds, and `make check` needs none of it.
    from scuttlehouse.quality.satisfy import ExpectColumnValuesToSatisfy

    def crash(*_: Any, **__: Any) -> None:
        raise RuntimeError("no luck today")

    monkeypatch.setattr(ExpectColumnValuesToSatisfy, "_validate", crash)
    assert told(marts.check(fct_tangle_links=GOOD["fct_tangle_links"])) == {
        ("fct_tangle_links", SATISFY, "is_in_graph"): "This could not be checked: no luck today"
    }


def test_examples_are_few_and_never_keys(marts: Marts, tmp_path: Path) -> None:
    good = GOOD["fct_messages"][0]
    rows = [good | {"content_type": KEY, "validity": f"odd {n}"} for n in range(9)]
    checked = marts.check(fct_messages=rows)
    observed = told(checked)
    name = "expect_column_values_to_not_match_regex"
    assert observed["fct_messages", name, "content_type"] == "9 of 9 rows (100 %)"
    name = "expect_column_values_to_be_in_set"
    examples = (observed["fct_messages", name, "validity"] or "").partition("such as ")[2]
    assert len(set(examples.split(", "))) == 3
    write_page(tmp_path, "b", checked[0])
    assert all(KEY not in page.read_text() for page in tmp_path.iterdir())


def test_the_session_stays_as_it_is(marts: Marts, monkeypatch: pytest.MonkeyPatch) -> None:
    session = marts.session
    frame = marts.table("fct_tangle_tips", GOOD["fct_tangle_tips"])
    before = session.conf.getAll
    application = session.sparkContext.applicationId
    connect = socket.socket.connect

    def connect_at_home(self: socket.socket, address: Any) -> None:
        assert address[0] in ("127.0.0.1", "localhost"), f"a check talks to {address}"
        connect(self, address)

    monkeypatch.setattr(socket.socket, "connect", connect_at_home)
    check(marts.suites["fct_tangle_tips"], frame)
    assert session.conf.getAll == before
    assert SparkSession.builder.getOrCreate().sparkContext.applicationId == application
    assert session.sparkContext._jsc.getPersistentRDDs().isEmpty()


def test_data_docs_say_every_sentence_and_need_no_network(
    marts: Marts, checked_spoilt: list[Checked], tmp_path: Path
) -> None:
    """The index as if one of the tables had failed."""
    text = "<script>alert(1)</script> $x ${y}"
    folder = tmp_path
    checked = [one for one in checked_spoilt if one.suite.table_name != "fct_set_links"]
    checked += marts.check(fct_set_links=[GOOD["fct_set_links"][0] | {"link": text}])
    for one in checked:
        write_page(tmp_path, "the build", one)
    results = [
        {"table_name": name, "is_success": name != "fct_set_links" or not number}
        for name, suite in marts.suites.items()
        for number in range(len(suite.expectations))
    ]
    described = {name: suite.row for name, suite in marts.suites.items()}
    write_index(tmp_path, "the build", described, results)
    index = (folder / "index.html").read_text()
    for name, suite in marts.suites.items():
        page = (folder / f"{name}.html").read_text()
        assert f'href="{name}.html"' in index
        for said in (suite.row, "the build", *(one.sentence for one in suite.expectations)):
            assert escape(said, quote=False) in page or said in page
        assert not re.search(r"https?:|//[a-z]|<script|<link|<img|src=", page)
    assert not re.search(r"https?:|<script|<link|<img|src=", index)
    assert re.findall(r"text-danger\"></i></td>\s*<td><a href=\"(\w+)", index) == ["fct_set_links"]
    assert escape(text) in (folder / "fct_set_links.html").read_text()

    write_index(tmp_path, "the next", described, [{"table_name": "dim_feeds", "is_success": True}])
    assert sorted(page.name for page in folder.iterdir()) == ["dim_feeds.html", "index.html"]
    assert "the next" in (folder / "index.html").read_text()


@pytest.mark.parametrize("value", [HOSTILE, [HOSTILE], [[HOSTILE]], {"a": HOSTILE}, (HOSTILE,)])
def test_data_docs_show_every_value_as_text(value: object) -> None:
    """A column may have lists, maps and rows, too."""
    shown = str(OfflineView().render_content_block(None, value))
    assert "&lt;script&gt;" in shown
    assert not re.search("<(?!/?span>)|[\x1b\u202e]", shown)


def test_expectations_are_read_without_great_expectations() -> None:
    code = (
        "import sys, scuttlehouse.quality.expectations, scuttlehouse.quality.data_docs\n"
        "print(sorted({'great_expectations', 'pyspark'} & set(sys.modules)))"
    )
    answer = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    )
    assert answer.stdout == "[]\n"


def test_reasons_are_those_that_the_models_give(manifest: Manifest) -> None:
    with (PROJECT / "seeds" / "reject_reasons.csv").open(newline="") as file:
        reasons = {row["reason"] for row in csv.DictReader(file)}
    # These two are found by comparing lines, when all have landed.
    assert reasons == {*REJECT_REASONS, "forged", "rewritten", *PZP_REASONS}

    def given(path: str) -> set[str]:
        sql = (PROJECT / "models" / path).read_text()
        return set(re.findall(r"(?:then|else) '([a-z_]+)'", sql))

    suite = suite_of(manifest.marts["fct_tangle_messages"].to_dict())
    [among, condition] = [
        one.arguments for one in suite.expectations if one.column == "status_reason"
    ]
    rejected = given("staging/ssb/stg_ssb__tangle_fields.sql") - {"thread"}
    rejected |= given("intermediate/tangles/int_tangles__candidates.sql")
    set_aside = given("intermediate/tangles/int_tangles__messages.sql") - {
        "rejected",
        "in",
        "set_aside",
    }
    assert rejected | set_aside == set(among["value_set"])
    # The condition says which reasons go with which status, in this order.
    _, of_rejected, of_set_aside = re.split("'rejected'|'set_aside'", str(condition["condition"]))
    assert set(re.findall("'([a-z_]+)'", of_rejected)) == rejected
    assert set(re.findall("'([a-z_]+)'", of_set_aside)) == set_aside
