from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.pzp.accounts import AccountMessage, device_keys


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    messages = (
        dbt.ref("stg_pzp__messages")
        .where("is_account_message and depth is not null")
        .selectExpr(
            "account_id",
            "message_id",
            "depth",
            "explode(device_keys) as device_key",
            "added_key",
            "may_add",
        )
    )
    return messages.groupBy("account_id").applyInArrow(
        find_keys, "account_id string, device_key string"
    )


def find_keys(messages: pa.Table) -> pa.Table:
    rows = messages.drop_columns("account_id").to_pylist()
    keys = sorted(device_keys(AccountMessage(**row) for row in rows))
    account_id = messages["account_id"][0].as_py()
    return pa.table(
        {
            "account_id": pa.array([account_id] * len(keys), pa.string()),
            "device_key": pa.array(keys, pa.string()),
        }
    )
