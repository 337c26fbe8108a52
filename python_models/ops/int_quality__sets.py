from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.quality.results import check_marts
from scuttlehouse.quality.sets import SETS


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    marts = {
        "dim_sets": dbt.ref("dim_sets"),
        "fct_set_items": dbt.ref("fct_set_items"),
        "fct_set_messages": dbt.ref("fct_set_messages"),
        "fct_set_prunings": dbt.ref("fct_set_prunings"),
        "fct_set_links": dbt.ref("fct_set_links"),
        "fct_set_rule_violations": dbt.ref("fct_set_rule_violations"),
        "fct_set_changes": dbt.ref("fct_set_changes"),
    }
    return check_marts(session, dbt.this.schema, SETS, marts)
