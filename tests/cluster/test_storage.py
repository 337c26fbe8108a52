"""Files of tables in an S3 server: listed, read, removed; and what is said when the server is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from scuttlehouse.catalog import CATALOG, WORK, CatalogError, open_catalog, prepare_home, storage
from scuttlehouse.catalog.expiry import remove_unreachable, trim_history
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.s3 import _s3_files, s3_endpoint, s3_region
from servers import BUCKET, s3

WAREHOUSE = f"s3://{BUCKET}/small"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    with s3(tmp_path) as variables:
        for name, value in {**variables, "SCUTTLEHOUSE_WAREHOUSE": WAREHOUSE}.items():
            monkeypatch.setenv(name, value)
        prepare_home(tmp_path / "home")
        yield tmp_path / "home"


def make(home: Path, build_id: str, *numbers: int) -> None:
    """A build that publishes one table of numbers."""
    with open_catalog(home) as catalog:
        catalog.begin(build_id, "rules", "project", refresh=True, rebuilt=())
    properties = {"s3.endpoint": s3_endpoint(), "s3.region": s3_region()}
    tables = SqlCatalog(
        CATALOG, uri=f"sqlite:///{home}/catalog.db", warehouse=WAREHOUSE, **properties
    )
    rows = pa.table({"number": pa.array(numbers, pa.int64())})
    if not tables.table_exists(f"{WORK}.dim_a"):
        tables.create_table(f"{WORK}.dim_a", rows.schema, location=f"{WAREHOUSE}/dim_a")
    tables.load_table(f"{WORK}.dim_a").overwrite(rows)
    tables.close()
    with open_catalog(home) as catalog:
        trim_history(catalog, home, most_snapshots=1)
        catalog.publish(build_id, ["dim_a"], is_whole=True, landing="", kept_builds=1)


def rows(home: Path) -> list[int]:
    with open_published(home) as warehouse:
        return sorted(number for (number,) in warehouse.query("select number from dim_a")[1])


def test_tables_in_s3(home: Path) -> None:
    make(home, "one", 1, 2)
    before = {*storage.files_below(WAREHOUSE)}
    make(home, "two", 3)
    assert rows(home) == [3]
    with open_catalog(home) as catalog:
        assert remove_unreachable(catalog, home) > 0
        catalog.verify()
        [file] = {catalog.tables(WORK)["dim_a"]}
        after = {*storage.files_below(WAREHOUSE)}
        assert before - after, "what no kept build needs is gone"
        assert remove_unreachable(catalog, home) == 0
    assert rows(home) == [3]
    assert not (home / "warehouse").exists()
    storage.remove(file)
    storage.remove(file)
    with open_catalog(home) as catalog, pytest.raises(CatalogError, match=f"The file {file} is "):
        catalog.verify()


def test_a_server_that_is_gone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with s3(tmp_path) as variables:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
    monkeypatch.setattr("scuttlehouse.s3._ATTEMPTS", 2)
    _s3_files.cache_clear()
    with pytest.raises(CatalogError, match="S3 cannot be used for s3://bucket/small/a ") as told:
        storage.read(f"{WAREHOUSE}/a")
    assert variables["AWS_SECRET_ACCESS_KEY"] not in str(told.value)
    _s3_files.cache_clear()
