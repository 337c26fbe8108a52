"""The targets of the project's profile, and a Spark session with the settings of a build."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml
from jinja2 import Environment

from timed_build import PROJECT

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def targets() -> dict[str, dict[str, Any]]:
    """The targets of profiles/profiles.yml by name, with the values of environment variables."""
    text = (PROJECT / "profiles/profiles.yml").read_text()
    profile = yaml.safe_load(Environment().from_string(text).render(env_var=os.environ.get))
    outputs: dict[str, dict[str, Any]] = profile["scuttlehouse"]["outputs"]
    return outputs


def open_spark(home: Path, target: str) -> SparkSession:
    """A session on a separate warehouse. Tables without a schema are Iceberg's, in the schema `bench`."""
    from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
    from dbt.adapters.sparkpython.session import log_to, open_session

    os.environ["SCUTTLEHOUSE_HOME"] = str(home)
    log_to(home)
    settings = targets()[target]
    session = open_session(
        SparkPythonCredentials(
            schema=settings["schema"],
            server_side_parameters=settings["server_side_parameters"],
            spark_settings=settings["spark_settings"],
        )
    )
    session.sql("create namespace bench")
    session.sql("use bench")
    return session
