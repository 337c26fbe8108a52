from typing import Any

from pyspark.sql import DataFrame, SparkSession


def model(dbt: Any, session: SparkSession) -> DataFrame:
    """The logs in which more than one line cannot be used."""
    return dbt.ref("club_rejects").where("line_count > 1")
