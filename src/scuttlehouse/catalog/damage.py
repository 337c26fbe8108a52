"""Metadata files that are missing or damaged: find them, and forget the tables that they are of."""

from __future__ import annotations

from scuttlehouse.catalog import checksums, rows
from scuttlehouse.catalog.names import (
    LOG,
    MAIN,
    START_ANEW,
    Schemas,
    advice_for,
)
from scuttlehouse.catalog.publishing import Catalog


def verify_tables(catalog: Catalog) -> None:
    """Check the metadata files that Spark reads when it lists tables.

    Without this, Spark retries a damaged file for a minute and a half.

    Raises:
        UnusableError: a file is missing or damaged. The message names the table and the file.
    """
    seen = _damaged(catalog, MAIN)
    # Another build may have replaced and removed the file in the meantime.
    for (namespace, name), file in _damaged(catalog, MAIN).items() & seen.items():
        checksums.verify_table(f"{namespace}.{name}", file, advice_for(name))


def verify_base(catalog: Catalog, schemas: Schemas) -> None:
    """Check the metadata files of the tables that a refresh started from: dbt lists them when a run begins.

    They may be those of an older build, which no work table has any more.

    Raises:
        UnusableError: a file is missing or damaged. The message names the table and the file.
    """
    advice = "Restore the file from a backup, or run `scuttlehouse build`."
    for name, file in catalog.tables(schemas.base).items():
        checksums.verify_table(f"{schemas.base}.{name}", file, advice)


def verify_kept(catalog: Catalog) -> None:
    """Check the metadata files of the kept builds, the published one first.

    Raises:
        UnusableError: a file is missing or damaged. The message names the table, the build and the file.
    """
    for build in catalog.kept():
        for tables in build.public, build.tables, build.views:
            build.verify(tables, START_ANEW)


def forget_damaged(catalog: Catalog, *, only_leftovers: bool = False) -> list[str]:
    """Forget work tables, the log and rows that failed a test, if their metadata file is missing or damaged.

    While a namespace names one of these, Spark cannot list its tables, and no file is removed.

    Args:
        only_leftovers: forget neither the log nor tables of the published build. The next build drops other
            work tables anyway.

    Returns:
        The names of the forgotten tables that the next build makes again.
    """
    with catalog.database.transaction():
        damaged = _damaged(catalog, MAIN)
        if only_leftovers:
            published = catalog.published()
            kept = set(published.tables.values()) if published else set()
            damaged = {
                table: file
                for table, file in damaged.items()
                if table[0] != LOG and file not in kept
            }
        rows.forget(catalog.database, list(damaged))
    return [name for namespace, name in damaged if namespace != MAIN.failures]


def forget_damaged_of(catalog: Catalog, schemas: Schemas) -> None:
    """Forget tables of a developer, and of the developer's log, if their metadata file is missing or damaged.

    The developer's next build begins with the published tables, and with a copy of the published log.
    """
    with catalog.database.transaction():
        rows.forget(catalog.database, list(_damaged(catalog, schemas)))


def _damaged(catalog: Catalog, schemas: Schemas) -> dict[tuple[str, str], str]:
    return {
        (namespace, name): file
        for namespace in (schemas.work, schemas.log, schemas.failures)
        for name, file in rows.tables_in(catalog.database, namespace).items()
        if not checksums.is_whole(file)
    }
