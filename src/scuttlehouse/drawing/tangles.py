"""The messages of a tangle from left to right by rank: a colour for each author, and missing messages."""

from __future__ import annotations

from typing import NamedTuple

from scuttlehouse.drawing.layout import Place, layered
from scuttlehouse.drawing.names import people, short
from scuttlehouse.drawing.svg import LINE, Canvas, Words, colour, note_on_authors, width_of
from scuttlehouse.printing import count, cut
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.finding import TANGLE, find
from scuttlehouse.reading.warehouse import Warehouse

MOST_MESSAGES = 500
_MOST_ASIDE = 200
_MOST_MISSING = 50
_MOST_LINKS = 2000
_STRIPE = 8.0


class Message(NamedTuple):
    """A message to draw. A missing message has no person and no type."""

    message_id: str
    person: str | None
    content_type: str | None
    status: str
    reason: str | None
    is_tip: bool


def draw_tangle(warehouse: Warehouse, text: str) -> str:
    """The SVG of a tangle.

    Args:
        text: the id of the tangle or of its root, or the start of either, such as ``group:2n2iXj``.

    Raises:
        WarehouseError: no tangle or several tangles have this id, or a table cannot be read.

    Complexity: linear in the tables read, O(n log n) in what is drawn: 500 messages and 2,000 links at most.
    """
    tangle = find(warehouse, text, [TANGLE]).id
    where = f"tangle_id = {literal(tangle)}"
    messages = _messages(warehouse, where)
    drawn = ", ".join(literal(one.message_id) for one in messages) or "null"
    links = warehouse.rows(
        f"""
        select previous_id, message_id from fct_tangle_links
        where {where} and message_id in ({drawn}) and previous_id in ({drawn})
        order by all limit {_MOST_LINKS + 1}
        """,
    )
    names = people(warehouse, {one.person for one in messages if one.person})
    canvas = _picture(messages, [(one, other) for one, other in links[:_MOST_LINKS]], names)
    notes = [
        "From the root on the left; each message stands right of those that it follows. A colour is an "
        "author; a thick side is a newest message.",
        "A dashed side is a message that is set aside, because something before it is missing or wrong, "
        "or a message that no log has.",
        *_left_out(warehouse, where, messages),
    ]
    if len(links) > _MOST_LINKS:
        notes.append(f"Left out: all links but {_MOST_LINKS:,}. fct_tangle_links has all.")
    notes += note_on_authors(len(names))
    kind = tangle.partition(":")[0]
    return canvas.document(f"Tangle {kind}:{short(tangle)}", notes)


def _messages(warehouse: Warehouse, where: str) -> list[Message]:
    """The messages to draw: missing ones, those that wait for them, and the newest of the graph, in order."""
    columns = "message_id, person_id, content_type, status, status_reason, is_tip"
    missing = warehouse.rows(
        f"""
        select missing_id, null, null, 'missing', null, false from fct_tangle_gaps where {where}
        order by blocked_count desc, missing_id limit {_MOST_MISSING}
        """,
    )
    aside = warehouse.rows(
        f"""
        select {columns} from fct_tangle_messages where {where} and status = 'set_aside'
        order by asserted_at, message_id limit {_MOST_ASIDE}
        """,
    )
    newest = warehouse.rows(
        f"""
        select {columns} from fct_tangle_messages where {where} and status = 'in'
        order by position desc limit {MOST_MESSAGES - len(missing) - len(aside)}
        """,
    )
    return [Message(*row) for row in [*reversed(newest), *missing, *aside]]


def _left_out(warehouse: Warehouse, where: str, messages: list[Message]) -> list[str]:
    drawn = [one.status for one in messages]
    ((inside, aside),) = warehouse.rows(
        f"""
        select count(*) filter (status = 'in'), count(*) filter (status = 'set_aside')
        from fct_tangle_messages where {where}
        """,
    )
    ((missing,),) = warehouse.rows(f"select count(*) from fct_tangle_gaps where {where}")
    rejected = warehouse.rows(
        f"""
        select status_reason, count(*) from fct_tangle_messages
        where {where} and status = 'rejected' group by 1 order by 2 desc, 1
        """,
    )
    left = (
        (
            inside - drawn.count("in"),
            "earlier message of the graph",
            "earlier messages of the graph",
        ),
        (aside - drawn.count("set_aside"), "message set aside", "messages set aside"),
        (missing - drawn.count("missing"), "missing message", "missing messages"),
    )
    notes = [
        f"Left out: {count(number, one, several)}. `scuttlehouse sql` shows all."
        for number, one, several in left
        if number > 0
    ]
    if rejected:
        reasons = ", ".join(f"{number:,} {reason}" for reason, number in rejected[:5])
        total = sum(number for _, number in rejected)
        notes.append(f"Left out: {count(total, 'rejected message')} ({reasons}).")
    return notes


def _picture(
    messages: list[Message], links: list[tuple[str, str]], names: dict[str, str]
) -> Canvas:
    rows = {one.message_id: _words(one, names) for one in messages}
    sizes = {
        one: (max(map(width_of, words)) + _STRIPE + 16, LINE * len(words) + 8)
        for one, words in rows.items()
    }
    places, routes = layered(sizes, links, gap=(44.0, 14.0))
    colours = {
        person: n
        for n, person in enumerate(dict.fromkeys(one.person for one in messages if one.person))
    }
    waiting = {one.message_id for one in messages if one.status != "in"}
    canvas = Canvas()
    for (start, end), route in routes.items():
        is_waiting = start in waiting or end in waiting
        canvas.route(route, "line" + (" waits" if is_waiting else ""))
    for one in messages:
        place, words = places[one.message_id], rows[one.message_id]
        kind = "box" if one.status == "in" else "aside"
        canvas.box(place, kind + (" marked" if one.is_tip else ""), one.message_id)
        if one.person:
            stripe = Place(place.x, place.y, _STRIPE, place.height)
            canvas.box(stripe, colour(colours[one.person]), one.person)
        for number, line in enumerate(words):
            canvas.text(place.x + _STRIPE + 6, place.y + LINE * (number + 1), line)
    return canvas


def _words(message: Message, names: dict[str, str]) -> list[Words]:
    """The lines in the box of a message."""
    words = [Words(short(message.message_id), "strong", message.message_id)]
    if message.person:
        words.append(Words(names[message.person], "", message.person))
    if message.content_type:
        words.append(Words(cut(message.content_type), "soft", message.content_type))
    if message.status != "in":
        status = f"{message.status}: {message.reason}" if message.reason else message.status
        words.append(Words(status.replace("_", " "), "alarm"))
    return words
