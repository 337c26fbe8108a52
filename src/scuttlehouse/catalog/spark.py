"""Spark's settings that depend on the machine and the environment: ``spark_settings`` of profiles.yml."""

from __future__ import annotations

import os

from scuttlehouse.catalog import CATALOG
from scuttlehouse.catalog.home import home_folder, prepare_home, temporary_folder
from scuttlehouse.catalog.jars import jars


def spark_settings() -> dict[str, str]:
    """The jars on Spark's class path, the catalog, and the folders of the warehouse.

    What this process and its Java write from here on is for their owner alone.

    Raises:
        CatalogError: the home cannot be used, or a jar is missing.
    """
    os.umask(0o077)
    home = home_folder()
    prepare_home(home)
    temporary = temporary_folder(home)
    catalog = f"spark.sql.catalog.{CATALOG}"
    return {
        "spark.driver.extraClassPath": os.pathsep.join(map(str, jars())),
        "spark.driver.defaultJavaOptions": f'"-Djava.io.tmpdir={temporary}"',
        "spark.local.dir": str(temporary),
        "spark.sql.warehouse.dir": str(temporary / "unused"),
        f"{catalog}.uri": f"jdbc:sqlite:file:{home}/catalog.db?busy_timeout=60000&journal_mode=WAL",
        f"{catalog}.warehouse": str(home / "warehouse"),
    }
