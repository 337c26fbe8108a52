"""What `scuttlehouse doctor` says of homes that are well, and of homes in which one thing is not."""

from __future__ import annotations

import grp
import os
import re
import shlex
import socket
import subprocess
import time
from collections.abc import Callable
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from types import SimpleNamespace

import psycopg
import pyarrow as pa
import pytest

import postgresql
from dbt.adapters.sparkpython import java
from houses import House, flip
from other_users import as_another_user, let_through, needs_root
from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.catalog import opening
from scuttlehouse.catalog.expiry import remove_unreachable
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.cli import main
from scuttlehouse.files.parts import LandingError
from scuttlehouse.operation import findings, installed, renewed, state
from scuttlehouse.operation.findings import Finding
from scuttlehouse.ssb.epoch_keys import keep_sealed, seal_key
from scuttlehouse.warehouse_key import PEPPER_FILE, PLACES_OF_KEYS, warehouse_pepper
from small_warehouse import SmallWarehouse

LINE = re.compile(r"(ok  |warn|fail)  (\w[\w ]*?) {2,}(\S.*)")

Doctor = Callable[[], tuple[int, dict[str, tuple[str, str]]]]


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWarehouse:
    """A home in which all is well."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "landing"))
    (tmp_path / "landing").mkdir()
    (tmp_path / "landing" / "a.jsonl").write_text("{}\n")
    key = tmp_path / "key"
    key.write_text("07" * 32)
    monkeypatch.setenv("SCUTTLEHOUSE_KEY_FILE", str(key))
    prepare_home(tmp_path / "home")
    warehouse = SmallWarehouse(tmp_path / "home")
    ended = run_step("build-1", "published", started_at=datetime(2026, 1, 31, tzinfo=UTC))
    warehouse.log("fct_builds", steps_table([ended]))
    warehouse.publish({"dim_groups": pa.table({"group_id": ["a"]})})
    return warehouse


@pytest.fixture
def doctor(capsys: pytest.CaptureFixture[str]) -> Doctor:
    def run() -> tuple[int, dict[str, tuple[str, str]]]:
        code = main(["doctor"])
        output, errors = capsys.readouterr()
        assert errors == ""
        lines = [LINE.fullmatch(line) for line in output.splitlines()]
        assert all(lines), output
        return code, {line[2]: (line[1].strip(), line[3]) for line in lines if line}

    return run


@pytest.mark.parametrize(
    ("named", "endpoint", "where"),
    [
        ("", "http://s3.example:9000", "{}/warehouse"),
        ("s3://bucket/house", "", "S3 (Amazon), s3://bucket/house"),
        ("s3://bucket/house", "http://ann:secret@s3.example:9000", "S3 (s3.example:9000), s3://"),
    ],
)
def test_the_place_of_the_tables_is_told(
    small: SmallWarehouse,
    monkeypatch: pytest.MonkeyPatch,
    named: str,
    endpoint: str,
    where: str,
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", named)
    monkeypatch.setenv("AWS_ENDPOINT_URL_S3", endpoint)
    monkeypatch.setattr(opening, "tables_in", lambda *_: {})  # These are in the home.
    told = state.tables().what
    assert f" metadata files in {where.format(small.home)}" in told
    assert "secret" not in told


def test_another_place_of_the_tables_is_told(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", "s3://bucket/house")
    told = findings.found(state.tables)
    assert (told.state, told.what.partition(" (")[0]) == (
        "fail",
        f"The tables of {small.home} are not in s3://bucket/house",
    )


def test_a_home_with_readers_is_closed_to_others(
    small: SmallWarehouse, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", grp.getgrgid(os.getgid()).gr_name)
    prepare_home(small.home)
    assert small.home.stat().st_mode & 0o077
    assert doctor()[1]["home"] == ("ok", str(small.home))


def test_all_is_well(small: SmallWarehouse, doctor: Doctor) -> None:
    code, found = doctor()
    assert code == 0
    # Whether the archive of classes is there depends on how the tests were installed.
    assert {name for name, (said, _) in found.items() if said != "ok"} <= {"class archive"}
    assert found["landing"] == ("ok", f"1 log in {small.home.parent}/landing")
    assert found["last build"][1] == "build-1: published, began 2026-01-31 00:00:00 UTC"


def test_a_build_that_was_killed_after_it_published_has_no_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    warehouse = SmallWarehouse(tmp_path / "home")
    warehouse.log("fct_builds", steps_table([run_step("build-1", "published")]))
    warehouse.publish({"dim_groups": pa.table({"group_id": ["a"]})})
    assert state.last_build().what == "build-1: published"


def test_a_build_that_was_killed_is_told_before_another_one_logs_it(small: SmallWarehouse) -> None:
    """The log of runs knows nothing of it yet. While a build runs, it has not ended either."""
    small.begin()
    lock = BuildLock(small.home)
    lock.hold(exclusive=True)
    assert state.last_build().what == "build-1: published, began 2026-01-31 00:00:00 UTC"
    lock.release()
    assert state.last_build() == Finding(
        "warn", "build-2: killed or interrupted.", "Run `scuttlehouse build`."
    )
    small.end()
    assert state.last_build().state == "ok"


def test_a_first_build_that_failed_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    warehouse = SmallWarehouse(tmp_path / "home")
    assert state.last_build().what == "The log of runs is empty."
    warehouse.log("fct_builds", steps_table([]))
    assert state.last_build().what == "The log of runs is empty."
    at = datetime(2026, 2, 1, tzinfo=UTC)
    failed = run_step("build-1", "failed", started_at=at)
    model = {**failed, "step": "stg_landing__logs", "step_kind": "model", "status": "error"}
    warehouse.log("fct_builds", steps_table([failed, {**model, "message": "There is no log."}]))
    assert state.last_build() == Finding(
        "warn",
        "build-1: failed, began 2026-02-01 00:00:00 UTC; first stg_landing__logs: There is no log.",
        "Correct what failed, and run `scuttlehouse build` again.",
    )


def test_a_home_that_cannot_be_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, doctor: Doctor
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "file" / "home"))
    assert doctor()[1]["home"][0] == "fail"
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "not" / "there"))
    assert doctor()[1]["home"][0] == "warn"
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path)
    assert doctor()[1]["home"][:2] == (
        "fail",
        f"This user cannot write to {tmp_path}. Build as the user that owns it.",
    )


@needs_root
def test_a_home_in_a_folder_of_others_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is in that folder cannot be seen."""
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    tmp_path.chmod(0o755)
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(closed / "above" / "home"))
    with as_another_user():
        found = state.home()
        assert found.state == "fail"
        assert found.what.startswith("This user cannot write to ")
        assert "GB free" in state.disk().what


def test_nothing_is_made(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, doctor: Doctor) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path / "landing"))
    code, found = doctor()
    assert code == 1
    assert found["home"] == (
        "warn",
        f"{tmp_path}/home does not exist yet. Run `scuttlehouse build`.",
    )
    assert found["landing"][0] == "fail"
    assert found["key"][0] == "warn"
    assert found["last build"][0] == "warn"
    assert list(tmp_path.iterdir()) == []
    (tmp_path / "home").mkdir(0o700)
    doctor()
    assert list((tmp_path / "home").iterdir()) == []


def test_a_file_in_place_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, doctor: Doctor
) -> None:
    (tmp_path / "home").touch()
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    code, found = doctor()
    assert code == 1
    assert found["home"] == (
        "fail",
        f"{tmp_path}/home is no folder. Set SCUTTLEHOUSE_HOME to a folder.",
    )


def test_a_damaged_table_is_named(small: SmallWarehouse, doctor: Doctor) -> None:
    with open_catalog(small.home) as catalog:
        file = catalog.tables("scuttlehouse_work")["dim_groups"]
    flip(Path(file), 80)
    code, found = doctor()
    assert code == 1
    assert found["tables"][0] == "fail"
    assert "scuttlehouse_work.dim_groups cannot be used" in found["tables"][1]
    assert file in found["tables"][1]


def test_a_damaged_table_of_a_kept_build_is_named(small: SmallWarehouse, doctor: Doctor) -> None:
    with open_catalog(small.home) as catalog:
        [build] = catalog.kept()
    small.begin()
    small.write("dim_groups", pa.table({"group_id": ["b"]}))
    Path(build.public["dim_groups"]).unlink()
    code, found = doctor()
    assert (code, found["tables"][0]) == (1, "fail")
    assert f"The table dim_groups of the build {build.build_id} cannot" in found["tables"][1]


@pytest.mark.parametrize("check", ["tables", "last build"])
def test_what_builds_remove_meanwhile_is_not_called_damaged(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch, check: str
) -> None:
    """SQLite's catalog is read from a copy, which goes on naming the files of builds that are gone."""
    name = {"tables": "verify_kept", "last build": "open_tables"}[check]
    whole, builds = getattr(state, name), iter(range(3))

    def after_builds(*arguments: object) -> object:
        for number in builds:
            small.log("fct_builds", steps_table([run_step(f"{number}", "published")]))
            small.publish({"dim_groups": pa.table({"group_id": [str(number)]})})
        with open_catalog(small.home) as catalog:
            remove_unreachable(catalog, small.home, lambda: True)
        return whole(*arguments)

    monkeypatch.setattr(state, name, after_builds)
    assert state.OF_WAREHOUSE[check]().state == "ok"
    assert next(builds, None) is None


@needs_root
def test_what_a_reader_cannot_see_is_not_told(small: SmallWarehouse) -> None:
    """Readers go through the home to the catalog, and open neither its lock nor its other folders."""
    small.begin()
    for path in small.home.rglob("*"):
        path.chmod(0o710 if path.is_dir() else 0o640)
    serving = small.home / "serving"
    serving.mkdir(mode=0o700)
    lock = BuildLock(small.home)
    lock.hold(exclusive=True)
    (small.home / "build.lock").chmod(0o600)
    let_through(small.home)
    small.home.chmod(0o710)
    try:
        with as_another_user():
            unseen = {
                check.__name__: findings.found(check)
                for check in (state.lock, state.last_build, state.disk, renewed.dashboards)
            }
    finally:
        lock.release()
    closed = (
        f"{small.home}/build.lock cannot be read (Permission denied), so nobody knows who builds: "
    )
    for check in ("lock", "last_build"):
        assert unseen[check].state == "fail"
        assert unseen[check].what.startswith(closed)
    assert unseen["disk"].what.endswith(f"; this user cannot see what {small.home} uses.")
    assert unseen["dashboards"].what.startswith(f"Permission denied: {serving}")
    assert all(unseen[check].state != "ok" for check in unseen)
    assert unseen["disk"].to_do == unseen["dashboards"].to_do
    assert unseen["disk"].to_do == "Run `scuttlehouse doctor` as the user that builds."


def test_who_builds_and_what_failed(small: SmallWarehouse, doctor: Doctor) -> None:
    failed = run_step("build-2", "failed", started_at=datetime(2026, 2, 1, tzinfo=UTC))
    step = {**failed, "step": "is_key_\x1b[31m", "step_kind": "test", "status": "fail"}
    small.log("fct_builds", steps_table([failed, {**step, "message": "Got 2 results."}]))
    lock = BuildLock(small.home)
    lock.hold(exclusive=True)
    try:
        code, found = doctor()
    finally:
        lock.release()
    assert code == 0
    assert re.match(r"In use by process \d+ \(.*\) on host .*, since 20", found["lock"][1])
    assert found["last build"][0] == "warn"
    assert "first is_key_\\x1b[31m: Got 2 results." in found["last build"][1]
    assert doctor()[1]["lock"] == ("ok", "Nobody builds")


def test_a_file_that_is_left_out_is_named(small: SmallWarehouse, doctor: Doctor) -> None:
    landing = small.home.parent / "landing"
    (landing / "b.csv").touch()
    assert doctor()[1]["landing"][1].startswith(
        f"1 log in {landing}, and 1 entry that is left out; the first is b.csv. "
    )
    key = bytes(range(32)).hex()
    (landing / f"a {key}.csv").touch()
    found = doctor()[1]["landing"][1]
    assert "the first is one whose name looks like a key." in found
    assert key not in found


def test_settings_that_lead_nowhere(
    small: SmallWarehouse, doctor: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    small.home.chmod(0o755)
    (tmp_path / "landing" / "b.csv").touch()
    monkeypatch.setenv("SCUTTLEHOUSE_MASTER", f"spark://127.0.0.1:{port}")
    monkeypatch.setenv("SCUTTLEHOUSE_JARS", str(tmp_path))
    monkeypatch.setenv("JAVA_HOME", str(tmp_path))
    monkeypatch.setenv("SCUTTLEHOUSE_KEY_FILE", str(tmp_path / "no key"))
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", "https://bucket")
    code, found = doctor()
    assert code == 1
    said = {name: state for name, (state, _) in found.items()}
    wrong = {"master", "jars", "java", "key", "catalog", "tables", "last build"}
    assert {name for name, state in said.items() if state == "fail"} == wrong
    assert said["home"] == said["landing"] == "warn"
    assert f"Spark needs Java 17 to 22, and JAVA_HOME ({tmp_path}) has no" in found["java"][1]
    assert f"127.0.0.1:{port}" in found["master"][1]
    assert "is missing" in found["jars"][1]


def test_no_password_is_shown(
    house: House, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(house.home))
    house.build("one", {"dim_groups": 1})
    key = warehouse_pepper(house.home)
    _, found = doctor()
    assert found["catalog"][0] == "ok"
    assert found["catalog"][1].startswith("PostgreSQL on 127.0.0.1" if house.address else "SQLite")
    if house.address:
        wrong = house.address.replace(postgresql.URL_PASSWORD, f"{postgresql.URL_PASSWORD}x")
        monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", wrong)
        assert doctor()[1]["catalog"][0] == "fail"
    said = str(found) + str(doctor())
    for secret in (postgresql.PASSWORD, postgresql.URL_PASSWORD, key.hex()):
        assert secret not in said


def test_packages_that_are_missing_or_of_another_version(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SCUTTLEHOUSE_CATALOG", raising=False)
    wanted = ["pyarrow<1", "of-nobody", "of-an-extra; extra == 'cluster'", "numpy>=1"]
    monkeypatch.setattr(installed, "requires", lambda _: wanted)
    found = installed.packages()
    assert found.state == "fail"
    assert found.what == f"pyarrow is {pa.__version__} and not <1; of-nobody is missing."
    monkeypatch.setattr(installed, "requires", lambda _: wanted[2:])
    assert installed.packages().state == "ok"


def test_what_only_some_installations_need(monkeypatch: pytest.MonkeyPatch) -> None:
    def version_of(name: str) -> str:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(installed, "requires", lambda _: [])
    monkeypatch.setattr(installed, "version", version_of)
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", "postgresql://user@localhost/catalog")
    assert installed.packages().what == "psycopg is missing."
    monkeypatch.delenv("SCUTTLEHOUSE_CATALOG")
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://user@localhost/bi")
    assert installed.packages().what == "psycopg is missing."
    monkeypatch.setattr(installed, "find_spec", lambda name: name.endswith("avro") or None)
    assert installed.extensions().what == "duckdb_extension_iceberg is missing."
    monkeypatch.setattr(java, "archive_options", list)
    monkeypatch.delenv("SCUTTLEHOUSE_CONNECT", raising=False)
    assert installed.class_archive().state == "warn"
    monkeypatch.setenv("SCUTTLEHOUSE_CONNECT", "sc://localhost")
    assert installed.class_archive().what.startswith("Not needed")
    assert installed.spark_jars().what.startswith("Not needed")


@pytest.mark.usefixtures("small")
def test_an_address_of_postgresql_that_is_none_is_told(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", "postgresql://[x")
    state, said = doctor()[1]["catalog"]
    assert state == "fail"
    assert said.startswith("SCUTTLEHOUSE_CATALOG needs psycopg"), said


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("setting", "address", "shown"),
    [
        ("SCUTTLEHOUSE_CONNECT", "sc://localhost:1/;token=TOPSECRET", "localhost:1"),
        ("SCUTTLEHOUSE_CONNECT", "sc://u:TOPSECRET@localhost:1/;x-key=TOPSECRET", "localhost:1"),
        ("SCUTTLEHOUSE_MASTER", "spark://u:TOPSECRET@127.0.0.1:1,two:1", "127.0.0.1:1"),
        ("SCUTTLEHOUSE_MASTER", "spark://u:TOP,SECRET@127.0.0.1:1", "127.0.0.1:1"),
        # Nothing tells whether the password is before the host or behind it.
        ("SCUTTLEHOUSE_MASTER", "spark://u:TOP,SECRET/@127.0.0.1:1", None),
        ("SCUTTLEHOUSE_MASTER", "spark://one:1/?password=TOP@SECRET", None),
        ("SCUTTLEHOUSE_MASTER", "spark://[::1]:1", "[::1]:1"),
        ("SCUTTLEHOUSE_MASTER", "spark://h\udcfc:1", "h\\udcfc:1"),
        ("SCUTTLEHOUSE_MASTER", "TOPSECRET", None),
        ("SCUTTLEHOUSE_MASTER", "spark://[x:1", None),
        ("SCUTTLEHOUSE_MASTER", "spark://h:port", None),
        ("SCUTTLEHOUSE_CONNECT", "sc://", None),
    ],
)
def test_of_an_address_only_host_and_port_are_shown(
    setting: str, address: str, shown: str | None, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(setting, address)
    found = doctor()[1]
    assert "SECRET" not in str(found)
    state, said = found["master"]
    wrong = f"Nobody answers at {shown} ({setting})." if shown else f"{setting} names no server."
    assert (state, said.startswith(wrong)) == ("fail", True), said
    if setting == "SCUTTLEHOUSE_CONNECT":
        server = shown or f"that {setting} names"
        assert found["java"][1] == f"Not needed: Spark runs in the server {server}"


@pytest.mark.usefixtures("small")
@pytest.mark.parametrize(
    ("address", "said"),
    [
        ("mysql://ann:TOPSECRET@127.0.0.1/bi", "SCUTTLEHOUSE_SERVING is no address of PostgreSQL"),
        (
            "postgresql://ann:TOPSECRET@127.0.0.1:1/bi",
            "The database that SCUTTLEHOUSE_SERVING names cannot be written (",
        ),
    ],
)
def test_a_serving_database_that_no_build_can_write(
    doctor: Doctor,
    monkeypatch: pytest.MonkeyPatch,
    address: str,
    said: str,
) -> None:
    """A build says so, too, but only after it has published."""
    assert doctor()[1]["dashboards"][0] == "ok"
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", address)
    code, found = doctor()
    assert (code, found["dashboards"][0]) == (1, "fail")
    assert found["dashboards"][1].startswith(said)
    assert "SECRET" not in str(found)


def test_dashboards_show_the_published_build_or_the_doctor_says_so(
    small: SmallWarehouse, postgresql_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    file, database = (
        f"{small.home}/serving/published.duckdb",
        "the database that SCUTTLEHOUSE_SERVING names",
    )
    to_do = "Run `scuttlehouse export`, which writes it or says what is wrong."
    assert main(["export"]) == 0
    assert renewed.dashboards() == Finding("ok", f"Builds renew {file}")
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", postgresql_url)
    not_there = Finding("warn", f"The published build is not in {database}.", to_do)
    assert renewed.dashboards() == not_there
    assert renewed.dashboards() == not_there, "the doctor writes nothing"
    assert main(["export"]) == 0
    assert renewed.dashboards() == Finding("ok", f"Builds renew {file} and {database}")
    small.publish({"dim_groups": pa.table({"group_id": ["b"]})})
    in_neither = f"The published build is not in {file} and {database}."
    assert renewed.dashboards() == Finding("warn", in_neither, to_do)
    with BuildLock(small.home).alone():  # A build that has published, and goes on.
        assert renewed.dashboards().state == "ok"
    monkeypatch.setenv("PGOPTIONS", "-c default_transaction_read_only=on")
    refused = findings.found(renewed.dashboards)
    assert (refused.state, "read-only transaction" in refused.what) == ("fail", True)
    monkeypatch.delenv("PGOPTIONS")
    with psycopg.connect(postgresql_url, autocommit=True) as server:
        server.execute("drop schema scuttlehouse cascade")


@pytest.mark.usefixtures("small")
def test_a_file_of_metrics_that_no_build_can_write(
    doctor: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    assert doctor()[1]["metrics"] == ("ok", "SCUTTLEHOUSE_METRICS_FILE is not set")
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(tmp_path / "a.prom"))
    assert doctor()[1]["metrics"] == ("ok", f"Builds renew {tmp_path}/a.prom")
    (tmp_path / "a.prom").mkdir()
    (tmp_path / "file").touch()
    wrong = {
        "a.prom": "Is a directory",
        "no/a.prom": "No such file or directory",
        "file/a.prom": "No such file or directory",
        "a.txt": "its name ends in something else",
    }
    for name, reason in wrong.items():
        path = tmp_path / name
        monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(path))
        state, said = doctor()[1]["metrics"]
        start = (
            f"The metrics cannot be written to {path} ({reason}): correct SCUTTLEHOUSE_METRICS_FILE"
        )
        assert (state, said.startswith(start)) == ("fail", True), said
    monkeypatch.setenv("SCUTTLEHOUSE_METRICS_FILE", str(tmp_path / "b.prom"))
    monkeypatch.setattr(os, "access", lambda path, _: path != tmp_path)
    assert "Permission denied" in findings.found(renewed.metrics).what


def test_readers_of_a_home_that_is_not_there_yet(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, doctor: Doctor
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", "of-nobody")
    state, said = doctor()[1]["home"]
    assert (state, said[:35]) == ("fail", "SCUTTLEHOUSE_READERS is 'of-nobody'")


def test_a_secret_of_the_cluster_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told also while the master does not answer."""
    monkeypatch.setenv("SCUTTLEHOUSE_MASTER", "spark://127.0.0.1:1")
    monkeypatch.setenv("SCUTTLEHOUSE_SPARK_SECRET_FILE", "/nowhere/secret")
    told = findings.found(installed.master)
    assert told.what.startswith(
        "SCUTTLEHOUSE_SPARK_SECRET_FILE is /nowhere/secret, which is no file"
    )


def test_a_landing_folder_that_holds_the_home(
    small: SmallWarehouse, doctor: Doctor, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(small.home.parent))
    state, said = doctor()[1]["landing"]
    assert (state, "its own files would be read as logs" in said) == ("fail", True)


@pytest.mark.usefixtures("small")
def test_a_limit_that_is_no_number(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    """A build would end with the same sentence as soon as a log is compressed."""
    monkeypatch.setenv("SCUTTLEHOUSE_UNPACK_LIMIT", "many")
    state, said = doctor()[1]["landing"]
    assert (state, said[:35]) == ("fail", "SCUTTLEHOUSE_UNPACK_LIMIT is 'many'")


@pytest.mark.usefixtures("small")
def test_a_clock_that_is_behind(doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now - 3600)
    state, said = doctor()[1]["last build"]
    assert (state, said[:38]) == ("fail", "The clock of this machine is behind: t")


@pytest.mark.parametrize(
    ("landing", "warehouse", "sentence"),
    [
        ("{home}/warehouse", "", "where builds remove all files but those of tables"),
        ("{home}/warehouse/logs", "", "where builds remove all files but those of tables"),
        (
            "s3://bucket/house/logs",
            "s3://bucket/house",
            "where builds remove all files but those of",
        ),
        ("s3://bucket/house", "s3://bucket/house/", "where builds remove all files but those of"),
        ("s3://bucket", "s3://bucket/house", "so their files would be read as logs"),
    ],
)
def test_logs_among_tables_and_tables_among_logs(
    landing: str,
    warehouse: str,
    sentence: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path))
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", landing.format(home=tmp_path))
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", warehouse)
    with pytest.raises(LandingError, match=sentence):
        state.landing()


def test_a_lost_key(small: SmallWarehouse, doctor: Doctor, monkeypatch: pytest.MonkeyPatch) -> None:
    for place in PLACES_OF_KEYS:
        monkeypatch.delenv(place, raising=False)
    keep_sealed(small.home, [seal_key(warehouse_pepper(small.home), bytes(32))])
    assert doctor()[1]["key"][0] == "warn"
    (small.home / PEPPER_FILE).unlink()
    code, found = doctor()
    assert (code, found["key"][0]) == (1, "fail")
    assert f"{PEPPER_FILE} is missing" in found["key"][1]
    assert not (small.home / PEPPER_FILE).exists()


def test_a_key_moves_out_of_the_home_as_the_doctor_says(
    small: SmallWarehouse, doctor: Doctor, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    for place in PLACES_OF_KEYS:
        monkeypatch.delenv(place, raising=False)
    key = warehouse_pepper(small.home)
    keep_sealed(small.home, [seal_key(key, bytes(32))])
    [command] = re.findall("`(base64 .*?)`", doctor()[1]["key"][1])
    (tmp_path / "key").write_bytes(subprocess.check_output(shlex.split(command)))
    monkeypatch.setenv("SCUTTLEHOUSE_KEY_FILE", str(tmp_path / "key"))
    assert doctor()[1]["key"][0] == "warn"
    (small.home / PEPPER_FILE).unlink()
    assert doctor()[1]["key"] == ("ok", "from SCUTTLEHOUSE_KEY_FILE")
    assert warehouse_pepper(small.home) == key


@pytest.mark.parametrize(
    ("mode", "has_readers", "found"),
    [
        (0o700, False, "ok"),
        (0o710, False, "warn"),
        (0o701, False, "warn"),
        (0o2710, True, "ok"),
        (0o2750, True, "warn"),
        (0o2711, True, "warn"),
    ],
)
def test_a_home_that_others_may_open(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, has_readers: bool, found: str
) -> None:
    """Readers go through it, and list nothing."""
    group = grp.getgrgid(os.getgid()).gr_name if has_readers else ""
    monkeypatch.setenv("SCUTTLEHOUSE_READERS", group)
    home = tmp_path / "my home"
    home.mkdir()
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(home))
    home.chmod(mode)
    finding = state.home()
    assert finding.state == found
    closed = "710" if has_readers else "700"
    assert finding.to_do == ("" if found == "ok" else f"Run `chmod {closed} '{home}'`.")


@pytest.mark.parametrize(
    ("free", "found"),
    [((1 << 30) - 1, "fail"), (1 << 30, "warn"), ((3 << 30) - 1, "warn"), (3 << 30, "ok")],
)
def test_room_for_a_full_refresh(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, free: int, found: str
) -> None:
    """It needs as much as the tables have, beside them."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path))
    table = tmp_path / "warehouse" / "table.parquet"
    table.parent.mkdir()
    table.touch()
    os.truncate(table, 3 << 30)  # It takes no room: nothing is written.
    monkeypatch.setattr(state.shutil, "disk_usage", lambda _: SimpleNamespace(free=free))
    finding = state.disk()
    assert finding.state == found
    assert " free, 3.2 GB used by " in finding.what
    assert ("a full refresh may not fit" in finding.what) == (found == "warn")
    assert ("Free disk space" in finding.to_do) == (found != "ok")


@pytest.mark.usefixtures("small")
def test_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "_LEAST_FREE_BYTES", 1 << 60)
    assert state.disk().state == "fail"


def test_a_file_that_a_build_removes_meanwhile(
    small: SmallWarehouse, monkeypatch: pytest.MonkeyPatch
) -> None:
    (small.home / "there").write_bytes(b"12345")
    found = [str(small.home / "gone"), str(small.home / "there")]
    monkeypatch.setattr(state, "files_below", lambda _folder: found)
    assert " 0.0 GB used by " in state.disk().what
