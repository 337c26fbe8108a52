from collections import defaultdict
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.epochs import fork_witnesses, group_preferred_epoch, preferred_epoch
from scuttlehouse.tangles.tables import read_epochs

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
    """The preferred epoch of every person of a group, and of the group itself (person_id null)."""
    group_id, _, members, ancestry, key_ranks, tips = read_epochs(epochs)

    preferences = [
        {"group_id": group_id, "epoch_id": group_preferred_epoch(tips, members, key_ranks)}
    ]
    declaring: dict[str, list[str]] = defaultdict(list)
    for epoch, people in members.items():
        for person in people:
            declaring[person].append(epoch)
    # Many people are members of the same epochs, so they prefer the same epoch.
    answers: dict[tuple[str, ...], tuple[str, str, frozenset[str] | None]] = {}
    for person in sorted(declaring):
        own = tuple(declaring[person])
        if own not in answers:
            epoch, rule = preferred_epoch(own, members, ancestry, key_ranks)
            rivals = [other for other in ancestry.unsucceeded(own) if other != epoch]
            witnesses = [fork_witnesses(epoch, rival, members, ancestry) for rival in rivals]
            answers[own] = epoch, rule, frozenset.intersection(*witnesses) if rivals else None
        epoch, rule, seen_by = answers[own]
        preferences.append(
            {
                "group_id": group_id,
                "person_id": person,
                "epoch_id": epoch,
                "rule": rule,
                "is_witness": None if seen_by is None else person in seen_by,
            }
        )
    return pa.Table.from_pylist(preferences, SCHEMA)
