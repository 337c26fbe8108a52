"""What as many steps with nothing in them cost: the floor of a build of small data.

    python benchmarks/floor.py [--rounds 1]

The models and data tests of the project are counted and copied without what they do: a model is one row,
`select 1 as id`, with the same name, language, materialization and refs, and a test counts this row. Both
projects are built with the target `embedded`, each in a new home, and then built again with `dbt build`,
where the project has nothing new and the copy's incremental models have no keys to replace. So the
difference is what the project itself computes. The rest is what dbt, Spark and Iceberg take for so many
steps, whatever the models say.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.opening import open_catalog
from timed_build import DBT_BUILD, PROJECT, Run, run

TARGET = "embedded"

SETTINGS = """
name: floor
version: '1.0'
profile: scuttlehouse
flags: {send_anonymous_usage_stats: false}
models:
  floor:
    +file_format: iceberg
    +materialized: table
"""
TEST = "{% test counts(model) %}select id from {{ model }} group by id having count(*) > 1{% endtest %}"
PYTHON = """
def model(dbt, session):
    {refs}
    return session.sql("select 1 as id")
"""
NO_KEYS = "no_keys"
INCREMENTAL = (
    "{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='id', "
    f"replaced_keys_from='{NO_KEYS}') }}}}\n-- depends_on: {{{{ ref('{NO_KEYS}') }}}}\n"
)


def parents(manifest: Mapping[str, Any], node: Mapping[str, Any]) -> list[str]:
    """The names of the models that a node reads."""
    names = node["depends_on"]["nodes"]
    return sorted({manifest["nodes"][name]["name"] for name in names if name.startswith("model.")})


def write_copy(manifest: Mapping[str, Any], folder: Path) -> tuple[int, int]:
    """Write the project without what its models and tests do; return how many there are of each."""
    for name in ("models", "tests/generic"):
        (folder / name).mkdir(parents=True)
    (folder / "dbt_project.yml").write_text(SETTINGS)
    (folder / "tests/generic/counts.sql").write_text(TEST)
    (folder / f"models/{NO_KEYS}.sql").write_text("select 1 as id where false")
    nodes = manifest["nodes"].values()
    models = [node for node in nodes if node["resource_type"] == "model"]
    for node in models:
        refs = parents(manifest, node)
        file = folder / "models" / Path(node["path"]).name
        if node["language"] == "python":
            lines = [f'dbt.ref("{name}")' for name in refs]
            file.write_text(PYTHON.format(refs="\n    ".join(lines)))
            continue
        is_incremental = node["config"]["materialized"] == "incremental"
        lines = [f"-- depends_on: {{{{ ref('{name}') }}}}\n" for name in refs]
        file.write_text((INCREMENTAL if is_incremental else "") + "".join(lines) + "select 1 as id")
    tested = Counter(
        name
        for node in nodes
        if node["resource_type"] == "test"
        for name in parents(manifest, node)[:1]
    )
    entries = [
        {"name": name, "data_tests": [{"counts": {"name": f"{name}_{n}"}} for n in range(count)]}
        for name, count in tested.items()
    ]
    (folder / "models/tests.yml").write_text(json.dumps({"models": entries}))
    return len(models), tested.total()


def twice(project: Path, home: Path) -> list[Run]:
    """Build a project in a new home, and again."""
    where = ["--project-dir", str(project)]
    return [run([*DBT_BUILD, *where], PROJECT / "sample", home, TARGET) for _ in range(2)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=1)
    rounds = parser.parse_args().rounds
    with TemporaryDirectory() as name:
        folder = Path(name)
        run(
            ["dbt", "parse", "--profiles-dir", "profiles"],
            PROJECT / "sample",
            folder / "parsed",
            TARGET,
        )
        manifest = json.loads((folder / "parsed/target/manifest.json").read_text())
        models, tests = write_copy(manifest, folder / "copy")
        print(f"{models} models, {tests} tests of models\n          new home s  again s")
        for number in range(rounds):
            for kind, project in {"empty": folder / "copy", "project": PROJECT}.items():
                home = folder / f"{kind}-{number}"
                prepare_home(home)
                with open_catalog(home):  # The copy has no hooks that make the catalog.
                    pass
                first, again = twice(project, home)
                print(f"{kind:<8}  {first.seconds:>10.1f}  {again.seconds:>7.1f}", flush=True)


if __name__ == "__main__":
    main()
