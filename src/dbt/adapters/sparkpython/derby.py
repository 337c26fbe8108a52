"""Spark's embedded Derby metastore, which lets one process in at a time."""

from __future__ import annotations

import re
import shutil
import time
from pathlib import Path

from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.sparkpython.owners import holder, is_locked

URL_KEYS = (
    "spark.hadoop.javax.jdo.option.ConnectionURL",
    "spark.hive.javax.jdo.option.ConnectionURL",
    "javax.jdo.option.ConnectionURL",
)
SPARK_DEFAULT_URL = "jdbc:derby:;databaseName=metastore_db;create=true"
# The Java process of a dbt run that was killed lets go of the metastore within about a second.
GRACE_SECONDS = 5.0


# What Derby puts into the folder of a database that it makes.
_DERBY_NAMES = {"seg0", "log", "tmp", "db.lck", "dbex.lck", "README_DO_NOT_TOUCH_FILES.txt"}


def is_in_memory(parameters: dict[str, str]) -> bool:
    """Whether these Spark settings ask for a catalog that ends with the process."""
    return parameters.get("spark.sql.catalogImplementation") == "in-memory"


def metastore_folder(parameters: dict[str, str]) -> Path | None:
    """The folder of the on-disk Derby database that these Spark settings lead to, if they do.

    >>> metastore_folder({URL_KEYS[0]: "jdbc:derby:;databaseName=home/metastore;create=true"})
    PosixPath('home/metastore')
    >>> metastore_folder({URL_KEYS[0]: "jdbc:postgresql://db/metastore"}) is None
    True
    """
    if is_in_memory(parameters):
        return None
    url = next((parameters[key] for key in URL_KEYS if key in parameters), None)
    if url is None:
        if any(key.endswith("hive.metastore.uris") for key in parameters):
            return None
        url = SPARK_DEFAULT_URL
    match = re.match(r"jdbc:derby:(?:directory:)?(?!//|memory:|classpath:|jar:)([^;]*)(.*)", url)
    if match is None:
        return None
    attribute = re.search(r";databaseName=([^;]+)", match[2])
    name = match[1] or (attribute[1] if attribute else "")
    home = re.search(
        r"-Dderby\.system\.home=\"?([^\s\"]+)", parameters.get("spark.driver.extraJavaOptions", "")
    )
    return Path(home[1], name) if home else Path(name)


def refuse_if_locked(parameters: dict[str, str]) -> None:
    """Raise at once what Derby would report as error XSDB6 after half a minute."""
    folder = metastore_folder(parameters)
    if folder is None:
        return
    deadline = time.monotonic() + GRACE_SECONDS
    while is_locked(folder / "dbex.lck"):
        if time.monotonic() > deadline:
            raise DbtRuntimeError(in_use(str(folder)))
        time.sleep(0.1)


def clear_unfinished(parameters: dict[str, str]) -> None:
    """Remove what a process has left that was killed while Derby made its database: it opens no more.

    A database is whole once it has `service.properties`; before that, nothing has been written into it.
    """
    folder = metastore_folder(parameters)
    if folder is None or not folder.is_dir() or (folder / "service.properties").exists():
        return
    if {path.name for path in folder.iterdir()} <= _DERBY_NAMES:
        shutil.rmtree(folder)


def in_use(folder: str) -> str:
    return (
        f"The metastore in {folder} is in use by {holder(Path(folder))}; it is an embedded Derby database,"
        " which lets one process in at a time: wait until the other has ended, or end it, and run again."
    )
