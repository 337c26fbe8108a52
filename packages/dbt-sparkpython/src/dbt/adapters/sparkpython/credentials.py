"""The settings of a `type: sparkpython` target in profiles.yml."""

from __future__ import annotations

from dataclasses import dataclass

from dbt.adapters.spark.connections import SparkConnectionMethod, SparkCredentials


@dataclass
class SparkPythonCredentials(SparkCredentials):
    """dbt-spark's credentials. `method: session` is the default and needs no `host`.

    `spark_settings` names a Python function, `package.module.function`. It is called once, before Spark
    starts, and returns computed settings: paths, jars, addresses. Its errors are shown unchanged.
    """

    method: SparkConnectionMethod = SparkConnectionMethod.SESSION
    spark_settings: str | None = None

    def __post_init__(self) -> None:
        if self.method == SparkConnectionMethod.SESSION and self.host is None:
            self.host = "session"
        super().__post_init__()

    @property
    def type(self) -> str:
        return "sparkpython"
