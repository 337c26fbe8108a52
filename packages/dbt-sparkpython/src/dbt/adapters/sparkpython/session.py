"""The one SparkSession of this process, which SQL models and Python models share."""

from __future__ import annotations

import atexit
import gc
import os
import threading
from contextlib import suppress
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError
from pyspark.logger import PySparkLogger
from pyspark.sql import SparkSession

from dbt.adapters.sparkpython import java
from dbt.adapters.sparkpython.calls import find_function
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence

_opening = threading.Lock()
_session: SparkSession | None = None
_opened_with: dict[str, str] = {}
_log_file = Path("logs", "spark.log")

# Other users of this machine and of its network reach no port of a Spark that runs in this process.
LOCAL_SETTINGS = {
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.authenticate": "true",
}


def log_to(folder: Path) -> None:
    """Say where Spark's own output goes: `spark.log` in this folder."""
    global _log_file
    _log_file = folder / "spark.log"


def is_remote(parameters: dict[str, str]) -> bool:
    """Whether the session is a Spark Connect client, so that this process needs no Java."""
    return "spark.remote" in parameters or "SPARK_REMOTE" in os.environ


def is_local(parameters: dict[str, str]) -> bool:
    """Whether Spark runs in this process's Java alone."""
    return not is_remote(parameters) and parameters.get("spark.master", "local[*]").startswith(
        "local"
    )


def open_session(credentials: SparkPythonCredentials) -> SparkSession:
    """Return the session of this process, started with the target's settings if there is none yet."""
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
    """What the target's function returns; nothing if it names none.

    Raises:
        DbtRuntimeError: what the function raises, in its words.
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
    """Start the session of this process while dbt does other things, if there is none yet.

    And then, `with_workers`, the processes that Python models run in. `open_session` tries again and reports
    what goes wrong; a failing worker is reported by the first Python model.
    """

    def start() -> None:
        with suppress(DbtRuntimeError, *SPARK_ERRORS):
            session = open_session(credentials)
            if with_workers and not is_remote(credentials.server_side_parameters):
                session.range(1).mapInArrow(lambda batches: batches, "id long").collect()

    if _session is None:
        threading.Thread(target=start, name="open_session", daemon=True).start()


def _start(parameters: dict[str, str]) -> SparkSession:
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        # PySpark prints every failed query as JSON with its Java stack; dbt reports the error.
        PySparkLogger.getLogger(name).disabled = True
    if is_local(parameters):
        parameters = LOCAL_SETTINGS | parameters
    if not is_remote(parameters) and not java.is_running():
        java.start(parameters, _log_file)
    try:
        session = SparkSession.builder.config(map=dict(parameters)).getOrCreate()
    except SPARK_ERRORS as error:
        raise DbtRuntimeError(f"Spark did not start: {spark_sentence(error)}") from error
    # The project that dbt has read lives as long as the process: Python's collector need not search it.
    gc.freeze()
    atexit.register(gc.freeze)
    return session


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
