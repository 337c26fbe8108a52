from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.epochs import (
    fork_witnesses,
    group_preferred_epoch,
    preferred_epoch,
    unsucceeded,
)
from scuttlehouse.tables import read_epochs

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("person_id", pa.string()),
        ("epoch_id", pa.string()),
        ("rule", pa.string()),
        ("is_witness", pa.bool_()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    return (
        dbt.ref("int_groups__epoch_members")
        .groupBy("group_id")
        .applyInArrow(prefer, from_arrow_schema(SCHEMA))
    )


def prefer(epochs: pa.Table) -> pa.Table:
    """The preference of every person of a group, and of the group itself (person_id null)."""
    group_id, members, ancestors, key_ranks, tips = read_epochs(epochs)

    preferences = [
        {"group_id": group_id, "epoch_id": group_preferred_epoch(tips, members, key_ranks)}
    ]
    for person in sorted(frozenset().union(*members.values())):
        declaring = [epoch for epoch in members if person in members[epoch]]
        epoch, rule = preferred_epoch(declaring, members, ancestors, key_ranks)
        rivals = [other for other in unsucceeded(declaring, ancestors) if other != epoch]
        preferences.append(
            {
                "group_id": group_id,
                "person_id": person,
                "epoch_id": epoch,
                "rule": rule,
                "is_witness": all(
                    person in fork_witnesses(epoch, rival, members, ancestors) for rival in rivals
                )
                if rivals
                else None,
            }
        )
    return pa.Table.from_pylist(preferences, SCHEMA)
