"""``python -m scuttlehouse.spark.class_archive`` makes the class archive that lets Spark start fast."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import yaml

from dbt.adapters.sparkpython.class_archive import make
from scuttlehouse.catalog.spark import spark_settings


def main() -> None:
    """Make the archive with a temporary home and the target's settings, except Java's own options."""
    profiles = yaml.safe_load(Path("profiles", "profiles.yml").read_text())
    parameters = profiles["scuttlehouse"]["outputs"]["embedded"]["server_side_parameters"]
    del parameters["spark.driver.extraJavaOptions"]
    with tempfile.TemporaryDirectory(prefix="scuttlehouse-") as home:
        os.environ |= {"SCUTTLEHOUSE_HOME": home, "SCUTTLEHOUSE_LANDING": f"{home}/logs"}
        make(parameters | spark_settings())


if __name__ == "__main__":
    main()
