"""Begin a build, publish it, or roll back to a kept one. Each is one transaction.

An Iceberg table is one row of the catalog, which names its metadata file. That file, and the files that it
names, never change. So the tables of a build are a list of metadata files, and publishing sets rows.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from scuttlehouse.catalog import definitions, names, rows
from scuttlehouse.catalog.database import CatalogDatabase
from scuttlehouse.catalog.names import LOG, PUBLISHED, WORK, CatalogError, Schemas
from scuttlehouse.catalog.readers import open_to_readers
from scuttlehouse.catalog.records import Build, State, Work


class Catalog:
    """The catalog of a home. :func:`scuttlehouse.catalog.opening.open_catalog` opens it.

    Every method raises :class:`CatalogError` if a record is damaged, and then changes nothing.
    """

    def __init__(self, database: CatalogDatabase) -> None:
        self.database = database

    def published(self) -> Build | None:
        """The published build. None if there is none."""
        return _published(*rows.read_records(self.database))

    def kept(self) -> list[Build]:
        """The kept builds: first the published one, then the older ones, then those rolled back from."""
        state, builds = rows.read_records(self.database)
        return [builds[build_id] for build_id in state.in_order(_numbers(builds))]

    def work(self, schemas: Schemas) -> Work | None:
        """The build that began last in a work namespace. None if none has begun."""
        return rows.read_records(self.database)[0].works.get(schemas.work)

    def tables(self, namespace: str) -> dict[str, str]:
        """The metadata file of each table in a namespace, by name."""
        return rows.tables_in(self.database, namespace)

    def metadata_files(self) -> dict[str, str]:
        """The metadata files that any namespace or kept build names, each with the name of its table."""
        files = rows.all_tables(self.database)
        for build in self.kept():
            for tables in build.tables, build.views, build.public:
                files |= {
                    file: f"{name} of the build {build.build_id}" for name, file in tables.items()
                }
        return files

    def begin(
        self,
        build_id: str,
        rules_hash: str,
        project_hash: str,
        *,
        refresh: bool,
        rebuilt: Collection[str],
        schemas: Schemas,
        landing: str = "",
        is_full_refresh: bool = False,
    ) -> None:
        """Set the work namespace to the published build, and drop its earlier content.

        A developer's log begins as a copy of the published one.

        Args:
            refresh: the build starts from the published tables. The base namespace then names them.
            rebuilt: for a build that is not a refresh: the tables that it makes from nothing.
            landing, is_full_refresh: the folder of the logs, and whether all tables are made from them: for a
                retry of the build.

        Raises:
            CatalogError: a metadata file that the build starts from is missing or damaged.
        """
        with self.database.transaction():
            state, builds = rows.read_records(self.database)
            base, left_out = _published(state, builds), () if refresh else rebuilt
            tables = _without(base.tables, left_out) if base else {}
            views = _without(base.views, left_out) if base else {}
            if base:
                base.verify(views | tables, names.START_ANEW)
            for statement in definitions.FENCE if self.database.is_postgresql else ():
                self.database.execute(statement)
            rows.point(self.database, schemas.work, tables, views)
            rows.point(self.database, schemas.base, base.tables if base and refresh else {})
            rows.point(self.database, schemas.log, self.tables(schemas.log) or self.tables(LOG))
            if schemas.is_published:
                self._point_to_public(state, builds)
            work = Work(
                build_id,
                state.published,
                rules_hash,
                project_hash,
                landing=landing,
                is_full_refresh=is_full_refresh,
            )
            work = work.built_by(definitions.BUILDER, state.works.get(schemas.work))
            rows.write_state(self.database, state.with_work(schemas.work, work))

    def go_on(self, build_id: str, schemas: Schemas, *, changed: bool = False) -> None:
        """Give the work namespace as it is to another build, which goes on with it: a retry.

        If the project has ``changed`` since, the build has none: not all has passed by one of the two.
        """
        with self.database.transaction():
            state, _ = rows.read_records(self.database)
            before = state.works[schemas.work]
            project = "" if changed else before.project_hash
            work = replace(before, build_id=build_id, project_hash=project, passed=None)
            work = work.built_by(definitions.BUILDER, before)
            rows.write_state(self.database, state.with_work(schemas.work, work))

    def record_passed(self, build_id: str, passed: Collection[str], schemas: Schemas) -> None:
        """Record that a build has ended, and what has passed. Do nothing if another one has begun since."""
        with self.database.transaction():
            state, _ = rows.read_records(self.database)
            work = state.works.get(schemas.work)
            if work is None or work.build_id != build_id:
                return
            work = replace(work, passed=tuple(sorted(passed)))
            rows.write_state(self.database, state.with_work(schemas.work, work))

    def drop_work(self, schemas: Schemas) -> None:
        """Drop the namespaces of a developer."""
        with self.database.transaction():
            state, _ = rows.read_records(self.database)
            for namespace in schemas.work, schemas.base, schemas.log, schemas.failures:
                rows.drop(self.database, namespace)
            rows.write_state(self.database, state.with_work(schemas.work, None))

    def publish(
        self,
        build_id: str,
        public: Collection[str],
        *,
        is_whole: bool,
        landing: str,
        kept_builds: int,
        as_before: Collection[str] = (),
        is_tested: bool = True,
    ) -> Build:
        """Publish tables of the work namespace, and keep the build.

        Args:
            public: the tables to publish. If the build is whole, other tables are no longer published;
                otherwise they stay as they are. Tables of the log are published as they are.
            is_whole: whether these are all public tables of the project.
            kept_builds: how many builds to keep, including this one; at least 1.
            as_before: tables that the next build finds as the last published build left them, if it did.
                Then the folder is that of this last one, too.
            is_tested: whether all tests of the project have passed. If not, the build has no project.

        Raises:
            CatalogError: another build was published or has begun meanwhile, another program
                changed the published namespace, or a table is missing; nothing is changed then.
        """
        with self.database.transaction():
            state, builds = rows.read_records(self.database)
            base = _published(state, builds)
            before = base.public if base else {}
            tables, log = self.tables(WORK), self.tables(LOG)
            work = _work_to_publish(
                build_id,
                state,
                changed=_without(self.tables(PUBLISHED), log).items() ^ before.items(),
                missing=set(public) - tables.keys() - log.keys(),
            )
            kept = {name: base.tables[name] for name in as_before if base and name in base.tables}
            build = Build(
                build_id=build_id,
                number=state.last_number + 1,
                published_at=f"{datetime.now(UTC):%Y-%m-%d %H:%M:%S UTC}",
                is_whole=is_whole,
                replaced=state.published,
                rules_hash=work.rules_hash,
                project_hash=work.project_hash if is_tested else "",
                landing=base.landing if base and as_before else landing,
                tables=_without(tables, as_before) | kept,
                views=rows.tables_in(self.database, WORK, "VIEW"),
                public=({} if is_whole else dict(before))
                | {name: tables[name] for name in public if name not in log},
            )
            state = replace(
                state,
                published=build_id,
                builds=(build_id, *state.in_order(_numbers(builds)))[:kept_builds],
                last_number=build.number,
            )
            rows.write_build(self.database, build)
            self._point_to_public(state, {**builds, build_id: build})
            rows.write_state(self.database, state)
        return build

    def roll_back(self, build_id: str | None) -> Build:
        """Publish a kept build again: the named one, or the newest one that is older than the published one.

        The work namespace is set to this build, too, so no damage there stops the next build. A retry of an
        earlier build cannot publish what this has replaced.

        Raises:
            CatalogError: the build is not kept or is already published, or one of its metadata files is
                missing or damaged.
        """
        with self.database.transaction():
            state, builds = rows.read_records(self.database)
            build = builds[state.rolled_back(build_id, _numbers(builds))]
            build.verify(build.public, "Choose another build of `scuttlehouse rollback --list`.")
            rows.point(self.database, WORK, build.tables, build.views)
            state = replace(state, published=build.build_id)
            work = state.works.get(WORK)
            if work and work.passed:
                state = state.with_work(WORK, replace(work, passed=()))
            self._point_to_public(state, builds)
            rows.write_state(self.database, state)
        return build

    def move_log(self) -> None:
        """Publish the log of runs as it is now."""
        with self.database.transaction():
            published = self.tables(PUBLISHED) | self.tables(LOG)
            home = rows.read_records(self.database)[0].home
            # Not only those of the log: the readers may be others than when the build published the rest.
            open_to_readers(Path(home), published.values())
            rows.point(self.database, PUBLISHED, published)

    def drop_log(self, schemas: Schemas) -> None:
        """Forget a log of runs. The next build begins a new one."""
        with self.database.transaction():
            log = self.tables(schemas.log)
            rows.point(self.database, schemas.log, {})
            if schemas.is_published:
                rows.point(self.database, PUBLISHED, _without(self.tables(PUBLISHED), log))

    def _point_to_public(self, state: State, builds: Mapping[str, Build]) -> None:
        """Set the published namespace and those of kept builds, and drop the namespaces of other builds."""
        base = _published(state, builds)
        published = (dict(base.public) if base else {}) | self.tables(LOG)
        open_to_readers(Path(state.home), published.values())
        rows.point(self.database, PUBLISHED, published)
        kept = [builds[build_id] for build_id in state.builds]
        of_builds = {names.namespace_of_build(build.number): build.public for build in kept}
        for namespace, public in of_builds.items():
            rows.point(self.database, namespace, public)
        for namespace in rows.namespaces(self.database) - of_builds.keys():
            if namespace.startswith(names.BUILD_PREFIX):
                rows.drop(self.database, namespace)


def _numbers(builds: Mapping[str, Build]) -> dict[str, int]:
    return {build_id: build.number for build_id, build in builds.items()}


def _published(state: State, builds: Mapping[str, Build]) -> Build | None:
    return builds[state.published] if state.published else None


def _work_to_publish(
    build_id: str, state: State, changed: Set[tuple[str, str]], missing: Set[str]
) -> Work:
    """The build of the work namespace, if it is this one and may be published.

    ``changed``: the tables, and their files, of which the published namespace has others than the published
    build. ``missing``: the tables to publish that are not there. :meth:`Catalog.publish` says what is raised.
    """
    cannot = f"The build {build_id} cannot be published:"
    work = state.works.get(WORK)
    if work is None or work.base_id != state.published:
        raise CatalogError(
            f"{cannot} the build {state.published} was published since it began. Build again."
        )
    # A connection to PostgreSQL that is cut takes its lock along: then two may build at once.
    if work.build_id != build_id:
        raise CatalogError(
            f"{cannot} it lost its lock, and the build {work.build_id} has begun since. Wait "
            "until that one ends, and build again."
        )
    if changed:
        raise CatalogError(
            f"{cannot} another program changed {_list({name for name, _ in changed})} in the "
            f"namespace {PUBLISHED}, which only builds write. Build again, which repairs it."
        )
    if missing:
        raise CatalogError(
            f"{cannot} the namespace {WORK} has no table {_list(missing)}. "
            "Build every public model, as a table."
        )
    return work


def _without(tables: Mapping[str, str], left_out: Collection[str]) -> dict[str, str]:
    return {name: file for name, file in tables.items() if name not in left_out}


def _list(tables: Collection[str]) -> str:
    return ", ".join(sorted(tables))
