"""When `scuttlehouse build` has nothing to do: a published build of a small project, without Spark."""

from __future__ import annotations

import base64
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.builds.rules import lines_hash, project_hash, project_variables, rules_hash
from scuttlehouse.builds.unchanged import PublishedLogs, is_to_refresh, unchanged_build
from scuttlehouse.catalog.names import MAIN
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.records import Build
from scuttlehouse.files.listing import list_logs
from scuttlehouse.landing.ledger import take_stock
from scuttlehouse.landing.looks import look_into
from scuttlehouse.reading.engine import WarehouseError
from small_warehouse import SmallWarehouse
from test_exit_codes import LEDGER
from test_parts import python_model

OTHER_KEY = base64.b64encode(bytes(range(32))).decode()


@dataclass
class Place:
    """A project, its landing folder and its home."""

    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def project(self) -> Path:
        return self.folder / "project"

    @property
    def landing(self) -> Path:
        return self.folder / "landing"

    @property
    def network_key(self) -> Path:
        return self.folder / "network.key"

    def write_settings(self, settle_steps: int) -> None:
        variables = f"set_ghost_span: 32, network_key_file: {self.network_key}"
        (self.project / "dbt_project.yml").write_text(
            f"name: club\nvars: {{settle_steps: {settle_steps}, {variables}}}\n"
        )

    def publish(self, *, is_whole: bool = True) -> Build:
        """Publish a build of all logs in the landing folder."""
        variables = project_variables(self.project)
        lines = lines_hash(self.home, str(self.network_key))
        stock = take_stock(list_logs(str(self.landing)), {}, "one", lines, look_into)
        rows = [
            {
                **{name: value for name, value in entry._asdict().items() if name != "modified_ms"},
                "landing_folder": str(self.landing),
                "modified_at": entry.modified_ms * 1000,
            }
            for entry in stock
        ]
        small = SmallWarehouse(self.home)
        with open_catalog(self.home) as catalog:
            rules = rules_hash(self.project, variables), project_hash(self.project)
            catalog.begin("a build", *rules, refresh=False, rebuilt=(), schemas=MAIN)
            small.write("dim_logs", pa.Table.from_pylist(rows, LEDGER))
            return catalog.publish(
                "a build",
                ["dim_logs"],
                is_whole=is_whole,
                landing=str(self.landing),
                kept_builds=1,
            )


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Place:
    found = Place(tmp_path)
    for folder in (found.home, found.project / "models", found.landing):
        folder.mkdir(parents=True)
    found.write_settings(settle_steps=4)
    (found.project / "models" / "a.sql").write_text("select 1")
    found.network_key.write_text(base64.b64encode(bytes(32)).decode())
    (found.landing / "a.jsonl").write_text("{}\n")
    monkeypatch.setenv("SCUTTLEHOUSE_LANDING", str(found.landing))
    return found


def test_where_all_is_as_it_was_nothing_is_new(place: Place) -> None:
    assert unchanged_build(place.folder / "nowhere", place.project) is None
    published = place.publish()
    assert unchanged_build(place.home, place.project) == published


def test_a_part_is_no_whole_build(place: Place) -> None:
    place.publish(is_whole=False)
    assert unchanged_build(place.home, place.project) is None


def another_folder(place: Place, patch: pytest.MonkeyPatch) -> None:
    """With the same log."""
    other = place.folder / "other"
    shutil.copytree(place.landing, other)
    patch.setenv("SCUTTLEHOUSE_LANDING", str(other))


NEW: dict[str, Callable[[Place, pytest.MonkeyPatch], object]] = {
    "a log": lambda place, _: (place.landing / "b.jsonl").write_text("{}\n"),
    "a log has vanished": lambda place, _: (place.landing / "a.jsonl").unlink(),
    "another time": lambda place, _: os.utime(place.landing / "a.jsonl", (0, 0)),
    "another folder": another_folder,
    "a model": lambda place, _: (place.project / "models" / "b.sql").write_text("select 2"),
    "a var": lambda place, _: place.write_settings(settle_steps=5),
    "a description": lambda place, _: (place.project / "models" / "a.yml").write_text("{}"),
    "the network's key": lambda place, _: place.network_key.write_text(OTHER_KEY),
    "the warehouse's key": lambda _, patch: patch.setenv("SCUTTLEHOUSE_KEY", OTHER_KEY),
}

# After these no row of the published tables is kept.
BEGINS_ANEW = "another folder", "a model", "a var"


@pytest.mark.parametrize("what", NEW)
def test_something_is_new(what: str, place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    place.publish()
    assert is_to_refresh(place.home, place.project)
    NEW[what](place, monkeypatch)
    assert unchanged_build(place.home, place.project) is None
    assert is_to_refresh(place.home, place.project) == (what not in BEGINS_ANEW)


def test_a_full_refresh_needs_no_ledger(place: Place) -> None:
    """It makes a damaged one again. Any other build goes on from what the ledger says was read."""
    published = place.publish()
    ledger = python_model("stg_landing__logs")["ledger"]
    assert ledger(place.home, True).entries == ledger(place.home, False).entries != ()
    Path(published.tables["dim_logs"]).write_bytes(b"damage")
    assert ledger(place.home, True) == PublishedLogs()
    with pytest.raises(WarehouseError, match="dim_logs"):
        ledger(place.home, False)
