"""The standard output of a command, if it cannot be written any more."""

from __future__ import annotations

import io
import os
import sys
from typing import Any


def send_nowhere(descriptor: int) -> None:
    """Make an open file lead nowhere. Python would report once more, when it ends, what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


class _Output(io.FileIO):
    """A file to print to. If it cannot be written any more, the rest goes nowhere."""

    def write(self, data: Any, /) -> int:
        try:
            return super().write(data)
        except OSError:
            send_nowhere(self.fileno())
            return len(data)


def go_on_without_reader() -> None:
    """Let the build go on if the reader of its output, `head` for example, has enough.

    An error in one of dbt's threads would leave the others waiting for ever, and the lock held.
    """
    printed = sys.stdout
    if printed is sys.__stdout__ and isinstance(printed, io.TextIOWrapper):
        printed.flush()
        sys.stdout = io.TextIOWrapper(
            io.BufferedWriter(_Output(printed.fileno(), "w", closefd=False)),
            encoding=printed.encoding,
            errors=printed.errors,
            line_buffering=printed.line_buffering or printed.write_through,
        )
