from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.pruning import trail, verdicts
from scuttlehouse.set_tangles import Candidate, standings
from scuttlehouse.sets import item_roots, lipmaa_depth, lipmaa_link, superseded_by, tips
from scuttlehouse.tables import read_set_messages

SCHEMA = pa.schema(
    [
        ("set_id", pa.string()),
        ("message_id", pa.string()),
        ("status", pa.string()),
        ("status_reason", pa.string()),
        ("superseded_by_id", pa.string()),
        ("kept_because", pa.string()),
        ("pruning", pa.string()),
        ("position", pa.int64()),
        ("lipmaa_depth", pa.int64()),
        ("is_tip", pa.bool_()),
        ("is_item_root", pa.bool_()),
        ("has_lipmaa_link", pa.bool_()),
    ]
)
COLUMNS = (
    "set_id string, message_id string, status string, status_reason string, superseded_by_id string,"
    " kept_because string, pruning string, position bigint, lipmaa_depth bigint, is_tip boolean,"
    " is_item_root boolean, has_lipmaa_link boolean"
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    return (
        dbt.ref("int_sets__candidates")
        .select(
            "set_id",
            "message_id",
            "depth",
            "previous_ids",
            "added_items",
            "deleted_items",
            "superseded_ids",
            "is_by_device",
        )
        .groupBy("set_id")
        .applyInArrow(judge, COLUMNS)
    )


def judge(candidates: pa.Table) -> pa.Table:
    set_id = candidates["set_id"][0].as_py()
    found = standings(
        set_id,
        (
            Candidate(row["message_id"], row["depth"], row["previous_ids"], row["is_by_device"])
            for row in candidates.to_pylist()
        ),
    )
    inside = {one.message_id for one in found if one.status == "in"}
    messages = [one for one in read_set_messages(candidates) if one.message_id in inside]
    said = {
        verdict.message_id: {"position": position, "kept_because": verdict.kept_because}
        for position, verdict in enumerate(verdicts(messages))
    }
    prunable = {one for one, row in said.items() if row["kept_because"] is None}
    erased = set(trail(messages, prunable))
    superseding = superseded_by(messages)
    last = {message.message_id for message in tips(messages)}
    roots = {message.message_id for message in item_roots(messages)}
    depths = {set_id: 0} | {message.message_id: message.depth for message in messages}
    for message in messages:
        one = message.message_id
        said[one] |= {
            "superseded_by_id": superseding.get(one),
            "pruning": ("erase" if one in erased else "delete") if one in prunable else None,
            "lipmaa_depth": lipmaa_depth(message.depth) if message.depth else None,
            "is_tip": one in last,
            "is_item_root": one in roots,
            "has_lipmaa_link": lipmaa_link(message, depths),
        }
    rows = [
        {"set_id": set_id, "message_id": one, "status": status, "status_reason": reason}
        | said.get(one, {"is_tip": False, "is_item_root": False})
        for one, status, reason in found
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
