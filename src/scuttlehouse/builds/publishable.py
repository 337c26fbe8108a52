"""Which tables a run may publish. Readers must never see a published table beside an untested one."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from typing import Any

# The ledger says which logs have been read. Published without all tables, it could hide unread lines.
LEDGER = "dim_logs"

# The commands of a build lead from the published order of a tangle to the next one. If one of the two were
# published without the other, the commands would lead to no published order from then on.
ORDERS_AND_COMMANDS = frozenset({"fct_tangle_messages", "fct_timeline_updates"})

FAILED = ("error", "fail", "partial success", "runtime error")
NOT_PASSED = (*FAILED, "skipped")

Nodes = Mapping[str, Mapping[str, Any]]


def public_models(nodes: Nodes, schema: str) -> dict[str, str]:
    """The models of a schema that are published: the id of each, by the name of its table."""
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


def _parts_of_models(nodes: Nodes) -> set[str]:
    """The ids of the models that make nothing: dbt puts them into those that read them."""
    models = {name for name, node in nodes.items() if node["resource_type"] == "model"}
    return models - all_models(nodes)


def all_seeds(nodes: Nodes) -> set[str]:
    """The ids of all seeds."""
    return {name for name, node in nodes.items() if node["resource_type"] == "seed"}


def all_steps(nodes: Nodes) -> set[str]:
    """The ids of all nodes that a whole build runs, and of parts of other models."""
    kinds = ("model", "seed", "snapshot", "test")
    return {name for name, node in nodes.items() if node["resource_type"] in kinds}


def publishable(
    nodes: Nodes, passed: Collection[str], schema: str, *, is_refresh: bool
) -> set[str]:
    """The public tables of a schema that a build may publish, by name, if these nodes have passed in it.

    A table is publishable if it has passed, and so has everything that depends on it: its tests, the tables
    that are made from it, and their tests. The ledger is publishable only if every table has passed. In a
    build that is not a refresh, everything that the table is made from must have passed too, because an
    earlier refresh may have left tables there that hold only touched rows, and seeds may have changed.

    Complexity: O(public tables * nodes).
    """
    readers = _readers(nodes)
    parents = {name: _parents(node) for name, node in nodes.items()}
    models = all_models(nodes)
    made = models & set(passed)
    of_this_build = _reached(made, readers) & models if is_refresh else models | all_seeds(nodes)

    def is_publishable(table: str, model: str) -> bool:
        needed = _reached([model], readers)
        needed |= _reached([model], parents) & of_this_build
        return (table != LEDGER or made == models) and needed <= set(passed)

    tables = public_models(nodes, schema)
    found = {table for table, model in tables.items() if is_publishable(table, model)}
    return found if found >= ORDERS_AND_COMMANDS else found - ORDERS_AND_COMMANDS


def left_out(nodes: Nodes, selected: Collection[str], *, is_refresh: bool) -> set[str]:
    """The models that a run reads, itself or by way of others, and does not make, and that may lack rows.

    In a refresh, these are the models between two that it makes.
    """
    models = all_models(nodes)
    made = models & set(selected)
    found = _reached(made, {name: _parents(node) for name, node in nodes.items()}) & models - made
    return found & _reached(made, _readers(nodes)) if is_refresh else found


def absent_tables(
    nodes: Nodes, selected: Collection[str], present: Collection[str], schema: str
) -> set[str]:
    """The tables of a schema that a run reads, does not make, and that are not there, by name.

    What its tests read counts only if it makes no model.
    """
    tables = {
        name: node["alias"]
        for name, node in nodes.items()
        if node["resource_type"] in ("model", "seed")
        and node["config"]["materialized"] in ("table", "incremental", "seed")
        and node["schema"] == schema
    }
    of_kind = {
        kind: [name for name in selected if name.startswith(f"{kind}.")]
        for kind in ("model", "test")
    }
    read = read_by(nodes, of_kind["model"] or of_kind["test"])
    return {tables[name] for name in (read & tables.keys()) - set(selected)} - set(present)


def tables_elsewhere(nodes: Nodes, selected: Collection[str]) -> set[str]:
    """The tables that a run with `--defer` may read in place of those of its own schema, by full name."""
    read = read_by(nodes, [name for name in selected if name in nodes])
    return {
        f"{place['schema']}.{place['alias']}"
        for name in read & nodes.keys()
        if (place := nodes[name].get("defer_relation"))
        and (place["schema"], place["alias"]) != (nodes[name]["schema"], nodes[name]["alias"])
    }


def read_by(nodes: Nodes, chosen: Collection[str]) -> set[str]:
    """The ids of what these nodes read, themselves or in parts of them, without the nodes."""
    known = {*chosen, *_parts_of_models(nodes)}
    return _reached(chosen, {name: _parents(nodes[name]) for name in known}) - known


def passed_so_far(
    nodes: Nodes, before: Collection[str], statuses: Mapping[str, str]
) -> frozenset[str]:
    """The nodes that have passed in a build and its retries, on the tables that are there now.

    What passed before no longer counts if it reads what the last run made again: that may have other rows.
    Parts of other models count as passed, because dbt has no result for them.

    Args:
        nodes: all nodes of the project.
        before: what had passed before the last run.
        statuses: what the last run ran, with dbt's statuses.

    Complexity: O(nodes + links between them).
    """
    reading_it = _reached(statuses, _readers(nodes))
    now = {node for node, status in statuses.items() if status not in NOT_PASSED}
    return frozenset((set(before) - reading_it | now | _parts_of_models(nodes)) & nodes.keys())


def _reached(starts: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """The starts, and all that edges lead to from them."""
    found: set[str] = set()
    waiting = [*starts]
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
    """The key columns of some tables, taken from the first key test of each."""
    keys: dict[str, list[str]] = {}
    for node in nodes.values():
        test = node.get("test_metadata")
        if test and test["name"] == "is_key":
            table = nodes[node["attached_node"]]["alias"]
            keys.setdefault(table, list(test["kwargs"]["columns"]))
    return {table: keys[table] for table in tables if table in keys}
