"""The home: the folder that holds a warehouse."""

from __future__ import annotations

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from scuttlehouse.catalog.names import FROM_NOTHING, CatalogError
from scuttlehouse.catalog.readers import set_mode_of_home
from scuttlehouse.catalog.storage import files_below, warehouse_location
from scuttlehouse.folders import locked_folder

# In Spark, SQLite, Java or DuckDB, these mark a list, a pattern, an escape or the end of a name.
_REFUSED = """?*[]{},#%"\\"""

# As many links as Linux follows.
_MOST_LINKS = 40


def home_folder(environment: Mapping[str, str] = os.environ) -> Path:
    """The folder in ``SCUTTLEHOUSE_HOME``, or ``.scuttlehouse`` by default, as an absolute path.

    Raises:
        CatalogError: the folder cannot be a home.

    >>> home_folder({"SCUTTLEHOUSE_HOME": "/tmp/../srv/house"})
    PosixPath('/srv/house')
    """
    named = environment.get("SCUTTLEHOUSE_HOME", "")
    if "://" in named:
        raise CatalogError(
            "SCUTTLEHOUSE_HOME is an address: name a folder of this machine. SCUTTLEHOUSE_WAREHOUSE puts the "
            "tables in S3."
        )
    path = named if named.strip() else ".scuttlehouse"
    # prepare_home refuses a path with a loop of links.
    home = Path(os.path.realpath(path))
    _refuse_links_of_others(Path(path))
    if home == Path(home.anchor):
        raise CatalogError("SCUTTLEHOUSE_HOME is the root of the disk: name a folder of its own.")
    if any(sign in _REFUSED or not sign.isprintable() for sign in str(home)):
        raise CatalogError(
            f"SCUTTLEHOUSE_HOME is {str(home)!r}: name a folder whose whole path has none of "
            f"{' '.join(_REFUSED)} and no line breaks or other control characters."
        )
    return home


def prepare_home(home: Path) -> None:
    """Make the folder for its owner and the readers only. An existing folder is closed to others.

    Raises:
        CatalogError: it is not a writable folder, all users share it, another user has put it or a folder
            above it into a folder that all users share, or it holds a warehouse of an earlier version.
    """
    refuse_folders_of_others(home)
    try:
        home.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Nobody else could use /tmp if it were closed to others.
        if home.stat().st_mode & stat.S_ISVTX:
            raise CatalogError(
                f"The home {home} is a folder that all users share: set SCUTTLEHOUSE_HOME to one of its own."
            )
        set_mode_of_home(home)
        with tempfile.TemporaryFile(dir=home):
            pass
    except OSError as error:
        raise CatalogError(
            f"The home {home} is not a folder that can be written ({error.strerror}): "
            "set SCUTTLEHOUSE_HOME to another one."
        ) from None
    refuse_earlier_version(home)


def refuse_folders_of_others(home: Path) -> None:
    """Refuse a home whose owner may be whoever was first: in a folder that all users share, such as /tmp.

    The owner of a folder opens it again, and may put a key of theirs into it.

    Raises:
        CatalogError: another user has put the home, or a folder above it, into such a folder.

    >>> refuse_folders_of_others(Path(tempfile.mkdtemp(), "house"))
    """
    for folder in (home, *home.parents):
        _refuse_entry_of_others(folder)


def _refuse_links_of_others(path: Path) -> None:
    """Refuse a path through a link of another user, which may lead anywhere, in a folder that all share.

    Linux does so where ``fs.protected_symlinks`` is set, but not while a path is only resolved.
    """
    links = [Path.cwd() / path]
    for _ in range(_MOST_LINKS):
        if not links:
            return
        whole = links.pop()
        for entry in (whole, *whole.parents):
            with suppress(OSError):  # What this user may not look at is told when it is opened.
                if entry.is_symlink():
                    _refuse_entry_of_others(entry)
                    links.append(entry.parent / entry.readlink())


def _refuse_entry_of_others(entry: Path) -> None:
    try:
        folder, owner = entry.parent.stat(), entry.lstat().st_uid
    except OSError:
        return
    is_shared = folder.st_mode & (stat.S_ISVTX | stat.S_IWOTH)
    if is_shared and owner not in (os.geteuid(), folder.st_uid):
        raise CatalogError(
            f"{entry} belongs to another user, and {entry.parent} is a folder that all users share: set "
            "SCUTTLEHOUSE_HOME to a folder of your own."
        )


def refuse_earlier_version(home: Path) -> None:
    """Refuse a home that version 0.1 has built, which had no catalog.

    Raises:
        CatalogError: the home is one.
    """
    earlier = [name for name in ("metastore", "published.json") if (home / name).exists()]
    if earlier:
        raise CatalogError(
            f"{home} holds a warehouse of an earlier version ({earlier[0]}): set SCUTTLEHOUSE_HOME "
            f"to a new folder, or move this one away, and build, {FROM_NOTHING}"
        )


def close_log(folder: str) -> None:
    """Let only its owner read dbt's log: dbt opens it before it calls anything of this project.

    >>> folder = Path(tempfile.mkdtemp())
    >>> (folder / "dbt.log").touch(0o644)
    >>> close_log(str(folder))
    >>> oct((folder / "dbt.log").stat().st_mode)
    '0o100600'
    """
    with suppress(OSError):
        Path(folder, "dbt.log").chmod(0o600)


def require_outside(home: Path, file: Path) -> None:
    """Refuse to write a file of somebody's own among those of the warehouse.

    Raises:
        CatalogError: the file is in the home.
    """
    if Path(os.path.realpath(file)).is_relative_to(home):
        raise CatalogError(
            f"The home {home} holds the files of the warehouse alone: name a file outside of it."
        )


def holds_table_files(home: Path) -> bool:
    """Whether any file is in the folder of all tables. On a disk it stops at the first one."""
    return any(True for _ in files_below(warehouse_location(home)))


# The folder of this process in each home, and the open descriptor that marks it as in use.
_temporary: dict[Path, tuple[Path, int]] = {}


def temporary_folder(home: Path) -> Path:
    """A temporary folder of this process, which only its owner can read.

    Folders of processes that have ended are removed.

    Raises:
        CatalogError: the folder cannot be made.
    """
    if home in _temporary and _temporary[home][0].exists():
        return _temporary[home][0]
    shared = home / "temporary"
    try:
        shared.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked_folder(shared):
            for folder in shared.iterdir():
                if not _is_in_use(folder):
                    shutil.rmtree(folder, ignore_errors=True)
            own = Path(tempfile.mkdtemp(prefix=f"{os.getpid()}-", dir=shared))
            kept = os.open(own / _IN_USE, os.O_RDWR | os.O_CREAT, 0o600)
            fcntl.flock(kept, fcntl.LOCK_EX)
    except OSError as error:
        raise CatalogError(
            f"The folder {shared} cannot be used ({error.strerror}): make room, let this user write "
            "there, or set SCUTTLEHOUSE_HOME to another folder."
        ) from None
    _temporary[home] = own, kept
    return own


_IN_USE = "in_use"


def _is_in_use(folder: Path) -> bool:
    try:
        descriptor = os.open(folder / _IN_USE, os.O_RDWR)
    # Somebody may have left a file in place of a folder.
    except (FileNotFoundError, NotADirectoryError):
        return False
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    finally:
        os.close(descriptor)
    return False
