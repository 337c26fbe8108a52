"""A page that follows the update commands of a tangle's order (ScuttleSort, section 1.2)."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable
from html import escape
from importlib.resources import files
from typing import Any

from scuttlehouse.drawing.names import people, short
from scuttlehouse.drawing.svg import COLOURS, colour, note_on_authors
from scuttlehouse.printing import count, cut, visible
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.finding import TANGLE, find
from scuttlehouse.reading.warehouse import Warehouse

MOST_MESSAGES = 500


def draw_commands(warehouse: Warehouse, text: str) -> str:
    """An HTML page that plays the commands by which the order of a tangle grows as its messages arrive.

    The messages in the graph arrive in the order in which the log received them; one without that time,
    when its author says. The page needs no network: it is one file, and asks for nothing.

    Args:
        text: the id of the tangle or of its root, or a beginning, such as ``group:2n2iXj``.

    Raises:
        WarehouseError: no tangle or several have this id, or a table cannot be read.

    Complexity: linear in the tables read; 500 messages at most are played.
    """
    tangle = find(warehouse, text, [TANGLE]).id
    where = f"tangle_id = {literal(tangle)}"
    arrivals = _arrivals(warehouse, where)
    ((total,),) = warehouse.rows(
        f"select count(*) from fct_tangle_messages where {where} and status = 'in'"
    )
    previous = _previous(warehouse, where, [message for message, *_ in arrivals])
    names = people(warehouse, {person for _, person, *_ in arrivals})
    authors = {person: n for n, person in enumerate(dict.fromkeys(row[1] for row in arrivals))}
    shown = {
        message: {
            "short": short(message),
            "author": visible(names[person]),
            "type": visible(cut(kind or "")),
            "time": time or "no time",
            "colour": colour(authors[person]),
        }
        for message, person, kind, time in arrivals
    }
    steps = commands([message for message, *_ in arrivals], previous)
    notes = [
        f"{count(len(arrivals), 'message')}, each inserted (ins) when the log received it; a message "
        "that was there before may move (mov). The order is the one that all copies share. A colour is an "
        "author.",
    ]
    if total > len(arrivals):
        notes.append(f"Left out: {count(total - len(arrivals), 'later message')}.")
    notes += note_on_authors(len(authors))
    title = f"Commands of tangle {tangle.partition(':')[0]}:{short(tangle)}"
    return _page(title, notes, {"messages": shown, "commands": steps})


def _arrivals(warehouse: Warehouse, where: str) -> list[tuple[Any, ...]]:
    """The messages to play, as they arrive: id, author, type, and time as a text."""
    return warehouse.rows(
        f"""
        with

        candidates as (
            select message_id, person_id, content_type from fct_tangle_messages
            where {where} and status = 'in'
        )

        select
            candidates.message_id,
            candidates.person_id,
            candidates.content_type,
            strftime(coalesce(messages.received_at, messages.asserted_at), '%Y-%m-%d %H:%M:%S')
        from candidates
        inner join fct_messages as messages on candidates.message_id = messages.message_id
        order by coalesce(messages.received_at, messages.asserted_at) nulls last, candidates.message_id
        limit {MOST_MESSAGES}
        """,
    )


def _previous(warehouse: Warehouse, where: str, messages: Iterable[str]) -> dict[str, list[str]]:
    """What each of these messages lists in the tangle."""
    played = ", ".join(map(literal, messages)) or "null"
    found = defaultdict(list)
    for message, listed in warehouse.rows(
        f"""
        select message_id, previous_id from fct_tangle_links
        where {where} and message_id in ({played}) order by all
        """,
    ):
        found[message].append(listed)
    return found


def commands(arrivals: list[str], previous: dict[str, list[str]]) -> list[dict[str, Any]]:
    """The commands by which an order follows messages that arrive one after the other.

    Returns:
        What the columns of fct_timeline_updates say: ``command``, ``message_id``, ``from_position`` (null for
        `ins`), ``to_position``.

    >>> for command in commands(["b", "c", "a"], {"b": ["a"]}):
    ...     print(*command.values())
    ins b None 0
    ins c None 1
    ins a None 0
    mov b 1 2
    """
    # They import numba, and `scuttlehouse draw` imports this module for other drawings, too.
    from scuttlehouse.timeline import Timeline
    from scuttlehouse.timeline.commands import Ins

    timeline, order = Timeline(), list[str]()
    told: list[dict[str, Any]] = []
    for arrival in arrivals:
        for one in timeline.add(arrival, previous.get(arrival, [])):
            if isinstance(one, Ins):
                kind, name, start, end = "ins", one.name, None, one.position
            else:
                kind, start, end = "mov", one.from_position, one.to_position
                name = order.pop(start)
            order.insert(end, name)
            values = (kind, name, start, end)
            columns = ("command", "message_id", "from_position", "to_position")
            told.append(dict(zip(columns, values, strict=True)))
    return told


def _page(title: str, notes: list[str], data: dict[str, Any]) -> str:
    template = (files(__package__) / "commands.html").read_text(encoding="utf-8")
    # Inside a script nothing is escaped as HTML: no `<` can end it.
    filled = {
        "@title@": escape(visible(title)),
        "@notes@": "\n".join(f"<p>{escape(note)}</p>" for note in notes),
        "@colours@": "\n".join(
            f"#order .c{n} {{ background: {one}; }}" for n, one in enumerate(COLOURS)
        ),
        "@data@": json.dumps(data).replace("<", "\\u003c"),
    }
    for place, text in filled.items():
        template = template.replace(place, text)
    return template
