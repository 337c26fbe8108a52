"""What a Spark Connect server and its clients are told. `make test-connect` runs them."""

from __future__ import annotations

from pathlib import Path

import pytest

from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.spark.connect import client_settings
from scuttlehouse.spark.connect_server import main, server_port, server_settings

TOKEN = "hush-of-connect"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path))
    monkeypatch.setenv("SCUTTLEHOUSE_CONNECT", "sc://localhost:15010")
    monkeypatch.setenv("SPARK_CONNECT_AUTHENTICATE_TOKEN", TOKEN)
    return tmp_path


def test_a_server_listens_on_loopback_and_is_told_no_secret(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settings = server_settings()
    addresses = {
        value for key, value in settings.items() if "ddress" in key or key.endswith("host")
    }
    assert addresses == {"127.0.0.1"}
    assert settings["spark.connect.grpc.binding.port"] == "15010"
    assert main(["--print"]) == 0
    printed = capsys.readouterr().out
    assert "\nspark.sql.extensions org.apache.iceberg" in printed
    assert f"{home}/temporary" not in printed, "these folders are gone"
    assert TOKEN not in printed + str(settings)


def test_a_server_without_a_token_or_on_another_machine_does_not_start(
    home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for wrong in (
        "sc://0.0.0.0:15002",
        "sc://localhost",
        "spark://localhost:15002",
        "sc://localhost:x",
    ):
        with pytest.raises(CatalogError, match="is not an address of this machine"):
            server_port({"SCUTTLEHOUSE_CONNECT": wrong})
    monkeypatch.delenv("SPARK_CONNECT_AUTHENTICATE_TOKEN")
    assert main([]) == 1
    assert "SPARK_CONNECT_AUTHENTICATE_TOKEN is not set" in capsys.readouterr().err
    assert not [*home.rglob("connect.properties")]


def test_a_client_says_where_its_catalog_is_and_needs_no_jar(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_JARS", str(home / "nowhere"))
    settings = client_settings()
    assert settings["spark.sql.catalog.warehouse.warehouse"] == str(home / "warehouse")
    assert Path(settings["spark.submit.pyFiles"]).is_file()
    assert {key for key in settings if not key.startswith("spark.sql.")} == {"spark.submit.pyFiles"}
    monkeypatch.setenv("SCUTTLEHOUSE_CONNECT", f"sc://localhost:15010/;token={TOKEN}")
    with pytest.raises(CatalogError, match="holds a token: take it out") as refused:
        client_settings()
    assert TOKEN not in str(refused.value)
