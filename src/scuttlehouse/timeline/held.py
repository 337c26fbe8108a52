"""The state of a timeline as one object, for calls that add one event.

Compiled code unpacks what it is called with. That takes four microseconds for the arrays of a state, more
than the work for most events, and less than one for this object.
"""

from __future__ import annotations

from numba import njit, types
from numba.experimental import structref

from scuttlehouse.timeline.graph import State


@structref.register
class HeldType(types.StructRef):
    """The type of ``Held`` in compiled code."""


class Held(structref.StructRefProxy):
    """Holds a ``State``. Only compiled code reads it."""

    state: State


structref.define_proxy(Held, HeldType, ["state"])  # type: ignore[no-untyped-call]


@njit(cache=True)
def hold(state: State) -> Held:
    """The state as one object, with the same arrays."""
    return Held(state)  # type: ignore[no-untyped-call]
