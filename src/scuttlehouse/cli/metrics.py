"""``scuttlehouse metrics``: metrics of the builds in Prometheus's text format."""

from __future__ import annotations

import argparse
import sys

from scuttlehouse.catalog import CatalogError, home_folder
from scuttlehouse.operation.metrics import metrics, text_of
from scuttlehouse.printing import visible
from scuttlehouse.reading.engine import WarehouseError


def add_arguments(_: argparse.ArgumentParser) -> None:
    """``scuttlehouse metrics`` has no options."""


def run(_: argparse.Namespace) -> int:
    """Print the metrics; return the exit code."""
    try:
        print(text_of(metrics(home_folder())), end="")
    except (CatalogError, WarehouseError) as error:
        print(visible(str(error)), file=sys.stderr)
        return 1
    return 0
