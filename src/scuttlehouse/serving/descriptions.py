"""The descriptions of tables and columns, which Iceberg keeps in the metadata file of a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from scuttlehouse.reading.engine import identifier, literal


def comments(table: str, metadata: Mapping[str, Any]) -> Iterator[str]:
    """What sets the descriptions that the metadata file of a table has."""
    comment = metadata.get("properties", {}).get("comment")
    if comment:
        yield f"comment on table {table} is {literal(comment)}"
    current = metadata["current-schema-id"]
    schema = next(one for one in metadata["schemas"] if one["schema-id"] == current)
    for field in schema["fields"]:
        if field.get("doc"):
            column = f"{table}.{identifier(field['name'])}"
            yield f"comment on column {column} is {literal(field['doc'])}"
