"""``scuttlehouse show``: the summary of the published build, or what is known of one thing."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterable
from pathlib import Path

from scuttlehouse.builds.summary import summary_of_published
from scuttlehouse.catalog.home import home_folder
from scuttlehouse.printing import visible
from scuttlehouse.reading.finding import AmbiguousIdError, find
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.showing.pages import page
from scuttlehouse.showing.paragraphs import Style


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The argument of ``scuttlehouse show``."""
    parser.add_argument(
        "id",
        nargs="?",
        help="the id or short id of a group, a person, a feed, an epoch, a message, a tangle or a "
        "set, or a beginning that means no other; after -- if it begins with -. Without it: the summary "
        "of the published build",
    )


def run(args: argparse.Namespace) -> int:
    """Print the summary, or a page; return the exit code."""
    try:
        home = home_folder()
        told = [*summary_of_published(home)] if args.id is None else [*_page(home, args.id)]
    except AmbiguousIdError as error:
        print(*map(visible, _candidates(args.id, error)), sep="\n", file=sys.stderr)
        return 1
    print(*told, sep="\n")
    return 0


def _page(home: Path, text: str) -> Iterable[str]:
    # https://no-color.org: any text but the empty one switches colours off.
    is_coloured = (
        sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    )
    with open_published(home) as warehouse:
        yield from page(warehouse, find(warehouse, text), Style(is_coloured=is_coloured))


def _candidates(text: str, error: AmbiguousIdError) -> Iterable[str]:
    yield f"{text} may mean several things: give more of the id."
    for kind, one, name in error.found:
        yield f"  {kind.word}  {one}" + (f"  {name}" if name else "")
    if error.left_out:
        yield f"  ... and {error.left_out:,} more"
