"""What an id or its beginning means: a group, a person, a feed, an epoch, a message, a tangle, a set."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from scuttlehouse.reading.engine import WarehouseError, literal
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.ssb.ids import TOKEN, any_id, to_url

MOST_CANDIDATES = 8


class Kind(NamedTuple):
    """A kind of thing, and the table with its ids.

    Attributes:
        word, plural: what it is called.
        table: the table, or a query for its rows.
        own: the column with the id of the thing.
        matched: the column with the id that people write for it.
        name: SQL of a name for people, or of something else that tells it from others.
        where: SQL of the rows of this kind.
    """

    word: str
    plural: str
    table: str
    own: str
    matched: str
    name: str
    where: str = "true"


GROUP = Kind("group", "groups", "dim_groups", "group_id", "group_id", "name")
PERSON = Kind("person", "people", "dim_people", "person_id", "person_id", "name")
FEED = Kind("feed", "feeds", "dim_feeds", "feed_id", "feed_id", "feed_format")
EPOCH = Kind("epoch", "epochs", "dim_epochs", "epoch_id", "epoch_id", "group_name")
MESSAGE = Kind("message", "messages", "fct_messages", "message_id", "message_id", "content_type")
MISSING = Kind(
    "missing message", "missing messages", "fct_tangle_gaps", "missing_id", "missing_id", "null"
)
TANGLE = Kind("tangle", "tangles", "dim_tangles", "tangle_id", "root_id", "tangle_kind")
THREAD = TANGLE._replace(word="thread", plural="threads", where="tangle_kind = 'thread'")

SET = Kind("set", "sets", "dim_sets", "set_id", "set_id", "domain")
SET_MESSAGE = Kind(
    "message of a set", "messages of sets", "fct_set_messages", "message_id", "message_id", "status"
)

# A group whose first message the log does not hold opened has no row in dim_groups.
ROOTLESS_GROUP = Kind(
    "group without its first message",
    "groups without their first messages",
    "(select group_id from fct_messages union select group_id from dim_tangles)",
    "group_id",
    "group_id",
    "null",
)

# An id that means several of these means the first: an epoch is a message, too, and the root of tangles.
KINDS = (GROUP, PERSON, FEED, EPOCH, MESSAGE, MISSING, TANGLE, SET, SET_MESSAGE, ROOTLESS_GROUP)


class Found(NamedTuple):
    """A thing that an id may mean."""

    kind: Kind
    id: str
    name: str | None


class AmbiguousIdError(WarehouseError):
    """A beginning of an id means several things, of which ``found`` has the first few."""

    def __init__(self, text: str, total: int, things: str, found: Sequence[Found]) -> None:
        listed = ", ".join(one.id for one in found)
        left_out = total - len(found)
        more = f", and {left_out:,} more" if left_out else ""
        super().__init__(
            f"{text} may mean {total:,} {things}; give more of the id: {listed}{more}."
        )
        self.found = found
        self.left_out = left_out


def find(warehouse: Warehouse, text: str, kinds: Sequence[Kind] = KINDS) -> Found:
    """The one thing that a text means.

    Args:
        text: its id in any spelling, its short id, or a beginning of either, as people paste it: with white
            space around it or not. A tangle may have its kind before its root: ``group:2n2iXj``.
        kinds: what it may be. Of several kinds with the same id, the first is meant.

    Raises:
        AmbiguousIdError: it is the beginning of several ids, and none of them as a whole.
        WarehouseError: it means nothing, or a table cannot be read.

    Complexity: linear in the rows of the tables of these kinds.
    """
    text = text.strip()
    if not text:
        raise WarehouseError("The id is empty: give an id, a short id, or the beginning of one.")
    parts = [_candidates(kind, rank, text) for rank, kind in enumerate(kinds)]
    # No window without a partition: DuckDB may fail there after `union all` (duckdb issue 22352).
    rows = warehouse.rows(f"""
        with candidates as ({" union all ".join(parts)}),

        first_kinds as (
            select distinct * from candidates
            qualify rank = min(rank) over (partition by matched_id)
        ),

        whole_first as (
            select * from first_kinds
            where is_whole or not (select bool_or(is_whole) from first_kinds)
        )

        select rank, id, name, (select count(*) from whole_first) as total from whole_first
        order by rank, id limit {MOST_CANDIDATES}
    """)
    found = [Found(kinds[rank], one, name) for rank, one, name, _ in rows]
    if len(found) == 1:
        return found[0]
    things = kinds[0].plural if len(kinds) == 1 else "things"
    if found:
        raise AmbiguousIdError(text, rows[0][3], things, found)
    raise WarehouseError(f"No {_either(kinds)} has the id {text}{_lists(kinds)}.")


def _candidates(kind: Kind, rank: int, text: str) -> str:
    """A query for the things of a kind that a text may mean."""
    where, own, matched = kind.where, kind.own, kind.matched
    said, _, root = text.partition(":")
    # `group:2n2iXj` is a tangle of a kind; `ssb:message/...` has no kind before it.
    if kind.table == TANGLE.table and root and said != "ssb":
        where, text = f"{where} and tangle_kind = {literal(said)}", root
    whole = any_id(text)
    # A whole id is compared and not searched for, so that files without it are not read.
    wanted = f"{matched} = {literal(whole)}" if whole else f"({_begins(matched, text)})"
    return (
        f"select {rank} as rank, {own} as id, {matched} as matched_id, {kind.name} as name, "
        f"{matched} = {literal(whole or text)} as is_whole from {kind.table} where {where} and {wanted}"
    )


def _begins(column: str, text: str) -> str:
    """SQL for whether an id, or what is special in it, begins with a text: the sigil does not matter."""
    begin = text[1:] if text[0] in "%@" else text
    # As the macro `short_id`: base64 in the id of a classic feed may have a slash; tokens begin alike.
    special = (
        f"case when {column}[1] = '@' then {column}[2:] when starts_with({column}, '{TOKEN}') "
        f"then split_part({column}, '-', -1) else split_part({column}, '/', -1) end"
    )
    spellings = {begin, to_url(begin)} if begin else set()
    tests = [f"starts_with({column}, {literal(text)})"] if begin else ["false"]
    tests += [f"starts_with({special}, {literal(one)})" for one in sorted(spellings)]
    return " or ".join(tests)


def _either(kinds: Sequence[Kind]) -> str:
    *others, last = [kind.word for kind in kinds]
    return f"{', '.join(others)} or {last}" if others else last


def _lists(kinds: Sequence[Kind]) -> str:
    if len(kinds) > 1:
        return " or begins with it. A name is no id: dim_people and dim_groups have both"
    [kind] = kinds
    where = "" if kind.where == "true" else f" where {kind.where}"
    return f': `scuttlehouse sql "select {kind.own} from {kind.table}{where}"` lists all'
