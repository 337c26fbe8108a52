"""Which devices sign for a pzp account.

An account is a tangle of its own messages. The first message makes the account and gives the key of a first
device. A device may add another if it has the power to add; whoever adds a device says which powers it has.
Anybody can write a message that claims to be an account's own, so additions by strangers do not count, and
neither do those by devices without the power. As in the reference, a key that was removed stays good for what
it signed before.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple


class AccountMessage(NamedTuple):
    """A valid message of an account's tangle. The message that makes the account has depth 0.

    ``device_key`` signed the message. A message that several keys signed is given once for each of them.
    ``added_key`` is the key that it adds, None if it adds none. ``may_add`` says whether that key gets the
    power to add others.
    """

    message_id: str
    depth: int
    device_key: str | None
    added_key: str | None
    may_add: bool | None


def device_keys(messages: Iterable[AccountMessage]) -> set[str]:
    """The keys of an account's devices. Empty if the message that makes the account is not at hand.

    Complexity: O(n) in messages, in any order.

    >>> sorted(device_keys([
    ...     AccountMessage("account", 0, "first", "first", True),
    ...     AccountMessage("m1", 1, "first", "second", False),
    ...     AccountMessage("m2", 1, "stranger", "stranger", True),
    ...     AccountMessage("m3", 2, "second", "third", True),
    ... ]))
    ['first', 'second']
    """
    added_by: dict[str | None, list[tuple[str, bool | None]]] = defaultdict(list)
    waiting: list[tuple[str, bool | None]] = []
    for message in messages:
        if message.added_key is not None:
            added = message.added_key, message.may_add
            added_by[message.device_key].append(added)
            if message.depth == 0:
                waiting.append(added)
    keys: set[str] = set()
    adding: set[str] = set()
    while waiting:
        key, may_add = waiting.pop()
        keys.add(key)
        if may_add and key not in adding:
            adding.add(key)
            waiting += added_by[key]
    return keys
