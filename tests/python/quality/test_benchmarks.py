"""Benchmarks run rarely, so this says early that one of them no longer fits the code that it measures."""

from __future__ import annotations

import subprocess
import sys

from conftest import PROJECT

BENCHMARKS = PROJECT / "benchmarks"

IMPORTS = """
import hypothesis, importlib, numba, os, pyarrow
for name in sys.argv[2:]:
    if not os.fork():  # Nothing that another benchmark has imported is there.
        importlib.import_module(name)
        os._exit(0)
    assert os.wait()[1] == 0, name
"""

MODELS = """
import grow, threads_and_sets
for model in ("int_tangles__links", "int_tangles__settled", "int_tangles__checked"):
    assert "select" in grow.sql_of(model, 8), model
for file in (*threads_and_sets.OF_THREADS, *threads_and_sets.OF_SETS):
    assert file.is_file(), file
"""

COLUMNS_OF_SETS = """
import threads_and_sets
from scuttlehouse.sets.tables import SET_MESSAGE_COLUMNS
found = []
threads_and_sets.write = lambda table, *_: found.append(table)
threads_and_sets.sets(1, None)
assert {"set_id", "is_by_device", *SET_MESSAGE_COLUMNS} == set(found[0].column_names)
"""


def run(code: str, *arguments: str) -> None:
    """In a process of its own, as the modules of benchmarks have the names of other modules, too."""
    code = f"import sys; sys.path.insert(0, sys.argv[1])\n{code}"
    subprocess.run([sys.executable, "-c", code, str(BENCHMARKS), *arguments], check=True)


def test_every_benchmark_can_be_imported() -> None:
    names = sorted(path.stem for path in BENCHMARKS.glob("*.py"))
    assert len(names) > 15
    run(IMPORTS, *names)


def test_benchmarks_find_the_models_that_they_measure() -> None:
    run(MODELS)


def test_the_sets_of_a_benchmark_have_the_columns_that_models_read() -> None:
    run(COLUMNS_OF_SETS)
