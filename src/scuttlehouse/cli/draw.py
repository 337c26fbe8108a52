"""``scuttlehouse draw``: a group, its members, a tangle or a thread; a page of a tangle's commands."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from scuttlehouse.catalog.home import home_folder, require_outside
from scuttlehouse.drawing.commands import draw_commands
from scuttlehouse.drawing.groups import draw_group
from scuttlehouse.drawing.members import draw_members
from scuttlehouse.drawing.tangles import draw_tangle
from scuttlehouse.drawing.threads import draw_thread
from scuttlehouse.printing import visible
from scuttlehouse.reading.warehouse import open_published

DRAWINGS = {
    "group": draw_group,
    "members": draw_members,
    "tangle": draw_tangle,
    "thread": draw_thread,
    "commands": draw_commands,
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse draw``."""
    parser.add_argument("what", choices=DRAWINGS)
    parser.add_argument(
        "id",
        help="its id or short id, or a beginning that means no other; after -- if it begins with -",
    )
    parser.add_argument(
        "--output", metavar="FILE", type=Path, help="write a file, not the standard output"
    )


def run(args: argparse.Namespace) -> int:
    """Write the picture as SVG, or the page as HTML; return the exit code."""
    home = home_folder()
    if args.output:
        require_outside(home, args.output)
    with open_published(home) as warehouse:
        drawing = DRAWINGS[args.what](warehouse, args.id).encode()
    if not args.output:
        sys.stdout.buffer.write(drawing)
        return 0
    try:
        args.output.write_bytes(drawing)
    except OSError as error:
        target = visible(str(args.output))
        print(
            f"The drawing cannot be written to {target} ({error.strerror}): name a file that can be "
            "written, in a folder that exists.",
            file=sys.stderr,
        )
        return 1
    return 0
