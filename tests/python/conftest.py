"""One warehouse for all tests that need one: real dbt builds of the project, in one Spark session.

Builds run in this process, where a warm build takes a third of the time. :meth:`Warehouse.start` and
:meth:`Warehouse.run` run commands in new processes.
"""

from __future__ import annotations

import gc
import os
import random
import shutil
import subprocess
import sys
import tarfile
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager, redirect_stderr, redirect_stdout
from dataclasses import dataclass
from datetime import datetime
from importlib.util import module_from_spec, spec_from_file_location
from itertools import count
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import pyarrow as pa
import pytest
import yaml

import examples
import postgresql
from houses import House
from manifest import Manifest, read_manifest
from scuttlehouse.builds import ending
from scuttlehouse.builds.publishable import public_models
from scuttlehouse.catalog.home import prepare_home
from scuttlehouse.cli import main
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.serving.duckdb_file import write_serving_file
from settings_of_people import forget_settings

if TYPE_CHECKING:
    from test_figures import Figures
    from test_planted_keys import Remains
    from test_publishing import Retried
    from test_tribes2 import Tables
    from test_written_histories import Histories

forget_settings()

PROJECT = Path(__file__).parents[2]
FIXTURES = Path(__file__).parent / "fixtures"
BIN = Path(sys.executable).parent
MARTS = sorted(
    path.stem
    for folder, kind in (("models", "sql"), ("python_models", "py"))
    for path in (PROJECT / folder / "marts").rglob(f"*.{kind}")
)

PUBLISHED = sorted([*MARTS, "fct_quality_results"])
# The tables about builds, and not about logs.
OF_BUILDS = {"fct_timeline_updates", "fct_quality_results", "dim_logs"}

# Fixtures of builds that tests of several files read.
SHARED = {"built", "unrelated_logs", "last_logs"}

# What is read from logs. All other tables follow from these, from rejected lines, and from which log holds
# which opened message.
READ_FROM_LOGS = (
    "stg_ssb__messages",
    "stg_ssb__tangle_fields",
    "stg_ssb__group_messages",
    "stg_ssb__feed_announcements",
    "stg_ssb__log_feeds",
    "stg_ssb__names",
    "stg_pzp__messages",
    "int_logs__owners",
)

Rows = list[dict[str, Any]]
Read = TypeVar("Read")


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Mark tests that need Spark or PostgreSQL, and leave out some cases.

    Those of Spark are put into two processes, one for tests that share builds.
    """
    for item in items:
        fixtures = getattr(item, "fixturenames", ())
        parameters = item.callspec.params.values() if hasattr(item, "callspec") else ()
        if "postgresql_url" in fixtures or "postgresql" in parameters:
            item.add_marker(pytest.mark.postgresql)
        if "warehouse" in fixtures:
            item.add_marker(pytest.mark.spark)
            group = "warehouse" if SHARED.isdisjoint(fixtures) else "shared"
            item.add_marker(pytest.mark.xdist_group(group))
    leave_out_cases(config, items)


def pytest_collection_finish() -> None:
    """Python's collector need not scan what importing all tests has made again and again."""
    gc.freeze()


def leave_out_cases(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of tests of a product, keep a share of the cases, and if few examples are tried, a few of each test.

    Every run keeps others. Both processes of a run keep the same.
    """
    dice = random.Random(os.environ.get("PYTEST_XDIST_TESTRUNUID"))
    cases = defaultdict(list)
    for item in items:
        cases[item.nodeid.partition("[")[0]].append(item)
    kept = set[pytest.Item]()
    for found in cases.values():
        if examples.are_few():
            kept |= {*dice.sample(found, min(examples.FEW_CASES, len(found)))}
        elif found[0].get_closest_marker("product"):
            chosen = examples.share_of_product([item.callspec.params for item in found], dice)
            kept |= {found[place] for place in chosen}
        else:
            kept |= {*found}
    config.hook.pytest_deselected(items=[item for item in items if item not in kept])
    items[:] = [item for item in items if item in kept]


class Warehouse:
    """A warehouse in its own folder, built by dbt as a user would build it.

    `project` is a copy of the project, which a test may break. It also holds dbt's target and logs.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.home = folder / "home"
        self.landing = folder / "landing"
        self.project = folder / "project"
        self.temporary = folder / "temporary"
        for part in [self.home, self.landing, self.project, self.temporary]:
            part.mkdir(parents=True)
        config = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())
        shutil.copy(PROJECT / "dbt_project.yml", self.project)
        for kind in ("model", "macro", "seed", "test"):
            for path in config[f"{kind}-paths"]:
                shutil.copytree(PROJECT / path, self.project / path)
        for name in ("profiles", "schedules"):
            shutil.copytree(PROJECT / name, self.project / name)

    @property
    def environment(self) -> dict[str, str]:
        return {"SCUTTLEHOUSE_HOME": str(self.home), "SCUTTLEHOUSE_LANDING": str(self.landing)}

    @property
    def environment_of_processes(self) -> dict[str, str]:
        temporary = str(self.temporary)
        return {**self.environment, "TMPDIR": temporary, "SPARK_LOCAL_DIRS": temporary}

    def land(self, *logs: Path) -> dict[Path, str]:
        """Put these logs into the landing folder, and no others: their names there. They keep their times."""
        if self.landing.is_file():
            self.landing.unlink()
        shutil.rmtree(self.landing, ignore_errors=True)
        self.landing.mkdir()
        names = {log: f"{number:03d}-{log.name}" for number, log in enumerate(logs)}
        for log, name in names.items():
            shutil.copy2(log, self.landing / name)
        return names

    def dbt(self, *arguments: str, is_quiet: bool = True) -> Any:
        """Run dbt in this process and return its result, even if it failed."""
        from dbt.cli.main import dbtRunner

        where = ["--project-dir", str(self.project), "--profiles-dir", str(self.profiles)]
        if is_quiet:
            where += ["--quiet"]
        if {"--vars", "--target"} & {*arguments}:
            # dbt parses the whole project again if they differ from those of its last run in a folder.
            where += ["--target-path", str(self.project / "target" / "of_other_settings")]
        with pytest.MonkeyPatch.context() as patch:
            for name, value in self.environment.items():
                patch.setenv(name, value)
            return dbtRunner().invoke([*arguments, *where])

    @property
    def profiles(self) -> Path:
        return self.project / "profiles"

    def build(self, *arguments: str) -> None:
        """Build only the landed logs. If anything fails, fail the test with dbt's message."""
        self.refresh(*arguments, "--full-refresh", "--no-write-json")

    def refresh(self, *arguments: str) -> None:
        """The same, starting from what is published."""
        outcome = self.dbt(*arguments)
        messages = [
            f"{result.node.name}: {result.message}"
            for result in outcome.result or []
            if result.status in ("error", "fail")
        ]
        assert outcome.success, outcome.exception or "\n".join(messages)

    def roll_back(self, *options: str) -> None:
        """Run `scuttlehouse rollback` in this process."""
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(self.project)
            for name, value in self.environment.items():
                patch.setenv(name, value)
            assert main(["rollback", *options]) == 0

    def build_marts(self, *options: str) -> None:
        """Build every mart, without tests and without publishing."""
        marts = ["+path:models/marts", "+path:python_models/marts"]
        self.build("build", "-s", *marts, "--exclude-resource-types", "test", "unit_test", *options)

    @contextmanager
    def published_unchecked(self) -> Iterator[None]:
        """For a block, builds publish without tests and expectations, for tests of the tables' content."""

        def all_tables(nodes: Any, _: Any, schema: str, **__: bool) -> set[str]:
            return set(public_models(nodes, schema))

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(ending, "publishable", all_tables)
            yield

    def put_messages(self, messages: Rows, before: Sequence[str]) -> None:
        """Build the inputs of some models from no message, then write these messages to the staging table."""
        log = self.folder / "nothing.jsonl"
        log.write_text("{}\n")
        self.land(log)
        needed = (f"+{model}" for model in before)
        self.build("build", "-s", *needed, "--exclude-resource-types", "test", "unit_test")
        frame = self.session.createDataFrame(pa.Table.from_pylist(messages))
        frame.createOrReplaceTempView("landed")
        values = ", ".join(
            f"cast({name if name in messages[0] else 'null'} as {kind}) as {name}"
            for name, kind in self.session.table("scuttlehouse_work.stg_ssb__messages").dtypes
        )
        self.rows(f"create or replace table stg_ssb__messages as select {values} from landed")

    def rows(self, query: str) -> Rows:
        """The rows of a query over the tables of the last build, published or not."""
        session = self.session
        session.sql("use scuttlehouse_work")
        return [row.asDict() for row in session.sql(query).collect()]

    @property
    def session(self) -> Any:
        """The session of this process, opened in the same way as dbt opens it."""
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        if SparkContext._active_spark_context is None:
            assert self.dbt("debug").success
        return SparkSession.builder.getOrCreate()

    def published(self) -> dict[str, Rows]:
        """The rows of every published table except the log of runs. Equal rows are in equal order."""
        with open_published(self.home) as tables:
            found = {}
            for name in PUBLISHED:
                columns, rows = tables.query(f"select * from {name}")
                values = (dict(zip(columns, map(without_zone, row), strict=True)) for row in rows)
                found[name] = sorted(values, key=repr)
        return found

    def start(
        self, *command: str, stderr: int = subprocess.PIPE, **environment: str
    ) -> subprocess.Popen[str]:
        """Start a command of the environment in the project, in a new process."""
        return subprocess.Popen(
            [str(BIN / command[0]), *command[1:]],
            cwd=self.project,
            env={**os.environ, **self.environment_of_processes, **environment},
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
        )

    def run(self, *command: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a command of the environment in the project, in a new process."""
        with self.start(*command, **environment) as process:
            output, errors = process.communicate()
        return subprocess.CompletedProcess(command, process.returncode, output, errors)

    def stop(self) -> None:
        """Stop this process's Java, if there is any."""
        from pyspark import SparkContext
        from pyspark.sql import SparkSession

        gateway = SparkContext._gateway
        if gateway is not None:
            SparkSession.builder.getOrCreate().stop()
            gateway.shutdown()
            gateway.proc.stdin.close()
            gateway.proc.wait(timeout=60)
            SparkContext._gateway = SparkContext._jvm = None


def without_zone(value: Any) -> Any:
    """A time in UTC without a zone, as Spark gives it. Other values are unchanged."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


@contextmanager
def rewritten(path: Path, rewrite: Callable[[str], str]) -> Iterator[None]:
    """For a block, a file of the project has other content."""
    text = path.read_text()
    other = rewrite(text)
    assert other != text
    path.write_text(other)
    try:
        yield
    finally:
        path.write_text(text)


@contextmanager
def reading(read: Callable[[], Read], pause_seconds: float = 0.05) -> Iterator[list[Read]]:
    """A thread that reads again and again, and what it has read so far. No read may fail."""
    reads: list[Read] = []
    errors: list[Exception] = []
    done = threading.Event()

    def read_on() -> None:
        # Without a pause, a reader would take a core, and this process's lock, from the builds.
        while not done.wait(pause_seconds) and not errors:
            try:
                reads.append(read())
            except Exception as error:
                errors.append(error)

    thread = threading.Thread(target=read_on)
    thread.start()
    try:
        yield reads
    finally:
        done.set()
        thread.join()
    assert not errors, f"after {len(reads)} good reads: {str(errors[0])[:1000]}"


_numbers = count()


@pytest.fixture(scope="session")
def postgresql_url() -> Iterator[str]:
    """A PostgreSQL server for this session."""
    with postgresql.server() as url:
        yield url


@pytest.fixture(params=["sqlite", "postgresql"])
def house(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An empty home with a catalog in SQLite or in PostgreSQL."""
    if request.param == "sqlite":
        return _house(tmp_path, monkeypatch, "")
    url = request.getfixturevalue("postgresql_url")
    name = f"catalog_{next(_numbers)}"
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(f"create database {name}")
    return _house(tmp_path, monkeypatch, url.removesuffix("postgres") + name)


@pytest.fixture
def sqlite_house(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> House:
    """An empty home with a catalog in SQLite."""
    return _house(tmp_path, monkeypatch, "")


def _house(folder: Path, monkeypatch: pytest.MonkeyPatch, address: str) -> House:
    monkeypatch.setenv("SCUTTLEHOUSE_CATALOG", address)
    prepare_home(folder / "home")
    return House(folder / "home", address)


@pytest.fixture(scope="session")
def warehouse(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Warehouse]:
    shared = Warehouse(tmp_path_factory.mktemp("warehouse"))
    yield shared
    shared.stop()


@pytest.fixture
def refreshed(warehouse: Warehouse) -> Iterator[Warehouse]:
    """A warehouse with builds that publish without tests."""
    warehouse.land()
    with warehouse.published_unchecked():
        yield warehouse


@pytest.fixture(scope="session")
def tribes2(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Real group logs with the answers of the software that published them."""
    folder = tmp_path_factory.mktemp("tribes2")
    with tarfile.open(FIXTURES / "tribes2.tar.xz") as archive:
        archive.extractall(folder, filter="data")
    yield folder / "tribes2"
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def manifest() -> Manifest:
    """The parsed project."""
    return read_manifest(PROJECT)


@dataclass
class Build:
    """A whole `dbt build`: its logs, its output, its tables, and the file for dashboards.

    `tables` are all published tables, and `unpublished` some of the others.
    """

    logs: list[Path]
    output: str
    tables: dict[str, Rows]
    unpublished: dict[str, Rows]
    serving_file: Path


@pytest.fixture(scope="session")
def built(warehouse: Warehouse, tribes2: Path) -> Build:
    """A first build by the Dagster job, of the sample and of a group log with secrets of all kinds."""
    logs = [*sorted((PROJECT / "sample").iterdir()), tribes2 / "s5-chain" / "final" / "carol.jsonl"]
    warehouse.land(*logs)
    warehouse.stop()
    shutil.rmtree(warehouse.home)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in warehouse.environment_of_processes.items():
            patch.setenv(name, value)
        output = dagster_definitions(warehouse.project).refresh.execute_in_process()
    names = (
        *READ_FROM_LOGS,
        "stg_ssb__landed_lines",
        "int_groups__judged_epochs",
        "int_groups__messages",
        "int_groups__judged",
        # These are read by tests of dbt.
        "stg_pzp__landed_lines",
        "int_logs__rejected_lines",
        "int_groups__member_changes",
        "int_sets__candidates",
    )
    unpublished = {name: warehouse.rows(f"select * from {name}") for name in names}
    printed = output.output_for_node("build")
    # Later builds would renew it if it stayed where it is.
    serving_file = write_serving_file(warehouse.home).rename(warehouse.folder / "published.duckdb")
    return Build(logs, printed, warehouse.published(), unpublished, serving_file)


@dataclass
class Unrelated:
    """The marts of a build of unrelated logs, and the lines of pzp, for the tests of each of them."""

    tables: dict[str, Rows]
    of_groups: Tables

    @classmethod
    def read(cls, warehouse: Warehouse) -> Unrelated:
        """The tables of the last build."""
        from test_tribes2 import Tables

        names = [*MARTS, "stg_pzp__landed_lines"]
        tables = {name: warehouse.rows(f"select * from {name}") for name in names}
        return cls(tables, Tables(warehouse))


@pytest.fixture(scope="session")
def written_figures(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    """The figures of the group exclusion specification as a log."""
    from test_figures import write_figures

    return write_figures(tmp_path_factory.mktemp("figures") / "figures.jsonl")


@pytest.fixture(scope="session")
def written_histories(tmp_path_factory: pytest.TempPathFactory) -> Histories:
    """Generated histories of groups as a log."""
    from test_written_histories import write_histories

    return write_histories(tmp_path_factory.mktemp("histories") / "histories.jsonl")


@dataclass
class BesideAStranger(Unrelated):
    """What a whole build of unrelated logs, beside those of `built` and a stranger's, made and published.

    `names` are the names of the logs in the tables.
    """

    published: dict[str, Rows]
    names: dict[Path, str]


@pytest.fixture(scope="session")
def unrelated_logs(
    warehouse: Warehouse,
    built: Build,
    tribes2: Path,
    written_figures: Figures,
    written_histories: Histories,
    tmp_path_factory: pytest.TempPathFactory,
) -> BesideAStranger:
    """A log of every scenario of tribes2, the figures, generated histories, all sets, a thread from three
    exporters, random threads, and logs that users reported, of which `last_logs` has copies by their friends.
    They are beside the logs of `built`, about which a stranger tells lies.
    """
    from test_dialects import WITHOUT_FRIENDS
    from test_hostile_logs import put_hostile_lines
    from test_set_builds import write_logs
    from test_threads import write_exports, write_odd_threads
    from test_tribes2 import chosen

    folder = tmp_path_factory.mktemp("unrelated")
    of_tribes2 = [log.path for log in chosen(tribes2)]
    logs = [*built.logs, *(log for log in of_tribes2 if log not in built.logs)]
    logs += [written_figures.log, written_histories.log, *WITHOUT_FRIENDS]
    logs += [*write_logs(folder), *write_exports(folder), write_odd_threads(folder)]
    names = warehouse.land(*logs)
    put_hostile_lines(warehouse.landing, built)
    # With all tests: a stranger's log stops no build.
    warehouse.build("build", "--exclude-resource-types", "unit_test")
    made = Unrelated.read(warehouse)
    return BesideAStranger(made.tables, made.of_groups, warehouse.published(), names)


@dataclass
class WholeBuild(Unrelated):
    """What a whole build of unrelated logs, with all tests, made, left behind and published."""

    retried: Retried
    remains: Remains


@pytest.fixture(scope="session")
def last_logs(
    warehouse: Warehouse, built: Build, tribes2: Path, tmp_path_factory: pytest.TempPathFactory
) -> WholeBuild:
    """The last log of every person in tribes2, the thread from its exporters in another order, sets beside
    the logs of strangers, logs of released software, those of two users beside those of their friends,
    and planted keys. They are other logs than those of the build before.
    """
    assert built.tables
    from test_dialects import RELEASED, WITH_FRIENDS
    from test_hostile_sets import write_hostile_logs
    from test_planted_keys import Remains, plant
    from test_publishing import fail_and_retry
    from test_threads import write_exports
    from test_tribes2 import last

    exports = write_exports(tmp_path_factory.mktemp("exports"))
    hostile = write_hostile_logs(tmp_path_factory.mktemp("sets"))
    logs = [*(log.path for log in last(tribes2)), *reversed(exports), *hostile, *WITH_FRIENDS]
    warehouse.land(*logs, *RELEASED)
    plant(warehouse.landing)
    begun, said = time.time(), tmp_path_factory.mktemp("said")
    with said_in(said):
        retried = fail_and_retry(warehouse)
    remains = Remains(warehouse, begun, said)
    tables = Unrelated.read(warehouse)
    return WholeBuild(tables.tables, tables.of_groups, retried, remains)


@contextmanager
def said_in(folder: Path) -> Iterator[None]:
    """For a block, what this process prints goes to the files `out` and `err`: `capfd` for a fixture."""
    with ExitStack() as stack:
        opened = [stack.enter_context((folder / name).open("a")) for name in ("out", "err")]
        stack.enter_context(redirect_stdout(opened[0]))
        stack.enter_context(redirect_stderr(opened[1]))
        for number, file in enumerate(opened, 1):
            before = stack.enter_context(os.fdopen(os.dup(number)))
            stack.callback(os.dup2, before.fileno(), number)
            os.dup2(file.fileno(), number)
        yield


def dagster_definitions(project: Path) -> ModuleType:
    """The module that Dagster loads."""
    path = project / "schedules" / "dagster_definitions.py"
    spec = spec_from_file_location(path.stem, path)
    assert spec
    assert spec.loader
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
