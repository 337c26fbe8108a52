"""Which epoch of the same author each exclusion leads to (ruling R24b of 4.9)."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

from scuttlehouse.groups.authority import Judged
from scuttlehouse.groups.messages import GroupMessage, known_directly
from scuttlehouse.tangles.causality import mask_of, sweep_named


def own_epochs(messages: Sequence[GroupMessage], judged: Judged) -> dict[str, str]:
    """The epoch of the same author that each exclusion leads to. Without one, an exclusion is left out.

    An author's acts on an epoch G are their exclusions in G and the epochs that they created after it. They
    form one sequence. An act comes after all acts that its message knows of. If several may come next, the
    one with the least (asserted time, id) comes first; one without a time comes last. An exclusion leads to
    the next epoch of the sequence, or to the last epoch if none comes after it.

    Complexity: as ``authority.judge``, with a bit for each act on an epoch after which its author created
    several.

    >>> from scuttlehouse.groups.authority import judge
    >>> def message(name, kind, epoch, time, *previous):
    ...     before = ["x"] if name in "yz" else []
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, ["bob"], previous, previous, before, True, False, time, 0
    ...     )
    >>> messages = [
    ...     message("x", "init", None, 0), message("1", "exclude", "x", 1, "x"),
    ...     message("y", "init", None, 2, "x"), message("2", "exclude", "x", 3, "x"),
    ...     message("z", "init", None, 4, "x", "2"), message("3", "exclude", "x", 5, "z"),
    ... ]
    >>> sorted(own_epochs(messages, judge(messages)).items())
    [('1', 'y'), ('2', 'z'), ('3', 'z')]
    """
    found: dict[str, str] = {}
    with_choice: list[list[GroupMessage]] = []
    for acts in _acts_on_epochs(messages, judged):
        excluding = [act.message_id for act in acts if act.kind == "exclude"]
        created = [act.message_id for act in acts if act.kind == "init"]
        if len(created) == 1:
            found.update(dict.fromkeys(excluding, created[0]))
        elif excluding and created:
            with_choice.append(acts)
    for sequence in _sequences(with_choice, messages):
        *_, following = (act.message_id for act in sequence if act.kind == "init")
        for act in reversed(sequence):
            if act.kind == "init":
                following = act.message_id
            else:
                found[act.message_id] = following
    return found


def _acts_on_epochs(
    messages: Iterable[GroupMessage], judged: Judged
) -> Collection[list[GroupMessage]]:
    """A list for each author and each epoch that they act on: these acts."""
    acts: dict[tuple[str, str], list[GroupMessage]] = defaultdict(list)
    for message in messages:
        if message.message_id not in judged.counting:
            continue
        if message.kind == "exclude" and message.epoch_id:
            acts[message.author_id, message.epoch_id].append(message)
        elif message.kind == "init":
            for epoch in judged.previous_epochs[message.message_id]:
                acts[message.author_id, epoch].append(message)
    return acts.values()


def _sequences(
    lists: Sequence[Sequence[GroupMessage]], messages: Sequence[GroupMessage]
) -> Iterator[list[GroupMessage]]:
    """Each list of acts as a sequence: in causal order. If several may come next, time and id decide."""
    names = list(dict.fromkeys(act.message_id for acts in lists for act in acts))
    # An act waits for one of those that it knows of at a time. In a random order these are about log(n),
    # whatever a stranger writes.
    random.shuffle(names)
    numbers = {name: number for number, name in enumerate(names)}
    known_at: dict[str, int] = {}

    def visit(name: str, before: int) -> int:
        if name not in numbers:
            return 0
        known_at[name] = before
        return 1 << numbers[name]

    if lists:
        sweep_named(known_directly(messages)[0], visit)
    for acts in lists:
        yield _in_sequence(acts, numbers, known_at)


def _in_sequence(
    acts: Sequence[GroupMessage], numbers: Mapping[str, int], known_at: Mapping[str, int]
) -> list[GroupMessage]:
    """Acts in the order of :func:`_sequences`, by the bits of the acts that each knows of."""
    by_name = {act.message_id: act for act in acts}
    left = mask_of(numbers[name] for name in by_name)
    waiting: dict[int, list[str]] = defaultdict(list)
    free: list[tuple[bool, int, str]] = []
    placed: list[GroupMessage] = []

    def settle(name: str) -> None:
        if unmet := known_at.get(name, 0) & left:
            waiting[unmet.bit_length() - 1].append(name)
        else:
            time = by_name[name].asserted_ms
            heapq.heappush(free, (time is None, time or 0, name))

    for name in by_name:
        settle(name)
    while free:
        *_, name = heapq.heappop(free)
        placed.append(by_name[name])
        left ^= 1 << numbers[name]
        for follower in waiting.pop(numbers[name], ()):
            settle(follower)
    return placed
