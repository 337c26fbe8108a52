from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.reach import reach_pairs
from scuttlehouse.tables import read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    in_graph = dbt.ref("int_tangles__messages").where("tangle_kind = 'group' and status = 'in'")
    types = dbt.ref("stg_ssb__group_messages").select("message_id", "content_type")
    messages = (
        dbt.ref("int_tangles__grown")
        .join(in_graph.select("tangle_id", "message_id"), ["tangle_id", "message_id"])
        .join(types, "message_id", "left")
        .select("tangle_id", "message_id", "previous_ids", F.coalesce("content_type", F.lit("")))
    )
    return (
        messages.toDF("tangle_id", "message_id", "previous_ids", "content_type")
        .repartition("tangle_id")
        .mapInArrow(find_pasts, "exclusion_id string, message_id string")
    )


def find_pasts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    messages = list(batches)
    if not messages:
        return
    table = pa.Table.from_batches(messages)
    graph = read_graph(table)
    kinds = table["content_type"].to_numpy()
    exclusions, targets = reach_pairs(
        len(graph.nodes),
        graph.link_message,
        graph.link_previous,
        np.flatnonzero(kinds == "group/exclude-member"),
        np.isin(kinds, ["group/init", "group/add-member"]),
    )
    exclusion_ids = table["message_id"].filter(pa.array(kinds == "group/exclude-member"))
    yield from pa.table(
        {
            "exclusion_id": exclusion_ids.take(pa.array(exclusions)),
            "message_id": table["message_id"].take(pa.array(targets)),
        }
    ).to_batches()
