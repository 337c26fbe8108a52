"""``scuttlehouse metrics``: metrics of the builds in Prometheus's text format."""

from __future__ import annotations

import argparse

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.operation.metrics import metrics, text_of


def add_arguments(_: argparse.ArgumentParser) -> None:
    """``scuttlehouse metrics`` has no options."""


def run(_: argparse.Namespace) -> int:
    """Print the metrics; return the exit code."""
    print(text_of(metrics(home_folder())), end="")
    return 0
