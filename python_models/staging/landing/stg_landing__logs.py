from pathlib import Path
from typing import Any

from dbt.flags import get_flags
from dbt_common.invocation import get_invocation_id
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.builds.rules import lines_hash
from scuttlehouse.builds.unchanged import PublishedLogs, published_logs
from scuttlehouse.catalog.home import home_folder
from scuttlehouse.cli.dbt_settings import is_verifying
from scuttlehouse.files.listing import list_logs
from scuttlehouse.landing.folder import landing_folder, require_logs
from scuttlehouse.landing.ledger import LedgerEntry, take_stock
from scuttlehouse.landing.looks import look_into
from scuttlehouse.landing.spark import arrow_schema
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.ssb.epoch_keys import KeyRing


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    home, landing, is_full_refresh = home_folder(), landing_folder(), get_flags().FULL_REFRESH
    published = ledger(home, is_full_refresh)
    known = {} if is_full_refresh else published.of_folder(landing)
    found = list_logs(landing, KeyRing.of_home(home))
    stock = take_stock(
        found,
        known,
        get_invocation_id(),
        lines_hash(home, dbt.config.get("network_key_file")),
        look_into,
        trusts_times=not is_verifying(),
    )
    if not known and (lost := published.lost(stock)):
        print(
            f"This build reads all logs again, and {lost} that the published build has read are not in "
            f"{landing}, or are empty now: it leaves their messages out. To have them, put those logs back "
            "and run `scuttlehouse build --full-refresh`."
        )
    if not known:
        require_logs(landing, stock)
    schema = from_arrow_schema(arrow_schema(LedgerEntry))
    return session.createDataFrame(stock, schema).withColumn("landing_folder", F.lit(landing))


def ledger(home: Path, is_full_refresh: bool) -> PublishedLogs:
    """The logs that the published build read. A full refresh needs none, so it repairs a damaged ledger."""
    try:
        return published_logs(home)
    except WarehouseError:
        if not is_full_refresh:
            raise
        return PublishedLogs()
