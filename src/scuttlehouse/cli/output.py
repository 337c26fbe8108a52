"""The output of a command where it is missing, cannot be written, or cannot show a character."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

# The numbers of the standard streams are 0, 1 and 2.
_LAST_STANDARD = 2

# Python's ways to write a character that an output does not know, where they fail.
_FAILING = "strict", "surrogateescape"


def send_nowhere(descriptor: int) -> None:
    """Make an open file lead nowhere. Python would report once more, when it ends, what cannot be written."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), descriptor)


def make_printable() -> None:
    """Let every command print: a closed stream leads nowhere, and codes stand for what it cannot show.

    A closed stream leaves its number free. The next file to be opened would take it, and what a library
    prints would go there. Without a standard error, Python prints errors among the answers.
    """
    while (descriptor := os.open(os.devnull, os.O_RDWR)) <= _LAST_STANDARD:
        os.set_inheritable(descriptor, True)
    os.close(descriptor)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = io.BufferedWriter(io.FileIO(os.devnull, "w"))
            setattr(sys, name, io.TextIOWrapper(nowhere, encoding="utf-8"))
        elif isinstance(stream, io.TextIOWrapper) and stream.errors in _FAILING:
            stream.reconfigure(errors="backslashreplace")


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
