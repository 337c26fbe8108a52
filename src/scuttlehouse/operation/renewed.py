"""Checks of what builds renew beside the tables: what dashboards read, and the file of metrics."""

from __future__ import annotations

import errno
import os

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.operation.findings import Finding
from scuttlehouse.operation.metrics import metrics_file, require_name, unwritten
from scuttlehouse.serving.duckdb_file import serving_file
from scuttlehouse.serving.postgresql import place_to_write, serving_database
from scuttlehouse.serving.shown import published_id, shown_id


def dashboards() -> Finding:
    """Whether what dashboards read can be written, and shows the published build."""
    home = home_folder()
    file, address = serving_file(home), serving_database()
    places = {file.name: str(file)} if file.exists() else {}
    if address:
        places[place_to_write(address)] = "the database that SCUTTLEHOUSE_SERVING names"
    if not places:
        return Finding("ok", "No file of dashboards, and SCUTTLEHOUSE_SERVING is not set")
    published = published_id(home)
    others = [said for place, said in places.items() if shown_id(home, place) != published]
    # A build publishes first, and renews them then.
    if published and others and not BuildLock(home).holder():
        return Finding(
            "warn",
            f"The published build is not in {' and '.join(others)}.",
            "Run `scuttlehouse export`, which writes it or says what is wrong.",
        )
    return Finding("ok", f"Builds renew {' and '.join(places.values())}")


def metrics() -> Finding:
    """Whether the file of metrics can be written."""
    path = metrics_file()
    if path is None:
        return Finding("ok", "SCUTTLEHOUSE_METRICS_FILE is not set")
    require_name(path)
    folder = path.parent
    if path.is_dir():
        raise unwritten(path, os.strerror(errno.EISDIR))
    if not folder.is_dir():
        raise unwritten(path, os.strerror(errno.ENOENT))
    if not os.access(folder, os.W_OK | os.X_OK):
        raise unwritten(path, os.strerror(errno.EACCES))
    return Finding("ok", f"Builds renew {path}")


RENEWED = {"dashboards": dashboards, "metrics": metrics}
