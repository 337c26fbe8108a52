"""The catalog's records of builds. Each is a JSON text with a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from hashlib import sha256
from typing import Any

from scuttlehouse.catalog.names import CatalogError


@dataclass(frozen=True)
class Build:
    """A kept build.

    Attributes:
        build_id: dbt's invocation id.
        number: 1 for the first published build of the home, then one more for each.
        published_at: UTC, for example ``2026-01-31 23:59:59 UTC``.
        is_whole: whether the build made all public tables of the project.
        replaced: the build that was published before; None for the first.
        rules_hash: the hash of the rules at that time.
        project_hash: the hash of the project at that time.
        landing: the folder of the logs.
        tables: the metadata file of every table of the work namespace, by name.
        views: the same for the views of the work namespace.
        public: the metadata file of every public table, by name.
    """

    build_id: str
    number: int
    published_at: str
    is_whole: bool
    replaced: str | None
    rules_hash: str
    project_hash: str
    landing: str
    tables: Mapping[str, str]
    views: Mapping[str, str]
    public: Mapping[str, str]

    def can_be_refreshed(self, rules_hash: str, landing: str) -> bool:
        """Whether a build with these rules and this folder can keep the rows that no new line touches."""
        same = self.rules_hash == rules_hash and self.landing == landing
        return same and self.is_whole


@dataclass(frozen=True)
class Work:
    """The build that began last and owns the work namespace. ``base_id`` is None if nothing was published."""

    build_id: str
    base_id: str | None
    rules_hash: str
    project_hash: str


@dataclass(frozen=True)
class State:
    """The state of the catalog: its home, the published build, and the kept builds, newest first."""

    home: str
    published: str | None = None
    builds: tuple[str, ...] = ()
    last_number: int = 0
    work: Work | None = None

    def in_order(self) -> tuple[str, ...]:
        """The kept builds: first the published one, then the older ones, then those rolled back from.

        >>> State("/home", "b", ("d", "c", "b", "a")).in_order()
        ('b', 'a', 'd', 'c')
        """
        if self.published is None:
            return ()
        place = self.builds.index(self.published)
        return self.builds[place:] + self.builds[:place]


def seal(record: Build | State) -> tuple[str, str]:
    """A record as JSON, and the SHA-256 checksum of that text.

    >>> text, checksum = seal(State("/home"))
    >>> state_of(text, checksum).home
    '/home'
    """
    text = json.dumps(asdict(record), sort_keys=True)
    return text, sha256(text.encode()).hexdigest()


def build_of(text: str, checksum: str) -> Build:
    """The build in a record.

    Raises:
        CatalogError: the record is damaged.
    """
    return Build(**_open(text, checksum))


def state_of(text: str, checksum: str) -> State:
    """The state in a record.

    Raises:
        CatalogError: the record is damaged.
    """
    values = _open(text, checksum)
    work = values["work"] and Work(**values["work"])
    return State(**{**values, "builds": tuple(values["builds"]), "work": work})


def _open(text: str, checksum: str) -> dict[str, Any]:
    if sha256(str(text).encode()).hexdigest() != checksum:
        raise CatalogError("A record does not match its checksum.")
    values: dict[str, Any] = json.loads(text)
    return values
