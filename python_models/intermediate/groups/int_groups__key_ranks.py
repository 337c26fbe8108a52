from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.catalog import home_folder
from scuttlehouse.ssb.epoch_keys import KeyRing, LostKeysError, sealed_keys
from scuttlehouse.warehouse_key import warehouse_pepper


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    home = home_folder()
    keys = sealed_keys(home)
    ring = KeyRing(warehouse_pepper(home)).ranked(keys)
    # When the lines are read, all keys are known.
    inits = dbt.ref("stg_ssb__group_messages").where("content_type = 'group/init'")
    found = inits.where("key_hash is not null").select("message_id", "key_hash")
    of_groups = dbt.ref("int_tangles__messages").where(
        "tangle_kind = 'epoch' and status = 'in' and group_id is not null"
    )
    rows = found.join(of_groups.select("message_id", "group_id"), "message_id", "left").collect()
    if lost := {row.key_hash for row in rows} - ring.ranks.keys():
        raise LostKeysError(home, len(lost))
    # No table ranks the keys of all groups. Somebody who can add keys could find out a key from such ranks.
    ranks = ring.ranks_of_groups((row.group_id, row.key_hash) for row in rows if row.group_id)
    return session.createDataFrame(
        ranks, "group_id string, key_hash string, key_rank bigint, is_short boolean"
    )
