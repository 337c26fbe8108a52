from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F

from scuttlehouse.partitions import whole
from scuttlehouse.reach import reach_pairs
from scuttlehouse.tables import read_graph


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    timelines = dbt.ref("int_groups__timelines")
    previous = dbt.ref("stg_ssb__tangle_fields").where("tangle_kind = 'group'")
    superseded = (
        dbt.ref("int_groups__epochs")
        .where("not is_tip")
        .select("epoch_id", F.lit(True).alias("is_superseded"))
    )
    messages = (
        timelines.join(previous.select("message_id", "previous_ids"), "message_id")
        .join(superseded, "epoch_id", "left")
        .select(
            "tangle_id",
            "group_id",
            "message_id",
            "previous_ids",
            F.coalesce("content_type", F.lit("")).alias("content_type"),
            F.coalesce("is_superseded", F.lit(False)).alias("is_superseded"),
        )
    )
    pairs = "group_id string, known_id string, message_id string"
    return whole(messages, "tangle_id").mapInArrow(find_pasts, pairs)


def find_pasts(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    messages = list(batches)
    if not messages:
        return
    table = pa.Table.from_batches(messages)
    kinds = table["content_type"].to_numpy()
    exclusions, inits = kinds == "group/exclude-member", kinds == "group/init"
    changes = inits | (kinds == "group/add-member")
    posts = table["is_superseded"].to_numpy() & ~changes & ~exclusions
    yield from known(table, exclusions, changes)
    yield from known(table, inits, posts)


def known(
    table: pa.Table, is_source: np.ndarray, is_target: np.ndarray
) -> Iterator[pa.RecordBatch]:
    """The pairs of a source and a target that comes after it."""
    graph = read_graph(table)
    sources = np.flatnonzero(is_source)
    places, targets = reach_pairs(
        len(graph.nodes), graph.link_message, graph.link_previous, sources, is_target
    )
    groups, ids = table["group_id"].take(targets), table["message_id"]
    pairs = pa.table(
        {"group_id": groups, "known_id": ids.take(sources[places]), "message_id": ids.take(targets)}
    )
    yield from pairs.to_batches()
