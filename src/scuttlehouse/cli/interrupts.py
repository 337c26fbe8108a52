"""Ctrl-C and SIGTERM, from ``kill`` or systemd for example, end a command that writes, in the same way."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# How long an interrupted command may take to end, in seconds, before it is interrupted again.
PATIENCE = 5.0


# Those that have come since the present command began.
_came: list[int] = []


def is_interrupted() -> bool:
    """Whether one of the signals has come: errors that follow from it need not be told."""
    return bool(_came)


@contextmanager
def interruptible() -> Iterator[Sequence[int]]:
    """Let Ctrl-C and SIGTERM raise KeyboardInterrupt in a block. A second SIGTERM ends the process at once.

    dbt ignores every error while it reads what it has saved of the project, and Python what is raised in
    the callback of a weak reference. So the block is interrupted again until it ends. A signal that is
    ignored, as by nohup, stays so.

    Yields:
        The signals that have come.

    >>> with interruptible() as came:
    ...     print(came, is_interrupted())
    [] False
    """
    _came.clear()

    def interrupt(number: int, _: object) -> None:
        _came.append(number)
        if number == signal.SIGTERM:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
        raise KeyboardInterrupt

    ours = signal.SIGINT, signal.SIGTERM, signal.SIGALRM
    before = {one: signal.getsignal(one) for one in ours}
    before = {one: handler for one, handler in before.items() if handler != signal.SIG_IGN}
    for one in before:
        signal.signal(one, interrupt)
    try:
        yield _came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)
