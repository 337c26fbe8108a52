"""Modules that take long to import, imported while Spark works."""

from __future__ import annotations

import importlib
import sys
import threading
from contextlib import suppress
from types import ModuleType

# What a build needs when it ends: the expectations, and the log of runs.
NEEDED = ("great_expectations", "pyiceberg.catalog.sql", "duckdb")

# A third of the time of Great Expectations: statistics for expectations that are not ours.
POSTPONED = ("scipy.stats",)


class _Postponed(ModuleType):
    """Stands for a module. Asking for something in it imports it."""

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self.__name__), name)


def import_ahead() -> None:
    """Import what a build needs at its end in a thread of its own.

    Code that imports one of these modules meanwhile waits for it. It also reports what cannot be imported.
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
    """Let ``from package import module`` import nothing, if the module is not imported yet.

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
