"""What the dbt project says of itself, read from its manifest: no Spark, no warehouse.

The columns that a build really makes are compared with these descriptions elsewhere.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
import yaml
from dbt.cli.main import dbtRunner

PROJECT = Path(__file__).parents[2]
NAME = "scuttlehouse"

VAR = re.compile(r"""\bvar\(\s*['"](\w+)['"]""")


def project_files() -> list[Path]:
    """Every file that dbt reads as part of the project, profiles included."""
    config = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())
    folders = [
        path for kind in ("model", "macro", "seed", "test") for path in config[f"{kind}-paths"]
    ]
    found = [path for folder in folders for path in (PROJECT / folder).rglob("*.*")]
    return [PROJECT / "dbt_project.yml", *(PROJECT / "profiles").iterdir(), *found]


class Manifest:
    """The parsed project, as dbt hands it on: nodes by unique id."""

    def __init__(self, parsed: Any) -> None:
        self.parsed = parsed
        own = [node for node in parsed.nodes.values() if node.package_name == NAME]
        self.models = {node.name: node for node in own if node.resource_type == "model"}
        self.seeds = {node.name: node for node in own if node.resource_type == "seed"}
        self.tests = [node for node in own if node.resource_type == "test"]
        self.unit_tests = list(parsed.unit_tests.values())
        self.macros = [macro for macro in parsed.macros.values() if macro.package_name == NAME]
        self.published = {
            node.alias: node
            for node in self.models.values()
            if node.original_file_path.startswith("models/published/")
        }

    def ancestors(self, unique_id: str) -> set[str]:
        """Every node that this one waits for, itself included."""
        found: set[str] = set()
        waiting = [unique_id]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                # A seed depends on nothing.
                waiting += getattr(self.parsed.nodes[node].depends_on, "nodes", [])
        return found


@pytest.fixture(scope="module")
def manifest(tmp_path_factory: pytest.TempPathFactory) -> Manifest:
    folder = tmp_path_factory.mktemp("parse")
    outcome = dbtRunner().invoke(
        [
            "parse",
            "--quiet",
            "--no-partial-parse",
            *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT / "profiles")),
            *("--target-path", str(folder / "target"), "--log-path", str(folder / "logs")),
        ]
    )
    assert outcome.success, outcome.exception
    return Manifest(outcome.result)


def undescribed(things: Iterable[Any]) -> list[str]:
    return sorted(thing.name for thing in things if not thing.description.strip())


def test_every_model_seed_macro_and_test_is_described(manifest: Manifest) -> None:
    assert len(manifest.models) > 20
    assert undescribed(manifest.models.values()) == []
    assert undescribed(manifest.seeds.values()) == []
    assert undescribed(manifest.macros) == []
    assert undescribed(manifest.unit_tests) == []
    # A generic test says what it does by its name.
    assert undescribed(test for test in manifest.tests if test.test_node_type == "singular") == []


def test_every_argument_of_a_macro_is_described(manifest: Manifest) -> None:
    faults = []
    for macro in manifest.macros:
        text = re.sub(r"\{#.*?#\}", "", macro.macro_sql, flags=re.DOTALL)
        signature = re.search(r"\{%-?\s*(?:macro|test)\s+\w+\((.*?)\)\s*-?%\}", text, re.DOTALL)
        named = re.findall(r"(\w+)\s*(?:=[^,]*)?(?:,|$)", signature[1]) if signature else []
        described = [argument.name for argument in macro.arguments]
        is_typed = all(argument.type and argument.description for argument in macro.arguments)
        if named != described or not is_typed:
            faults.append((macro.name, named, described))
    assert faults == []


def test_every_column_is_described(manifest: Manifest) -> None:
    faults = []
    for node in [*manifest.models.values(), *manifest.seeds.values()]:
        faults += [node.name] if not node.columns else []
        faults += [f"{node.name}.{column}" for column in undescribed(node.columns.values())]
    assert faults == []


def test_what_is_computed_for_touched_ids_is_read_for_them_alone(manifest: Manifest) -> None:
    """A refresh that nothing touches leaves such a model as it is, whatever it holds."""

    def bounds(name: str) -> set[str]:
        """The relations of touched ids without which a model has nothing to compute."""
        config = manifest.models[name].config
        return {*(config.get("carried_by") or {}).values(), config.get("computed_for")} - {None}

    bounded, wrong = 0, []
    for name, node in manifest.models.items():
        readers = [
            reader
            for reader, other in manifest.models.items()
            if node.unique_id in other.depends_on.nodes
        ]
        read_for = [bounds(reader) for reader in readers]
        ids = read_for[0] if read_for and all(one == read_for[0] for one in read_for) else set()
        is_after = any(
            f"model.{NAME}.{one}" in manifest.ancestors(node.unique_id) - {node.unique_id}
            for one in ids
        )
        may = ids if is_after and node.config.materialized == "table" else set()
        said = {node.config.get("computed_for")} - {None}
        bounded += bool(said)
        if said != may:
            wrong.append((name, said, may))
    assert wrong == []
    assert bounded > 20
    # Tests of what is left as it is are left out with it.
    for test in manifest.tests:
        read = {node.split(".")[2] for node in test.depends_on.nodes}
        computed = read & {
            name for name, node in manifest.models.items() if node.config.get("computed_for")
        }
        if computed:
            assert read <= set(manifest.models), test.name
            assert len({frozenset(bounds(name)) for name in read}) == 1, test.name


def test_every_model_says_what_a_row_is(manifest: Manifest) -> None:
    nodes = [*manifest.models.values(), *manifest.seeds.values()]
    assert [node.name for node in nodes if not node.description.startswith("A row is ")] == []


def test_every_doc_block_is_used(manifest: Manifest) -> None:
    text = "".join(path.read_text() for path in project_files() if path.suffix == ".yml")
    used = set(re.findall(r"doc\('(\w+)'\)", text)) | {"__overview__"}
    blocks = {doc.name for doc in manifest.parsed.docs.values() if doc.package_name == NAME}
    assert blocks - used == set()


def test_what_is_published_has_a_contract(manifest: Manifest) -> None:
    assert len(manifest.published) > 10
    for node in manifest.published.values():
        assert node.contract.enforced, node.name
        assert all(column.data_type for column in node.columns.values()), node.name


def test_every_mart_is_published_with_its_columns_and_its_words(manifest: Manifest) -> None:
    marts = {
        name: node
        for name, node in manifest.models.items()
        if node.config.materialized == "versioned_table" and name.startswith(("dim_", "fct_"))
    }
    assert {*marts, "fct_builds"} == set(manifest.published), "fct_builds is a log and no mart"
    for name, mart in marts.items():
        published = manifest.published[name]
        assert published.schema == "scuttlehouse", name
        assert published.description == mart.description, name
        described = {column.name: column.description for column in mart.columns.values()}
        assert {c.name: c.description for c in published.columns.values()} == described, name


def test_nothing_is_switched_off(manifest: Manifest) -> None:
    assert [node.unique_id for nodes in manifest.parsed.disabled.values() for node in nodes] == []
    for test in manifest.tests:
        # A test that warns, that allows failures or that leaves rows out does not test.
        assert test.config.severity.lower() == "error", test.name
        assert (test.config.error_if, test.config.fail_calc) == ("!= 0", "count(*)"), test.name
        assert (test.config.where, test.config.limit) == (None, None), test.name


def test_every_var_is_declared_and_used() -> None:
    config = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())
    used = {name for path in project_files() for name in VAR.findall(path.read_text())}
    assert used == set(config["vars"])


def test_what_is_published_waits_for_every_model_and_every_model_for_its_tests(
    manifest: Manifest,
) -> None:
    published = {node.unique_id for node in manifest.published.values()}
    gate = manifest.models["int_quality__passed"].unique_id
    waited_for = manifest.ancestors(gate)
    models = {node.unique_id for node in manifest.models.values()}
    assert models - published == waited_for & models
    for node in manifest.published.values():
        assert gate in node.depends_on.nodes, node.name
    # `dbt build` holds a model back for the tests of the models before it, so no test may come later.
    for test in manifest.tests:
        assert set(test.depends_on.nodes) <= waited_for - {gate}, test.name
