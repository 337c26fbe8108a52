from __future__ import annotations

from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, Row

from dbt.adapters.contracts.connection import Connection, ConnectionState
from dbt.adapters.spark.connections import SparkConnectionManager, SparkConnectionMethod
from dbt.adapters.spark.session import Connection as SessionConnection
from dbt.adapters.spark.session import Cursor, SessionConnectionWrapper
from dbt.adapters.sparkpython.session import open_session


class SharedCursor(Cursor):
    def execute(self, sql: str, *parameters: Any) -> None:
        if parameters:
            sql = sql % parameters
        session = open_session(self.server_side_parameters, Path("logs/spark.log"))
        self._df = session.sql(sql)


class SharedConnection(SessionConnection):
    def cursor(self) -> Cursor:
        return SharedCursor(server_side_parameters=self.server_side_parameters)


class SparkPythonConnectionManager(SparkConnectionManager):
    TYPE = "sparkpython"

    @classmethod
    def open(cls, connection: Connection) -> Connection:
        credentials = connection.credentials
        if connection.state == ConnectionState.OPEN or credentials.method != SparkConnectionMethod.SESSION:
            return super().open(connection)
        connection.handle = SessionConnectionWrapper(
            SharedConnection(server_side_parameters=credentials.server_side_parameters)
        )
        connection.state = ConnectionState.OPEN
        return connection
