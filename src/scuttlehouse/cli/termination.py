"""SIGTERM, from ``kill`` or systemd for example, ends a command that writes as Ctrl-C does."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

# How long an interrupted command may take to end, in seconds, before it is interrupted again.
PATIENCE = 10.0


@contextmanager
def interrupted_by_sigterm() -> Iterator[Sequence[int]]:
    """Let SIGTERM raise KeyboardInterrupt in a block. A second SIGTERM ends the process at once.

    Python ignores what is raised in a destructor or in the callback of a weak reference, so the block is
    interrupted again until it ends.

    Yields:
        The signals that have come: empty if the block was interrupted by Ctrl-C.

    >>> import os
    >>> with interrupted_by_sigterm() as came:
    ...     try:
    ...         os.kill(os.getpid(), signal.SIGTERM)
    ...     except KeyboardInterrupt:
    ...         print(len(came))
    1
    """
    came: list[int] = []

    def interrupt(number: int, _: object) -> None:
        came.append(number)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE, PATIENCE)
        raise KeyboardInterrupt

    before = {one: signal.signal(one, interrupt) for one in (signal.SIGTERM, signal.SIGALRM)}
    try:
        yield came
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        for one, handler in before.items():
            signal.signal(one, handler)
