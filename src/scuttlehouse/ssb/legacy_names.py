"""Names that older software and documents give what has another name today.

==================  ========================  ========================================================
name                today                     where it comes from
==================  ========================  ========================================================
group/exclude       group/exclude-member      private-group-spec 6.0.0; 7.0.0 renamed it
group/add-members   group/add-member          group exclusion specification, 4.1.5.A
initialMsg          root (of an addition)     private-group-spec 0.0.1 and ssb-private2 0.0.1
invitations         group/additions (a feed)  ssb-tribes2 0.2.0, ssb-meta-feeds-group-spec before 1.0
==================  ========================  ========================================================

``groupKey``, the older name of an epoch's key, is in :mod:`scuttlehouse.ssb.epoch_keys`.
"""

from __future__ import annotations

from typing import Any

ADDITION = "group/add-member"

_TYPES = {"group/exclude": "group/exclude-member", "group/add-members": ADDITION}
_PURPOSES = {"invitations": "group/additions"}
_ROOT = "initialMsg"


def content_type(content: object) -> str | None:
    """The type of a content. None if it has none.

    >>> content_type({"type": "group/exclude"}), content_type({"type": "post"}), content_type("AAAA.box")
    ('group/exclude-member', 'post', None)
    """
    kind = content.get("type") if isinstance(content, dict) else None
    return _TYPES.get(kind, kind) if isinstance(kind, str) else None


def feed_purpose(purpose: str) -> str:
    """The purpose that a feed is announced for.

    >>> feed_purpose("invitations"), feed_purpose("main")
    ('group/additions', 'main')
    """
    return _PURPOSES.get(purpose, purpose)


def with_root(content: Any) -> Any:
    """A content with its root under the name of today. The same object if nothing is renamed.

    >>> with_root({"type": "group/add-member", "initialMsg": "%a"})
    {'type': 'group/add-member', 'root': '%a'}
    """
    if content_type(content) != ADDITION or "root" in content or _ROOT not in content:
        return content
    return {"root" if name == _ROOT else name: part for name, part in content.items()}
