"""The DAG of Airflow, in an environment that has Airflow: `make test-installing` makes it."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from environments import PROJECT, run_platform

CHECK = """
import sys
from importlib.util import module_from_spec, spec_from_file_location
spec = spec_from_file_location("airflow_dag", sys.argv[1])
module = module_from_spec(spec)
spec.loader.exec_module(module)
dag = module.scuttlehouse()
print(sorted(dag.task_ids), dag.schedule, dag.get_task("build").downstream_task_ids)
try:
    dag.get_task("build").python_callable()
    print("built")
except Exception as error:
    print(type(error).__name__, error)
"""


@pytest.mark.parametrize(
    ("said", "code", "outcome"),
    [
        ("published", 0, "published\nbuilt"),
        ("published", 3, "\nbuilt"),
        ("The warehouse is in use by process 1.", 2, "\nAirflowException "),
        ("a test failed", 1, "\nAirflowFailException "),
    ],
)
def test_the_dag_builds(tmp_path: Path, said: str, code: int, outcome: str) -> None:
    (tmp_path / "schedules").mkdir()
    (tmp_path / ".venv" / "bin").mkdir(parents=True)
    dag = Path(shutil.copy(PROJECT / "schedules" / "airflow_dag.py", tmp_path / "schedules"))
    program = tmp_path / ".venv" / "bin" / "scuttlehouse"
    program.write_text(f"#!/bin/sh\necho '{said}'\nexit {code}\n")
    program.chmod(0o700)
    done = run_platform(tmp_path, "airflow", "python", "-c", CHECK, str(dag))
    assert "['build', 'check_age'] 0 3 * * * {'check_age'}" in done.stdout
    assert outcome in done.stdout
