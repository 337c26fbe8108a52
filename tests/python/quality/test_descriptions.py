"""What the dbt project says of itself, read from its manifest: no Spark, no warehouse.

The columns that a build really makes are compared with these descriptions elsewhere.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
import yaml

from manifest import NAME, Manifest
from scuttlehouse.quality.expectations import suite_of

PROJECT = Path(__file__).parents[3]
VAR = re.compile(r"""\bvar\(\s*['"](\w+)['"]""")


def project_files() -> list[Path]:
    """Every file that dbt reads as part of the project, profiles included."""
    config = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())
    folders = [
        path for kind in ("model", "macro", "seed", "test") for path in config[f"{kind}-paths"]
    ]
    found = [path for folder in folders for path in (PROJECT / folder).rglob("*.*")]
    return [PROJECT / "dbt_project.yml", *(PROJECT / "profiles").iterdir(), *found]


def test_every_command_of_dbt_with_options_can_be_typed() -> None:
    """dbt finds the profiles of this project only where they are named; `scuttlehouse build` finds them."""
    folders = (
        "benchmarks dashboards examples macros models packages python_models schedules seeds src"
    )
    below = [path for folder in folders.split() for path in (PROJECT / folder).rglob("*.*")]
    commands = [
        (str(path.relative_to(PROJECT)), " ".join(command.split()))
        for path in [*PROJECT.glob("*.*"), *below]
        if path.suffix in (".md", ".yml", ".py", ".sql", ".csv") and path.name != "CHANGELOG.md"
        for command in re.findall(r"`(?:\S*/)?(dbt\s+[^`]*?\s-[^`]*)`", path.read_text())
    ]
    assert commands
    assert [one for one in commands if "--profiles-dir profiles" not in one[1]] == []


def test_every_row_of_a_seed_has_a_cell_for_each_column() -> None:
    """A comma in a sentence without quotes would stop every build, and no quick test."""
    seeds = [*(PROJECT / "seeds").glob("*.csv")]
    assert seeds
    for seed in seeds:
        with seed.open(newline="") as file:
            header, *rows = csv.reader(file)
        assert [row for row in rows if len(row) != len(header)] == [], seed.name


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


# Strangers write these, and a text that is no id may be a key (ruling R29).
IDS_OF_STRANGERS = {
    "dim_feeds": ["feed_id", "person_id"],
    "dim_people": ["person_id"],
    "dim_sets": ["account_id"],
    "dim_tangles": ["tangle_id", "root_id"],
    "fct_feed_forks": ["feed_id", "person_id", "previous_id"],
    "fct_messages": ["feed_id", "person_id", "previous_id"],
    "fct_replication_plan": ["missing_id"],
    "fct_rule_violations": ["found"],
    "fct_set_links": ["linked_id"],
    "fct_tangle_gaps": ["tangle_id", "missing_id"],
    "fct_tangle_links": ["tangle_id", "previous_id"],
    "fct_tangle_messages": ["tangle_id", "person_id", "blocking_ids"],
}


def test_a_command_is_of_a_build_and_not_of_a_refresh(manifest: Manifest) -> None:
    """A refresh computes only some rows (the overview). The first build tells everything, and is none."""
    table = manifest.models["fct_timeline_updates"]
    described = [table.description, *(column.description for column in table.columns.values())]
    assert [text for text in described if re.search(r"\b[Rr]efresh(es)?\b", text)] == []


@pytest.mark.parametrize("table", IDS_OF_STRANGERS)
def test_an_id_that_any_text_may_stand_for_is_said_to_be_a_token(
    manifest: Manifest, table: str
) -> None:
    for column in IDS_OF_STRANGERS[table]:
        description = manifest.models[table].columns[column].description
        assert "is a token" in " ".join(description.split()), column


def test_every_time_and_day_says_its_zone(manifest: Manifest) -> None:
    times = [
        (name, column.name, column.description)
        for name, node in manifest.published.items()
        for column in node.columns.values()
        if column.data_type in ("timestamp", "date")
    ]
    assert len(times) > 20
    assert [one for one in times if "UTC" not in one[2]] == []


def test_a_model_that_replaces_rows_by_id_waits_for_the_touched_ids(manifest: Manifest) -> None:
    """dbt then makes the touched ids first."""
    replacing = 0
    for name, node in manifest.models.items():
        touched = node.config.get("replaced_keys_from")
        if touched:
            replacing += 1
            waits_for = manifest.ancestors(node.unique_id)
            assert manifest.models[touched].unique_id in waits_for, name
            assert node.config.materialized == "incremental", name
            assert node.config.incremental_strategy == "delete+insert", name
            assert node.config.unique_key in manifest.models[touched].columns, name
            assert node.config.unique_key in node.columns, name
    assert replacing > 25


def test_every_model_says_what_a_row_is(manifest: Manifest) -> None:
    nodes = [*manifest.models.values(), *manifest.seeds.values()]
    assert [node.name for node in nodes if not node.description.startswith("A row is ")] == []


def test_every_doc_block_is_used_more_than_once(manifest: Manifest) -> None:
    """Otherwise its text stands in the entry of the model, unless it is a page of its own."""
    text = "".join(path.read_text() for path in project_files() if path.suffix == ".yml")
    uses = Counter(re.findall(r"doc\('(\w+)'\)", text))
    own = [doc for doc in manifest.parsed.docs.values() if doc.package_name == NAME]
    shared = {doc.name for doc in own if doc.original_file_path == "models/docs.md"}
    pages = {doc.name for doc in own} - shared - {"__overview__"}
    assert len(shared) > 100
    assert {name for name in shared if uses[name] < 2} == set()
    assert {name for name in pages if uses[name] < 1} == set()


def test_what_is_published_has_a_contract(manifest: Manifest) -> None:
    assert len(manifest.published) > 10
    for node in manifest.published.values():
        assert node.contract.enforced, node.name
        assert all(column.data_type for column in node.columns.values()), node.name


def test_every_mart_is_published(manifest: Manifest) -> None:
    marts = {name for name in manifest.models if name.startswith(("dim_", "fct_"))}
    assert marts == set(manifest.published)


def test_the_overview_lists_published_tables_with_their_keys(manifest: Manifest) -> None:
    """A new mart is two files (CONTRIBUTING.md), so it may be missing here."""
    [families] = [
        part
        for part in manifest.parsed.docs[f"doc.{NAME}.__overview__"].block_contents.split("\n## ")
        if part.startswith("Families of tables")
    ]
    listed = dict(re.findall(r"^\|[^|]*\| ((?:dim|fct)_\w+) \|(.*)\|$", families, re.MULTILINE))
    keys = {
        test.attached_node: {*test.test_metadata.kwargs["columns"]}
        for test in manifest.tests
        if _tests_key(test)
    }
    assert len(listed) > 30
    for name, key in listed.items():
        node = manifest.published[name]
        named = {*re.findall(r"\w+", key)} & node.columns.keys()
        assert named == keys.get(node.unique_id, set()), name


def test_every_published_table_has_an_owner_and_a_tested_key(manifest: Manifest) -> None:
    keys = {test.attached_node for test in manifest.tests if _tests_key(test)}
    # A log: two steps of a run may have the same name.
    without_key = {"fct_builds"}
    for name, node in manifest.published.items():
        assert node.group in {group.name for group in manifest.parsed.groups.values()}, name
        assert (node.unique_id in keys) == (name not in without_key), name


def _tests_key(test: Any) -> bool:
    return _generic(test) == "is_key"


def _generic(test: Any) -> str | None:
    # A singular test has none.
    metadata = getattr(test, "test_metadata", None)
    return metadata and metadata.name


def test_every_mart_is_asked_for_its_expectations(manifest: Manifest) -> None:
    asked = [
        test.attached_node for test in manifest.tests if _generic(test) == "meets_expectations"
    ]
    assert sorted(asked) == sorted(node.unique_id for node in manifest.marts.values())
    for name, node in manifest.marts.items():
        suite = suite_of(node.to_dict())
        assert suite.row, name
        promised = {expectation.column for expectation in suite.expectations}
        # A key is never null, unless its test says so.
        [key] = [
            one for one in manifest.tests if _tests_key(one) and one.attached_node == node.unique_id
        ]
        given = key.test_metadata.kwargs
        assert {*given["columns"]} - {*given.get("nullable", [])} <= promised, name


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


# Data goes one way. A layer is the folder below models and python_models.
LAYERS = "staging", "intermediate", "marts", "ops"


def layer(node: Any) -> str:
    return str(node.fqn[1])


def test_data_goes_one_way(manifest: Manifest) -> None:
    models = {node.unique_id: node for node in manifest.models.values()}
    backwards = [
        f"{node.name} reads {models[parent].name}"
        for node in models.values()
        for parent in node.depends_on.nodes
        if parent in models and LAYERS.index(layer(models[parent])) > LAYERS.index(layer(node))
    ]
    assert backwards == []


def test_the_way_of_one_line_leads_forward(manifest: Manifest) -> None:
    """Files that CONTRIBUTING.md names are there, and each model that it names reads the one before it."""
    text = (PROJECT / "CONTRIBUTING.md").read_text().partition("## The way of one line")[2]
    files = [Path(name) for name in re.findall(r"`([\w/]+/[\w.]+)`", text.partition("\n## ")[0])]
    assert len(files) > 20
    assert [str(file) for file in files if not (PROJECT / file).is_file()] == []
    way = [manifest.models[file.stem] for file in files if file.stem in manifest.models]
    assert len(way) > 10
    for before, after in pairwise(way):
        assert before.unique_id in manifest.ancestors(after.unique_id), after.name


def test_the_path_of_a_model_names_its_layer_and_subject(manifest: Manifest) -> None:
    for name, node in manifest.models.items():
        _, where, *subject, _ = node.fqn
        if where in ("staging", "intermediate"):
            prefix = {"staging": "stg", "intermediate": "int"}[where]
            assert name.startswith(f"{prefix}_{'_'.join(subject)}__"), name
        elif where == "marts":
            assert name.startswith(("dim_", "fct_")), name
            assert subject, name
        # The description stands beside the model, in the tree of models that are SQL.
        path = str(node.patch_path).partition("://")[2]
        assert path == "/".join(["models", where, *subject, f"_{node.fqn[-2]}.yml"]), name


def test_what_reads_the_new_rows_of_a_table_reads_it_once(manifest: Manifest) -> None:
    """Named twice in a query, a table gives Spark the rows of one place in both (SPARK-58330)."""
    own = {node.unique_id: node for node in [*manifest.models.values(), *manifest.tests]}
    seen = 0
    for node in own.values():
        parents = [own.get(parent) for parent in node.depends_on.nodes]
        inlined = [one for one in parents if one and one.config.materialized == "ephemeral"]
        text = "".join(one.raw_code for one in (node, *inlined))
        # The tables from before this build have another namespace.
        text = re.sub(r"base_of\('\w+'", "", text)
        for table in set(re.findall(r"(?:touched|tested)_rows\(ref\('(\w+)'\)", text)):
            assert text.count(f"'{table}'") == 1, f"{node.name} names {table} again"
            seen += 1
    assert seen > 20
    for test in manifest.tests:
        if _generic(test) == "is_key":
            references = test.test_metadata.kwargs.get("references", {}).values()
            tested = own[test.attached_node].name if test.attached_node in own else None
            assert tested not in [column.partition(".")[0] for column in references], test.name


def test_every_source_is_asked_for_its_age_or_read(manifest: Manifest) -> None:
    read = {parent for node in manifest.models.values() for parent in node.depends_on.nodes}
    for name, source in manifest.parsed.sources.items():
        assert source.freshness or name in read, name
