"""Directories that a killed run left behind, where Spark refuses to create the table again."""

from __future__ import annotations

import re
import threading
from hashlib import md5

from dbt.adapters.events.logging import AdapterLogger
from pyspark.errors import PySparkException
from pyspark.sql import Row, SparkSession

logger = AdapterLogger("sparkpython")
_clearing = threading.Lock()


def clear_orphan(session: SparkSession, error: PySparkException) -> bool:
    """Remove the directory that `error` complains of; true if the statement can be tried again.

    Only for the error that Spark raises when a managed table is not in the catalog and its own
    default location is not empty. A directory that holds, or is part of, a table or a schema of
    the catalog stays. Single partitions with a location of their own are not looked at.
    """
    if error.getCondition() != "LOCATION_ALREADY_EXISTS":
        return False
    location = (error.getMessageParameters() or {})["location"].strip("'")
    # A schema is dropped with its directory, on any file system and over Spark Connect too.
    schema = f"orphan_{md5(location.encode()).hexdigest()}"
    with _clearing:
        if _is_in_use(session, location, schema):
            return False
        quoted = location.replace("\\", "\\\\").replace("'", "\\'")
        session.sql(f"create schema if not exists {schema} location '{quoted}'")
        session.sql(f"drop schema {schema} cascade")
    logger.info(f"Cleared what an interrupted run left at {location}")
    return True


def _is_in_use(session: SparkSession, location: str, orphan_schema: str) -> bool:
    """Whether a schema or a table lies in this directory, or this directory in a table's."""
    for database in session.catalog.listDatabases():
        if database.name == orphan_schema:  # Clearing this directory has been interrupted before.
            continue
        if _is_within(database.locationUri, location):
            return True
        for row in _list_tables(session, database.name):
            for used in re.findall(r"^Location: (.*)$", row["information"], re.MULTILINE):
                if _is_within(used, location) or _is_within(location, used):
                    return True
    return False


def _list_tables(session: SparkSession, schema: str, attempts: int = 10) -> list[Row]:
    """List a schema's tables, again if another thread drops one in the middle of the listing."""
    try:
        return session.sql(f"show table extended in `{schema}` like '*'").collect()
    except PySparkException as error:
        if error.getCondition() != "TABLE_OR_VIEW_NOT_FOUND" or attempts == 1:
            raise
    return _list_tables(session, schema, attempts - 1)


def _is_within(inner: str, outer: str) -> bool:
    """Whether a location is another or below it.

    >>> _is_within("file:///warehouse/a.db/t/p=1", "file:/warehouse/a.db/t")
    True
    >>> _is_within("file:/warehouse/a.db/t2", "file:/warehouse/a.db/t")
    False
    """
    inner, outer = (re.sub(r"^file:/+", "file:/", uri).rstrip("/") for uri in (inner, outer))
    return inner == outer or inner.startswith(outer + "/")
