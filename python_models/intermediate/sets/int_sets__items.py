from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.sets.items import lost_by_reference, read_items
from scuttlehouse.sets.tables import SET_MESSAGE_COLUMNS, read_set_messages

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


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    inside = dbt.ref("int_sets__messages").where("status = 'in'").select("message_id")
    return (
        dbt.ref("int_sets__candidates")
        .join(inside, "message_id")
        .select("set_id", *SET_MESSAGE_COLUMNS)
        .groupBy("set_id")
        .applyInArrow(read, from_arrow_schema(SCHEMA))
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
