"""Which exclusions lead up to which epochs, and what else messages knew of (4.9, rulings R24 and R24b)."""

from __future__ import annotations

import heapq
import random
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.authority import GroupMessage, Judged
from scuttlehouse.groups.choices import KnownChoices
from scuttlehouse.groups.epochs import KeyRanks
from scuttlehouse.tangles.causality import bits_of, sweep_named


class Knowledge(NamedTuple):
    """What the messages of a group knew of.

    ``excluded_before``: the people whom an exclusion that leads up to the epoch excludes, for each epoch that
    counts (R24); only people who were ever added. ``following``: the epoch that each exclusion that counts
    leads to, the first if there are several, None if there is none. ``readded``: the people whom an addition
    adds although it knows of their exclusion. ``late``: posts in an epoch by somebody who, by the additions
    that they knew of, should have preferred another one (4.8.1).
    ``before_init``: exclusions that the first message of their author's next epoch knows of (4.1).
    ``stale``: inits that follow an epoch although they know of another one that succeeds it (4.10.2).
    """

    excluded_before: dict[str, frozenset[str]]
    following: dict[str, str | None]
    readded: dict[str, list[str]]
    late: set[str]
    before_init: set[str]
    stale: set[str]


def knowledge(
    messages: Sequence[GroupMessage], judged: Judged, key_ranks: KeyRanks | None = None
) -> Knowledge:
    """What the messages of one group knew of. Acts that do not count are ignored (``judged``).

    ``key_ranks`` are the places of the epochs' keys (4.3). Without them, ids decide between forks.

    An exclusion leads up to an epoch, and to all that succeed it, in two cases: it comes before the epoch's
    first message in the group tangle, or ``_own_epochs`` pairs it with the epoch. By the letter of 4.9 an
    exclusion is forever: adding the person again does not undo it.

    Complexity: O(messages + links) operations on integers with a bit for each epoch, exclusion,
    addition and person excluded; plus the people in ``excluded_before``.

    >>> from scuttlehouse.groups.authority import judge
    >>> def message(name, kind, epoch, people, *previous):
    ...     before = [one for one in previous if one in "xy"] if kind == "init" else []
    ...     return GroupMessage(
    ...         name, "ann", kind, epoch, people, previous, previous, before, True, False, None, 0
    ...     )
    >>> messages = [
    ...     message("x", "init", None, []), message("1", "add", "x", ["ann", "bob"], "x"),
    ...     message("2", "exclude", "x", ["bob"], "1"), message("y", "init", None, [], "x", "2"),
    ... ]
    >>> found = knowledge(messages, judge(messages))
    >>> found.excluded_before, found.following, found.before_init
    ({'x': frozenset(), 'y': frozenset({'bob'})}, {'2': 'y'}, {'2'})
    """
    acts = [one for one in messages if one.message_id in judged.counting]
    inits = [one for one in acts if one.kind == "init"]
    exclusions = [one for one in acts if one.kind == "exclude"]
    ancestry = Ancestry(judged.previous_epochs)
    own = _own_epochs(messages, judged)
    following: dict[str, str | None] = {
        one.message_id: own.get(one.message_id) for one in exclusions
    }

    order = {epoch: place for place, epoch in enumerate(ancestry.in_order())}
    additions = sorted(
        (one for one in acts if one.kind == "add"),
        key=lambda one: order[one.epoch_id or ""],
    )
    added = {person for one in additions for person in one.person_ids}
    # A person whom nobody adds is in no epoch.
    people = sorted({person for one in exclusions for person in one.person_ids} & added)

    # The bits of a message: first epochs; then exclusions, and the people whom they exclude; then additions,
    # which say what epochs an author knows as their own.
    first_exclusion = len(inits)
    first_person = first_exclusion + len(exclusions)
    first_addition = first_person + len(people)
    person_bits = {person: 1 << place for place, person in enumerate(people, first_person)}
    exclusion_bits = {
        one.message_id: 1 << place for place, one in enumerate(exclusions, first_exclusion)
    }
    bits = {one.message_id: ancestry.mask_of([one.message_id]) for one in inits}
    struck = {
        one.message_id: _mask(person_bits, [person for person in one.person_ids if person in added])
        for one in exclusions
    }
    for name, bit in exclusion_bits.items():
        bits[name] = bit | struck[name]
    for place, one in enumerate(additions, first_addition):
        bits[one.message_id] = 1 << place

    choices = KnownChoices(additions, ancestry, key_ranks or {})
    by_id = {one.message_id: one for one in messages}
    after = ancestry.masks_after()
    known_at: dict[str, int] = {}
    readded: dict[str, list[str]] = {}
    late: set[str] = set()
    stale: set[str] = set()

    def visit(name: str, before: int) -> int:
        message = by_id[name]
        if message.kind == "add" and message.message_id in judged.counting:
            again = [one for one in message.person_ids if before & person_bits.get(one, 0)]
            if again:
                readded[message.message_id] = again
        elif message.kind == "other" and (epoch := message.epoch_id or "") in ancestry:
            if choices.preferred(message.author_id, before >> first_addition) not in (None, epoch):
                late.add(message.message_id)
        elif message.message_id in ancestry:
            known_at[message.message_id] = before
            if any(before & after.get(epoch, 0) for epoch in message.previous_epoch_ids):
                stale.add(message.message_id)
        return bits.get(message.message_id, 0)

    timeline = {
        one.message_id: one.timeline_previous_ids
        for one in messages
        if one.timeline_previous_ids is not None
    }
    sweep_named(timeline, visit)

    everybody = (1 << len(people)) - 1
    unmet = _mask(exclusion_bits, [one for one, epoch in following.items() if epoch is None])
    for init in sorted(inits, key=lambda one: (one.position, one.message_id)):
        found = known_at.get(init.message_id, 0) & unmet
        unmet ^= found
        for place in bits_of(found >> first_exclusion):
            following[exclusions[place].message_id] = init.message_id

    return Knowledge(
        {
            epoch: frozenset(people[place] for place in bits_of(mask >> first_person & everybody))
            for epoch, mask in _leading(ancestry, own, struck, known_at).items()
        },
        following,
        readded,
        late,
        {
            exclusion
            for exclusion, epoch in own.items()
            if known_at.get(epoch, 0) & exclusion_bits[exclusion]
        },
        stale,
    )


def _leading(
    ancestry: Ancestry,
    own: Mapping[str, str],
    struck: Mapping[str, int],
    known_at: Mapping[str, int],
) -> dict[str, int]:
    """The people excluded up to each epoch, as bits: for the epoch or for one that precedes it.

    Where the log lacks a message, the first message of an epoch may be outside the group tangle, but the
    epoch still succeeds others (4.9).
    """
    led = {epoch: known_at.get(epoch, 0) for epoch in ancestry.in_order()}
    for exclusion, epoch in own.items():
        led[epoch] |= struck[exclusion]
    return ancestry.masks_under(led)


def _own_epochs(messages: Sequence[GroupMessage], judged: Judged) -> dict[str, str]:
    """The epoch of the same author that each exclusion leads to (R24b). An author may have none.

    An author's acts on an epoch G are their exclusions in G and the epochs that they created after it. They
    form one sequence. An act comes after all acts that its message knows of. If several may come next, the
    one with the least (asserted time, id) comes first; one without a time comes last. An exclusion leads to
    the next epoch of the sequence, or to the last epoch if none comes after it.

    Complexity: as ``authority.judge``, with a bit for each act on an epoch after which its author created
    several.
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
    lists: Sequence[Sequence[GroupMessage]], messages: Iterable[GroupMessage]
) -> Iterator[list[GroupMessage]]:
    """Each list of acts as a sequence: in causal order. If several may come next, time and id decide."""
    names = list(dict.fromkeys(act.message_id for acts in lists for act in acts))
    # An act waits for one of those that it knows of at a time. In a random order these are about log(n),
    # whatever a stranger writes.
    random.shuffle(names)
    bits = {name: 1 << number for number, name in enumerate(names)}
    known_at: dict[str, int] = {}

    def visit(name: str, before: int) -> int:
        if name in bits:
            known_at[name] = before
        return bits.get(name, 0)

    if lists:
        sweep_named({message.message_id: message.previous_ids for message in messages}, visit)
    for acts in lists:
        yield _in_sequence(acts, bits, known_at)


def _in_sequence(
    acts: Sequence[GroupMessage], bits: Mapping[str, int], known_at: Mapping[str, int]
) -> list[GroupMessage]:
    """Acts in the order of :func:`_sequences`, by the bits of the acts that each knows of."""
    by_name = {act.message_id: act for act in acts}
    by_bit = {bits[name]: name for name in by_name}
    among = sum(by_bit)
    waiting: dict[str, list[str]] = defaultdict(list)
    free: list[tuple[bool, int, str]] = []
    placed: list[GroupMessage] = []
    done = 0

    def settle(name: str) -> None:
        left = known_at.get(name, 0) & among & ~done
        if left:
            waiting[by_bit[1 << left.bit_length() - 1]].append(name)
        else:
            time = by_name[name].asserted_ms
            heapq.heappush(free, (time is None, time or 0, name))

    for name in by_name:
        settle(name)
    while free:
        *_, name = heapq.heappop(free)
        placed.append(by_name[name])
        done |= bits[name]
        for follower in waiting.pop(name, ()):
            settle(follower)
    return placed


def _mask(bits: Mapping[str, int], names: Sequence[str]) -> int:
    mask = 0
    for name in names:
        mask |= bits[name]
    return mask
