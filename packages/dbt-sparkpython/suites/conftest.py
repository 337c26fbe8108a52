"""The place where dbt's own suites run: Iceberg tables in a separate folder.

They run in a separate process, because a process has one Spark session.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from scuttlehouse.catalog.jars import jars

pytest_plugins = ["dbt.tests.fixtures.project"]


@pytest.fixture(scope="session")
def lake(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("lake")


@pytest.fixture(scope="class")
def dbt_profile_target(lake: Path) -> dict[str, Any]:
    catalog = "spark.sql.catalog.lake"
    return {
        "type": "sparkpython",
        "threads": 1,
        "server_side_parameters": {
            "spark.master": "local[2]",
            "spark.driver.extraClassPath": os.pathsep.join(map(str, jars())),
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.extensions": (
                "org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions"
            ),
            "spark.sql.defaultCatalog": "lake",
            catalog: "org.apache.iceberg.spark.SparkCatalog",
            f"{catalog}.type": "jdbc",
            f"{catalog}.uri": f"jdbc:sqlite:{lake}.db",
            f"{catalog}.jdbc.schema-version": "V1",
            f"{catalog}.warehouse": str(lake),
            "spark.sql.warehouse.dir": str(lake / "unused"),
            "spark.sql.codegen.factoryMode": "NO_CODEGEN",  # little data: compiling takes longer
            "spark.sql.shuffle.partitions": "2",
            "spark.ui.enabled": "false",
        },
    }


ICEBERG = {"+file_format": "iceberg"}


@pytest.fixture(scope="class")
def project_config_update() -> dict[str, Any]:
    return {"models": ICEBERG, "seeds": ICEBERG}
