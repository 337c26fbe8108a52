"""The names of the catalog and its namespaces, and the error of this package."""

from __future__ import annotations

CATALOG = "warehouse"
WORK = "scuttlehouse_work"
LOG = "scuttlehouse_work_log"
BASE = "scuttlehouse_base"
PUBLISHED = "scuttlehouse"

BUILD_PREFIX = "scuttlehouse_build_"

NOTHING_PUBLISHED = "Nothing is published yet: run `scuttlehouse build` first."


class CatalogError(Exception):
    """The catalog or the home cannot be used. The message says what is wrong, where, and what to do."""


class UnreachableError(CatalogError):
    """A server does not answer, so nobody knows whether a file is there."""


def namespace_of_build(number: int) -> str:
    """The namespace that shows the public tables of a kept build.

    >>> namespace_of_build(12)
    'scuttlehouse_build_12'
    """
    return f"{BUILD_PREFIX}{number}"
