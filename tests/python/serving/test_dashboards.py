"""Dashboards as code: every chart can be made from the published tables, and from nothing else."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from urllib.parse import unquote
from xml.etree import ElementTree

import duckdb
import pyarrow as pa
import pytest
import yaml

import assets
import definitions
from conftest import PROJECT, PUBLISHED, Build
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.cli import main
from scuttlehouse.serving.drawings import MOST_TANGLES
from scuttlehouse.serving.duckdb_file import serving_file
from small_warehouse import SmallWarehouse

BOARDS = {board["slug"]: board for board in definitions.boards()}
CHARTS = [(board, chart) for board in BOARDS.values() for chart in definitions.charts(board)]
DATASETS = sorted({chart["dataset"] for _, chart in CHARTS} | {"groups", "people"})
# The module of `scuttlehouse.drawing` that makes the drawings of a kind.
MODULES = {"group": "groups", "members": "members", "tangle": "tangles", "thread": "threads"}
NAMES = [f"{board['slug']}: {chart['title']}" for board, chart in CHARTS]


@pytest.fixture(scope="module")
def serving(built: Build) -> Iterator[duckdb.DuckDBPyConnection]:
    """The serving file of a whole build, opened as dashboards open it."""
    options = assets.CONNECTION
    with duckdb.connect(str(built.serving_file), **options) as connection:
        yield connection


def tables_of(dataset: str) -> set[str]:
    return set(re.findall(r"\b(?:from|join) ((?:dim|fct)_\w+)", definitions.dataset_sql(dataset)))


def drawn_tables(*modules: str) -> set[str]:
    folder = PROJECT / "src" / "scuttlehouse" / "drawing"
    texts = ((folder / f"{module}.py").read_text() for module in modules)
    return {table for text in texts for table in re.findall(r"\b(?:dim|fct)_\w+", text)}


def test_the_serving_file_holds_the_published_tables(
    built: Build, serving: duckdb.DuckDBPyConnection
) -> None:
    names = {
        name for (name,) in serving.execute("select table_name from duckdb_tables()").fetchall()
    }
    assert names == {*PUBLISHED, "fct_builds", "drawings"}
    for name, rows in built.tables.items():
        cursor = serving.execute(f"select * from {name}")
        columns = [column[0] for column in cursor.description or []]
        found = [dict(zip(columns, row, strict=True)) for row in cursor.fetchall()]
        assert sorted(found, key=repr) == rows, name


def test_tables_and_columns_have_their_descriptions(serving: duckdb.DuckDBPyConnection) -> None:
    undescribed = serving.execute("""
        select table_name, '' from duckdb_tables() where comment is null
        union all
        select table_name, column_name from duckdb_columns()
        where comment is null and table_name <> 'drawings' and not internal
    """).fetchall()
    assert undescribed == []


def test_times_are_times(serving: duckdb.DuckDBPyConnection) -> None:
    kinds = serving.execute("""
        select distinct data_type from duckdb_columns()
        where ends_with(column_name, '_at') and not internal
    """).fetchall()
    assert kinds == [("TIMESTAMP",)]


def test_nobody_reads_or_writes_anything_else(serving: duckdb.DuckDBPyConnection) -> None:
    for statement in (
        "from read_text('/etc/hostname')",
        "attach '/tmp/other.duckdb'",
        "set enable_external_access = true",
        "create table taken (id int)",
        "copy dim_groups to '/tmp/groups.csv'",
    ):
        with pytest.raises(duckdb.Error):
            serving.execute(statement)


@pytest.mark.parametrize("chart", [chart for _, chart in CHARTS], ids=NAMES)
def test_every_chart_is_a_query_over_columns_that_are_there(
    serving: duckdb.DuckDBPyConnection, chart: definitions.Chart
) -> None:
    columns = definitions.dataset_columns(serving, chart["dataset"])
    named = [*chart.get("columns", []), *(one.removeprefix("-") for one in chart.get("order", []))]
    assert set(named) <= columns.keys()
    rows = serving.execute(definitions.chart_sql(chart)).fetchall()
    assert len(rows) == 1 if chart["kind"] == "number" else rows is not None
    assert len(columns) == len(set(columns))


def test_after_a_rollback_the_last_publication_is_that_of_the_tables(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    small = SmallWarehouse(tmp_path / "home")
    ids = pa.table({name: pa.array([], pa.string()) for name in ("id", "short_id", "name")})
    for build, day in (("build-1", 1), ("build-2", 2)):
        checked = pa.table({"build_id": [build], "table_name": ["dim_logs"]})
        small.publish(
            {"fct_quality_results": checked}
            | {
                f"dim_{kind}": ids.rename_columns([f"{one}_id", "short_id", "name"])
                for kind, one in (("groups", "group"), ("people", "person"), ("epochs", "epoch"))
            }
        )
        ended = run_step(build, "published", started_at=datetime(2026, 1, day, tzinfo=UTC))
        small.log("fct_builds", steps_table([ended]))
    [chart] = [one for _, one in CHARTS if one["title"] == "Last publication"]
    for day, command in ((2, ["export"]), (1, ["rollback"])):
        assert main(command) == 0
        with duckdb.connect(str(serving_file(small.home)), **assets.CONNECTION) as connection:
            found = connection.execute(definitions.chart_sql(chart)).fetchall()
        assert found == [(datetime(2026, 1, day),)]


@pytest.mark.parametrize("slug", BOARDS)
def test_a_table_names_the_groups_and_people_that_its_board_chooses_among(
    serving: duckdb.DuckDBPyConnection, slug: str
) -> None:
    """Without a choice, the rows of all of them are in one table."""
    filters = {"group", "person"} & set(BOARDS[slug]["filters"])
    for chart in definitions.charts(BOARDS[slug]):
        if chart["kind"] != "table":
            continue
        links = [column for column in chart["columns"] if column.endswith("_link")]
        for name in filters & definitions.dataset_columns(serving, chart["dataset"]).keys():
            unnamed = [
                f"""count("{name}") filter (coalesce("{link}", '') not like concat('%>', "{name}", '</a>'))"""
                for link in links
            ]
            counted = (
                f"select {', '.join(unnamed)} from ({definitions.dataset_sql(chart['dataset'])})"
            )
            assert 0 in serving.execute(counted).fetchall()[0], (chart["title"], name)


@pytest.mark.parametrize("slug", BOARDS)
def test_every_filter_of_a_board_applies_to_a_chart(
    serving: duckdb.DuckDBPyConnection, slug: str
) -> None:
    used = {chart["dataset"] for chart in definitions.charts(BOARDS[slug])}
    columns = [definitions.dataset_columns(serving, name) for name in used]
    for name in BOARDS[slug]["filters"]:
        if name == "time":
            assert any({"TIMESTAMP", "DATE"} & set(of.values()) for of in columns)
        else:
            assert any(name in of for of in columns)


def test_a_dataset_has_one_row_for_each_row_of_its_table(
    serving: duckdb.DuckDBPyConnection,
) -> None:
    """Names beside ids neither lose a row nor make two of one."""
    for dataset in DATASETS:
        [main] = re.findall(
            r"^from (\w+)", definitions.dataset_sql(dataset).split("epoch_labels as (")[1], re.M
        )
        where = re.findall(
            r"^where .*", definitions.dataset_sql(dataset).split("epoch_labels as (")[1], re.M
        )
        [(expected,)] = serving.execute(f"select count(*) from {main} {' '.join(where)}").fetchall()
        found = serving.execute(
            f"select count(*) from ({definitions.dataset_sql(dataset)})"
        ).fetchall()
        assert found == [(expected,)], dataset


def test_every_group_of_the_sample_is_drawn_and_the_tangles_with_most_waiting(
    serving: duckdb.DuckDBPyConnection,
) -> None:
    drawn = dict(
        serving.execute("""
            select kind, count(distinct coalesce(tangle_id, group_id)) from drawings
            where starts_with(drawing, 'data:image/svg+xml;base64,') group by kind
        """).fetchall()
    )
    [(groups, tangles, waiting, threads)] = serving.execute("""
        select
            (select count(*) from dim_groups),
            (select count(*) from dim_tangles),
            (select count(*) from dim_tangles where set_aside_count + gap_count > 0),
            (select count(*) from dim_tangles where tangle_kind = 'thread')
    """).fetchall()
    assert drawn == {
        "group": groups,
        "members": groups,
        "tangle": min(tangles, MOST_TANGLES),
        "thread": min(threads, MOST_TANGLES),
    }
    first = serving.execute(f"""
        select set_aside_count + gap_count from drawings inner join dim_tangles using (tangle_id)
        where kind = 'tangle' and rank <= {waiting}
    """).fetchall()
    assert all(count > 0 for (count,) in first)


def test_the_texts_of_a_drawing_lie_over_it(serving: duckdb.DuckDBPyConnection) -> None:
    drawings = serving.execute(
        "select drawing, texts, width_pixels, height_pixels from drawings"
    ).fetchall()
    for drawing, texts, width, height in drawings:
        svg = re.sub(r"<title>.*?</title>", "", b64decode(drawing.partition(",")[2]).decode())
        words = [
            "".join(text.itertext())
            for text in ElementTree.fromstring(svg).iter("{http://www.w3.org/2000/svg}text")
        ]
        layer = ElementTree.fromstring(f"<all>{texts}</all>")
        assert words == ["".join(text.itertext()) for text in layer]
        for text in layer:
            left, top = re.findall(r"left:([\d.]+)px;top:([\d.]+)px", text.attrib["style"])[0]
            assert float(left) < width
            assert float(top) < height


def test_texts_of_strangers_are_never_shown_as_html(
    built: Build, serving: duckdb.DuckDBPyConnection
) -> None:
    """Each text of each table begins with a mark, as if a stranger had written it."""
    everything = assets.all_assets(built.serving_file)
    copy = duckdb.connect()
    for (table,) in serving.execute("select table_name from duckdb_tables()").fetchall():
        rows = serving.execute(f"from {table}").to_arrow_table()
        texts = ", ".join(
            f"""'<b>' || "{field.name}" as "{field.name}\""""
            for field in rows.schema
            if str(field.type) == "string" and table != "drawings"
        )
        copy.register("rows", rows)
        copy.execute(f"create table {table} as select *{texts and f' replace ({texts})'} from rows")
        copy.unregister("rows")
    checked = 0
    for _, chart in CHARTS:
        if chart["kind"] != "table":
            continue
        dataset = yaml.safe_load(everything[f"datasets/scuttlehouse/{chart['dataset']}.yaml"])
        for column in chart["columns"]:
            found = copy.execute(f'select "{column}"::varchar from ({dataset["sql"]})').fetchall()
            for cell in {cell for (cell,) in found if cell}:
                checked += 1
                if column.endswith("_link"):
                    assert re.fullmatch(r'<a href="[^"<>]*">[^<>]*</a>', cell)
                else:
                    assert "<" not in cell, (chart["title"], column)
    assert checked > 1000


def named_people(*names: tuple[str, str | None]) -> duckdb.DuckDBPyConnection:
    connection = duckdb.connect()
    connection.execute("""
        create table dim_groups (group_id varchar, short_id varchar, name varchar);
        create table dim_people (person_id varchar, short_id varchar, name varchar);
        create table dim_epochs (epoch_id varchar, short_id varchar);
    """)
    for person, name in names:
        connection.execute("insert into dim_people values (?, ?, ?)", [person, person[:6], name])
    return connection


def test_names_of_strangers_are_text_in_links() -> None:
    name = "<img src=x onerror='alert(1)'> \"&!'"
    with named_people(("abcdef1", name)) as connection:
        labels = (PROJECT / "dashboards" / "datasets" / "_labels.sql").read_text()
        [(label, link)] = connection.execute(
            f"{labels} select person, person_link from people_labels"
        ).fetchall()
    assert not set(label) & set("<>&\"'")
    [(address, text)] = re.findall(r'<a href="([^"<>]*)">([^<>]*)</a>', link)
    assert text == label
    assert link.count("<") == 2
    # In Rison a mark of exclamation is doubled.
    assert f"'{label.replace('!', '!!')}'" in unquote(address)


def test_a_file_that_is_left_out_is_not_the_newest_log() -> None:
    [chart] = [one for _, one in CHARTS if one["title"] == "Newest log"]
    with named_people() as connection:
        connection.execute("""
            create table dim_logs (
                source_file varchar, owner_id varchar, status varchar, status_reason varchar, form varchar,
                line_count bigint, rejected_line_count bigint, size_bytes bigint, modified_at timestamp
            );
            insert into dim_logs (status, modified_at) values
                ('known', '2026-01-01'), ('new', '2026-01-02'), ('left_out', '2026-01-03');
        """)
        found = connection.execute(definitions.chart_sql(chart)).fetchall()
    assert found == [(datetime(2026, 1, 2),)]


def test_two_who_look_the_same_have_labels_of_their_own() -> None:
    people = (
        ("abcdef1", "eve"),
        ("abcdef2", "eve"),
        ("ghijkl1", None),
        ("ghijkl2", "x"),
        ("mnopqr", "m mnopqr"),
    )
    with named_people(*people) as connection:
        labels = (PROJECT / "dashboards" / "datasets" / "_labels.sql").read_text()
        found = dict(
            connection.execute(f"{labels} select person_id, person from people_labels").fetchall()
        )
    assert found == {
        "abcdef1": "eve · abcdef abcdef1",
        "abcdef2": "eve · abcdef abcdef2",
        "ghijkl1": "ghijkl",
        "ghijkl2": "x · ghijkl",
        "mnopqr": "m mnopqr",
    }


@pytest.mark.parametrize(("board", "chart"), CHARTS, ids=NAMES)
def test_every_chart_says_what_it_shows(board: definitions.Board, chart: definitions.Chart) -> None:
    assert chart["says"].strip().endswith(".")
    if chart["kind"] == "table":
        assert "A row is" in chart["says"]
    if chart["kind"] != "number":
        assert ("Empty:" if chart["kind"] == "bar" else "No rows:") in chart["says"]
    assert board["says"].strip().endswith(".")


def test_no_two_charts_of_a_board_are_confused(built: Build) -> None:
    everything = assets.all_assets(built.serving_file)
    found = Counter(name.split("/")[0] for name in everything)
    assert found["charts"] == len(CHARTS)
    assert found["dashboards"] == len(BOARDS) == 5
    for slug, board in BOARDS.items():
        position = yaml.safe_load(everything[f"dashboards/{slug}.yaml"])["position"]
        shown = [part for name, part in position.items() if name.startswith("CHART-")]
        assert len(shown) == len(list(definitions.charts(board)))
        numbers = [part["meta"]["chartId"] for part in shown]
        assert len(set(numbers)) == len(numbers)
        for name, part in position.items():
            for child in part["children"] if isinstance(part, dict) and "children" in part else ():
                assert position[child]["parents"][-1] == name


def test_exposures_name_the_tables_of_every_dashboard() -> None:
    text = (PROJECT / "models" / "marts" / "exposures.yml").read_text()
    exposures = {one["name"]: one for one in yaml.safe_load(text)["exposures"]}
    for slug, board in BOARDS.items():
        used = {chart["dataset"] for chart in definitions.charts(board)}
        expected = {table for dataset in used for table in tables_of(dataset)}
        kinds = {
            re.findall("kind = '(.*)'", chart["where"])[0]
            for chart in definitions.charts(board)
            if chart["kind"] == "drawing"
        }
        if kinds:
            expected |= drawn_tables(*(MODULES[kind] for kind in kinds)) | {
                "dim_groups",
                "dim_people",
            }
        exposure = exposures[slug.replace("-", "_")]
        assert exposure["type"] == "dashboard"
        assert set(exposure["depends_on"]) == {f"ref('{table}')" for table in expected}, slug


def test_bars_are_in_the_order_of_their_numbers(built: Build) -> None:
    """Superset adds up the colours of a bar. Where there is one, it knows the number by its label alone."""
    files = assets.all_assets(built.serving_file)
    charts = [yaml.safe_load(text) for name, text in files.items() if name.startswith("charts/")]
    orders = {
        chart["slice_name"]: (chart["params"]["x_axis_sort"], chart["params"])
        for chart in charts
        if chart["viz_type"] == "echarts_timeseries_bar"
    }
    assert orders["Rejected lines, by reason"][0] == "Lines"
    for title, (order, parameters) in orders.items():
        labels = [metric["label"] for metric in parameters["metrics"]]
        if order is not None:  # A day stands at its place in time.
            assert (order == "sum") if parameters["groupby"] else (order in labels), title


def test_the_connection_is_locked(built: Build) -> None:
    database = yaml.safe_load(assets.all_assets(built.serving_file)["databases/scuttlehouse.yaml"])
    arguments = database["extra"]["engine_params"]["connect_args"]
    assert json.dumps(arguments, sort_keys=True) == json.dumps(
        {
            "config": {"enable_external_access": False, "lock_configuration": True},
            "read_only": True,
        }
    )
    assert not database["allow_dml"]
