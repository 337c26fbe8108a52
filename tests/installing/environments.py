"""An environment of somebody who installs the project from its repository, and not from this folder."""

from __future__ import annotations

import os
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

PROJECT = Path(__file__).parents[2]

# Of the repository that tests make of the project.
TAG = "v0"


def copy_project(folder: Path) -> None:
    """Copy the project without its repository and what is made in it, which `logs` is at the top alone."""
    made = shutil.ignore_patterns("__pycache__", "*.egg-info", "dbt_packages", "target")
    folder.mkdir()
    for path in PROJECT.iterdir():
        if path.is_file() and path.name != ".git":
            shutil.copy2(path, folder)
        elif not path.name.startswith(".") and path.name not in ("target", "logs", "build"):
            shutil.copytree(path, folder / path.name, ignore=made)


@dataclass(frozen=True)
class Environment:
    """The programs of a virtual environment, and a folder to work in."""

    bin: Path
    folder: Path

    def run(
        self, program: str, *arguments: str, folder: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a program of the environment in a folder. The home is in it."""
        place = folder or self.folder
        clean = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
        return subprocess.run(
            [str(self.bin / program), *arguments],
            cwd=place,
            env={**clean, "SCUTTLEHOUSE_HOME": str(place / "home"), **variables},
            capture_output=True,
            text=True,
            check=False,
        )


def run_platform(
    project: Path, name: str, program: str, *arguments: str, **variables: str
) -> subprocess.CompletedProcess[str]:
    """Run a program of a platform's own environment in a project, whose home is beside it."""
    folder = os.environ.get("PLATFORMS")
    assert folder, (
        "PLATFORMS is not set: `make test-installing` makes the environments and sets it."
    )
    beside = project.parent
    done = subprocess.run(
        [Path(folder, name, "bin", program), *arguments],
        cwd=project,
        env={
            **os.environ,
            "SCUTTLEHOUSE_HOME": str(beside / "house"),
            "SCUTTLEHOUSE_LANDING": str(project / "sample"),
            "AIRFLOW_HOME": str(beside / "airflow"),
            "AIRFLOW__CORE__LOAD_EXAMPLES": "False",
            "AIRFLOW__COSMOS__ENABLE_TELEMETRY": "False",
            "DATAHUB_TELEMETRY_ENABLED": "false",
            **variables,
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, (done.stdout + done.stderr)[-5000:]
    return done
