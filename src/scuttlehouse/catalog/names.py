"""The names of the catalog and its namespaces, and the error of this package."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from scuttlehouse.errors import HouseError

CATALOG = "warehouse"
WORK = "scuttlehouse_work"
PUBLISHED = "scuttlehouse"

# The log of runs. It is no table of a build, so no rollback changes it.
LOG_TABLE = "fct_builds"
# The statuses of runs in which nothing failed. An `unpublished` one ran a part, or another command.
ENDED_WELL = ("published", "unpublished", "unchanged")

_DEVELOPER = re.compile(r"scuttlehouse_dev_[a-z0-9]+")

BUILD_PREFIX = "scuttlehouse_build_"

# What to do if a file is missing or damaged.
START_ANEW = (
    "Restore the file from a backup, go back with `scuttlehouse rollback`, or run `scuttlehouse build "
    "--full-refresh`, which reads all logs again."
)
# In another home: unlike a full refresh, its first build knows no earlier one and can tell of no lost log.
FROM_NOTHING = "which reads all logs again: first put back those that you moved to an archive."
BEGIN_LOG = (
    "Restore the file from a backup, or run `scuttlehouse build --full-refresh`, which reads all logs again "
    "and begins a new log of runs."
)


class CatalogError(HouseError):
    """The catalog or the home cannot be used. The message says what is wrong, where, and what to do."""


class NothingPublishedError(CatalogError):
    """A home before its first build, or a folder that is no home."""

    def __init__(self, home: Path | str) -> None:
        super().__init__(
            f"Nothing is published yet in {home}: run `scuttlehouse build` first, or set SCUTTLEHOUSE_HOME "
            "to the folder of a warehouse."
        )


class UnusableError(CatalogError):
    """A table cannot be used as it is, however often one tries: a file is missing or damaged, for instance.

    A lock, a full disk and a server that does not answer are other errors, because they may pass.
    """


@dataclass(frozen=True)
class Schemas:
    """The namespaces that a build writes.

    Attributes:
        work: the schema of dbt's target: the tables that are built and tested.
    """

    work: str

    @property
    def base(self) -> str:
        """The tables that a refresh starts from."""
        return f"{self.work}_base"

    @property
    def log(self) -> str:
        """The log of runs: models with ``schema='log'``."""
        return f"{self.work}_log"

    @property
    def failures(self) -> str:
        """Where dbt puts rows that fail a test, with ``--store-failures``, until it replaces them."""
        return f"{self.work}_dbt_test__audit"

    @property
    def is_published(self) -> bool:
        """Whether the builds are published. Those of a developer are not."""
        return self.work == WORK


MAIN = Schemas(WORK)
BASE, LOG = MAIN.base, MAIN.log


def schemas_of(target_schema: str) -> Schemas:
    """The namespaces of a build with this target.

    Raises:
        CatalogError: no build may write this schema.

    >>> schemas_of("scuttlehouse_dev_ann").log
    'scuttlehouse_dev_ann_log'
    >>> schemas_of("scuttlehouse_dev_Ann-Lee")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    scuttlehouse.catalog.names.CatalogError: The target has the schema 'scuttlehouse_dev_Ann-Lee': it must ...
    """
    if target_schema != WORK and not _DEVELOPER.fullmatch(target_schema):
        raise CatalogError(
            f"The target has the schema {target_schema!r}: it must be {WORK}, or scuttlehouse_dev_ and the "
            "name of a developer. Set SCUTTLEHOUSE_DEVELOPER to a name in small letters and digits."
        )
    return Schemas(target_schema)


def advice_for(table: str) -> str:
    """What to do if a file of a table is missing or damaged."""
    return BEGIN_LOG if table == LOG_TABLE else START_ANEW


def namespace_of_build(number: int) -> str:
    """The namespace that shows the public tables of a kept build.

    >>> namespace_of_build(12)
    'scuttlehouse_build_12'
    """
    return f"{BUILD_PREFIX}{number}"
