from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.pzp.accounts import AccountMessage, Signature, are_by_devices
from scuttlehouse.pzp.rules import ANYBODY
from scuttlehouse.spark.touched import is_refresh, touched_rows

SCHEMA = pa.schema(
    [
        ("message_id", pa.string()),
        ("device_key", pa.string()),
        ("is_by_device", pa.bool_()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    messages = dbt.ref("stg_pzp__messages")
    touched = dbt.ref("int_changes__sets")
    of_sets = messages.where("set_id is not null")
    if is_refresh(session, dbt.this.schema):
        of_sets = touched_rows(of_sets, touched)
    of_accounts = messages.where("is_account_message and depth is not null")
    rows = of_accounts.unionByName(of_sets)
    return (
        rows.selectExpr(
            "account_id",
            "is_account_message",
            "account_tips",
            *(name for name in AccountMessage._fields if name != "device_key"),
            "explode(device_keys) as device_key",
        )
        .groupBy("account_id")
        .applyInArrow(judge, from_arrow_schema(SCHEMA))
    )


def judge(table: pa.Table) -> pa.Table:
    """Of an account's own messages, and those of its sets: who signed the latter."""
    own = table.filter(table["is_account_message"]).select(AccountMessage._fields).to_pylist()
    others = table.filter(pc.invert(table["is_account_message"]))
    signatures = [Signature(**row) for row in others.select(Signature._fields).to_pylist()]
    found: list[bool | None] = [True] * len(signatures)
    if table["account_id"][0].as_py() != ANYBODY:
        found = are_by_devices((AccountMessage(**row) for row in own), signatures)
    return pa.table(
        [others["message_id"], others["device_key"], pa.array(found, pa.bool_())], schema=SCHEMA
    )
