"""The files of the tiny project."""

from __future__ import annotations

from pathlib import Path

FILES = {
    "dbt_project.yml": """
name: tiny
version: 0.1.0
profile: tiny
models:
  tiny:
    broken:
      +tags: broken
""",
    "profiles.yml": """
tiny:
  target: embedded
  outputs:
    embedded:
      type: sparkpython
      schema: tiny
      threads: 2
      server_side_parameters:
        spark.master: "local[2]"
        spark.driver.memory: "1g"
        spark.driver.extraJavaOptions: "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"
        spark.sql.warehouse.dir: "{{ env_var('TINY_HOME') }}/warehouse"
        spark.sql.codegen.factoryMode: NO_CODEGEN
        spark.sql.shuffle.partitions: "2"
        spark.sql.session.timeZone: "UTC"
        spark.ui.enabled: "false"
""",
    "seeds/people.csv": """id,name,score
1,it's 100%,1.5
2,,
9007199254740993,back\\slash,2.25
""",
    "seeds/seeds.yml": """
seeds:
  - name: people
    config: {column_types: {id: bigint, name: string, score: double}}
""",
    "models/numbers.sql": """
{{ config(materialized='table') }}
select id from range({{ var('rows', 10) }})
""",
    "macros/join_words.sql": """
{% macro join_words(words) %}
  {% do log(adapter.call_python('shlex.join', words)) %}
{% endmacro %}
""",
    "models/doubled.py": """
def model(dbt, session):
    dbt.config(
        materialized="table",
        file_format="orc",
        partition_by="parity",
        tblproperties={"made_by": "doubled"},
    )
    numbers = dbt.ref("numbers")
    return numbers.selectExpr("id", "id * 2 as doubled", "id % 2 as parity")
""",
    "models/from_pandas.py": """
import datetime

import pandas as pd


def model(dbt, session):
    dbt.config(materialized="table")
    return pd.DataFrame(
        {
            "i": [1, 2],
            "s": ["a", None],
            "f": [1.5, None],
            "at": [datetime.datetime(2020, 1, 1, 12), None],
            "l": [["x"], None],
        }
    )
""",
    "models/from_arrow.py": """
import pyarrow as pa


def model(dbt, session):
    dbt.config(materialized="table")
    people = dbt.source("outside", "people").toArrow()
    return people.append_column("n", pa.array([None] * people.num_rows, pa.int32()))
""",
    "models/grown_sql.sql": """
{{ config(materialized='incremental', incremental_strategy='append') }}
select id, {{ 'true' if is_incremental() else 'false' }} as is_added from {{ ref('numbers') }}
""",
    "models/grown_python.py": """
def model(dbt, session):
    dbt.config(materialized="incremental", incremental_strategy="append")
    return dbt.ref("numbers").selectExpr("id", f"{dbt.is_incremental} as is_added")
""",
    "models/parted_sql.sql": """
{{ config(materialized='incremental', incremental_strategy='insert_overwrite', partition_by='p') }}
select {{ '9 as x, 1 as p' if is_incremental() else 'x, x as p from values (0), (1) as t (x)' }}
""",
    "models/parted_python.py": """
import pandas as pd


def model(dbt, session):
    dbt.config(
        materialized="incremental", incremental_strategy="insert_overwrite", partition_by="p"
    )
    return pd.DataFrame({"x": [9], "p": [1]} if dbt.is_incremental else {"x": [0, 1], "p": [0, 1]})
""",
    "models/contracted.sql": """
select id, doubled from {{ ref('doubled') }}
""",
    "models/contracted_table.sql": """
{{ config(materialized='table') }}
select id from {{ ref('doubled') }}
""",
    "models/together_a.py": """
import rendezvous


def model(dbt, session):
    dbt.config(materialized="table")
    mine = session.range(3).selectExpr("'a' as who")
    rendezvous.meet()
    return mine
""",
    "models/together_b.py": """
import rendezvous


def model(dbt, session):
    dbt.config(materialized="table")
    mine = session.range(3).selectExpr("'b' as who")
    rendezvous.meet()
    return mine
""",
    "models/by_value.py": """
from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from pyspark.sql.functions import udf


@dataclass
class Tripler:
    factor: ClassVar[int] = 3

    def __call__(self, number: int) -> int:
        return self.factor * number


def model(dbt, session):
    dbt.config(materialized="table")
    tripled = udf(lambda number: Tripler()(number), "long")
    return dbt.ref("numbers").select(tripled("id").alias("tripled"))
""",
    "models/models.yml": """
sources:
  - name: outside
    schema: tiny
    tables: [{name: people}]
models:
  - name: numbers
    columns:
      - name: id
        data_tests:
          - accepted_values:
              arguments: {values: [0, 1, 2], quote: false}
              config: {severity: warn, store_failures: true}
  - name: doubled
    description: Twice the numbers.
    columns: [{name: doubled, data_tests: [not_null]}]
  - name: contracted
    config: {contract: {enforced: true}}
    columns: [{name: id, data_type: bigint}, {name: doubled, data_type: bigint}]
  - name: contracted_table
    config: {contract: {enforced: true}}
    columns: [{name: id, data_type: bigint, constraints: [{type: not_null}]}]
unit_tests:
  - name: twice_is_twice
    model: contracted
    given: [{input: ref('doubled'), rows: [{id: 1, doubled: 2}]}]
    expect: {rows: [{id: 1, doubled: 2}]}
""",
    "models/broken/raises.py": """


import json


def model(dbt, session):
    dbt.config(materialized="table")
    return parse("{nonsense")


def parse(text):
    return json.loads(text)
""",
    "models/broken/raises_in_worker.py": """

from pyspark.sql.functions import udf


def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("numbers").select(udf(fail, "int")("id").alias("x"))


def fail(number):
    raise ValueError(f"no {number}")
""",
    "models/broken/raises_in_spark.py": """
def model(dbt, session):
    dbt.config(materialized="table")
    return dbt.ref("numbers").select("nowhere")
""",
    "models/broken/exits.py": """
import sys


def model(dbt, session):
    dbt.config(materialized="table")
    sys.exit("enough")
    return 1
""",
    "models/broken/returns_none.py": """
def model(dbt, session):
    dbt.config(materialized="table")
    return None
""",
    "models/broken/returns_text.py": """
def model(dbt, session):
    dbt.config(materialized="table")
    return "a table"
""",
    "models/broken/returns_mixture.py": """
import pandas as pd


def model(dbt, session):
    dbt.config(materialized="table")
    return pd.DataFrame({"x": [1, "a"]})
""",
    "models/broken/lacks_package.py": """
def model(dbt, session):
    dbt.config(materialized="table", packages=["a-package-nobody-has"])
    import a_package_nobody_has

    return a_package_nobody_has.frame()
""",
    "models/broken/lacks_model.py": """
class Holder:
    def model(dbt, session):
        return 1
""",
    "models/broken/unknown_column.sql": """
select id,
       nowhere
from {{ ref('numbers') }}
""",
    "models/broken/unparsable.sql": """
select id
from {{ ref('numbers') }} wher id > 1
""",
    "models/broken/fails_at_run_time.sql": """
{{ config(materialized='table') }}
select raise_error('out of numbers') as x from {{ ref('numbers') }}
""",
}


def write_project(root: Path) -> None:
    for name, text in FILES.items():
        file = root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        # A Python model keeps the blank lines at its top, because tracebacks must count them.
        file.write_text(text if name.endswith(".py") else text.lstrip(), encoding="utf-8")
