"""The page of a thing: a heading, and its paragraphs."""

from __future__ import annotations

from collections.abc import Iterator

from scuttlehouse.printing import visible
from scuttlehouse.reading.finding import (
    EPOCH,
    FEED,
    GROUP,
    MESSAGE,
    MISSING,
    PERSON,
    ROOTLESS_GROUP,
    SET,
    SET_MESSAGE,
    TANGLE,
    Found,
    Kind,
)
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.showing.groups import EPOCH_PAGE, GROUP_PAGE, ROOTLESS_GROUP_PAGE
from scuttlehouse.showing.messages import MESSAGE_PAGE, MISSING_PAGE, TANGLE_PAGE
from scuttlehouse.showing.paragraphs import Names, Paragraph, Style, ask, lines
from scuttlehouse.showing.people import FEED_PAGE, PERSON_PAGE
from scuttlehouse.showing.sets import SET_MESSAGE_PAGE, SET_PAGE

_PAGES: dict[Kind, tuple[Paragraph, ...]] = {
    GROUP: GROUP_PAGE,
    PERSON: PERSON_PAGE,
    FEED: FEED_PAGE,
    EPOCH: EPOCH_PAGE,
    MESSAGE: MESSAGE_PAGE,
    MISSING: MISSING_PAGE,
    TANGLE: TANGLE_PAGE,
    SET: SET_PAGE,
    SET_MESSAGE: SET_MESSAGE_PAGE,
    ROOTLESS_GROUP: ROOTLESS_GROUP_PAGE,
}


def page(warehouse: Warehouse, thing: Found, style: Style) -> Iterator[str]:
    """The lines of the page of a thing, without control characters of strangers. Times are in UTC.

    Raises:
        WarehouseError: a table cannot be read.

    Complexity: linear in the tables that its paragraphs read; each prints 12 rows at most.
    """
    answers = [ask(warehouse, paragraph, thing.id) for paragraph in _PAGES[thing.kind]]
    names = Names(warehouse, (cell for answer in answers for row in answer.rows for cell in row))
    yield style.heading(f"{thing.kind.word.capitalize()} {visible(thing.id)}")
    for answer in answers:
        yield from lines(answer, names, style)
