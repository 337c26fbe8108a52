from typing import Any

from pyspark.sql import DataFrame, SparkSession

from scuttlehouse.quality.feeds import FEEDS
from scuttlehouse.quality.results import check_marts


def model(dbt: Any, session: SparkSession) -> DataFrame:
    dbt.config(materialized="table")
    marts = {
        "dim_logs": dbt.ref("dim_logs"),
        "fct_rejected_lines": dbt.ref("fct_rejected_lines"),
        "dim_feeds": dbt.ref("dim_feeds"),
        "dim_people": dbt.ref("dim_people"),
        "fct_messages": dbt.ref("fct_messages"),
        "fct_feed_forks": dbt.ref("fct_feed_forks"),
    }
    return check_marts(session, dbt.this.schema, FEEDS, marts)
