"""No join of a model gives many more rows than there are lines, whatever a stranger writes.

Each log has a shape in which a stranger chooses both sides of a join. Rows are counted as Spark counts them,
inside the query of a model too, and not in time. Nor does a join put a list beside the rows of messages, if
the list is not a part of the message: with thousands of both, the work would be their product.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from conftest import Warehouse
from scuttlehouse.files.jsjson import stringify
from scuttlehouse.sample.lines import json_line, line_of
from scuttlehouse.sample.signing import BendyFeed, ClassicFeed, Message, base64_text, uri_text
from scuttlehouse.ssb.bendybutt import root_metafeed_seed

Json = dict[str, Any]
SIZE = 80
MOST_ROWS = 2
"""A join gives at most this many rows for a line of the log, and one for each line of all logs."""
NOW = 1_710_000_000_000
NEW = {"root": None, "previous": None}


def bytes_for(label: str) -> bytes:
    return sha256(label.encode()).digest()


def line(message: Message) -> bytes:
    return json_line({"key": message.key, "value": message.value, "timestamp": NOW})


def first_message(key: bytes) -> Json:
    tangles = dict.fromkeys(("group", "epoch", "members"), NEW)
    return {"type": "group/init", "secret": base64_text(key), "tangles": tangles}


def addition(root: str, key: bytes, *previous: str) -> Json:
    """The first member of a group, which the message names. It lists these messages in the group's tangle."""
    group = f"ssb:identity/group/{uri_text(key)}"
    return {
        "type": "group/add-member",
        "secret": base64_text(key),
        "root": root,
        "recps": [group, ClassicFeed(key).id],
        "tangles": {
            "group": {"root": root, "previous": [*previous]},
            "members": {"root": root, "previous": [root]},
        },
    }


def announce(metafeed: BendyFeed, feed: ClassicFeed | BendyFeed, purpose: str) -> bytes:
    content = {
        "type": "metafeed/add/derived",
        "feedpurpose": purpose,
        "subfeed": feed.id,
        "metafeed": metafeed.id,
        "nonce": {"type": "Buffer", "data": [0] * 32},
        "tangles": {"metafeed": NEW},
    }
    return line(metafeed.publish(content, NOW, subfeed=feed.signer))


def own_seed(label: str) -> tuple[BendyFeed, bytes]:
    """A root metafeed, and the line that shows that the log is its owner's."""
    seed = bytes_for(label)
    root = BendyFeed(root_metafeed_seed(seed))
    content = {"type": "metafeed/seed", "metafeed": root.id, "seed": seed.hex()}
    main, sealed = ClassicFeed(bytes_for(f"main feed of {label}")), f"{base64_text(bytes(64))}.box"
    message = main.publish(content, NOW, frozenset((label,)), sealed)
    return root, line_of(message, label, NOW)


def feeds_and_groups_of_one_key() -> Iterator[bytes]:
    """One feed begins many groups with one key, and many feeds are announced for it."""
    key, founder = bytes_for("key"), ClassicFeed(bytes_for("founder"))
    metafeed = BendyFeed(bytes_for("metafeed"))
    yield announce(metafeed, founder, base64_text(key))
    for number in range(SIZE):
        yield line(founder.publish(first_message(key), NOW))
        yield announce(metafeed, ClassicFeed(bytes_for(f"feed {number}")), base64_text(key))


def ways_to_a_feed() -> Iterator[bytes]:
    """Each feed is announced below every feed of the layer above it."""
    root, seed = own_seed("layers")
    yield seed
    above = [root]
    for layer in range(3):
        below = [BendyFeed(bytes_for(f"feed {layer} {number}")) for number in range(12)]
        for metafeed in above:
            for feed in below:
                yield announce(metafeed, feed, "0")
        above = below


def groups_that_list_one_message() -> Iterator[bytes]:
    """A log holds a message many times, and many groups list it."""
    _, seed = own_seed("lists")
    feed = ClassicFeed(bytes_for("feed of lists"))
    listed = feed.publish({"type": "post", "text": "Listed."}, NOW)
    yield seed
    for number in range(SIZE):
        yield line(listed)
        key = bytes_for(f"key {number}")
        root = feed.publish(first_message(key), NOW)
        yield line(root)
        yield line(feed.publish(addition(root.uri, key, listed.uri), NOW))


def metafeeds_of_a_main_feed() -> Iterator[bytes]:
    """A main feed announces many metafeeds, one after the other, and each has signed it."""
    feed = ClassicFeed(bytes_for("main feed of many"))
    for number in range(SIZE):
        metafeed = BendyFeed(bytes_for(f"metafeed {number}"))
        content = {"type": "metafeed/announce", "metafeed": metafeed.id, "subfeed": feed.id}
        content["signature"] = metafeed.signer.sign(stringify(content, 2).encode())
        yield line(feed.publish(content, NOW))


def additions_to_an_epoch() -> Iterator[bytes]:
    """Many messages add a person each, and all of these are members of one epoch."""
    key, founder = bytes_for("key of many"), ClassicFeed(bytes_for("founder of many"))
    root = founder.publish(first_message(key), NOW)
    yield line(root)
    previous = root.uri
    for number in range(SIZE):
        content = addition(root.uri, key, previous)
        content["recps"][1] = ClassicFeed(bytes_for(f"member {number}")).id
        content["tangles"]["members"]["previous"] = [previous]
        added = founder.publish(content, NOW)
        yield line(added)
        previous = added.uri


LOGS: dict[str, tuple[Callable[[], Iterator[bytes]], tuple[str, ...]]] = {
    "feeds and groups of one key": (
        feeds_and_groups_of_one_key,
        ("int_groups__epochs_of_keys", "int_groups__timelines", "fct_messages"),
    ),
    "ways to a feed": (ways_to_a_feed, ("stg_ssb__log_feeds",)),
    "groups that list one message": (
        groups_that_list_one_message,
        ("int_groups__sightings",),
    ),
    "metafeeds of a main feed": (metafeeds_of_a_main_feed, ("int_feeds__people",)),
    "additions to an epoch": (additions_to_an_epoch, ("fct_rule_violations",)),
}

OWN_LISTS = {"recipient_ids", "excluded_ids", "cutoff_feed_ids", "cutoff_sequences"} | {
    "previous_ids",
    "compared_ids",
    "no_tip_ids",
    "left_out_tip_ids",
}
"""Lists that are a part of a message."""


@pytest.fixture(scope="module")
def landed(warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """Builds all logs at once, and tells the number of lines of each."""
    folder, counts, paths = tmp_path_factory.mktemp("costs"), {}, []
    for name, (write, _) in LOGS.items():
        lines = [*write()]
        counts[name] = len(lines)
        paths.append(folder / f"{name.replace(' ', '_')}.jsonl")
        paths[-1].write_bytes(b"".join(lines))
    warehouse.land(*paths)
    models = [f"+{model}" for _, models in LOGS.values() for model in models]
    models += [f"+{model}" for model in READ_BY_DATA_TESTS]
    warehouse.build("build", "-s", *models, "--exclude-resource-types", "test", "unit_test")
    return counts


@pytest.mark.parametrize("name", LOGS)
def test_joins_give_about_as_many_rows_as_there_are_lines(
    warehouse: Warehouse, landed: dict[str, int], name: str
) -> None:
    most = sum(landed.values()) + MOST_ROWS * landed[name]
    for model in LOGS[name][1]:
        found = rows_of_joins(warehouse, model)
        assert found, model
        assert max(found) <= most, (model, found)


@pytest.mark.usefixtures("landed")
@pytest.mark.parametrize("model", ["int_feeds__people", "fct_rule_violations"])
def test_no_list_of_others_stands_beside_messages(warehouse: Warehouse, model: str) -> None:
    found = [join for join in joins_of(warehouse, model) if "message_id" in join.columns]
    assert found
    assert not {name for join in found for name in join.lists} - OWN_LISTS


class Join(NamedTuple):
    """How many rows a join gives, if Spark counts them, its columns, and those that are lists."""

    rows: int | None
    columns: list[str]
    lists: list[str]


def rows_of_joins(warehouse: Warehouse, model: str) -> list[int]:
    """How many rows each join of a model gives, inside the query too."""
    return [join.rows for join in joins_of(warehouse, model) if join.rows is not None]


def joins_of(warehouse: Warehouse, model: str) -> list[Join]:
    """The joins of a model, as Spark has carried them out."""
    [path] = (warehouse.project / "models").rglob(f"{model}.sql")
    compiled = Path("target/compiled/scuttlehouse", path.relative_to(warehouse.project))
    warehouse.rows("select 1")
    frame = warehouse.session.sql((warehouse.project / compiled).read_text())
    frame.collect()
    return [*_joins(frame._jdf.queryExecution().executedPlan())]


def _joins(plan: Any) -> Iterator[Join]:
    name = plan.getClass().getSimpleName()
    if name == "AdaptiveSparkPlanExec":
        yield from _joins(plan.executedPlan())
    elif name.endswith("QueryStageExec"):
        yield from _joins(plan.plan())
    else:
        if name.endswith("JoinExec"):
            rows = plan.metrics().get("numOutputRows")
            places = range(plan.output().size())
            columns = [plan.output().apply(place) for place in places]
            yield Join(
                rows.get().value() if rows.isDefined() else None,
                [column.name() for column in columns],
                [one.name() for one in columns if one.dataType().typeName() == "array"],
            )
        children = plan.children()
        for place in range(children.size()):
            yield from _joins(children.apply(place))


def a_reader_of_the_listed_message(number: int) -> Iterator[bytes]:
    """The log of somebody who holds the message that many groups list, and no message of these groups."""
    _, seed = own_seed(f"reader {number}")
    listed = ClassicFeed(bytes_for("feed of lists")).publish(
        {"type": "post", "text": "Listed."}, NOW
    )
    yield seed
    yield line(listed)


def members_and_later_epochs() -> Iterator[bytes]:
    """Many people are members of the first epoch, and many epochs follow it."""
    key, founder = bytes_for("key of members"), ClassicFeed(bytes_for("founder of members"))
    root = founder.publish(first_message(key), NOW)
    yield line(root)
    group = f"ssb:identity/group/{uri_text(key)}"
    previous = root.uri
    for number in range(SIZE):
        content = addition(root.uri, key, previous)
        content["recps"][1] = ClassicFeed(bytes_for(f"early member {number}")).id
        added = founder.publish(content, NOW)
        yield line(added)
        content = first_message(bytes_for(f"later key {number}")) | {"recps": [group]}
        content["tangles"] = {
            "group": {"root": root.uri, "previous": [added.uri]},
            "epoch": {"root": root.uri, "previous": [root.uri]},
            "members": NEW,
        }
        later = founder.publish(content, NOW)
        yield line(later)
        previous = later.uri


LATER_EPOCHS = "members and later epochs"
LOGS |= {f"reader {n}": (partial(a_reader_of_the_listed_message, n), ()) for n in range(SIZE)}
LOGS[LATER_EPOCHS] = (members_and_later_epochs, ())
READ_BY_DATA_TESTS = ("fct_epoch_members", "fct_epoch_precedence", "fct_preferred_epochs")


def test_joins_of_a_data_test_give_about_as_many_rows_as_there_are_lines(
    warehouse: Warehouse, landed: dict[str, int]
) -> None:
    """All members were joined with all epochs after theirs: 1 MB of log had 10 million rows."""
    name = "everybody_prefers_a_newest_epoch_of_their_own"
    assert warehouse.dbt("test", "-s", name).success
    compiled = f"target/compiled/scuttlehouse/tests/singular/{name}.sql"
    frame = warehouse.session.sql((warehouse.project / compiled).read_text())
    frame.collect()
    found = [join.rows for join in _joins(frame._jdf.queryExecution().executedPlan())]
    most = sum(landed.values()) + MOST_ROWS * landed[LATER_EPOCHS]
    assert found
    assert max(filter(None, found)) <= most, found


@pytest.mark.usefixtures("landed")
def test_no_list_of_a_message_stands_beside_the_people_that_it_names(warehouse: Warehouse) -> None:
    types = dict(warehouse.session.table("scuttlehouse_work.int_groups__member_changes").dtypes)
    assert not {name for name, kind in types.items() if kind.startswith("array")}
