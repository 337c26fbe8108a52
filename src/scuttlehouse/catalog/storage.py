"""Where the files of tables are: in the home, or in S3 if ``SCUTTLEHOUSE_WAREHOUSE`` names a bucket.

A location is the path of a file, or ``s3://bucket/key``.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from scuttlehouse.catalog.names import CatalogError, UnusableError
from scuttlehouse.printing import without_passwords
from scuttlehouse.s3 import HOW_TO_REACH_S3, S3, S3_FOLDER, is_in_s3, s3_files


def warehouse_location(home: Path, environment: Mapping[str, str] = os.environ) -> str:
    """The folder of all tables: ``warehouse`` in the home, or the one in S3 that the environment names.

    Raises:
        CatalogError: ``SCUTTLEHOUSE_WAREHOUSE`` names no folder of S3.

    >>> warehouse_location(Path("/srv/house"), {"SCUTTLEHOUSE_WAREHOUSE": "s3://bucket/house/"})
    's3://bucket/house'
    >>> warehouse_location(Path("/srv/house"), {})
    '/srv/house/warehouse'
    """
    named = environment.get("SCUTTLEHOUSE_WAREHOUSE", "").strip().rstrip("/")
    if not named:
        return str(home / "warehouse")
    if not S3_FOLDER.fullmatch(named):
        raise CatalogError(
            f"SCUTTLEHOUSE_WAREHOUSE is {without_passwords(named)!r}: set it to s3://bucket/folder, in "
            "letters, digits and ._=- only, or unset it to keep the tables in the home."
        )
    return named


def read(location: str) -> bytes:
    """The content of a file of S3. S3 keeps checksums of its own, and compares them.

    Raises:
        UnusableError: the file is missing.
        CatalogError: S3 cannot be asked.
    """
    with _sentences(location), s3_files().open_input_file(_key(location)) as file:
        return bytes(file.read())


def require(location: str) -> None:
    """Look whether a file of S3 is there, without reading it.

    Raises:
        UnusableError: it is missing.
        CatalogError: S3 cannot be asked.
    """
    with _sentences(location):
        if not s3_files().get_file_info(_key(location)).is_file:
            raise FileNotFoundError


def files_below(folder: str) -> Iterator[str]:
    """The locations of all files below a folder, of this disk or of S3; none if there is no such folder.

    Raises:
        CatalogError: S3 cannot be asked.
    """
    if not is_in_s3(folder):
        for parent, _, names in os.walk(folder):
            yield from (os.path.join(parent, name) for name in names)  # noqa: PTH118
        return
    from pyarrow.fs import FileSelector

    with _sentences(folder):
        selector = FileSelector(_key(folder), allow_not_found=True, recursive=True)
        found = s3_files().get_file_info(selector)
    yield from (f"{S3}{one.path}" for one in found if one.is_file)


def remove(location: str) -> None:
    """Remove a file, if it is there.

    Raises:
        CatalogError: S3 refuses it.
    """
    if not is_in_s3(location):
        Path(location).unlink(missing_ok=True)
        return
    with _sentences(location):
        try:
            s3_files().delete_file(_key(location))
        except FileNotFoundError:
            return


def _key(location: str) -> str:
    return location.removeprefix(S3)


@contextmanager
def _sentences(location: str) -> Iterator[None]:
    """What S3 refuses in a block, as a :class:`CatalogError`."""
    try:
        yield
    except FileNotFoundError:
        raise UnusableError(f"The file {location} is missing.") from None
    except OSError as error:
        said = " ".join(str(error).split()).rstrip(".")
        raise CatalogError(
            f"S3 cannot be used for {location} ({said}): {HOW_TO_REACH_S3}"
        ) from None
