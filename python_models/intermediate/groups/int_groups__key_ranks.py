from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.ssb.epoch_keys import KeyRing, LostKeysError, sealed_keys


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    home = home_folder()
    keys = sealed_keys(home)
    ring = KeyRing.of_home(home).ranked(keys)
    # When the lines are read, all keys are known.
    rows = dbt.ref("int_groups__epoch_keys").select("group_id", "key_hash").distinct().collect()
    if lost := {row.key_hash for row in rows} - ring.ranks.keys():
        raise LostKeysError(home, len(lost))
    # No table ranks the keys of all groups. Somebody who can add keys could find out a key from such ranks.
    ranks = ring.ranks_of_groups((row.group_id, row.key_hash) for row in rows)
    return session.createDataFrame(ranks, "group_id string, key_hash string, key_rank bigint")
