"""How many members each group has, from the published tables as views of DuckDB.

pip install duckdb==1.5.5 duckdb-extension-avro==1.5.5 duckdb-extension-iceberg==1.5.5
"""

import os
import sqlite3
import sys
from importlib.resources import files
from pathlib import Path

import duckdb

home = Path(os.environ.get("SCUTTLEHOUSE_HOME") or ".scuttlehouse").resolve()
namespace = sys.argv[1] if len(sys.argv) > 1 else "scuttlehouse"

# One statement finds the metadata files of all tables, so they are of one build.
catalog = sqlite3.connect(f"file:{home}/catalog.db?mode=ro", uri=True)
tables = catalog.execute(
    "select table_name, metadata_location from iceberg_tables where table_namespace = ?",
    [namespace],
).fetchall()

database = duckdb.connect()
for name in ("avro", "iceberg"):  # With internet access: `install iceberg; load iceberg`.
    [extension] = Path(str(files(f"duckdb_extension_{name}"))).rglob("*.duckdb_extension")
    database.load_extension(str(extension))
for name, location in tables:
    database.table_function("iceberg_scan", [location]).create_view(name)

print(
    database.sql("""
        select groups.group_id, count(*) as member_count
        from dim_groups as groups
        inner join fct_epoch_members as members on groups.preferred_epoch_id = members.epoch_id
        where members.is_declared and (groups.protocol = 'epochs' or not members.is_still_excluded)
        group by groups.group_id
        order by member_count desc, groups.group_id
    """)
)
