"""Open tables of the warehouse with pyiceberg, and write checksums for its new files."""

from __future__ import annotations

import errno
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import quote

from scuttlehouse.catalog import checksums, storage
from scuttlehouse.catalog.database import postgresql_address
from scuttlehouse.catalog.definitions import BUILDER_OPTION
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import CATALOG, CatalogError, UnusableError
from scuttlehouse.s3 import is_in_s3, retry_strategy, s3_endpoint, s3_region

if TYPE_CHECKING:
    from pyiceberg.table import Table

    from scuttlehouse.catalog.publishing import Catalog

# A change takes about a second. Users of SQLite's catalog wait as long for each other.
_PATIENCE_SECONDS = 60.0

_TOLERATED_SECONDS = 60

# What writing fails with if the disk takes no more, though nothing on it is damaged.
_DISK_ERRORS = errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EROFS, errno.EACCES


@contextmanager
def changing(catalog: Catalog, home: Path, namespace: str, name: str) -> Iterator[Table]:
    """Open a table to change it. Afterwards only their owner can read the new files, and they have checksums.

    One process at a time changes tables of a home; others wait. So the block sees the table as it is, and the
    new files are its own.

    Raises:
        UnusableError: the metadata file of the table is missing or damaged, the table cannot be changed, or
            the clock is behind its last change.
        CatalogError: the disk takes no more, or another process changes tables for a minute.
    """
    with (
        BuildLock(home, "changes").alone(_PATIENCE_SECONDS),
        _opened(catalog, home, namespace, name) as table,
    ):
        yield table


@contextmanager
def _opened(catalog: Catalog, home: Path, namespace: str, name: str) -> Iterator[Table]:
    # Imported here because the import takes half a second, and most builds need it for no table.
    from pyiceberg.catalog.sql import SqlCatalog
    from pyiceberg.exceptions import CommitFailedException, ValidationException
    from sqlalchemy.exc import SQLAlchemyError

    checksums.verify(catalog.tables(namespace)[name])
    tables = SqlCatalog(
        CATALOG, uri=_address(home), warehouse=storage.warehouse_location(home), **_s3_properties()
    )
    try:
        table = tables.load_table((namespace, name))
        require_order(table.metadata.last_updated_ms)
        with _closed_to_others(table.location()):
            yield table
    except (
        CommitFailedException,
        ValidationException,
        OSError,
        SQLAlchemyError,
        ValueError,
    ) as error:
        # Of an error of the database, its own words, without the statement.
        said = " ".join(str(getattr(error, "orig", error)).split()).rstrip(".")
        kind = CatalogError if getattr(error, "errno", None) in _DISK_ERRORS else UnusableError
        raise kind(f"The table {namespace}.{name} cannot be changed: {said}.") from None
    finally:
        tables.close()


def require_order(changed_ms: int) -> None:
    """See to it that what changes now comes after an earlier change, by this machine's clock.

    Iceberg never reads a table again whose changes are not in the order of their times. It allows a minute.

    Args:
        changed_ms: Unix time of the earlier change, in milliseconds.

    Raises:
        UnusableError: the clock is behind.

    >>> require_order(0)
    """
    if is_ahead(changed_ms):
        raise UnusableError(
            f"The clock of this machine is behind: the last run ended at {_utc(changed_ms)}. "
            "Correct the clock. If it was ahead at that time, run `scuttlehouse build --full-refresh`, "
            "which makes all tables again and begins a new log of runs."
        )


def is_ahead(changed_ms: int) -> bool:
    """Whether a change, at this Unix time in milliseconds, is later than now, and not by a minute at most."""
    return changed_ms > (time.time() + _TOLERATED_SECONDS) * 1000


def require_steady_clock(table: str, changed_ms: int) -> None:
    """See to it that no change of a build is in the future, by the clock at its end.

    No later build could change the table before that time.

    Raises:
        CatalogError: the clock has gone back since.

    >>> require_steady_clock("dim_groups", 0)
    """
    if is_ahead(changed_ms):
        raise CatalogError(
            f"The clock of this machine has gone back during the build: the table {table} was written at "
            f"{_utc(changed_ms)}. So nothing is published: correct the clock, and build again."
        )


def _utc(milliseconds: int) -> str:
    return f"{datetime.fromtimestamp(milliseconds / 1000, UTC):%Y-%m-%d %H:%M:%S UTC}"


def forget_history(table: Table) -> None:
    """Keep only the current snapshot of a table. No file is removed."""
    current = table.metadata.current_snapshot_id
    ids = [snapshot.snapshot_id for snapshot in table.snapshots()]
    old = [snapshot_id for snapshot_id in ids if snapshot_id != current]
    table.maintenance.expire_snapshots().by_ids(old).commit()


@contextmanager
def _closed_to_others(location: str) -> Iterator[None]:
    """Give what is written to a folder of this disk meanwhile to its owner only, with checksums."""
    if is_in_s3(location):
        yield
        return
    folder = Path(location)
    before = set(folder.rglob("*"))
    yield
    for path in set(folder.rglob("*")) - before:
        path.chmod(0o700 if path.is_dir() else 0o600)
        if path.is_file():
            checksums.write(path)


def _s3_properties() -> dict[str, str]:
    endpoint = s3_endpoint()
    retries = f"{retry_strategy.__module__}.{retry_strategy.__name__}"
    properties = {"s3.region": s3_region(), "s3.retry-strategy-impl": retries}
    return properties | ({"s3.endpoint": endpoint} if endpoint else {})


def _address(home: Path) -> str:
    address = postgresql_address()
    if address:
        rest = address.partition("://")[2]
        option = quote(BUILDER_OPTION)
        return f"postgresql+psycopg://{rest}{'&' if '?' in rest else '?'}options={option}"
    return f"sqlite:///{home / 'catalog.db'}?timeout=60"
