"""Which epochs precede which (group exclusion specification, section 3; ruling R18).

A chain of epochs has as many pairs as the square of its length. So an :class:`Ancestry` holds one integer
for each epoch, with a bit for each epoch before it; :func:`nearest_predecessors` lists only the nearest ones.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property
from typing import TypeAlias

import numpy as np
from numba import njit
from numpy.typing import NDArray

from scuttlehouse.tangles.causality import mask_of, sweep_named
from scuttlehouse.tangles.graphs import Ints

Previous = Mapping[str, Collection[str]]
Bytes: TypeAlias = NDArray[np.uint8]

MOST_PREDECESSORS = 100
"""An epoch has rows for at most this many predecessors in ``fct_epoch_precedence``."""


class Ancestry:
    """The precedence of the epochs of one group.

    ``previous`` maps every epoch to the epochs that it directly succeeds. An id that it lists but that is
    not one of its keys is not an epoch of the group and is ignored. An epoch never precedes itself. Epochs
    in a loop are left out, because loops cannot be in the graph of a tangle (R7).

    Complexity: O(epochs + links) operations on integers with a bit for each epoch. Memory: epochs² / 8 bytes
    at most, half of it for a chain. Which pairs the rules ask about depends on earlier answers, and nobody
    knows a smaller index of any graph that answers without a walk through it.

    >>> ancestry = Ancestry({"x": [], "y": ["x"], "z": ["y"], "w": ["x"]})
    >>> ancestry.unsucceeded("xyz")
    ['z']
    """

    def __init__(self, previous: Previous) -> None:
        self._epochs: list[str] = []
        self._places: dict[str, int] = {}
        self._before: dict[str, int] = {}
        self._previous = previous

        def visit(epoch: str, before: int) -> int:
            # Bits are in topological order: the highest bit of a set precedes no other bit of it. Places are
            # kept, and not bits: these are integers as long as there are epochs before.
            self._places[epoch] = len(self._epochs)
            self._epochs.append(epoch)
            self._before[epoch] = before
            return 1 << self._places[epoch]

        others = {epoch: [one for one in previous[epoch] if one != epoch] for epoch in previous}
        sweep_named(others, visit)

    def __contains__(self, epoch: str) -> bool:
        return epoch in self._places

    def mask_of(self, epochs: Iterable[str]) -> int:
        """The epochs as bits."""
        return mask_of(self._places[epoch] for epoch in epochs)

    def mask_up_to(self, epoch: str) -> int:
        """The epochs that precede this one, and it, as bits."""
        return self._before[epoch] | 1 << self._places[epoch]

    def masks_after(self) -> dict[str, int]:
        """The epochs that succeed each epoch, as bits.

        Complexity: O(epochs + links) operations on integers with a bit for each epoch.

        >>> ancestry = Ancestry({"x": [], "y": ["x"], "z": ["y"]})
        >>> {epoch: bin(mask) for epoch, mask in ancestry.masks_after().items()}
        {'x': '0b110', 'y': '0b100', 'z': '0b0'}
        """
        after = dict.fromkeys(self._epochs, 0)
        for epoch in reversed(self._epochs):
            succeeding = after[epoch] | 1 << self._places[epoch]
            for one in self._previous[epoch]:
                if one in after and one != epoch:
                    after[one] = _joined(after[one], succeeding)
        return after

    def masks_under(self, mask_of: Callable[[str], int]) -> dict[str, int]:
        """For each epoch the bits of it and of all that precede it.

        Complexity: O(epochs + links) operations on integers as wide as those of ``mask_of``.

        >>> Ancestry({"x": [], "y": ["x"], "z": ["y"]}).masks_under({"x": 1, "y": 0, "z": 4}.__getitem__)
        {'x': 1, 'y': 1, 'z': 5}
        """
        under: dict[str, int] = {}
        for epoch in self._epochs:
            mask = mask_of(epoch)
            for one in self._previous[epoch]:
                mask = _joined(mask, under.get(one, 0))
            under[epoch] = mask
        return under

    def in_order(self) -> list[str]:
        """The epochs. Each comes after all epochs that precede it."""
        return list(self._epochs)

    def unsucceeded(self, epochs: Collection[str]) -> list[str]:
        """The epochs that no other of them succeeds (4.2), sorted."""
        succeeded = 0
        for epoch in epochs:
            succeeded = _joined(succeeded, self._before[epoch])
        data = succeeded.to_bytes(len(self._epochs) // 8 + 1, "little")
        places = {epoch: self._places[epoch] for epoch in epochs}
        return sorted(one for one, at in places.items() if not data[at >> 3] >> (at & 7) & 1)

    def nearest_common(self, left: str, right: str) -> int:
        """The common predecessors that no other common predecessor succeeds (section 3), as bits.

        Here an epoch counts as a predecessor of itself. A criss-cross has several (R19). There is none only
        if the two epochs are of different groups.

        Complexity: two operations on integers with a bit for each epoch. In a criss-cross also
        O(common predecessors + their links), in machine code: a stranger may make thousands of forks with
        thousands of nearest common predecessors each.

        >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"], "y": "lr", "z": "lr"})
        >>> ancestry.nearest_common("y", "z") == ancestry.mask_of("lr")
        True
        """
        common = self.mask_up_to(left) & self.mask_up_to(right)
        if not common:
            return 0
        last = self._epochs[common.bit_length() - 1]
        only = 1 << self._places[last]
        others = common & ~(self._before[last] | only)
        if not others:
            return only
        # What precedes the last one is not among the others, so only they can succeed each other.
        unsucceeded = _unlisted(_as_bytes(others), *self._links).tobytes()
        return only | int.from_bytes(unsucceeded, "little")

    def least_of(self, mask: int) -> str | None:
        """The epoch with the least id, of epochs as bits. None if there are no bits.

        Complexity: O(epochs).

        >>> ancestry = Ancestry({"y": [], "x": ["y"]})
        >>> ancestry.least_of(0b11), ancestry.least_of(0)
        ('x', None)
        """
        if not mask & (mask - 1):
            return self._epochs[mask.bit_length() - 1] if mask else None
        places = np.flatnonzero(np.unpackbits(_as_bytes(mask), bitorder="little"))
        least = places[self._turns[places].argmin()]
        return self._epochs[int(least)]

    @cached_property
    def _links(self) -> tuple[Ints, Ints]:
        """The places of the epochs that each epoch directly succeeds, as compressed rows."""
        offsets, listed = [0], list[int]()
        for epoch in self._epochs:
            known = [one for one in self._previous[epoch] if one in self._places and one != epoch]
            listed += [self._places[one] for one in known]
            offsets.append(len(listed))
        return np.array(offsets, dtype=np.int64), np.array(listed, dtype=np.int64)

    @cached_property
    def _turns(self) -> Ints:
        """The turn of each epoch in the order of ids."""
        turns = np.empty(len(self._epochs), dtype=np.int64)
        turns[sorted(range(len(turns)), key=self._epochs.__getitem__)] = np.arange(len(turns))
        return turns


def _joined(mask: int, other: int) -> int:
    """The bits of both. Python copies a long integer even if the other one is 0 or the same."""
    if not mask or mask is other:
        return other
    return mask | other if other else mask


def _as_bytes(mask: int) -> Bytes:
    return np.frombuffer(mask.to_bytes((mask.bit_length() + 7) // 8, "little"), dtype=np.uint8)


@njit(cache=True)
def _unlisted(nodes: Bytes, offsets: Ints, listed: Ints) -> Bytes:
    """The nodes that none of them lists, all as bits. What a node lists comes before it."""
    left = nodes.copy()
    for node in range(8 * nodes.size):
        if nodes[node >> 3] >> (node & 7) & 1:
            for place in range(offsets[node], offsets[node + 1]):
                one = listed[place]
                left[one >> 3] &= ~(1 << (one & 7))
    return left


def nearest_predecessors(
    previous: Previous, most: int = MOST_PREDECESSORS
) -> dict[str, dict[str, int]]:
    """The nearest predecessors of every epoch, the nearest first, with the number of steps to each.

    At the same distance, lesser ids come first. The list ends at ``most`` predecessors, because a long chain
    of epochs has as many pairs as the square of its length. ``previous`` is as in :class:`Ancestry`.

    Complexity: O(links * log(links) + epochs * most * most).

    >>> nearest_predecessors({"x": [], "y": ["x"], "z": ["x", "y"]})
    {'x': {}, 'y': {'x': 1}, 'z': {'x': 1, 'y': 1}}
    >>> nearest_predecessors({"x": [], "y": ["x"], "z": ["y"]}, most=1)["z"]
    {'y': 1}
    """
    # An epoch adds at most `most` to those that were found, and never itself. So it reads no more of a list.
    least = {
        epoch: sorted({*listed} & previous.keys())[: most + 1] for epoch, listed in previous.items()
    }
    found = {}
    for epoch in previous:
        distances: dict[str, int] = {}
        frontier, distance = [epoch], 0
        while frontier and len(distances) < most:
            distance += 1
            reached = {one for e in frontier for one in least[e] if one != epoch}
            frontier = sorted(reached - distances.keys())
            distances.update(dict.fromkeys(frontier[: most - len(distances)], distance))
        found[epoch] = distances
    return found
