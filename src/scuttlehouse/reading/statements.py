"""Decide which statements run: queries over the published tables, and nothing else.

The decision depends on the tree that DuckDB's own parser makes, never on the text. The statement must be a
single query, and every table function in it must be one of the few that read no file.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import duckdb

from scuttlehouse.reading.engine import WarehouseError, first_sentences, literal, rows_of

# These make rows from their arguments. All others may read files, memory or settings.
TABLE_FUNCTIONS = frozenset({"generate_series", "json_each", "json_tree", "range", "unnest"})

# DuckDB makes a type for a pivot that does not list its values, so that is no query.
NO_QUERY = (
    "Only queries are answered: begin with select, with, show or describe, and list the values of a "
    "pivot (on state in ('a', 'b'))."
)
_SEVERAL = "Only one query is answered at a time: remove what follows the first semicolon."

# What the parser calls `show tables`, which lists the published schema. All others list more.
_SHOW_TABLES = '"tables"'


class TableName(NamedTuple):
    """A table as a query names it, in lower case. A part that the query leaves out is empty."""

    catalog: str
    schema: str
    table: str

    def __str__(self) -> str:
        return ".".join(part for part in self if part)


@dataclass(frozen=True)
class Query:
    """A query that is allowed to run.

    Attributes:
        statement: what DuckDB runs.
        tables: every name that the query uses as a table, including its common table expressions.
        own_names: the names of its common table expressions, in lower case.
        lists_tables: whether the query lists the published tables.
        lists_all_tables: whether it lists those of all builds.
    """

    statement: duckdb.Statement
    tables: frozenset[TableName]
    own_names: frozenset[str]
    lists_tables: bool
    lists_all_tables: bool


def read_query(connection: duckdb.DuckDBPyConnection, text: str) -> Query:
    """Parse a statement. It does not run, and its tables are not looked up.

    Raises:
        WarehouseError: the text is not a single query, cannot be parsed, or calls a table function that
            may read more than its arguments.

    Linear in the size of the statement.

    >>> query = read_query(duckdb.connect(), "with a as (from b) select * from a, c.d")
    >>> sorted(map(str, query.tables)), sorted(query.own_names)
    (['a', 'b', 'c.d'], ['a'])
    """
    try:
        # This only parses. extract_statements would run a pragma.
        [(tree,)] = rows_of(connection, f"select json_serialize_sql({literal(text)})")
        parsed = json.loads(tree)
        if parsed["error"] and parsed["error_type"] == "parser":
            raise WarehouseError(
                f"DuckDB cannot parse it: {first_sentences(parsed['error_message'])}"
            )
        if parsed["error"] or not parsed["statements"]:
            raise WarehouseError(NO_QUERY)
        if len(parsed["statements"]) > 1:
            raise WarehouseError(_SEVERAL)
        [statement] = connection.extract_statements(text)
    except duckdb.Error as error:
        raise WarehouseError(first_sentences(str(error))) from None
    except UnicodeEncodeError:
        raise WarehouseError("The query has bytes that are no text: write it in UTF-8.") from None
    except RecursionError:
        raise WarehouseError("The query is nested too deeply: split it with `with`.") from None
    if statement.type != duckdb.StatementType.SELECT:
        raise WarehouseError(NO_QUERY)
    return _read_tree(statement, parsed)


def _read_tree(statement: duckdb.Statement, tree: dict[str, Any]) -> Query:
    tables: set[TableName] = set()
    own: set[str] = set()
    listed: set[str] = set()
    for node in _nodes(tree):
        if "cte_map" in node:
            own.update(entry["key"].lower() for entry in node["cte_map"]["map"])
        match node.get("type"):
            case "TABLE_FUNCTION":
                function = node["function"]["function_name"]
                if function not in TABLE_FUNCTIONS:
                    raise WarehouseError(
                        f"The table function {function} is not available: queries read the "
                        "published tables, and `show tables` lists them."
                    )
            case "BASE_TABLE":
                names = node["catalog_name"], node["schema_name"], node["table_name"]
                tables.add(TableName(*(name.lower() for name in names)))
            case "SHOW_REF" if node["query"] is None:
                listed.add(node["table_name"])
    return Query(
        statement,
        frozenset(tables),
        frozenset(own),
        lists_tables=bool(listed),
        lists_all_tables=not listed <= {_SHOW_TABLES},
    )


def _nodes(tree: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Every object of a tree of JSON."""
    rest: list[Any] = [tree]
    while rest:
        node = rest.pop()
        if isinstance(node, dict):
            yield node
            rest.extend(node.values())
        elif isinstance(node, list):
            rest.extend(node)
