"""Which tables a run may publish: no reader may see a published table beside an untested one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

# It says which logs have been read. With the tables of a part, lines could count as read that no table has.
LEDGER = "dim_logs"

Nodes = Mapping[str, Mapping[str, Any]]


def public_models(nodes: Nodes, schema: str) -> dict[str, str]:
    """The models of a schema that are published: their ids by the name of their table."""
    return {
        node["alias"]: name
        for name, node in nodes.items()
        if node["resource_type"] == "model"
        and node["schema"] == schema
        and str(node["config"].get("access") or node.get("access")) == "public"
    }


def all_models(nodes: Nodes) -> set[str]:
    """The ids of all models that make a table or a view."""
    return {
        name
        for name, node in nodes.items()
        if node["resource_type"] == "model" and node["config"]["materialized"] != "ephemeral"
    }


def publishable(
    nodes: Nodes, chosen: Collection[str], schema: str, *, is_refresh: bool
) -> set[str]:
    """The public tables of a schema that a run may publish, by name, if all chosen nodes pass.

    A table is publishable if the run makes it and runs all that depends on it: its tests, the tables that are
    made of it, and their tests. The ledger is publishable only in a run that makes every table. A run that
    refreshes nothing must make all that a table is made of, too: what an earlier refresh has left there
    holds touched rows only.

    Complexity: O(public tables * nodes).
    """
    readers = _readers(nodes)
    parents = {name: _parents(node) for name, node in nodes.items()}
    makes_all = all_models(nodes) <= set(chosen)

    def is_publishable(table: str, model: str) -> bool:
        needed = _reached(model, readers)
        if not is_refresh:
            needed |= _reached(model, parents) & all_models(nodes)
        return (table != LEDGER or makes_all) and needed <= set(chosen)

    tables = public_models(nodes, schema)
    return {table for table, model in tables.items() if is_publishable(table, model)}


def _reached(start: str, edges: Mapping[str, Iterable[str]]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        node = waiting.pop()
        if node not in found:
            found.add(node)
            waiting.extend(edges.get(node, ()))
    return found


def _readers(nodes: Nodes) -> dict[str, list[str]]:
    readers: dict[str, list[str]] = {}
    for name, node in nodes.items():
        for parent in _parents(node):
            readers.setdefault(parent, []).append(name)
    return readers


def _parents(node: Mapping[str, Any]) -> Iterable[str]:
    parents: Iterable[str] = node.get("depends_on", {}).get("nodes", ())
    return parents


def keys_of(nodes: Nodes, tables: Collection[str]) -> dict[str, list[str]]:
    """The key columns of tables, as their first test of a key says; tables without one are left out."""
    keys: dict[str, list[str]] = {}
    for node in nodes.values():
        test = node.get("test_metadata")
        if test and test["name"] == "is_key":
            table = nodes[node["attached_node"]]["alias"]
            keys.setdefault(table, list(test["kwargs"]["columns"]))
    return {table: keys[table] for table in tables if table in keys}
