"""The compiled ScuttleSort, with the methods of ``order.Order``: names go in, commands come out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count, islice
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from scuttlehouse.timeline.blocks import BLOCK, EVENT, NONE, Blocks, Ints32, Names, block_capacity
from scuttlehouse.timeline.c_calls import MORE, MOVED, NO_ROOM, WAS_KNOWN, Caller
from scuttlehouse.timeline.commands import Command, Ins, Mov
from scuttlehouse.timeline.core import deliver, index_of, restore
from scuttlehouse.timeline.graph import (
    ARRIVED,
    FOLLOWED,
    LINK,
    LINKS,
    NAMES,
    WAITING,
    State,
    is_after,
)
from scuttlehouse.timeline.order import CommandColumns
from scuttlehouse.timeline.refusals import LIMIT


class CompiledOrder:
    """The events known so far, in order. ``order.Order`` describes the methods.

    >>> order = CompiledOrder()
    >>> order.add("b", ["a"]), order.add("a", [])
    ([Ins(name='b', position=0)], [Ins(name='a', position=0)])
    >>> list(order), order.add("a", ["b"])
    (['a', 'b'], None)
    """

    def __init__(self) -> None:
        self._listed: dict[str, int] = {}
        none = np.zeros(0, np.int32)
        names = Names(np.zeros(1, EVENT), np.zeros(0, np.uint8))
        blocks = Blocks(
            np.zeros((0, BLOCK), np.int32), none, none, none, np.array([1, 0], np.int32)
        )
        links = np.zeros(0, LINK)
        self._state = State(
            names, links, none, blocks, np.zeros(0, WAITING), none, np.zeros(7, np.int64)
        )
        self._caller = Caller(self._state)

    def __len__(self) -> int:
        return int(self._state.blocks.used[1])

    def __iter__(self) -> Iterator[str]:
        return iter(self._names_of(self._in_order()).to_pylist())

    @property
    def _codes(self) -> dict[str, int]:
        """The event of every name. The first batch does not need it, so it is filled only when used."""
        if not self._listed:
            events = np.arange(self._state.counts[NAMES], dtype=np.int32)
            self._listed = dict(zip(self._names_of(events).to_pylist(), count()))
        return self._listed

    def __contains__(self, name: str) -> bool:
        return name in self._codes and self._event(name)["rank"] != NONE

    @property
    def links_followed(self) -> int:
        return int(self._state.counts[FOLLOWED])

    def index(self, name: str) -> int:
        return int(index_of(self._state, self._codes[name]))

    def rank(self, name: str) -> int:
        return int(self._event(name)["rank"])

    def previous(self, name: str) -> list[str]:
        if name not in self._codes:
            return []
        state = self._state
        first, count = self._event(name)[["first_previous", "previous_count"]]
        starts = state.names.events["text_start"]
        return [
            state.names.text[starts[event] : starts[event + 1]].tobytes().decode()
            for event in state.links["previous"][first : first + count]
        ]

    def tips(self) -> list[str]:
        events = self._in_order()
        is_tip = self._state.names.events["first_follower"][events] == NONE
        names: list[str] = self._names_of(events[is_tip]).to_pylist()
        return names

    def is_after(self, name: str, earlier: str) -> bool:
        return bool(is_after(self._state, self._codes[name], self._codes[earlier]))

    def add(self, name: str, previous: Sequence[str]) -> list[Command] | None:
        codes = self._codes
        known = len(codes)
        numbers = [codes.setdefault(one, len(codes)) for one in (name, *previous)]
        new = len(codes) - known
        if new == 1 and numbers[0] == known:  # most events are new, and list known ones
            text = name.encode()
            numbers.append(len(text))
        else:
            texts = [one.encode() for one in islice(reversed(codes), new)][::-1]
            numbers += map(len, texts)
            text = b"".join(texts)
        given = text, len(text), new, len(previous), numbers
        while (result := self._caller.add_event(self._caller.address, *given)) == NO_ROOM:
            self._make_room(new, len(previous), len(text))
        if result >= 0:
            return [Ins(name, result)]
        if result in (MOVED, MORE):
            (_, _, index), *moves = self._caller.moves(result, numbers[0])
            return [Ins(name, index), *(Mov(start, to) for _, start, to in moves)]
        if result == WAS_KNOWN:
            return []
        for _ in range(new):
            codes.popitem()
        return None

    def extend(self, names: pa.Array, after: pa.Array) -> tuple[CommandColumns, int]:
        commands, refused = deliver(*self._rows(names, after))
        return CommandColumns(*commands.T), refused

    def restore(self, names: pa.Array, after: pa.Array) -> int:
        return int(restore(*self._rows(names, after)))

    def events(self) -> tuple[pa.Array, pa.Array]:
        state = self._state
        arrived = state.arrived[: state.counts[ARRIVED]]
        offsets = np.zeros(len(arrived) + 1, np.int64)
        np.cumsum(state.names.events["previous_count"][arrived], out=offsets[1:])
        previous = self._names_of(state.links["previous"][: offsets[-1]])
        return self._names_of(arrived), pa.LargeListArray.from_arrays(offsets, previous)

    def mend(self) -> bool:
        counts = self._state.counts
        while len(self._listed) > counts[NAMES]:  # names that have not reached the state
            self._listed.popitem()
        return len(self) == counts[ARRIVED] and not self._caller.is_halfway

    def _event(self, name: str) -> Any:
        return self._state.names.events[self._codes[name]]

    def _in_order(self) -> Ints32:
        blocks = self._state.blocks
        count = blocks.used[0]
        is_used = np.arange(BLOCK) < blocks.sizes[:count, np.newaxis]
        return blocks.events[blocks.sequence[:count]][is_used]

    def _names_of(self, events: Ints32) -> pa.Array:
        """The names of events, all in one text."""
        names = self._state.names
        count = self._state.counts[NAMES]
        starts = names.events["text_start"][: count + 1].copy()
        text = names.text[: starts[-1]]
        buffers = (pa.py_buffer(starts), pa.py_buffer(text))
        return pa.LargeStringArray.from_buffers(count, *buffers).take(pa.array(events))

    def _rows(
        self, names: pa.Array, after: pa.Array
    ) -> tuple[State, NDArray[np.uint8], Ints32, Ints32, Ints32, Ints32]:
        """The columns as events, and room for them, for ``deliver`` and ``restore``."""
        offsets = np.zeros(len(names) + 1, np.int64)
        np.cumsum(pc.fill_null(pc.list_value_length(after), 0), out=offsets[1:])
        mentioned = pa.concat_arrays([names, pc.list_flatten(after)]).dictionary_encode()
        events, new = self._events_of(mentioned.dictionary)
        _, starts, text = new.buffers()
        sizes = np.diff(np.frombuffer(starts, np.int64)[: len(new) + 1]).astype(np.int32)
        self._make_room(len(new), int(offsets[-1]), int(sizes.sum()))
        rows = events[np.asarray(mentioned.indices)]
        return (
            self._state,
            np.frombuffer(text, np.uint8),
            sizes,
            rows[: len(names)],
            offsets.astype(np.int32),
            rows[len(names) :],
        )

    def _events_of(self, distinct: pa.Array) -> tuple[Ints32, pa.Array]:
        """The events of distinct names, and the events of new names, in order."""
        known = int(self._state.counts[NAMES])
        if known == 0:
            return np.arange(len(distinct), dtype=np.int32), distinct
        codes, names = self._codes, distinct.to_pylist()
        codes.update(zip([name for name in names if name not in codes], count(known)))
        events = np.fromiter(map(codes.__getitem__, names), np.int32, len(names))
        return events, distinct.filter(pa.array(events >= known))

    def _make_room(self, names: int, links: int, text: int) -> None:
        """Make room for this many more in the arrays. An array that grows doubles, up to ``LIMIT``."""
        state = self._state
        all_names, all_links = int(state.counts[NAMES]) + names, int(state.counts[LINKS]) + links
        all_text = int(state.names.events["text_start"][state.counts[NAMES]]) + text
        if max(all_names, all_links) >= LIMIT:
            raise ValueError(f"A timeline has less than {LIMIT:,} names and links; begin another.")
        capacity = len(state.names.events) - 1
        if all_names > capacity:
            state = _with_names(state, _doubled(capacity, all_names) + 1)
        capacity = len(state.links)
        if all_links > capacity:
            state = state._replace(links=_grown(state.links, _doubled(capacity, all_links)))
        capacity = len(state.names.text)
        if all_text > capacity:
            grown = _grown(state.names.text, max(all_text, 2 * capacity))
            state = state._replace(names=state.names._replace(text=grown))
        if state is not self._state:
            self._state, self._caller = state, Caller(state)


def _doubled(capacity: int, needed: int) -> int:
    return max(needed, min(2 * capacity, LIMIT - 1))


def _with_names(state: State, size: int) -> State:
    """The same state, with room for ``size - 1`` names."""
    names, blocks = state.names, state.blocks
    block_count = block_capacity(size)
    sequence = np.arange(block_count, dtype=np.int32)
    sequence[: len(blocks.sequence)] = blocks.sequence
    return state._replace(
        names=names._replace(events=_grown(names.events, size)),
        arrived=_grown(state.arrived, size),
        blocks=Blocks(
            _grown(blocks.events, block_count),
            _grown(blocks.sizes, block_count),
            sequence,
            _grown(blocks.places, block_count),
            blocks.used,
        ),
        heap=_grown(state.heap, size),
        raised=_grown(state.raised, size),
    )


def _grown(array: NDArray[Any], size: int) -> NDArray[Any]:
    grown = np.zeros((size, *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
