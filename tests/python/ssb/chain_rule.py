"""Whether a message follows the one before it in its feed, as the reference validator judges it.

The tables get this from SQL (``int_feeds__links``).
"""

from __future__ import annotations

from scuttlehouse.files import jsjson
from scuttlehouse.ssb.validation import previous_text

LINK_REASONS = {
    "first_has_previous": "The feed's first message has a previous that is not null.",
    "first_sequence_is_not_1": "The feed's first message has another sequence than 1.",
    "sequence_is_not_next": "The sequence is not one more than that of the message before.",
    "previous_is_not_last": "The previous is not the id of the message before: a fork.",
}


def check_link(
    sequence: jsjson.Value, previous: jsjson.Value, last: tuple[str, int] | None
) -> str | None:
    """Judge whether a message that is valid by itself follows the last message of its feed.

    ``last`` is the id and the sequence of the last message, None for an empty feed. The id is spelled as
    in ``previous``. Returns None or one of ``LINK_REASONS``.

    >>> check_link(2.0, "%a", ("%a", 1)), check_link(3, "%a", ("%a", 1)), check_link(1, None, None)
    (None, 'sequence_is_not_next', None)
    """
    if last is None:
        if previous is not None:
            return "first_has_previous"
        return None if sequence == 1 else "first_sequence_is_not_1"
    last_id, last_sequence = last
    if sequence != last_sequence + 1:
        return "sequence_is_not_next"
    return None if previous_text(previous) == last_id else "previous_is_not_last"
