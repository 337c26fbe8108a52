"""dbt-spark's adapter, with Python models that run in the dbt process."""

from __future__ import annotations

from functools import lru_cache, partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import TypeAlias, cast

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.invocation import get_invocation_id

from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
from dbt.adapters.sparkpython.python_models import SessionPythonJobHelper
from dbt.adapters.sparkpython.rules import hash_files, package_files
from dbt.adapters.sparkpython.session import log_to


class SparkPythonAdapter(SparkAdapter):
    ConnectionManager: TypeAlias = SparkPythonConnectionManager

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        log_to(Path(getattr(config, "log_path", "logs")))

    @property
    def default_python_submission_method(self) -> str:
        return "session"

    @property
    def python_submission_helpers(self) -> dict[str, type[PythonJobHelper]]:
        helper = partial(SessionPythonJobHelper, Path(self.config.project_root))
        return {"session": cast(type[PythonJobHelper], helper)}

    @available
    def is_empty_run(self) -> bool:
        """Whether dbt was called with `--empty`: then refs and sources have no rows."""
        return bool(getattr(self.config.args, "EMPTY", False))

    @available
    def rules_hash(self, package: str) -> str:
        """A hash of all that decides what the project's tables hold, and of a package that it uses."""
        folders = [*self.config.model_paths, *self.config.macro_paths, *self.config.seed_paths]
        root = Path(self.config.project_root)
        return _rules_hash(tuple(root / one for one in folders), package, get_invocation_id())


@lru_cache(maxsize=1)
def _rules_hash(folders: tuple[Path, ...], package: str, _invocation_id: str) -> str:
    """Once an invocation: many models ask."""
    files = [
        file
        for folder in folders
        for suffix in ("sql", "py", "csv")
        for file in folder.rglob(f"*.{suffix}")
    ]
    return hash_files([*files, *package_files(package)])
