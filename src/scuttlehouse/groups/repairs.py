"""What to publish so that a group is connected again (group exclusion specification, 4.6 and 4.9).

First the missing members: everybody who should be in an epoch and is not (4.9). They count as added in
all that follows, because the creator of an epoch must have added them before. Then the forks: of the
newest epochs that 4.5 and 4.4 leave, those that share witnesses are merged, as 4.8 would, pair by pair:
the one with the least key is the base, and takes in one rival after the other, by key, as long as
somebody witnesses all of it. After ``MOST_STRANGERS`` rivals that share people with it and of whom
nobody is a witness, a base looks no further: all pairs of epochs are as many as their number squared.
One epoch after the base, of those witnesses, is within every epoch that it was made for, so that 4.5
decides all these forks.

**What this reaches.** Where all of it is published, there is nothing more to do, and no two epochs that
4.5 and 4.4 leave have a correct member in common: each connected set of people has one epoch to
prefer. For let N be the new epoch after the base B, where what an epoch's first message knows of
includes the first messages of the epochs before it.

- N is within B and within every rival that B took in, so of these only N is left. Of any other epoch
  that was left N holds no witness: B asked it, and nobody remained. So no fork asks for an epoch.
- A correct member of two epochs was not excluded up to either, so not up to their nearest common
  predecessors, and was added there too: a witness of the fork, and of those there are none.
- Nobody is missing in N: who should be in it should be in B and is not excluded for N, and all of
  B's correct members but those excluded are in N. Nor is anybody missing elsewhere: additions
  change neither who was ever declared nor who is excluded, and no other epoch succeeds B, where the
  exclusions for N stand.

This mends the group. People whom a fork left behind keep the last epochs that they are in, and among
these the one that R21 says.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, Members, contenders, fork_witnesses

Action = Literal["add", "create_epoch", "exclude"]

MOST_STRANGERS = 50
"""How many rivals that nobody witnesses a base looks at."""


class Repair(NamedTuple):
    """A thing to publish.

    ``add``: add the person to the epoch. ``create_epoch``: create an epoch that directly succeeds this
    one, with its members less those to exclude; no person. ``exclude``: leave the person out there.
    """

    epoch_id: str
    action: Action
    person_id: str | None
    because: str


def repairs(
    tips: Collection[str],
    members: Members,
    correct: Members,
    ancestry: Ancestry,
    key_ranks: KeyRanks,
) -> list[Repair]:
    """All that should be published to repair a group; nothing where nothing is to be done.

    An epoch without members that nobody is to be added to is left out: nobody can prefer it.

    Args:
        tips: the epochs that no other succeeds.
        members: the declared members of every epoch of the group.
        correct: who should be a member of each of these epochs (R24).
        ancestry: the precedence of the epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(n * members) operations on integers with a bit for each epoch, for n tips.

    >>> members = {"x": frozenset("abcd"), "l": frozenset("abd"), "r": frozenset("abc")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> for repair in repairs("lr", members, members, ancestry, {"l": 0, "r": 1}):
    ...     print(*repair)
    l create_epoch None overlaps with r (4.6)
    l exclude d no witness of the fork with r (4.6)
    """
    missing = {epoch: correct[epoch] - members[epoch] for epoch in sorted(members)}
    found = [
        Repair(epoch, "add", person, "declared in the group, not excluded up to this epoch (4.9)")
        for epoch, people in missing.items()
        for person in sorted(people)
    ]
    completed = {epoch: people | missing[epoch] for epoch, people in members.items()}
    for base, rivals, remaining in merges(tips, completed, ancestry, key_ranks):
        others = " ".join(rivals)
        found.append(Repair(base, "create_epoch", None, f"overlaps with {others} (4.6)"))
        found.extend(
            Repair(base, "exclude", person, f"no witness of the fork with {others} (4.6)")
            for person in sorted(completed[base] - remaining)
        )
    return found


def merges(
    tips: Collection[str], members: Members, ancestry: Ancestry, key_ranks: KeyRanks
) -> Iterator[tuple[str, list[str], frozenset[str]]]:
    """The bases to create an epoch after, each with the rivals it takes in and who remains.

    >>> members = {"x": frozenset("abc"), "l": frozenset("ab"), "r": frozenset("ac")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> list(merges("lr", members, ancestry, {"l": 1, "r": 0}))
    [('r', ['l'], frozenset({'a'}))]
    """
    left = contenders([tip for tip in tips if members[tip]], members, key_ranks)
    places_of: dict[str, list[int]] = defaultdict(list)
    for place, epoch in enumerate(left):
        for person in members[epoch]:
            places_of[person].append(place)
    merged: set[int] = set()
    for place, base in enumerate(left):
        if place in merged:
            continue
        remaining, taken, strangers = members[base], [], 0
        at = _next_of(remaining, places_of, place)
        while at is not None and strangers < MOST_STRANGERS:
            if witnesses := remaining & fork_witnesses(base, left[at], members, ancestry):
                remaining = witnesses
                taken.append(left[at])
                merged.add(at)
                # No later base looks at it.
                for person in members[left[at]]:
                    own = places_of[person]
                    del own[bisect_left(own, at)]
            else:
                strangers += 1
            at = _next_of(remaining, places_of, at)
        if taken:
            yield base, taken, remaining


def _next_of(
    people: Collection[str], places_of: Mapping[str, Sequence[int]], place: int
) -> int | None:
    """The next place of an epoch that has one of these people; None if there is none."""
    following: list[int] = []
    for person in people:
        places = places_of[person]
        at = bisect_right(places, place)
        following += places[at : at + 1]
    return min(following, default=None)
