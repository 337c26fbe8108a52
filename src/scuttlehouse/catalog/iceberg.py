"""The catalog as pyiceberg sees it, for the few tables that are written without Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.database import postgresql_address
from scuttlehouse.catalog.names import CATALOG

if TYPE_CHECKING:
    from pyiceberg.catalog.sql import SqlCatalog


def iceberg_catalog(home: Path) -> SqlCatalog:
    """The tables of a home. pyiceberg is imported here, which takes half a second."""
    from pyiceberg.catalog.sql import SqlCatalog

    address = postgresql_address()
    uri = f"postgresql+psycopg:{address.partition(':')[2]}" if address else f"sqlite:///{home}/catalog.db"
    return SqlCatalog(
        CATALOG, uri=uri, warehouse=str(home / "warehouse"), init_catalog_tables="false"
    )


def write_sidecars(metadata_file: str) -> None:
    """Write the checksums of a table's files that have none, as Spark does for those that it writes."""
    for path in Path(metadata_file).parents[1].rglob("*"):
        if path.suffix != ".crc" and path.is_file() and not checksums.sidecar(path).exists():
            checksums.write(path)
