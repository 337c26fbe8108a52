from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.quality.results import check_marts
from scuttlehouse.quality.tangles import TANGLES


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    marts = {
        "dim_tangles": dbt.ref("dim_tangles"),
        "fct_tangle_messages": dbt.ref("fct_tangle_messages"),
        "fct_tangle_links": dbt.ref("fct_tangle_links"),
        "fct_tangle_gaps": dbt.ref("fct_tangle_gaps"),
        "fct_tangle_tips": dbt.ref("fct_tangle_tips"),
        "fct_thread_messages": dbt.ref("fct_thread_messages"),
        "fct_timeline_updates": dbt.ref("fct_timeline_updates"),
    }
    return check_marts(session, dbt.this.schema, TANGLES, marts)
