"""Files of tables in an S3 server: listed, read, removed; and what is said when the server is gone."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from threading import Timer

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog

from scuttlehouse.catalog import storage
from scuttlehouse.catalog.damage import forget_damaged, verify_tables
from scuttlehouse.catalog.expiry import remove_unreachable, trim_history
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.names import CATALOG, MAIN, WORK, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.s3 import _s3_files, s3_endpoint, s3_region
from servers import BUCKET, S3, s3

WAREHOUSE = f"s3://{BUCKET}/small"


@pytest.fixture
def server(tmp_path: Path) -> Iterator[S3]:
    with s3(tmp_path) as found:
        yield found


@pytest.fixture
def home(tmp_path: Path, server: S3, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, value in {**server.variables, "SCUTTLEHOUSE_WAREHOUSE": WAREHOUSE}.items():
        monkeypatch.setenv(name, value)
    prepare_home(tmp_path / "home")
    return tmp_path / "home"


def make(home: Path, build_id: str, *numbers: int) -> None:
    """A build that publishes one table of numbers."""
    with open_catalog(home) as catalog:
        catalog.begin(build_id, "rules", "project", refresh=True, rebuilt=(), schemas=MAIN)
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
        assert remove_unreachable(catalog, home, lambda: True) > 0
        verify_tables(catalog)
        [file] = {catalog.tables(WORK)["dim_a"]}
        after = {*storage.files_below(WAREHOUSE)}
        assert before - after, "what no kept build needs is gone"
        assert remove_unreachable(catalog, home, lambda: True) == 0
    assert rows(home) == [3]
    assert not (home / "warehouse").exists()
    storage.remove(file)
    storage.remove(file)
    with open_catalog(home) as catalog, pytest.raises(CatalogError, match=f"The file {file} is "):
        verify_tables(catalog)


def test_a_server_that_does_not_answer_for_a_while(home: Path, server: S3) -> None:
    make(home, "one", 1, 2)
    server.freeze()
    thaw = Timer(5, server.thaw)
    thaw.start()
    assert rows(home) == [1, 2]
    thaw.join()


def test_nothing_is_taken_for_damaged_while_the_server_is_gone(home: Path, server: S3) -> None:
    make(home, "one", 1, 2)
    server.end()
    with open_catalog(home) as catalog, pytest.MonkeyPatch.context() as patch:
        before = catalog.tables(WORK)
        patch.setattr("scuttlehouse.s3._ATTEMPTS", 2)
        _s3_files.cache_clear()
        with pytest.raises(CatalogError, match=f"S3 cannot be used for {before['dim_a']} ") as told:
            forget_damaged(catalog)
        _s3_files.cache_clear()
        assert server.variables["AWS_SECRET_ACCESS_KEY"] not in str(told.value)
        assert catalog.tables(WORK) == before
    server.start()
    assert rows(home) == [1, 2]
    with open_catalog(home) as catalog:
        assert forget_damaged(catalog) == []
