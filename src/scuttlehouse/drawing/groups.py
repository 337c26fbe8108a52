"""The epochs of a group from left to right: their members, who prefers which epoch, forks and repairs."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection
from typing import Any, NamedTuple

from scuttlehouse.drawing.layout import Place, Point, layered
from scuttlehouse.drawing.names import people, short
from scuttlehouse.drawing.svg import LINE, Canvas, Words, width_of
from scuttlehouse.printing import count, cut
from scuttlehouse.reading.engine import literal
from scuttlehouse.reading.finding import GROUP, find
from scuttlehouse.reading.warehouse import Warehouse

MOST_EPOCHS = 60
_MOST_ROWS = 12
# More than are shown, because names are compared with each other. Thousands of people may be in an epoch, and
# missing in many others.
_MOST_READ = 1000
_MOST_LINES = 60
_PADDING = 8.0


# A line in the box of an epoch.
Row = tuple[Words, ...]


class Fork(NamedTuple):
    """Two epochs that forked, and what is known of them."""

    left: str
    right: str
    winner: str | None
    rule: str
    healed_by: str | None
    needs_repair: bool

    def seen_from(self, epoch: str) -> Row:
        """A line about the fork, for the box of one of its epochs."""
        other = self.right if epoch == self.left else self.left
        result = "nobody wins" if not self.winner else "wins" if self.winner == epoch else "loses"
        state = "needs repair" if self.needs_repair else ""
        if self.healed_by:
            state = f"healed by {short(self.healed_by)}"
        line = ", ".join(filter(None, [f"fork with {short(other)}: {self.rule}", result, state]))
        return (Words(line, "alarm" if self.needs_repair else "soft", other),)


def draw_group(warehouse: Warehouse, text: str) -> str:
    """The SVG of the epochs of a group.

    Args:
        text: the id of the group, or the start of it if no other id starts in the same way.

    Raises:
        WarehouseError: no group or several groups have this id, or a table cannot be read.

    Complexity: linear in the tables read, O(n log n) in what is drawn: 60 epochs at most.
    """
    group = find(warehouse, text, [GROUP]).id
    where = f"group_id = {literal(group)}"
    (name, preferred, epoch_count), *_ = warehouse.rows(
        f"select name, preferred_epoch_id, epoch_count from dim_groups where {where}"
    )
    epochs = warehouse.rows(
        f"""
        select epoch_id, is_tip,
            is_authorized is distinct from false and has_valid_members_tangle as counts
        from dim_epochs where {where}
        order by epoch_id = {literal(preferred or "")} desc, is_tip desc, depth desc, epoch_id
        limit {MOST_EPOCHS}
        """,
    )
    drawn = [row[0] for row in epochs]
    chosen = ", ".join(map(literal, drawn)) or "null"
    links = warehouse.rows(
        f"""
        select previous_epoch_id, epoch_id from fct_epoch_links
        where epoch_id in ({chosen}) and previous_epoch_id in ({chosen}) order by all
        """,
    )
    forks, fork_count = _forks(warehouse, where, chosen)
    rows, unread = _member_rows(warehouse, where, chosen)
    for fork in forks:
        for epoch in (fork.left, fork.right):
            rows[epoch].append(fork.seen_from(epoch))
    repairs, unread_repairs = _repair_rows(warehouse, where, chosen)
    for epoch, repair in repairs:
        rows[epoch].append(repair)
    unread += unread_repairs
    boxes: dict[str, list[Row]] = {}
    for epoch, is_tip, counts in epochs:
        shown = _few(rows[epoch], unread[epoch])
        boxes[epoch] = [_head(epoch, preferred, is_tip, counts), *shown]
    notes = [
        f"{count(epoch_count, 'epoch')}, from the first on the left to the newest on the right. "
        "★ is who should prefer an epoch.",
        "Names struck through are excluded. A dashed line joins epochs that fork; a thick one needs repair.",
    ]
    if epoch_count > len(drawn):
        notes.append(f"Left out: {count(epoch_count - len(drawn), 'earlier epoch')}.")
    if fork_count > len(forks):
        notes.append(
            f"Left out: {count(fork_count - len(forks), 'fork')}. fct_epoch_forks has all."
        )
    return _picture(boxes, links, forks, preferred).document(f"{name}: epochs", notes)


def _picture(
    boxes: dict[str, list[Row]],
    links: list[tuple[str, ...]],
    forks: list[Fork],
    preferred: str | None,
) -> Canvas:
    sizes = {epoch: _size(rows) for epoch, rows in boxes.items()}
    places, routes = layered(sizes, [(one, other) for one, other in links], gap=(64.0, 28.0))
    canvas = Canvas()
    for route in routes.values():
        canvas.route(route)
    for number, fork in enumerate(forks):
        kind = "fork mend" if fork.needs_repair else "fork"
        title = f"{fork.left} and {fork.right}: {fork.rule}"
        left, right = places[fork.left], places[fork.right]
        # Arcs bulge by different widths, so they do not hide each other.
        arc, far = _arc(left, right, 20 + 8 * (number % 6), places.values())
        canvas.reach(*far)
        canvas.path(arc, kind, title)
    for epoch, rows in boxes.items():
        place = places[epoch]
        canvas.box(place, "box marked" if epoch == preferred else "box", epoch)
        for number, row in enumerate(rows):
            canvas.text(place.x + _PADDING, place.y + LINE * (number + 1), *row)
    return canvas


def _arc(left: Place, right: Place, bulge: float, boxes: Collection[Place]) -> tuple[str, Point]:
    """A path between two boxes, and a point that is at least as far right and as low as all of it.

    Boxes hide what is behind them, so the path bends only beyond those that are between the two.
    """
    if left.x == right.x:
        top, bottom = sorted((left.middle, right.middle))
        beside = [box.right for box in boxes if box.x == left.x and top <= box.middle <= bottom]
        edge, x = max(beside), max(beside) + bulge
        path = (
            f"M{left.right:g},{left.middle:g} H{edge:g} C{x:g},{left.middle:g} "
            f"{x:g},{right.middle:g} {edge:g},{right.middle:g} H{right.right:g}"
        )
        return path, (x, 0)
    # Between layers it goes below the boxes. Beside them it would look like a link.
    first, last = sorted((left, right))
    edge = max(box.bottom for box in boxes if first.x <= box.x <= last.x)
    start, end = first.x + first.width / 2, last.x + last.width / 2
    leave, arrive = f"M{start:g},{first.bottom:g}", f"V{last.bottom:g}"
    # Where others of its layer are below a box, it goes past them, and leaves the box near its lower corner.
    if _is_above(first, boxes):
        start = max(box.right for box in boxes if box.x == first.x) + bulge / 2
        leave = f"M{first.right:g},{first.bottom - _PADDING:g} H{start:g}"
    if _is_above(last, boxes):
        end = last.x - bulge / 2
        arrive = f"V{last.bottom - _PADDING:g} H{last.x:g}"
    y = edge + bulge
    path = f"{leave} V{edge:g} C{start:g},{y:g} {end:g},{y:g} {end:g},{edge:g} {arrive}"
    return path, (0, y)


def _is_above(one: Place, boxes: Collection[Place]) -> bool:
    return any(box.x == one.x and box.y > one.y for box in boxes)


def _size(rows: list[Row]) -> tuple[float, float]:
    widest = max(width_of(*row) for row in rows)
    return widest + 2 * _PADDING, LINE * len(rows) + _PADDING


def _head(epoch: str, preferred: str | None, is_tip: bool, counts: bool) -> Row:
    state = "newest" if is_tip else "superseded"
    if not counts:
        state = "counts for nothing"
    if epoch == preferred:
        state = "preferred by the group"
    return Words(short(epoch), "strong", epoch), Words(state, "soft")


def _few(rows: list[Row], unread: int) -> list[Row]:
    """The rows to show. ``unread`` is how many more there are, after so many of the same kind."""
    left = len(rows) + unread - _MOST_ROWS
    if left <= 0:
        return rows
    # Rows about problems come first.
    ranked = sorted(range(len(rows)), key=lambda at: rows[at][0].kind != "alarm")
    more = Words(f"and {left:,} more", "soft")
    return [*(rows[at] for at in sorted(ranked[:_MOST_ROWS])), (more,)]


def _member_rows(
    warehouse: Warehouse, where: str, chosen: str
) -> tuple[defaultdict[str, list[Row]], Counter[str]]:
    """Rows for the first declared members of each epoch, and how many more there are.

    Those who prefer the epoch come first.
    """
    order = "prefers desc, is_still_excluded, person_id"
    members = warehouse.rows(
        f"""
        select epoch_id, person_id, is_still_excluded, preferred.epoch_id is not null as prefers, {_TOTAL}
        from (select * from fct_epoch_members where {where}) as members
        left join (select * from fct_preferred_epochs where {where}) as preferred
            using (group_id, epoch_id, person_id)
        where epoch_id in ({chosen}) and is_declared
        qualify {_first(order)}
        order by epoch_id, {order}
        """,
    )
    names = people(warehouse, {person for _, person, *_ in members})
    rows: defaultdict[str, list[Row]] = defaultdict(list)
    for epoch, person, is_excluded, prefers, _ in members:
        row = [Words(names[person], "gone" if is_excluded else "", person)]
        row += [Words("excluded", "soft")] * is_excluded + [Words("★ prefers", "soft")] * prefers
        rows[epoch].append(tuple(row))
    return rows, _unread(members)


def _repair_rows(
    warehouse: Warehouse, where: str, chosen: str
) -> tuple[list[tuple[str, Row]], Counter[str]]:
    """Rows for the first repairs of each epoch, and how many more there are."""
    order = "severity, action, person_id"
    repairs = warehouse.rows(
        f"""
        select epoch_id, person_id, action, because, severity, {_TOTAL} from fct_epoch_repairs
        where {where} and epoch_id in ({chosen})
        qualify {_first(order)}
        order by {order}, epoch_id
        """,
    )
    names = people(warehouse, {person for _, person, *_ in repairs if person})
    rows: list[tuple[str, Row]] = []
    for epoch, person, action, because, severity, _ in repairs:
        line = f"{severity} {action.replace('_', ' ')} {names.get(person, '')}".strip()
        title = f"{because} {person or ''}".strip()
        rows.append((epoch, (Words(cut(line, 44), "alarm", title),)))
    return rows, _unread(repairs)


_TOTAL = "count(*) over (partition by epoch_id) as total"


def _first(order: str) -> str:
    return f"row_number() over (partition by epoch_id order by {order}) <= {_MOST_READ}"


def _unread(rows: list[tuple[Any, ...]]) -> Counter[str]:
    """How many rows of each epoch were not read. The epoch is the first column, and the total the last."""
    return Counter({epoch: max(total - _MOST_READ, 0) for epoch, *_, total in rows})


def _forks(warehouse: Warehouse, where: str, chosen: str) -> tuple[list[Fork], int]:
    """The forks to draw, those that need repair first, and the number of all forks."""
    condition = f"{where} and (is_current or is_healed)"
    rows = warehouse.rows(
        f"""
        select left_epoch_id, right_epoch_id, winner_epoch_id, rule, healed_by_epoch_id, needs_repair
        from fct_epoch_forks
        where {condition} and left_epoch_id in ({chosen}) and right_epoch_id in ({chosen})
        order by needs_repair desc, is_current desc, left_epoch_id, right_epoch_id
        limit {_MOST_LINES}
        """,
    )
    ((total,),) = warehouse.rows(f"select count(*) from fct_epoch_forks where {condition}")
    return [Fork(*row) for row in rows], int(total)
