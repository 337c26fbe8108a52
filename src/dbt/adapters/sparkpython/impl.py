from __future__ import annotations

from typing import TypeAlias

from dbt.adapters.base import PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.spark.impl import SparkAdapter
from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
from dbt.adapters.sparkpython.python_models import SessionPythonJobHelper


class SparkPythonAdapter(SparkAdapter):
    ConnectionManager: TypeAlias = SparkPythonConnectionManager

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        return {"session": SessionPythonJobHelper}

    @available
    def is_empty_run(self) -> bool:
        return bool(getattr(self.config.args, "EMPTY", False))
