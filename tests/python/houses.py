"""Homes with tables that pyiceberg makes as Spark would, and processes that are killed."""

from __future__ import annotations

import gc
import os
import signal
import sys
import time
import traceback
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cached_property
from itertools import count
from mmap import mmap
from pathlib import Path
from typing import Any

import pyarrow as pa
from pyiceberg.catalog.sql import SqlCatalog

from scuttlehouse.catalog import checksums
from scuttlehouse.catalog.names import CATALOG, MAIN, PUBLISHED, WORK, Schemas
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.records import Build
from scuttlehouse.catalog.rows import point
from scuttlehouse.databases import Cursor
from small_warehouse import create_table

FLAGS = {"is_whole": True, "landing": "/logs", "kept_builds": 3}


@dataclass
class House:
    """A home and its tables, through pyiceberg. `address` is PostgreSQL's; it is empty for SQLite."""

    home: Path
    address: str = ""

    @contextmanager
    def iceberg(self) -> Iterator[SqlCatalog]:
        """The tables for pyiceberg. No connection stays open."""
        with open_catalog(self.home):  # pyiceberg finds the tables that we make.
            pass
        try:
            yield self._iceberg
        finally:
            self._iceberg.close()

    @cached_property
    def _iceberg(self) -> SqlCatalog:
        # It is made once, because it compiles its statements once. It connects again after it was closed.
        uri = f"sqlite:///{self.home}/catalog.db?timeout=60"
        if self.address:
            uri = self.address.replace("postgresql://", "postgresql+psycopg://")
        warehouse = str(self.home / "warehouse")
        return SqlCatalog(CATALOG, uri=uri, warehouse=warehouse, init_catalog_tables="false")

    def make(self, name: str, *numbers: int, namespace: str = WORK) -> str:
        """Create or replace a table with one column of numbers, and return its metadata file."""
        rows = pa.table({"number": pa.array(numbers, pa.int64())})
        with self.iceberg() as iceberg:
            if iceberg.table_exists((namespace, name)):
                table = iceberg.load_table((namespace, name))
                table.overwrite(rows)
            else:
                location = self.home / "warehouse" / namespace / name
                table = create_table(iceberg, (namespace, name), rows.schema, location, [rows])
        self.write_sidecars()
        return table.metadata_location

    def append(self, name: str, *numbers: int, namespace: str = WORK) -> None:
        with self.iceberg() as iceberg:
            table = iceberg.load_table((namespace, name))
            table.append(pa.table({"number": pa.array(numbers, pa.int64())}))
        self.write_sidecars()

    def write_sidecars(self) -> None:
        for path in self.files():
            if path.suffix != ".crc" and not checksums.sidecar(path).exists():
                checksums.write(path)

    def files(self) -> list[Path]:
        """All files of the warehouse."""
        found = os.walk(self.home / "warehouse")
        return sorted(Path(folder, name) for folder, _, names in found for name in names)

    def begin(
        self,
        build_id: str,
        *,
        refresh: bool = True,
        rebuilt: tuple[str, ...] = (),
        schemas: Schemas = MAIN,
    ) -> None:
        with open_catalog(self.home) as catalog:
            catalog.begin(
                build_id, "rules", "project", refresh=refresh, rebuilt=rebuilt, schemas=schemas
            )

    def publish(self, build_id: str, *public: str, **flags: Any) -> Build:
        with open_catalog(self.home) as catalog:
            return catalog.publish(build_id, public, **{**FLAGS, **flags})

    def build(self, build_id: str, numbers: Mapping[str, int]) -> Build:
        """A whole build: make these tables with one number each, and publish them."""
        self.begin(build_id)
        for name, number in numbers.items():
            self.make(name, number)
        return self.publish(build_id, *numbers)

    def roll_back(self, build_id: str | None = None) -> Build:
        with open_catalog(self.home) as catalog:
            return catalog.roll_back(build_id)

    def published(self) -> Build | None:
        with open_catalog(self.home, read_only=True) as catalog:
            return catalog.published()

    def kept(self) -> list[str]:
        with open_catalog(self.home, read_only=True) as catalog:
            return [build.build_id for build in catalog.kept()]

    def tables(self, namespace: str) -> dict[str, str]:
        with open_catalog(self.home) as catalog:
            return catalog.tables(namespace)

    def set_work(self, tables: Mapping[str, str]) -> None:
        """Make the work namespace name these metadata files, as a build does at its end."""
        with open_catalog(self.home) as catalog, catalog.database.transaction():
            point(catalog.database, WORK, tables)

    def read(self, namespace: str = PUBLISHED) -> dict[str, list[int]]:
        """The numbers in each table of a namespace, read by pyiceberg."""
        with self.iceberg() as iceberg:
            tables = [iceberg.load_table(name) for name in iceberg.list_tables(namespace)]
        return {
            table.name()[-1]: sorted(table.scan().to_arrow()["number"].to_pylist())
            for table in tables
        }

    def namespaces(self) -> set[str]:
        with self.iceberg() as iceberg:
            return {namespace for [namespace] in iceberg.list_namespaces()}


@contextmanager
def reader(*facts: Callable[[], None]) -> Iterator[Callable[[], None]]:
    """A process that checks facts again and again during a block. Each fact must always be true.

    The function that it yields waits until all facts have been checked again.
    """
    rounds = mmap(-1, 8)

    def check() -> None:
        for number in count(1):
            for fact in facts:
                fact()
            rounds[:] = number.to_bytes(8)

    process = fork(check)

    def wait() -> None:
        # The round that is running does not count.
        last = int.from_bytes(rounds[:]) + 2
        while int.from_bytes(rounds[:]) < last:
            assert os.waitpid(process, os.WNOHANG) == (0, 0), "a fact did not hold; see above"
            time.sleep(0.001)

    try:
        wait()
        yield wait
        wait()
    finally:
        with suppress(ProcessLookupError, ChildProcessError):
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)


def fork(work: Callable[[], object]) -> int:
    """Start a process that does some work. Its exit code is 0, 1 after an error, or that of SystemExit.

    No connection to SQLite may be open, because it does not work on both sides of a fork.
    """
    process = os.fork()
    if process:
        return process
    # Looking for garbage among the parent's objects would copy the memory of all of them.
    gc.freeze()
    code = 1
    try:
        work()
        code = 0
    except SystemExit as wanted:
        code = int(str(wanted.code))
    except BaseException:
        traceback.print_exc(file=sys.__stderr__)
    finally:
        os._exit(code)


def exit_code(process: int) -> int:
    """Wait for the end of a process. The exit code is negative if a signal ended it."""
    return os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])


def flip(path: Path, bit: int | None = None) -> None:
    """Flip one bit of a file, by default in its middle."""
    content = bytearray(path.read_bytes())
    bit = len(content) // 2 * 8 if bit is None else bit
    content[bit // 8] ^= 1 << bit % 8
    path.write_bytes(content)


class DyingCursor:
    """A cursor of a process that is killed before one of its statements, counted from 0."""

    def __init__(self, cursor: Cursor, last: int) -> None:
        self._cursor = cursor
        self._left = last

    def execute(self, *statement: Any) -> object:
        self._count()
        return self._cursor.execute(*statement)

    def executemany(self, *statement: Any) -> object:
        self._count()
        return self._cursor.executemany(*statement)

    def fetchall(self) -> list[Any]:
        return self._cursor.fetchall()

    def _count(self) -> None:
        if not self._left:
            os.kill(os.getpid(), signal.SIGKILL)
        self._left -= 1
