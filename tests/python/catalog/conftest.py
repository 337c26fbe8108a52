"""A home on each of the two databases that a catalog can be in."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from pathlib import Path

import psycopg
import pytest
from houses import House

import postgresql
from scuttlehouse.catalog import prepare_home

_numbers = count()


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    with postgresql.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An empty home, whose catalog is in SQLite or in PostgreSQL."""
    if request.param == "sqlite":
        return _house(tmp_path, monkeypatch, "")
    url = request.getfixturevalue("postgresql_url")
    name = f"catalog_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return _house(tmp_path, monkeypatch, url.removesuffix("postgres") + name)


@pytest.fixture
def sqlite_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An empty home, whose catalog is in SQLite."""
    return _house(tmp_path, monkeypatch, "")


def _house(folder: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> House:
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", address)
    prepare_home(folder / "home")
    return House(folder / "home", address)
