"""A thread as people read it: a line for each message, indented by depth."""

from __future__ import annotations

from typing import Any

from scuttlehouse.drawing.layout import Place
from scuttlehouse.drawing.names import people, short
from scuttlehouse.drawing.svg import LINE, Canvas, Words, colour, note_on_authors
from scuttlehouse.printing import count
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.finding import THREAD, find
from scuttlehouse.reading.warehouse import Warehouse

MOST_MESSAGES = 500
_INDENT = 20.0
# Deeper messages are not indented further. Their line says how deep they are.
_MOST_INDENTS = 20
_ROW = 24.0
# What `attached_by` says. A message that no link places has no depth, and is not indented.
_PLACED = {
    "linked": "",
    "by_time": "placed by its time",
    "branch_missing": "not all links from it lead to the first message",
}


def draw_thread(warehouse: Warehouse, text: str) -> str:
    """The SVG of a thread. It shows who wrote when, and to what. The tables hold no texts of posts.

    Args:
        text: the id of the thread or of its first message, or the start of it if it is unique.

    Raises:
        WarehouseError: no thread or several threads have this id, or a table cannot be read.

    Complexity: linear in the tables read and in what is drawn: 500 messages at most.
    """
    thread = find(warehouse, text, [THREAD]).id
    where = f"tangle_id = {literal(thread)}"
    ((total,),) = warehouse.rows(f"select count(*) from fct_thread_messages where {where}")
    ((gaps,),) = warehouse.rows(f"select count(*) from fct_tangle_gaps where {where}")
    messages = warehouse.rows(
        f"""
        select message_id, person_id, depth, attached_by, asserted_time_fault,
            strftime(asserted_at, '%Y-%m-%d %H:%M')
        from fct_thread_messages where {where} order by thread_position limit {MOST_MESSAGES}
        """,
    )
    names = people(warehouse, {person for _, person, *_ in messages})
    notes = [
        f"{count(total, 'message')} in the order in which people read them. Times are UTC, as authors say."
    ]
    if gaps:
        notes.append(f"Missing: {count(gaps, 'message')} that no log has.")
    if total > len(messages):
        notes.append(
            f"Left out: {count(total - len(messages), 'later message')}. fct_thread_messages has all."
        )
    notes += note_on_authors(len(names))
    return _picture(messages, names).document(f"Thread {short(thread)}", notes)


def _picture(messages: list[tuple[Any, ...]], names: dict[str, str]) -> Canvas:
    """``messages``: id, author, depth, ``attached_by``, fault of the time, and time as a text."""
    authors = dict.fromkeys(person for _, person, *_ in messages)
    colours = {person: number for number, person in enumerate(authors)}
    canvas = Canvas()
    for number, (message, person, depth, attached_by, fault, time) in enumerate(messages):
        x, y = _INDENT * min(depth or 0, _MOST_INDENTS), _ROW * number
        for step in range(int(x / _INDENT)):
            canvas.path(f"M{_INDENT * step + 4:g},{y:g} v{_ROW:g}", "rule")
        canvas.box(Place(x, y + 3, 8, _ROW - 6), colour(colours[person]), person)
        deep = f"depth {depth:,}" if (depth or 0) > _MOST_INDENTS else ""
        doubt = f"time {fault}".replace("_", " ") if fault else ""
        remarks = ", ".join(filter(None, [deep, _PLACED[attached_by], doubt]))
        canvas.text(
            x + 16,
            y + LINE - 2,
            Words(names[person], "strong", person),
            Words(time or "no time", "soft"),
            Words(short(message), "", message),
            *([Words(remarks, "alarm")] if remarks else []),
        )
    return canvas
