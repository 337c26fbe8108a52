"""The settings that Spark gets for the catalog, and a build on PostgreSQL."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import psycopg
import pytest

from houses import House
from scuttlehouse.builds.beginning import begin
from scuttlehouse.builds.rules import project_variables
from scuttlehouse.catalog.names import CATALOG, WORK, CatalogError
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.pyiceberg_tables import _s3_properties
from scuttlehouse.catalog.spark import (
    big_spark_settings,
    catalog_settings,
    developer_spark_settings,
    postgresql,
    spark_settings,
)
from scuttlehouse.files.parts import LandingError
from scuttlehouse.s3 import s3_files
from scuttlehouse.spark import class_archive

PROJECT = Path(__file__).parents[3]


def test_the_password_is_in_a_file_that_only_the_user_can_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PGPASSFILE", "")
    address = "postgresql://ann:a%3Ab%5Cc@db.example:6543/house"
    settings = postgresql(address, tmp_path)
    assert settings["uri"] == "jdbc:postgresql://db.example:6543/house"
    assert settings["jdbc.user"] == "ann"
    assert not any("a:b" in value for value in settings.values())
    file = tmp_path / "pgpass"
    assert file.read_text() == "db.example:6543:house:ann:a\\:b\\\\c\n"
    assert file.stat().st_mode & 0o777 == 0o600
    assert os.environ["PGPASSFILE"] == str(file)


@pytest.fixture
def _no_settings_of_postgresql(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in os.environ if name.startswith("PG")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("PGPASSFILE", "")


@pytest.mark.usefixtures("_no_settings_of_postgresql")
def test_spark_connects_to_the_database_that_psycopg_connects_to(
    postgresql_url: str, tmp_path: Path
) -> None:
    """Without a name, that is the one of the user."""
    with psycopg.connect(postgresql_url, autocommit=True) as connection:
        connection.execute("create database tester")
    address = postgresql_url.removesuffix("/postgres")
    settings = postgresql(address, tmp_path)
    with psycopg.connect(address) as connection:
        info = connection.info
        assert info.dbname == "tester"
        assert settings["uri"] == f"jdbc:postgresql://{info.host}:{info.port}/{info.dbname}"
        assert settings["jdbc.user"] == info.user
        line = (tmp_path / "pgpass").read_text()
        assert line == f"{info.host}:{info.port}:{info.dbname}:{info.user}:{info.password}\n"


@pytest.mark.usefixtures("_no_settings_of_postgresql")
@pytest.mark.parametrize(
    ("address", "uri"),
    [
        ("postgresql://ann@[::1]:6543/house", "jdbc:postgresql://[::1]:6543/house"),
        ("postgresql://db/?user=ann&dbname=a%20b%3F", "jdbc:postgresql://db:5432/a%20b%3F"),
        ("postgresql://ann@/house", "jdbc:postgresql://localhost:5432/house"),
    ],
)
def test_parts_of_an_address_in_other_forms(address: str, uri: str, tmp_path: Path) -> None:
    settings = postgresql(address, tmp_path)
    assert (settings["uri"], settings["jdbc.user"]) == (uri, "ann")


@pytest.mark.usefixtures("_no_settings_of_postgresql")
def test_parts_of_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"HOST": "db", "PORT": "7", "USER": "ann", "SSLMODE": "verify-full"}.items():
        monkeypatch.setenv(f"PG{name}", value)
    settings = postgresql("postgresql://", tmp_path)
    assert settings["uri"] == "jdbc:postgresql://db:7/ann"
    assert settings["jdbc.sslmode"] == "verify-full"


@pytest.mark.usefixtures("_no_settings_of_postgresql")
@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("sslmode=require", {"jdbc.sslmode": "require"}),
        (
            "sslmode=verify-full&sslrootcert=/a%20b",
            {"jdbc.sslmode": "verify-full", "jdbc.sslrootcert": "/a b"},
        ),
        # psycopg compares the certificate then, too.
        (
            "sslmode=require&sslrootcert=/a",
            {"jdbc.sslmode": "verify-ca", "jdbc.sslrootcert": "/a"},
        ),
    ],
)
def test_spark_has_the_same_protection(asked: str, found: dict[str, str], tmp_path: Path) -> None:
    settings = postgresql(f"postgresql://ann@db/house?{asked}", tmp_path)
    assert {name: value for name, value in settings.items() if ".ssl" in name} == found


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("postgresql://db/a?connect_timeout=5&sslkey=b", "sets connect_timeout, sslkey, which"),
        ("postgresql://one:1,two:2/house", "names one,two: name one host"),
        ("postgresql:///house?host=/run/postgresql", "names /run/postgresql: name one host"),
        ("postgresql://ann:hush@hush@db/house", "write every character that is not a letter"),
        ("postgresql://db/house?sslmod=require", "write every character that is not a letter"),
    ],
)
def test_what_spark_cannot_do_is_a_sentence(address: str, message: str, tmp_path: Path) -> None:
    with pytest.raises(CatalogError, match=message) as raised:
        postgresql(address, tmp_path)
    assert "hush" not in str(raised.value)


def test_sqlite_in_the_home_by_default(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SCUTTLEHOUSE_CATALOG", raising=False)
    before = os.umask(0o022)
    try:
        settings = spark_settings()
    finally:
        os.umask(before)
    uri = settings["spark.sql.catalog.warehouse.uri"]
    assert uri.startswith(f"jdbc:sqlite:file:{tmp_path}/home/catalog.db?")
    assert (tmp_path / "home").stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize(
    ("environment", "region", "endpoint"),
    [
        ({}, "us-east-1", None),
        ({"AWS_DEFAULT_REGION": "eu-west-1", "AWS_ENDPOINT_URL": " "}, "eu-west-1", None),
        (
            {"AWS_REGION": "", "AWS_DEFAULT_REGION": "a", "AWS_ENDPOINT_URL": "http://s:1"},
            "a",
            "http://s:1",
        ),
        (
            {"AWS_REGION": "eu-west-2", "AWS_DEFAULT_REGION": "eu-west-1"}
            | {"AWS_ENDPOINT_URL_S3": "http://s3:1 ", "AWS_ENDPOINT_URL": "http://other:1"},
            "eu-west-2",
            "http://s3:1",
        ),
    ],
)
def test_all_readers_of_s3_ask_the_server_that_the_tools_of_aws_ask(
    environment: dict[str, str],
    region: str,
    endpoint: str | None,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in [name for name in os.environ if name.startswith("AWS_")]:
        monkeypatch.delenv(name)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("SCUTTLEHOUSE_WAREHOUSE", "s3://bucket/house")
    for module in "spark", "opening":
        monkeypatch.setattr(f"scuttlehouse.catalog.{module}.holds_table_files", lambda _: False)
    before = os.umask(0o077)
    try:
        settings = catalog_settings()
    finally:
        os.umask(before)
    of_spark = (settings[f"spark.sql.catalog.{CATALOG}.client.region"],)
    of_spark += (settings.get(f"spark.sql.catalog.{CATALOG}.s3.endpoint"),)
    of_python = _s3_properties()
    assert of_spark == (region, endpoint)
    assert (of_python["s3.region"], of_python.get("s3.endpoint")) == (region, endpoint)
    assert s3_files().region == region


def test_refreshes_do_without_the_second_compiler_of_java(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(sqlite_house.home))
    # The run of dbt before this test may have been a full refresh.
    monkeypatch.setattr("scuttlehouse.catalog.spark._is_full_refresh", lambda: False)
    before, found = os.umask(0o077), []
    try:
        for build_id in "one", "two":
            options = big_spark_settings()["spark.driver.defaultJavaOptions"]
            found.append("TieredStopAtLevel=1" in options)
            sqlite_house.build(build_id, {"dim_a": 1})
    finally:
        os.umask(before)
    assert found == [False, True]


@pytest.mark.parametrize("name", ["A B", "ann-lee", "ann.lee", "Ann", ""])
def test_a_name_that_no_schema_can_have_is_a_sentence(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before Spark starts: dbt makes the schema before it calls this project."""
    monkeypatch.delenv("SCUTTLEHOUSE_DEVELOPER", raising=False)
    monkeypatch.setenv("USER", name)
    with pytest.raises(CatalogError, match="Set SCUTTLEHOUSE_DEVELOPER to a name in small letters"):
        developer_spark_settings()
    monkeypatch.setattr("scuttlehouse.catalog.spark.spark_settings", lambda: {"a": "b"})
    monkeypatch.setenv("SCUTTLEHOUSE_DEVELOPER", "ann")
    assert developer_spark_settings() == {"a": "b"}


@pytest.mark.spark
def test_a_build_on_postgresql(
    postgresql_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Spark commits to the catalog in PostgreSQL, and the run is logged. The home holds no catalog file."""
    home = tmp_path / "home"
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(home))
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", postgresql_url)
    monkeypatch.setenv("PGPASSFILE", "")
    dbt = str(Path(sys.executable).with_name("dbt"))
    place = ["--target-path", str(tmp_path / "target"), "--log-path", str(tmp_path / "logs")]
    done = subprocess.run(
        [dbt, "build", "-s", "fct_builds", "tangle_kinds", "--profiles-dir", "profiles", *place],
        cwd=PROJECT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout
    with open_catalog(home) as catalog:
        assert set(catalog.tables("scuttlehouse_work")) == {"tangle_kinds"}
        assert set(catalog.tables("scuttlehouse")) == {"fct_builds"}
    assert not (home / "catalog.db").exists()
    assert list(home.glob("warehouse/scuttlehouse_work_log/fct_builds/data/*.parquet"))


def test_a_full_disk_is_told_before_spark_starts(
    sqlite_house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(sqlite_house.home))
    monkeypatch.setattr("scuttlehouse.catalog.spark.LEAST_ROOM_BYTES", 1 << 62)
    with pytest.raises(CatalogError, match=r"No space left on device: .* has [0-9.]+ MB of room"):
        spark_settings()


@pytest.mark.parametrize("home", [".", "house"])
def test_nothing_is_written_into_a_landing_folder_that_holds_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: str
) -> None:
    """Spark starts before the run begins. The folder was made that of its owner alone, and had a catalog."""
    landing = tmp_path / "logs"
    landing.mkdir(mode=0o755)
    landing.chmod(0o755)
    variables = project_variables(PROJECT)
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(landing))
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(landing / home))
    with pytest.raises(LandingError, match="its own files would be read as logs"):
        catalog_settings()
    with pytest.raises(LandingError, match="its own files would be read as logs"):
        begin("build", "run", WORK, False, False, False, {}, ["model.a"], variables)
    assert list(landing.iterdir()) == []
    assert landing.stat().st_mode & 0o777 == 0o755


def test_the_archive_of_classes_is_made_whatever_the_landing_folder_is(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It is made in a home of its own, among temporary files. A build tells of the folder in a sentence."""
    made: list[dict[str, str]] = []
    monkeypatch.setattr(class_archive, "make", made.append)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", "")
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    monkeypatch.chdir(PROJECT)
    class_archive.main()
    assert len(made) == 1
    assert list(tmp_path.iterdir()) == []
