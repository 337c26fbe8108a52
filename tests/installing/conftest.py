"""The project as others have it: from a repository, with the wheels in an environment of their own."""

from __future__ import annotations

import shutil
import subprocess
import sys
import sysconfig

import pytest

from environments import PROJECT, TAG, Environment


@pytest.fixture(scope="session")
def repository(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The address of a repository with the files of this project, and a tag."""
    folder = tmp_path_factory.mktemp("repository") / "scuttlehouse"
    made = (".*", "target", "logs", "dbt_packages", "__pycache__", "*.egg-info", "build")
    shutil.copytree(PROJECT, folder, ignore=shutil.ignore_patterns(*made))
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
