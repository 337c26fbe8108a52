"""Members that are null: tables have one for each member that a message lacks, and encoders leave them out.

A table of messages (DuckDB, Polars, pandas) has a column for each member of any message in it, so that its
export has null where a message has none. Spark, Go with omitempty and others leave out what is null.
JavaScript writes null for a number that no double can hold, so such a number counts as null here.
"""

from __future__ import annotations

import json
import math
from typing import Any

_NULLS = (None, math.inf, -math.inf)

# The field of the first message of a tangle.
_FIRST = {"root": None, "previous": None}


def without_nulls(content: Any) -> Any:
    """A content without members that are null, but with those of the first message of a tangle.

    Authors write ``{"root": null, "previous": null}`` there, and hardly any other null. So an empty field has
    both. The same object if nothing changes.

    Complexity: O(length of the content).

    >>> without_nulls({"type": "post", "root": None, "tangles": {"group": {}, "epoch": None}})
    {'type': 'post', 'tangles': {'group': {'root': None, 'previous': None}}}
    """
    if not isinstance(content, dict) or not (_holds_null(content) or _has_empty_field(content)):
        return content
    read = {
        name: _fields(part) if name == "tangles" else _bare(part)
        for name, part in content.items()
        if part not in _NULLS
    }
    return content if read == content else read


def has_nulls(content: object) -> bool:
    """Whether a content has a member that is null.

    >>> has_nulls({"type": "post", "root": None}), has_nulls({"type": "post"}), has_nulls(None)
    (True, False, False)
    """
    return isinstance(content, dict) and None in content.values()


def _holds_null(content: dict[str, Any]) -> bool:
    """Whether null is anywhere in a content. Most have none, and this is faster than writing them."""
    left: list[Any] = [content]
    for part in left:
        if part in _NULLS:
            return True
        kind = type(part)  # Faster than isinstance.
        if kind is dict:
            left += part.values()
        elif kind is list:
            left += part
    return False


def _has_empty_field(content: dict[str, Any]) -> bool:
    tangles = content.get("tangles")
    return isinstance(tangles, dict) and any(field == {} for field in tangles.values())


def _fields(tangles: Any) -> Any:
    if not isinstance(tangles, dict):
        return tangles
    return {name: _field(field) for name, field in tangles.items() if field is not None}


def _field(field: Any) -> Any:
    """The field of a first message with both its nulls and no others; any other field as it is (R6)."""
    may_be_first = isinstance(field, dict) and (not field or _FIRST.keys() <= field.keys())
    return dict(_FIRST) if may_be_first and all(one is None for one in field.values()) else field


def _bare(part: Any) -> Any:
    """A value without members that are null, at any depth."""
    text = json.dumps(part) if isinstance(part, dict | list) else ""
    if "null" not in text and "Infinity" not in text:
        return part
    return json.loads(text, object_pairs_hook=_members, parse_int=float)


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    return {name: part for name, part in pairs if part not in _NULLS}
