"""What to publish so that a group is connected again (group exclusion specification, 4.6 and 4.9).

First the missing members: everybody who should be in an epoch and is not (4.9). In all that follows they
count as added, because the creator of an epoch must have added them before. Then the forks. Of the newest
epochs that 4.5 and 4.4 leave, those that share witnesses are merged pair by pair, as in 4.8. The one with
the least key is the base. It takes in one rival after the other, in key order, as long as somebody is a
witness of all these forks. A base stops after ``MOST_STRANGERS`` rivals that share people with it and have
no witness, because the number of pairs of epochs is quadratic. One epoch after the base, with these witnesses
as members, is within every epoch that it was made for, so 4.5 decides all these forks.

**What this achieves.** After all repairs are published, nothing more needs to be done, and two epochs that
4.5 and 4.4 leave have no correct member in common: each connected set of people has one epoch to prefer.
The latter does not hold for epochs without a common predecessor, as in a group whose first epoch does not
count (R32): they have no witnesses, so 4.7 asks for nothing. Proof, where all epochs are complete
(:mod:`scuttlehouse.groups.exclusions`) and no base stopped early (a fork of one that did is found again after
these repairs): let N be the new epoch after the base B. The exclusions up to an epoch are also up to all that
succeed it.

- N is within B and within every rival that B took in, so only N is left of these. N has no witness of any
  other epoch that was left: B tried that epoch, and nobody remained. So no fork asks for an epoch.
- A correct member of two epochs was not excluded up to either, and so not up to their nearest common
  predecessors. The person was also added there, and so is a witness of the fork. But there are no witnesses.
- Nobody is missing in N: people who should be in N should also be in B and are not excluded for N, and N has
  all correct members of B except those excluded. Nobody is missing in other epochs: additions do not change
  who was ever declared or who is excluded, and only N succeeds B, where the exclusions for N are.

This repairs the group. People whom a fork left behind keep the last epochs that they are in, and prefer
the one that R21 says.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.groups.epochs import KeyRanks, Members, contenders
from scuttlehouse.groups.witnesses import Witnesses

Action = Literal["add", "create_epoch", "exclude"]

MOST_STRANGERS = 50
"""How many rivals without a witness a base looks at."""

MOST_NAMED = 10
"""How many rivals the reason of an exclusion names. A base may take in thousands, and exclude thousands."""


class Repair(NamedTuple):
    """A thing to publish.

    ``add``: add the person to the epoch. ``create_epoch``: create an epoch that directly succeeds this one,
    with its members except those to exclude; it has no person. ``exclude``: leave the person out there.
    ``rival_ids``: the other epochs of the forks that the new epoch heals. Empty for an addition.
    """

    epoch_id: str
    action: Action
    person_id: str | None
    because: str
    rival_ids: Sequence[str] = ()


def repairs(
    tips: Collection[str],
    members: Members,
    correct: Members,
    ancestry: Ancestry,
    key_ranks: KeyRanks,
) -> list[Repair]:
    """Everything to publish to repair a group. Nothing if there is nothing to do.

    An epoch without members is left out if nobody is to be added to it, because nobody can prefer it.

    Args:
        tips: the epochs that no other succeeds.
        members: the declared members of every epoch of the group.
        correct: who should be a member of each of these epochs (R24).
        ancestry: the precedence of the epochs.
        key_ranks: the places of the epochs' keys.

    Complexity: O(n * members) operations on integers with a bit for each epoch, for n tips; for each
    criss-cross that a base looks at also O(common predecessors + their links), in machine code.

    >>> members = {"x": frozenset("abcd"), "l": frozenset("abd"), "r": frozenset("abc")}
    >>> ancestry = Ancestry({"x": [], "l": ["x"], "r": ["x"]})
    >>> for repair in repairs("lr", members, members, ancestry, {"l": 0, "r": 1}):
    ...     print(*repair)
    l create_epoch None overlaps with r (4.6) ['r']
    l exclude d no witness of the fork with r (4.6) ['r']
    """
    missing = {epoch: correct[epoch] - members[epoch] for epoch in sorted(members)}
    found = [
        Repair(epoch, "add", person, "declared in the group, not excluded up to this epoch (4.9)")
        for epoch, people in missing.items()
        for person in sorted(people)
    ]
    completed = {epoch: people | missing[epoch] for epoch, people in members.items()}
    for base, rivals, remaining in merges(tips, completed, ancestry, key_ranks):
        reason = f"overlaps with {' '.join(rivals)} (4.6)"
        found.append(Repair(base, "create_epoch", None, reason, rivals))
        others = " ".join(rivals[:MOST_NAMED])
        if len(rivals) > MOST_NAMED:
            others += f" and {len(rivals) - MOST_NAMED} more"
        reason = f"no witness of the fork with {others} (4.6)"
        found.extend(
            Repair(base, "exclude", person, reason, rivals)
            for person in sorted(completed[base] - remaining)
        )
    return found


def merges(
    tips: Collection[str], members: Members, ancestry: Ancestry, key_ranks: KeyRanks
) -> Iterator[tuple[str, list[str], frozenset[str]]]:
    """The bases that get a new epoch, each with the rivals that it takes in and the witnesses who remain.

    Complexity: as :func:`repairs`.

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
    witnesses = Witnesses(members, ancestry)
    merged: set[int] = set()
    for place, base in enumerate(left):
        if place in merged:
            continue
        remaining, taken, strangers = members[base], [], 0
        at = _next_of(remaining, places_of, place)
        while at is not None and strangers < MOST_STRANGERS:
            if people := remaining & witnesses.of(base, left[at]):
                remaining = people
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
