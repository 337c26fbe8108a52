"""Write again what dashboards read, after a run or a rollback."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

from scuttlehouse.catalog.names import CatalogError
from scuttlehouse.printing import visible
from scuttlehouse.reading.engine import WarehouseError
from scuttlehouse.serving.duckdb_file import serving_file, write_serving_file
from scuttlehouse.serving.postgresql import serving_database, write_serving_database


def renew_serving(home: Path, *, log_only: bool = False) -> str | None:
    """Write the serving file again if there is one, and the serving database if one is named.

    The published tables depend on neither, so nothing is raised. Both are tried, whatever is wrong with one.

    Args:
        log_only: only the log of runs has changed. The other tables stay, if they are those of the published
            build.

    Returns:
        What went wrong, as a sentence, or null.
    """
    places: list[Callable[..., object]] = []
    if serving_file(home).exists():
        places.append(partial(write_serving_file, home))
    if address := serving_database():
        places.append(partial(write_serving_database, home, address))
    wrong = []
    for write in places:
        try:
            write(log_only=log_only)
        except (CatalogError, WarehouseError) as error:
            wrong.append(str(error))
    if not wrong:
        return None
    # PostgreSQL names the value that it refuses.
    return visible(
        "The published tables stand, but dashboards do not show this run yet: "
        f"{' '.join(wrong)} Then run `scuttlehouse export`."
    )
