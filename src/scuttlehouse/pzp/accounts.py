"""Which devices sign for a pzp account, and for which of its messages.

An account is a tangle of its own messages. The first message makes the account and gives the key of a first
device. A device may add another if it has the power to add; whoever adds a device says which powers it has.
Anybody can write a message that claims to be an account's own, so additions by strangers do not count, and
neither do those by devices without the power.

**Depths.** As in the reference (``validateTangle``), a message of the account does not count if its depth is
not greater than that of each message that it lists, or not one more than the greatest of them where the log
has all that it lists; and neither does one that lists only such messages.

**Removals.** A message of a feed names tips of its account. As in the reference (pzp-db 1.0.4,
``getSigkeysInAccount``), of the account's messages those count for it that are among these tips or follow
none of them, in the order (depth, id). A key is then a device if the last message about it adds it. So a key
is none in messages whose tips follow its removal, or come before its addition. Without tips, all messages of
the account count. In three things the reference does otherwise:

- A removal counts here only if a device with the power to remove signed it. The reference asks for that power
  where it writes a removal, and not where it receives one, so a stranger could remove any device.
- If a tip is not at hand, nobody can tell what follows it. Then each key is a device that the account ever
  added, so that no message is lost because a log is not whole. The reference ignores such tips. Whether
  another key is a device is unknown then, and where a message that a tip leads to is erased or not at hand,
  because that message may have added the key. The reference refuses what the key signs until it has it.
- The reference judges a message when it arrives, by the messages of the account that it has then.

None of this keeps out a removed device that names older tips. The reference accepts it, too.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from scuttlehouse.pzp.canonical import id_key
from scuttlehouse.pzp.rules import depth_fits
from scuttlehouse.tangles.causality import sweep_named

_TIPS_AT_A_TIME = 4096


class AccountMessage(NamedTuple):
    """A valid message of an account's tangle. The message that makes the account has depth 0.

    ``device_key`` signed the message. A message that several keys signed is given once for each of them.
    ``added_key`` is the key that it adds, None if it adds none. ``may_add`` and ``may_remove`` say whether
    that key gets the power to add others, and to remove others. ``removed_key`` is the key that the message
    removes, None if it removes none. ``previous_ids`` are the messages of the tangle that it lists. Of an
    erased message nobody knows what it adds or removes.
    """

    message_id: str
    depth: int
    device_key: str | None
    added_key: str | None
    may_add: bool | None
    removed_key: str | None = None
    may_remove: bool | None = None
    previous_ids: Sequence[str] = ()
    is_erased: bool = False


class Signature(NamedTuple):
    """A key that signed a message of a feed, and the tips of its account that this message names.

    ``account_tips`` is None if it names none.
    """

    device_key: str
    account_tips: Sequence[str] | None


class Powers(NamedTuple):
    """The keys that an account ever added, those of them that may add others, and that may remove others."""

    keys: set[str]
    adding: set[str]
    removing: set[str]


def are_by_devices(
    messages: Iterable[AccountMessage], signatures: Sequence[Signature]
) -> list[bool | None]:
    """Whether each signature is by a device of the account.

    None if no device of the account is known, or if a message of the account that is erased or not at hand
    may have added the key.

    Complexity: O((messages + links) * (1 + t / 4096) + signatures), for t different lists of tips.

    >>> are_by_devices([
    ...     AccountMessage("account", 0, "first", "first", True, may_remove=True),
    ...     AccountMessage("m1", 1, "first", "second", True, previous_ids=["account"]),
    ...     AccountMessage("m2", 2, "first", None, None, removed_key="second", previous_ids=["m1"]),
    ... ], [
    ...     Signature("second", ["account"]),
    ...     Signature("second", ["m1"]),
    ...     Signature("second", ["m2"]),
    ...     Signature("second", ["m2", "lost"]),
    ...     Signature("second", None),
    ... ])
    [False, True, False, True, False]
    """
    rows = list(messages)
    links = {one.message_id: one.previous_ids for one in rows}
    refused = _with_a_wrong_depth(rows)
    rows = [one for one in rows if one.message_id not in refused]
    powers = powers_of(rows)
    if not powers.keys:
        return [None] * len(signatures)
    keys_of_tips: dict[tuple[str, ...], set[str]] = defaultdict(set)
    for one in signatures:
        tips = tuple(one.account_tips or ())
        if all(tip in links for tip in tips):
            keys_of_tips[tips].add(one.device_key)
    changes = _changes(rows, powers, {one.device_key for one in signatures})
    having: dict[tuple[str, ...], set[str]] = {}
    some = list(keys_of_tips)
    for start in range(0, len(some), _TIPS_AT_A_TIME):
        having |= _having(some[start : start + _TIPS_AT_A_TIME], keys_of_tips, links, changes)
    behind_gaps = _behind_gaps(links, {one.message_id for one in rows if one.is_erased})

    def is_by_device(one: Signature) -> bool | None:
        tips = tuple(one.account_tips or ())
        if one.device_key in having.get(tips, powers.keys):
            return True
        if not tips:
            return None if behind_gaps else False
        return None if any(tip in behind_gaps or tip not in links for tip in tips) else False

    return [is_by_device(one) for one in signatures]


def _with_a_wrong_depth(messages: list[AccountMessage]) -> set[str]:
    """The messages whose depth does not fit those that they list, and those that list only such messages."""
    depth_of = {one.message_id: one.depth for one in messages}
    listed = {one.message_id: one.previous_ids for one in messages}
    depths: dict[str, int] = {}
    refused: set[str] = set()

    def visit(one: str, _: int) -> int:
        depth = depth_of[one]
        fits = depth_fits(depth, listed[one], depths)
        if depth == 0 or fits:
            depths[one] = depth
        elif fits is False or (listed[one] and refused.issuperset(listed[one])):
            refused.add(one)
        return 0

    sweep_named(listed, visit)
    return refused


def _behind_gaps(links: dict[str, Sequence[str]], erased: set[str]) -> set[str]:
    """The messages that are erased, and those that lead to one that is erased or not at hand."""
    found: set[str] = set()

    def visit(one: str, before: int) -> int:
        is_behind = before or one in erased or any(p not in links for p in links[one])
        if is_behind:
            found.add(one)
        return int(is_behind)

    sweep_named(links, visit)
    return found


class _Change(NamedTuple):
    message_id: str
    key: str
    is_removal: bool


def powers_of(messages: Iterable[AccountMessage]) -> Powers:
    """The keys of an account with their powers. No keys if the message that makes the account is not at hand.

    Complexity: O(n) in messages, in any order.

    >>> sorted(powers_of([
    ...     AccountMessage("account", 0, "first", "first", True),
    ...     AccountMessage("m1", 1, "first", "second", False),
    ...     AccountMessage("m2", 1, "stranger", "stranger", True),
    ...     AccountMessage("m3", 2, "second", "third", True),
    ... ]).keys)
    ['first', 'second']
    """
    added_by: dict[str | None, list[tuple[str, AccountMessage]]] = defaultdict(list)
    waiting: list[tuple[str, AccountMessage]] = []
    for message in messages:
        if (key := message.added_key) is not None:
            added_by[message.device_key].append((key, message))
            if message.depth == 0:
                waiting.append((key, message))
    powers = Powers(set(), set(), set())
    while waiting:
        key, message = waiting.pop()
        powers.keys.add(key)
        if message.may_remove:
            powers.removing.add(key)
        if message.may_add and key not in powers.adding:
            powers.adding.add(key)
            waiting += added_by[key]
    return powers


def _changes(messages: list[AccountMessage], powers: Powers, signing: set[str]) -> list[_Change]:
    """The additions and removals of these keys that count, in the order of the tangle."""
    found: dict[str, tuple[int, _Change]] = {}
    for one in messages:
        if one.added_key in signing and (one.depth == 0 or one.device_key in powers.adding):
            change = _Change(one.message_id, str(one.added_key), is_removal=False)
        elif one.removed_key in signing and one.device_key in powers.removing:
            change = _Change(one.message_id, str(one.removed_key), is_removal=True)
        else:
            continue
        found[one.message_id] = one.depth, change
    ordered = sorted(found.values(), key=lambda one: (one[0], id_key(one[1].message_id)))
    return [change for _, change in ordered]


def _having(
    some: list[tuple[str, ...]],
    keys_of_tips: dict[tuple[str, ...], set[str]],
    links: dict[str, Sequence[str]],
    changes: list[_Change],
) -> dict[tuple[str, ...], set[str]]:
    """For each of some lists of tips, those of its keys that are devices there. Each list has a bit."""
    naming: dict[str, int] = defaultdict(int)
    for place, tips in enumerate(some):
        for tip in tips:
            naming[tip] |= 1 << place
    changing = {change.message_id for change in changes}
    following: dict[str, int] = {}

    def visit(message_id: str, before: int) -> int:
        own = naming.get(message_id, 0)
        if message_id in changing:
            following[message_id] = before & ~own
        return own

    sweep_named(links, visit)
    everything = (1 << len(some)) - 1
    devices: dict[str, int] = defaultdict(int)
    for message_id, key, is_removal in changes:
        counting = everything & ~following.get(message_id, everything)
        devices[key] = devices[key] & ~counting if is_removal else devices[key] | counting
    return {
        tips: {key for key in keys_of_tips[tips] if devices[key] >> place & 1}
        for place, tips in enumerate(some)
    }
