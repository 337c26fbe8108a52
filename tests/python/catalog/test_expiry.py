"""Exactly the files that no kept build and no table of the catalog reaches are removed."""

from __future__ import annotations

import gzip
import json
import os
import signal
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.table import StaticTable

from houses import House, exit_code, flip, fork
from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.expiry import remove_unreachable, trim_history
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.names import LOG, WORK, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.rows import point


def files_of(metadata_file: str) -> Iterator[str]:
    """All files of a table, found by pyiceberg, in a plain and slow way."""
    yield metadata_file
    table = StaticTable.from_metadata(metadata_file)
    snapshot = table.current_snapshot()
    if snapshot:
        yield snapshot.manifest_list
        for manifest in snapshot.manifests(PyArrowFileIO()):
            yield manifest.manifest_path
            for entry in manifest.fetch_manifest_entry(PyArrowFileIO(), discard_deleted=True):
                yield entry.data_file.file_path


def needed(house: House) -> set[Path]:
    """The files of every table that the catalog or a kept build names, with their checksums."""
    with open_catalog(house.home) as catalog:
        query = "select metadata_location from iceberg_tables where iceberg_type = 'TABLE'"
        roots = {file for [file] in catalog.database.rows(query)}
        for build in catalog.kept():
            roots |= {*build.tables.values(), *build.public.values()}
    plain = {Path(file) for root in roots for file in files_of(root)}
    return plain | {checksums.sidecar(file) for file in plain}


def remove(house: House) -> int:
    with open_catalog(house.home) as catalog:
        return remove_unreachable(catalog, house.home, lambda: True)


NAMES = "dim_a", "dim_b"
some_names = st.sets(st.sampled_from(NAMES))
steps = st.one_of(
    st.tuples(st.just("build"), some_names, st.booleans(), st.integers(1, 3)),
    st.tuples(st.just("fail"), some_names, st.booleans()),
    st.tuples(st.just("append"), st.sampled_from(NAMES)),
    st.tuples(st.just("log")),
    st.tuples(st.just("roll back")),
    st.tuples(st.just("remove")),
)


@settings(max_examples=settings.default.max_examples // 5)
@given(st.lists(steps, min_size=4, max_size=9))
def test_exactly_the_needed_files_stay(history: list[tuple[object, ...]]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        house = House(Path(folder).resolve() / "home")
        prepare_home(house.home)
        house.build("first", dict.fromkeys(NAMES, 0))
        house.make("fct_builds", 0, namespace=LOG)
        for number, step in enumerate([*history, ("remove",)], 1):
            apply(house, number, step)


def apply(house: House, number: int, step: tuple[object, ...]) -> None:
    match step:
        case "build" | "fail" as kind, set(changed), bool(refresh), *kept_builds:
            house.begin(str(number), refresh=refresh, rebuilt=tuple(sorted(changed)))
            for name in changed:
                house.make(name, number)
            if kind == "build":
                public = house.tables(WORK).keys()
                house.publish(str(number), *public, kept_builds=kept_builds[0])
        case "append", name if name in house.tables(WORK):
            house.append(name, number)
        case ("log",):
            house.append("fct_builds", number, namespace=LOG)
        case ("roll back",):
            kept = house.kept()
            if len(kept) > 1:
                house.roll_back(kept[1])
        case ("remove",):
            before, expected = house.read(), needed(house)
            there = len(house.files())
            assert remove(house) == there - len(expected)
            assert set(house.files()) == expected
            assert not [
                at for at, below, files in os.walk(house.home / "warehouse") if not below + files
            ]
            assert house.read() == before
            assert remove(house) == 0


@pytest.fixture
def history(sqlite_house: House) -> House:
    """A home with needed and unneeded files."""
    for number in range(1, 5):
        sqlite_house.build(str(number), dict.fromkeys(NAMES, number))
    sqlite_house.begin("failed", refresh=False, rebuilt=NAMES)
    sqlite_house.make("dim_a", 9)
    sqlite_house.make("dim_new", 9)
    sqlite_house.begin("next")
    return sqlite_house


def test_a_removal_is_killed_before_each_file(history: House) -> None:
    expected = needed(history)

    def remove_and_die(last: int) -> None:
        left = iter(range(last))

        def unlink(path: Path, **flags: bool) -> None:
            if next(left, None) is None:
                os.kill(os.getpid(), signal.SIGKILL)
            whole(path, **flags)

        whole, Path.unlink = Path.unlink, unlink
        remove(history)

    for last in count(2):
        code = exit_code(fork(lambda last=last: remove_and_die(last)))
        assert set(history.files()) >= expected
        if code == 0:
            break
        assert code == -signal.SIGKILL
    assert last > 5
    assert set(history.files()) == expected
    assert history.read() == {"dim_a": [4], "dim_b": [4]}


def test_a_build_that_has_lost_its_lock_removes_nothing(history: House) -> None:
    """Another build may have begun, and the files may be its own."""
    before = history.files()
    with (
        open_catalog(history.home) as catalog,
        pytest.raises(CatalogError, match="lost the lock of builds"),
    ):
        remove_unreachable(catalog, history.home, lambda: False)
    assert history.files() == before


def test_views_and_statistics_stay(sqlite_house: House) -> None:
    sqlite_house.make("dim_b", 0)
    build = sqlite_house.build("one", {"dim_a": 1})
    metadata_file = Path(build.tables["dim_a"])
    metadata = json.loads(metadata_file.read_text())
    statistics = metadata_file.with_name("a.stats")
    view = sqlite_house.home / "warehouse" / "view" / "metadata" / "00000-a.gz.metadata.json"
    view.parent.mkdir(parents=True)
    view.write_bytes(gzip.compress(b'{"view-uuid": "a", "current-version-id": 1}'))
    statistics.write_bytes(b"")
    metadata["statistics"] = [{"statistics-path": str(statistics)}]
    metadata_file.write_text(json.dumps(metadata))
    checksums.write(metadata_file)
    with open_catalog(sqlite_house.home) as catalog, catalog.database.transaction():
        point(catalog.database, WORK, build.tables, {"stg_v": str(view)})
    before = sqlite_house.files()
    assert remove(sqlite_house) > 0, "the files of dim_b, which no build has"
    assert {view, statistics} <= set(sqlite_house.files()) < set(before)


@pytest.mark.parametrize(
    ("kind", "other"), [("*.metadata.json", ""), ("snap-*.avro", ""), ("*.avro", "snap-*.avro")]
)
def test_nothing_is_removed_if_something_is_damaged(history: House, kind: str, other: str) -> None:
    with open_catalog(history.home) as catalog:
        kept = set(map(str, needed(history)))
        of_oldest = set(files_of(catalog.kept()[-1].tables["dim_b"]))
    files = [Path(file) for file in of_oldest & kept]
    [file, *_] = [file for file in files if file.match(kind) and not (other and file.match(other))]
    whole = file.read_bytes()
    for damage in ("removed", "cut", "flipped", "flipped without checksums"):
        file.write_bytes(whole)
        if damage == "removed":
            file.unlink()
        elif damage == "cut":
            file.write_bytes(whole[:-100])
        else:
            flip(file, 8 * 7)
        if damage.endswith("without checksums"):
            checksums.sidecar(file).unlink()
            file.write_bytes(file.read_bytes()[1:])
        before = history.files()
        with pytest.raises(
            CatalogError, match=r"^No unused file is removed\. The table dim_b of the "
        ) as raised:
            remove(history)
        assert file.name in str(raised.value), damage
        assert "\n" not in str(raised.value), damage
        assert history.files() == before, damage


def test_nothing_is_removed_while_a_table_is_elsewhere(history: House, tmp_path: Path) -> None:
    elsewhere = tmp_path / "00000-a.metadata.json"
    elsewhere.write_text("{}")
    with open_catalog(history.home) as catalog, catalog.database.transaction():
        point(catalog.database, LOG, {"fct_builds": str(elsewhere)})
    before = history.files()
    with pytest.raises(
        CatalogError, match=r"^No unused file is removed, because the catalog names \S+, "
    ):
        remove(history)
    assert history.files() == before


def test_metadata_does_not_grow_with_the_number_of_builds(sqlite_house: House) -> None:
    house = sqlite_house
    house.build("0", {"dim_a": 0})
    sizes, files = [], []
    for number in range(1, 11):
        house.begin(str(number))
        house.append("dim_a", number)
        with open_catalog(house.home) as catalog:
            trim_history(catalog, house.home, 5)
        house.publish(str(number), "dim_a")
        remove(house)
        file = Path(house.tables(WORK)["dim_a"])
        assert len(json.loads(file.read_text())["snapshots"]) <= 5
        checksums.verify(file)
        assert checksums.sidecar(file).exists()
        sizes.append(file.stat().st_size)
        files.append(len([path for path in house.files() if path.match("*.metadata.json")]))
    assert max(sizes) < 20_000, (
        "it names earlier metadata files, up to 100, and no earlier snapshots"
    )
    assert max(files[5:]) <= 5
    assert house.read() == {"dim_a": [*range(11)]}


def test_a_trimmed_table_has_the_same_rows(house: House) -> None:
    before = house.build("one", {"dim_a": 1, "dim_b": 1}).tables["dim_b"]
    for number in range(2, 6):
        house.append("dim_a", number)
    with open_catalog(house.home) as catalog:
        trim_history(catalog, house.home, 5)
        assert len(json.loads(Path(catalog.tables(WORK)["dim_a"]).read_text())["snapshots"]) == 5
        there = set(house.files())
        trim_history(catalog, house.home, 4)
        assert len(json.loads(Path(catalog.tables(WORK)["dim_a"]).read_text())["snapshots"]) == 1
        assert catalog.tables(WORK)["dim_b"] == before
    made = set(house.files()) - there
    assert len(made) == 2
    assert {path.stat().st_mode & 0o777 for path in made} == {0o600}
    assert house.read(WORK) == {"dim_a": [1, 2, 3, 4, 5], "dim_b": [1]}
    assert house.read() == {"dim_a": [1], "dim_b": [1]}
    house.append("dim_a", 6)
    assert house.read(WORK)["dim_a"] == [1, 2, 3, 4, 5, 6]


def test_a_clock_that_went_back_during_a_build_is_reported(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No later build could change the table until then."""
    now = time.time()
    house.begin("one")
    with monkeypatch.context() as clock:
        clock.setattr(time, "time", lambda: now + 3600)
        house.make("dim_a", 1)
    with open_catalog(house.home) as catalog:
        with pytest.raises(CatalogError, match=r"gone back during the build: the table dim_a was"):
            trim_history(catalog, house.home)
        monkeypatch.setattr(time, "time", lambda: now + 3560)
        trim_history(catalog, house.home)


def test_a_damaged_table_is_not_trimmed(house: House) -> None:
    file = Path(house.build("one", {"dim_a": 1}).tables["dim_a"])
    flip(file, 800)
    with (
        open_catalog(house.home) as catalog,
        pytest.raises(CatalogError, match=f"^The file {file} is dam"),
    ):
        trim_history(catalog, house.home)
