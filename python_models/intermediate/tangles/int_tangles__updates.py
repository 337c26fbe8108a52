from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from dbt_common.invocation import get_invocation_id
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.catalog.names import PUBLISHED
from scuttlehouse.reading.warehouse import are_whole
from scuttlehouse.spark.touched import is_refresh, touched_rows
from scuttlehouse.timeline.updates import updates

UPDATES, ORDERED = "fct_timeline_updates", "fct_tangle_messages"

SCHEMA = pa.schema(
    [
        ("tangle_id", pa.string()),
        ("step", pa.int64()),
        ("command", pa.string()),
        ("message_id", pa.string()),
        ("from_position", pa.int64()),
        ("to_position", pa.int64()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    """The commands published so far, and those from the published orders to the orders of this build."""
    dbt.config(materialized="table")
    touched = dbt.ref("int_changes__tangles")
    refreshes = is_refresh(session, dbt.this.schema)

    def computed(rows: DataFrame) -> DataFrame:
        return touched_rows(rows, touched) if refreshes else rows

    messages = computed(dbt.ref("int_tangles__messages"))
    # Readers and replicas see the published order until this build is published, so the commands start from
    # it. If it is damaged, a build that reads all logs again gives the commands of every order from its
    # first message.
    continues = refreshes or are_whole(home_folder(), UPDATES, ORDERED)
    published = session.table(f"{PUBLISHED}.{UPDATES}") if continues else None
    before = computed(session.table(f"{PUBLISHED}.{ORDERED}")) if continues else messages.limit(0)
    changes = (
        orders(messages, "new_ids")
        .join(orders(before, "old_ids"), "tangle_id", "full_outer")
        .where("not new_ids <=> old_ids")
        .mapInArrow(commands, from_arrow_schema(SCHEMA))
    )
    last = None if published is None else published.agg(F.max("refresh_number")).collect()[0][0]
    new = changes.select(
        F.lit((last or 0) + 1).cast("bigint").alias("refresh_number"),
        F.lit(get_invocation_id()).alias("refresh_id"),
        "tangle_id",
        "step",
        "command",
        "message_id",
        "from_position",
        "to_position",
        F.current_timestamp().alias("refreshed_at"),
    )
    return new if published is None else computed(published).select(*new.columns).unionAll(new)


def orders(messages: DataFrame, name: str) -> DataFrame:
    """The ids of every tangle's messages, in order."""
    placed = F.array_sort(F.collect_list(F.struct("position", "message_id")))
    return (
        messages.where("status = 'in'")
        .groupBy("tangle_id")
        .agg(F.transform(placed, lambda one: one["message_id"]).alias(name))
    )


def commands(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        for row in batch.to_pylist():
            rows = [
                {"tangle_id": row["tangle_id"], **update._asdict()}
                for update in updates(row["old_ids"] or [], row["new_ids"] or [])
            ]
            yield pa.RecordBatch.from_pylist(rows, SCHEMA)
