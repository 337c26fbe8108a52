"""The target ``connect``: Spark runs in a Spark Connect server, and this process needs no Java."""

from __future__ import annotations

import os

from scuttlehouse.addresses import CONNECT_PORT, shown_server
from scuttlehouse.catalog.home import home_folder, temporary_folder
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.catalog.spark import catalog_settings
from scuttlehouse.errors import HouseError
from scuttlehouse.spark.cluster import package_archive
from scuttlehouse.warehouse_key import warehouse_pepper

ADDRESS = "SCUTTLEHOUSE_CONNECT"

TOKEN = "SPARK_CONNECT_AUTHENTICATE_TOKEN"


class ConnectError(HouseError):
    """The server cannot do a build; the message says why and what to do."""


def client_settings() -> dict[str, str]:
    """What a session tells the server: where the catalog is, and this package for its Python workers.

    Raises:
        CatalogError: as :func:`catalog_settings` does, or the address holds a token.
    """
    if "token=" in os.environ.get(ADDRESS, "").lower():
        raise CatalogError(
            f"{ADDRESS} holds a token: take it out, and set {TOKEN} to it. Addresses are written into logs."
        )
    settings = catalog_settings()
    home = home_folder()
    warehouse_pepper(home)  # The workers must find it: they make none.
    return settings | {"spark.submit.pyFiles": str(package_archive(temporary_folder(home)))}


def check_server() -> None:
    """See whether the server has the setting that no session can change. Not if Spark runs in this process.

    Raises:
        ConnectError: it runs without the extensions of Iceberg.
    """
    from pyspark.sql import SparkSession

    from dbt.adapters.sparkpython.remote import is_remote

    if not is_remote({}):
        return
    server = shown_server(os.environ.get(ADDRESS, ""), CONNECT_PORT)
    extensions = SparkSession.builder.getOrCreate().conf.get("spark.sql.extensions", "")
    if "iceberg" not in str(extensions).lower():
        raise ConnectError(
            f"The Spark Connect server {server} runs without Iceberg's extensions of SQL: "
            "start it with the settings that `python -m scuttlehouse.spark.connect_server --print` prints."
        )
