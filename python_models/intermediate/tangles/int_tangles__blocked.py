from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.spark.partitions import map_whole
from scuttlehouse.tangles.graphs import UNKNOWN
from scuttlehouse.tangles.reach import reach_counts
from scuttlehouse.tangles.tables import explode, read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    tangles = dbt.ref("int_tangles__links").where("not is_in_log").select("tangle_id").distinct()
    candidates = (
        dbt.ref("int_tangles__candidates")
        .where("reject_reason is null")
        .join(tangles, "tangle_id", "left_semi")
        .select("tangle_id", "message_id", "previous_ids")
    )
    return map_whole(
        candidates,
        "tangle_id",
        count_blocked,
        "tangle_id string, missing_id string, blocked_count bigint",
    )


def count_blocked(table: pa.Table) -> pa.Table:
    missing = missing_ids(table)
    # A missing message is in the graph beside the candidates, as a node that lists nothing.
    graph = read_graph(pa.concat_tables([table, missing], promote_options="default"))
    node_count = len(graph.nodes)
    sources = np.arange(table.num_rows, node_count)
    counts = reach_counts(node_count, graph.link_message, graph.link_previous, sources)
    return pa.table(
        {
            "tangle_id": missing["tangle_id"],
            "missing_id": missing["message_id"],
            "blocked_count": counts,
        }
    )


def missing_ids(table: pa.Table) -> pa.Table:
    """The previous ids that are not candidates of the tangle that lists them, once per tangle."""
    graph = read_graph(table)
    _, previous_ids = explode(table["previous_ids"])
    listed = pa.table(
        {
            "tangle_id": table["tangle_id"].take(graph.link_message),
            "message_id": previous_ids,
        }
    )
    return (
        listed.filter(graph.link_previous == UNKNOWN)
        .group_by(["tangle_id", "message_id"])
        .aggregate([])
    )
