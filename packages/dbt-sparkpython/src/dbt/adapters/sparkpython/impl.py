"""dbt-spark's adapter, with Python models that run in the dbt process."""

from __future__ import annotations

import traceback
from functools import partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any, TypeAlias, cast

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.contracts.relation import RelationType
from dbt.adapters.events.logging import AdapterLogger
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError

from dbt.adapters.sparkpython.calls import find_function
from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.python_models import SessionPythonJobHelper
from dbt.adapters.sparkpython.session import begin_to_open, log_to

logger = AdapterLogger("sparkpython")

# Commands that open a session as soon as they have parsed the project. Java starts in the meantime.
NEED_SPARK = ("build", "run", "test", "seed")
RUN_PYTHON_MODELS = ("build", "run")

LIST_VIEWS = "sparkpython_list_views"


class SparkPythonAdapter(SparkAdapter):
    ConnectionManager: TypeAlias = SparkPythonConnectionManager

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        log_to(Path(getattr(config, "log_path", "logs")))
        credentials = cast(SparkPythonCredentials, config.credentials)
        # `dbt debug` has a profile here and no arguments.
        command = str(getattr(getattr(config, "args", None), "which", ""))
        if command in NEED_SPARK and credentials.method == SparkConnectionMethod.SESSION:
            begin_to_open(credentials, with_workers=command in RUN_PYTHON_MODELS)

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        helper = partial(SessionPythonJobHelper, Path(self.config.project_root))
        return {"session": cast(type[PythonJobHelper], helper)}

    @available
    def is_empty_run(self) -> bool:
        """Whether dbt was called with `--empty`. Refs and sources then have no rows."""
        return bool(getattr(self.config.args, "EMPTY", False))

    @available
    def call_python(self, function: str, *arguments: Any, **options: Any) -> Any:
        """Call a Python function of an installed package, `package.module.function`, in the dbt process.

        Hooks and macros use it for work outside SQL: check settings, lock, publish.

        Raises:
            DbtRuntimeError: the function raises an error. The message is its own; dbt's log has the stack.
        """
        try:
            return find_function(function)(*arguments, **options)
        except Exception as error:
            logger.debug(traceback.format_exc())
            raise DbtRuntimeError(str(error)) from error

    @available
    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """The tables of a schema, as dbt-spark lists them, and its views, which Iceberg lists separately."""
        tables: list[BaseRelation] = super().list_relations_without_caching(schema_relation)
        listed = {table.identifier for table in tables}
        try:
            views = self.execute_macro(LIST_VIEWS, kwargs={"schema_relation": schema_relation})
        except DbtRuntimeError:  # The schema does not exist, or the catalog has no views.
            return tables
        return tables + [
            self.Relation.create(
                schema=view["namespace"],
                identifier=view["viewName"],
                type=RelationType.View,
            )
            for view in views
            if not view["isTemporary"] and view["viewName"] not in listed
        ]

    @available
    def list_relations_again(self, *schemas: str) -> None:
        """List the relations of all known schemas and of `schemas`. For hooks that change the catalog.

        Without this, the first model would list a schema, and others would see a part of the list.
        """
        known = {*self.cache.schemas, *((None, schema) for schema in schemas)}
        self.cache.clear()  # type: ignore[no-untyped-call]
        for database, schema in known:
            if schema:
                self.list_relations(database, schema)
