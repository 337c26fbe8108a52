"""``scuttlehouse build --verify``: logs and tables are read and compared with what builds wrote down."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from scuttlehouse.builds.unchanged import published_logs
from scuttlehouse.catalog.names import LOG
from scuttlehouse.catalog.opening import open_catalog
from scuttlehouse.catalog.storage import warehouse_location
from scuttlehouse.files.listing import list_logs
from scuttlehouse.files.recognise import recognise
from scuttlehouse.landing.folder import landing_folder
from scuttlehouse.landing.ledger import changed_unseen
from scuttlehouse.landing.looks import look_into
from scuttlehouse.reading.engine import WarehouseError, connect
from scuttlehouse.reading.table_files import verify_table
from scuttlehouse.ssb.epoch_keys import KeyRing


def damaged_tables(home: Path) -> Iterator[str]:
    """A sentence for each table of the published build with a file that is missing or damaged, and the log.

    Linear in the size of the tables.
    """
    with open_catalog(home, read_only=True) as catalog:
        published, log = catalog.published(), catalog.tables(LOG)
    tables = {**(published.tables if published else {}), **log}
    with connect(warehouse_location(home)) as connection:
        for table, location in sorted(tables.items()):
            try:
                verify_table(connection, table, location)
            except WarehouseError as error:
                yield str(error)


def differing_logs(home: Path) -> list[str]:
    """The logs whose content is not what the published build has read, though size and time are the same.

    Logs with another size or time are read by the next build in any case.

    Raises:
        LandingError: the landing folder cannot be read.
        WarehouseError: the table of logs is damaged.
    """
    landing = landing_folder()
    known = published_logs(home).of_folder(landing)
    look = partial(look_into, recognise=recognise)
    return changed_unseen(list_logs(landing, KeyRing.of_home(home)), known, look)
