"""Which build each place of dashboards shows, in a file of the home.

A run that publishes nothing renews the log of runs alone. It must renew all tables if the run that published
them was killed before it did, or could not, or if the place is another one than before.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from scuttlehouse.catalog.opening import published_build
from scuttlehouse.warehouse_key import write_private

_FILE = "serving.json"


def published_id(home: Path) -> str | None:
    """The id of the published build. None if nothing is published.

    Raises:
        CatalogError: the catalog cannot be read.
    """
    published = published_build(home)
    return published.build_id if published else None


def shown_id(home: Path, place: str) -> str | None:
    """The build whose tables a place shows. None if nobody knows."""
    return _shown(home).get(place)


@contextmanager
def showing(home: Path, place: str, build_id: str | None) -> Iterator[None]:
    """In the block, a place gets the tables of a build. If the block does not end well, nobody knows.

    Raises:
        OSError: the home cannot be written.
    """
    _write(home, {name: shown for name, shown in _shown(home).items() if name != place})
    yield
    if build_id is not None:
        _write(home, {**_shown(home), place: build_id})


def _shown(home: Path) -> dict[str, str]:
    try:
        shown = json.loads((home / _FILE).read_bytes())
    except (OSError, ValueError):
        return {}
    return shown if isinstance(shown, dict) else {}


def _write(home: Path, shown: dict[str, str]) -> None:
    write_private(home / _FILE, json.dumps(shown).encode())
