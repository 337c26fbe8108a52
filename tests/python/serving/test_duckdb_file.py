"""The serving file: the published tables as dashboards read them."""

from __future__ import annotations

import random
import resource
import stat
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.cli import main
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.serving import drawings, renewal
from scuttlehouse.serving.drawings import MOST_GROUPS, MOST_TANGLES
from scuttlehouse.serving.duckdb_file import serving_file, write_serving_file
from scuttlehouse.serving.renewal import renew_serving
from scuttlehouse.serving.shown import showing, shown_id
from small_warehouse import SmallWarehouse

MESSAGES = pa.table(
    {
        "message_id": ["a", "b 'c'", None],
        "sequence": [1, 20, None],
        "is_private": [True, False, None],
        "asserted_at": pa.array(
            [datetime(2026, 1, 2, 3, 4, 5, 678900, UTC), None, datetime(1, 1, 1, tzinfo=UTC)],
            pa.timestamp("us", "UTC"),
        ),
    }
)


@pytest.fixture
def small(tmp_path: Path) -> SmallWarehouse:
    prepare_home(tmp_path / "home")
    small = SmallWarehouse(tmp_path / "home")
    small.publish({"fct_messages": MESSAGES, "dim_empty": MESSAGES.slice(0, 0)})
    return small


def damage_unseen(small: SmallWarehouse, table: str) -> None:
    """Damage the rows of a table. Its checksums are those of the damaged file."""
    for path in map(Path, small.data_files(table)):
        content = path.read_bytes()
        footer = int.from_bytes(content[-8:-4], "little") + 8
        path.write_bytes(content[:4] + bytes(len(content) - 4 - footer) + content[-footer:])
        checksums.write(path)


@contextmanager
def files_up_to(size: int) -> Iterator[None]:
    """No file can grow beyond this size, as on a full disk."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def read(file: Path, query: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(file), read_only=True) as connection:
        return connection.execute(query).fetchall()


def test_the_file_holds_the_published_tables_with_times_in_utc(small: SmallWarehouse) -> None:
    small.log("fct_builds", pa.table({"step": ["build"]}))
    file = write_serving_file(small.home)
    columns = "select table_name, column_name, data_type from duckdb_columns()"
    assert ("fct_messages", "asserted_at", "TIMESTAMP") in read(file, columns)
    assert read(file, "from fct_messages") == [
        ("a", 1, True, datetime(2026, 1, 2, 3, 4, 5, 678900)),
        ("b 'c'", 20, False, None),
        (None, None, None, datetime(1, 1, 1)),
    ]
    assert read(file, "from dim_empty") == []
    assert read(file, "from fct_builds") == [("build",)]


def test_it_never_holds_what_a_build_has_made_and_not_published(small: SmallWarehouse) -> None:
    small.begin()
    small.write("fct_messages", MESSAGES.slice(0, 1))
    small.write("int_work", MESSAGES)
    file = write_serving_file(small.home)
    assert read(file, "select count(*) from fct_messages") == [(3,)]
    tables = {name for (name,) in read(file, "select table_name from duckdb_tables()")}
    assert tables == {"fct_messages", "dim_empty", "drawings"}


def test_deleted_rows_are_not_in_it(small: SmallWarehouse) -> None:
    small.begin()
    [path] = small.data_files("fct_messages")
    small.delete("fct_messages", {path: [0, 2]})
    small.end()
    assert read(write_serving_file(small.home), "select sequence from fct_messages") == [(20,)]


def test_only_its_owner_reads_it_and_nothing_else_is_left(small: SmallWarehouse) -> None:
    file = write_serving_file(small.home)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    assert list(file.parent.iterdir()) == [file]
    left = list((small.home / "temporary").rglob("*.duckdb*"))
    assert left == []


def test_what_a_killed_run_has_shown_is_unknown(tmp_path: Path) -> None:
    """It may have replaced the tables of one place before it was killed; others show what they showed."""
    for place in ("one", "two"):
        with showing(tmp_path, place, "first"):
            assert shown_id(tmp_path, place) is None
    with suppress(KeyboardInterrupt), showing(tmp_path, "one", "second"):
        raise KeyboardInterrupt
    assert shown_id(tmp_path, "one") is None
    assert shown_id(tmp_path, "two") == "first"
    for damage in ("damage", '["damage"]'):
        (tmp_path / "serving.json").write_text(damage)
        assert shown_id(tmp_path, "two") is None


def test_readers_see_one_build_while_it_is_replaced(small: SmallWarehouse) -> None:
    two = {name: pa.table({"build": [0]}) for name in ("dim_one", "dim_two")}
    small.publish(two)
    file = write_serving_file(small.home)
    seen: list[tuple[object, ...]] = []
    done = threading.Event()

    def read_on() -> None:
        while not done.is_set():
            seen.extend(read(file, "select o.build, t.build from dim_one o, dim_two t"))

    reader = threading.Thread(target=read_on)
    reader.start()
    for build in range(1, 6):
        small.publish({name: pa.table({"build": [build]}) for name in two})
        write_serving_file(small.home)
    done.set()
    reader.join()
    assert read(file, "select o.build, t.build from dim_one o, dim_two t") == [(5, 5)]
    assert seen
    assert all(one == other for one, other in seen)


def test_it_is_renewed_only_where_somebody_asked_for_it(small: SmallWarehouse) -> None:
    assert renew_serving(small.home) is None
    assert not serving_file(small.home).parent.exists()
    file = write_serving_file(small.home)
    small.publish({"fct_messages": MESSAGES.slice(0, 1)})
    assert renew_serving(small.home) is None
    assert read(file, "select count(*) from fct_messages") == [(1,)]


def test_a_file_that_somebody_has_deleted_is_written_as_a_whole_again(
    small: SmallWarehouse,
) -> None:
    tables = "select table_name, estimated_size from duckdb_tables() order by all"
    before = read(write_serving_file(small.home), tables)
    serving_file(small.home).unlink()
    assert read(write_serving_file(small.home), tables) == before


def test_what_is_drawn_has_most_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """By rank, as the comment of the table says. What cannot be drawn has no row."""
    dice = random.Random(5)
    groups = [(f"g{n:03d}", *dice.choices(range(4), k=3)) for n in range(MOST_GROUPS + 20)]
    tangles = [
        (f"t{n:03d}", dice.choice(["thread", "group"]), *dice.choices(range(4), k=3))
        for n in range(4 * MOST_TANGLES)
    ]
    first_groups = sorted(groups, key=lambda one: (-one[1], -one[2], -one[3], one[0]))
    first_tangles = sorted(tangles, key=lambda one: (-one[2] - one[3], -one[4], one[0]))
    undrawn = {first_groups[3][0], first_tangles[3][0]}

    def draw(_: Warehouse, thing: str) -> str:
        if thing in undrawn:
            raise WarehouseError(thing)
        return '<svg xmlns="http://www.w3.org/2000/svg" width="1" height="2"/>'

    monkeypatch.setattr(drawings, "_KINDS", [one._replace(draw=draw) for one in drawings._KINDS])
    with duckdb.connect() as connection:
        connection.execute(
            "create table dim_groups (group_id text, repair_count int, fork_count int, epoch_count int)"
        )
        connection.execute(
            "create table dim_tangles (tangle_id text, tangle_kind text, set_aside_count int, "
            "gap_count int, message_count int, group_id text)"
        )
        connection.executemany("insert into dim_groups values (?, ?, ?, ?)", groups)
        connection.executemany("insert into dim_tangles values (?, ?, ?, ?, ?, null)", tangles)
        drawings.draw_all(connection)
        found = connection.execute(
            "select kind, rank, coalesce(tangle_id, group_id) from drawings"
        ).fetchall()
    threads = [one for one in first_tangles if one[1] == "thread"]
    expected = {
        "group": first_groups[:MOST_GROUPS],
        "members": first_groups[:MOST_GROUPS],
        "tangle": first_tangles[:MOST_TANGLES],
        "thread": threads[:MOST_TANGLES],
    }
    for kind, things in expected.items():
        drawn = [name for name, *_ in things if name not in undrawn]
        assert [row[1:] for row in found if row[0] == kind] == [*enumerate(drawn, 1)]


def test_a_run_that_publishes_nothing_is_in_the_log_of_the_file(small: SmallWarehouse) -> None:
    small.log("fct_builds", pa.table({"step": ["build"]}))
    file = write_serving_file(small.home)
    drawn = read(file, "from drawings")
    small.log("fct_builds", pa.table({"step": ["build"]}))
    # Damage shows that no other table is read.
    [path] = small.data_files("fct_messages")
    Path(path).write_bytes(b"damage")
    assert renew_serving(small.home, log_only=True) is None
    assert read(file, "from fct_builds") == [("build",), ("build",)]
    assert read(file, "select count(*) from fct_messages") == [(3,)]
    assert read(file, "from drawings") == drawn


def test_a_build_that_was_not_shown_is_shown_by_the_next_run(small: SmallWarehouse) -> None:
    """The run that published it was killed before it renewed the file, and so was a rollback."""
    small.log("fct_builds", pa.table({"step": ["build"]}))
    file = write_serving_file(small.home)
    small.publish({"fct_messages": MESSAGES.slice(0, 1)})
    assert renew_serving(small.home, log_only=True) is None
    assert read(file, "select count(*) from fct_messages") == [(1,)]
    with open_catalog(small.home) as catalog:
        catalog.roll_back(None)
    (small.home / "serving.json").write_text("damage")
    assert renew_serving(small.home, log_only=True) is None
    assert read(file, "select count(*) from fct_messages") == [(3,)]


def test_a_file_that_cannot_be_written_is_a_sentence_and_the_earlier_one_stays(
    small: SmallWarehouse,
) -> None:
    file = write_serving_file(small.home)
    before = file.read_bytes()
    small.publish({"fct_messages": MESSAGES.slice(0, 1), "dim_other": MESSAGES.slice(1, 1)})
    [path], [other] = map(small.data_files, ("fct_messages", "dim_other"))
    # Only the checksums tell that these are the rows of another table.
    Path(path).write_bytes(Path(other).read_bytes())
    said = renew_serving(small.home)
    assert said
    assert said.startswith("The published tables stand, but dashboards do not show this run yet: ")
    assert f"{path} is damaged: it does not match its checksums" in said
    assert "\n" not in said
    assert file.read_bytes() == before


@pytest.mark.parametrize("damaged", ["file", "database"])
def test_what_is_wrong_with_one_place_keeps_nothing_from_the_other(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, damaged: str
) -> None:
    def written(place: str, log_only: bool) -> None:
        if place == damaged:
            raise WarehouseError(f"The {place} cannot be written.")
        places.append((place, log_only))

    places: list[tuple[str, bool]] = []
    write_serving_file(small.home)
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://localhost/a")
    monkeypatch.setattr(
        renewal, "write_serving_file", lambda _, *, log_only: written("file", log_only)
    )
    monkeypatch.setattr(
        renewal, "write_serving_database", lambda *_, log_only: written("database", log_only)
    )
    said = renew_serving(small.home, log_only=True)
    assert said
    assert f": The {damaged} cannot be written. Then run `scuttlehouse export`." in said
    assert places == [("database" if damaged == "file" else "file", True)]


@pytest.mark.parametrize("has_file", [True, False])
def test_export_writes_a_file_that_is_there_beside_the_database(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, has_file: bool
) -> None:
    """What a build says that could not renew the file leads there."""
    file = serving_file(small.home)
    if has_file:
        write_serving_file(small.home)
    small.publish({"fct_messages": MESSAGES.slice(0, 1)})
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://localhost/a")
    monkeypatch.setattr("scuttlehouse.cli.export.write_serving_database", lambda *_: None)
    assert main(["export"]) == 0
    assert file.exists() == has_file
    if has_file:
        assert read(file, "select count(*) from fct_messages") == [(1,)]


def test_a_table_that_duckdb_cannot_read_is_named(small: SmallWarehouse) -> None:
    damage_unseen(small, "fct_messages")
    with pytest.raises(
        WarehouseError, match=r"^The table fct_messages cannot be read \(.*\)\. Restore"
    ):
        write_serving_file(small.home)


def test_a_full_disk_is_a_sentence(small: SmallWarehouse) -> None:
    many = pa.table({"number": [random.random() for _ in range(150_000)]})
    small.publish({"fct_messages": many})
    with (
        files_up_to(100_000),
        pytest.raises(WarehouseError, match=r"cannot be written \(.*\): make room on its disk"),
    ):
        write_serving_file(small.home)


def test_a_folder_in_its_place_is_a_sentence(small: SmallWarehouse) -> None:
    serving_file(small.home).mkdir(parents=True)
    with pytest.raises(WarehouseError, match=r"cannot be written \(.*\): make room on its disk"):
        write_serving_file(small.home)


def test_export_writes_the_file_and_says_where(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    assert main(["export"]) == 0
    assert str(serving_file(small.home)) in capsys.readouterr().out
    assert read(serving_file(small.home), "select count(*) from fct_messages") == [(3,)]


def test_a_rollback_is_shown_too(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    small.publish({"fct_messages": MESSAGES.slice(0, 1)})
    file = write_serving_file(small.home)
    assert main(["rollback"]) == 0
    assert capsys.readouterr().err == ""
    assert read(file, "select count(*) from fct_messages") == [(3,)]


@pytest.mark.parametrize("has_begun", [False, True])
def test_without_a_published_build_the_command_says_so_and_makes_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    has_begun: bool,
) -> None:
    """A first build that has failed leaves a catalog."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    if has_begun:
        SmallWarehouse(tmp_path / "home").begin()
    assert main(["export"]) == 1
    assert "scuttlehouse build" in capsys.readouterr().err
    assert not serving_file(tmp_path / "home").parent.exists()
    assert (tmp_path / "home").exists() == has_begun
