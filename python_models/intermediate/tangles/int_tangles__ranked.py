from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.spark.partitions import map_whole
from scuttlehouse.tangles.graphs import Ints
from scuttlehouse.tangles.order import UNRANKED, find_loops, find_tips, positions, ranks
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.tangles.thread_order import thread_positions


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    candidates = dbt.ref("int_tangles__grown").select(
        "tangle_id", "message_id", "previous_ids", "told_ms", "grown_by", "is_grown"
    )
    return map_whole(
        candidates,
        "tangle_id",
        rank,
        "tangle_id string, message_id string, grown_by string, rank bigint, position bigint, "
        "thread_position bigint, is_tip boolean, is_in_loop boolean",
    )


def rank(table: pa.Table) -> pa.Table:
    graph = read_graph(table)
    # Only messages in the graph have a place in the order. A loop may be anywhere.
    is_grown = table["is_grown"].to_numpy()
    of_grown = is_grown[graph.link_message]
    links = graph.link_message[of_grown], graph.link_previous[of_grown]
    rank = ranks(len(graph.nodes), *links)
    rank[~is_grown] = UNRANKED
    codes, ids = graph.nodes.tangle_codes, table["message_id"]
    is_in_loop = find_loops(len(graph.nodes), graph.link_message, graph.link_previous)
    is_in_loop[graph.link_message[graph.link_message == graph.link_previous]] = True
    return pa.table(
        {
            "tangle_id": table["tangle_id"],
            "message_id": table["message_id"],
            "grown_by": table["grown_by"],
            "rank": nullable(rank),
            "position": nullable(positions(codes, rank, ids)),
            "thread_position": nullable(
                thread_positions(codes, rank, *links, table["told_ms"], ids)
            ),
            "is_tip": pa.array(find_tips(rank, *links)),
            "is_in_loop": pa.array(is_in_loop),
        }
    )


def nullable(numbers: Ints) -> pa.Array:
    return pa.array(numbers, mask=numbers == UNRANKED)
