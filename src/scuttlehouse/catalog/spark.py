"""The Spark settings that depend on the machine and the environment: ``spark_settings`` in profiles.yml."""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import quote

from scuttlehouse.catalog.damage import forget_damaged, forget_damaged_of, verify_tables
from scuttlehouse.catalog.database import postgresql_address, postgresql_parts
from scuttlehouse.catalog.definitions import BUILDER_OPTION
from scuttlehouse.catalog.home import (
    holds_table_files,
    home_folder,
    prepare_home,
    temporary_folder,
)
from scuttlehouse.catalog.jars import jars
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.names import CATALOG, CatalogError, NothingPublishedError, schemas_of
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.landing.folder import landing_folder, require_apart
from scuttlehouse.s3 import is_in_s3, s3_endpoint, s3_region
from scuttlehouse.warehouse_key import write_private

# Java unpacks SQLite's library of 1 to 2 MB into the home. Without room it only says that it is missing.
LEAST_ROOM_BYTES = 8_000_000


def spark_settings() -> dict[str, str]:
    """The settings for the jars on Spark's class path, the catalog, and the folders of the warehouse.

    From here on, only their owner can read the files that this process and its Java write.

    Raises:
        CatalogError: the home cannot be used, its disk is full, a jar is missing, or a table is damaged.
    """
    settings = catalog_settings()
    home = home_folder()
    _check_room(home)
    if not _names_files_in_utf_8():
        os.environ["LC_ALL"] = "C.UTF-8"
    temporary = temporary_folder(home)
    return settings | {
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars())),
        "spark.driver.defaultJavaOptions": f'"-Djava.io.tmpdir={temporary}"',
        "spark.local.dir": str(temporary),
        "spark.sql.warehouse.dir": str(temporary / "unused"),
    }


def _check_room(home: Path) -> None:
    """Raise CatalogError if the disk of the home is as good as full."""
    free = shutil.disk_usage(home).free
    if free < LEAST_ROOM_BYTES:
        raise CatalogError(
            f"No space left on device: {home} has {free / 1e6:.1f} MB of room, and a build needs more."
            " Make room, or set SCUTTLEHOUSE_HOME to a folder on another disk."
        )


def developer_spark_settings() -> dict[str, str]:
    """The same for the target `dev`, whose schema has the developer's name. dbt makes it before hooks run.

    Raises:
        CatalogError: no schema can have the name, or as :func:`spark_settings` does.
    """
    name = os.environ.get("SCUTTLEHOUSE_DEVELOPER", os.environ.get("USER", ""))
    schemas = schemas_of(f"scuttlehouse_dev_{name}")
    settings, home = spark_settings(), home_folder()
    if holds_table_files(home):
        # While another run of the developer builds, damaged tables may be its own.
        with (
            open_catalog(home) as tables,
            suppress(CatalogError),
            BuildLock(home, schemas.work).alone(),
        ):
            forget_damaged_of(tables, schemas)
    return settings


def big_spark_settings() -> dict[str, str]:
    """The same for millions of messages, where a whole build is long enough for Java's second compiler.

    Of one million messages a whole build takes 14 % less processor time with it, and a refresh 32 % more.

    Raises:
        CatalogError: as :func:`spark_settings` does.
    """
    settings = spark_settings()
    with open_catalog(home_folder()) as catalog:
        is_whole = _is_full_refresh() or catalog.published() is None
    if not is_whole:
        settings["spark.driver.defaultJavaOptions"] += " -XX:TieredStopAtLevel=1"
    return settings


def _is_full_refresh() -> bool:
    from dbt.flags import get_flags

    flags: Any = get_flags()  # type: ignore[no-untyped-call]
    return bool(getattr(flags, "FULL_REFRESH", False))


def catalog_settings() -> dict[str, str]:
    """The settings for the catalog and the tables.

    From here on, only their owner can read the files that this process writes.

    Raises:
        CatalogError: the home cannot be used, or a table is damaged.
        LandingError: as :func:`require_apart` does. Nothing is written into the landing folder.
    """
    os.umask(0o077)
    home = home_folder()
    warehouse = warehouse_location(home)
    require_apart(landing_folder(), home, warehouse)
    prepare_home(home)
    # Where the settings say another place of the tables, nobody may find files there.
    with suppress(NothingPublishedError), open_catalog(home, read_only=True):
        pass
    if holds_table_files(home):
        with open_catalog(home) as tables:
            try:
                verify_tables(tables)
            except CatalogError:
                # While another process builds, damaged tables may be its own.
                with suppress(CatalogError), BuildLock(home).alone():
                    forget_damaged(tables, only_leftovers=True)
                verify_tables(tables)
    address = postgresql_address()
    settings = {
        "warehouse": warehouse,
        **(_s3() if is_in_s3(warehouse) else {}),
        **(
            postgresql(address, temporary_folder(home))
            if address
            else {"uri": f"jdbc:sqlite:file:{home}/catalog.db?{_SQLITE_OPTIONS}"}
        ),
    }
    return {f"spark.sql.catalog.{CATALOG}.{name}": value for name, value in settings.items()}


def _s3() -> dict[str, str]:
    """The catalog's settings for files in S3: no secret, which Java finds as AWS's own tools do."""
    endpoint = s3_endpoint()
    return {
        "io-impl": "org.apache.iceberg.aws.s3.S3FileIO",
        "client.region": s3_region(),
        # A refused request is tried again after a random time of at most 0.1 s, then 0.2 s, and so on, up to
        # 20 s. Fourteen times take 73 s on average, and less than 25 s once in 4,000 times.
        "s3.retry.num-retries": "14",
    } | ({"s3.endpoint": endpoint, "s3.path-style-access": "true"} if endpoint else {})


def _names_files_in_utf_8() -> bool:
    """Whether Java writes file names in UTF-8, as Python does. Java follows the locale."""
    names = (os.environ.get(name) for name in ("LC_ALL", "LC_CTYPE", "LANG"))
    locale = next(filter(None, names), "C")
    return "utf" in locale.lower()


# Several threads commit. Each waits for the others.
_SQLITE_OPTIONS = "busy_timeout=60000&journal_mode=WAL"


# A connection that PostgreSQL has ended says the last three, and PostgreSQL while it starts the first and the
# last. Iceberg then connects again, once.
_CUT_OFF = "08001,57P01,57P02,57P03"


# What an address may say, beside where the server is. Spark's driver has the same words for the same.
_TLS = ("sslmode", "sslrootcert")


def postgresql(address: str, temporary: Path) -> dict[str, str]:
    """The catalog's settings for PostgreSQL, so that Spark connects to the same database as psycopg.

    They do not include the password, because Spark sends settings to its tasks. Spark's driver for
    PostgreSQL finds the password in a file that only this user can read.

    Args:
        address: ``postgresql://user:password@host:port/database``. Missing parts have psycopg's defaults, and
            a missing host is ``localhost``. ``?sslmode=`` and ``sslrootcert=`` may follow.
        temporary: a folder for the password file.

    Raises:
        CatalogError: the address is invalid, or says what Spark's driver does not know.
    """
    given, used = postgresql_parts(address)
    place = ("user", "password", "host", "port", "dbname")
    if others := sorted(given.keys() - {*place, *_TLS}):
        raise CatalogError(
            f"SCUTTLEHOUSE_CATALOG sets {', '.join(others)}, which Spark's driver for PostgreSQL takes for "
            f"something else or not at all: leave it out. It may set {' and '.join(_TLS)}."
        )
    host, port = used.get("host", "localhost"), used["port"]
    if host.startswith(("/", "@")) or "," in host + port:
        raise CatalogError(
            f"SCUTTLEHOUSE_CATALOG or PGHOST names {host}: name one host there. Spark's driver for "
            "PostgreSQL knows no sockets, and the lock of builds is on one server."
        )
    database, user, password = used["dbname"], used.get("user", ""), used.get("password", "")
    if password:
        fields = [host, port, database, user, password]
        line = ":".join(field.replace("\\", "\\\\").replace(":", "\\:") for field in fields)
        file = temporary / "pgpass"
        write_private(file, f"{line}\n".encode())
        os.environ["PGPASSFILE"] = str(file)
    in_uri = f"[{host}]" if ":" in host else host
    return {
        "uri": f"jdbc:postgresql://{in_uri}:{port}/{quote(database, safe='')}",
        "jdbc.options": BUILDER_OPTION,
        "jdbc.user": user,
        "retryable_status_codes": _CUT_OFF,
    } | _tls(used)


def _tls(used: Mapping[str, str]) -> dict[str, str]:
    tls = {f"jdbc.{name}": used[name] for name in _TLS if name in used}
    # With a root certificate psycopg compares the server's with it, and Spark's driver does not.
    if used["sslmode"] == "require" and "sslrootcert" in used:
        tls["jdbc.sslmode"] = "verify-ca"
    return tls
