from functools import reduce
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.quality.results import write_results_index


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    subjects = [
        dbt.ref("int_quality__feeds"),
        dbt.ref("int_quality__tangles"),
        dbt.ref("int_quality__groups"),
        dbt.ref("int_quality__sets"),
    ]
    results = reduce(DataFrame.unionByName, subjects)
    write_results_index(results)
    return results
