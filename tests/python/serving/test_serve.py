"""What starts and stops the dashboards, as far as it needs no Superset."""

from __future__ import annotations

import os
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

import serve


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path))
    mask = os.umask(0o077)
    yield tmp_path
    os.umask(mask)


def test_nothing_starts_without_the_published_tables(
    home: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SCUTTLEHOUSE_SERVING", raising=False)
    assert serve.main("start") == 1
    assert "run `scuttlehouse export` first" in capsys.readouterr().err
    monkeypatch.setenv("SCUTTLEHOUSE_SERVING", "postgresql://localhost/a")
    assert serve.main("start") == 1
    assert "run `SCUTTLEHOUSE_SERVING= scuttlehouse export` first" in capsys.readouterr().err
    assert list(home.iterdir()) == []


def test_what_does_not_run_is_not_stopped(home: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert serve.main("stop") == 0
    assert capsys.readouterr().out == "The dashboards are not running.\n"
    assert list(home.iterdir()) == []


def test_without_a_user_there_is_no_password(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.main("password") == 1
    assert "There is no user yet" in capsys.readouterr().err
    assert list(home.iterdir()) == []


def test_two_starts_do_not_disturb_each_other(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = home / "serving" / "published.duckdb"
    file.parent.mkdir()
    file.touch()
    state = serve._state(home)
    with serve._lock(state) as lock:
        assert lock is not None
        for command in ("start", "stop"):
            assert serve.main(command) == 1
            assert capsys.readouterr().err == f"{serve._AT_WORK}\n"
    assert serve.main("stop") == 0


def test_secrets_are_for_the_owner_alone_and_stay(home: Path) -> None:
    state = serve._state(home)
    secret = state / "secret_key"
    first = secret.read_text()
    assert len(first) >= 42
    assert stat.S_IMODE(state.stat().st_mode) == 0o700
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600
    serve._state(home)
    assert secret.read_text() == first


def test_a_port_that_is_taken_is_left_alone_and_one_that_is_chosen_is_kept() -> None:
    with serve._listener() as listener, serve._listener() as other:
        assert listener.getsockname() != other.getsockname()
        with socket.socket() as late:
            late.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            with pytest.raises(OSError, match="in use"):
                late.bind(listener.getsockname())


@pytest.mark.parametrize("arguments", [(), ("begin",), ("start", "stop")])
def test_what_is_no_command_is_told(
    arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert serve.main(*arguments) == 2
    assert (
        capsys.readouterr().err == "Say one of start, stop, password behind dashboards/serve.py.\n"
    )


def test_dashboards_are_made_again_when_their_code_or_their_file_changes(tmp_path: Path) -> None:
    assert serve._wanted(tmp_path) == serve._wanted(tmp_path)
    assert serve._wanted(tmp_path) != serve._wanted(tmp_path / "other")
    assert {"assets.py", "requirements.lock", "groups.sql", "1_this_morning.yml"} <= {
        path.name for path in serve._sources()
    }
