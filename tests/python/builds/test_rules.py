"""What counts as a rule: the files of a project, of its packages, and of this Python package."""

from __future__ import annotations

from pathlib import Path

import pytest

from scuttlehouse.builds.progress import LastBuild, last_build
from scuttlehouse.builds.publishable import keys_of
from scuttlehouse.builds.rules import project_hash, project_variables, rules_hash
from scuttlehouse.cli.build import _profiles

VARIABLES = {"settle_steps": 8, "set_ghost_span": 32}


@pytest.fixture
def club(tmp_path: Path) -> Path:
    """Another project, with scuttlehouse and another package installed."""
    packages = {"scuttlehouse": "settle_steps: 8, set_ghost_span: 32", "helpers": "settle_steps: 1"}
    for name, variables in packages.items():
        package = tmp_path / "dbt_packages" / name
        (package / "models").mkdir(parents=True)
        (package / "dbt_project.yml").write_text(f"name: {name}\nvars: {{{variables}}}\n")
        (package / "models" / "a.sql").write_text("select 1")
    (tmp_path / "models").mkdir()
    (tmp_path / "models" / "b.sql").write_text("select 1")
    (tmp_path / "dbt_project.yml").write_text(
        "name: club\nvars: {colour: red, scuttlehouse: {set_ghost_span: 64}}\n"
    )
    return tmp_path


def test_a_project_sets_the_vars_of_its_package(club: Path) -> None:
    variables = project_variables(club)
    assert (variables["settle_steps"], variables["set_ghost_span"]) == (8, 64)
    (club / "dbt_project.yml").write_text("name: club\n")
    assert project_variables(club)["set_ghost_span"] == 32
    package = club / "dbt_packages" / "scuttlehouse"
    assert project_variables(package) == VARIABLES


def test_models_of_the_project_and_of_its_packages_are_rules(club: Path) -> None:
    hashes = {rules_hash(club, VARIABLES)}
    for folder in (".", "dbt_packages/scuttlehouse", "dbt_packages/helpers"):
        (club / folder / "models" / "new.sql").write_text("select 2")
        hashes.add(rules_hash(club, VARIABLES))
    (club / "dbt_project.yml").write_text("name: club\nmodels: {+tags: new}\n")
    hashes.add(rules_hash(club, VARIABLES))
    assert len(hashes) == 4, "settings are no rules"


def test_settings_of_the_project_are_part_of_it(club: Path) -> None:
    before = project_hash(club)
    (club / "dbt_project.yml").write_text("name: club\nmodels: {+tags: new}\n")
    assert project_hash(club) != before


@pytest.mark.parametrize("kind", ["macros", "models", "seeds", "snapshots", "tests"])
def test_a_new_file_of_a_kind_that_a_build_runs_is_something_new(club: Path, kind: str) -> None:
    before = project_hash(club)
    (club / kind).mkdir(exist_ok=True)
    (club / kind / "new.yml").write_text("version: 2\n")
    assert project_hash(club) != before


def test_a_table_without_a_test_of_its_key_has_none() -> None:
    nodes = {
        "model.a": {"alias": "a"},
        "test.a": {
            "attached_node": "model.a",
            "test_metadata": {"name": "is_key", "kwargs": {"columns": ["id"]}},
        },
    }
    assert keys_of(nodes, ["a", "b"]) == {"a": ["id"]}


def test_a_build_finds_the_profiles_of_the_package(
    club: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("DBT_PROFILES_DIR", raising=False)
    monkeypatch.chdir(club)
    assert _profiles(Path()) == [], "dbt looks where it always does"
    for folder in (club / "dbt_packages" / "scuttlehouse" / "profiles", club / "profiles"):
        folder.mkdir()
        (folder / "profiles.yml").touch()
        assert _profiles(Path()) == ["--profiles-dir", str(folder.relative_to(club))]
    monkeypatch.setenv("DBT_PROFILES_DIR", "mine")
    assert _profiles(Path()) == []


def test_words_about_code_are_no_rules(club: Path) -> None:
    model = club / "models" / "c.py"
    model.write_text("def model(dbt, session):\n    return 1\n")
    before = rules_hash(club, VARIABLES)
    words = '"""Words."""\n\n\ndef model(dbt, session):  # more\n    """Others."""\n    return 1\n'
    model.write_text(words)
    (club / "models" / "c.yml").write_text("version: 2\n")
    assert rules_hash(club, VARIABLES) == before
    model.write_text(words.replace("1", "2"))
    assert rules_hash(club, VARIABLES) != before


def test_code_that_cannot_be_parsed_is_changed_code(club: Path) -> None:
    before = rules_hash(club, VARIABLES)
    model = club / "models" / "c.py"
    model.write_text("def model(dbt, session:\n")
    broken = rules_hash(club, VARIABLES)
    model.write_text("def model(dbt, session):\n    return None\n")
    assert len({before, broken, rules_hash(club, VARIABLES)}) == 3


@pytest.mark.parametrize(
    "settings",
    [
        "name: [club\n",
        "",
        "club\n",
        "name: club\nvars: [settle_steps]\n",
        "name: club\nvars: {scuttlehouse: 5}\n",
        "name: club\nvars: {scuttlehouse: [kept_builds]}\n",
        "name: club\nmodel-paths: models\n",
        "name: club\ntest-paths: [5]\n",
    ],
)
def test_a_build_leaves_settings_that_cannot_be_read_to_dbt(club: Path, settings: str) -> None:
    (club / "dbt_project.yml").write_text(settings)
    with pytest.raises(ValueError, match=str(club)):
        project_variables(club)
    assert last_build(club / "home", club, is_full_refresh=False) == LastBuild(None, {})


def test_paths_without_a_value_are_those_of_dbt(club: Path) -> None:
    (club / "dbt_project.yml").write_text("name: club\n")
    before = rules_hash(club, VARIABLES)
    (club / "dbt_project.yml").write_text("name: club\nmodel-paths:\nseed-paths: []\n")
    assert rules_hash(club, VARIABLES) == before
