"""What keeps a worker of a cluster from its work. Workers import this: it needs Python alone."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Callable, Iterable, Iterator
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from scuttlehouse.s3 import S3, is_in_s3, s3_files
from scuttlehouse.warehouse_key import (
    PEPPER_FILE,
    PLACES_OF_KEYS,
    WarehouseKeyError,
    warehouse_pepper,
)

if TYPE_CHECKING:
    import pyarrow as pa

# What the package imports on workers: modules, and their names for pip.
REQUIREMENTS = {
    "nacl": "pynacl",
    "numba": "numba",
    "numpy": "numpy",
    "pandas": "pandas",
    "pyarrow": "pyarrow",
    "zstandard": "zstandard",
}


class Needed(NamedTuple):
    """What a worker must see: folders, and the key of the warehouse, of which only a hash is sent."""

    home: str
    warehouse: str
    landing: str
    key: str


def fingerprint(key: bytes) -> str:
    """What a worker compares its key with."""
    return sha256(b"scuttlehouse worker " + key).hexdigest()


def checker(needed: Needed) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """A function for ``mapInArrow``: a row ``problem`` for each task whose worker has one."""

    def check(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        for _ in batches:
            pass
        if problem := problem_of_worker(needed):
            yield pa.record_batch({"problem": [f"The worker on {socket.gethostname()} {problem}"]})

    return check


def problem_of_worker(needed: Needed) -> str | None:
    """What keeps this process from the work of a worker; null if nothing does.

    >>> problem_of_worker(Needed("/nowhere", "/nowhere/warehouse", "/nowhere", ""))
    'does not see the landing folder /nowhere: mount it there at the same path.'
    """
    if missing := [name for module, name in REQUIREMENTS.items() if find_spec(module) is None]:
        return f"lacks Python packages: run `{sys.executable} -m pip install {' '.join(missing)}`."
    if is_in_s3(needed.landing):
        if not _lists(needed.landing):
            return (
                f"cannot list the landing folder {needed.landing}: give it the server and the secrets of S3 "
                "that the build has (AWS_ENDPOINT_URL_S3, AWS_ACCESS_KEY_ID)."
            )
    elif not os.access(needed.landing, os.R_OK | os.X_OK):
        return f"does not see the landing folder {needed.landing}: mount it there at the same path."
    if not is_in_s3(needed.warehouse) and not os.access(needed.home, os.W_OK):
        return (
            f"cannot write to the home {needed.home}: mount it there at the same path, or keep the tables "
            "in S3 (SCUTTLEHOUSE_WAREHOUSE)."
        )
    if not _has_key(Path(needed.home), needed.key):
        return (
            "does not have the key of the warehouse: start it with the same SCUTTLEHOUSE_KEY_FILE or "
            "SCUTTLEHOUSE_KEY as the build, or mount the home at the same path."
        )
    return None


def _lists(folder: str) -> bool:
    from pyarrow.fs import FileType

    try:
        return bool(s3_files().get_file_info(folder.removeprefix(S3)).type == FileType.Directory)
    except OSError:
        return False


def _has_key(home: Path, key: str) -> bool:
    # A worker that finds no key would make one.
    is_named = any(os.environ.get(name, "").strip() for name in PLACES_OF_KEYS)
    try:
        if not is_named and not (home / PEPPER_FILE).exists():
            return False
        return fingerprint(warehouse_pepper(home)) == key
    except (WarehouseKeyError, OSError):
        return False
