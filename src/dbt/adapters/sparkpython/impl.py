"""dbt-spark's adapter, with Python models that run in the dbt process."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from functools import lru_cache, partial
from multiprocessing.context import SpawnContext
from pathlib import Path
from typing import Any, TypeAlias, cast

from dbt.adapters.base.impl import PythonJobHelper
from dbt.adapters.base.meta import available
from dbt.adapters.contracts.connection import AdapterRequiredConfig
from dbt.adapters.spark.impl import SparkAdapter
from dbt_common.exceptions import DbtRuntimeError
from dbt_common.invocation import get_invocation_id

from dbt.adapters.sparkpython.connections import SparkPythonConnectionManager
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
from dbt.adapters.sparkpython.session import log_to


class SparkPythonAdapter(SparkAdapter):
    ConnectionManager: TypeAlias = SparkPythonConnectionManager

    def __init__(self, config: AdapterRequiredConfig, mp_context: SpawnContext) -> None:
        super().__init__(config, mp_context)
        self._answers: dict[str, Any] = {}
        self._run_of_answers = get_invocation_id()
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
    def once(self, name: str, macro: Callable[[], Any]) -> Any:
        """What a macro returns, asked once in a run: for what does not change while the run lasts."""
        if self._run_of_answers != get_invocation_id():
            self._answers, self._run_of_answers = {}, get_invocation_id()
        if name not in self._answers:
            self._answers[name] = macro()
        return self._answers[name]

    @available
    def write_file(self, path: str, text: str) -> None:
        """Write a file that readers find whole, the old one or the new one."""
        write_whole(Path(path), text)

    @available
    def rules_hash(self, package: str) -> str:
        """A hash of all that decides what the project's tables hold, and of a package that it uses."""
        folders = [*self.config.model_paths, *self.config.macro_paths, *self.config.seed_paths]
        root = Path(self.config.project_root)
        return _rules_hash(tuple(root / one for one in folders), package, get_invocation_id())


def _build_lock(folder: str) -> Path:
    return Path(folder, "build.lock")


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
