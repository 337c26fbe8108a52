from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.spark.partitions import map_whole
from scuttlehouse.tangles.reach import reach_counts
from scuttlehouse.tangles.tables import read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    missing = (
        dbt.ref("int_tangles__links")
        .where("not is_in_log")
        .select("tangle_id", "previous_id")
        .distinct()
        .selectExpr(
            "tangle_id", "previous_id as message_id", "null as previous_ids", "true as is_missing"
        )
    )
    candidates = (
        dbt.ref("int_tangles__candidates")
        .where("reject_reason is null")
        .join(missing, "tangle_id", "left_semi")
        .selectExpr("tangle_id", "message_id", "previous_ids", "false as is_missing")
    )
    return map_whole(
        candidates.union(missing),
        "tangle_id",
        count_blocked,
        "tangle_id string, missing_id string, blocked_count bigint",
    )


def count_blocked(table: pa.Table) -> pa.Table:
    # A missing message is in the graph beside the candidates, as a node that lists nothing.
    graph = read_graph(table)
    missing = table.filter(table["is_missing"])
    sources = np.flatnonzero(table["is_missing"].to_numpy())
    counts = reach_counts(len(graph.nodes), graph.link_message, graph.link_previous, sources)
    return pa.table(
        {
            "tangle_id": missing["tangle_id"],
            "missing_id": missing["message_id"],
            "blocked_count": counts,
        }
    )
