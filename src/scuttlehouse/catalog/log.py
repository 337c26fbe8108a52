"""The log of runs, ``fct_builds``: every run appends to it, and no build takes anything back."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from scuttlehouse.catalog.iceberg import iceberg_catalog, write_sidecars
from scuttlehouse.catalog.names import LOG
from scuttlehouse.catalog.publishing import Catalog

if TYPE_CHECKING:
    import pyarrow as pa

LOG_TABLE = "fct_builds"


def append_steps(catalog: Catalog, home: Path, steps: pa.Table) -> None:
    """Append steps to the log and publish them; nothing where no build has made the log yet.

    Args:
        steps: rows with the columns of ``fct_builds``.
    """
    if LOG_TABLE not in catalog.tables(LOG):
        return
    table = iceberg_catalog(home).load_table(f"{LOG}.{LOG_TABLE}")
    table.append(steps)
    write_sidecars(table.metadata_location)
    catalog.move_log()
