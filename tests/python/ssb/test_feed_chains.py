"""The places of messages in their feeds: the warehouse's answer, and a plain walk back to the first message.

The oracle follows the tangle SIP, "Classic feed": a message names the one before it, of the same feed
and with the sequence before. The first message has sequence 1 and names none.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from typing import NamedTuple

import pytest

from conftest import Warehouse
from scuttlehouse.ssb.feeds import FEED_FAULTS

SEED = 3
FEEDS = 1500
LONG = 60_000
LONG_FEEDS = "('whole', 'holed', 'forked')"
MODELS = [f"int_feeds__{step}" for step in ("messages", "links", "walked", "standings")]


class Message(NamedTuple):
    message_id: str
    feed_id: str
    previous_id: str | None
    sequence: int | None
    validity: str


class Standing(NamedTuple):
    feed_fault: str | None
    feed_fault_sequence: int | None


def random_feed(number: int, dice: random.Random) -> Iterator[Message]:
    """A chain with branches, sometimes with a fault, or a message that is missing or not checked."""
    feed = f"feed-{number}"
    trouble = dice.choice([0.0, 0.0, 0.05, 0.2])
    branching = dice.choice([0.0, 0.0, 0.1, 0.3])
    ends: list[tuple[str | None, int]] = [(None, 0)]
    for count in range(dice.randint(1, 30)):
        before, sequence = dice.choice(ends) if dice.random() < branching else ends[-1]
        previous, validity = before, "valid"
        one = f"ssb:message/classic/{number}-{count}"
        place: int | None = sequence + 1
        if dice.random() < trouble:
            elsewhere = f"ssb:message/classic/{dice.randrange(FEEDS)}-0"
            lost = "ssb:message/classic/lost"
            previous = dice.choice([None, "not an id", lost, elsewhere, one, before])
            places = [None, -1, 0, 1, sequence, sequence + 2]
            place = dice.choice(places) if dice.random() < 0.5 else sequence + 1
            validity = dice.choice(["valid", "valid", "invalid", "not_checked"])
        if dice.random() >= trouble / 4:
            yield Message(one, feed, previous, place, validity)
        ends.append((one, place or 0))


def oracle(messages: dict[str, Message], message: Message) -> Standing:
    while True:
        fault = own_fault(messages, message)
        if fault is not None:
            return Standing(fault, message.sequence)
        if message.previous_id is None:
            return Standing(None, None)
        message = messages[message.previous_id]


def own_fault(messages: dict[str, Message], message: Message) -> str | None:
    if message.sequence == 1:
        return None if message.previous_id is None else "first_has_previous"
    if message.sequence is None or message.sequence < 1:
        return "sequence_is_no_place"
    if message.previous_id is None:
        return "has_no_previous"
    if not message.previous_id.startswith("ssb:message/"):
        return "previous_is_no_message_id"
    previous = messages.get(message.previous_id)
    if previous is None:
        return "previous_not_in_log"
    if previous.validity == "invalid":
        return "previous_is_invalid"
    if previous.validity == "not_checked":
        return "previous_is_not_checked"
    if previous.feed_id != message.feed_id:
        return "previous_of_other_feed"
    if previous.sequence is None or previous.sequence + 1 != message.sequence:
        return "sequence_is_not_next"
    return None


@pytest.fixture(scope="module")
def messages() -> dict[str, Message]:
    dice = random.Random(SEED)
    feeds = [list(random_feed(number, dice)) for number in range(FEEDS)]
    return {message.message_id: message for feed in feeds for message in feed}


@pytest.fixture(scope="module")
def standings(warehouse: Warehouse, messages: dict[str, Message]) -> dict[str, Standing]:
    same = {"feed_format": "classic", "has_claimed_id": False}
    rows = [message._asdict() | same for message in messages.values()]
    random.Random(SEED).shuffle(rows)
    warehouse.put_messages(rows, before=MODELS)
    put_long_feeds(warehouse)
    warehouse.build("run", "-s", *MODELS)
    own = f"select * from int_feeds__standings where feed_id not in {LONG_FEEDS}"
    return {
        row["message_id"]: Standing(row["feed_fault"], row["feed_fault_sequence"])
        for row in warehouse.rows(own)
    }


def put_long_feeds(warehouse: Warehouse) -> None:
    one = "concat('ssb:message/classic/', {feed}, '-', {number})"
    message_id, previous_id = (one.format(feed="feed", number=n) for n in ("id", "id - 1"))
    given = {
        "message_id": f"if(is_fork, concat({message_id}, 'b'), {message_id})",
        "feed_id": "feed",
        "previous_id": f"if(id > 1, {previous_id}, null)",
        "sequence": "id",
        "validity": "'valid'",
        "has_claimed_id": "false",
        "feed_format": "'classic'",
    }
    names = [row["col_name"] for row in warehouse.rows("describe stg_ssb__messages")]
    values = ", ".join(f"{given.get(name, 'null')} as {name}" for name in names)
    warehouse.rows(
        f"""
        insert into stg_ssb__messages select {values} from (
            select id, feed, false as is_fork
            from range(1, {LONG + 1}), values ('whole'), ('holed'), ('forked') as feeds (feed)
            where feed = 'whole' or (id <= {LONG // 10} and (feed = 'forked' or id != 2))
            union all select {LONG // 20}, 'forked', true
        )
        """
    )


def test_every_message_has_the_fault_that_a_plain_walk_finds(
    messages: dict[str, Message], standings: dict[str, Standing]
) -> None:
    expected = {
        name: oracle(messages, message)
        for name, message in messages.items()
        if message.validity == "valid"
    }
    wrong = {
        name: (standings.get(name), right)
        for name, right in expected.items()
        if standings.get(name) != right
    }
    assert not wrong, f"seed {SEED}: {dict(list(wrong.items())[:5])}"
    assert set(standings) == set(expected)


def test_the_feeds_have_every_fault(
    messages: dict[str, Message], standings: dict[str, Standing]
) -> None:
    """The oracle tests only what it meets: every fault, on both branches, and inherited."""
    counted: Counter[tuple[str, str, bool]] = Counter()
    places = Counter((m.feed_id, m.sequence) for m in messages.values() if m.validity == "valid")
    forked = {feed for (feed, _), count in places.items() if count > 1}
    for name, standing in standings.items():
        if standing.feed_fault is not None:
            message = messages[name]
            way = "walked" if message.feed_id in forked else "window"
            inherited = standing.feed_fault_sequence != message.sequence
            counted[standing.feed_fault, way, inherited] += 1
    inheritable = set(FEED_FAULTS) - {"sequence_is_no_place"}
    for way in ("walked", "window"):
        assert {fault for fault, by, _ in counted if by == way} == set(FEED_FAULTS), counted
        assert {fault for fault, by, far in counted if by == way and far} == inheritable, counted


def test_long_feeds_that_are_whole_holed_and_forked_have_their_faults(
    warehouse: Warehouse, standings: dict[str, Standing]
) -> None:
    """One complete feed, one without its second message, one that forks in the middle."""
    assert standings, "the models were built"
    rows = warehouse.rows(
        "select feed_id, feed_fault, feed_fault_sequence, count(*) as n, max(sequence) as last"
        f" from int_feeds__standings where feed_id in {LONG_FEEDS} group by all"
    )
    assert {tuple(row.values()) for row in rows} == {
        ("whole", None, None, LONG, LONG),
        ("holed", None, None, 1, 1),
        ("holed", "previous_not_in_log", 3, LONG // 10 - 2, LONG // 10),
        ("forked", None, None, LONG // 10 + 1, LONG // 10),
    }
