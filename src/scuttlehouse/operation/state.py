"""Checks of a warehouse: home, disk, catalog, files, key, logs, lock, last builds."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from shlex import quote

from scuttlehouse.addresses import server_of, shown_server
from scuttlehouse.catalog.damage import verify_kept, verify_tables
from scuttlehouse.catalog.database import postgresql_address
from scuttlehouse.catalog.home import home_folder, refuse_folders_of_others
from scuttlehouse.catalog.lock import BuildLock
from scuttlehouse.catalog.log import require_clock, require_clock_of_tables
from scuttlehouse.catalog.names import (
    ENDED_WELL,
    LOG,
    LOG_TABLE,
    MAIN,
    PUBLISHED,
    CatalogError,
    UnusableError,
)
from scuttlehouse.catalog.opening import open_catalog, published_build
from scuttlehouse.catalog.publishing import Catalog
from scuttlehouse.catalog.readers import mode_of_readers
from scuttlehouse.catalog.storage import files_below, warehouse_location
from scuttlehouse.files.limits import most_unpacked_bytes
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.names import looks_like_key
from scuttlehouse.landing.folder import landing_folder, require_apart
from scuttlehouse.operation.findings import AS_BUILDER, Finding
from scuttlehouse.printing import count
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import open_tables
from scuttlehouse.s3 import is_in_s3, s3_endpoint
from scuttlehouse.ssb.epoch_keys import sealed_keys
from scuttlehouse.warehouse_key import PEPPER_FILE, PLACES_OF_KEYS, kept_file, warehouse_pepper

_BUILD = "Run `scuttlehouse build`."
_LEAST_FREE_BYTES = 1 << 30

# The ports that are meant where an address has none.
_POSTGRESQL_PORT = 5432
_HTTPS_PORT = 443


def home() -> Finding:
    """The folder of the warehouse: there, writable, closed to others."""
    folder = home_folder()
    there, wanted = _nearest(folder), 0o700 | mode_of_readers()
    if not there.is_dir():
        return Finding("fail", f"{there} is no folder.", "Set SCUTTLEHOUSE_HOME to a folder.")
    if not os.access(there, os.W_OK | os.X_OK):
        return Finding(
            "fail", f"This user cannot write to {there}.", "Build as the user that owns it."
        )
    if there != folder:
        return Finding("warn", f"{folder} does not exist yet.", _BUILD)
    refuse_folders_of_others(folder)
    if folder.stat().st_mode & 0o777 & ~wanted:
        return Finding(
            "warn",
            f"{folder} is open to other users.",
            f"Run `chmod {wanted:o} {quote(str(folder))}`.",
        )
    return Finding("ok", str(folder))


def _nearest(folder: Path) -> Path:
    """The folder, or the nearest one around it that is there and that this user may look at."""
    for path in (folder, *folder.parents):
        with suppress(OSError):
            path.stat()
            return path
    return Path(folder.anchor)


def disk() -> Finding:
    """Free space: a build that makes all tables needs as much as the tables have, beside them."""
    folder = home_folder()
    there = _nearest(folder)
    free, used = shutil.disk_usage(there).free, _bytes_below(folder)
    is_seen = there != folder or os.access(folder, os.R_OK | os.X_OK)
    what = f"{_gigabytes(free)} free" + (
        f", {_gigabytes(used)} used by {folder}"
        if is_seen
        else f"; this user cannot see what {folder} uses"
    )
    advice = "Free disk space, or move SCUTTLEHOUSE_HOME to a larger disk and build there."
    if free < _LEAST_FREE_BYTES:
        return Finding("fail", f"{what}.", advice)
    if not is_seen:
        return Finding("warn", f"{what}.", AS_BUILDER)
    if free < used:
        return Finding("warn", f"{what}: a full refresh may not fit.", advice)
    return Finding("ok", what)


def _bytes_below(folder: Path) -> int:
    total = 0
    for file in files_below(str(folder)):
        with suppress(FileNotFoundError):  # A build removes files meanwhile.
            total += Path(file).lstat().st_size
    return total


def _gigabytes(number: int) -> str:
    """
    >>> _gigabytes(1_234_000_000)
    '1.2 GB'
    """
    return f"{number / 1e9:.1f} GB"


def catalog() -> Finding:
    """The catalog: reachable, whole, and of this home."""
    where = _place_of_catalog()
    published = published_build(home_folder())
    if published is None:
        return Finding("warn", f"{where} answers; nothing is published yet.", _BUILD)
    return Finding(
        "ok", f"{where} answers; published: {published.build_id}, {published.published_at}"
    )


def _place_of_catalog() -> str:
    """Where the catalog is, without the password."""
    address = postgresql_address()
    if not address:
        return "SQLite"
    server = server_of(address, _POSTGRESQL_PORT)
    return f"PostgreSQL on {server[0]}" if server else "PostgreSQL"


def tables() -> Finding:
    """The metadata files of all tables; S3, if they are there."""
    folder = home_folder()
    warehouse = warehouse_location(folder)
    with open_catalog(folder, read_only=True) as opened:
        verify_tables(opened)
        verify_kept(opened)
        files = count(len(opened.metadata_files()), "metadata file")
    server = shown_server(s3_endpoint(), _HTTPS_PORT) or "Amazon"
    where = f"S3 ({server}), {warehouse}" if is_in_s3(warehouse) else warehouse
    return Finding("ok", f"{files} in {where}")


def key() -> Finding:
    """Where the key of the warehouse is, and whether it opens the file that it sealed."""
    folder = home_folder()
    sealed_keys(folder)
    pepper = folder / PEPPER_FILE
    kept = kept_file(pepper)
    named = next((name for name in PLACES_OF_KEYS if os.environ.get(name, "").strip()), None)
    if named and warehouse_pepper(folder) != kept:
        return Finding("ok", f"from {named}")
    places = "SCUTTLEHOUSE_KEY_FILE or SCUTTLEHOUSE_KEY_COMMAND"
    return Finding(
        "warn",
        "The key is kept in the home, beside the file that it seals: a backup of the home holds both.",
        f"Put what `base64 {quote(str(pepper))}` prints where {places} reads it, and remove {PEPPER_FILE}."
        if kept
        else f"Set {places} before the first build (README, Settings).",
    )


def landing() -> Finding:
    """The landing folder: how many logs, and what cannot be one."""
    folder, house = landing_folder(), home_folder()
    most_unpacked_bytes(0)  # It ends a build if the setting is no number.
    with suppress(CatalogError):  # The check of the tables says that their place is none.
        require_apart(folder, house, warehouse_location(house))
    logs = list_logs(folder)
    left_out = [log for log in logs if log.problem is not None]
    what = f"{count(len(logs) - len(left_out), 'log')} in {folder}"
    if len(left_out) == len(logs):
        return Finding("fail", f"There is no log in {folder}.", "Put logs there.")
    if left_out:
        name = left_out[0].source_file
        first = "one whose name looks like a key" if looks_like_key(name) else name
        return Finding(
            "warn",
            f"{what}, and {count(len(left_out), 'entry that is', 'entries that are')} left out; "
            f"the first is {first}.",
            '`scuttlehouse sql "select source_file, status_reason from dim_logs"` '
            "says why, after a build.",
        )
    return Finding("ok", what)


def lock() -> Finding:
    """Who builds now."""
    holder = BuildLock(home_folder()).holder()
    if holder is None:
        return Finding("ok", "Nobody builds")
    return Finding("ok", f"In use by {holder}")


def last_build() -> Finding:
    """How the last run that builds ended, and that it did before now."""
    with open_catalog(home_folder(), read_only=True) as opened:
        require_clock(opened, MAIN)
        require_clock_of_tables(opened)
        log = opened.tables(LOG)
        killed = _killed_build(opened)
    if killed:
        return Finding("warn", f"{killed}: killed or interrupted.", _BUILD)
    if LOG_TABLE not in log:
        return Finding("warn", "The log of runs is empty.", _BUILD)
    # Not the published tables: there are none yet after a first build that failed.
    with open_tables(home_folder(), {PUBLISHED: log}) as warehouse:
        rows = warehouse.rows(
            "select build_id, status, started_at from fct_builds where step = 'build' "
            "order by started_at desc nulls last limit 1"
        )
        if not rows:
            return Finding("warn", "The log of runs is empty.", _BUILD)
        [(build_id, status, started_at)] = rows
        failed = warehouse.rows(
            "select step, message from fct_builds where status in ('error', 'fail', 'runtime error') and "
            f"build_id = {literal(build_id)} order by step limit 1"
        )
    # A run that was killed has no time.
    began = f", began {started_at:%Y-%m-%d %H:%M:%S UTC}" if started_at else ""
    what = f"{build_id}: {status}{began}"
    if status in ENDED_WELL:
        return Finding("ok", what)
    because = f"; first {failed[0][0]}: {failed[0][1]}".removesuffix(".") if failed else ""
    return Finding(
        "warn", f"{what}{because}.", "Correct what failed, and run `scuttlehouse build` again."
    )


def _killed_build(opened: Catalog) -> str | None:
    """The build that began last, if it has not ended, and nobody builds: the next one logs it as killed."""
    work, published = opened.work(MAIN), opened.published()
    if work is None or work.passed is not None or BuildLock(home_folder()).holder():
        return None
    # One that was killed after it had published has no row of its own yet.
    return work.build_id if published is None or published.build_id != work.build_id else None


def _looking_again(check: Callable[[], Finding]) -> Callable[[], Finding]:
    """The check. If a file is missing or damaged, it is made again, from the catalog as it is then.

    A build may have replaced the file meanwhile, and removed it.
    """

    def checked() -> Finding:
        try:
            return check()
        except (UnusableError, WarehouseError):
            return check()

    return checked


OF_WAREHOUSE = {
    "home": home,
    "disk": disk,
    "key": key,
    "catalog": catalog,
    "tables": _looking_again(tables),
    "landing": landing,
    "lock": lock,
    "last build": _looking_again(last_build),
}
