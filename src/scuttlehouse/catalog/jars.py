"""The jars that Spark needs for Iceberg tables: find them, check them, fetch them.

`jars.txt` beside this module pins them with Maven coordinates and a SHA-256. They are in the folder that
`SCUTTLEHOUSE_JARS` names, which the user fills. Without that setting they are in a folder of the Python
environment, which `python -m scuttlehouse.catalog.jars` (a step of `make build`) fills with Maven or Ivy.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from hashlib import file_digest
from importlib.metadata import version
from pathlib import Path

from scuttlehouse.catalog.maven import by_ivy, by_maven
from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.folders import locked_folder
from scuttlehouse.s3 import is_in_s3

PINS = Path(__file__).with_name("jars.txt")


@dataclass(frozen=True)
class Jar:
    """A line of `jars.txt`."""

    coordinates: str  # group:artifact:version
    sha256: str  # hexadecimal
    needed_for: str = ""  # `s3`, or nothing if it is always needed

    @property
    def file(self) -> str:
        """The name of the file in Maven repositories.

        >>> Jar("org.postgresql:postgresql:42.7.14", "").file
        'postgresql-42.7.14.jar'
        """
        _, artifact, release = self.coordinates.split(":")
        return f"{artifact}-{release}.jar"


def all_pinned() -> list[Jar]:
    """All lines of `jars.txt`, in their order."""
    lines = PINS.read_text("utf-8").splitlines()
    return [Jar(*line.split()) for line in lines if line and not line.startswith("#")]


def pinned(environment: Mapping[str, str] = os.environ) -> list[Jar]:
    """The lines of `jars.txt` that are needed, in their order: those for S3 only with tables in S3.

    >>> [jar.file.partition("-")[0] for jar in pinned({})]
    ['iceberg', 'sqlite', 'postgresql']
    >>> len(pinned({"SCUTTLEHOUSE_WAREHOUSE": " s3://bucket/house"}))
    4
    """
    uses_s3 = is_in_s3(environment.get("SCUTTLEHOUSE_WAREHOUSE", "").strip())
    return [jar for jar in all_pinned() if not jar.needed_for or uses_s3]


def jars() -> list[Path]:
    """The jars for Spark's class path. Each is read in full and compared with its checksum.

    Raises :class:`CatalogError` if a jar is missing, has other content, or is for another Spark.
    Reads 62 MB: 0.05 s if the processor has instructions for SHA-256, 0.12 s otherwise.
    """
    pins = pinned()
    _refuse_another_spark(pins)
    given = _given_folder()
    folder = given or _own_folder()
    found = {jar: _problem(folder / jar.file, jar) for jar in pins}
    wrong = [jar for jar, problem in found.items() if problem]
    if wrong:
        what = f"In the folder {folder}{' (SCUTTLEHOUSE_JARS)' if given else ''} "
        what += " and ".join(f"{jar.file} {found[jar]}" for jar in wrong)
        if given is None:
            raise CatalogError(f"{what}: run `make build`, which fetches missing jars.")
        raise CatalogError(
            f"{what}: put {_coordinates(wrong)} of a Maven repository there, or unset SCUTTLEHOUSE_JARS"
            " and run `make build`, which fetches the jars."
        )
    return [folder / jar.file for jar in pins]


def fetch() -> None:
    """Download missing or changed jars, and remove jars of other versions.

    If `SCUTTLEHOUSE_JARS` names a folder, nothing is downloaded, and its jars are checked. A file gets its
    name only after its checksum matches. Two processes may do this at once. Raises :class:`CatalogError`.
    """
    if _given_folder() is not None:
        jars()
        return
    pins, folder = pinned(), _own_folder()
    _refuse_another_spark(pins)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with locked_folder(folder):
            for jar in pins:
                if _problem(folder / jar.file, jar):
                    _download(jar, folder)
            for path in {*folder.iterdir()} - {folder / jar.file for jar in all_pinned()}:
                shutil.rmtree(path) if path.is_dir() else path.unlink()
    except OSError as error:
        raise CatalogError(
            f"Spark's jars cannot be written to {folder} ({error.strerror}): free disk space, allow"
            f" this user to write there, or {_by_hand()}."
        ) from error


def main() -> int:
    """Fetch or check the jars. If that fails, print a sentence on stderr and return 1."""
    try:
        fetch()
    except CatalogError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _given_folder() -> Path | None:
    given = os.environ.get("SCUTTLEHOUSE_JARS", "").strip()
    if os.pathsep in given:
        raise CatalogError(
            f"SCUTTLEHOUSE_JARS names {given}, and a folder on Java's class path cannot have"
            f" `{os.pathsep}` in its name: name one folder without it."
        )
    return Path(given).absolute() if given else None


def _own_folder() -> Path:
    return Path(sys.prefix, "share", "scuttlehouse", "jars")


def _refuse_another_spark(pins: list[Jar]) -> None:
    installed = version("pyspark")
    for jar in pins:
        wanted = re.search(r":iceberg-spark-runtime-(\d+\.\d+)_", jar.coordinates)
        if wanted and not f"{installed}.".startswith(f"{wanted[1]}."):
            raise CatalogError(
                f"{jar.file} is for Spark {wanted[1]}, and pyspark {installed} is installed: install pyspark"
                f" {wanted[1]}, or pin the jar for this Spark in {PINS}."
            )


def _problem(path: Path, jar: Jar) -> str | None:
    try:
        with path.open("rb") as file:
            fits = file_digest(file, "sha256").hexdigest() == jar.sha256
    except FileNotFoundError:
        return "is missing"
    except OSError as error:
        return f"cannot be read ({error.strerror})"
    return None if fits else f"is not the file that {PINS.name} pins (another SHA-256)"


def _download(jar: Jar, folder: Path) -> None:
    print(f"Fetching {jar.coordinates} ...", flush=True)
    reasons = []
    for name, bring in (("Maven", by_maven), ("Ivy", by_ivy)):
        with tempfile.TemporaryDirectory(dir=folder) as temporary:
            file = Path(temporary, jar.file)
            reason = bring(jar.coordinates, Path(temporary)) or _problem(file, jar)
            if reason is None:
                file.replace(folder / jar.file)
                return
            reasons.append(f"{name}: {reason}")
    raise CatalogError(
        f"{jar.file} cannot be fetched into {folder} ({'; '.join(reasons)}): make a Maven repository"
        f" reachable (~/.m2/settings.xml may name a mirror), or {_by_hand()}."
    )


def _by_hand() -> str:
    pins = pinned()
    files = ", ".join(jar.file for jar in pins)
    return (
        f"put {files} (of a Maven repository: {_coordinates(pins)}) into a folder by hand and set"
        " SCUTTLEHOUSE_JARS to it"
    )


def _coordinates(pins: Iterable[Jar]) -> str:
    return ", ".join(jar.coordinates for jar in pins)


if __name__ == "__main__":
    sys.exit(main())
