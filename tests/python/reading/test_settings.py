"""Settings that are refused with a sentence: bytes that are not UTF-8, and addresses in place of paths."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.builds.steps import run_step, steps_table
from scuttlehouse.cli import main
from scuttlehouse.errors import HouseError
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.serving.postgresql import write_serving_database
from small_warehouse import SmallWarehouse

PASSWORD = "hush-of-settings"
URLS = {
    "a byte": f"postgresql://u:{PASSWORD}\udcfc@127.0.0.1:1/x",
    "a byte in the host": f"postgresql://u:{PASSWORD}@h\udcfc:1/x",
    "a code": f"postgresql://u:{PASSWORD}%fc@127.0.0.1:1/x",
}
COMMANDS = (
    ["sql", "select 1"],
    ["show"],
    ["show", "abc"],
    ["metrics"],
    ["rollback", "--list"],
    ["draw", "group", "abc"],
    ["export"],
)


@pytest.fixture(autouse=True)
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SmallWarehouse:
    """A published home, in which the commands find something to do."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    monkeypatch.delenv("SCUTTLEHOUSE_CATALOG", raising=False)
    warehouse = SmallWarehouse(tmp_path / "home")
    ended = run_step("build-1", "published", started_at=datetime(2026, 1, 31, tzinfo=UTC))
    warehouse.log("fct_builds", steps_table([ended]))
    warehouse.publish({"dim_groups": pa.table({"group_id": ["a"]})})
    return warehouse


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
@pytest.mark.parametrize("command", COMMANDS, ids=" ".join)
def test_a_catalog_whose_address_is_no_text(
    url: str,
    command: list[str],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", url)
    assert main(command) == 1
    said = capsys.readouterr().err
    assert said.startswith("SCUTTLEHOUSE_CATALOG needs ")
    assert said.count("\n") == 1
    assert PASSWORD not in said


@pytest.mark.parametrize("url", URLS.values(), ids=URLS)
def test_databases_of_readers_whose_address_is_no_text(
    url: str,
    small: SmallWarehouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["follow", "--to", url]) == 1
    assert capsys.readouterr().err.startswith("A replica is in sqlite:PATH or in postgresql://")
    with pytest.raises(HouseError, match=r"^SCUTTLEHOUSE_SERVING is no address") as refused:
        write_serving_database(small.home, url)
    assert PASSWORD not in str(refused.value)
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", url)
    assert main(["export"]) == 1
    said = capsys.readouterr()
    assert "SCUTTLEHOUSE_SERVING" in said.err
    assert PASSWORD not in said.out + said.err


def test_doctor_names_settings_that_are_no_text(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    for url in URLS.values():
        monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", url)
        monkeypatch.setenv("SCUTTLEHOUSE_LANDING", f"{tmp_path}/l\udcfc")
        assert main(["doctor"]) == 1
        said = capsys.readouterr().out
        assert "The check itself failed" not in said
        assert "fail  catalog        SCUTTLEHOUSE_CATALOG needs " in said
        assert f"fail  landing        The landing folder '{tmp_path}/l\\udcfc' has bytes" in said
        assert PASSWORD not in said


def test_a_landing_folder_whose_path_is_no_text(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", f"{tmp_path}/l\udcfc")
    with pytest.raises(HouseError, match="in its path that are not UTF-8"):
        landing_folder()
    inside = tmp_path / "l\udcfc"
    inside.mkdir()
    with pytest.raises(HouseError, match="in its path that are not UTF-8"):
        landing_folder({}, inside)
    assert landing_folder({"SCUTTLEHOUSE_LANDING": "Grüße 🦀"}, tmp_path).endswith("/Grüße 🦀")


@pytest.mark.parametrize("name", ["SCUTTLEHOUSE_LANDING", "SCUTTLEHOUSE_WAREHOUSE"])
def test_secrets_of_s3_in_the_name_of_a_bucket_are_not_shown(
    name: str,
    small: SmallWarehouse,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    monkeypatch.setenv(name, f"s3://me:{PASSWORD}/+@bucket/folder")
    assert main(["doctor"]) == 1
    said = capsys.readouterr().out
    assert (
        f"{name} is 's3://...@bucket/folder': set it to s3://bucket/folder, in letters, digits"
        in said
    )
    assert PASSWORD not in said


@pytest.mark.parametrize(
    "setting", ["SCUTTLEHOUSE_LANDING", "SCUTTLEHOUSE_METRICS_FILE", "SCUTTLEHOUSE_HOME"]
)
@pytest.mark.parametrize(
    "address", ["postgresql://me:{}@host/db", "postgresql://host/db?password={}", "s3://me:{}@b/c"]
)
def test_an_address_in_place_of_a_path_is_not_shown_with_its_password(
    setting: str,
    address: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv(setting, address.format(PASSWORD))
    assert main(["doctor"]) == 1
    said = capsys.readouterr()
    assert setting in said.out + said.err
    assert PASSWORD not in said.out + said.err
