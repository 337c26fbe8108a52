"""Open the catalog of a home: make its tables if they are missing, and check that it is this home's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scuttlehouse.catalog.database import (
    LOCK_OF_MAKING,
    CatalogDatabase,
    open_postgresql,
    open_sqlite,
    postgresql_address,
)
from scuttlehouse.catalog.definitions import ALL_COLUMNS, TABLES
from scuttlehouse.catalog.home import holds_table_files, refuse_earlier_version
from scuttlehouse.catalog.names import (
    FROM_NOTHING,
    PUBLISHED,
    WORK,
    CatalogError,
    NothingPublishedError,
)
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.records import Build, State, seal
from scuttlehouse.catalog.rows import read_records, tables_in
from scuttlehouse.catalog.storage import warehouse_location


@contextmanager
def open_catalog(home: Path, *, read_only: bool = False) -> Iterator[Catalog]:
    """Open the catalog of a home. Missing tables are made.

    Args:
        home: an absolute path, as :func:`scuttlehouse.catalog.home.home_folder` gives it.
        read_only: write nothing, for people who may only read the home. With SQLite, this opens a copy
            of the catalog as it is now, in memory unless there is a write-ahead log.

    Raises:
        CatalogError: nothing is published yet (only if ``read_only``); the catalog is missing, damaged
            or of another home; its tables are elsewhere than the settings say; or a database refuses a
            statement of the block. So the block must not use any other database.
    """
    address = postgresql_address()
    opened = open_postgresql(address) if address else open_sqlite(home / "catalog.db", read_only)
    with opened as database:
        if not database.has_state():
            refuse_earlier_version(home)
            if holds_table_files(home):
                raise CatalogError(
                    f"{home / 'warehouse'} holds tables, but the catalog that names them is missing: "
                    f"restore it from a backup, or move {home} away and build again, {FROM_NOTHING}"
                )
            if read_only:
                raise NothingPublishedError(home)
            _make_tables(database, home)
        for statement in ALL_COLUMNS:
            database.execute(statement)
        recorded = read_records(database)[0].home
        if recorded != str(home):
            raise CatalogError(
                f"The catalog of {home} belongs to the home {recorded}, because its tables name their "
                "files by full paths. A home cannot be copied or moved. Use it where it was, or set "
                f"SCUTTLEHOUSE_HOME to a new folder and build there, {FROM_NOTHING}"
            )
        _refuse_another_place(database, home)
        yield Catalog(database)


def published_build(home: Path) -> Build | None:
    """The published build of a home. None if there is none.

    Raises:
        CatalogError: as :func:`open_catalog`, which only reads here.
    """
    with open_catalog(home, read_only=True) as catalog:
        return catalog.published()


def _refuse_another_place(database: CatalogDatabase, home: Path) -> None:
    """Refuse a setting that says another place of the tables than the one that they are in.

    Nobody can read them with the settings of that place: they would be called damaged.

    Raises:
        CatalogError: no table is where the environment says, or it names no place.
    """
    place = warehouse_location(home)
    files = [file for name in (PUBLISHED, WORK) for file in tables_in(database, name).values()]
    if files and not any(file.startswith(f"{place}/") for file in files):
        raise CatalogError(
            f"The tables of {home} are not in {place} (one is {min(files)}): set SCUTTLEHOUSE_WAREHOUSE as "
            "it was when they were built, or unset it if they are in the home. To have them elsewhere, set "
            f"SCUTTLEHOUSE_HOME to a new folder and build there, {FROM_NOTHING}"
        )


def _make_tables(database: CatalogDatabase, home: Path) -> None:
    with database.transaction(LOCK_OF_MAKING):
        for statement in TABLES:
            database.execute(statement)
        database.execute(
            "insert into scuttlehouse_state (only_row, record, checksum) values (1, ?, ?) "
            "on conflict do nothing",
            *seal(State(str(home))),
        )
