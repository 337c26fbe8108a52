"""Directories that a killed run left behind, where Spark refuses to create the table again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from hashlib import md5

from dbt.adapters.events.logging import AdapterLogger
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

logger = AdapterLogger("sparkpython")


def clear_orphan(session: SparkSession, error: PySparkException) -> bool:
    """Remove the directory that `error` complains of; true if the statement can be tried again.

    Only for the error that Spark raises when a managed table is not in the catalog and its own
    default location is not empty. A directory that holds, or is part of, a table or a schema of
    the catalog stays. Single partitions with a location of their own are not looked at.
    """
    if error.getCondition() != "LOCATION_ALREADY_EXISTS":
        return False
    location = (error.getMessageParameters() or {})["location"].strip("'")
    if any(_touches(location, used) for used in _table_locations(session)):
        return False
    schemas = (database.locationUri for database in session.catalog.listDatabases())
    if any(_is_within(schema, location) for schema in schemas):
        return False
    # A schema is dropped with its directory, on any file system and over Spark Connect too.
    schema = f"orphan_{md5(location.encode()).hexdigest()}"
    quoted = location.replace("\\", "\\\\").replace("'", "\\'")
    session.sql(f"create schema if not exists {schema} location '{quoted}'")
    session.sql(f"drop schema {schema} cascade")
    logger.info(f"Cleared what an interrupted run left at {location}")
    return True


def _table_locations(session: SparkSession) -> Iterator[str]:
    for database in session.catalog.listDatabases():
        for table in session.sql(f"show table extended in `{database.name}` like '*'").collect():
            match = re.search(r"^Location: (.*)$", table["information"], re.MULTILINE)
            if match:
                yield match[1]


def _touches(one: str, other: str) -> bool:
    return _is_within(one, other) or _is_within(other, one)


def _is_within(inner: str, outer: str) -> bool:
    """Whether a location is another or below it.

    >>> _is_within("file:///warehouse/a.db/t/p=1", "file:/warehouse/a.db/t")
    True
    >>> _is_within("file:/warehouse/a.db/t2", "file:/warehouse/a.db/t")
    False
    """
    inner, outer = (re.sub(r"^file:/+", "file:/", uri).rstrip("/") for uri in (inner, outer))
    return inner == outer or inner.startswith(outer + "/")
