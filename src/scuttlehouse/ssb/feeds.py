"""The messages of forked feeds: which fault, if any, is on the way back to the first message.

A feed is a chain: each message names the one before it (tangle SIP, "Classic feed"). If no two messages have
the same sequence, SQL windows find the nearest fault of each message (model ``int_feeds__standings``). In a
forked feed, a fault on one branch does not matter on the other. This module walks the branches.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

# The faults between a message that is valid by itself and the message before it.
FEED_FAULTS = {
    "first_has_previous": "A message with sequence 1 has a previous.",
    "has_no_previous": "A message after the first has no previous.",
    "previous_is_no_message_id": "The previous is not a message id.",
    "previous_not_in_log": "The message before is not in the log.",
    "previous_is_invalid": "The message before is invalid.",
    "previous_is_not_checked": "The message before is not checked.",
    "previous_of_other_feed": "The message before is of another feed.",
    "sequence_is_not_next": "The sequence is not one more than that of the message before.",
    "sequence_is_no_place": "The sequence is less than 1, or not a whole number up to 2^53.",
}


class Link(NamedTuple):
    """A message and how it follows the message before it.

    ``link_fault`` is None if ``previous_id`` is a valid message of the same feed with the sequence before, or
    if the message begins the feed. ``sequence`` is None if the log has no whole number; such a message always
    has a fault.
    """

    feed_id: str
    sequence: int | None
    message_id: str
    previous_id: str | None
    link_fault: str | None


Fault: TypeAlias = tuple[str | None, int | None]


class Walker:
    """Finds the nearest fault of one message after the other.

    Messages come feed by feed, in the order of ``sequence``. The walker keeps the messages of two
    sequences in memory, however long a feed is.

    >>> walker = Walker()
    >>> walker.fault(Link("f", 1, "a", None, None))
    (None, None)
    >>> walker.fault(Link("f", 1, "b", "x", "first_has_previous"))
    ('first_has_previous', 1)
    >>> walker.fault(Link("f", 2, "c", "a", None)), walker.fault(Link("f", 2, "d", "b", None))
    ((None, None), ('first_has_previous', 1))
    """

    def __init__(self) -> None:
        self._place: tuple[str, int | None] | None = None
        self._before: dict[str, Fault] = {}
        self._here: dict[str, Fault] = {}

    def fault(self, link: Link) -> Fault:
        """The nearest fault on the way from a message back to the first one, and the fault's sequence.

        The message's own fault, otherwise that of the message before it, and so on. None and None if there
        is no fault; then the message is valid in its feed. O(1).

        Raises:
            KeyError: a message without a fault of its own came before the message that it follows.
        """
        if self._place != (link.feed_id, link.sequence):
            self._before, self._here = self._here, {}
            self._place = (link.feed_id, link.sequence)
        fault: Fault = (None, None)
        if link.link_fault is not None:
            fault = (link.link_fault, link.sequence)
        elif link.previous_id is not None:
            fault = self._before[link.previous_id]
        self._here[link.message_id] = fault
        return fault
