"""What each message of a graph knows of, as bits that pass from a message to all messages after it.

The question "does this message know of that one" has as many answers as there are pairs of messages. A
sweep answers it one message at a time and stores no pairs: each message passes on one integer, with the
bits of everything that it knows of and its own.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import reduce
from operator import or_

import numpy as np


def sweep(previous: Sequence[Sequence[int]], visit: Callable[[int, int], int]) -> None:
    """Visit every node after the nodes that it lists, with the bits of all nodes before it.

    Args:
        previous: the nodes that each node lists. Nodes are the integers from 0.
        visit: a function of a node and the bits of all nodes before it. It returns the node's own bits.

    A node in a loop, or behind one, is not visited (ruling R7). Bits are dropped when no later node needs
    them, and a node is visited as soon as all that it lists are: chains hold one integer, also side by side.
    Nodes that add no bits share it.

    Complexity: O(nodes + links) operations on integers of as many bits as there are.

    >>> sweep([[], [0], [0], [1, 2]], lambda node, before: print(node, bin(before)) or 1 << node)
    0 0b0
    2 0b1
    1 0b1
    3 0b111
    """
    followers: list[list[int]] = [[] for _ in previous]
    unmet = [len(listed) for listed in previous]
    for node, listed in enumerate(previous):
        for one in listed:
            followers[one].append(node)
    uses = [len(listing) for listing in followers]
    known: dict[int, int] = {}
    # The last that became free comes first.
    free = [node for node, count in enumerate(unmet) if not count]
    while free:
        node = free.pop()
        before = 0
        for one in previous[node]:
            mask = known[one]
            # Python copies a long integer even if the other one is 0 or the same.
            if not before or mask is before:
                before = mask
            elif mask:
                before |= mask
            uses[one] -= 1
            if not uses[one]:
                del known[one]
        own = visit(node, before)
        if followers[node]:
            known[node] = before | own if own else before
        for follower in followers[node]:
            unmet[follower] -= 1
            if not unmet[follower]:
                free.append(follower)


def sweep_named(previous: Mapping[str, Iterable[str]], visit: Callable[[str, int], int]) -> None:
    """The same for nodes with names. A name that is listed and is no node is ignored.

    >>> sweep_named({"a": ["lost"], "b": ["a"]}, lambda name, before: print(name, before) or 1)
    a 0
    b 1
    """
    names = list(previous)
    places = {name: place for place, name in enumerate(names)}
    listed = [[places[one] for one in previous[name] if one in places] for name in names]
    sweep(listed, lambda node, before: visit(names[node], before))


def bits_of(mask: int) -> Iterator[int]:
    """The places of the bits that are set, the lowest first.

    >>> list(bits_of(0b10110))
    [1, 2, 4]
    """
    # Byte by byte, because clearing the lowest bit of a long integer copies all of it. Zero bytes, which are
    # most of a long integer with few bits, are skipped in machine code.
    data = mask.to_bytes((mask.bit_length() + 7) // 8, "little")
    is_long = len(data) > 64
    places = np.flatnonzero(np.frombuffer(data, np.uint8)).tolist() if is_long else range(len(data))
    for at in places:
        byte = data[at]
        while byte:
            least = byte & -byte
            yield at * 8 + least.bit_length() - 1
            byte ^= least


def mask_of(places: Iterable[int]) -> int:
    """An integer with these bits. Setting one by one would copy all of it each time.

    Complexity: O(places + bits / 64).

    >>> bin(mask_of([4, 1, 2])), mask_of([])
    ('0b10110', 0)
    """
    listed = [*places]
    if len(listed) < 8:
        return reduce(or_, [1 << place for place in listed], 0)
    flags = np.zeros(max(listed) + 1, np.uint8)
    flags[listed] = 1
    return int.from_bytes(np.packbits(flags, bitorder="little").tobytes(), "little")
