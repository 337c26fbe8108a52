"""Import slow modules in the background while Spark works."""

from __future__ import annotations

import importlib
import threading
from contextlib import suppress

# A build needs these at its end, for the expectations and the log of runs.
NEEDED = ("great_expectations", "pyiceberg.catalog.sql", "duckdb")


def import_ahead() -> None:
    """Import the modules that a build needs at its end, in a background thread.

    Code that imports one of them in the meantime waits for it, and gets the error if the import fails.
    """
    threading.Thread(target=_import_all, name="import_ahead", daemon=True).start()


def _import_all() -> None:
    for module in NEEDED:
        with suppress(Exception):
            importlib.import_module(module)
