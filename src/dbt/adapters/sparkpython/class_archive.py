"""Spark's Java classes as Java keeps them in memory, in one file: Spark starts in half the time with it.

`make` writes the file, once per environment. Java leaves it
aside (and says so in `spark.log`) when it is of another Java or of another Spark.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

ARCHIVE = Path(sys.prefix, "spark-classes.jsa")

# What a dbt project does with Spark, so that the classes it needs are the ones archived.
STATEMENTS = """
create schema if not exists work;
create table work.facts using parquet as
    select id, id % 7 as part, cast(id as string) as name from range(1000);
create table work.parts (id bigint, name string, part bigint) using parquet partitioned by (part);
insert overwrite table work.parts partition (part = 1) select id, name from work.facts;
create or replace view work.some as select * except (part) from work.parts where part = 1;
alter view work.some as select id, name from work.parts where part = 1;
create or replace temporary view rows as
    select name, collect_set(id) as ids, max(named_struct('a', id, 'b', part)).a as a
    from work.facts group by name;
create table work.windows using parquet as
    select
        *,
        row_number() over (partition by part order by id desc) as n,
        lag(id) over (partition by part order by id) as l
    from work.facts;
create table work.joined using parquet as
    select a.id, a.name, transform(r.ids, x -> x + 1) as ids
    from work.facts as a
    left join rows as r on a.name = r.name
    left anti join work.windows as w on a.id = w.l;
select j.id, i.one, count(*), count(distinct j.name), min_by(j.name, j.id)
    from work.joined as j lateral view explode(j.ids) i as one
    group by 1, 2 having count(*) > 1
    union all select 1, 2, 3, 4, 'a' order by 1 limit 5;
select
    get_json_object('{"a": 1}', '$.a'), from_json('{"a": 1}', 'a int').a,
    regexp_extract('abc', 'b', 0), timestamp_millis(1), sha2('a', 256), concat_ws('-', array('a', 'b'));
show table extended in work like '*';
describe table extended work.some;
show partitions work.parts;
show tblproperties work.some;
alter table work.parts drop if exists partition (part = 1);
drop table work.windows;
drop view work.some;
show databases
"""


def options() -> list[str]:
    """What to tell Java, so that it reads the archive where there is one."""
    return [f"-XX:SharedArchiveFile={ARCHIVE}"] if ARCHIVE.exists() else []


def make() -> None:
    """Run Spark on tables of its own, and let Java write down the classes that it loaded."""
    from pyspark import SparkContext

    from dbt.adapters.sparkpython.session import log_to, open_session

    ARCHIVE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="spark-classes-") as folder:
        log_to(Path(folder))
        session = open_session(
            {
                "spark.master": "local[2]",
                "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={ARCHIVE}",
                "spark.hadoop.javax.jdo.option.ConnectionURL": (
                    f"jdbc:derby:;databaseName={folder}/metastore;create=true"
                ),
                "spark.sql.warehouse.dir": f"{folder}/warehouse",
                "spark.sql.shuffle.partitions": "4",
                "spark.ui.enabled": "false",
            }
        )
        for statement in STATEMENTS.split(";"):
            session.sql(statement).collect()
        session.table("work.facts").mapInArrow(_same, "id long, part long, name string").collect()
        session.createDataFrame([(1, "a")], "id long, name string").write.saveAsTable("work.local")
        gateway = SparkContext._gateway
        session.stop()
        assert gateway is not None, "a Spark that runs here has a gateway"
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
    if not ARCHIVE.exists():
        print("This Java keeps no archive of classes: Spark works, and starts more slowly.")


def _same(batches: Iterable[Any]) -> Iterable[Any]:
    yield from batches
