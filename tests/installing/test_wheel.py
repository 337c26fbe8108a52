"""What the wheels of this project bring to an empty environment: `make test-installing`."""

from __future__ import annotations

from pathlib import Path

import pytest

import environments
from environments import PROJECT, Environment, copy_project


def python(installed: Environment, code: str) -> str:
    done = installed.run("python", "-c", code)
    return done.stdout + done.stderr


def test_a_copy_of_a_worktree_is_in_no_repository(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The `.git` of a worktree is a file, and git in a copy with it would commit to its repository."""
    worktree, copy = tmp_path / "worktree", tmp_path / "copy"
    worktree.mkdir()
    for name in (".git", ".gitignore"):
        (worktree / name).touch()
    monkeypatch.setattr(environments, "PROJECT", worktree)
    copy_project(copy)
    assert [path.name for path in copy.iterdir()] == [".gitignore"]


def test_the_packages_are_those_of_the_wheels(installed: Environment) -> None:
    where = "import scuttlehouse, dbt.adapters.sparkpython as a; print(scuttlehouse.__file__, a.__file__)"
    assert python(installed, where).count("/environment/lib/") == 2


def test_the_command_line_works_without_the_project(installed: Environment) -> None:
    assert "rollback" in installed.run("scuttlehouse", "--help").stdout
    log = str(PROJECT / "sample" / "alice.jsonl")
    assert "json_lines" in installed.run("scuttlehouse", "inspect", log).stdout
    asked = installed.run("scuttlehouse", "sql", "select 1")
    assert asked.stderr.startswith("Nothing is published yet")


def test_the_doctor_finds_the_packages(installed: Environment) -> None:
    said = installed.run("scuttlehouse", "doctor")
    assert "ok    packages" in said.stdout
    assert "ok    python" in said.stdout
    assert "Traceback" not in said.stdout + said.stderr


def test_the_algorithms_need_no_spark(installed: Environment) -> None:
    code = (
        "import sys; from scuttlehouse.timeline import Timeline; import scuttlehouse.groups.epochs; "
        "print('pyspark' in sys.modules, Timeline.__name__)"
    )
    assert python(installed, code) == "False Timeline\n"


def test_the_wheel_pins_the_jars(installed: Environment) -> None:
    code = "from scuttlehouse.catalog.jars import all_pinned; print(len(all_pinned()))"
    assert int(python(installed, code)) >= 3


def test_the_adapter_brings_its_macros(installed: Environment) -> None:
    code = (
        "from pathlib import Path; import dbt.include.sparkpython as a; from dbt.adapters.sparkpython import "
        "Plugin; print(Plugin.adapter.type(), len([*Path(a.PACKAGE_PATH).glob('macros/*.sql')]))"
    )
    name, _, count = python(installed, code).partition(" ")
    assert name == "sparkpython"
    macros = PROJECT / "packages/dbt-sparkpython/src/dbt/include/sparkpython/macros"
    assert int(count) == len([*macros.glob("*.sql")])
