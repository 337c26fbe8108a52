"""The rows of the catalog database: Iceberg's rows, one for each table of a namespace, and our records."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from scuttlehouse.catalog.database import CatalogDatabase
from scuttlehouse.catalog.names import CATALOG, FROM_NOTHING, CatalogError
from scuttlehouse.catalog.records import Build, State, build_of, seal, state_of


def tables_in(database: CatalogDatabase, namespace: str, kind: str = "TABLE") -> dict[str, str]:
    """The metadata files of the tables (or, for the kind ``VIEW``, views) of a namespace, by name."""
    rows = database.rows(
        "select table_name, metadata_location from iceberg_tables where catalog_name = ? "
        "and table_namespace = ? and coalesce(iceberg_type, 'TABLE') = ?",
        *(CATALOG, namespace, kind),
    )
    return dict(rows)


def all_tables(database: CatalogDatabase) -> dict[str, str]:
    """The names of all tables and views of the catalog database, by their metadata files."""
    rows = database.rows(
        "select metadata_location, table_namespace, table_name from iceberg_tables "
        "where metadata_location is not null"
    )
    return {file: f"{namespace}.{name}" for file, namespace, name in rows}


def namespaces(database: CatalogDatabase) -> set[str]:
    """The names of all namespaces."""
    query = "select namespace from iceberg_namespace_properties where catalog_name = ?"
    return {namespace for [namespace] in database.rows(query, CATALOG)}


def point(
    database: CatalogDatabase,
    namespace: str,
    tables: Mapping[str, str],
    views: Mapping[str, str] | None = None,
) -> None:
    """Make these the only tables and views of a namespace. Call this in a transaction."""
    drop(database, namespace)
    # Spark and pyiceberg mark a namespace in the same way.
    database.execute(
        "insert into iceberg_namespace_properties values (?, ?, 'exists', 'true')",
        *(CATALOG, namespace),
    )
    rows = [(name, file, "TABLE") for name, file in tables.items()]
    rows += [(name, file, "VIEW") for name, file in (views or {}).items()]
    database.execute_many(
        "insert into iceberg_tables (catalog_name, table_namespace, table_name, metadata_location, "
        "iceberg_type) values (?, ?, ?, ?, ?)",
        [(CATALOG, namespace, *row) for row in rows],
    )


def drop(database: CatalogDatabase, namespace: str) -> None:
    """Drop a namespace and its entries. The files stay."""
    for statement in (
        "delete from iceberg_tables where catalog_name = ? and table_namespace = ?",
        "delete from iceberg_namespace_properties where catalog_name = ? and namespace = ?",
    ):
        database.execute(statement, CATALOG, namespace)


def forget(database: CatalogDatabase, tables: Iterable[tuple[str, str]]) -> None:
    """Drop some tables, each given as a namespace and a name. Their files stay."""
    database.execute_many(
        "delete from iceberg_tables where catalog_name = ? and table_namespace = ? and table_name = ?",
        [(CATALOG, *table) for table in tables],
    )


def read_records(database: CatalogDatabase) -> tuple[State, dict[str, Build]]:
    """The state, and the kept builds by id, as they are at one moment.

    Raises:
        CatalogError: a record is missing or damaged.
    """
    rows = database.rows(
        "select s.record, s.checksum, b.record, b.checksum "
        "from scuttlehouse_state s left join scuttlehouse_builds b on 1 = 1"
    )
    try:
        state = state_of(*rows[0][:2])
        builds = [build_of(*row[2:]) for row in rows if row[2] is not None]
        by_id = {build.build_id: build for build in builds}
        return state, {build_id: by_id[build_id] for build_id in state.builds}
    except (CatalogError, LookupError):
        raise CatalogError(
            "The records of builds in the catalog are damaged: restore the catalog from a backup, "
            f"or set SCUTTLEHOUSE_HOME to a new folder and build there, {FROM_NOTHING}"
        ) from None


def write_state(database: CatalogDatabase, state: State) -> None:
    """Write the state, and remove the records of builds that the state does not name."""
    database.execute("update scuttlehouse_state set record = ?, checksum = ?", *seal(state))
    for [build_id] in database.rows("select build_id from scuttlehouse_builds"):
        if build_id not in state.builds:
            database.execute("delete from scuttlehouse_builds where build_id = ?", build_id)


def write_build(database: CatalogDatabase, build: Build) -> None:
    """Write the record of a new build."""
    insert = "insert into scuttlehouse_builds (build_id, record, checksum) values (?, ?, ?)"
    database.execute(insert, build.build_id, *seal(build))
