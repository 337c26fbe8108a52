"""Import slow modules in the background while Spark works."""

from __future__ import annotations

import importlib
import sys
import threading
from contextlib import suppress
from types import ModuleType

# A build needs these at its end, for the expectations and the log of runs.
NEEDED = ("great_expectations", "pyiceberg.catalog.sql", "duckdb")

# This takes a third of Great Expectations' import time, and only expectations that we do not use need it.
POSTPONED = ("scipy.stats",)


class _Postponed(ModuleType):
    """A placeholder for a module. The first access to an attribute imports the module."""

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self.__name__), name)


def import_ahead() -> None:
    """Import the modules that a build needs at its end, in a background thread.

    Code that imports one of them in the meantime waits for it, and gets the error if the import fails.
    """
    threading.Thread(target=_import_all, name="import_ahead", daemon=True).start()


def _import_all() -> None:
    for module in POSTPONED:
        with suppress(Exception):
            postpone(module)
    for module in NEEDED:
        with suppress(Exception):
            importlib.import_module(module)


def postpone(module: str) -> None:
    """Make ``from package import module`` import nothing until the module is used.

    A module that is already imported stays as it is.

    Raises:
        ImportError: there is no such package.

    >>> postpone("wsgiref.headers")
    >>> from wsgiref import headers
    >>> "wsgiref.headers" in sys.modules
    False
    >>> headers.Headers([("feed", "alice")])["feed"]
    'alice'
    >>> "wsgiref.headers" in sys.modules
    True
    """
    package, _, name = module.rpartition(".")
    if module not in sys.modules:
        setattr(importlib.import_module(package), name, _Postponed(module))
