from collections import defaultdict
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.sets.items import (
    lipmaa_depth,
    lipmaa_link,
    superseded_by,
    tips,
    topological_order,
)
from scuttlehouse.sets.pruning import trail, verdicts
from scuttlehouse.sets.rules import Unsuperseded, left_deletions, unsuperseded
from scuttlehouse.sets.tables import SET_MESSAGE_COLUMNS, read_set_messages
from scuttlehouse.sets.tangles import Candidate, standings

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
        ("unsuperseded_items", pa.list_(pa.string())),
        ("unsuperseded_ids", pa.list_(pa.string())),
        ("left_deletion_id", pa.string()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    return (
        dbt.ref("int_sets__candidates")
        .select("set_id", *SET_MESSAGE_COLUMNS, "is_by_device")
        .groupBy("set_id")
        .applyInArrow(judge, from_arrow_schema(SCHEMA))
    )


def judge(candidates: pa.Table) -> pa.Table:
    set_id = candidates["set_id"][0].as_py()
    claims = candidates.select(list(Candidate._fields)).to_pylist()
    found = standings(set_id, (Candidate(**claim) for claim in claims))
    inside = {one.message_id for one in found if one.status == "in"}
    messages = topological_order(
        one for one in read_set_messages(candidates) if one.message_id in inside
    )
    judged = verdicts(messages)
    erased = set(trail(messages, {one.message_id for one in judged if one.is_prunable}))
    superseding = superseded_by(messages)
    last = {message.message_id for message in tips(messages)}
    broken: dict[str, list[Unsuperseded]] = defaultdict(list)
    for fault in unsuperseded(set_id, messages):
        broken[fault.message_id].append(fault)
    left = left_deletions(set_id, messages)
    depths = {set_id: 0} | {message.message_id: message.depth for message in messages}
    columns_of = {}
    for position, (message, verdict) in enumerate(zip(messages, judged, strict=True)):
        one = message.message_id
        way = "erase" if one in erased else "delete"
        columns_of[one] = {
            "superseded_by_id": superseding.get(one),
            "kept_because": verdict.kept_because,
            "pruning": way if verdict.is_prunable else None,
            "position": position,
            "lipmaa_depth": lipmaa_depth(message.depth) if message.depth else None,
            "is_tip": one in last,
            "is_item_root": verdict.kept_because == "item_root",
            "has_lipmaa_link": lipmaa_link(message, depths),
            "unsuperseded_items": [fault.item for fault in broken[one]],
            "unsuperseded_ids": [fault.known_id for fault in broken[one]],
            "left_deletion_id": left.get(one),
        }
    rows = [
        {"set_id": set_id, "message_id": one, "status": status, "status_reason": reason}
        | columns_of.get(one, {"is_tip": False, "is_item_root": False})
        for one, status, reason in found
    ]
    return pa.Table.from_pylist(rows, SCHEMA)
