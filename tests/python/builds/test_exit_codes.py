"""The exit code of `scuttlehouse build` where something in the landing folder could not be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

import duckdb
import pyarrow as pa
import pytest

from other_users import as_another_user, let_through, needs_root
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog.records import Build
from scuttlehouse.cli import build, main
from scuttlehouse.cli.build import LEFT_OUT
from scuttlehouse.cli.dbt_settings import VERIFY, is_verifying
from scuttlehouse.files.recognise import recognise_head
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.serving.duckdb_file import write_serving_file
from small_warehouse import SmallWarehouse

TEXTS = (
    "landing_folder",
    "source_file",
    "content_hash",
    "status",
    "batch_id",
    "lines_hash",
    "status_reason",
    "form",
    "compression",
    "encoding",
)
LEDGER = pa.schema(
    [
        *((name, pa.string()) for name in TEXTS),
        ("size_bytes", pa.int64()),
        ("modified_at", pa.timestamp("us", "UTC")),
    ]
)


def logs(*reasons: str) -> pa.Table:
    """A ledger of entries that are left out, each for a reason, and of a log that is not."""
    rows = [
        {"landing_folder": "/landing", "source_file": f"{number}.jsonl", "size_bytes": 1}
        | {"status": "left_out" if reason else "new", "status_reason": reason}
        for number, reason in enumerate([None, *reasons])
    ]
    return pa.Table.from_pylist(rows, LEDGER)


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWarehouse:
    """A warehouse whose published build could not read a log."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    warehouse = SmallWarehouse(tmp_path / "home")
    warehouse.log("fct_builds", steps_table([run_step("build-1", "published")]))
    warehouse.publish({"dim_logs": logs("It cannot be read.")})
    return warehouse


@pytest.fixture
def dbt(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object], int], None]:
    """Let something else run in place of dbt, and return its exit code."""

    def replace(run: Callable[[], object], code: int) -> None:
        def instead(*_: object) -> int:
            run()
            return code

        monkeypatch.setattr(build, "_build_with_progress", instead)

    return replace


@pytest.mark.usefixtures("small")
def test_help_leaves_nothing_out() -> None:
    assert main(["build", "--help"]) == 0


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize("code", [0, 1, 2])
def test_a_run_that_publishes_nothing_ends_as_dbt_does(dbt: Callable[..., None], code: int) -> None:
    dbt(lambda: None, code)
    assert main(["build", "--target", "dev"]) == code


@pytest.mark.parametrize(
    ("reasons", "code"),
    [
        (["It cannot be read."], LEFT_OUT),
        (["Its name is not that of a log: it is a picture."], 0),
        (["A file of LevelDB: an index or a store of keys, and no log."], 0),
        (["Peers of ssb-server (gossip.json or conn.json), and no log."], 0),
        ([str(recognise_head(b"\0\x05\x16\x07\0\2\0\0Mac OS X", "none"))], 0),
        ([], 0),
    ],
)
def test_a_build_that_publishes_says_what_it_leaves_out(
    small: SmallWarehouse, dbt: Callable[..., None], reasons: list[str], code: int
) -> None:
    for failed in (0, 1, 2):
        dbt(lambda: small.publish({"dim_logs": logs(*reasons)}), failed)
        assert main(["build", "--full-refresh"]) == (failed or code)


def test_a_build_with_nothing_new_says_what_is_left_out(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = small.publish({})
    monkeypatch.setattr(
        "scuttlehouse.builds.unchanged.unchanged_build", lambda _home, _project: published
    )
    assert main(["build"]) == LEFT_OUT


def test_dashboards_and_metrics_show_a_build_with_nothing_new(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Dashboards get the log alone: the ledger is damaged. What cannot be written is told, no more."""
    published, shown = small.publish({}), write_serving_file(small.home)
    monkeypatch.setattr(
        "scuttlehouse.builds.unchanged.unchanged_build", lambda _home, _project: published
    )
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(small.home.parent / "house.prom"))
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "no address")
    for path in small.data_files("dim_logs"):
        Path(path).write_bytes(b"damage")
    assert main(["build"]) == 0
    out = capsys.readouterr().out
    assert "SCUTTLEHOUSE_SERVING is no address" in out
    assert "The metrics are not up to date" in out
    with duckdb.connect(str(shown), read_only=True) as connection:
        query = "select count(*) from fct_builds where status = 'unchanged'"
        assert connection.execute(query).fetchall() == [(1,)]


def test_verifying_without_the_key_is_a_sentence(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (small.home.parent / "landing").mkdir()
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(small.home.parent / "landing"))
    monkeypatch.setenv("SCUTTLEHOUSE_KEY_FILE", str(small.home / "no-key"))
    assert main(["build", "--verify"]) == 1
    assert capsys.readouterr().err.startswith("SCUTTLEHOUSE_KEY_FILE cannot be read (")


@needs_root
def test_verifying_a_home_of_another_user_is_a_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It is no new home, though this user sees no table in it."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    let_through(tmp_path / "home")
    (tmp_path / "home").mkdir(mode=0o700)
    with as_another_user():
        assert build._verify() is False
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.startswith(
        f"The catalog {tmp_path}/home/catalog.db cannot be opened (Permission"
    )


def test_verifying_a_new_home_compares_nothing(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    dbt: Callable[..., None],
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "new"))
    dbt(lambda: None, 0)
    assert main(["build", "--verify"]) == 0
    assert capsys.readouterr().out == (
        f"scuttlehouse: nothing is built in {tmp_path}/new yet, so nothing can differ.\n"
    )


def test_a_full_refresh_goes_on_where_verifying_finds_damage(
    small: SmallWarehouse, dbt: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    published, builds = small.publish({"dim_logs": logs()}), list[int]()
    Path(published.tables["dim_logs"]).write_bytes(b"")
    dbt(lambda: builds.append(1), 0)
    assert (main(["build", "--verify"]), builds) == (1, [])
    assert re.fullmatch(r"scuttlehouse: .* dim_logs .*\n", capsys.readouterr().out)
    assert (main(["build", "--verify", "--full-refresh"]), builds) == (0, [1])


def test_verifying_finds_logs_that_changed_without_a_new_size_or_time(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """dbt gets no option of ours, and reads these logs again."""
    landing = small.home.parent / "landing"
    landing.mkdir()
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(landing))
    monkeypatch.setenv(VERIFY, "")
    rows = []
    for name, read in (("changed.jsonl", b"{} "), ("same.jsonl", b"{}\n")):
        (landing / name).write_bytes(b"{}\n")
        status = (landing / name).stat()
        row = {"landing_folder": str(landing), "source_file": name, "status": "new"}
        row |= {"form": "json_lines", "compression": "none", "encoding": "utf-8"}
        row |= {"content_hash": sha256(read).hexdigest(), "size_bytes": status.st_size}
        rows.append(
            row | {"modified_at": datetime.fromtimestamp(status.st_mtime_ns // 10**6 / 1000, UTC)}
        )
    builds: list[tuple[list[str], bool]] = []

    def instead(options: Sequence[str], _project: Path) -> int:
        builds.append(([*options], is_verifying()))
        return 0

    monkeypatch.setattr(build, "_build_with_progress", instead)
    small.publish({"dim_logs": pa.Table.from_pylist(rows, LEDGER)})
    assert main(["build", "--verify", "--threads", "2"]) == 0
    assert "This build reads them again: changed.jsonl.\n" in capsys.readouterr().out
    monkeypatch.setenv(VERIFY, "")
    small.publish({"dim_logs": pa.Table.from_pylist(rows[1:], LEDGER)})
    assert main(["build", "--verify", "--threads", "2"]) == 0
    assert "no log has changed since it was read, and no table" in capsys.readouterr().out
    options = ["--profiles-dir", "profiles", "--threads", "2"]
    assert builds == [(options, True), (options, False)]


def test_a_build_with_nothing_new_is_logged_from_its_beginning(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    published = small.publish({})
    looked: list[datetime] = []

    def look(_home: Path, _project: Path) -> Build:
        looked.append(datetime.now(UTC))
        return published

    monkeypatch.setattr("scuttlehouse.builds.unchanged.unchanged_build", look)
    main(["build"])
    with open_published(small.home) as warehouse:
        query = "select started_at, seconds from fct_builds where status = 'unchanged'"
        [(started_at, seconds)] = warehouse.query(query)[1]
    assert started_at <= looked[0]
    assert seconds > 0
