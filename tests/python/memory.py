"""How much memory some work needs."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from typing import TypeVar

Result = TypeVar("Result")


def peak_memory(work: Callable[[], Result]) -> tuple[Result, int]:
    """What some work returns, and the most bytes that Python held for it at one time."""
    tracemalloc.start()
    try:
        result = work()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    return result, peak
