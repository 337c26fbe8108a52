from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.spark.partitions import map_whole
from scuttlehouse.tangles.growth import grow
from scuttlehouse.tangles.tables import read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    unsettled = dbt.ref("int_tangles__checked").where("not is_settled")
    candidates = (
        dbt.ref("int_tangles__candidates")
        .where("reject_reason is null")
        .join(unsettled, "tangle_id", "left_semi")
        .select("tangle_id", "message_id", "previous_ids", "is_root")
    )
    return map_whole(candidates, "tangle_id", walk, "tangle_id string, message_id string")


def walk(table: pa.Table) -> pa.Table:
    graph = read_graph(table)
    is_root = table["is_root"].to_numpy()
    is_in = grow(len(graph.nodes), is_root, graph.link_message, graph.link_previous)
    return table.select(["tangle_id", "message_id"]).filter(pa.array(is_in))
