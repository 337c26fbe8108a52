"""Expectations as data: what is promised of a column, in words for people and for the engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Ids in their one spelling (ruling R1). Java's `$` also matches before a last line end, `\z` does not.
MESSAGE_ID = r"^ssb:message/[a-z0-9]+(-[a-z0-9]+)*(/[A-Za-z0-9_-]+={0,2})+\z"
FEED_ID = (
    r"^(@[A-Za-z0-9+/]{43}=\.ed25519|ssb:feed/[a-z0-9]+(-[a-z0-9]+)*(/[A-Za-z0-9_-]+={0,2})+)\z"
)

# 32 bytes in base64 or hex, as ``scuttlehouse.epoch_keys.key_bytes`` reads them.
KEY = r"^([A-Za-z0-9+/_-]{43}=?|[0-9A-Fa-f]{64})\z"


class Rows(NamedTuple):
    """The rows that an expectation is about: those whose ``column`` is, or is not, ``value``.

    As in SQL a null is neither; ``value`` None asks for null itself.
    """

    column: str
    value: str | int | bool | None
    is_equal: bool = True


@dataclass(frozen=True)
class Expectation:
    """One promise.

    ``name`` is what Great Expectations calls it; ``sentence`` says it to people, and why; ``column``
    is null for a promise about the table; ``rows`` is null where all rows are meant. Values that
    break it are shown unless ``is_private``. Within a table no two have the same name and column.
    """

    name: str
    sentence: str
    column: str | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    rows: Rows | None = None
    is_private: bool = False


class Suite(NamedTuple):
    """The expectations on one table, and what a row of it is."""

    table_name: str
    row: str
    expectations: tuple[Expectation, ...]


def suite(table_name: str, row: str, columns: str, *expectations: Expectation) -> Suite:
    """The suite of a table that has just these columns (names with spaces between).

    >>> suite("fct_tangle_tips", "a tip", "tangle_id message_id").expectations[0].sentence
    'The table has just the columns that its documentation names.'
    """
    names = columns.split()
    exact = Expectation(
        "expect_table_columns_to_match_set",
        "The table has just the columns that its documentation names.",
        arguments={"column_set": names, "exact_match": True},
    )
    return Suite(table_name, row, (exact, *expectations))


def filled(column: str, sentence: str, rows: Rows | None = None) -> Expectation:
    """The column is never null.

    >>> filled("feed_id", "Every message has an author.").name
    'expect_column_values_to_not_be_null'
    """
    return Expectation("expect_column_values_to_not_be_null", sentence, column, {}, rows)


def empty(column: str, sentence: str, rows: Rows) -> Expectation:
    """The column is null in these rows.

    >>> empty("rank", "A message set aside has no rank.", Rows("status", "set_aside")).name
    'expect_column_values_to_be_null'
    """
    return Expectation("expect_column_values_to_be_null", sentence, column, {}, rows)


def among(
    column: str, values: Collection[str | bool], sentence: str, rows: Rows | None = None
) -> Expectation:
    """The column holds one of these values, or null.

    >>> among("validity", ["valid", "invalid"], "...").arguments
    {'value_set': ['valid', 'invalid']}
    """
    arguments = {"value_set": list(values)}
    return Expectation("expect_column_values_to_be_in_set", sentence, column, arguments, rows)


def at_least(column: str, least: int, sentence: str, rows: Rows | None = None) -> Expectation:
    """The column holds this number, a greater one, or null.

    >>> at_least("gap_count", 0, "...").arguments
    {'min_value': 0}
    """
    arguments = {"min_value": least}
    return Expectation("expect_column_values_to_be_between", sentence, column, arguments, rows)


def shaped(column: str, pattern: str, sentence: str, rows: Rows | None = None) -> Expectation:
    """The column matches this regular expression (Java's), or is null.

    >>> shaped("message_id", MESSAGE_ID, "...").name
    'expect_column_values_to_match_regex'
    """
    arguments = {"regex": pattern}
    return Expectation("expect_column_values_to_match_regex", sentence, column, arguments, rows)


def no_key(column: str, sentence: str) -> Expectation:
    """The column, which holds free text of a log, holds no key (ruling R29); never shown if it does.

    >>> no_key("feed_purpose", "...").is_private
    True
    """
    name = "expect_column_values_to_not_match_regex"
    return Expectation(name, sentence, column, {"regex": KEY}, is_private=True)
