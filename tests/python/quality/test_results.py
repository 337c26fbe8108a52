"""The results of a run in ``fct_quality_results``, and the first page of the Data Docs: without Spark."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from houses import House
from scuttlehouse.builds.quality import SCHEMA, TABLE, checking_builds, write_results
from scuttlehouse.catalog.names import MAIN, WORK
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.quality.data_docs import is_page_of, pages_folder
from scuttlehouse.reading.engine import WarehouseError

Rows = list[dict[str, Any]]

MODELS: dict[str, Any] = {
    name: {"alias": name, "description": f"A row is {row}. It has more.", "columns": {}}
    for name, row in {"dim_a": "an a", "dim_b": "a b"}.items()
}


def result(build_id: str, table_name: str, *, is_success: bool = True) -> dict[str, Any]:
    return {
        "build_id": build_id,
        "table_name": table_name,
        "expectation": "expect_column_values_to_not_be_null",
        "column_name": "id",
        "description": "Never null: the id.",
        "observed": None if is_success else "1 of 2 rows (50 %)",
        "is_success": is_success,
    }


def create_table(house: House, rows: Rows) -> None:
    house.begin("one")
    with house.iceberg() as iceberg:
        location = f"{house.home}/warehouse/{WORK}/{TABLE}"
        table = iceberg.create_table((WORK, TABLE), SCHEMA, location=location)
        if rows:
            table.append(pa.Table.from_pylist(rows, SCHEMA))
    house.write_sidecars()


def stored(house: House) -> Rows:
    with house.iceberg() as iceberg:
        rows: Rows = iceberg.load_table((WORK, TABLE)).scan().to_arrow().to_pylist()
    return sorted(rows, key=lambda row: (row["table_name"], row["build_id"]))


def write(house: House, build_id: str, rows: Rows) -> bool:
    with open_catalog(house.home) as catalog:
        return write_results(catalog, house.home, MAIN, build_id, rows, MODELS)


def test_results_take_the_place_of_earlier_ones_of_the_same_tables(sqlite_house: House) -> None:
    earlier = [result("one", name) for name in ("dim_a", "dim_b", "dim_gone")]
    create_table(sqlite_house, earlier)
    broken = result("two", "dim_b", is_success=False)
    assert write(sqlite_house, "two", [broken])
    assert stored(sqlite_house) == [earlier[0], broken]
    assert {path.stat().st_mode & 0o777 for path in sqlite_house.files() if path.is_file()} >= {
        0o600
    }
    index = (pages_folder(sqlite_house.home, MAIN) / "index.html").read_text()
    assert "an a" in index
    assert index.count('text-danger"></i>') == 1
    assert "Build two, " in index


@pytest.mark.filterwarnings("error")
def test_the_first_results(sqlite_house: House) -> None:
    create_table(sqlite_house, [])
    rows = [result("one", name) for name in ("dim_a", "dim_b")]
    assert write(sqlite_house, "one", rows)
    assert stored(sqlite_house) == rows


def test_a_run_that_checks_nothing_writes_nothing(sqlite_house: House) -> None:
    earlier = [result("one", "dim_a")]
    create_table(sqlite_house, earlier)
    assert not write(sqlite_house, "two", [])
    assert stored(sqlite_house) == earlier
    assert not pages_folder(sqlite_house.home, MAIN).exists()


def test_without_the_table_nothing_is_written(sqlite_house: House) -> None:
    sqlite_house.begin("one")
    assert not write(sqlite_house, "one", [result("one", "dim_a")])
    assert not pages_folder(sqlite_house.home, MAIN).exists()


def test_the_builds_that_checked_the_published_tables(sqlite_house: House) -> None:
    rows = [result("zero", "dim_a"), result("one", "dim_b"), result("one", "dim_b")]
    create_table(sqlite_house, rows)
    home, build = sqlite_house.home, sqlite_house.publish("one", TABLE)
    assert checking_builds(home, build) == {"dim_a": "zero", "dim_b": "one"}
    [file] = [path for path in sqlite_house.files() if path.suffix == ".parquet"]
    file.write_bytes(file.read_bytes()[:-1])
    with pytest.raises(WarehouseError, match=file.name):
        checking_builds(home, build)
    assert checking_builds(home, sqlite_house.build("two", {"dim_a": 1})) == {}


def test_a_page_is_of_the_build_that_wrote_it(sqlite_house: House) -> None:
    create_table(sqlite_house, [])
    write(sqlite_house, "one", [result("one", "dim_a")])
    folder = pages_folder(sqlite_house.home, MAIN)
    assert is_page_of(folder, "index", "one")
    assert not is_page_of(folder, "index", "on")
    assert not is_page_of(folder, "dim_a", "one"), "there is no such page"
