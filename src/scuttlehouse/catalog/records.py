"""The catalog's records of builds. Each is a JSON text with a checksum."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from scuttlehouse.catalog.checksums import verify_table
from scuttlehouse.catalog.names import CatalogError, NothingPublishedError

# So many builders in a row that lost their locks and still run are kept out.
_MOST_SUPERSEDED = 50


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
        project_hash: the hash of the project at that time. Empty if it changed before a retry, or if not all
            of its tests have passed: then the next build tests all rows.
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

    @property
    def published_moment(self) -> datetime:
        """When it was published."""
        return datetime.strptime(self.published_at, "%Y-%m-%d %H:%M:%S %Z").replace(tzinfo=UTC)

    def can_be_refreshed(self, rules_hash: str, landing: str) -> bool:
        """Whether a build with these rules and this folder can keep the rows that no new line touches."""
        same = self.rules_hash == rules_hash and self.landing == landing
        return same and self.is_whole

    def verify(self, tables: Mapping[str, str], advice: str) -> None:
        """Compare metadata files of some tables of the build with their checksums.

        Raises:
            UnusableError: a file is missing or damaged. The message names the table and the file.
        """
        for name, file in tables.items():
            verify_table(f"{name} of the build {self.build_id}", file, advice)


@dataclass(frozen=True)
class Work:
    """The build that began last and owns a work namespace.

    Attributes:
        base_id: the build that was published then; None if there was none.
        passed: the nodes that have passed in it and in the build that it retries. None until it ends: a
            killed build never ends.
        builder: the process that builds.
        superseded: the processes that built before it, newest first.
        landing: the folder of the logs. Empty if an earlier version began the build.
        is_full_refresh: whether it makes all tables from the logs.
    """

    build_id: str
    base_id: str | None
    rules_hash: str
    project_hash: str
    passed: tuple[str, ...] | None = None
    builder: str = field(default="", compare=False)
    superseded: tuple[str, ...] = field(default=(), compare=False)
    landing: str = ""
    is_full_refresh: bool = False

    def built_by(self, builder: str, before: Work | None) -> Work:
        """The same build by a process. The one that built before may write no table any more.

        >>> of_earlier_version = Work("1", None, "", "")
        >>> first = of_earlier_version.built_by("a", of_earlier_version)
        >>> second = first.built_by("b", first)
        >>> first.superseded, second.superseded, second.built_by("b", second).superseded
        ((), ('a',), ('a',))
        >>> second.built_by("c", second).superseded
        ('b', 'a')
        """
        earlier = (before.builder, *before.superseded) if before else ()
        superseded = tuple(one for one in earlier if one not in ("", builder))
        return replace(self, builder=builder, superseded=superseded[:_MOST_SUPERSEDED])


@dataclass(frozen=True)
class State:
    """The state of the catalog.

    Attributes:
        home: the folder of the warehouse.
        published: the published build.
        builds: the kept builds, in the order in which they replaced each other: the newest first.
        last_number: the number of the build that was published last.
        works: the build that began last, by its work namespace.
    """

    home: str
    published: str | None = None
    builds: tuple[str, ...] = ()
    last_number: int = 0
    works: Mapping[str, Work] = field(default_factory=dict)

    def with_work(self, namespace: str, work: Work | None) -> State:
        """The state after another build has begun in a work namespace. None if the namespace is dropped."""
        works = {**self.works, namespace: work}
        return replace(self, works={name: one for name, one in works.items() if one is not None})

    def in_order(self, numbers: Mapping[str, int]) -> tuple[str, ...]:
        """The kept builds: first the published one, then the older ones, then those rolled back from.

        Args:
            numbers: the number of each kept build.

        >>> numbers = {"a": 1, "b": 2, "c": 3, "d": 4}
        >>> State("/home", "b", ("d", "c", "b", "a")).in_order(numbers)
        ('b', 'a', 'd', 'c')
        >>> State("/home", "a", ("d", "a", "c")).in_order(numbers)
        ('a', 'c', 'd')
        """
        if self.published is None:
            return ()
        place = self.builds.index(self.published)
        others = self.builds[place + 1 :] + self.builds[:place]
        return self.published, *sorted(others, key=lambda one: not self._is_older(one, numbers))

    def _is_older(self, build_id: str, numbers: Mapping[str, int]) -> bool:
        """Whether a build is older than the published one. One that it was rolled back from may be newer."""
        return self.published is not None and numbers[build_id] < numbers[self.published]

    def rolled_back(self, build_id: str | None, numbers: Mapping[str, int]) -> str:
        """The build that a rollback publishes: the named one, or the newest one before the published one.

        Args:
            numbers: the number of each kept build.

        Raises:
            CatalogError: there is no such build.
        """
        if self.published is None:
            raise NothingPublishedError(self.home)
        if build_id == self.published:
            raise CatalogError(f"The build {build_id} is already published.")
        if build_id is None:
            older = [one for one in self.in_order(numbers) if self._is_older(one, numbers)]
            if not older:
                raise CatalogError(
                    "No kept build is older than the published one "
                    "(the var kept_builds says how many builds are kept)."
                )
            return older[0]
        if build_id not in self.builds:
            raise CatalogError(
                f"The build {build_id} is not kept. The kept builds are: {', '.join(self.builds)} "
                "(the var kept_builds says how many builds are kept)."
            )
        return build_id


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
    values = _with_tuples(_open(text, checksum))
    works = {name: Work(**_with_tuples(work)) for name, work in values["works"].items()}
    return State(**{**values, "works": works})


def _with_tuples(values: Mapping[str, Any]) -> dict[str, Any]:
    """The values of a record with tuples, in place of which JSON has lists."""
    return {name: tuple(v) if isinstance(v, list) else v for name, v in values.items()}


def _open(text: str, checksum: str) -> dict[str, Any]:
    if sha256(str(text).encode()).hexdigest() != checksum:
        raise CatalogError("A record does not match its checksum.")
    values: dict[str, Any] = json.loads(text)
    return values
