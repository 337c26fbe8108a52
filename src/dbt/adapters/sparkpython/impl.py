"""dbt-spark's adapter, with Python models that run in the dbt process."""

from __future__ import annotations

import re
import shutil
import threading
from collections.abc import Callable, Iterable
from functools import partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any, TypeAlias, cast
from urllib.parse import unquote

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.base.relation import BaseRelation
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.spark.connections import SparkConnectionMethod
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id
from pyspark.errors import AnalysisException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.imports import import_all
from dbt.adapters.sparkpython.owners import (
    hold,
    holder,
    is_signed,
    release,
    signed_word,
    write_whole,
)
from dbt.adapters.sparkpython.python_models import SessionPythonJobHelper
from dbt.adapters.sparkpython.rules import hash_files, package_files
from dbt.adapters.sparkpython.session import begin_to_open, is_remote, log_to

# Commands that open a session as soon as they have parsed the project; Java starts meanwhile.
NEED_SPARK = ("build", "run", "test", "seed")
RUN_PYTHON_MODELS = ("build", "run")

# What reads no more than this is read in one task. Of more tasks Spark moves the rows between them for every
# join and every aggregate, and plans anew after each move.
FEW_BYTES = 4 << 20

# In what Spark says of a table.
_TABLE_NAME = re.compile("^Table: (.*)$", re.MULTILINE)


class SparkPythonAdapter(SparkAdapter):
    ConnectionManager: TypeAlias = SparkPythonConnectionManager

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._answers: dict[str, Any] = {}
        self._run_of_answers = get_invocation_id()
        log_to(Path(getattr(config, "log_path", "logs")))
        credentials = cast(SparkPythonCredentials, config.credentials)
        # `dbt debug` has a profile and no arguments here.
        command = str(getattr(getattr(config, "args", None), "which", ""))
        if command in NEED_SPARK and credentials.method == SparkConnectionMethod.SESSION:
            begin_to_open(
                credentials.server_side_parameters, with_workers=command in RUN_PYTHON_MODELS
            )

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        helper = partial(SessionPythonJobHelper, Path(self.config.project_root))
        return {"session": cast(type[PythonJobHelper], helper)}

    def list_relations_without_caching(self, schema_relation: BaseRelation) -> list[BaseRelation]:
        """As in dbt-spark, whose `show table extended` asks the metastore for one table after another."""
        session: Any = self._session()
        parameters = cast(SparkPythonCredentials, self.config.credentials).server_side_parameters
        if session is None or is_remote(parameters):
            return super().list_relations_without_caching(schema_relation)
        schema = schema_relation.schema
        catalog = session._jsparkSession.sessionState().catalog()
        if not catalog.databaseExists(schema):
            return []
        tables = catalog.getTablesByName(catalog.listTables(schema, "*", False))
        rows = [
            (schema, _TABLE_NAME.findall(description)[0], False, description)
            for description in tables.mkString("\0").split("\0")
            if description
        ]
        return self._build_spark_relation_list(rows, self._get_relation_information)

    @available
    def is_empty_run(self) -> bool:
        """Whether dbt was called with `--empty`: then refs and sources have no rows."""
        return bool(getattr(self.config.args, "EMPTY", False))

    @available
    def begin_build(self, folder: str, build_id: str) -> dict[str, str] | None:
        """Keep the warehouse in a folder to this process, whatever metastore it has.

        Returns the `build_id` of the last build and its `holder`, if it did not come to its end.
        """
        lock = _build_lock(folder)
        dead = {"build_id": signed_word(lock), "holder": holder(lock)} if is_signed(lock) else None
        if not hold(lock, build_id):
            raise DbtRuntimeError(
                f"Another build of the warehouse in {folder} is running: {holder(lock)}. Wait until it has"
                " ended, or end it, and build again."
            )
        return dead

    @available
    def plain_location(self, uri: str) -> str:
        """A location as the metastore tells it, in plain characters: as Spark takes it in a statement."""
        return unquote(uri)

    @available
    def clear_unfinished_writes(self, folder: str) -> None:
        """Remove what killed runs had begun to write in a schema's folder, where that is on this machine."""
        if folder.startswith("file:"):
            for part in ("*/.spark-staging-*", "*/_temporary", "*/*/_temporary"):
                for unfinished in Path(folder.removeprefix("file:")).glob(part):
                    shutil.rmtree(unfinished, ignore_errors=True)

    @available
    def end_build(self, folder: str) -> None:
        """Let others build there."""
        release(_build_lock(folder))

    @available
    def once(self, name: str, macro: Callable[..., Any], *arguments: Any) -> Any:
        """What a macro returns, asked once in a run: for what does not change while the run lasts."""
        answers = self._answers_of_this_run()
        if name not in answers:
            answers[name] = macro(*arguments)
        return answers[name]

    @available
    def answered(self, name: str) -> Any:
        """What :meth:`once` has returned in this run; None if nobody has asked yet."""
        return self._answers_of_this_run().get(name)

    def _answers_of_this_run(self) -> dict[str, Any]:
        if self._run_of_answers != get_invocation_id():
            self._answers, self._run_of_answers = {}, get_invocation_id()
        return self._answers

    @available
    def import_ahead(self, modules: Iterable[str], postponed: Iterable[str] = ()) -> None:
        """Import what Python models are going to need, beside what else runs.

        A model that imports a module meanwhile waits for it; what cannot be imported is told there.
        What is ``postponed`` loads only when somebody asks for something that is in it.
        """
        threading.Thread(
            target=import_all, args=(modules, postponed), name="import_ahead", daemon=True
        ).start()

    @available
    def view_files(self, view: str, table: str, folder: str) -> bool:
        """Make a temporary view of the files in a table's folder, which Spark reads without the metastore.

        The columns are those of the table but for partitions that the folder's path names. False, and
        no view, where there is no such folder, or no session in this process.
        """
        session = self._session()
        if session is None:
            return False
        columns = [one for one in session.table(table).schema if f"/{one.name}=" not in folder]
        try:
            rows = session.read.schema(StructType(columns)).parquet(folder)
        except AnalysisException as error:
            if error.getCondition() != "PATH_NOT_FOUND":
                raise
            return False
        (rows.coalesce(1) if _reads_few_bytes(rows) else rows).createOrReplaceTempView(view)
        return True

    @available
    def reads_few_bytes(self, query: str) -> bool:
        """Whether the files that a query reads are small; False where the session is not of this process."""
        session = self._session()
        return session is not None and _reads_few_bytes(session.sql(query))

    @available
    def write_file(self, path: str, text: str) -> None:
        """Write a file that readers find whole, the old one or the new one."""
        write_whole(Path(path), text)

    @available
    def rules_hash(self, package: str) -> str:
        """A hash of all that decides what the project's tables hold, and of a package that it uses."""
        files = self._project_files("model", "macro", "seed")
        rules = [file for file in files if file.suffix in (".sql", ".py", ".csv")]
        return hash_files([*rules, *package_files(package)])

    @available
    def project_hash(self, package: str) -> str:
        """A hash of the whole project, tests and descriptions included, and of a package that it uses."""
        files = self._project_files("model", "macro", "seed", "test")
        settings = Path(self.config.project_root) / "dbt_project.yml"
        return hash_files([settings, *files, *package_files(package)])

    def _session(self) -> SparkSession | None:
        """The session that dbt's statements run in; None where they go to a server of another method."""
        credentials = cast(SparkPythonCredentials, self.config.credentials)
        if credentials.method != SparkConnectionMethod.SESSION:
            return None
        return cast(SparkSession, self.connections.get_thread_connection().handle.session)

    def _project_files(self, *kinds: str) -> list[Path]:
        root = Path(self.config.project_root)
        folders = [root / one for kind in kinds for one in getattr(self.config, f"{kind}_paths")]
        return [file for folder in folders for file in folder.rglob("*.*") if file.is_file()]


def _build_lock(folder: str) -> Path:
    return Path(folder, "build.lock")


def _reads_few_bytes(rows: DataFrame) -> bool:
    java: Any = getattr(rows, "_jdf", None)  # a client of Spark Connect has none
    return java is not None and java.queryExecution().analyzed().stats().sizeInBytes() <= FEW_BYTES
