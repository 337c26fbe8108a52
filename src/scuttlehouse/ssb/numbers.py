"""Numbers that software has written as texts, dates or objects."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from datetime import UTC, datetime, timedelta
from typing import Any

from scuttlehouse.files.json_lines import finite_number

# The numbers of a value.
_NUMBERS = ("sequence", "timestamp")
_NUMBER = re.compile(r"-?[0-9]{1,20}(?:\.[0-9]{1,20})?(?:[eE][+-]?[0-9]{1,3})?", re.ASCII)
# BigQuery writes " UTC" behind a time, Snowflake a blank before the offset, and Go both.
_DATE = re.compile(
    r"([0-9]{4}-[0-9]{2}-[0-9]{2}[T ][0-9:.,]{5,20}) ?(Z|[+-][0-9:]{2,9})?(?: ?UTC)?", re.ASCII
)
# The only members of the objects that mongoexport writes in place of numbers and dates.
_OF_MONGODB = frozenset({"$numberInt", "$numberLong", "$numberDouble", "$numberDecimal", "$date"})
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def number_of(value: object) -> float | None:
    """The number that a value is, or that software has written as a text, a date or an object of MongoDB.

    Complexity: O(length of the text).

    >>> number_of("7"), number_of({"$numberLong": "7"}), number_of("1970-01-01T00:00:01Z"), number_of("x")
    (7.0, 7.0, 1000.0, None)
    """
    for _ in range(2):  # A date may hold a number.
        if isinstance(value, dict) and len(value) == 1 and not _OF_MONGODB.isdisjoint(value):
            [value] = value.values()
    if isinstance(value, str) and _NUMBER.fullmatch(value):
        return finite_number(float(value))
    if isinstance(value, str) and (date := _DATE.fullmatch(value)):
        with suppress(ValueError, OverflowError):
            at = datetime.fromisoformat(date[1] + (date[2] or ""))
            return (at.replace(tzinfo=at.tzinfo or UTC) - _EPOCH) / timedelta(milliseconds=1)
        return None
    return finite_number(value)


def with_numbers(value: dict[str, Any], names: Sequence[str] = _NUMBERS) -> dict[str, Any]:
    """The value with these members as numbers. The same object if they are, or cannot be.

    >>> with_numbers({"sequence": "7", "timestamp": 1.0}), with_numbers({"timestamp": "soon"})
    ({'sequence': 7.0, 'timestamp': 1.0}, {'timestamp': 'soon'})
    """
    numbers = {
        name: number
        for name in names
        if isinstance(value.get(name), str | dict)
        and (number := number_of(value[name])) is not None
    }
    return {**value, **numbers} if numbers else value
