from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.epochs import group_preferred_epoch
from scuttlehouse.groups.preferences import preferences
from scuttlehouse.groups.tables import read_epochs

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
        dbt.ref("int_groups__judged_epochs")
        .groupBy("group_id")
        .applyInArrow(prefer, from_arrow_schema(SCHEMA))
    )


def prefer(epochs: pa.Table) -> pa.Table:
    """The preferred epoch of every person of a group, and of the group itself (person_id null)."""
    group_id, _, members, ancestry, key_ranks, tips = read_epochs(epochs)
    of_group = {"group_id": group_id, "epoch_id": group_preferred_epoch(tips, members, key_ranks)}
    of_people = preferences(members, ancestry, key_ranks)
    return pa.Table.from_pylist(
        [of_group, *({"group_id": group_id, **one._asdict()} for one in of_people)], SCHEMA
    )
