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
    groups = dbt.ref("int_groups__epoch_members").select("group_id")
    in_graph = (
        dbt.ref("int_tangles__messages")
        .where("tangle_kind = 'group' and status = 'in'")
        .join(groups, "group_id", "left_semi")
    )
    previous = dbt.ref("stg_ssb__tangle_fields").where("tangle_kind = 'group'")
    types = dbt.ref("stg_ssb__group_messages").select("message_id", "content_type")
    superseded = dbt.ref("int_groups__epochs").where("not is_tip").select("epoch_id")
    late = (
        dbt.ref("int_feeds__message_epochs")
        .join(superseded, "epoch_id")
        .select("message_id", F.lit(True).alias("is_superseded"))
    )
    messages = (
        in_graph.select("tangle_id", "message_id")
        .join(previous.select("message_id", "previous_ids"), "message_id")
        .join(types, "message_id", "left")
        .join(late, "message_id", "left")
        .select(
            "tangle_id",
            "message_id",
            "previous_ids",
            F.coalesce("content_type", F.lit("")).alias("content_type"),
            F.coalesce("is_superseded", F.lit(False)).alias("is_superseded"),
        )
    )
    return whole(messages, "tangle_id").mapInArrow(find_pasts, "known_id string, message_id string")


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
    ids = table["message_id"]
    pairs = pa.table({"known_id": ids.take(sources[places]), "message_id": ids.take(targets)})
    yield from pairs.to_batches()
