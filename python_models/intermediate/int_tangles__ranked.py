from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.graphs import UNKNOWN, Ints
from scuttlehouse.order import find_loops, positions, ranks
from scuttlehouse.partitions import whole
from scuttlehouse.tables import TangleGraph, read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    candidates = dbt.ref("int_tangles__grown").select(
        "tangle_id", "message_id", "previous_ids", "is_grown"
    )
    return whole(candidates, "tangle_id").mapInArrow(
        rank,
        "tangle_id string, message_id string, rank bigint, position bigint, is_in_loop boolean",
    )


def rank(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    candidates = list(batches)
    if not candidates:
        return
    table = pa.Table.from_batches(candidates)
    graph = read_graph(table)
    # Only what has grown has a place in the order; a loop may stand anywhere.
    rank = grown_ranks(graph, table["is_grown"].to_numpy())
    position = positions(graph.nodes.tangle_codes, rank, table["message_id"])
    is_in_loop = find_loops(len(graph.nodes), graph.link_message, graph.link_previous) != UNKNOWN
    is_in_loop[graph.link_message[graph.link_message == graph.link_previous]] = True
    yield from pa.table(
        {
            "tangle_id": table["tangle_id"],
            "message_id": table["message_id"],
            "rank": nullable(rank),
            "position": nullable(position),
            "is_in_loop": pa.array(is_in_loop),
        }
    ).to_batches()


def grown_ranks(graph: TangleGraph, is_grown: np.ndarray) -> Ints:
    links = is_grown[graph.link_message]
    rank = ranks(len(graph.nodes), graph.link_message[links], graph.link_previous[links])
    rank[~is_grown] = UNKNOWN
    return rank


def nullable(numbers: Ints) -> pa.Array:
    return pa.array(numbers, mask=numbers == UNKNOWN)
