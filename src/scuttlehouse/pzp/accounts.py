"""Which devices sign for a pzp account.

An account is a tangle of its own messages. The first message makes the account and gives the key of a first
device. A device of the account may add another. Anybody can write a message that claims to be an account's
own, so additions by strangers do not count. As in the reference, a key that was removed stays good for what
it signed before, and a device needs no special power to add another.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import NamedTuple


class AccountMessage(NamedTuple):
    """A valid message of an account's tangle. The message that makes the account has depth 0.

    ``device_key`` signed the message. A message that several keys signed is given once for each of them.
    ``added_key`` is the key that it adds, None if it adds none.
    """

    message_id: str
    depth: int
    device_key: str | None
    added_key: str | None


def device_keys(messages: Iterable[AccountMessage]) -> set[str]:
    """The keys of an account's devices. Empty if the message that makes the account is not at hand.

    Complexity: O(n) in messages, in any order.

    >>> sorted(device_keys([
    ...     AccountMessage("account", 0, "first", "first"),
    ...     AccountMessage("m1", 1, "first", "second"),
    ...     AccountMessage("m2", 1, "stranger", "stranger"),
    ... ]))
    ['first', 'second']
    """
    added_by: dict[str | None, list[str]] = defaultdict(list)
    waiting: list[str] = []
    for message in messages:
        if message.added_key is not None:
            added_by[message.device_key].append(message.added_key)
            if message.depth == 0:
                waiting.append(message.added_key)
    keys: set[str] = set()
    while waiting:
        key = waiting.pop()
        if key not in keys:
            keys.add(key)
            waiting += added_by[key]
    return keys
