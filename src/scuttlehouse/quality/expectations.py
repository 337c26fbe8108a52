"""Expectations as data: what is promised of a column, in words for people and for the engine."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

# Ids in their one spelling (ruling R1). Java's `$` also matches before a last line end, `\z` does not;
# and a repeated group would overflow Java's stack on an id that somebody made very long.
MESSAGE_ID = r"^ssb:message/[a-z0-9-]+/[A-Za-z0-9_=/-]+\z"
FEED_ID = r"^(@[A-Za-z0-9+/]{43}=\.ed25519|ssb:feed/[a-z0-9-]+/[A-Za-z0-9_=/-]+)\z"

# 32 bytes in base64 or hex, as most keys are.
KEY = r"^([A-Za-z0-9+/_-]{43}=?|[0-9A-Fa-f]{64})\z"


@dataclass(frozen=True)
class Expectation:
    """One promise.

    ``name`` is what Great Expectations calls it, ``arguments`` what it asks for beside the column;
    ``sentence`` says it to people; ``column`` is null for a promise about the table. Values that
    break a promise are reported, unless it ``is_private``. No two of a table share name and column.
    """

    name: str
    sentence: str
    column: str | None = None
    arguments: Mapping[str, object] = field(default_factory=dict)
    is_private: bool = False


class Suite(NamedTuple):
    """The expectations on one table, and what a row of it is."""

    table_name: str
    row: str
    expectations: tuple[Expectation, ...]


def suite(table_name: str, row: str, columns: str, *expectations: Expectation) -> Suite:
    """The suite of a table that has just these columns (names with spaces between).

    >>> suite("fct_tangle_tips", "a tip", "tangle_id message_id").expectations[0].sentence
    'The table has exactly the documented columns.'
    """
    exact = Expectation(
        "expect_table_columns_to_match_set",
        "The table has exactly the documented columns.",
        arguments={"column_set": columns.split(), "exact_match": True},
    )
    return Suite(table_name, row, (exact, *expectations))


def filled(column: str, sentence: str) -> Expectation:
    """The column is never null.

    >>> filled("feed_id", "Every message has an author.").name
    'expect_column_values_to_not_be_null'
    """
    return Expectation("expect_column_values_to_not_be_null", sentence, column)


def among(column: str, values: Collection[str], sentence: str) -> Expectation:
    """The column holds one of these values, or null.

    >>> among("validity", ["valid", "invalid"], "Every message is judged.").arguments
    {'value_set': ['valid', 'invalid']}
    """
    arguments = {"value_set": list(values)}
    return Expectation("expect_column_values_to_be_in_set", sentence, column, arguments)


def at_least(column: str, least: int, sentence: str) -> Expectation:
    """The column holds this number, a greater one, or null.

    >>> at_least("rank", 0, "Ranks count from 0.").arguments
    {'min_value': 0}
    """
    arguments = {"min_value": least}
    return Expectation("expect_column_values_to_be_between", sentence, column, arguments)


def shaped(column: str, pattern: str, sentence: str) -> Expectation:
    """The column matches this regular expression (Java's), or is null.

    >>> shaped("epoch_id", MESSAGE_ID, "The id of a message.").name
    'expect_column_values_to_match_regex'
    """
    arguments = {"regex": pattern}
    return Expectation("expect_column_values_to_match_regex", sentence, column, arguments)


def no_key(column: str) -> Expectation:
    """The column, which holds free text of a log, holds no key (ruling R29). The value is never shown.

    >>> no_key("feed_purpose").is_private
    True
    """
    name = "expect_column_values_to_not_match_regex"
    sentence = "No text that may be a key is stored."
    return Expectation(name, sentence, column, {"regex": KEY}, is_private=True)


def satisfies(column: str, condition: str, sentence: str) -> Expectation:
    """The column and others of its row fulfil this condition in SQL; null does not.

    >>> satisfies("rank", "(rank is null) = (status != 'in')", "What is in has a rank.").arguments
    {'condition': "(rank is null) = (status != 'in')"}
    """
    arguments = {"condition": condition}
    return Expectation("expect_column_values_to_satisfy", sentence, column, arguments)


def message_id(column: str, whose: str) -> tuple[Expectation, Expectation]:
    """The column is never null and holds message ids.

    >>> [expectation.sentence for expectation in message_id("epoch_id", "the first message")]
    ['Never null: the first message.', 'The id of a message, as a URI.']
    """
    return (
        filled(column, f"Never null: {whose}."),
        shaped(column, MESSAGE_ID, "The id of a message, as a URI."),
    )


def number(column: str, least: int, meaning: str) -> tuple[Expectation, Expectation]:
    """The column is never null and holds this number or a greater one.

    >>> [expectation.sentence for expectation in number("gap_count", 0, "0 without gaps")]
    ['Never null: 0 without gaps.', 'Not below 0.']
    """
    return (
        filled(column, f"Never null: {meaning}."),
        at_least(column, least, f"Not below {least}."),
    )


def flags(*columns: str) -> tuple[Expectation, ...]:
    """The columns are true or false, never null.

    >>> len(flags("is_root", "is_tip"))
    2
    """
    return tuple(filled(column, "True or false, never null.") for column in columns)
