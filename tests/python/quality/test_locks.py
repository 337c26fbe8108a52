"""What is installed: `make build` installs what runs, `make test` the same and what tests need."""

from __future__ import annotations

import re
import tomllib

from conftest import PROJECT

SETTINGS = tomllib.loads((PROJECT / "pyproject.toml").read_text())["project"]


def locked(name: str) -> dict[str, str]:
    """Each package of a lock with its version."""
    return dict(re.findall(r"^([a-z0-9._-]+)==(\S+)", (PROJECT / name).read_text(), re.M))


def names(requirements: list[str]) -> set[str]:
    found = (re.match(r"[A-Za-z0-9-]+", requirement) for requirement in requirements)
    return {match[0].lower() for match in found if match}


def test_what_runs_is_tested_in_the_same_versions() -> None:
    runtime, tests = locked("requirements.lock"), locked("requirements-dev.lock")
    assert {name: tests.get(name) for name in runtime} == runtime
    assert len(runtime) > 50


def test_packages_of_tests_are_installed_for_tests_alone() -> None:
    extras = SETTINGS["optional-dependencies"]
    runtime, tests = locked("requirements.lock"), locked("requirements-dev.lock")
    assert names(extras["dev"]) <= tests.keys()
    # dbt-core needs networkx, too.
    assert names(extras["dev"]) & runtime.keys() <= {"networkx"}
    assert names(SETTINGS["dependencies"]) - {"dbt-sparkpython"} <= runtime.keys()
    assert names(extras["build"]) <= runtime.keys()
