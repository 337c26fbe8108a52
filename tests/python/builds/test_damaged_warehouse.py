"""A refresh of a warehouse with damaged files publishes nothing, and names the file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from conftest import Build, Warehouse
from houses import flip
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.reached_files import files_of

WITHOUT_TESTS = "--exclude-resource-types", "test", "unit_test"


def remove(file: Path) -> None:
    file.unlink()


@pytest.fixture
def refreshing(warehouse: Warehouse, built: Build) -> Iterator[Warehouse]:
    """One log more than those that are published, so there is something to refresh.

    The tests do not publish, except the last.
    """
    warehouse.land(*built.logs)
    log = warehouse.landing / "more.jsonl"
    log.write_bytes(built.logs[0].read_bytes()[:20_000])
    with warehouse.published_unchecked():
        yield warehouse
    log.unlink()


def data_file(warehouse: Warehouse, table: str) -> Path:
    """A file that holds rows of a table that a refresh reads."""
    files = files_of(str(published_file(warehouse, table)))
    return max(Path(file) for file in files if Path(file).suffix == ".parquet")


def published_file(warehouse: Warehouse, table: str) -> Path:
    """The metadata file of a table of the published build."""
    with open_catalog(warehouse.home) as catalog:
        build = catalog.published()
        assert build
        return Path(build.tables[table])


def test_damaged_metadata(refreshing: Warehouse) -> None:
    """Spark cannot list the tables and is not started. A full refresh makes the damaged table again."""
    before = refreshing.published()
    # The work schema has the tables of the published build again.
    refreshing.refresh("seed", "-s", "tangle_kinds")
    file = published_file(refreshing, "stg_ssb__messages")
    content = file.read_bytes()
    flip(file)
    try:
        refused = refreshing.run("scuttlehouse", "build")
        assert refreshing.published() == before
        damaged = "-s", "+stg_ssb__messages"
        made = refreshing.run("scuttlehouse", "build", "--full-refresh", *damaged, *WITHOUT_TESTS)
    finally:
        file.write_bytes(content)  # A partial build without tests publishes nothing.
    assert refused.returncode != 0
    assert file.name in refused.stdout, refused.stdout
    assert made.returncode == 0, made.stdout
    shown = "scuttlehouse: the table stg_ssb__messages is damaged. This build makes it again.\n"
    assert shown in made.stdout


def test_a_refresh_of_damaged_tables(refreshing: Warehouse) -> None:
    before = refreshing.published()
    file = data_file(refreshing, "stg_ssb__messages")
    content = file.read_bytes()
    for damage in flip, remove:
        damage(file)
        try:
            outcome = refreshing.dbt("build", *WITHOUT_TESTS)
        finally:
            file.write_bytes(content)
        assert not outcome.success
        shown = [str(one.message) for one in outcome.result or () if one.status != "success"]
        shown = [*shown, str(outcome.exception)]
        assert any(file.name in message for message in shown), shown
        assert not any("\tat " in message for message in shown)
        assert refreshing.published() == before


def test_a_full_refresh_beside_damaged_orders(refreshing: Warehouse) -> None:
    """It builds these tables again, and with them the commands that lead to the published order."""
    damaged = "fct_timeline_updates", "fct_tangle_messages"
    for table in damaged:
        flip(data_file(refreshing, table))
    some = "-s", *(f"+{table}" for table in damaged)
    refreshing.refresh("build", *some, *WITHOUT_TESTS, "--full-refresh")
    counted = """
        select
            (select count(*) from scuttlehouse.fct_timeline_updates where command = 'ins') as inserted,
            (select count(*) from scuttlehouse.fct_tangle_messages where status = 'in') as placed,
            (select max(refresh_number) from scuttlehouse.fct_timeline_updates) as refreshes
    """
    [counts] = refreshing.rows(counted)
    assert counts["inserted"] == counts["placed"] > 0
    assert counts["refreshes"] == 1
