"""What the wheels of this project bring to an empty environment: `make test-installing`.

The environment has the packages that the wheels require, and neither this project nor its adapter.
"""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path

import pytest

PROJECT = Path(__file__).parents[2]
SITE_PACKAGES = sysconfig.get_path("purelib")

Run = Callable[..., str]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a program of an environment into which the wheels were installed."""
    folder = tmp_path_factory.mktemp("installing")
    wheels, environment = folder / "wheels", folder / "environment"
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--quiet"]
    sources = str(PROJECT), str(PROJECT / "packages" / "dbt-sparkpython")
    build = ["wheel", "--no-deps", "--no-build-isolation", "--wheel-dir", str(wheels)]
    subprocess.run([*pip, *build, *sources], check=True)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    install = ["install", "--no-deps", "--no-compile", "--target", str(packages)]
    subprocess.run([*pip, *install, *map(str, wheels.glob("*.whl"))], check=True)
    # A line of a .pth file is a folder: the .pth files in it, which lead to this project, do not count.
    (packages / "required.pth").write_text(f"{SITE_PACKAGES}\n")
    python = environment / "bin" / "python"

    def run(*arguments: str, **variables: str) -> str:
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        done = subprocess.run(
            [str(python), *arguments],
            cwd=folder,
            env={**clean, "SCUTTLEHOUSE_HOME": str(folder / "home"), **variables},
            capture_output=True,
            text=True,
            check=False,
        )
        return done.stdout + done.stderr

    return run


COMMAND = "-c", "import sys; from scuttlehouse.cli import main; sys.exit(main(sys.argv[1:]))"


def test_the_packages_are_those_of_the_wheels(run: Run) -> None:
    where = "import scuttlehouse, dbt.adapters.sparkpython as a; print(scuttlehouse.__file__, a.__file__)"
    assert run("-c", where).count("/environment/lib/") == 2


def test_the_command_line_works_without_the_project(run: Run) -> None:
    assert "rollback" in run(*COMMAND, "--help")
    inspected = run(*COMMAND, "inspect", str(PROJECT / "sample" / "alice.jsonl"))
    assert "json_lines" in inspected
    assert run(*COMMAND, "sql", "select 1").startswith("Nothing is published yet")


def test_the_doctor_finds_the_packages(run: Run) -> None:
    said = run(*COMMAND, "doctor")
    assert "ok    packages" in said
    assert "ok    python" in said
    assert "Traceback" not in said


def test_the_algorithms_need_no_spark(run: Run) -> None:
    code = (
        "import sys; from scuttlehouse.timeline import Timeline; import scuttlehouse.groups.epochs; "
        "print('pyspark' in sys.modules, Timeline.__name__)"
    )
    assert run("-c", code) == "False Timeline\n"


def test_the_wheel_pins_the_jars(run: Run) -> None:
    code = "from scuttlehouse.catalog.jars import all_pinned; print(len(all_pinned()))"
    assert int(run("-c", code)) >= 3


def test_the_adapter_brings_its_macros(run: Run) -> None:
    code = (
        "from pathlib import Path; import dbt.include.sparkpython as a; from dbt.adapters.sparkpython import "
        "Plugin; print(Plugin.adapter.type(), len([*Path(a.PACKAGE_PATH).glob('macros/*.sql')]))"
    )
    name, _, count = run("-c", code).partition(" ")
    assert name == "sparkpython"
    assert int(count) == len(
        [*(PROJECT / "packages/dbt-sparkpython/src/dbt/include/sparkpython/macros").glob("*.sql")]
    )
