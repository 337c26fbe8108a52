"""Which messages are in the tangle of a set, as the reference decides it.

A set is the feed of an account in a domain ``set_v1__...``. The account and the domain determine its moot, so
the moot is known even if no log holds it. Every other message must be signed by a device of the account, must
know a message of the tangle, and must be one step deeper than the deepest message that it knows. If some of
those are not in the tangle, only a depth that is too small can be found out.

The reference judges a message when it arrives, by those that are in the tangle then. What is not in is as if
it were not there, whatever depth it claims. Here each message is judged after all candidates that it lists.
This gives one answer, because no message can list one that lists it: ids are hashes. So the answer depends on
the candidates, not on their order. It is that of the reference if messages arrive after those that they list.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Literal, NamedTuple

from scuttlehouse.pzp.canonical import id_key
from scuttlehouse.pzp.rules import depth_fits
from scuttlehouse.tangles.causality import sweep_named

Status = Literal["in", "set_aside", "rejected"]
Reason = Literal["no_device_of_the_account", "depth_is_wrong", "account_missing", "missing"]


class Candidate(NamedTuple):
    """A message that is valid by itself and claims a place in a set. The moot has depth 0 and lists nothing.

    ``is_by_device``: whether a device of the account signed it. None if the log lacks what would tell.
    """

    message_id: str
    depth: int
    previous_ids: list[str]
    is_by_device: bool | None


class Standing(NamedTuple):
    """The status of a candidate, with the reason. The reason is None for a message that is in.

    Rejected: ``no_device_of_the_account``, ``depth_is_wrong`` (a previous in the tangle is as deep, or all
    previous are in the tangle and the depth is not one more than the greatest of theirs). Set aside until
    more is known: ``account_missing`` (the log lacks the message that makes the account, or one that may add
    the key), ``missing`` (no message that it lists is in the tangle).
    """

    message_id: str
    status: Status
    reason: Reason | None


def standings(moot_id: str, candidates: Iterable[Candidate]) -> list[Standing]:
    """The status of each candidate of a set, by depth and id.

    ``moot_id`` is the id of the set. The moot need not be among the candidates. Messages in a loop, and those
    behind one, are ``missing``, if a device signed them; real ids allow no loops.

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
    by_id = {one.message_id: one for one in ordered}
    depths = {moot_id: 0}
    reasons: dict[str, Reason | None] = {}

    def visit(one: str, _: int) -> int:
        reasons[one] = None if one == moot_id else _reason(by_id[one], depths)
        if reasons[one] is None:
            depths[one] = by_id[one].depth
        return 0

    sweep_named({one.message_id: one.previous_ids for one in ordered}, visit)
    # What is left is in a loop or behind one.
    for one in by_id.keys() - reasons.keys():
        reasons[one] = _reason(by_id[one]._replace(previous_ids=[]), depths)
    return [
        Standing(one.message_id, _status(reasons[one.message_id]), reasons[one.message_id])
        for one in ordered
    ]


def _status(reason: Reason | None) -> Status:
    if reason is None:
        return "in"
    return "set_aside" if reason in ("account_missing", "missing") else "rejected"


def _reason(one: Candidate, depths: Mapping[str, int]) -> Reason | None:
    if one.is_by_device is None:
        return "account_missing"
    if not one.is_by_device:
        return "no_device_of_the_account"
    fits = depth_fits(one.depth, one.previous_ids, depths)
    if fits is None:
        return "missing"
    return None if fits else "depth_is_wrong"
