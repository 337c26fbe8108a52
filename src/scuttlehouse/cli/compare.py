"""``scuttlehouse compare``: of two messages of a tangle, which came first."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from typing import NamedTuple

from scuttlehouse.catalog.home import home_folder
from scuttlehouse.cli.row_formats import FORMATS, write_rows
from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.finding import MESSAGE, find
from scuttlehouse.reading.warehouse import Warehouse, open_published
from scuttlehouse.tangles.relations import Relation


class Place(NamedTuple):
    """The positions of two messages in the graph of a tangle that has both."""

    tangle_kind: str
    tangle_id: str
    rank: int
    position: int
    other_rank: int
    other_position: int


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The options of ``scuttlehouse compare``."""
    parser.add_argument(
        "message",
        help="id of a message in any spelling, or a beginning that means no other; after -- if it "
        "begins with -",
    )
    parser.add_argument("other", help="id of another message, or a beginning")
    parser.add_argument("--format", choices=FORMATS, default=FORMATS[0])


def run(args: argparse.Namespace) -> int:
    """Print the relation of two messages in every tangle that has both; return the exit code."""
    with open_published(home_folder()) as warehouse:
        message, other = (
            find(warehouse, text, [MESSAGE]).id for text in (args.message, args.other)
        )
        rows = compare(warehouse, message, other)
    write_rows(sys.stdout, args.format, ["tangle_kind", "tangle_id", "relation"], rows)
    return 0


def compare(warehouse: Warehouse, message: str, other: str) -> list[tuple[str, str, Relation]]:
    """The kind and id of each tangle that has both messages in its graph, and their relation there.

    Raises:
        WarehouseError: no tangle has both, or a table cannot be read.

    Complexity: linear in the tables of tangles, and in the links between the two.
    """
    found = []
    for place in _places(warehouse, message, other):
        later, earlier = sorted((place.position, place.other_position), reverse=True)
        # If two messages have the same rank, neither comes before the other.
        is_linked = place.rank != place.other_rank and leads_to(
            later, earlier, _links_between(warehouse, place.tangle_id, earlier, later)
        )
        relation: Relation = "concurrent"
        if message == other:
            relation = "same"
        elif is_linked:
            relation = "before" if place.position == earlier else "after"
        found.append((place.tangle_kind, place.tangle_id, relation))
    if not found:
        raise WarehouseError(
            f"No tangle has both {message} and {other} in its graph: fct_tangle_messages shows the "
            "tangles of each message, and why it is set aside."
        )
    return found


def leads_to(later: int, earlier: int, links: Iterable[tuple[int, int]]) -> bool:
    """Whether links lead from a message back to an earlier one.

    Args:
        later, earlier: their positions; what a message lists has a lesser position than the message.
        links: positions of a message and of one that it lists, the greatest message first.

    Complexity: O(links). No link is followed twice, however many paths there are.

    >>> leads_to(3, 0, [(3, 2), (2, 1), (1, 0)]), leads_to(3, 0, [(3, 2), (1, 0)])
    (True, False)
    """
    reached = {later}
    for message, previous in links:
        if message in reached:
            reached.add(previous)
    return earlier in reached


def _places(warehouse: Warehouse, message: str, other: str) -> list[Place]:
    rows = warehouse.rows(f"""
        select one.tangle_kind, tangle_id, one.rank, one.position, two.rank, two.position
        from fct_tangle_messages as one
        inner join fct_tangle_messages as two using (tangle_id)
        where one.message_id = {literal(message)} and two.message_id = {literal(other)}
            and one.status = 'in' and two.status = 'in'
        order by 1, 2
    """)
    return [Place(*row) for row in rows]


def _links_between(
    warehouse: Warehouse, tangle_id: str, earlier: int, later: int
) -> list[tuple[int, int]]:
    rows = warehouse.rows(f"""
        with places as (
            select message_id, position from fct_tangle_messages
            where tangle_id = {literal(tangle_id)} and position between {earlier} and {later}
        )
        select listing.position, listed.position
        from fct_tangle_links as links
        inner join places as listing using (message_id)
        inner join places as listed on links.previous_id = listed.message_id
        where links.tangle_id = {literal(tangle_id)}
        order by 1 desc
    """)
    return [(message, previous) for message, previous in rows]
