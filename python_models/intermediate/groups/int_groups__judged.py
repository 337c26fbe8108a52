from collections.abc import Iterator
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.authority import judge
from scuttlehouse.groups.exclusions import knowledge
from scuttlehouse.groups.memberships import places_of
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.tables import read_messages
from scuttlehouse.groups.tips import Written, left_out_tips, no_tips

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("message_id", pa.string()),
        ("kind", pa.string()),
        ("is_authorized", pa.bool_()),
        ("counts", pa.bool_()),
        ("causal_rank", pa.int64()),
        ("known_from_position", pa.int64()),
        ("previous_epoch_ids", pa.list_(pa.string())),
        ("is_late", pa.bool_()),
        ("is_before_init", pa.bool_()),
        ("is_stale", pa.bool_()),
        ("has_old_key", pa.bool_()),
        ("following_epoch_id", pa.string()),
        ("excluded_before_ids", pa.list_(pa.string())),
        ("has_all_missing", pa.bool_()),
        ("readded_ids", pa.list_(pa.string())),
        ("no_tip_ids", pa.list_(pa.string())),
        ("left_out_tip_ids", pa.list_(pa.string())),
    ]
)

# Where a message is in its feed and in the members tangle of an epoch.
LISTED = (
    "feed_id",
    "sequence",
    "is_in_members_graph",
    "members_root_id",
    "members_previous_ids",
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    messages = dbt.ref("int_groups__messages")
    columns = messages.select("group_id", "key_rank", *LISTED, *GroupMessage._fields)
    return columns.groupBy("group_id").applyInArrow(find, from_arrow_schema(SCHEMA))


def find(table: pa.Table) -> pa.Table:
    """Whether each init, addition and exclusion of a group counts, and what other messages do wrong."""
    group_id, messages, key_ranks = read_messages(table)
    judged = judge(messages)
    found = knowledge(messages, judged, key_ranks)
    places = places_of(messages, judged)
    changes = _changes(table)
    listed_wrongly = no_tips(messages, changes)
    left_out = left_out_tips(messages, changes, _written(table, group_id))
    told = found.late.union(listed_wrongly, left_out)
    return pa.Table.from_pylist(
        [
            {
                "group_id": group_id,
                "message_id": one.message_id,
                "kind": one.kind,
                "is_authorized": judged.authority.get(one.message_id),
                "counts": one.message_id in judged.counting,
                "causal_rank": judged.ranks[one.message_id],
                "known_from_position": places[one.message_id],
                "previous_epoch_ids": judged.previous_epochs.get(one.message_id),
                "is_late": one.message_id in found.late,
                "is_before_init": one.message_id in found.before_init,
                "is_stale": one.message_id in found.stale,
                "has_old_key": one.message_id in found.with_old_key,
                "following_epoch_id": found.following.get(one.message_id),
                "excluded_before_ids": sorted(found.excluded_before.get(one.message_id, ())),
                "has_all_missing": (
                    one.message_id in found.complete
                    if one.message_id in found.excluded_before
                    else None
                ),
                "readded_ids": found.readded.get(one.message_id, []),
                "no_tip_ids": listed_wrongly.get(one.message_id, []),
                "left_out_tip_ids": left_out.get(one.message_id, []),
            }
            for one in messages
            if one.kind != "other" or one.message_id in told
        ],
        SCHEMA,
    )


def _changes(table: pa.Table) -> dict[str, list[str]]:
    """What the messages in the graphs of members tangles list there."""
    rows = table.filter(table["is_in_members_graph"])
    names, listed = (rows[name].to_pylist() for name in ("message_id", "members_previous_ids"))
    return dict(zip(names, listed, strict=True))


def _written(table: pa.Table, group_id: str) -> Iterator[Written]:
    """The messages in the graphs of the group's tangle and of members tangles, in their feeds."""
    names = ("message_id", "timeline_previous_ids", *LISTED[:-1])
    for name, timeline, feed, sequence, is_change, root in zip(
        *(table[one].to_pylist() for one in names), strict=True
    ):
        # Anybody can write a message without signed bytes in any place of a feed.
        if sequence is None:
            continue
        if timeline is not None:
            yield Written(("group", group_id), feed, sequence, name)
        if is_change:
            yield Written(("members", root), feed, sequence, name)
