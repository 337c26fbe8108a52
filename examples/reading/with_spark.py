"""How many members each group has, from the published tables in a Spark of its own.

pip install pyspark==4.1.4; `make build` fetches the jars.
"""

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

home = Path(os.environ.get("SCUTTLEHOUSE_HOME") or ".scuttlehouse").resolve()
jars = os.environ.get("SCUTTLEHOUSE_JARS") or f"{sys.prefix}/share/scuttlehouse/jars"
namespace = sys.argv[1] if len(sys.argv) > 1 else "scuttlehouse"

settings = {
    "spark.driver.extraClassPath": f"{jars}/*",
    "spark.sql.defaultCatalog": "warehouse",
    "spark.sql.catalog.warehouse": "org.apache.iceberg.spark.SparkCatalog",
    "spark.sql.catalog.warehouse.type": "jdbc",
    "spark.sql.catalog.warehouse.jdbc.schema-version": "V1",
    "spark.sql.catalog.warehouse.uri": f"jdbc:sqlite:file:{home}/catalog.db?mode=ro",
    "spark.sql.catalog.warehouse.warehouse": f"{home}/warehouse",
    # Each query reads what is published when it starts.
    "spark.sql.catalog.warehouse.cache-enabled": "false",
}
spark = SparkSession.builder.master("local[*]").config(map=settings).getOrCreate()

spark.sql(f"use {namespace}")
spark.sql("""
    select groups.group_id, count(*) as member_count
    from dim_groups as groups
    inner join fct_epoch_members as members on groups.preferred_epoch_id = members.epoch_id
    where members.is_declared and (groups.protocol = 'epochs' or not members.is_still_excluded)
    group by groups.group_id
    order by member_count desc, groups.group_id
""").show(truncate=False)
