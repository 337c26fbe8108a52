"""What is installed: `make build` installs what runs, `make test` the same and what tests need."""

from __future__ import annotations

import ast
import re
import sys
import tomllib
from importlib.metadata import packages_distributions

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


def test_what_is_imported_is_declared() -> None:
    """What another package needs today may go with its next version."""
    trees = [
        ast.parse(file.read_text())
        for folder in ("src", "python_models")
        for file in (PROJECT / folder).rglob("*.py")
    ]
    nodes = [node for tree in trees for node in ast.walk(tree)]
    imported = {node.module or "" for node in nodes if isinstance(node, ast.ImportFrom)}
    imported |= {one.name for node in nodes if isinstance(node, ast.Import) for one in node.names}
    modules = {name.split(".")[0] for name in imported} - sys.stdlib_module_names
    declared = names(SETTINGS["dependencies"] + SETTINGS["optional-dependencies"]["postgres"])
    found = packages_distributions()
    undeclared = {
        module
        for module in modules - {"scuttlehouse", "_typeshed"}
        if not declared & {package.lower().replace("_", "-") for package in found[module]}
    }
    assert undeclared == {"sqlalchemy"}, "the extra sql-sqlite of pyiceberg is it"
