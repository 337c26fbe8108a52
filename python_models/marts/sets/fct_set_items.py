from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.sets import lost_by_reference, read_items
from scuttlehouse.tables import read_set_messages

SCHEMA = pa.schema(
    [
        ("set_id", pa.string()),
        ("item", pa.string()),
        ("placed_by_id", pa.string()),
        ("last_added_by_id", pa.string()),
        ("position", pa.int64()),
        ("is_lost_by_reference", pa.bool_()),
    ]
)
COLUMNS = (
    "set_id string, item string, placed_by_id string, last_added_by_id string, position bigint,"
    " is_lost_by_reference boolean"
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="versioned_table")
    inside = dbt.ref("int_sets__messages").where("status = 'in'").select("message_id")
    return (
        dbt.ref("int_sets__candidates")
        .join(inside, "message_id")
        .select(
            "set_id",
            "message_id",
            "depth",
            "previous_ids",
            "added_items",
            "deleted_items",
            "superseded_ids",
        )
        .groupBy("set_id")
        .applyInArrow(read, COLUMNS)
    )


def read(table: pa.Table) -> pa.Table:
    set_id = table["set_id"][0].as_py()
    messages = read_set_messages(table)
    lost = set(lost_by_reference(messages))
    rows = [
        {"set_id": set_id, "is_lost_by_reference": item.item in lost} | item._asdict()
        for item in read_items(messages)
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
