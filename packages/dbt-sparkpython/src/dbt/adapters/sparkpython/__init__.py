from dbt.adapters.base.plugin import AdapterPlugin

from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.impl import SparkPythonAdapter
from dbt.include import sparkpython

__all__ = ["Plugin", "SparkPythonAdapter", "SparkPythonConnectionManager", "SparkPythonCredentials"]

Plugin = AdapterPlugin(
    adapter=SparkPythonAdapter,  # type: ignore[arg-type]
    credentials=SparkPythonCredentials,
    include_path=sparkpython.PACKAGE_PATH,
    dependencies=["spark"],
)
