"""What a timeline refuses: loops, another list for a known name, lists and names that are too long."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from typing import TypeAlias

import pyarrow as pa
import pyarrow.compute as pc

Column: TypeAlias = "pa.Array | pa.ChunkedArray"

# Sizes and numbers that the compiled implementation keeps in 32 bits are less than this. So it is for both.
LIMIT = 2**31


class LoopError(ValueError):
    """Events would form a loop. The next event in ``loop`` lists each one, and the first lists the last."""

    def __init__(self, loop: list[str]) -> None:
        shown = ", ".join(loop[:5]) + (", ..." if len(loop) > 5 else "")
        super().__init__(f"{len(loop)} events would list each other in a loop: {shown}")
        self.loop = loop


class ConflictError(ValueError):
    """The event ``name`` is known, but with another list of events."""

    def __init__(self, name: str) -> None:
        super().__init__(f"Event {name} is known, and lists other events; a name is given once.")
        self.name = name


class TooManyError(ValueError):
    """The event ``name`` lists more other events than the timeline allows."""

    def __init__(self, name: str, count: int, most: int) -> None:
        super().__init__(f"Event {name} lists {count} other events; this timeline allows {most}.")
        self.name = name


def check_event(name: str, listed: Sequence[str], most: int | None) -> None:
    """Raise TooManyError if an event lists more than ``most`` others. Repeats and itself do not count.

    Raises:
        ValueError: a name has a lone surrogate, or ``LIMIT`` bytes or more.

    >>> check_event("a", ["b", "b", "a", "c"], 2)
    >>> check_event("a", ["b", "c", "d"], 2)
    Traceback (most recent call last):
    ...
    scuttlehouse.timeline.refusals.TooManyError: Event a lists 3 other events; this timeline allows 2.
    """
    _check_listed(name, listed, most)
    if len("".join((name, *listed)).encode()) >= LIMIT:
        _check_sizes(pa.array((name, *listed), pa.large_string()))


def checked_columns(names: Column, after: Column, most: int | None) -> tuple[pa.Array, pa.Array]:
    """The columns of many events as arrays of large text, and of large lists of large text.

    Raises:
        TooManyError: as :func:`check_event`, for the first such row. A null list is empty.
        ValueError: the columns have different lengths or hold a null, or a name is too long.

    Complexity: O(rows + items).
    """
    types = (pa.large_string(), pa.large_list(pa.large_string()))
    arrays = []
    for column, arrow_type in zip((names, after), types, strict=True):
        flat = column.cast(arrow_type)
        arrays.append(flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat)
    if len(arrays[0]) != len(arrays[1]):
        raise ValueError(f"There are {len(names)} names and {len(after)} lists; give one for each.")
    texts = arrays[0], arrays[1].flatten()
    if any(text.null_count for text in texts):
        raise ValueError("A name is null; leave out events that have none.")
    for text in texts:
        _check_sizes(text)
    if most is not None:
        # Most rows are short enough even with their repeats.
        are_long = pc.greater(pc.list_value_length(arrays[1]), most)
        for row in pc.indices_nonzero(are_long).to_pylist():
            _check_listed(arrays[0][row].as_py(), arrays[1][row].as_py(), most)
    return arrays[0], arrays[1]


def find_loop(name: str, previous: Callable[[str], list[str]]) -> list[str]:
    """A loop among an event and all events before it. There must be one."""
    graph: dict[str, list[str]] = {}
    waiting = [name]
    while waiting:
        event = waiting.pop()
        if event not in graph:
            graph[event] = [one for one in previous(event) if one != event]
            waiting += graph[event]
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        loop: list[str] = error.args[1]
        return loop[1:]
    raise AssertionError(f"Event {name} was refused for a loop, but is in none.")


def _check_listed(name: str, listed: Sequence[str], most: int | None) -> None:
    if most is not None and (count := len({*listed} - {name})) > most:
        raise TooManyError(name, count, most)


def _check_sizes(names: pa.Array) -> None:
    if (pc.max(pc.binary_length(names)).as_py() or 0) >= LIMIT:
        raise ValueError(f"A name has {LIMIT:,} bytes or more; give a shorter one.")
