"""Python models. They run in the dbt process, in the session that SQL models use."""

from __future__ import annotations

import linecache
import sys
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt_common.exceptions import DbtRuntimeError
from pyspark import cloudpickle
from pyspark.sql import DataFrame

from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.frames import to_spark
from dbt.adapters.sparkpython.session import open_session
from dbt.adapters.sparkpython.tracebacks import model_sentence

logger = AdapterLogger("sparkpython")


class SessionPythonJobHelper(PythonJobHelper):
    """Runs one compiled Python model: `submission_method: session`."""

    def __init__(
        self, root: Path, parsed_model: dict[str, Any], credentials: SparkPythonCredentials
    ) -> None:
        """Store the folder of the model's project, in addition to what dbt gives every helper."""
        if credentials.method != SparkConnectionMethod.SESSION:
            raise DbtRuntimeError(
                f"Python models need `method: session` in the profile, not {credentials.method}:"
                " they run in the session that SQL models use."
            )
        self.credentials = credentials
        self.root = root
        self.path: str = parsed_model["original_file_path"]
        self.name: str = parsed_model["unique_id"].replace(".", "__")
        self.code: str = parsed_model["raw_code"]
        self.packages: list[str] = parsed_model["config"].get("packages") or []

    def submit(self, compiled_code: str) -> None:
        """Run the model and write its result, as the `dbt_plan` below its code says."""
        blank_lines = _blank_lines_on_top(self.root / self.path, self.code)
        source = "\n" * blank_lines + compiled_code.lstrip()
        own_lines = blank_lines + len(self.code.splitlines())
        session = open_session(self.credentials)
        try:
            with _module(self.name, self.path, source) as module:
                plan = module.dbt_plan

                def load(relation: str) -> DataFrame:
                    # Not session.table, because with --empty dbt gives sources as subqueries.
                    frame = session.sql(f"select * from {relation}")
                    return frame.limit(0) if plan["is_empty"] else frame

                if not callable(getattr(module, "model", None)):
                    raise DbtRuntimeError(
                        f"{self.path} has no function `model(dbt, session)` at its top level."
                    )
                result = module.model(module.dbtObj(load), session)
                to_spark(session, result).createOrReplaceTempView(plan["view"])
                if plan["statement"]:
                    try:
                        session.sql(plan["statement"])
                    finally:
                        session.catalog.dropTempView(plan["view"])
        except DbtRuntimeError:
            raise
        except (Exception, SystemExit) as error:
            logger.debug("".join(traceback.format_exception(error)))
            raise DbtRuntimeError(
                model_sentence(error, self.path, own_lines, self.packages)
            ) from error


def _blank_lines_on_top(file: Path, code: str) -> int:
    """How many blank lines dbt removed from the top of a model's file. They are restored for line numbers."""
    try:
        text = file.read_text(encoding="utf-8")
    except OSError:
        return 0
    if text.strip() != code.strip():  # The model is in an installed package.
        return 0
    return text[: len(text) - len(text.lstrip())].count("\n")


@contextmanager
def _module(name: str, path: str, source: str) -> Iterator[ModuleType]:
    """Run `source` as a new module. Python workers get it by value.

    Tracebacks name `path` and show its lines, even if the file is not there.
    """
    module = ModuleType(name)
    module.__file__ = path
    linecache.cache[path] = (len(source), None, source.splitlines(keepends=True), path)
    sys.modules[name] = module
    cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    try:
        exec(compile(source, path, "exec"), module.__dict__)
        yield module
    finally:
        cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
        del sys.modules[name]
