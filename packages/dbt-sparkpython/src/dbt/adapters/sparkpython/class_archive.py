"""An archive of Spark's Java classes, in one file. With it Spark starts in half the time.

`make` writes the file, once per environment. Java ignores the archive, and says so in `spark.log`, if another
Java or another Spark made it.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pyspark import SparkContext

from dbt.adapters.sparkpython.credentials import SparkPythonCredentials
from dbt.adapters.sparkpython.java import ARCHIVE
from dbt.adapters.sparkpython.session import log_to, open_session

# The work of a typical dbt project in Spark, so that the archive holds the classes that it needs.
STATEMENTS = """
create schema if not exists work;
create or replace table work.facts as
    select id, id % 7 as part, cast(id as string) as name from range(1000);
create or replace table work.facts as
    select id, id % 7 as part, cast(id as string) as name from range(1000);
comment on table work.facts is 'facts';
alter table work.facts alter column id comment 'an id', name comment 'a name';
create or replace temporary view rows as
    select name, collect_set(id) as ids, max(named_struct('a', id, 'b', part)).a as a
    from work.facts group by name;
create or replace table work.windows as
    select
        *,
        row_number() over (partition by part order by id desc) as n,
        lag(id) over (partition by part order by id) as l
    from work.facts;
create or replace table work.joined as
    select a.id, a.name, transform(r.ids, x -> x + 1) as ids
    from work.facts as a
    left join rows as r on a.name = r.name
    left anti join work.windows as w on a.id = w.l;
delete from work.joined where id in (select id from work.facts where part = 1);
insert into work.joined by name select id, name, array(id) as ids from work.facts where part = 1;
select j.id, i.one, count(*), count(distinct j.name), min_by(j.name, j.id)
    from work.joined as j lateral view explode(j.ids) i as one
    group by 1, 2 having count(*) > 1
    union all select 1, 2, 3, 4, 'a' order by 1 limit 5;
select
    get_json_object('{"a": 1}', '$.a'), from_json('{"a": 1}', 'a int').a,
    regexp_extract('abc', 'b', 0), timestamp_millis(1), sha2('a', 256), concat_ws('-', array('a', 'b'));
show table extended in work like '*';
describe table extended work.joined;
drop table work.windows;
show databases
"""


def make(settings: dict[str, str]) -> None:
    """Run Spark on some tables, and let Java record the classes that it loaded.

    Args:
        settings: Spark's settings. A target reads the archive only if it has the same class path.
    """
    ARCHIVE.unlink(missing_ok=True)
    with tempfile.TemporaryDirectory(prefix="spark-classes-") as folder:
        log_to(Path(folder))
        own = {
            "spark.master": "local[2]",
            # Without the second compiler this takes a third less processor time.
            "spark.driver.extraJavaOptions": f"-XX:ArchiveClassesAtExit={ARCHIVE} -XX:TieredStopAtLevel=1",
            "spark.sql.shuffle.partitions": "4",
            "spark.ui.enabled": "false",
        }
        session = open_session(
            SparkPythonCredentials(schema="work", server_side_parameters=settings | own)
        )
        for statement in STATEMENTS.split(";"):
            session.sql(statement).collect()
        session.table("work.facts").mapInArrow(_same, "id long, part long, name string").collect()
        session.createDataFrame([(1, "a")], "id long, name string").writeTo("work.local").create()
        gateway = SparkContext._gateway
        session.stop()
        assert gateway is not None, "a Spark that runs here has a gateway"
        gateway.shutdown()
        gateway.proc.stdin.close()
        gateway.proc.wait()
    if not ARCHIVE.exists():
        print("This Java cannot make an archive of classes: Spark works, but starts more slowly.")


def _same(batches: Iterable[Any]) -> Iterable[Any]:
    yield from batches
