"""Builds in the catalog: begin, publish and roll back, in SQLite and in PostgreSQL."""

from __future__ import annotations

from dataclasses import astuple
from pathlib import Path

import pyarrow as pa
import pytest

from houses import FLAGS, House, exit_code, flip, fork
from scuttlehouse.catalog import checksums, spark
from scuttlehouse.catalog.damage import forget_damaged, verify_kept, verify_tables
from scuttlehouse.catalog.expiry import remove_unreachable
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.log import append_steps
from scuttlehouse.catalog.names import (
    BASE,
    LOG,
    MAIN,
    PUBLISHED,
    WORK,
    CatalogError,
    Schemas,
    namespace_of_build,
)
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.records import State, Work, seal, state_of
from scuttlehouse.catalog.rows import point, tables_in
from scuttlehouse.catalog.spark import catalog_settings
from test_lock import holding


def test_nothing_is_published_in_an_empty_home(house: House) -> None:
    with pytest.raises(
        CatalogError,
        match=r"^Nothing is published yet in .*: run `scuttlehouse build` first",
    ):
        house.published()
    with open_catalog(house.home) as catalog:
        assert catalog.published() is None
        assert catalog.kept() == []
        assert catalog.work(MAIN) is None
        with pytest.raises(CatalogError, match=r"^Nothing is published yet"):
            catalog.roll_back(None)
    assert house.published() is None


def test_a_build_is_published_and_kept_by_number(house: House) -> None:
    first = house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two")
    assert house.read(WORK) == house.read(BASE) == house.read() == {"dim_a": [1], "dim_b": [1]}
    house.make("dim_a", 2)
    house.make("int_c", 2)
    assert house.read() == {"dim_a": [1], "dim_b": [1]}, "what is built is not published"
    second = house.publish("two", "dim_a", "dim_b", landing="/other")
    assert house.read() == house.read(namespace_of_build(2)) == {"dim_a": [2], "dim_b": [1]}
    assert house.read(namespace_of_build(1)) == {"dim_a": [1], "dim_b": [1]}
    assert house.published() == second
    assert (second.build_id, second.number, second.replaced) == ("two", 2, "one")
    assert (second.rules_hash, second.project_hash, second.landing) == (
        "rules",
        "project",
        "/other",
    )
    assert second.tables == house.tables(WORK)
    assert second.public == house.tables(PUBLISHED)
    assert second.published_at.endswith(" UTC")
    assert (first.number, first.replaced, first.landing) == (1, None, "/logs")
    with open_catalog(house.home) as catalog:
        assert catalog.work(MAIN) == Work("two", "one", "rules", "project")


def test_begin_drops_what_a_failed_build_left(house: House) -> None:
    house.begin("none")
    view = house.make("view", 0)
    house.begin("one")
    house.make("dim_a", 1)
    with open_catalog(house.home) as catalog, catalog.database.transaction():
        point(catalog.database, WORK, catalog.tables(WORK), {"stg_v": view})
    build = house.publish("one", "dim_a")
    assert build.views == {"stg_v": view}
    house.begin("failed")
    house.make("dim_a", 2)
    house.make("int_new", 2)
    with open_catalog(house.home) as catalog, catalog.database.transaction():
        point(catalog.database, WORK, catalog.tables(WORK), {"stg_w": view})
    house.begin("next")
    assert house.read(WORK) == {"dim_a": [1]}
    with open_catalog(house.home) as catalog:
        assert tables_in(catalog.database, WORK, "VIEW") == {"stg_v": view}


def test_a_build_from_nothing_starts_without_what_it_makes(house: House) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two", refresh=False, rebuilt=("dim_a", "int_new"))
    assert house.read(WORK) == {"dim_b": [1]}
    assert house.tables(BASE) == {}
    assert house.read() == {"dim_a": [1], "dim_b": [1]}
    assert house.namespaces() == {PUBLISHED, BASE, LOG, WORK, namespace_of_build(1)}


def test_a_part_is_published_beside_what_is_published(house: House) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("part")
    house.make("dim_a", 2)
    house.make("dim_b", 2)
    build = house.publish("part", "dim_a", is_whole=False)
    assert house.read() == {"dim_a": [2], "dim_b": [1]}
    assert not build.is_whole
    house.begin("next")
    assert house.read(WORK) == {"dim_a": [2], "dim_b": [2]}
    assert house.publish("next", "dim_b").is_whole
    assert house.read() == {"dim_b": [2]}, "a whole build is all that is published"


def test_the_log_is_published_as_it_is_and_never_reset(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.begin("two")
    house.make("fct_builds", 1, namespace=LOG)
    assert house.read() == {"dim_a": [1]}
    house.publish("two", "dim_a", "fct_builds")
    assert house.read() == {"dim_a": [1], "fct_builds": [1]}
    house.append("fct_builds", 2, namespace=LOG)
    house.begin("failed")
    with open_catalog(house.home) as catalog:
        catalog.move_log()
    assert house.read() == {"dim_a": [1], "fct_builds": [1, 2]}
    house.roll_back()
    house.append("fct_builds", 3, namespace=LOG)
    house.begin("three")
    house.append("fct_builds", 4, namespace=LOG)
    assert house.read() == {"dim_a": [1], "fct_builds": [1, 2, 3]}
    house.publish("three", "dim_a")
    assert house.read() == {"dim_a": [1], "fct_builds": [1, 2, 3, 4]}
    assert house.read(namespace_of_build(3)) == {"dim_a": [1]}


def test_a_rollback_publishes_a_kept_build(house: House) -> None:
    for number, build_id in enumerate("abcd", 1):
        house.build(build_id, {"dim_a": number})
    assert house.kept() == ["d", "c", "b"]
    assert house.roll_back().build_id == "c"
    assert house.read() == {"dim_a": [3]}
    assert house.kept() == ["c", "b", "d"]
    assert house.roll_back().build_id == "b"
    assert house.kept() == ["b", "d", "c"]
    refused = {
        None: r"^No kept build is older than the published one \(the var kept_builds ",
        "b": r"^The build b is already published\.$",
        "a": r"^The build a is not kept\. The kept builds are: d, c, b \(the var kept_builds says ",
    }
    for build_id, sentence in refused.items():
        with pytest.raises(CatalogError, match=sentence):
            house.roll_back(build_id)
    assert house.roll_back("d").build_id == "d"
    assert house.kept() == ["d", "c", "b"]
    assert house.read() == {"dim_a": [4]}


def test_a_build_after_a_rollback_keeps_first_what_it_replaced(house: House) -> None:
    for number, build_id in enumerate("abc", 1):
        house.build(build_id, {"dim_a": number})
    house.roll_back("b")
    assert house.read(namespace_of_build(3)) == {"dim_a": [3]}
    house.begin("d")
    assert house.read(WORK) == {"dim_a": [2]}
    build = house.publish("d", "dim_a")
    assert (build.number, build.replaced) == (4, "b")
    assert house.kept() == ["d", "b", "a"]
    assert {one for one in house.namespaces() if one.startswith("scuttlehouse_build_")} == {
        namespace_of_build(number) for number in (1, 2, 4)
    }
    house.begin("e")
    house.publish("e", "dim_a", kept_builds=1)
    assert house.kept() == ["e"]
    with open_catalog(house.home) as catalog:
        records = catalog.database.rows("select build_id from scuttlehouse_builds")
    assert [*map(tuple, records)] == [("e",)]


def test_a_rollback_goes_to_an_older_build_and_to_no_newer_one(house: House) -> None:
    for number, build_id in enumerate("abc", 1):
        house.build(build_id, {"dim_a": number})
    house.roll_back("a")
    house.begin("d")
    house.publish("d", "dim_a")
    assert house.kept() == ["d", "a", "c"], "c is newer than a, and was rolled back from"
    assert house.roll_back().build_id == "a"
    assert house.kept() == ["a", "c", "d"]
    with pytest.raises(CatalogError, match=r"^No kept build is older than the published one "):
        house.roll_back()
    assert house.roll_back("c").build_id == "c"
    assert house.kept() == ["c", "a", "d"]
    assert house.roll_back().build_id == "a"


def test_a_build_that_was_overtaken_is_not_published(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.begin("two")
    house.make("dim_a", 2)
    two = house.publish("two", "dim_a")
    with pytest.raises(CatalogError) as raised:
        house.publish("two", "dim_a")
    assert str(raised.value) == (
        "The build two cannot be published: the build two was published since it began. Build again."
    )
    assert house.published() == two
    house.begin("three")
    house.roll_back()
    with pytest.raises(CatalogError, match=r"^The build three cannot be published: the build one "):
        house.publish("three", "dim_a")
    assert house.read() == {"dim_a": [1]}


def test_a_build_that_lost_its_lock_to_another_is_not_published(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.begin("two")
    house.make("dim_a", 2)
    house.begin("three")
    house.make("dim_a", 3)
    with pytest.raises(CatalogError) as told:
        house.publish("two", "dim_a")
    assert str(told.value) == (
        "The build two cannot be published: it lost its lock, and the build three has begun since. Wait "
        "until that one ends, and build again."
    )
    assert house.read() == {"dim_a": [1]}
    with open_catalog(house.home) as catalog:
        catalog.go_on("retry of three", MAIN)
    assert house.publish("retry of three", "dim_a").number == 2
    assert house.read() == {"dim_a": [3]}


def test_one_of_many_concurrent_publishers_wins(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.begin("two")

    def publish() -> None:
        try:
            house.publish("two", "dim_a")
        except CatalogError as error:
            raise SystemExit(2 if "published: the build two was" in str(error) else 3) from None

    processes = [fork(publish) for _ in range(6)]
    assert sorted(exit_code(process) for process in processes) == [0, 2, 2, 2, 2, 2]
    assert len(house.kept()) == 2


def test_changes_by_other_programs_are_not_overwritten(house: House) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two")
    house.append("dim_b", 5, namespace=PUBLISHED)
    with pytest.raises(
        CatalogError, match="another program changed dim_b in the namespace scuttlehouse,"
    ):
        house.publish("two", "dim_a", "dim_b")
    assert house.kept() == ["one"]
    with house.iceberg() as iceberg:
        iceberg.drop_table((namespace_of_build(1), "dim_a"))
    house.begin("three")
    assert house.read() == house.read(namespace_of_build(1)) == {"dim_a": [1], "dim_b": [1]}
    house.publish("three", "dim_a", "dim_b")


def test_only_tables_of_the_build_are_published(house: House) -> None:
    house.begin("none")
    view = house.make("other", 1)
    house.begin("one")
    with open_catalog(house.home) as catalog, catalog.database.transaction():
        point(catalog.database, WORK, {"dim_a": view}, {"dim_v": view})
    with pytest.raises(CatalogError) as raised:
        house.publish("one", "dim_a", "dim_b", "dim_v")
    assert str(raised.value) == (
        "The build one cannot be published: the namespace scuttlehouse_work has no table dim_b, dim_v. "
        "Build every public model, as a table."
    )
    assert house.tables(PUBLISHED) == {}
    with (
        pytest.raises(CatalogError, match="cannot be published"),
        open_catalog(house.home) as catalog,
    ):
        catalog.publish("one", ["dim_b"], **FLAGS)


@pytest.mark.parametrize("damage", ["removed", "cut", "flipped"])
def test_damaged_metadata_is_reported_until_it_is_rebuilt(house: House, damage: str) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    build = house.build("two", {"dim_a": 2, "dim_b": 2})
    file = Path(build.tables["dim_b"])
    if damage == "removed":
        file.unlink()
    elif damage == "cut":
        file.write_bytes(file.read_bytes()[:-1])
    else:
        flip(file, 8000)
    fault = "is missing" if damage == "removed" else "is damaged: it does not match its checksums"
    sentence = f"The table dim_b of the build two cannot be used. The file {file} {fault}. "
    with pytest.raises(CatalogError) as raised:
        house.begin("three")
    assert str(raised.value) == sentence + (
        "Restore the file from a backup, go back with `scuttlehouse rollback`, or run `scuttlehouse build "
        "--full-refresh`, which reads all logs again."
    )
    assert house.published() == build
    house.roll_back()
    assert house.read() == {"dim_a": [1], "dim_b": [1]}
    with pytest.raises(CatalogError) as raised:
        house.roll_back("two")
    assert str(raised.value) == sentence + "Choose another build of `scuttlehouse rollback --list`."
    assert house.read() == {"dim_a": [1], "dim_b": [1]}
    house.begin("three", refresh=False, rebuilt=("dim_a", "dim_b"))
    assert house.tables(WORK) == {}


@pytest.mark.parametrize(
    ("table", "written", "damaged"),
    [
        ("scuttlehouse_state", "one", "ono"),
        ("scuttlehouse_builds", "one", "ono"),
        # Only the checksums tell of these.
        ("scuttlehouse_state", '"last_number": 1', '"last_number": 3'),
        ("scuttlehouse_builds", "/logs", "/lags"),
    ],
)
def test_a_changed_record_is_reported(house: House, table: str, written: str, damaged: str) -> None:
    house.build("one", {"dim_a": 1})
    with open_catalog(house.home) as catalog:
        changed = f"update {table} set record = replace(record, ?, ?)"
        catalog.database.execute(changed, written, damaged)
    for attempt in house.published, house.kept, house.roll_back, lambda: house.begin("two"):
        with pytest.raises(
            CatalogError, match=r"^The records of builds in the catalog are damaged: "
        ):
            attempt()


def test_damaged_work_tables_and_a_damaged_log_are_forgotten(house: House) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    log = house.make("fct_builds", 1, namespace=LOG)
    damaged = house.make("dim_a", 2)
    flip(Path(damaged), 9)
    flip(Path(log), 9)
    with open_catalog(house.home) as catalog:
        with pytest.raises(
            CatalogError, match=r"^The table \S+ cannot be used\. The file \S+ is damaged.* [Rr]un "
        ):
            verify_tables(catalog)
        assert sorted(forget_damaged(catalog)) == ["dim_a", "fct_builds"]
        verify_tables(catalog)
        assert forget_damaged(catalog) == []
        assert set(catalog.tables(WORK)) == {"dim_b"}
        assert catalog.tables(LOG) == {}
    assert house.read() == {"dim_a": [1], "dim_b": [1]}, "what is published stays"


def test_damage_in_the_work_tables_stops_no_build_after_a_rollback(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.build("two", {"dim_a": 2})
    flip(Path(house.tables(WORK)["dim_a"]), 9)
    with open_catalog(house.home) as catalog:
        with pytest.raises(
            CatalogError, match=r"^The table \S+ cannot be used\. .* rollback`, or "
        ):
            verify_tables(catalog)
        catalog.roll_back(None)
        verify_tables(catalog)
    house.begin("three")
    assert house.read(WORK) == {"dim_a": [1]}


def test_a_retry_after_a_rollback_publishes_no_table_of_another_build(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.build("two", {"dim_a": 2})
    house.begin("three")
    house.make("dim_a", 3)
    with open_catalog(house.home) as catalog:
        catalog.roll_back("one")
        killed = catalog.work(MAIN)
        assert killed is not None
        assert killed.passed is None, "it has not ended by that"
        catalog.record_passed("three", ["model.dim_a"], MAIN)
        catalog.roll_back("two")
        catalog.roll_back("one")
        catalog.roll_back("two")
        work = catalog.work(MAIN)
    assert house.read(WORK) == {"dim_a": [2]}
    assert work is not None
    assert work.passed == ()


def test_what_a_killed_build_left_damaged_is_forgotten(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A power cut may leave an empty file for a table that the catalog names."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(house.home))
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two")
    published = house.tables(WORK)["dim_a"]
    left = Path(house.make("dim_b", 2))
    left.write_bytes(b"")

    with holding(house, "build"), pytest.raises(CatalogError, match=left.name):
        catalog_settings()
    # Spark may start again in a process whose run holds the lock.
    lock = BuildLock(house.home)
    lock.hold(exclusive=True)
    catalog_settings()
    assert house.tables(WORK) == {"dim_a": published}
    assert lock.is_held()
    lock.release()
    flip(Path(published), 9)
    with pytest.raises(CatalogError, match=r"dim_a cannot be used"):
        catalog_settings()


def test_damaged_tables_of_a_developer_are_forgotten(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark would try to read them for a minute and a half. What the developer builds begins anew anyway."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(house.home))
    monkeypatch.setenv("SCUTTLEHOUSE_DEVELOPER", "ann")
    monkeypatch.setattr(spark, "jars", list)
    ann = Schemas("scuttlehouse_dev_ann")
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two", schemas=ann)
    for name, namespace in ("dim_a", ann.work), ("fct_builds", ann.log):
        flip(Path(house.make(name, 2, namespace=namespace)), 9)
    with holding(house, "build", ann.work):
        spark.developer_spark_settings()
    assert {*house.tables(ann.work), *house.tables(ann.log)} == {"dim_a", "dim_b", "fct_builds"}
    spark.developer_spark_settings()
    assert {*house.tables(ann.work), *house.tables(ann.log)} == {"dim_b"}
    assert {*house.tables(WORK)} == {"dim_a", "dim_b"}


def test_files_that_nobody_can_ask_for_are_not_called_damaged(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The advice for damage, to read all logs again, helps nobody whose S3 does not answer for a moment."""

    def refuse(*_: object) -> None:
        raise CatalogError("S3 cannot be used.")

    sqlite_house.build("one", {"dim_a": 1})
    sqlite_house.build("two", {"dim_a": 2})
    for name in "verify", "read":
        monkeypatch.setattr(checksums, name, refuse)
    with open_catalog(sqlite_house.home) as catalog:
        for attempt in (
            lambda: verify_tables(catalog),
            lambda: verify_kept(catalog),
            lambda: remove_unreachable(catalog, sqlite_house.home, lambda: True),
            lambda: catalog.roll_back(None),
            lambda: catalog.begin("three", "", "", refresh=True, rebuilt=(), schemas=MAIN),
        ):
            with pytest.raises(CatalogError, match=r"^S3 cannot be used\.$"):
                attempt()


def test_nothing_but_leftovers_of_builds_is_forgotten_unasked(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those of a first build, too, and never the log of runs."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(house.home))
    house.begin("one")
    Path(house.make("dim_a", 1)).write_bytes(b"")
    catalog_settings()
    assert house.tables(WORK) == {}
    log = house.make("fct_builds", 1, namespace=LOG)
    flip(Path(log), 9)
    with pytest.raises(CatalogError, match=r"fct_builds cannot be used"):
        catalog_settings()
    assert house.tables(LOG) == {"fct_builds": log}


def test_damaged_rows_that_failed_a_test_are_forgotten(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of `--store-failures`. No build would remove a file any more, and no build makes them all again."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(house.home))
    house.build("one", {"dim_a": 1})
    whole = house.make("is_key_dim_b", 1, namespace=MAIN.failures)
    damaged = Path(house.make("is_key_dim_a", 1, namespace=MAIN.failures))
    damaged.write_bytes(b"")
    with open_catalog(house.home) as catalog:
        with pytest.raises(CatalogError, match=r"is_key_dim_a is damaged: .* Restore the file "):
            remove_unreachable(catalog, house.home, lambda: True)
        catalog_settings()
        remove_unreachable(catalog, house.home, lambda: True)
        assert house.tables(MAIN.failures) == {"is_key_dim_b": whole}
        flip(Path(whole), 9)
        assert forget_damaged(catalog) == [], "no build makes it again"
    assert house.tables(MAIN.failures) == {}
    assert house.read() == {"dim_a": [1]}


def test_a_damaged_log_is_told_with_what_begins_a_new_one(house: House) -> None:
    house.build("one", {"dim_a": 1})
    flip(Path(house.make("fct_builds", 1, namespace=LOG)), 9)
    advice = r"Restore the file from a backup, or run `.*--full-refresh`, which .* begins a new log"
    with open_catalog(house.home) as catalog, pytest.raises(CatalogError, match=advice):
        verify_tables(catalog)


def test_a_dropped_log_is_no_longer_published(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.make("fct_builds", 1, namespace=LOG)
    with open_catalog(house.home) as catalog:
        catalog.move_log()
        assert set(catalog.tables(PUBLISHED)) == {"dim_a", "fct_builds"}
        catalog.drop_log(MAIN)
        assert set(catalog.tables(PUBLISHED)) == {"dim_a"}
        assert catalog.tables(LOG) == {}


def test_what_has_passed_is_known_once_a_build_has_ended(house: House) -> None:
    """A retry goes on with it, and has not ended itself yet. A build that lost its lock records nothing."""
    house.begin("one")
    with open_catalog(house.home) as catalog:
        assert catalog.work(MAIN).passed is None
        catalog.record_passed("another", ["test.a"], MAIN)
        assert catalog.work(MAIN).passed is None
        catalog.record_passed("one", {"test.b", "model.a"}, MAIN)
        assert catalog.work(MAIN).passed == ("model.a", "test.b")
        catalog.go_on("retry of one", MAIN)
        assert catalog.work(MAIN).passed is None
        catalog.record_passed("retry of one", (), MAIN)
        assert catalog.work(MAIN).passed == ()
    house.begin("two")
    with open_catalog(house.home) as catalog:
        assert catalog.work(MAIN).passed is None


ANN = Schemas("scuttlehouse_dev_ann")


def test_a_developer_builds_beside_the_builds_that_are_published(house: House) -> None:
    house.build("one", {"dim_a": 1, "dim_b": 1})
    house.begin("two")
    house.make("dim_a", 2)
    house.begin("of ann", schemas=ANN)
    assert house.read(ANN.work) == house.read(ANN.base) == {"dim_a": [1], "dim_b": [1]}
    assert house.tables(ANN.work) == house.tables(PUBLISHED), "the files are not copied"
    house.make("dim_a", 3, namespace=ANN.work)
    house.make("dim_c", 3, namespace=ANN.work)
    house.publish("two", "dim_a", "dim_b")
    assert house.read() == {"dim_a": [2], "dim_b": [1]}
    assert house.read(ANN.work) == {"dim_a": [3], "dim_b": [1], "dim_c": [3]}
    with open_catalog(house.home) as catalog:
        assert catalog.work(MAIN) == Work("two", "one", "rules", "project")
        assert catalog.work(ANN) == Work("of ann", "one", "rules", "project")
        catalog.go_on("retry of ann", ANN)
        assert catalog.work(ANN) == Work("retry of ann", "one", "rules", "project")
        with pytest.raises(CatalogError, match="was published since it began"):
            catalog.publish("retry of ann", ["dim_a"], **FLAGS)
    house.begin("of ann again", schemas=ANN)
    assert house.read(ANN.work) == {"dim_a": [2], "dim_b": [1]}


def test_the_log_of_a_developer_is_a_copy_of_the_published_log(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.make("fct_builds", 1, namespace=LOG)
    house.begin("two")
    for number in 2, 3:
        house.begin("of ann", schemas=ANN)
        row = pa.table({"number": pa.array([number], pa.int64())})
        with open_catalog(house.home) as catalog:
            append_steps(catalog, house.home, row, ANN)
        house.write_sidecars()
    assert house.read(ANN.log) == {"fct_builds": [1, 2, 3]}
    for _ in range(2):
        assert house.read(LOG) == {"fct_builds": [1]}
        assert house.read() == {"dim_a": [1], "fct_builds": [1]}
        with open_catalog(house.home) as catalog:
            catalog.drop_log(ANN)
    assert house.tables(ANN.log) == {}


def test_files_of_a_developer_stay_until_the_schema_is_dropped(house: House) -> None:
    house.build("one", {"dim_a": 1})
    house.begin("of ann", schemas=ANN)
    own = [house.make(name, 2, namespace=ANN.work) for name in ("dim_a", "dim_c")]
    with house.iceberg() as iceberg:  # as `dbt test --store-failures` does
        iceberg.create_namespace(ANN.failures)
    own.append(house.make("is_key_dim_a", 1, namespace=ANN.failures))
    with open_catalog(house.home) as catalog:
        remove_unreachable(catalog, house.home, lambda: True)
        assert all(Path(file).exists() for file in own)
        catalog.drop_work(ANN)
        assert remove_unreachable(catalog, house.home, lambda: True) > 0
        assert catalog.work(ANN) is None
    assert not any(Path(file).exists() for file in own)
    assert house.read() == {"dim_a": [1]}
    assert not {ANN.work, ANN.base, ANN.log, ANN.failures} & house.namespaces()


def test_a_record_holds_everything_that_keeps_builders_apart() -> None:
    """Also what does not count when two builds are compared."""
    work = Work("two", "one", "rules", "project", ("model.a",), "builder", ("before",), "logs")
    state = State("/home", "one", ("one",), 1, {WORK: work})
    assert astuple(state_of(*seal(state)).works[WORK]) == astuple(work)
