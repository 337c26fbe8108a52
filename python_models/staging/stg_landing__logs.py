from pathlib import Path
from typing import Any

from dbt.flags import get_flags
from dbt_common.invocation import get_invocation_id
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from dbt.adapters.sparkpython.rules import hash_modules
from scuttlehouse.epoch_keys import KeyRing, warehouse_pepper
from scuttlehouse.landing import Log, content_hash, list_logs
from scuttlehouse.ledger import LedgerEntry, take_stock
from scuttlehouse.spark_landing import spark_schema
from scuttlehouse.validation import read_network_key

PUBLISHED = "scuttlehouse.dim_logs"


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    landing = Path(dbt.config.get("landing")).resolve()
    known = {} if get_flags().FULL_REFRESH else known_logs(session, landing)
    found = list_logs(landing, may_be_empty=bool(known))
    if not known and (lost := lost_logs(session, found)):
        print(
            f"This build reads all logs again, and {lost} that the published build has read are not in "
            f"{landing}: it leaves their messages out. To have them, put those logs back and run "
            "`dbt build --full-refresh`."
        )
    stock = take_stock(
        found,
        known,
        get_invocation_id(),
        lines_hash(Path(dbt.config.get("home")), dbt.config.get("network_key_file")),
        content_hash,
    )
    return session.createDataFrame(stock, spark_schema(LedgerEntry)).withColumn(
        "landing_folder", F.lit(str(landing))
    )


def known_logs(session: SparkSession, landing: Path) -> dict[str, LedgerEntry]:
    """The ledger of the last published build; nothing of it counts in another landing folder."""
    if not session.catalog.tableExists(PUBLISHED):
        return {}
    logs = session.table(PUBLISHED).where(F.col("landing_folder") == str(landing))
    logs = logs.withColumn("modified_ms", F.unix_millis("modified_at"))
    rows = logs.select(*LedgerEntry._fields).collect()
    return {row.source_file: LedgerEntry(*row) for row in rows}


def lost_logs(session: SparkSession, found: list[Log]) -> int:
    """How many logs the published build has read that are not among these."""
    if not session.catalog.tableExists(PUBLISHED):
        return 0
    names = {row.source_file for row in session.table(PUBLISHED).select("source_file").collect()}
    return len(names - {log.source_file for log in found})


def lines_hash(home: Path, network_key_file: str) -> str:
    """What stands for all that decides how a line is read: the code, and keys that never show."""
    code = hash_modules("scuttlehouse.lines", "scuttlehouse.pzp", "scuttlehouse.spark_landing")
    key = read_network_key(Path(network_key_file)) if network_key_file else b""
    return f"{code}-{KeyRing(warehouse_pepper(home)).hash(key)[:16]}"
