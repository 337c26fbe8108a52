"""Who was in which epoch of a group: a lane for each person along the group's timeline."""

from __future__ import annotations

from scuttlehouse.drawing.layout import Place
from scuttlehouse.drawing.names import people, short
from scuttlehouse.drawing.svg import COLOURS, LINE, Canvas, Words, colour, width_of
from scuttlehouse.printing import count
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.finding import GROUP, find
from scuttlehouse.reading.warehouse import Warehouse

MOST_PEOPLE = 60
MOST_PERIODS = 1000
_LANE = 26.0
_STEPS = 900.0
# The word "excluded", most short ids of epochs, and every position fit into the least step. Colours repeat.
_LEAST_STEP, _MOST_STEP = 70.0, 80.0


def draw_members(warehouse: Warehouse, text: str) -> str:
    """The SVG of the memberships of a group. Its width grows with changes, not with messages.

    Args:
        text: the id of the group, or the start of it if no other id starts in the same way.

    Raises:
        WarehouseError: no group or several groups have this id, or a table cannot be read.

    Complexity: linear in the tables read, O(n log n) in what is drawn: 1,000 periods of 60 people at most.
    """
    group = find(warehouse, text, [GROUP]).id
    where = f"group_id = {literal(group)}"
    ((name,),) = warehouse.rows(f"select name from dim_groups where {where}")
    ((person_count, period_count),) = warehouse.rows(
        f"select count(distinct person_id), count(*) from fct_membership_history where {where}"
    )
    periods = warehouse.rows(
        f"""
        with lanes as (
            select person_id, min(valid_from_position) as first_position
            from fct_membership_history where {where} group by person_id
            order by first_position, person_id limit {MOST_PEOPLE}
        )
        select person_id, epoch_id, valid_from_position, valid_to_position, is_excluded
        from fct_membership_history inner join lanes using (person_id)
        where {where}
        order by valid_from_position, first_position, person_id
        limit {MOST_PERIODS}
        """,
    )
    lanes = dict.fromkeys(person for person, *_ in periods)
    notes = [
        f"A lane for each of {count(len(lanes), 'person', 'people')}. A colour is an epoch; a pale bar "
        "with a dashed side is an exclusion.",
        "The numbers are positions in the timeline of the group: a place for each change.",
    ]
    if person_count > len(lanes):
        notes.append(
            f"Left out: {count(person_count - len(lanes), 'person who was', 'people who were')} added later."
        )
    if period_count > len(periods):
        notes.append(
            f"Left out: {count(period_count - len(periods), 'period')}. fct_membership_history has all."
        )
    if not periods:
        notes = ["Nobody was ever added to this group, as far as the logs tell."]
    if len({epoch for _, epoch, *_ in periods}) > len(COLOURS):
        notes.append(
            f"There are more than {len(COLOURS)} epochs, so colours repeat: short ids tell."
        )
    names = people(warehouse, lanes.keys())
    canvas = _picture([(*row,) for row in periods], names)
    return canvas.document(f"{name}: members", notes)


def _picture(
    periods: list[tuple[str, str, int, int | None, bool]], names: dict[str, str]
) -> Canvas:
    canvas = Canvas()
    ends = {to for _, _, _, to, _ in periods if to is not None}
    positions = sorted({start for _, _, start, _, _ in periods} | ends)
    left = max((width_of(Words(name)) for name in names.values()), default=0.0) + 12
    step = min(max(_STEPS / (len(positions) + 1), _LEAST_STEP), _MOST_STEP)
    places = {position: left + step * number for number, position in enumerate(positions)}
    right = left + step * len(positions)
    # In the order of their first period.
    colours = {epoch: n for n, epoch in enumerate(dict.fromkeys(row[1] for row in periods))}
    lanes = {
        person: 12 + _LANE * n for n, person in enumerate(dict.fromkeys(row[0] for row in periods))
    }
    bottom = 12 + _LANE * len(lanes)
    for position, x in places.items():
        canvas.path(f"M{x:g},12 V{bottom:g}", "rule")
        canvas.text(x, 6, Words(str(position), "soft"))
    for person, y in lanes.items():
        canvas.text(0, y + 17, Words(names[person], "", person))
    for person, epoch, start, end, is_excluded in periods:
        x, to = places[start], right if end is None else places[end]
        place = Place(x, lanes[person] + 4, to - x, _LANE - 8)
        number = colours[epoch]
        state = "excluded" if is_excluded else "member"
        until = "" if end is None else f" to {end}"
        title = f"{person} {state} of {epoch}, from {start}{until}"
        canvas.box(place, colour(number) + (" hollow" if is_excluded else ""), title)
        label = Words(short(epoch), f"on on{colour(number)[1:]}", title)
        if is_excluded:
            label = Words("excluded", "alarm", title)
        if width_of(label) + 6 <= place.width:
            canvas.text(x + 4, place.y + 13, label)
    _legend(canvas, colours, bottom + 2 * LINE)
    return canvas


def _legend(canvas: Canvas, epochs: dict[str, int], top: float) -> None:
    for epoch, number in epochs.items():
        x, y = 80.0 * (number % 10), top + LINE * (number // 10)
        canvas.box(Place(x, y - 10, 12, 12), colour(number), epoch)
        canvas.text(x + 17, y, Words(short(epoch), "", epoch))
