"""Which messages are in the tangle of a set, as the reference decides it.

A set is the feed of an account in a domain ``set_v1__...``. The account and the domain determine its moot, so
the moot is known even if no log holds it. Every other message must be signed by a device of the account, must
know a message of the tangle, and must be one step deeper than the deepest message that it knows. If some of
those are not at hand, only a depth that is too small can be found out.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from scuttlehouse.sets.items import id_key

Status = Literal["in", "set_aside", "rejected"]
Reason = Literal["no_device_of_the_account", "depth_is_wrong", "account_missing", "missing"]


class Candidate(NamedTuple):
    """A message that is valid by itself and claims a place in a set. The moot has depth 0 and lists nothing.

    ``is_by_device``: whether a device of the account signed it. None if no device of the account is known.
    """

    message_id: str
    depth: int
    previous_ids: list[str]
    is_by_device: bool | None


class Standing(NamedTuple):
    """The status of a candidate, with the reason. The reason is None for a message that is in.

    Rejected for good: ``no_device_of_the_account``, ``depth_is_wrong`` (a previous is as deep, or all
    previous are known and the depth is not one more than the greatest of theirs). Set aside until more is
    known: ``account_missing`` (the log lacks the message that makes the account), ``missing`` (no message
    that it lists is in the tangle).
    """

    message_id: str
    status: Status
    reason: Reason | None


def standings(moot_id: str, candidates: Iterable[Candidate]) -> list[Standing]:
    """The status of each candidate of a set, by depth and id.

    ``moot_id`` is the id of the set. The moot need not be among the candidates.

    Complexity: O(n log n + links).

    >>> for standing in standings("moot", [
    ...     Candidate("m1", 1, ["moot"], True),
    ...     Candidate("m2", 3, ["m1"], True),
    ...     Candidate("m3", 2, ["m1", "lost"], True),
    ...     Candidate("m4", 2, ["m1"], False),
    ...     Candidate("m5", 9, ["lost"], True),
    ... ]):
    ...     print(*standing)
    m1 in None
    m3 in None
    m4 rejected no_device_of_the_account
    m2 rejected depth_is_wrong
    m5 set_aside missing
    """
    ordered = sorted(candidates, key=lambda one: (one.depth, id_key(one.message_id)))
    claimed = {one.message_id: one.depth for one in ordered if one.is_by_device}
    depths = {moot_id: 0}
    found = []
    for one in ordered:
        reason = None if one.message_id == moot_id else _reason(one, claimed, depths)
        if reason is None:
            depths[one.message_id] = one.depth
        found.append(Standing(one.message_id, _status(reason), reason))
    return found


def _status(reason: Reason | None) -> Status:
    if reason is None:
        return "in"
    return "set_aside" if reason in ("account_missing", "missing") else "rejected"


def _reason(one: Candidate, claimed: dict[str, int], depths: dict[str, int]) -> Reason | None:
    if one.is_by_device is None:
        return "account_missing"
    if not one.is_by_device:
        return "no_device_of_the_account"
    if any(claimed.get(previous, -1) >= one.depth for previous in one.previous_ids):
        return "depth_is_wrong"
    known = [depths[previous] for previous in one.previous_ids if previous in depths]
    if not known:
        return "missing"
    if len(known) == len(one.previous_ids) and max(known) != one.depth - 1:
        return "depth_is_wrong"
    return None
