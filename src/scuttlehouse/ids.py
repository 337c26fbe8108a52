"""Ids in one spelling each (ruling R1): messages as URIs, classic feeds as sigils.

Scuttlebutt spells one id in two ways. A log's keys and the classic feed use *sigils*,
``%<base64>.sha256`` for a message and ``@<base64>.ed25519`` for a feed; decrypted group content
uses *URIs*, ``ssb:message/classic/<base64url>`` and ``ssb:feed/classic/<base64url>``. The older
names ``sha256`` and ``ed25519`` in place of ``classic`` are the same ids. Feeds of other formats
have URIs only.

Base64 is canonical, as the reference library demands: 32 bytes have one spelling, and a text that
differs in the bits beyond the last byte is no id.
"""

from __future__ import annotations

import re

# 32 bytes: 43 characters, the last of which carries four bits, then the padding.
_BASE64 = r"[A-Za-z0-9+/]{42}[AEIMQUYcgkosw048]="
_BASE64URL = r"[A-Za-z0-9_-]{42}[AEIMQUYcgkosw048]="

_MESSAGE_SIGIL = re.compile(rf"%({_BASE64})\.sha256")
_FEED_SIGIL = re.compile(rf"@({_BASE64})\.ed25519")
_CLASSIC_MESSAGE_URI = re.compile(rf"ssb:message/(?:classic|sha256)/({_BASE64URL})")
_CLASSIC_FEED_URI = re.compile(rf"ssb:feed/(?:classic|ed25519)/({_BASE64URL})")

# What comes after a format's name is that format's own business; some name a feed by two keys.
_OTHER = r"(?!(?:classic|sha256|ed25519)/)([a-z0-9]+(?:-[a-z0-9]+)*)(?:/[A-Za-z0-9_-]+={0,2})+"
_OTHER_MESSAGE_URI = re.compile(rf"ssb:message/{_OTHER}")
_OTHER_FEED_URI = re.compile(rf"ssb:feed/{_OTHER}")

_TO_URL = str.maketrans("+/", "-_")
_FROM_URL = str.maketrans("-_", "+/")


def message_uri(text: str) -> str | None:
    """The URI of a message, from its sigil or its URI; None for a text that is no message id.

    Classic ids come as ``ssb:message/classic/<base64url>`` with the ``=`` kept; the URI of another
    format comes back as it is. O(length).

    >>> message_uri("%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256")
    'ssb:message/classic/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw='
    >>> message_uri("ssb:message/bendybutt-v1/HoqvHRNVVQ0ytxAiA5eg62F5t7lsJdM7QZx1-5ekCCk=")
    'ssb:message/bendybutt-v1/HoqvHRNVVQ0ytxAiA5eg62F5t7lsJdM7QZx1-5ekCCk='
    >>> message_uri("%hgtpIhsC.sha256") is None
    True
    """
    if match := _MESSAGE_SIGIL.fullmatch(text):
        return "ssb:message/classic/" + match[1].translate(_TO_URL)
    if match := _CLASSIC_MESSAGE_URI.fullmatch(text):
        return "ssb:message/classic/" + match[1]
    return text if _OTHER_MESSAGE_URI.fullmatch(text) else None


def message_sigil(text: str) -> str | None:
    """The sigil of a classic message, from its URI or its sigil; None for any other text.

    >>> message_sigil("ssb:message/classic/hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6_T9WWGhw=")
    '%hgtpIhsCCdlAxzCLgjPdj9CwGcFzpnKA9f6/T9WWGhw=.sha256'
    """
    if match := _CLASSIC_MESSAGE_URI.fullmatch(text):
        return f"%{match[1].translate(_FROM_URL)}.sha256"
    return text if _MESSAGE_SIGIL.fullmatch(text) else None


def feed_id(text: str) -> str | None:
    """The id of a feed: the sigil of a classic feed, the URI of another; None for any other text.

    >>> feed_id("ssb:feed/ed25519/6kpsY-KcUgq-9VB7Ey7F-ZVHdq6-vnuSQh7qaRRG0iw=")
    '@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519'
    >>> feed_id("ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M=")
    'ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M='
    """
    if _FEED_SIGIL.fullmatch(text):
        return text
    if match := _CLASSIC_FEED_URI.fullmatch(text):
        return f"@{match[1].translate(_FROM_URL)}.ed25519"
    return text if _OTHER_FEED_URI.fullmatch(text) else None


def feed_format(text: str) -> str | None:
    """The name of a feed's format, from its id; None for a text that is no feed id.

    >>> feed_format("@6kpsY+KcUgq+9VB7Ey7F+ZVHdq6+vnuSQh7qaRRG0iw=.ed25519")
    'classic'
    >>> feed_format("ssb:feed/bendybutt-v1/PETZhVe_pMOVSiZJdIm5Hs6cDE5uBMo6bkZART1ti2M=")
    'bendybutt-v1'
    """
    if _FEED_SIGIL.fullmatch(text) or _CLASSIC_FEED_URI.fullmatch(text):
        return "classic"
    match = _OTHER_FEED_URI.fullmatch(text)
    return match[1] if match else None
