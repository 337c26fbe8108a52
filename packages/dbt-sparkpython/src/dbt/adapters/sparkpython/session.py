"""The one SparkSession of this process. SQL models and Python models share it."""

from __future__ import annotations

import atexit
import gc
import logging
import threading
from contextlib import suppress
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError
from pyspark.accumulators import AccumulatorTCPServer
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from dbt.adapters.sparkpython import java
from dbt.adapters.sparkpython.calls import find_function
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.remote import connect, is_remote
from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence

_opening = threading.Lock()
_session: SparkSession | None = None
_opened_with: dict[str, str] = {}
_log_file = Path("logs", "spark.log")

# No port of a Spark in this process can be reached by other users of this machine or of its network.
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.authenticate": "true",
}


def log_to(folder: Path) -> None:
    """Set where Spark's own output goes: `spark.log` in this folder."""
    global _log_file
    _log_file = folder / "spark.log"


def open_session(credentials: SparkPythonCredentials) -> SparkSession:
    """The session of this process. If there is none yet, it is started with the target's settings."""
    global _session, _opened_with
    parameters = dict(credentials.server_side_parameters)
    with _opening:
        if _session is None or _is_stopped(_session):
            _session = _start(parameters | computed_settings(credentials))
            _opened_with = parameters
        elif parameters != _opened_with:
            _change(_session, parameters)
            _opened_with = parameters
        return _session


def computed_settings(credentials: SparkPythonCredentials) -> dict[str, str]:
    """The settings from the target's function. Empty if the target names none.

    Raises:
        DbtRuntimeError: the function raises an error. The message is its own.
    """
    if credentials.spark_settings is None:
        return {}
    function = find_function(credentials.spark_settings)
    try:
        settings: dict[str, str] = function()
    except Exception as error:
        raise DbtRuntimeError(str(error)) from error
    return settings


def begin_to_open(credentials: SparkPythonCredentials, *, with_workers: bool) -> None:
    """Start Spark in the background, if this process has no session yet. A server already runs.

    With `with_workers`, then also start the processes for Python models. `open_session` tries again and
    reports errors; the first Python model reports the error of a worker.
    """

    def start() -> None:
        with suppress(DbtRuntimeError, ConnectionError, *SPARK_ERRORS):
            session = open_session(credentials)
            if with_workers:
                session.range(1).mapInArrow(lambda batches: batches, "id long").collect()

    if _session is None and not is_remote(credentials.server_side_parameters):
        threading.Thread(target=start, name="open_session", daemon=True).start()


def _start(parameters: dict[str, str]) -> SparkSession:
    _silence()
    session = connect(parameters) if is_remote(parameters) else _start_here(parameters)
    # The project that dbt has read stays until the process ends, so Python's collector need not scan it.
    gc.freeze()
    atexit.register(gc.freeze)
    return session


def _silence() -> None:
    """Keep stacks of Java and Python off the terminal. dbt reports each error already."""
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        # PySpark prints every failed query as JSON with its Java stack.
        PySparkLogger.getLogger(name).disabled = True
    # If Java ends, Py4J tells the root logger, and PySpark's server for accumulators prints an error.
    logging.getLogger().addFilter(_is_not_of_py4j)
    AccumulatorTCPServer.handle_error = lambda *_: None  # type: ignore[method-assign]


def _is_not_of_py4j(record: logging.LogRecord) -> bool:
    return "py4j" not in Path(record.pathname).parts


def _start_here(parameters: dict[str, str]) -> SparkSession:
    if java.is_local(parameters):
        parameters = LOCAL_SETTINGS | parameters
    if not java.is_running():
        java.start(parameters, _log_file)
    try:
        return SparkSession.builder.config(map=dict(parameters)).getOrCreate()
    except SPARK_ERRORS as error:
        if unfit := java.why_unfit():
            raise DbtRuntimeError(f"{unfit} {java.HOW_TO_GET_JAVA}") from error
        raise DbtRuntimeError(f"Spark did not start: {spark_sentence(error)}") from error


def _is_stopped(session: SparkSession) -> bool:
    if hasattr(session, "is_stopped"):
        return bool(session.is_stopped)
    return session.sparkContext._jsc is None


def _change(session: SparkSession, parameters: dict[str, str]) -> None:
    """Apply the settings of another dbt invocation in the same process."""
    for key, value in parameters.items():
        if _opened_with.get(key) == value:
            continue
        if not session.conf.isModifiable(key):
            raise DbtRuntimeError(
                f"Spark already runs in this process with {key} = {_opened_with.get(key)!r}, and"
                f" cannot change to {value!r}: run this target in a new process."
            )
        session.conf.set(key, value)
