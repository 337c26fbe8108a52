"""Who may read the published tables, beside the user that builds: a group, or nobody.

The files of a home are for their owner alone. If ``SCUTTLEHOUSE_READERS`` names a group, its members may go
through the home and read the catalog and the files of the published tables: no other file, and no list of
files.
"""

from __future__ import annotations

import grp
import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path

from scuttlehouse.catalog.checksums import sidecar
from scuttlehouse.catalog.names import CatalogError

_SETTING = "SCUTTLEHOUSE_READERS"
# New files in the home are of the group, as SQLite's log must be.
_HOME, _FOLDER, _FILE = 0o2710, 0o710, 0o640


def readers_group(environment: Mapping[str, str] = os.environ) -> int | None:
    """The id of the group that may read the published tables; None if nobody else may.

    Raises:
        CatalogError: there is no such group.

    >>> readers_group({}), readers_group({"SCUTTLEHOUSE_READERS": " "})
    (None, None)
    """
    name = environment.get(_SETTING, "").strip()
    if not name:
        return None
    try:
        return grp.getgrnam(name).gr_gid
    except KeyError:
        raise CatalogError(
            f"{_SETTING} is {name!r}, and there is no such group: make it, for example with `groupadd`, and "
            "add the users who may read the published tables, and the user that builds."
        ) from None


def mode_of_readers() -> int:
    """The bits of a mode that let the readers go through the home; 0 without readers. Raises as above."""
    return 0 if readers_group() is None else _HOME & 0o077


def set_mode_of_home(home: Path) -> None:
    """Close the home to others, or let the readers go through it.

    Raises:
        OSError: its mode cannot be set.
        CatalogError: see :func:`readers_group`, or the user that builds is not in the group.
    """
    _set_mode(home, readers_group(), _HOME, 0o700)


def set_mode_of_catalog(path: Path) -> None:
    """Let the owner alone read the file of the catalog, or the readers, too; raises as for the home."""
    _set_mode(path, readers_group(), _FILE, 0o600)


def open_to_readers(home: Path, tables: Iterable[str]) -> None:
    """Let the readers go through the home and read all files of some tables. Without readers, close the home.

    A table with a damaged file stays closed: nobody can read it.

    Args:
        tables: their metadata files.

    Raises:
        OSError, CatalogError: see :func:`set_mode_of_home`.

    Complexity: linear in the number of files.
    """
    set_mode_of_home(home)
    group = readers_group()
    if group is None:
        return
    top = home / "warehouse"
    folders: set[Path] = set()
    for table in tables:
        for path in _files_of(table):
            for file in (path, sidecar(path)):
                if file.exists():
                    _set_mode(file, group, _FILE, 0o600)
            folders.update(one for one in (top, *path.parents) if one.is_relative_to(top))
    for folder in folders:
        _set_mode(folder, group, _FOLDER, 0o700)


def _files_of(table: str) -> list[Path]:
    # It imports pyiceberg, which takes longer than a query.
    from scuttlehouse.catalog.reached_files import files_of

    try:
        return [path for path in map(Path, files_of(table)) if path.exists()]
    except CatalogError:
        return []


def _set_mode(path: Path, group: int | None, mode: int, closed: int) -> None:
    """Give a file or folder to the group, or close it.

    A mode that is right already is not set again, because under ``RestrictSUIDSGID``
    (``schedules/scuttlehouse.service``) systemd refuses to set the group bit of the home.
    """
    state = path.stat()
    if group is None:
        if stat.S_IMODE(state.st_mode) != closed:
            path.chmod(closed)
        return
    try:
        if state.st_gid != group:
            os.chown(path, -1, group)
        if (state.st_gid, stat.S_IMODE(state.st_mode)) != (group, mode):
            path.chmod(mode)
    except PermissionError:
        raise CatalogError(
            f"{path} cannot be given to the group of {_SETTING}: add the user that builds to this group."
        ) from None
