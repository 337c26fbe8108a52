"""Modules imported ahead of what needs them, and those that nobody needs not at all."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable
from contextlib import suppress
from types import ModuleType


class _Postponed(ModuleType):
    """Stands for a module, which is imported when something in it is asked for."""

    def __getattr__(self, name: str) -> object:
        return getattr(importlib.import_module(self.__name__), name)


def import_all(modules: Iterable[str], postponed: Iterable[str]) -> None:
    """Import ``modules``, but ``postponed`` ones only when something in them is asked for.

    What cannot be imported is left for those to tell who need it.
    """
    for module in postponed:
        with suppress(Exception):
            postpone(module)
    for module in modules:
        with suppress(Exception):
            importlib.import_module(module)


def postpone(module: str) -> None:
    """Let ``from package import module`` import nothing, if nobody has imported the module yet.

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
