"""The real jars, in a local Maven repository. No test here needs another network."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

from scuttlehouse.catalog.jars import Jar, jars, pinned
from scuttlehouse.catalog.maven import COPY, mirror_of_central
from scuttlehouse.catalog.names import CatalogError

SOURCES = Path(__file__).parents[3] / "src"
SITE_PACKAGES = Path(pytest.__file__).parents[1]
ICEBERG, SQLITE, POSTGRESQL = pinned()
FETCH = ("-m", "scuttlehouse.catalog.jars")
CHECK = ("-c", "from scuttlehouse.catalog.jars import jars; print(*jars(), sep='\\n')")
NOTHING_THERE = "http://127.0.0.1:9/"

USERS_REPOSITORY = Path.home() / ".m2" / "repository"
_group, _artifact, _version, _ = COPY.split(":")
PLUGIN = USERS_REPOSITORY.joinpath(
    *_group.split("."), _artifact, _version, f"{_artifact}-{_version}.jar"
)
needs_maven = pytest.mark.skipif(
    shutil.which("mvn") is None or not PLUGIN.exists(),
    reason="there is no Maven here, or its dependency plugin is not in ~/.m2/repository",
)


@dataclass
class Repository:
    """A folder in Maven's layout, served on loopback. It lacks what a test removes from it."""

    folder: Path
    address: str = ""
    asked: list[str] = field(default_factory=list)

    def file(self, jar: Jar) -> Path:
        group, artifact, version = jar.coordinates.split(":")
        return self.folder.joinpath(*group.split("."), artifact, version, jar.file)


class Handler(SimpleHTTPRequestHandler):
    """Also serves Maven's own plugins from this user's Maven."""

    def __init__(self, repository: Repository, *args: object) -> None:
        self.repository = repository
        super().__init__(*args, directory=str(repository.folder))

    def translate_path(self, path: str) -> str:
        found = Path(super().translate_path(path))
        of_user = USERS_REPOSITORY / found.relative_to(self.repository.folder)
        is_plugin = not any(jar.file in found.name for jar in pinned())
        return str(of_user if is_plugin and not found.exists() else found)

    def log_message(self, *_: object) -> None:
        self.repository.asked.append(self.path)


@dataclass
class Machine:
    """A separate Python environment and user."""

    python: Path
    home: Path
    path: str

    @property
    def folder(self) -> Path:
        return self.python.parents[1] / "share" / "scuttlehouse" / "jars"

    def start(self, *arguments: str, path: list[Path] | None = None) -> subprocess.Popen[str]:
        left_out = {"JAVA_HOME", "SCUTTLEHOUSE_JARS"}
        environment = {key: value for key, value in os.environ.items() if key not in left_out}
        environment |= {
            "HOME": str(self.home),
            "MAVEN_OPTS": f"-Duser.home={self.home}",
            "PATH": self.path,
            "PYTHONPATH": os.pathsep.join(map(str, [*(path or ()), SOURCES, SITE_PACKAGES])),
        }
        pipe = subprocess.PIPE
        return subprocess.Popen(
            [self.python, *arguments], env=environment, stdout=pipe, stderr=pipe, text=True
        )

    def run(self, *arguments: str, path: list[Path] | None = None) -> tuple[list[str], str]:
        """The lines that it prints, and the last line of its errors."""
        with self.start(*arguments, path=path) as process:
            output, errors = process.communicate()
        assert (process.returncode == 0) == (errors == ""), errors
        return output.splitlines(), errors.strip().rpartition("\n")[2]

    def hold(self, *held: Jar) -> None:
        self.folder.mkdir(parents=True)
        for jar, path in zip(pinned(), jars(), strict=True):
            if jar in held:
                (self.folder / jar.file).symlink_to(path)

    def held(self) -> list[str]:
        return sorted(path.name for path in self.folder.iterdir())

    def name_mirror(self, address: str) -> None:
        settings = self.home / ".m2" / "settings.xml"
        settings.parent.mkdir(exist_ok=True)
        settings.write_text(maven_settings(("*", address)))


def maven_settings(*mirrors: tuple[str, str]) -> str:
    entries = (
        f"<mirror><id>m{n}</id><mirrorOf>{of}</mirrorOf><url>{url}</url></mirror>"
        for n, (of, url) in enumerate(mirrors)
    )
    space = 'xmlns="http://maven.apache.org/SETTINGS/1.0.0"'
    return f"<settings {space}><mirrors>{''.join(entries)}</mirrors></settings>"


@pytest.fixture
def repository(tmp_path: Path) -> Iterator[Repository]:
    served = Repository(tmp_path / "served")
    for jar, path in zip(pinned(), jars(), strict=True):
        served.file(jar).parent.mkdir(parents=True)
        served.file(jar).symlink_to(path)
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(Handler, served)) as server:
        served.address = f"http://127.0.0.1:{server.server_port}/"
        thread = threading.Thread(target=server.serve_forever, args=(0.01,))
        thread.start()
        yield served
        server.shutdown()
        thread.join()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """A machine with Java and without Maven."""
    home = tmp_path / "home"
    home.mkdir()
    environment = tmp_path / "an environment (new) [1]"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", environment], check=True)
    programs = tmp_path / "programs"
    programs.mkdir()
    java_home = os.environ.get("JAVA_HOME")
    java = shutil.which("java", path=f"{java_home}/bin" if java_home else None)
    assert java is not None, "Java is missing: run bin/ensure-java, as `make test` does."
    (programs / "java").symlink_to(Path(java).resolve())
    return Machine(environment / "bin" / "python", home, str(programs))


@pytest.fixture
def given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with all jars and another file, for `SCUTTLEHOUSE_JARS`."""
    folder = tmp_path / "by hand"
    folder.mkdir()
    for path in jars():
        (folder / path.name).symlink_to(path)
    (folder / "README").write_text("Jars.")
    monkeypatch.setenv("SCUTTLEHOUSE_JARS", str(folder))
    return folder


@pytest.mark.java
def test_ivy_fetches_through_the_mirror_of_mavens_settings(
    machine: Machine, repository: Repository
) -> None:
    machine.name_mirror(repository.address)
    machine.folder.mkdir(parents=True)
    (machine.folder / "sqlite-jdbc-3.1.0.jar").write_bytes(b"of an older scuttlehouse")
    (machine.folder / "tmp1").mkdir()
    (machine.folder / "tmp1" / "of-a-killed-process.jar").write_bytes(b"PK")

    output, _ = machine.run(*FETCH)

    assert output == [f"Fetching {jar.coordinates} ..." for jar in pinned()]
    assert machine.held() == sorted(jar.file for jar in pinned())
    expected = [str(machine.folder / jar.file) for jar in pinned()]
    assert machine.run(*CHECK)[0] == expected
    repository.asked.clear()
    assert machine.run(*FETCH)[0] == []
    assert repository.asked == []
    assert [path.name for path in machine.home.iterdir()] == [".m2"]


@pytest.mark.java
def test_ivy_reads_the_ivysettings_of_the_user(machine: Machine, repository: Repository) -> None:
    machine.hold(ICEBERG, SQLITE)
    machine.name_mirror(NOTHING_THERE)
    (machine.home / ".ivy2").mkdir()
    (machine.home / ".ivy2" / "ivysettings.xml").write_text(
        '<ivysettings><settings defaultResolver="ours"/><resolvers>'
        f'<ibiblio name="ours" root="{repository.address}" m2compatible="true"/>'
        "</resolvers></ivysettings>"
    )
    assert machine.run(*FETCH)[0] == [f"Fetching {POSTGRESQL.coordinates} ..."]
    assert len(machine.run(*CHECK)[0]) == 3


@needs_maven
@pytest.mark.java
def test_maven_fetches_through_the_mirror_of_its_settings(
    machine: Machine, repository: Repository
) -> None:
    machine.path = f"{machine.path}:{os.environ['PATH']}"
    machine.hold(ICEBERG, SQLITE)
    machine.name_mirror(repository.address)
    output, _ = machine.run(*FETCH)
    assert output == [f"Fetching {POSTGRESQL.coordinates} ..."]
    assert len(machine.run(*CHECK)[0]) == 3
    # The file is in Maven's own repository, so Maven fetched it, and not Ivy.
    assert [*(machine.home / ".m2" / "repository").rglob(POSTGRESQL.file)]


@pytest.mark.java
def test_a_missing_or_changed_jar_is_named_and_fetched_again(
    machine: Machine, repository: Repository
) -> None:
    machine.name_mirror(repository.address)
    machine.hold(ICEBERG)
    changed = bytearray(repository.file(POSTGRESQL).read_bytes())
    changed[1000] ^= 1
    (machine.folder / POSTGRESQL.file).write_bytes(changed)

    _, error = machine.run(*CHECK)
    assert error.endswith(
        f"In the folder {machine.folder} {SQLITE.file} is missing and {POSTGRESQL.file} is not the file that"
        " jars.txt pins (another SHA-256): run `make build`, which fetches missing jars."
    )
    assert machine.run(*FETCH)[0] == [
        f"Fetching {jar.coordinates} ..." for jar in (SQLITE, POSTGRESQL)
    ]
    assert len(machine.run(*CHECK)[0]) == 3


@pytest.mark.java
def test_a_repository_with_another_file_under_the_name_is_refused(
    machine: Machine, repository: Repository
) -> None:
    machine.name_mirror(repository.address)
    machine.hold(ICEBERG, SQLITE)
    content = repository.file(POSTGRESQL).read_bytes()
    repository.file(POSTGRESQL).unlink()
    repository.file(POSTGRESQL).write_bytes(content[:-1])

    _, error = machine.run(*FETCH)

    assert f"{POSTGRESQL.file} cannot be fetched into {machine.folder} (" in error
    assert "Ivy: is not the file that jars.txt pins (another SHA-256)): " in error
    assert machine.held() == [ICEBERG.file, SQLITE.file]


@pytest.mark.java
@pytest.mark.parametrize(
    ("has_java", "address", "reason"),
    [
        (False, NOTHING_THERE, "Ivy: there is no `java` on the PATH"),
        (True, NOTHING_THERE, f"Ivy: Server access error at url {NOTHING_THERE}"),
        (True, "served", "Ivy: module not found: org.postgresql#postgresql;"),
        (True, "<", "settings.xml is not XML"),
    ],
)
def test_a_failed_download_is_named_with_what_to_do(
    machine: Machine, repository: Repository, has_java: bool, address: str, reason: str
) -> None:
    machine.hold(ICEBERG, SQLITE)
    machine.name_mirror(repository.address if address == "served" else address)
    repository.file(POSTGRESQL).unlink()
    if not has_java:
        machine.path = str(machine.home)

    _, error = machine.run(*FETCH)

    assert f"{POSTGRESQL.file} cannot be fetched into {machine.folder} (" in error
    assert "Maven: there is no `mvn` on the PATH; " in error
    assert reason in error
    assert all(name in error for jar in pinned() for name in (jar.file, jar.coordinates))
    assert error.endswith(" into a folder by hand and set SCUTTLEHOUSE_JARS to it.")
    assert machine.held() == [ICEBERG.file, SQLITE.file]


def test_a_folder_that_cannot_be_written_is_named(machine: Machine) -> None:
    machine.folder.parent.mkdir(parents=True)
    machine.folder.write_text("a file")
    _, error = machine.run(*FETCH)
    assert error.startswith(f"Spark's jars cannot be written to {machine.folder} (File exists): ")


@pytest.mark.java
def test_two_processes_fetch_a_jar_once(machine: Machine, repository: Repository) -> None:
    machine.name_mirror(repository.address)
    machine.hold(ICEBERG, SQLITE)
    processes = [machine.start(*FETCH) for _ in range(2)]
    results = [(*process.communicate(), process.returncode) for process in processes]
    line = f"Fetching {POSTGRESQL.coordinates} ...\n"
    assert sorted(results) == [("", "", 0), (line, "", 0)]


@pytest.mark.parametrize("arguments", [FETCH, CHECK])
def test_jars_for_another_spark_are_refused(
    machine: Machine, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    installed = tmp_path / "site-packages" / "pyspark-4.0.1.dist-info"
    installed.mkdir(parents=True)
    (installed / "METADATA").write_text("Metadata-Version: 2.1\nName: pyspark\nVersion: 4.0.1\n")
    _, error = machine.run(*arguments, path=[installed.parent])
    assert f"{ICEBERG.file} is for Spark 4.1, and pyspark 4.0.1 is installed: " in error


def test_a_folder_filled_by_hand_is_used(given: Path) -> None:
    assert jars() == [given / jar.file for jar in pinned()]


def cut(path: Path) -> None:
    content = path.read_bytes()
    path.unlink()
    path.write_bytes(content[:-1])


def make_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.parametrize(
    ("damage", "problem"),
    [
        (Path.unlink, "is missing"),
        (cut, "is not the file that jars.txt pins (another SHA-256)"),
        (make_folder, "cannot be read (Is a directory)"),
    ],
)
def test_a_folder_filled_by_hand_without_one_of_them_is_refused(
    given: Path, damage: Callable[[Path], None], problem: str
) -> None:
    damage(given / SQLITE.file)
    with pytest.raises(CatalogError) as caught:
        jars()
    assert str(caught.value) == (
        f"In the folder {given} (SCUTTLEHOUSE_JARS) {SQLITE.file} {problem}: put {SQLITE.coordinates} of"
        " a Maven repository there, or unset SCUTTLEHOUSE_JARS and run `make build`, which fetches the jars."
    )


def test_the_step_of_make_only_checks_a_folder_filled_by_hand(given: Path) -> None:
    (given / SQLITE.file).unlink()
    done = subprocess.run([sys.executable, *FETCH], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(
        f"In the folder {given} (SCUTTLEHOUSE_JARS) {SQLITE.file} is missing"
    )
    assert len([*given.iterdir()]) == 3


def test_a_folder_that_a_class_path_cannot_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_JARS", "/a:/b")
    with pytest.raises(CatalogError, match="SCUTTLEHOUSE_JARS names /a:/b, and"):
        jars()


@pytest.mark.parametrize(
    ("mirrors", "found"),
    [
        ([], None),
        ([("central", "a")], "a"),
        ([("spring, central", " a ")], "a"),
        ([("external:*", "a"), ("*", "b")], "a"),
        ([("*,!central", "a"), ("central", "b")], "b"),
        ([("spring", "a")], None),
    ],
)
def test_the_mirror_of_maven_central(
    tmp_path: Path, mirrors: list[tuple[str, str]], found: str | None
) -> None:
    settings = tmp_path / "settings.xml"
    settings.write_text(maven_settings(*mirrors))
    assert mirror_of_central(settings) == found
