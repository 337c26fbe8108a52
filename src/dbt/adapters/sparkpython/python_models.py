"""Python models, run in the dbt process."""

from __future__ import annotations

import linecache
from pathlib import Path
from typing import Any

from dbt.adapters.base import PythonJobHelper
from dbt.adapters.sparkpython.session import open_session
from dbt_common.exceptions import DbtRuntimeError


class SessionPythonJobHelper(PythonJobHelper):
    def __init__(self, parsed_model: dict[str, Any], credentials: Any) -> None:
        self.model = parsed_model
        self.credentials = credentials

    def submit(self, compiled_code: str) -> None:
        import pandas as pd
        import pyarrow as pa

        source = compiled_code.lstrip()
        path = self.model["original_file_path"]
        linecache.cache[path] = (len(source), None, source.splitlines(True), path)
        session = open_session(self.credentials.server_side_parameters, Path("logs/spark.log"))
        namespace: dict[str, Any] = {"__name__": "dbt_python_model"}
        exec(compile(source, path, "exec"), namespace)
        plan = namespace["dbt_plan"]

        def load(name: str) -> Any:
            frame = session.table(name)
            return frame.limit(0) if plan["is_empty"] else frame

        frame = namespace["model"](namespace["dbtObj"](load), session)
        if isinstance(frame, pd.DataFrame):
            frame = pa.Table.from_pandas(frame, preserve_index=False)
        if isinstance(frame, pa.Table):
            frame = session.createDataFrame(frame)
        if not hasattr(frame, "createOrReplaceTempView"):
            raise DbtRuntimeError(f"The model returned {type(frame).__name__}, not a DataFrame.")
        frame.createOrReplaceTempView(plan["view"])
        if plan["statement"]:
            session.sql(plan["statement"])
            session.catalog.dropTempView(plan["view"])
