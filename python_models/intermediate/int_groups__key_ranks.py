from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.catalog import home_folder
from scuttlehouse.epoch_keys import KeyRing, LostKeysError, sealed_keys, warehouse_pepper


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    home = home_folder()
    ring = KeyRing(warehouse_pepper(home)).ranked(sealed_keys(home))
    ranks = session.createDataFrame(list(ring.ranks.items()), "key_hash string, key_rank bigint")
    # After the lines are read, the keys of all of them are known.
    inits = dbt.ref("stg_ssb__group_messages").where("content_type = 'group/init'")
    keys = inits.where("key_hash is not null").select("key_hash").distinct()
    if unranked := keys.join(ranks, "key_hash", "left_anti").count():
        raise LostKeysError(home, unranked)
    ranked = ranks.join(keys, "key_hash", "left_semi")
    return ranked.withColumn("is_short", F.col("key_rank").isNull())
