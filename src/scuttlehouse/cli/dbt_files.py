"""dbt's own files, its log and its artifacts, where they cannot be written."""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from scuttlehouse.cli.output import send_nowhere
from scuttlehouse.errors import WRITE_ERRORS

# The name of dbt's logger that writes its log file.
_DBT_LOG = "file_log"


@contextmanager
def log_file_may_fail() -> Iterator[None]:
    """Let dbt go on if its log file cannot be written, on a full disk for example, and say so at the end.

    Python prints a trace for each line that it cannot log.
    """
    raises, logging.raiseExceptions = logging.raiseExceptions, False
    try:
        yield
    finally:
        logging.raiseExceptions = raises
        for handler in logging.getLogger(_DBT_LOG).handlers:
            if isinstance(handler, logging.FileHandler):
                _flush(handler)


def _flush(handler: logging.FileHandler) -> None:
    try:
        handler.flush()
    except OSError as error:
        print(
            f"dbt's log file {handler.baseFilename} lacks lines ({error.strerror}): make room on its disk, "
            "or set DBT_LOG_PATH to a folder on another one.",
            file=sys.stderr,
        )
        send_nowhere(handler.stream.fileno())


def told(error: BaseException) -> str:
    """What dbt says of an error that has ended it; of a file that it cannot use, also what to do.

    >>> told(PermissionError(13, "Permission denied", "logs"))  # doctest: +ELLIPSIS
    'dbt cannot use logs (Permission denied): correct that, or set DBT_LOG_PATH and DBT_TARGET_PATH to ...'
    >>> told(OSError(28, "No space left on device"))  # doctest: +ELLIPSIS
    'dbt cannot write its files (No space left on device): correct that, or set DBT_LOG_PATH and DBT_TAR...'
    """
    if not isinstance(error, OSError) or (
        error.filename is None and error.errno not in WRITE_ERRORS
    ):
        return str(error)
    file = f"use {error.filename}" if error.filename is not None else "write its files"
    return (
        f"dbt cannot {file} ({error.strerror}): correct that, or set DBT_LOG_PATH and DBT_TARGET_PATH to "
        "folders that this user can write."
    )
