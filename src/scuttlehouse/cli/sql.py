"""``scuttlehouse sql``: a query over the published tables."""

from __future__ import annotations

import argparse
import sys

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.cli.row_formats import FORMATS, write_rows
from scuttlehouse.reading.warehouse import open_published


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse sql``."""
    parser.add_argument("statement", help='a query, e.g. "select * from dim_groups"')
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0])
    parser.add_argument(
        "--raw",
        action="store_true",
        help="print texts unchanged: they may control a terminal, or run in a spreadsheet",
    )


def run(args: argparse.Namespace) -> int:
    """Print the answer; return the exit code."""
    with open_published(home_folder()) as warehouse:
        columns, rows = warehouse.query(args.statement)
    write_rows(sys.stdout, args.format, columns, rows, is_raw=args.raw)
    return 0
