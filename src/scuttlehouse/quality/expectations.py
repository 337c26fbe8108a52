"""Expectations as data, as the description of a table has them.

A model's entry in yml lists, under ``config.meta.expectations`` of a column, one mapping for each: its kind
with an argument, and what it ``says`` where the kind alone does not tell.

======================  ================================================================
``never_null: why``     the column is never null
``at_least: number``    the column holds this number, a greater one, or null
``among: values``       the column holds one of these values, or null; the name of a
                        Python object, ``package.module.NAME``, stands for its values
``matches: pattern``    the column matches a regular expression of Java, or is null; the
                        name of one of ``PATTERNS`` stands for it
``no_key``              the column holds no text that may be a key (ruling R29)
``holds: condition``    the condition in SQL, which may name any column, is true
======================  ================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, NamedTuple, get_args

# Java's `$` also matches before a last line end, `\z` does not; and a repeated group would overflow
# Java's stack on an id that somebody made very long.
PATTERNS = {
    # Message ids in their one spelling (ruling R1).
    "message_id": (
        r"^ssb:message/[a-z0-9-]+/[A-Za-z0-9_=/-]+\z",
        "The id of a message, as a URI.",
    ),
    # 32 bytes in base58.
    "base58_hash": (r"^[1-9A-HJ-NP-Za-km-z]{32,44}\z", "A hash in base58."),
}

# 32 bytes in base64 or hex, as most keys are.
KEY = r"^([A-Za-z0-9+/_-]{43}=?|[0-9A-Fa-f]{64})\z"


@dataclass(frozen=True)
class Expectation:
    """What must be true of a table.

    ``name`` is what Great Expectations calls it, and ``arguments`` are what that takes beside the column.
    ``sentence`` says it to people. ``column`` is None if it is about the whole table. Values that break it
    are reported, unless it ``is_private``. No two expectations of a table share name and column.
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


def suite_of(model: Mapping[str, Any]) -> Suite:
    """The expectations in the entry of a model in dbt's manifest.

    Raises:
        ValueError: an expectation is none of the kinds above, or a column has two of a kind.

    >>> column = {"config": {"meta": {"expectations": [{"never_null": "the tip"}]}}}
    >>> tips = {"alias": "tips", "description": "A row is a tip. ..", "columns": {"id": column}}
    >>> [expectation.sentence for expectation in suite_of(tips).expectations]
    ['The table has exactly the documented columns.', 'Never null: the tip.']
    """
    table, columns = model["alias"], model["columns"]
    exact = Expectation(
        "expect_table_columns_to_match_set",
        "The table has exactly the documented columns.",
        arguments={"column_set": list(columns), "exact_match": True},
    )
    expectations = [exact]
    for column, entry in columns.items():
        of_column = [
            expectation_of(f"{table}.{column}", column, item)
            for item in entry["config"].get("meta", {}).get("expectations", ())
        ]
        if len({expectation.name for expectation in of_column}) < len(of_column):
            raise ValueError(f"{table}.{column} has two expectations of a kind: leave one out.")
        expectations += of_column
    sentence = " ".join(model["description"].split()).partition(". ")[0]
    return Suite(table, sentence.removeprefix("A row is ").rstrip("."), tuple(expectations))


def expectation_of(where: str, column: str, item: Mapping[str, Any] | str) -> Expectation:
    r"""One item of the list of a column. ``where`` names the column in errors.

    >>> expectation_of("tips.rank", "rank", {"at_least": 0}).sentence
    'Not below 0.'
    >>> expectation_of("tips.id", "id", {"matches": r"^\w+\z"})
    Traceback (most recent call last):
    ValueError: The expectation {'matches': '^\\w+\\z'} of tips.id lacks the sentence that it `says`.
    >>> expectation_of("tips.id", "id", "odd")
    Traceback (most recent call last):
    ValueError: The expectation odd of tips.id is none of never_null, at_least, among, matches, no_key, holds.
    """
    given: dict[str, Any] = {item: None} if isinstance(item, str) else dict(item)
    says = given.pop("says", None)
    kinds = list(given)
    if len(kinds) != 1 or kinds[0] not in _KINDS:
        raise ValueError(f"The expectation {item} of {where} is none of {', '.join(_KINDS)}.")
    [(kind, argument)] = given.items()
    name, arguments, sentence = _KINDS[kind](argument)
    if not (says or sentence):
        raise ValueError(f"The expectation {item} of {where} lacks the sentence that it `says`.")
    return Expectation(name, says or sentence, column, arguments, is_private=kind == "no_key")


# What Great Expectations calls an expectation and asks for, and what it says where nothing else is said.
_Kind = tuple[str, dict[str, object], str]


def _never_null(why: str) -> _Kind:
    return "expect_column_values_to_not_be_null", {}, f"Never null: {why}."


def _at_least(least: int) -> _Kind:
    return "expect_column_values_to_be_between", {"min_value": least}, f"Not below {least}."


def _among(values: list[object] | str) -> _Kind:
    if isinstance(values, str):
        module, _, name = values.rpartition(".")
        named = getattr(import_module(module), name)
        values = list(get_args(named) or named)
    return "expect_column_values_to_be_in_set", {"value_set": values}, ""


def _matches(pattern: str) -> _Kind:
    regex, sentence = PATTERNS.get(pattern, (pattern, ""))
    return "expect_column_values_to_match_regex", {"regex": regex}, sentence


def _no_key(_: None) -> _Kind:
    sentence = "No text that may be a key is stored."
    return "expect_column_values_to_not_match_regex", {"regex": KEY}, sentence


def _holds(condition: str) -> _Kind:
    return "expect_column_values_to_satisfy", {"condition": condition}, ""


_KINDS: dict[str, Callable[[Any], _Kind]] = {
    "never_null": _never_null,
    "at_least": _at_least,
    "among": _among,
    "matches": _matches,
    "no_key": _no_key,
    "holds": _holds,
}
