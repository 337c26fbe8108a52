from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.spark.partitions import map_whole
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.tangles.thread_order import whole_thread_positions

# A field that names no root is in no thread, and an invalid message does not count.
NOT_SHOWN = ("field_is_no_object", "root_is_no_id", "root_has_previous", "invalid_message")


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    candidates = (
        dbt.ref("int_tangles__candidates")
        .where("tangle_kind = 'thread'")
        .where(~F.coalesce("reject_reason", F.lit("")).isin(*NOT_SHOWN))
        .select("tangle_id", "message_id", "previous_ids", "told_ms", "is_root")
    )
    return map_whole(
        candidates,
        "tangle_id",
        place,
        "tangle_id string, message_id string, thread_position bigint, has_branch boolean",
    )


def place(table: pa.Table) -> pa.Table:
    graph = read_graph(table)
    places = whole_thread_positions(
        graph.nodes.tangle_codes,
        table["is_root"].to_numpy(),
        graph.link_message,
        graph.link_previous,
        table["told_ms"],
        table["message_id"],
    )
    has_branch = np.bincount(graph.link_message, minlength=len(graph.nodes)) > 0
    return pa.table(
        {
            "tangle_id": table["tangle_id"],
            "message_id": table["message_id"],
            "thread_position": pa.array(places),
            "has_branch": pa.array(has_branch),
        }
    )
