from typing import Any

from pyspark.sql import DataFrame, SparkSession


def model(dbt: Any, session: SparkSession) -> DataFrame:
    """The groups of this club that need a repair."""
    return dbt.ref("club_groups").where("repair_count > 0")
