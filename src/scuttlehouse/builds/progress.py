"""How far a build is: a line for each step in a log, a bar on a terminal, bytes of logs, and an estimate."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from threading import Event, Lock, Thread
from typing import Any, NamedTuple, TextIO

from scuttlehouse.builds.unchanged import is_to_refresh
from scuttlehouse.errors import WRITE_ERRORS, HouseError
from scuttlehouse.printing import cut, visible, visible_lines
from scuttlehouse.reading.warehouse import open_published

_BAR = 24
# Before this part of the work is done, the pace of this build says less than the last build like it.
_FIRST_PART = 0.05
# How often a log says how much was read, in seconds; a terminal always shows it.
_EVERY = 30.0

# These steps do nothing: exposures, and what comes after an error.
_IDLE = ("no-op", "skipped")
# What a bar alone shows. Whatever else a step ends with has a line on a terminal, too.
_UNREMARKABLE = ("success", "pass", *_IDLE)

# An OSError of Python as a text: its number, words and file; of a file that takes no more, without the file.
_FILE_ERROR = re.compile(
    rf"\[Errno (?:\d+\] [^\n]*: '[^\n]*'|(?:{'|'.join(map(str, WRITE_ERRORS))})\] [^\n:]*)\Z"
)

# What dbt says when a step has ended: the lines here say it.
_RESULTS = (
    "LogModelResult",
    "LogTestResult",
    "LogSeedResult",
    "LogSnapshotResult",
    "LogNodeResult",
)

_LAST_BUILD = """
    with

    published as (
        select build_id, seconds from fct_builds
        where step = 'build' and step_kind = '{}' and status = 'published' and seconds is not null
        order by started_at desc limit 1
    )

    select steps.step, steps.seconds, published.seconds
    from fct_builds as steps
    inner join published on steps.build_id = published.build_id
    where steps.step != 'build' and steps.seconds is not null
"""


class LastBuild(NamedTuple):
    """The seconds that a build took, in all and for each step; steps run side by side."""

    seconds: float | None
    steps: Mapping[str, float]


def last_build(home: Path, project: Path, *, is_full_refresh: bool) -> LastBuild:
    """The last whole build that was published and is of the kind of the next one: a refresh, or no refresh.

    A retry does not count, because it runs few steps. The result is empty if there is no such build, or if
    the log of runs or the project cannot be read.
    """
    try:
        refreshes = not is_full_refresh and is_to_refresh(home, project)
        with open_published(home) as warehouse:
            rows = warehouse.rows(_LAST_BUILD.format("refresh" if refreshes else "build"))
    except (HouseError, OSError, ValueError, LookupError):
        rows = []
    return LastBuild(rows[0][2] if rows else None, {step: seconds for step, seconds, _ in rows})


class Progress:
    """Called with every event of dbt: prints the steps that have ended, and warnings and errors.

    Args:
        out: where it prints.
        last: what steps are weighed by.
        bytes_read: the bytes of logs that were read so far, and all that will be read.
        is_terminal: whether a bar can be drawn there.
        clock: seconds that only grow.
    """

    def __init__(
        self,
        out: TextIO,
        last: LastBuild,
        bytes_read: Callable[[], tuple[int, int]],
        *,
        is_terminal: bool,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._out = out
        self._last = last
        self._bytes_read = bytes_read
        # Events come from the threads of dbt.
        self._lock = Lock()
        self._step = ""
        self._said_at = clock()
        self._is_terminal = is_terminal
        self._clock = clock
        self._began = clock()
        self._total = 0
        self._ended = 0
        self._done_seconds = 0.0
        self.has_said_an_error = False

    def __call__(self, event: Any) -> None:
        """Take an event of dbt (``dbt_common.events.base_types.EventMsg``)."""
        with self._lock:
            self._take(event)

    @contextmanager
    def ticking(self) -> Iterator[None]:
        """Call :meth:`tick` every second, for a block."""
        done = Event()

        def tick_on() -> None:
            while not done.wait(1):
                self.tick()

        thread = Thread(target=tick_on, daemon=True)
        thread.start()
        try:
            yield
        finally:
            done.set()
            thread.join()

    def tick(self) -> None:
        """Show how much of the logs is read; to be called every second or so."""
        with self._lock:
            reading = self._reading()
            if reading and self._is_terminal:
                self._draw(self._step)
            elif reading and self._clock() - self._said_at >= _EVERY:
                self._say(f"            {reading}{self._left()}")

    def _take(self, event: Any) -> None:
        if event.info.name in _RESULTS or _is_interruption(event) or _is_of_a_file(event):
            return
        if event.info.level in ("warn", "error"):
            self.has_said_an_error |= event.info.level == "error"
            self._say(event.info.msg)
        elif event.info.name == "LogStartLine":
            self._total = event.data.total
            self._draw(event.data.node_info.node_name)
        elif event.info.name == "NodeFinished":
            self._end(event.data.node_info, event.data.run_result)

    def _end(self, node: Any, result: Any) -> None:
        if node.unique_id.startswith("operation.") or node.materialized == "ephemeral":
            return  # dbt does not count hooks and parts of other models as steps.
        self._ended += 1
        self._done_seconds += self._last.steps.get(node.node_name, 0.0)
        if result.status not in (_UNREMARKABLE if self._is_terminal else _IDLE):
            self._say(
                f"{self._ended:>4} of {self._total}  {result.status:<8} {result.execution_time:>7.1f} s  "
                f"{node.node_name}{self._left()}"
            )
        if self._ended < self._total:
            self._draw(node.node_name)
        else:
            self._clear()

    def _reading(self) -> str:
        read, total = self._bytes_read()
        return f"logs: {as_bytes(read)} of {as_bytes(total)}" if read < total else ""

    def _left(self) -> str:
        seconds = self.seconds_left()
        return "" if seconds is None else f"  (about {spoken(seconds)} left)"

    def seconds_left(self) -> float | None:
        """How long the rest may take; None for a part of the project, or if no build was published before.

        The steps that have ended are weighed by their seconds in the last build. The rest goes on at the
        pace of this build so far, or, at its beginning, as the last build did.
        """
        whole = sum(self._last.steps.values())
        is_part = self._total < len(self._last.steps)
        if not self._last.seconds or not whole or is_part:
            return None
        part = min(self._done_seconds / whole, 1.0)
        if part < _FIRST_PART:
            return self._last.seconds * (1 - part)
        return (self._clock() - self._began) * (1 - part) / part

    def _draw(self, step: str) -> None:
        self._step = step
        if not self._is_terminal or not self._total:
            return
        filled = _BAR * self._ended // self._total
        bar = f"[{'#' * filled}{'.' * (_BAR - filled)}]"
        line = f"{bar} {self._ended} of {self._total}{self._left()}  {self._reading() or step}"
        width = shutil.get_terminal_size().columns - 1
        self._out.write(f"\r\x1b[K{cut(visible(line), width)}\r")
        self._out.flush()

    def _clear(self) -> None:
        if self._is_terminal:
            self._out.write("\r\x1b[K")
            self._out.flush()

    def _say(self, text: str) -> None:
        self._said_at = self._clock()
        self._clear()
        print(visible_lines(text), file=self._out, flush=True)


def _is_interruption(event: Any) -> bool:
    """Whether dbt says that Ctrl-C has ended it: an error without a text, and lines of its code."""
    if event.info.name == "MainStackTrace":
        return str(event.data.stack_trace).rstrip().endswith(KeyboardInterrupt.__name__)
    return event.info.name == "MainEncounteredError" and not event.data.exc


def _is_of_a_file(event: Any) -> bool:
    """Whether dbt says that it cannot use a file of its own: an error of Python, and lines of dbt's code."""
    if event.info.name == "MainStackTrace":
        return bool(_FILE_ERROR.search(str(event.data.stack_trace).rstrip()))
    return event.info.name == "MainEncounteredError" and bool(_FILE_ERROR.match(event.data.exc))


def spoken(seconds: float) -> str:
    """A time as people say it.

    >>> spoken(7.4), spoken(151), spoken(3600)
    ('7 s', '2 min 31 s', '1 h 0 min')
    """
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def as_bytes(number: int) -> str:
    """A number of bytes as people read it.

    >>> as_bytes(0), as_bytes(2_340_000), as_bytes(71_200_000_000)
    ('0.0 MB', '2.3 MB', '71.2 GB')
    """
    return f"{number / 1e6:.1f} MB" if number < 1e9 else f"{number / 1e9:.1f} GB"
