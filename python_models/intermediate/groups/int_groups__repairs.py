from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.pandas.types import from_arrow_schema

from scuttlehouse.groups.repairs import repairs
from scuttlehouse.groups.tables import read_epochs

SCHEMA = pa.schema(
    [
        ("group_id", pa.string()),
        ("epoch_id", pa.string()),
        ("person_id", pa.string()),
        ("action", pa.string()),
        ("because", pa.string()),
    ]
)


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    correct = (
        dbt.ref("int_groups__correct_members")
        .groupBy("epoch_id")
        .agg(F.collect_list("person_id").alias("correct_ids"))
    )
    return (
        dbt.ref("int_groups__judged_epochs")
        .join(correct, "epoch_id", "left")
        .groupBy("group_id")
        .applyInArrow(find_repairs, from_arrow_schema(SCHEMA))
    )


def find_repairs(epochs: pa.Table) -> pa.Table:
    group_id, _, members, ancestry, key_ranks, tips = read_epochs(epochs)
    names, people = (epochs[name].to_pylist() for name in ("epoch_id", "correct_ids"))
    correct = {epoch: frozenset(own or ()) for epoch, own in zip(names, people, strict=True)}
    found = repairs(tips, members, correct, ancestry, key_ranks)
    return pa.Table.from_pylist([{"group_id": group_id, **one._asdict()} for one in found], SCHEMA)
