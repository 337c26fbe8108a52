"""The result of the check of a message by itself, in all formats."""

from __future__ import annotations

from typing import Literal, NamedTuple, TypeAlias

Validity: TypeAlias = Literal["valid", "invalid", "not_checked"]


class Check(NamedTuple):
    """The result for a message by itself.

    ``message_key`` is the id of the message by its hash, whatever else is wrong with it: a sigil, or the URI
    of a bendybutt-v1 message. It is None if there is no such id (too deep, far too long, another format, or
    the bytes of bendybutt-v1 are not in the log). ``invalid_reason`` is one of ``validation.REASONS``, None
    unless ``validity`` is ``invalid``. ``warning`` is one of ``validation.WARNINGS``, None in an invalid
    message.
    """

    message_key: str | None
    validity: Validity
    invalid_reason: str | None = None
    warning: str | None = None
