"""Spark's settings of Hadoop: what Iceberg sends with each table."""

from __future__ import annotations

from conftest import Warehouse
from scuttlehouse.catalog.hadoop_defaults import JAR


def test_spark_carries_no_defaults_of_mapreduce_and_yarn(warehouse: Warehouse) -> None:
    settings = warehouse.session.sparkContext._jsc.hadoopConfiguration()
    assert JAR.exists(), "`make build` makes it"
    assert settings.get("io.file.buffer.size") is not None, "core-default.xml is read"
    for name in ("yarn.resourcemanager.hostname", "mapreduce.job.reduces"):
        assert settings.get(name) is None, name
