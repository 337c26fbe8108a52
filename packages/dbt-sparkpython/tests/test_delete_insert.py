"""The strategy `delete+insert` on Iceberg tables. It runs in a process with another catalog."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from itertools import pairwise

import pytest

from scuttlehouse.catalog.jars import jars

FILES = {
    "dbt_project.yml": """
name: shore
profile: shore
models: {shore: {+file_format: iceberg, +persist_docs: {relation: true, columns: true}}}
""",
    "profiles.yml": """
shore:
  target: local
  outputs:
    local:
      type: sparkpython
      schema: shore
      threads: 1
      server_side_parameters:
        spark.master: "local[2]"
        spark.driver.extraJavaOptions: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        spark.sql.codegen.factoryMode: NO_CODEGEN
        spark.driver.extraClassPath: "{{ env_var('JARS') }}"
        spark.sql.extensions: org.apache.iceberg.spark.extensions.IcebergSparkSessionExtensions
        spark.sql.defaultCatalog: sea
        spark.sql.catalog.sea: org.apache.iceberg.spark.SparkCatalog
        spark.sql.catalog.sea.type: jdbc
        spark.sql.catalog.sea.uri: "jdbc:sqlite:{{ env_var('SEA') }}.db"
        spark.sql.catalog.sea.jdbc.schema-version: V1
        spark.sql.catalog.sea.warehouse: "{{ env_var('SEA') }}"
        spark.sql.shuffle.partitions: "2"
        spark.ui.enabled: "false"
""",
    "models/touched.sql": """
select explode(cast(array({{ var('touched') | join(', ') }}) as array<bigint>)) as crab
""",
    "models/pools.sql": """
-- depends_on: {{ ref('touched') }}
{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key='crab',
    replaced_keys_from='touched', tblproperties={'write.delete.mode': 'merge-on-read'}
) }}
select * from values {{ var('rows') | join(', ') }} as t (crab, pool)
""",
    "models/own_keys.sql": """
{{ config(materialized='incremental', incremental_strategy='delete+insert', unique_key='crab') }}
select * from values {{ var('rows') | join(', ') }} as t (crab, pool)
""",
    "models/in_python.py": """
def model(dbt, session):
    dbt.config(
        materialized="incremental",
        incremental_strategy="delete+insert",
        unique_key="crab",
        replaced_keys_from="touched",
    )
    return dbt.ref("own_keys").join(dbt.ref("touched"), "crab", "left_semi")
""",
    "models/not_iceberg.sql": """
{{ config(
    materialized='incremental', incremental_strategy='delete+insert', unique_key='crab',
    file_format='parquet', tags=['broken']
) }}
select 1 as crab
""",
    "models/shore.yml": """
models:
  - name: pools
    description: "{{ var('pools', 'Where crabs are.') }}"
    columns:
      - {name: crab, description: "Its crab's number."}
      - {name: pool, description: "{{ var('pool', 'A pool.') }}"}
""",
}

RUN = """
import json, os, sys
from dbt.cli.main import dbtRunner
from pyspark.sql import SparkSession

outcomes = []
for steps in json.loads(sys.argv[1]):
    outcome = dbtRunner().invoke(["run", "--quiet", *steps["options"], "--vars", json.dumps(steps["vars"])])
    session = SparkSession.getActiveSession() or SparkSession.builder.getOrCreate()
    described = session.sql("describe extended shore.pools").collect()
    tables = {}
    for name in "pools", "own_keys", "in_python":
        tables[name] = sorted(map(list, session.sql(f"select * from shore.{name}").collect()))
    outcomes.append({
        "messages": {one.node.name: one.message for one in outcome.result},
        "tables": tables,
        "deletes": session.sql("select count(*) from shore.pools.delete_files").collect()[0][0],
        "comments": [row.comment for row in described][:2],
        "comment": [row.data_type for row in described if row.col_name == "Comment"],
        "alterations": open("logs/dbt.log").read().count("alter table shore.pools"),
        "snapshots": session.sql("select count(*) from shore.pools.snapshots").collect()[0][0],
    })
print("SAID" + json.dumps(outcomes))
"""


@pytest.fixture(scope="module")
def outcomes(tmp_path_factory: pytest.TempPathFactory) -> list[dict]:
    """The content of the tables after each run."""
    root = tmp_path_factory.mktemp("shore")
    for name, text in FILES.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text.lstrip())
    many = [f"({crab}, 'deep')" for crab in range(100, 200)]
    good = ["--exclude", "tag:broken"]
    runs = [
        {"vars": {"touched": [0], "rows": ["(1, 'a')", "(2, 'b')", "(2, 'c')", *many]}},
        {"vars": {"touched": [1, 2], "rows": ["(2, 'd')", "(3, 'e')"]}},
        {"vars": {"touched": [], "rows": ["(4, 'f')"]}},
        {"vars": {"touched": [*range(100, 150)], "rows": ["(5, 'g')"]}},
        {"vars": {"touched": [], "rows": ["(6, 'h')"]}, "options": ["--full-refresh", *good]},
        {"vars": {"touched": [], "rows": ["(6, 'h')"]}, "options": ["-s", "tag:broken"]},
        {"vars": {"touched": [], "rows": ["(7, 'i')"], "pools": "Crabs'.", "pool": "Water."}},
        {"vars": {"touched": [6], "rows": ["(7, 'i')"], "pools": r"Of \ pools.", "pool": "Rock."}},
        {"vars": {"touched": [], "rows": ["(8, 'j')"], "pools": r"Of \ pools.", "pool": "Rock."}},
    ]
    run = subprocess.run(
        [sys.executable, "-c", RUN, json.dumps([{"options": good, **one} for one in runs])],
        cwd=root,
        env={**os.environ, "JARS": os.pathsep.join(map(str, jars())), "SEA": str(root / "sea")},
        capture_output=True,
        text=True,
        check=False,
    )
    assert "SAID" in run.stdout, run.stdout + run.stderr
    answer: list[dict] = json.loads(run.stdout.partition("SAID")[2])
    return answer


def few(rows: list[list]) -> list[list]:
    return [row for row in rows if row[0] < 100]


def test_named_keys_lose_their_rows(outcomes: list[dict]) -> None:
    """Crab 1 has no new rows. Crab 3 is new, although it is not among the named keys."""
    assert few(outcomes[0]["tables"]["pools"]) == [[1, "a"], [2, "b"], [2, "c"]]
    assert few(outcomes[1]["tables"]["pools"]) == [[2, "d"], [3, "e"]]
    assert len(outcomes[1]["tables"]["pools"]) == 102
    assert outcomes[1]["deletes"] == 1, "rows are deleted merge-on-read"


def test_keys_of_the_new_rows_lose_their_rows_by_default(outcomes: list[dict]) -> None:
    assert few(outcomes[1]["tables"]["own_keys"]) == [[1, "a"], [2, "d"], [3, "e"]]
    assert few(outcomes[2]["tables"]["own_keys"]) == [[1, "a"], [2, "d"], [3, "e"], [4, "f"]]


def test_python_models_do_the_same(outcomes: list[dict]) -> None:
    assert few(outcomes[1]["tables"]["in_python"]) == [[1, "a"], [2, "d"]]


def test_nothing_runs_if_no_key_is_named(outcomes: list[dict]) -> None:
    assert outcomes[2]["messages"]["pools"] == "no key to replace"
    assert outcomes[2]["snapshots"] == outcomes[1]["snapshots"]
    assert outcomes[2]["tables"]["pools"] == outcomes[1]["tables"]["pools"]


def test_a_table_with_many_deleted_rows_is_rewritten(outcomes: list[dict]) -> None:
    assert outcomes[3]["deletes"] == 0
    assert len(outcomes[3]["tables"]["pools"]) == 102 - 50 + 1


def test_comments_stay(outcomes: list[dict]) -> None:
    for run in outcomes[:5]:
        assert run["comment"] == ["Where crabs are."]
        assert run["comments"] == ["Its crab's number.", "A pool."]


@pytest.mark.parametrize(
    ("run", "message", "comment", "comments"),
    [
        (6, "no key to replace", "Crabs'.", ["Its crab's number.", "Water."]),
        (7, "OK", r"Of \ pools.", ["Its crab's number.", "Rock."]),
    ],
)
def test_changed_descriptions_reach_a_table_that_stays(
    outcomes: list[dict], run: int, message: str, comment: str, comments: list[str]
) -> None:
    assert outcomes[run]["messages"]["pools"] == message
    assert (outcomes[run]["comment"], outcomes[run]["comments"]) == ([comment], comments)


def test_descriptions_that_are_there_cost_no_statement(outcomes: list[dict]) -> None:
    counts = [run["alterations"] for run in outcomes]
    assert [after - before for before, after in pairwise(counts)] == [0, 0, 0, 1, 0, 2, 2, 0]


def test_a_full_refresh_rebuilds_the_table(outcomes: list[dict]) -> None:
    assert outcomes[4]["tables"]["pools"] == [[6, "h"]]


def test_other_formats_are_refused(outcomes: list[dict]) -> None:
    message = outcomes[5]["messages"]["not_iceberg"]
    assert "The strategy delete+insert needs the file_format iceberg or delta" in message
