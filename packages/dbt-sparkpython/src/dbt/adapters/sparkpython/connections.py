"""dbt's connections. With `method: session`, a thin wrapper of the session of this process."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from decimal import Decimal
from typing import Any, cast

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import (
    SparkConnectionManager,
    SparkConnectionMethod,
    SparkConnectionWrapper,
)
from dbt_common.exceptions import DbtDatabaseError
from pyspark.sql import DataFrame, Row, SparkSession

from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence
from dbt.adapters.sparkpython.session import open_session

logger = AdapterLogger("sparkpython")


@contextmanager
def spark_errors_as_sentences(sql: str) -> Iterator[None]:
    try:
        yield
    except (*SPARK_ERRORS, ConnectionError) as error:
        logger.debug(str(error))
        raise DbtDatabaseError(spark_sentence(error, sql)) from error


class SessionConnection(SparkConnectionWrapper):
    """The object that dbt uses as a connection and its cursor."""

    def __init__(self, session: SparkSession) -> None:
        self.session = session
        self.sql = ""
        self.frame: DataFrame | None = None

    def cursor(self) -> SessionConnection:
        return SessionConnection(self.session)

    def execute(self, sql: str, bindings: Sequence[Any] | None = None) -> None:
        self.sql = sql.strip().removesuffix(";")
        if bindings is not None:
            self.sql %= tuple(literal(value) for value in bindings)
        with spark_errors_as_sentences(self.sql):
            self.frame = self.session.sql(self.sql)

    def fetchall(self) -> list[Row]:
        with spark_errors_as_sentences(self.sql):
            # A command without columns has already run. Spark would run another query for its rows.
            return (
                self.frame.collect() if self.frame is not None and self.frame.schema.fields else []
            )

    def fetchmany(self, size: int) -> list[Row]:
        with spark_errors_as_sentences(self.sql):
            return self.frame.take(size) if self.frame is not None else []

    @property
    def description(self) -> list[tuple[Any, ...]]:
        fields = self.frame.schema.fields if self.frame is not None else []
        return [
            (field.name, field.dataType.simpleString(), None, None, None, None, field.nullable)
            for field in fields
        ]

    def cancel(self) -> None:
        self.session.interruptAll()

    def close(self) -> None:
        self.frame = None

    def rollback(self) -> None:
        pass


class SparkPythonConnectionManager(SparkConnectionManager):
    TYPE = "sparkpython"

    @contextmanager
    def exception_handler(self, sql: str) -> Iterator[None]:
        credentials = cast(SparkPythonCredentials, self.profile.credentials)
        if credentials.method != SparkConnectionMethod.SESSION:
            with super().exception_handler(sql):
                yield
        else:
            yield

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        credentials = cast(SparkPythonCredentials, connection.credentials)
        if credentials.method != SparkConnectionMethod.SESSION:
            return super().open(connection)
        if connection.state != ConnectionState.OPEN:
            session = open_session(credentials)
            connection.handle = SessionConnection(session)
            connection.state = ConnectionState.OPEN
        return connection


def literal(value: object) -> str:
    r"""A value of a seed as SQL text.

    >>> literal(None), literal("it's"), literal(Decimal("9007199254740993"))
    ('null', "'it\\'s'", '9007199254740993')
    >>> literal(Decimal("NaN")), literal(Decimal("-Infinity"))
    ("'NaN'", "'-Infinity'")
    >>> literal(True), literal(dt.datetime(2026, 1, 2, 3, 4, 5))
    ('true', "'2026-01-02 03:04:05'")
    """
    if value is None:
        return "null"
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int | float | Decimal):
        # Without quotes, NaN and Infinity would be columns.
        return str(value) if Decimal(value).is_finite() else f"'{value}'"
    if isinstance(value, dt.datetime):
        return f"'{value.isoformat(sep=' ')}'"
    text = str(value).replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"
