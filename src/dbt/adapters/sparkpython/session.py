"""The one SparkSession of this process, which SQL models and Python models share."""

from __future__ import annotations

import atexit
import gc
import os
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from dbt_common.exceptions import DbtRuntimeError
from pyspark.errors import PySparkException
from pyspark.logger import PySparkLogger
from pyspark.sql import DataFrame, SparkSession

from dbt.adapters.sparkpython import java
from dbt.adapters.sparkpython.derby import (
    clear_unfinished,
    is_in_memory,
    metastore_folder,
    refuse_if_locked,
)
from dbt.adapters.sparkpython.orphans import clear_orphan
from dbt.adapters.sparkpython.owners import sign, signature_of
from dbt.adapters.sparkpython.sentences import SPARK_ERRORS, spark_sentence

_opening = threading.Lock()
_session: SparkSession | None = None
_opened_with: dict[str, str] = {}
_log_file = Path("logs", "spark.log")


def log_to(folder: Path) -> None:
    """Say where Spark's own output goes: `spark.log` in this folder."""
    global _log_file
    _log_file = folder / "spark.log"


def is_remote(parameters: dict[str, str]) -> bool:
    """Whether the session is a Spark Connect client, so that this process needs no Java."""
    return "spark.remote" in parameters or "SPARK_REMOTE" in os.environ


def open_session(parameters: dict[str, str]) -> SparkSession:
    """Return the session of this process, started with `parameters` if there is none yet."""
    global _session, _opened_with
    with _opening:
        if _session is None or _is_stopped(_session):
            _session = _start(parameters)
            _opened_with = dict(parameters)
        elif parameters != _opened_with:
            _change(_session, parameters)
            _opened_with = dict(parameters)
        return _session


def begin_to_open(parameters: dict[str, str], *, with_workers: bool) -> None:
    """Start the session of this process beside what dbt does first, if there is none yet.

    And then, `with_workers`, the processes that Python models run in. What goes wrong is told by
    `open_session`, which then tries again, or by the first Python model.
    """

    def start() -> None:
        with suppress(DbtRuntimeError, *SPARK_ERRORS):
            session = open_session(parameters)
            if with_workers and not is_remote(parameters):
                session.range(1).mapInArrow(lambda batches: batches, "id long").collect()

    if _session is None:
        threading.Thread(target=start, name="open_session", daemon=True).start()


def run_statement(session: SparkSession, sql: str) -> DataFrame:
    """Run a statement; if the remains of a killed run are in its way, clear them and run again."""
    try:
        return session.sql(sql)
    except PySparkException as error:
        if not clear_orphan(session, error):
            raise
    return session.sql(sql)


def _start(parameters: dict[str, str]) -> SparkSession:
    for name in ("SQLQueryContextLogger", "DataFrameQueryContextLogger"):
        # PySpark prints every failed query as JSON with its Java stack; dbt reports the error.
        PySparkLogger.getLogger(name).disabled = True
    builder = SparkSession.builder.config(map=dict(parameters))
    if not is_remote(parameters):
        if not is_in_memory(parameters):
            builder = builder.enableHiveSupport()
        if not java.is_running():
            refuse_if_locked(parameters)
            clear_unfinished(parameters)
            java.start(parameters, _log_file)
    try:
        session = builder.getOrCreate()
    except SPARK_ERRORS as error:
        raise DbtRuntimeError(f"Spark did not start: {spark_sentence(error)}") from error
    # What dbt has read of the project by now lives as long as the process: Python need not look through it
    # again and again, nor through all there is when the process ends.
    gc.freeze()
    atexit.register(gc.freeze)
    if is_remote(parameters):
        return session
    _leave_out_checksums(session)
    if folder := metastore_folder(parameters):
        try:
            sign(folder)
        except DbtRuntimeError:  # Whoever only reads needs no room on the disk.
            signature_of(folder).unlink(missing_ok=True)
    return session


def _leave_out_checksums(session: SparkSession) -> None:
    """Write no checksum beside every file on this machine: Hadoop starts two processes for each.

    Parquet's pages have checksums of their own.
    """
    jvm: Any = session._jvm
    files = jvm.org.apache.hadoop.fs.FileSystem.getLocal(session._jsc.hadoopConfiguration())
    files.setWriteChecksum(False)
    files.setVerifyChecksum(False)


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
