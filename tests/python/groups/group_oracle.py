"""A slow oracle for a private group, written only from the group exclusion specification and our rulings.

It shares nothing with the product. Each function says which text it implements. None of them is fast.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache, cached_property
from itertools import combinations
from typing import NamedTuple

from oracles import fixpoint_graph, scuttlesort_order, tangle_candidates

ROOT = {"root": None, "previous": None}

# 4.10.1 and 4.10.2: what may be in a tangle beside its root.
TYPES = {"epoch": {"group/init"}, "members": {"group/add-member", "group/exclude-member"}}


class LogMessage(NamedTuple):
    """A message of a log: its author, what it says, and its tangle fields as written.

    ``is_signed``: the log holds what its author signed. Anybody may have written another one.
    """

    id: str
    author: str
    type: str
    fields: dict[str, object]
    people: frozenset[str] = frozenset()
    key: bytes | None = None
    time: int | None = None
    epoch: str | None = None
    is_signed: bool = True


class Fork(NamedTuple):
    rule: str
    winner: str | None
    witnesses: frozenset[str]


class Oracle:
    """The answers for the group that begins with the message ``root``."""

    def __init__(self, log: Iterable[LogMessage], root: str) -> None:
        self.log = {entry.id: entry for entry in log}
        self.root = root
        self.group_graph = self.graph("group", root, None)
        self.epoch_graph = self.graph("epoch", root, TYPES["epoch"])
        self.epochs = self.signed(self.epoch_graph)
        self.members_graphs = {
            epoch: {*self.signed(self.graph("members", epoch, TYPES["members"]) - {epoch})}
            for epoch in self.epochs
        }
        self.past = cache(self._past)
        self.is_looped = cache(self._is_looped)
        self.authority = cache(self._authority)
        self.timeline_past = cache(self._timeline_past)
        self.precedes = cache(self._precedes)
        self.acts = cache(self._acts)
        self.declared = cache(self._declared)
        self.own_epoch = cache(self._own_epoch)

    def graph(self, kind: str, root: str, types: set[str] | None) -> set[str]:
        fields = [
            (entry.id, entry.fields.get(kind))
            for entry in self.log.values()
            if types is None or entry.id == root or entry.type in types
        ]
        return fixpoint_graph(tangle_candidates(fields, root))

    def signed(self, messages: Iterable[str]) -> list[str]:
        """Only what people have signed makes an epoch, adds or excludes."""
        return sorted(one for one in messages if self.log[one].is_signed)

    # R30: what a message knows of, in the tangles of the group.

    def listed(self, message: str) -> set[str]:
        """What a message lists. In or behind a loop, which nobody can sign, only what no loop can have."""
        found = self.believed(message)
        if not self.is_looped(message):
            return found
        kept = {one for one in found if not self.is_looped(one)}
        if message in self.epoch_graph:
            kept |= {*self.previous(message)}
        epoch = self.epoch_of(message)
        return kept | {epoch} if epoch else kept

    def believed(self, message: str) -> set[str]:
        """Of a message that nobody has signed, what it lists is not known, but for what R18 needs."""
        if message not in self.log:
            return set()
        if not self.log[message].is_signed:
            return {*self.previous(message)} if message in self.epoch_graph else set()
        found: set[str] = set()
        for kind, field in self.log[message].fields.items():
            if not isinstance(field, dict) or not isinstance(field.get("previous"), list):
                continue
            is_of_group = field["root"] == self.root or (
                kind == "members" and field["root"] in self.epochs
            )
            if is_of_group and self.log[message].type in TYPES.get(kind, {self.log[message].type}):
                found |= set(field["previous"])
        # An act names the epoch that it acts on.
        epoch = self.epoch_of(message)
        return found | {epoch} if epoch else found

    def closure(self, message: str, listed: Callable[[str], set[str]]) -> frozenset[str]:
        found: set[str] = set()
        new = listed(message)
        while new:
            found |= new
            new = {one for known in new for one in listed(known)} - found
        return frozenset(found)

    def _is_looped(self, message: str) -> bool:
        """Whether a message is in a loop, or behind one."""
        past = self.closure(message, self.believed)
        return message in past or any(self.is_looped(one) for one in self.believed(message))

    def _past(self, message: str) -> frozenset[str]:
        """Everything before a message, even what the log does not have."""
        return self.closure(message, self.listed)

    def lacks(self, message: str) -> bool:
        """Whether the log does not tell all that a message knows of: R30."""
        return any(
            one not in self.log or not self.log[one].is_signed or self.is_looped(one)
            for one in {message} | self.past(message)
        )

    def epoch_of(self, act: str) -> str | None:
        """The epoch whose members tangle holds an addition or exclusion."""
        return next((e for e in self.epochs if act in self.members_graphs[e]), None)

    def previous(self, epoch: str) -> list[str]:
        field = self.log[epoch].fields["epoch"]
        return list(field["previous"] or []) if isinstance(field, dict) else []

    def has_members_tangle(self, epoch: str) -> bool:
        """4.10.1.1 and R32."""
        return self.log[epoch].fields.get("members") == ROOT

    def is_member(self, person: str, epoch: str, at: str) -> bool | None:
        """Whether a message knows that a person is a member of an epoch (R30)."""
        if self.log[epoch].author == person:
            return True
        for act in self.members_graphs[epoch] & self.past(at):
            entry = self.log[act]
            is_addition = entry.type == "group/add-member" and person in entry.people
            if is_addition and self.authority(act) is not False:
                return True
        return None if self.lacks(at) else False

    def _authority(self, message: str) -> bool | None:
        author = self.log[message].author
        if message in self.epochs:
            if message == self.root:
                return True
            answers = [self.is_member(author, one, message) for one in self.follows(message)]
            if not answers or False in answers:
                return False
            return None if None in answers else True
        epoch = self.epoch_of(message)
        if epoch is None or self.authority(epoch) is False:
            return False
        return self.is_member(author, epoch, message)

    # R18: an epoch that does not count leaves the epochs before it where they are.

    def follows(self, epoch: str) -> set[str]:
        """The epochs before an epoch. One that does not count stands for those before it."""
        return {found for one in self.previous(epoch) for found in self.stands_for(one)}

    def stands_for(self, epoch: str) -> set[str]:
        if not self.log[epoch].is_signed:
            return self.follows(epoch)
        is_first = self.authority(epoch) is not False and not self.follows(epoch)
        return {epoch} if self.stands(epoch) or is_first else self.follows(epoch)

    def stands(self, epoch: str) -> bool:
        """Whether an epoch counts: R30 and R32."""
        return self.has_members_tangle(epoch) and self.authority(epoch) is not False

    @cached_property
    def standing(self) -> list[str]:
        return [epoch for epoch in self.epochs if self.stands(epoch)]

    def _acts(self, type: str) -> list[str]:
        """Additions or exclusions that count."""
        return sorted(
            act
            for graph in self.members_graphs.values()
            for act in graph
            if self.log[act].type == type
            and self.authority(act) is not False
            and self.epoch_of(act) in self.standing
        )

    def _declared(self, epoch: str) -> frozenset[str]:
        """R16: the union of all additions. An exclusion never removes anybody."""
        return frozenset().union(
            *(
                self.log[act].people
                for act in self.acts("group/add-member")
                if self.epoch_of(act) == epoch
            )
        )

    # Section 3.

    def _precedes(self, one: str, other: str) -> bool:
        """R18: ancestry in the epoch tangle."""
        return any(one == epoch or self.precedes(one, epoch) for epoch in self.previous(other))

    @cached_property
    def tips(self) -> list[str]:
        epochs = self.standing
        return [one for one in epochs if not any(self.precedes(one, other) for other in epochs)]

    def nearest(self, left: str, right: str) -> list[str]:
        common = [
            epoch
            for epoch in self.standing
            if all(epoch == one or self.precedes(epoch, one) for one in (left, right))
        ]
        return [x for x in common if not any(self.precedes(x, y) for y in common)]

    # 4.3 and R31: keys of 32 bytes or more compare in hexadecimal; other epochs come last, by id.

    def key(self, epoch: str) -> tuple[bool, str, str]:
        key = self.log[epoch].key
        is_known = key is not None and len(key) >= 32
        return (not is_known, key.hex() if key and is_known else "", epoch)

    # 4.4 to 4.7, and R20.

    def fork(self, left: str, right: str, members: dict[str, frozenset[str]]) -> Fork:
        one, other = members[left], members[right]
        nearest = self.nearest(left, right)
        witnesses = one & other if nearest else frozenset()
        for epoch in nearest:
            witnesses &= members[epoch]
        by_key = min(left, right, key=self.key)
        if one == other:
            return Fork("same", by_key, witnesses)
        if one < other:
            return Fork("subset", left, witnesses)
        if other < one:
            return Fork("subset", right, witnesses)
        if one & other:
            return Fork("overlapping", by_key, witnesses)
        return Fork("disjoint", None, witnesses)

    def forks(self) -> dict[tuple[str, str], Fork]:
        members = {epoch: self.declared(epoch) for epoch in self.standing}
        return {pair: self.fork(*pair, members) for pair in combinations(sorted(self.tips), 2)}

    def left_of(self, tips: list[str], members: dict[str, frozenset[str]]) -> list[str]:
        """R21: drop epochs that strictly contain another (4.5), then equals with a greater key (4.4)."""
        tips = [one for one in tips if not any(members[other] < members[one] for other in tips)]
        tips = [
            one
            for one in tips
            if not any(
                members[other] == members[one] and self.key(other) < self.key(one) for other in tips
            )
        ]
        return sorted(tips, key=self.key)

    def preferences(self) -> dict[str | None, str | None]:
        """R21 for everybody, and for the group as a whole under None."""
        members = {epoch: self.declared(epoch) for epoch in self.standing}
        left = self.left_of(self.tips, members)
        is_split = any(not members[a] & members[b] for a, b in combinations(left, 2))
        found: dict[str | None, str | None] = {None: None if is_split or not left else left[0]}
        for person in frozenset().union(*members.values()):
            own = [epoch for epoch in members if person in members[epoch]]
            newest = [x for x in own if not any(self.precedes(x, y) for y in own)]
            found[person] = self.left_of(newest, members)[0]
        return found

    # 4.9, R24 and R24b.

    def _timeline_past(self, message: str) -> frozenset[str]:
        """The messages before a message in the group tangle. Empty if the message is not in the tangle."""
        if message not in self.group_graph:
            return frozenset()
        listed = self.timeline_previous(message) if self.log[message].is_signed else []
        return frozenset(listed).union(*(self.timeline_past(one) for one in listed))

    def timeline_previous(self, message: str) -> list[str]:
        field = self.log[message].fields["group"]
        return (field["previous"] or []) if isinstance(field, dict) else []

    def _own_epoch(self, exclusion: str) -> str | None:
        """R24b: the author's next epoch on the same one, else their last. In causal order, then time, id."""
        author, base = self.log[exclusion].author, self.epoch_of(exclusion)
        acts = {
            epoch
            for epoch in self.standing
            if base in self.follows(epoch) and self.log[epoch].author == author
        }
        if not acts:
            return None
        acts |= {
            act
            for act in self.acts("group/exclude-member")
            if self.epoch_of(act) == base and self.log[act].author == author
        }
        sequence: list[str] = []
        while acts:
            free = [act for act in acts if not acts & self.past(act)]
            first = min(free, key=lambda act: (self.time(act), act))
            sequence.append(first)
            acts.remove(first)
        at = sequence.index(exclusion)
        after = [act for act in sequence[at:] if act in self.epochs]
        before = [act for act in sequence[:at] if act in self.epochs]
        return after[0] if after else before[-1]

    def time(self, message: str) -> tuple[bool, int]:
        time = self.log[message].time
        return (time is None, time or 0)

    def leads_to(self, exclusion: str, epoch: str) -> bool:
        """Also to an epoch that succeeds one that it leads up to: 4.9 says "any epoch up till that epoch"."""
        own = self.own_epoch(exclusion)
        return any(
            exclusion in self.timeline_past(one) or own == one
            for one in self.standing
            if one == epoch or self.precedes(one, epoch)
        )

    def following(self, exclusion: str) -> str | None:
        """The epoch that its author made for it, else the first in the timeline (R12) that knows of it."""
        listed = {one: self.timeline_previous(one) for one in self.group_graph}
        knowing = (
            one
            for one in scuttlesort_order(listed)
            if one in self.standing and exclusion in self.timeline_past(one)
        )
        return self.own_epoch(exclusion) or next(knowing, None)

    # What else a message knew of.

    def is_readded(self, epoch: str, person: str) -> bool:
        """Whether an addition that counts knows of an exclusion of the person that counts."""
        return any(
            person in self.log[exclusion].people
            for act in self.acts("group/add-member")
            if self.epoch_of(act) == epoch and person in self.log[act].people
            for exclusion in self.acts("group/exclude-member")
            if exclusion in self.past(act)
        )

    def last_changes(self) -> dict[tuple[str, str], bool]:
        """Whether a person's last change in an epoch is an exclusion, where what acts know of decides that.

        The members tangle orders the changes of an epoch (4.10.1), and each tangle what its messages know of.
        """
        changes: dict[tuple[str, str], list[str]] = {}
        for type in TYPES["members"]:
            for act in self.acts(type):
                for person in self.log[act].people:
                    changes.setdefault((self.epoch_of(act) or "", person), []).append(act)
        found = {}
        for pair, acts in changes.items():
            last = {
                self.log[one].type
                for one in acts
                if not any(one in self.past(other) for other in acts)
            }
            if len(last) == 1:
                found[pair] = last == {"group/exclude-member"}
        return found

    def late(self) -> set[str]:
        """4.8.1: what is written in another epoch than the author should prefer with what they knew.

        These are posts and exclusions. Additions are to all epochs (4.9), and on a feed for all. Nothing but
        a key tells the epoch of a post, so an epoch with the same key is no other one.

        The message shows some of what its author knew. They knew of their addition to an epoch that they
        write in, and maybe of additions that nobody can list in the group tangle. None of this changes
        that an epoch succeeds another (4.2).
        """
        outside = {*self.acts("group/add-member")} - self.group_graph
        found = set()
        for entry in self.log.values():
            is_exclusion = entry.type == "group/exclude-member"
            written_in = self.epoch_of(entry.id) if is_exclusion else entry.epoch
            if written_in not in self.standing or entry.id not in self.group_graph:
                continue
            past = {*self.timeline_past(entry.id)}
            preferred = self.preferred_with(past, entry.author)
            if preferred is None or self.have_one_key(preferred, written_in):
                continue
            is_in = entry.author in self.declared_by(past).get(written_in, ())
            at_most = self.preferred_with(past | outside, entry.author)
            assert at_most
            if self.precedes(written_in, preferred) or (
                is_in and not self.have_one_key(at_most, written_in)
            ):
                found.add(entry.id)
        return found

    def declared_by(self, messages: set[str]) -> dict[str, frozenset[str]]:
        """R16, if there were only these messages."""
        members: dict[str, frozenset[str]] = {}
        for act in self.acts("group/add-member"):
            if act in messages:
                epoch = self.epoch_of(act)
                assert epoch
                members[epoch] = members.get(epoch, frozenset()) | self.log[act].people
        return members

    def preferred_with(self, messages: set[str], person: str) -> str | None:
        """R21, by the additions among these messages."""
        members = self.declared_by(messages)
        own = [epoch for epoch, people in members.items() if person in people]
        newest = [x for x in own if not any(self.precedes(x, y) for y in own)]
        return self.left_of(newest, members)[0] if newest else None

    def have_one_key(self, one: str, other: str) -> bool:
        (is_unknown, key, _), (_, other_key, _) = self.key(one), self.key(other)
        return one == other or (not is_unknown and key == other_key)

    def with_old_key(self) -> set[str]:
        """4.1.1: a new epoch has a new key. Its author knows of those that they make it after, at least."""
        return {
            epoch
            for epoch in self.standing
            for other in self.standing
            if other in self.timeline_past(epoch) or self.precedes(other, epoch)
            if self.key(other)[:2] == self.key(epoch)[:2] and not self.key(epoch)[0]
        }

    def before_init(self) -> set[str]:
        """4.1: exclusions before the first message of the epoch that their author made for them."""
        return {
            act
            for act in self.acts("group/exclude-member")
            if (epoch := self.own_epoch(act)) and act in self.timeline_past(epoch)
        }

    def stale(self) -> set[str]:
        """4.10.2: epochs that follow another epoch although their first message knew of a successor of it.

        Who lists an epoch that does not count follows those before it, and need not list both.
        """
        return {
            epoch
            for epoch in self.standing
            if any(
                other in self.timeline_past(epoch)
                and self.precedes(one, other)
                and (one in self.previous(epoch) or not self.precedes(other, epoch))
                for one in self.follows(epoch)
                if one in self.standing
                for other in self.standing
            )
        }

    def correct(self, epoch: str) -> frozenset[str]:
        people = frozenset().union(*(self.declared(one) for one in self.standing))
        return people.difference(
            *(
                self.log[act].people
                for act in self.acts("group/exclude-member")
                if self.leads_to(act, epoch)
            )
        )

    # 4.9 and 4.6: what should be published.

    def repairs(self) -> set[tuple[str, str, str | None]]:
        whole = {epoch: self.declared(epoch) | self.correct(epoch) for epoch in self.standing}
        found: set[tuple[str, str, str | None]] = {
            (epoch, "add", person)
            for epoch in self.standing
            for person in self.correct(epoch) - self.declared(epoch)
        }
        for base, _, remaining in self.merges():
            found.add((base, "create_epoch", None))
            found |= {(base, "exclude", person) for person in whole[base] - remaining}
        return found

    def merges(self) -> list[tuple[str, list[str], frozenset[str]]]:
        """The epochs that get one after them, with those whose forks it heals and the people who remain."""
        whole = {epoch: self.declared(epoch) | self.correct(epoch) for epoch in self.standing}
        left = self.left_of([tip for tip in self.tips if whole[tip]], whole)
        found = []
        while left:
            base, rivals, rest, remaining = left[0], [], [], whole[left[0]]
            for rival in left[1:]:
                witnesses = remaining & self.fork(base, rival, whole).witnesses
                if witnesses:
                    remaining = witnesses
                    rivals.append(rival)
                else:
                    rest.append(rival)
            if rivals:
                found.append((base, rivals, remaining))
            left = rest
        return found
