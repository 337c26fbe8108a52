"""The project as others have it: from a repository, with the wheels in an environment of their own."""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest

from environments import TAG, Environment, copy_project, run_platform
from settings_of_people import forget_settings

forget_settings()

# Dagster's environment runs it.
collect_ignore = ["dagster_runs.py"]


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a repository with the files of this project, and a tag."""
    folder = tmp_path_factory.mktemp("repository") / "scuttlehouse"
    copy_project(folder)
    as_somebody = ["-c", "user.name=test", "-c", "user.email=test@localhost"]
    for command in (
        ["init", "--quiet"],
        ["add", "--all"],
        [*as_somebody, "commit", "--quiet", "--message", "All files"],
        ["tag", TAG],
    ):
        subprocess.run(["git", *command], cwd=folder, check=True)
    return folder.as_uri()


@pytest.fixture(scope="session")
def installed(repository: str, tmp_path_factory: pytest.TempPathFactory) -> Environment:
    """An environment with the packages that the wheels require, and the wheels made from the repository.

    The required packages are those of this environment, without this project and its adapter.
    """
    folder = tmp_path_factory.mktemp("installing")
    environment = folder / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(environment)], check=True)
    [packages] = environment.glob("lib/python*/site-packages")
    # A line of a .pth file is a folder: the .pth files in it, which lead to this project, do not count.
    (packages / "required.pth").write_text(f"{sysconfig.get_path('purelib')}\n")
    python = str(environment / "bin" / "python")
    pip = [
        sys.executable,
        "-m",
        "pip",
        "--disable-pip-version-check",
        "--quiet",
        "--python",
        python,
    ]
    address = f"git+{repository}@{TAG}"
    sources = address, f"{address}#subdirectory=packages/dbt-sparkpython"
    options = "--no-deps", "--no-build-isolation", "--ignore-installed"
    subprocess.run([*pip, "install", *options, *sources], check=True)
    return Environment(environment / "bin", folder)


@pytest.fixture(scope="session")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the project with its environment, parsed, as after `make build`. It builds into `house`."""
    folder = tmp_path_factory.mktemp("project") / "scuttlehouse"
    copy_project(folder)
    (folder / ".venv").mkdir()
    (folder / ".venv" / "bin").symlink_to(Path(sys.executable).parent)
    dbt = folder / ".venv" / "bin" / "dbt"
    subprocess.run([dbt, "--quiet", "parse", "--profiles-dir", "profiles"], cwd=folder, check=True)
    return folder


@pytest.fixture(scope="session")
def dagster(project: Path, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What Dagster says of a run that builds everything, and of one that has no logs."""
    result = tmp_path_factory.mktemp("dagster") / "result.json"
    script = Path(__file__).with_name("dagster_runs.py")
    run_platform(project, "dagster", "python", str(script), str(result))
    found: dict[str, Any] = json.loads(result.read_text())
    return found
