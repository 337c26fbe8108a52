"""When the newest log came."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from scuttlehouse.files.parts import LandingError
from scuttlehouse.landing.folder import newest_ms


def test_the_newest_log_may_be_hidden_and_is_a_log(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a build reads them: names that begin with a dot or an underscore, and no other files."""
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    with pytest.raises(LandingError, match="holds no log: put logs there"):
        newest_ms()
    names = ["a.jsonl", "sub/2026-01-01T03:00.jsonl", "_b.jsonl", ".c.jsonl"]
    # The last two have names of logs, and a build leaves them out.
    peers = b'[{"host": "localhost", "port": 8008, "key": "@a"}]'
    others = {"picture.png": b"", "page.txt": b"<html></html>", "gossip.json": peers}
    for seconds, name in enumerate([*names, *others], 1):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(others.get(name, b""))
        os.utime(path, (seconds, seconds))
        assert newest_ms() == min(seconds, len(names)) * 1000
    (tmp_path / "nothing.jsonl").symlink_to(tmp_path / "gone")
    assert newest_ms() == len(names) * 1000


def test_a_log_from_the_future_does_not_hide_that_no_other_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever writes a log may give it any time. It would pass for fresh until then."""
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(tmp_path))
    for name, seconds in (("future.jsonl", 4_000_000_000), ("far.jsonl", 6_000_000_000)):
        (tmp_path / name).touch()
        os.utime(tmp_path / name, (seconds, seconds))
    assert newest_ms() == 6_000_000_000_000
    (tmp_path / "a.jsonl").touch()
    os.utime(tmp_path / "a.jsonl", (5, 5))
    assert newest_ms() == 5000
