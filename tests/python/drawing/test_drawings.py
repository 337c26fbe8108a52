"""`scuttlehouse draw`: groups, members, tangles and threads of any size, as SVG that a parser can read."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import duckdb
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.cli import main
from scuttlehouse.drawing.names import people
from scuttlehouse.drawing.svg import Canvas, Words, width_of
from scuttlehouse.printing import visible
from scuttlehouse.reading.warehouse import Warehouse
from scuttlehouse.serving.drawings import text_layer
from small_warehouse import SmallWarehouse

SVG = "{http://www.w3.org/2000/svg}"
GROUP = "ssb:identity/group/AbcdefGroup="
TIME = datetime(2026, 1, 2, 3, 4, tzinfo=UTC)
EVIL = "<script>alert(1)</script>&\"' \x1b\u202e\ufffe"

Draw = Callable[..., ElementTree.Element]


def uri(number: int) -> str:
    return f"ssb:message/classic/{number:06d}{'A' * 36}A="


def person(number: int) -> str:
    return f"ssb:feed/bendybutt-v1/p{number:05d}{'A' * 36}A="


def rows(form: str, found: list[dict[str, Any]]) -> pa.Table:
    """A table with typed columns, even without rows. The letters s, n, b, t: text, number, boolean, time."""
    types = {"s": pa.string(), "n": pa.int64(), "b": pa.bool_(), "t": pa.timestamp("us", "UTC")}
    pairs = [part.split(":") for part in form.split()]
    fields = [pa.field(name, types[kind]) for name, kind in pairs]
    return pa.Table.from_pylist(found, schema=pa.schema(fields))


def group_tables(size: int, people: int = 4) -> dict[str, pa.Table]:
    """A group with a fork after every third epoch. Person 0 is excluded from each epoch."""
    # The two before the last are on different branches where the last one is of a fork.
    previous = {n: [n - 1] if n % 3 else [n - 1, n - 2] for n in range(2, size)} | {1: [0]}
    links = [
        (uri(one), uri(n))
        for n, before in previous.items()
        if n < size
        for one in before
        if one >= 0
    ]
    last = size - 1
    return {
        "dim_groups": rows(
            "group_id:s name:s preferred_epoch_id:s epoch_count:n",
            [
                {
                    "group_id": GROUP,
                    "name": EVIL,
                    "preferred_epoch_id": uri(last),
                    "epoch_count": size,
                },
                {"group_id": "ssb:identity/group/Abcxyz=", "name": "Other", "epoch_count": 0},
            ],
        ),
        "dim_people": rows(
            "person_id:s name:s",
            [{"person_id": person(0), "name": EVIL}, {"person_id": person(1), "name": "Ann"}]
            + [{"person_id": person(n), "name": "Twin"} for n in (2, 3)],
        ),
        "dim_epochs": rows(
            "epoch_id:s group_id:s depth:n is_tip:b is_authorized:b has_valid_members_tangle:b"
            " has_short_key:b",
            [
                {"epoch_id": uri(n), "group_id": GROUP, "depth": n, "is_tip": n in (3, last)}
                | {
                    # Nobody can tell of the first one: it counts.
                    "is_authorized": None if n == 0 else n != 1,
                    "has_valid_members_tangle": True,
                    "has_short_key": n == 2,
                }
                for n in range(size)
            ],
        ),
        "fct_epoch_links": rows(
            "epoch_id:s previous_epoch_id:s",
            [{"epoch_id": other, "previous_epoch_id": one} for one, other in links],
        ),
        "fct_epoch_members": rows(
            "epoch_id:s group_id:s person_id:s is_declared:b is_still_excluded:b",
            [
                {"epoch_id": uri(n), "group_id": GROUP, "person_id": person(one)}
                | {"is_declared": True, "is_still_excluded": one == 0}
                for n in range(size)
                for one in range(people)
            ],
        ),
        "fct_preferred_epochs": rows(
            "group_id:s person_id:s epoch_id:s",
            [{"group_id": GROUP, "person_id": person(1), "epoch_id": uri(last)}],
        ),
        "fct_epoch_forks": rows(
            "group_id:s left_epoch_id:s right_epoch_id:s winner_epoch_id:s rule:s is_healed:b"
            " is_current:b healed_by_epoch_id:s needs_repair:b",
            [
                {"group_id": GROUP, "left_epoch_id": uri(0), "right_epoch_id": uri(last)}
                | {"winner_epoch_id": uri(0), "rule": "overlapping", "is_healed": False}
                | {"is_current": True, "needs_repair": True}
            ],
        ),
        "fct_epoch_repairs": rows(
            "group_id:s epoch_id:s person_id:s action:s because:s severity:s",
            [
                {"group_id": GROUP, "epoch_id": uri(last), "person_id": person(1), "action": "add"}
                | {"because": "declared", "severity": "must"},
                {"group_id": GROUP, "epoch_id": uri(last), "action": "create_epoch"}
                | {"because": "overlaps", "severity": "should"},
            ],
        ),
    }


def membership_tables(people: int, periods: int) -> dict[str, pa.Table]:
    history = [
        {"group_id": GROUP, "person_id": person(one), "epoch_id": uri(n % 11)}
        | {"valid_from_position": n * 3, "is_excluded": n % 2 == 1}
        | {"valid_to_position": n * 3 + 3 if n + 1 < periods else None}
        for one in range(people)
        for n in range(periods)
    ]
    form = (
        "group_id:s person_id:s epoch_id:s valid_from_position:n valid_to_position:n is_excluded:b"
    )
    return group_tables(2) | {"fct_membership_history": rows(form, history)}


def tangle_tables(size: int, aside: int = 3) -> dict[str, pa.Table]:
    """A chain with a branch at every fifth message. At its end, some messages wait for a missing one."""
    tangle = f"thread:{uri(0)}"
    before = {n: max(0, n - (2 if n % 5 == 0 else 1)) for n in range(1, size)}
    waiting = {size + n: size + n - 1 if n else 999_999 for n in range(aside)}
    number = [*range(size), *waiting]
    messages = [
        {
            "tangle_id": tangle,
            "message_id": uri(n),
            "tangle_kind": "thread",
            "person_id": person(n % 9),
        }
        | {"content_type": "post", "status": "in" if n < size else "set_aside"}
        | {"status_reason": None if n < size else "missing", "position": n if n < size else None}
        | {"is_tip": n == size - 1, "asserted_at": TIME}
        for n in number
    ]
    messages += [
        {"tangle_id": tangle, "message_id": uri(900_000 + n), "status": "rejected"}
        | {"status_reason": reason}
        for n, reason in enumerate(("invalid_message", "type_not_allowed", "type_not_allowed"))
    ]
    thread = [
        {
            "tangle_id": tangle,
            "message_id": uri(n),
            "author_id": person(n % 9),
            "thread_position": n,
        }
        | {"person_id": person(n % 9), "depth": n % 40 if n < size else None, "asserted_at": TIME}
        | {"attached_by": "linked" if n < size else "branch_missing"}
        for n in number
    ]
    return group_tables(2) | {
        "dim_tangles": rows(
            "tangle_id:s root_id:s tangle_kind:s",
            [
                {"tangle_id": f"{kind}:{uri(0)}", "root_id": uri(0), "tangle_kind": kind}
                for kind in ("thread", "group")
            ],
        ),
        "fct_tangle_messages": rows(
            "tangle_id:s message_id:s tangle_kind:s person_id:s content_type:s status:s"
            " status_reason:s position:n is_tip:b asserted_at:t",
            messages,
        ),
        "fct_tangle_links": rows(
            "tangle_id:s message_id:s previous_id:s",
            [
                {"tangle_id": tangle, "message_id": uri(n), "previous_id": uri(one)}
                for n, one in (before | waiting).items()
            ]
            # The same messages may be linked in another tangle.
            + [
                {"tangle_id": f"group:{uri(0)}", "message_id": uri(n), "previous_id": uri(0)}
                for n in (7, 8)
            ],
        ),
        "fct_tangle_gaps": rows(
            "tangle_id:s missing_id:s blocked_count:n",
            [{"tangle_id": tangle, "missing_id": uri(999_999), "blocked_count": aside}]
            * bool(aside),
        ),
        "fct_thread_messages": rows(
            "tangle_id:s message_id:s author_id:s person_id:s thread_position:n depth:n attached_by:s"
            " asserted_time_fault:s asserted_at:t",
            thread,
        ),
    }


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> tuple[SmallWarehouse, dict[str, pa.Table]]:
    """One home for all drawings, and the tables in it: making a home takes longer than drawing."""
    return SmallWarehouse(tmp_path_factory.mktemp("drawings") / "home"), {}


def with_others(table: pa.Table) -> pa.Table:
    """The rows of a table, and for each of them one about other things, which no drawing shows."""
    columns = {
        name: pc.replace_substring_regex(values, r"(ssb:[a-z]+/[a-z0-9-]+/)", r"\1Others")
        if pa.types.is_string(values.type)
        else values
        for name, values in zip(table.column_names, table.columns, strict=True)
    }
    return pa.concat_tables([table, pa.table(columns, schema=table.schema)])


@pytest.fixture
def draw(
    home: tuple[SmallWarehouse, dict[str, pa.Table]],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> Draw:
    def drawn(tables: dict[str, pa.Table], *arguments: str) -> ElementTree.Element:
        small, there = home
        changed = {name: rows for name, rows in tables.items() if rows != there.get(name)}
        small.publish({name: with_others(rows) for name, rows in changed.items()})
        there.update(tables)
        monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
        file = tmp_path / "drawing.svg"
        assert main(["draw", *arguments, "--output", str(file)]) == 0, capsys.readouterr().err
        text = file.read_text(encoding="utf-8")
        assert "<script" not in text
        assert "\x1b" not in text
        assert "\u202e" not in text
        assert "Others" not in text
        return ElementTree.fromstring(text)

    return drawn


def shown_texts(drawing: ElementTree.Element) -> list[str]:
    """The visible texts of a drawing, without tooltips."""
    for parent in drawing.iter():
        for title in parent.findall(f"{SVG}title"):
            parent.text = (parent.text or "") + (title.tail or "")
            parent.remove(title)
    return ["".join(text.itertext()) for text in drawing.iter(f"{SVG}text")]


def boxes(drawing: ElementTree.Element, kind: str) -> list[ElementTree.Element]:
    return [one for one in drawing.iter(f"{SVG}rect") if kind in one.get("class", "").split()]


def stay_inside(drawing: ElementTree.Element) -> bool:
    width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
    group = drawing.find(f"{SVG}g")
    assert group is not None
    numbers = [float(n) for n in re.findall(r"[\d.]+", group.get("transform", ""))]
    return all(
        float(one.get("x", 0)) + float(one.get("width", 0)) + numbers[0] <= width
        and float(one.get("y", 0)) + float(one.get("height", 0)) + numbers[1] <= height
        for one in [*group.iter(f"{SVG}rect"), *group.iter(f"{SVG}text")]
    )


def fit_into_boxes(drawing: ElementTree.Element) -> bool:
    """Whether every line of words is inside one of the boxes, and every fork inside the drawing."""
    group = drawing.find(f"{SVG}g")
    assert group is not None
    left, top = (float(n) for n in re.findall(r"[\d.]+", group.get("transform", "")))
    width, height = float(drawing.get("width", 0)), float(drawing.get("height", 0))
    places = [
        [float(box.get(side, 0)) for side in ("x", "y", "width", "height")]
        for box in group.iter(f"{SVG}rect")
    ]
    lines = []
    for text in group.iter(f"{SVG}text"):
        words = [
            Words(
                "".join(one.itertext()).removeprefix(one.findtext(f"{SVG}title") or ""),
                one.get("class", ""),
            )
            for one in text.iter(f"{SVG}tspan")
        ]
        x, y = float(text.get("x", 0)), float(text.get("y", 0))
        lines.append((x, y, x + width_of(*words)))
    forks = [one.get("d", "") for one in group.iter(f"{SVG}path") if "fork" in one.get("class", "")]
    points = [point for path in forks for point in re.findall(r"([\d.]+),([\d.]+)", path)]
    return all(
        any(x < at < end < x + w and y < base < y + h for x, y, w, h in places)
        for at, base, end in lines
    ) and all(float(x) + left <= width and float(y) + top <= height for x, y in points)


@pytest.mark.parametrize("size", [2, 60, 75])
def test_a_group_is_drawn_up_to_60_epochs(draw: Draw, size: int) -> None:
    drawing = draw(group_tables(size), "group", GROUP)
    assert len(boxes(drawing, "box")) == min(size, 60)
    assert len(boxes(drawing, "marked")) == 1
    assert stay_inside(drawing)
    assert fit_into_boxes(drawing)
    words = shown_texts(drawing)
    assert ("Left out: 15 earlier epochs." in words) == (size == 75)
    assert ("Left out" in " ".join(words)) == (size == 75)
    assert f" {size} epochs, from the first on the left" in f" {words[1]}"
    assert f"{size - 1:06d}  preferred by the group" in words
    assert ("000003  newest" in words) == (size > 3), "however many epochs are deeper"
    assert "must add Ann" in words
    assert "should create epoch" in words
    assert "Ann  ★ prefers" in words
    # People with the same name can be told apart.
    assert "Twin p00002" in words
    assert "Twin p00003" in words
    struck = [one for one in drawing.iter(f"{SVG}tspan") if one.get("class") == "gone"]
    assert len(struck) == min(size, 60)
    if size <= 60:
        assert f"fork with {size - 1:06d}: overlapping, wins, needs repair" in words
        assert "fork with 000000: overlapping, loses, needs repair" in words
        nothing = [one for one in words if one.endswith("counts for nothing")]
        assert nothing == ([] if size == 2 else ["000001  counts for nothing"])
    else:
        assert "Left out: 1 fork. fct_epoch_forks has all." in words


def test_the_preferred_epoch_is_drawn_however_many_others_are_newest(draw: Draw) -> None:
    tables = group_tables(75)
    for name, column, value in (
        ("dim_groups", "preferred_epoch_id", uri(0)),
        ("dim_epochs", "is_tip", True),
    ):
        changed = [row | {column: value} for row in tables[name].to_pylist()]
        tables[name] = pa.Table.from_pylist(changed, tables[name].schema)
    assert "000000  preferred by the group" in shown_texts(draw(tables, "group", GROUP))


def test_a_link_is_a_line_from_side_to_side_with_an_arrow_at_its_end(draw: Draw) -> None:
    drawing = draw(group_tables(2), "group", GROUP)
    first, second = (
        [float(box.get(name, 0)) for name in ("x", "y", "width", "height")]
        for box in boxes(drawing, "box")
    )
    if first[0] > second[0]:
        first, second = second, first
    [line] = [one.get("d", "") for one in drawing.iter(f"{SVG}path") if one.get("class") == "line"]
    start, *ends, tip = re.findall(r"(\S+,\S+) ?(?=C|M|L|$)", line)[:-1]
    assert start == f"M{first[0] + first[2]:g},{first[1] + first[3] / 2:g}"
    assert ends[-2] == tip.removeprefix("L") == f"{second[0]:g},{second[1] + second[3] / 2:g}"


def test_an_epoch_of_many_people_says_how_many_it_leaves_out(draw: Draw) -> None:
    tables = group_tables(2, people=40)
    preference = {"group_id": GROUP, "person_id": person(39), "epoch_id": uri(1)}
    schema = tables["fct_preferred_epochs"].schema
    tables["fct_preferred_epochs"] = pa.Table.from_pylist([preference], schema)
    words = shown_texts(draw(tables, "group", "AbcdefG"))
    # 40 members and a fork in the first; two repairs more in the second.
    assert "and 29 more" in words
    assert "and 31 more" in words
    assert "must add Ann" in words
    assert "p00039  ★ prefers" in words
    assert not [one for one in words if one.endswith("  excluded")], "they come last"


def test_of_many_forks_those_are_drawn_that_need_repair(draw: Draw) -> None:
    tables = group_tables(13)
    fork = {"group_id": GROUP, "rule": "disjoint", "is_healed": False, "is_current": True}
    forks = [
        fork
        | {"left_epoch_id": uri(left), "right_epoch_id": uri(right), "needs_repair": left == 10}
        for left in range(12)
        for right in range(left + 1, 12)
    ]
    tables["fct_epoch_forks"] = pa.Table.from_pylist(forks, tables["fct_epoch_forks"].schema)
    drawing = draw(tables, "group", GROUP)
    thick = [one for one in drawing.iter(f"{SVG}path") if one.get("class") == "fork mend"]
    assert [one.findtext(f"{SVG}title") for one in thick] == [f"{uri(10)} and {uri(11)}: disjoint"]
    assert "Left out: 6 forks. fct_epoch_forks has all." in shown_texts(drawing)


def test_few_of_thousands_of_people_are_read(draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    """A stranger's group may be among those that are drawn for dashboards after every build."""
    lengths: list[int] = []
    query = Warehouse.query

    def counted(warehouse: Warehouse, text: str) -> Any:
        columns, found = query(warehouse, text)
        lengths.append(len(found))
        return columns, found

    monkeypatch.setattr(Warehouse, "query", counted)
    tables = group_tables(2, people=3000)
    repairs = [
        {"group_id": GROUP, "epoch_id": uri(1), "person_id": person(one), "action": "add"}
        | {"because": "declared", "severity": "must"}
        for one in range(2500)
    ]
    schema = tables["fct_epoch_repairs"].schema
    tables |= {"fct_epoch_repairs": pa.Table.from_pylist(repairs, schema)}
    words = shown_texts(draw(tables, "group", GROUP))
    assert "and 2,989 more" in words
    assert "and 5,489 more" in words
    assert max(lengths) <= 2000


@pytest.mark.parametrize(("people", "periods"), [(1, 1), (2, 7), (5, 12), (70, 20)])
def test_a_lane_for_each_person(draw: Draw, people: int, periods: int) -> None:
    drawing = draw(membership_tables(people, periods), "members", "Abcdef")
    words = shown_texts(drawing)
    drawn = min(people * periods, 1000)
    bars = [one for one in drawing.iter(f"{SVG}rect") if one.get("height") == "18"]
    assert len(bars) == min(drawn, 60 * periods)
    assert all(float(bar.get("width", 0)) > 0 for bar in bars)
    lanes = {1: "1 person", 2: "2 people", 5: "5 people", 70: "60 people"}[people]
    assert f"A lane for each of {lanes}." in " ".join(words)
    assert ("Left out: 10 people who were added later." in words) == (people == 70)
    assert ("Left out: 400 periods. fct_membership_history has all." in words) == (people == 70)
    assert ("Left out" in " ".join(words)) == (people == 70)
    legend = [one for one in drawing.iter(f"{SVG}rect") if one.get("height") == "12"]
    assert len({(one.get("x"), one.get("y")) for one in legend}) == len(legend) == min(periods, 11)
    assert all(float(one.get("x", 0)) < 800 for one in legend)
    repeat = "There are more than 7 epochs, so colours repeat: short ids tell."
    assert (repeat in words) == (periods > 7)
    assert stay_inside(drawing)


def period(group: str, one: int, epoch: int, start: int, end: int | None = None) -> dict[str, Any]:
    places = {"valid_from_position": start, "valid_to_position": end, "is_excluded": one == 2}
    return {"group_id": group, "person_id": person(one), "epoch_id": uri(epoch)} | places


def test_one_person_who_is_left_out_is_told_in_the_singular(draw: Draw) -> None:
    """It is the one who came last, however early their last change is."""
    tables = membership_tables(60, 2)
    history = tables["fct_membership_history"]
    last = pa.Table.from_pylist([period(GROUP, 60, 0, 1)], history.schema)
    tables["fct_membership_history"] = pa.concat_tables([last, history])
    words = shown_texts(draw(tables, "members", GROUP))
    assert "Left out: 1 person who was added later." in words
    assert "Left out: 1 period. fct_membership_history has all." in words
    assert "p00060" not in words


def test_lanes_are_in_the_order_in_which_people_came(draw: Draw) -> None:
    tables = membership_tables(0, 0)
    history = [
        period(GROUP, 1, 0, 3),
        period(GROUP, 2, 1, 0, 5),
        # What they are in another group is another drawing.
        period("ssb:identity/group/Abcxyz=", 1, 4, 1),
    ]
    schema = tables["fct_membership_history"].schema
    tables["fct_membership_history"] = pa.Table.from_pylist(history, schema)
    drawing = draw(tables, "members", GROUP)
    bars = [one for one in drawing.iter(f"{SVG}rect") if one.get("height") == "18"]
    assert [one.findtext(f"{SVG}title") for one in bars] == [
        f"{person(2)} excluded of {uri(1)}, from 0 to 5",
        f"{person(1)} member of {uri(0)}, from 3",
    ]
    assert [one.get("width") for one in bars] == ["160", "160"], "two of three steps"
    assert float(bars[1].get("x", 0)) - float(bars[0].get("x", 0)) == 80
    legend = [one for one in drawing.iter(f"{SVG}rect") if one.get("height") == "12"]
    assert [one.findtext(f"{SVG}title") for one in legend] == [uri(1), uri(0)]
    assert [one.get("class") for one in legend] == ["c0", "c1"]
    assert min(float(one.get("y", 0)) for one in legend) > float(bars[1].get("y", 0)) + 18
    words = shown_texts(drawing)
    assert [one for one in words if one in ("0", "1", "3", "5")] == ["0", "3", "5"]
    assert words[-6:] == ["Twin", "Ann", "excluded", "000000", "000001", "000000"]


def test_a_group_without_members(draw: Draw) -> None:
    words = shown_texts(draw(membership_tables(0, 0), "members", GROUP))
    assert "Nobody was ever added to this group, as far as the logs tell." in words


@pytest.mark.parametrize("size", [1, 40, 496, 2000])
def test_a_tangle_is_drawn_up_to_500_messages(draw: Draw, size: int) -> None:
    drawing = draw(tangle_tables(size), "tangle", "thread:000000")
    assert len(boxes(drawing, "box")) == min(size, 496)
    assert len(boxes(drawing, "aside")) == 4
    assert len(boxes(drawing, "marked")) == 1
    assert stay_inside(drawing)
    assert fit_into_boxes(drawing)
    words = shown_texts(drawing)
    lines = [one for one in drawing.iter(f"{SVG}path") if "line" in one.get("class", "").split()]
    assert size == 2000 or len(lines) == size - 1 + 3
    assert sum("waits" in one.get("class", "") for one in lines) == 3
    assert "missing" in words
    assert words.count("set aside: missing") == 3
    left_out = "Left out: 1,504 earlier messages of the graph. `scuttlehouse sql` shows all."
    assert (left_out in words) == (size == 2000)
    assert "Left out: 3 rejected messages (2 type_not_allowed, 1 invalid_message)." in words
    assert len([one for one in words if one.startswith("Left out")]) == 1 + (size == 2000)
    assert ("There are 9 authors, so colours repeat: names tell." in words) == (size > 1)


def test_of_many_missing_messages_those_are_drawn_that_most_wait_for(draw: Draw) -> None:
    tables = tangle_tables(2, aside=203)
    missing = [
        {"tangle_id": f"thread:{uri(0)}", "missing_id": uri(800_000 + n), "blocked_count": n + 1}
        for n in range(60)
    ]
    tables["fct_tangle_gaps"] = pa.Table.from_pylist(missing, tables["fct_tangle_gaps"].schema)
    words = shown_texts(draw(tables, "tangle", "thread:000000"))
    drawn = {word for word in words if word.startswith("8000")}
    assert drawn == {f"{800_000 + n:06d}" for n in range(10, 60)}
    assert "Left out: 10 missing messages. `scuttlehouse sql` shows all." in words
    assert "Left out: 3 messages set aside. `scuttlehouse sql` shows all." in words


@pytest.mark.parametrize("more", [0, 1])
def test_a_tangle_is_drawn_up_to_2000_links(draw: Draw, more: int) -> None:
    tables = tangle_tables(64, aside=0)
    schema = tables["fct_tangle_links"].schema
    links = [(one, other) for other in range(64) for one in range(other)][: 2000 + more]
    tables["fct_tangle_links"] = pa.Table.from_pylist(
        [
            {"tangle_id": f"thread:{uri(0)}", "message_id": uri(other), "previous_id": uri(one)}
            for one, other in links
        ],
        schema,
    )
    drawing = draw(tables, "tangle", "thread:000000")
    assert len([one for one in drawing.iter(f"{SVG}path") if one.get("class") == "line"]) == 2000
    left_out = "Left out: all links but 2,000. fct_tangle_links has all."
    assert (left_out in shown_texts(drawing)) == bool(more)


@pytest.mark.parametrize("size", [1, 40, 497, 2000])
def test_a_thread_is_drawn_up_to_500_messages(draw: Draw, size: int) -> None:
    drawing = draw(tangle_tables(size), "thread", uri(0))
    words = shown_texts(drawing)
    drawn = [line for line in words if "2026-01-02 03:04" in line]
    assert len(drawn) == min(size + 3, 500)
    assert ("Left out: 1,503 later messages. fct_thread_messages has all." in words) == (
        size == 2000
    )
    assert ("Left out" in " ".join(words)) == (size == 2000)
    assert f" {size + 3:,} messages in the order in which people read them." in f" {words[1]}"
    assert any("not all links from it lead to the first message" in line for line in drawn) == (
        size < 2000
    )
    assert "Missing: 1 message that no log has." in words
    assert ("There are 9 authors, so colours repeat: names tell." in words) == (size > 1)
    assert stay_inside(drawing)


def test_a_thread_tells_what_is_doubtful_about_a_message(draw: Draw) -> None:
    tables = tangle_tables(1, aside=0)
    messages = [
        {"depth": 20, "attached_by": "linked", "asserted_at": TIME},
        {"depth": 21, "attached_by": "linked"},
        {"attached_by": "by_time", "asserted_time_fault": "after_received", "asserted_at": TIME},
    ]
    place = {"tangle_id": f"thread:{uri(0)}", "person_id": person(1)}
    messages = [
        place | {"message_id": uri(n), "thread_position": n} | one for n, one in enumerate(messages)
    ]
    schema = tables["fct_thread_messages"].schema
    tables["fct_thread_messages"] = pa.Table.from_pylist(messages, schema)
    drawing = draw(tables, "thread", uri(0))
    assert len([one for one in drawing.iter(f"{SVG}path") if one.get("class") == "rule"]) == 40
    lines = [(one.get("x"), one.get("y")) for one in drawing.iter(f"{SVG}text")][2:]
    assert lines == [("416", "16"), ("416", "40"), ("16", "64")]
    assert shown_texts(drawing)[2:] == [
        "Ann  2026-01-02 03:04  000000",
        "Ann  no time  000001  depth 21",
        "Ann  2026-01-02 03:04  000002  placed by its time, time after received",
    ]


def test_drawings_do_not_wait_for_numba() -> None:
    """Only the page of commands needs it."""
    script = "import sys, scuttlehouse.cli.draw; assert 'numba' not in sys.modules"
    subprocess.run([sys.executable, "-c", script], check=True)


# Letters of DejaVu Sans that are wider than most, in 1/2048 of the size of the letters.
ADVANCES = dict(zip("WMmw@%+&", (2025, 1767, 1995, 1675, 2048, 1946, 1716, 1597), strict=True))
ADVANCES |= dict(zip("DGHNOQC", (1577, 1587, 1540, 1532, 1612, 1612, 1430), strict=True))


def test_who_was_added_again_is_not_struck_through(draw: Draw) -> None:
    tables = group_tables(2)
    tables["fct_epoch_members"] = rows(
        "epoch_id:s group_id:s person_id:s is_declared:b is_still_excluded:b",
        [
            {"epoch_id": uri(1), "group_id": GROUP, "person_id": person(one)}
            | {"is_declared": one != 6, "is_still_excluded": one == 5}
            for one in (4, 5, 6)
        ],
    )
    drawing = draw(tables, "group", GROUP)
    titles = {one.findtext(f"{SVG}title") for one in drawing.iter(f"{SVG}tspan")}
    assert {person(4), person(5)} == titles & {person(one) for one in (4, 5, 6)}, "declared ones"
    struck = [one for one in drawing.iter(f"{SVG}tspan") if one.get("class") == "gone"]
    assert [one.findtext(f"{SVG}title") for one in struck] == [person(5)]


def test_a_name_in_capitals_fits_into_its_box() -> None:
    for letter, advance in ADVANCES.items():
        assert width_of(Words(letter)) >= 12 * advance / 2048, letter
    assert width_of(Words("e\u0301\u0302")) == width_of(Words("e")), "accents take no place"


def test_a_fork_goes_around_the_boxes_between(draw: Draw) -> None:
    """Boxes are drawn over lines: behind a wide one nobody sees which epochs fork."""
    tables = group_tables(4)
    tables["fct_epoch_links"] = rows(
        "epoch_id:s previous_epoch_id:s",
        [{"epoch_id": uri(n), "previous_epoch_id": uri(0)} for n in (1, 2, 3)],
    )
    tables["fct_epoch_forks"] = rows(
        "group_id:s left_epoch_id:s right_epoch_id:s winner_epoch_id:s rule:s is_healed:b"
        " is_current:b healed_by_epoch_id:s needs_repair:b",
        [
            {"group_id": GROUP, "left_epoch_id": uri(one), "right_epoch_id": uri(other)}
            | {"rule": "disjoint", "is_healed": False, "is_current": True, "needs_repair": False}
            for one, other in ((1, 3), (0, 3))
        ],
    )
    tables["dim_people"] = rows("person_id:s name:s", [{"person_id": person(9), "name": "W" * 24}])
    tables["fct_epoch_members"] = rows(
        "epoch_id:s group_id:s person_id:s is_declared:b is_still_excluded:b",
        [
            {"epoch_id": uri(2), "group_id": GROUP, "person_id": person(9)}
            | {"is_declared": True, "is_still_excluded": True}
        ],
    )
    drawing = draw(tables, "group", GROUP)
    places = {
        one.findtext(f"{SVG}title"): [
            float(one.get(name, 0)) for name in ("x", "y", "width", "height")
        ]
        for one in boxes(drawing, "box")
    }
    x, top, width, _ = places[uri(2)]
    assert (
        places[uri(1)][1] < top < places[uri(3)][1] or places[uri(3)][1] < top < places[uri(1)][1]
    )
    assert x + width > max(places[uri(n)][0] + places[uri(n)][2] for n in (1, 3))
    paths = [
        one.get("d", "") for one in drawing.iter(f"{SVG}path") if "fork" in one.get("class", "")
    ]
    [(beside, far)] = [one for path in paths for one in re.findall(r" H(\S+) C(\S+),", path)]
    [(below, deep)] = [one for path in paths for one in re.findall(r" V(\S+) C\S+,(\S+)", path)]
    assert float(far) > float(beside) == x + width
    lowest = max(y + height for _, y, _, height in places.values())
    assert float(deep) > float(below) == lowest
    # Nothing is below the first epoch.
    left, top, width, height = places[uri(0)]
    assert [one for one in paths if one.startswith(f"M{left + width / 2:g},{top + height:g} V")]
    assert shown_texts(drawing).count("fork with 000003: disjoint, nobody wins") == 2


def test_a_fork_that_was_healed_says_by_which_epoch(draw: Draw) -> None:
    tables = group_tables(4)
    fork = tables["fct_epoch_forks"].to_pylist()[0]
    fork |= {"right_epoch_id": uri(1), "is_current": False, "needs_repair": False}
    healed = fork | {"is_healed": True, "healed_by_epoch_id": uri(3)}
    superseded = fork | {"right_epoch_id": uri(2), "is_healed": False}
    schema = tables["fct_epoch_forks"].schema
    tables["fct_epoch_forks"] = pa.Table.from_pylist([healed, superseded], schema)
    drawing = draw(tables, "group", GROUP)
    assert len([one for one in drawing.iter(f"{SVG}path") if one.get("class") == "fork"]) == 1
    words = shown_texts(drawing)
    assert sorted(one for one in words if one.startswith("fork")) == [
        "fork with 000000: overlapping, loses, healed by 000003",
        "fork with 000001: overlapping, wins, healed by 000003",
    ]


def test_a_fork_of_two_layers_goes_past_the_boxes_below_its_epochs(draw: Draw) -> None:
    """Behind them it would look like a line that begins at another epoch."""
    tables = group_tables(6)
    tables["fct_epoch_links"] = rows(
        "epoch_id:s previous_epoch_id:s",
        [
            {"epoch_id": uri(n), "previous_epoch_id": uri(one)}
            for n, one in ((1, 0), (2, 0), (3, 1), (4, 2), (5, 2))
        ],
    )
    pairs = [(one, other) for one in (1, 2) for other in (3, 4, 5)]
    fork = {"rule": "disjoint", "is_healed": False, "is_current": True, "needs_repair": False}
    tables["fct_epoch_forks"] = rows(
        "group_id:s left_epoch_id:s right_epoch_id:s winner_epoch_id:s rule:s is_healed:b"
        " is_current:b healed_by_epoch_id:s needs_repair:b",
        [
            fork | {"group_id": GROUP, "left_epoch_id": uri(left), "right_epoch_id": uri(right)}
            for pair in pairs
            for left, right in (pair, pair[::-1])
        ],
    )
    drawing = draw(tables, "group", GROUP)
    found = {
        box.findtext(f"{SVG}title") or "": [
            float(box.get(name, 0)) for name in ("x", "y", "width", "height")
        ]
        for box in boxes(drawing, "box")
    }
    paths = [one for one in drawing.iter(f"{SVG}path") if "fork" in one.get("class", "")]
    assert len(paths) == 2 * len(pairs)
    for path in paths:
        points = []
        # The upright parts: between a level part or an end of a box, and the depth of the curve.
        x, y = 0.0, 0.0
        for letter, numbers in re.findall("([MHVC])([^MHVC]*)", path.get("d", "")):
            *_, last = numbers.split()
            before = y
            match letter, [float(one) for one in last.split(",")]:
                case "H", [x]:
                    pass
                case "V", [y]:
                    upper, lower = sorted((before, y))
                    hidden = [
                        box
                        for box in found.values()
                        if box[0] < x < box[0] + box[2] and upper < box[1] + box[3] / 2 < lower
                    ]
                    assert not hidden, path.get("d")
                case _, [x, y]:
                    pass
            points.append((x, y))
        names = path.findtext(f"{SVG}title") or ""
        ends = sorted(box for name, box in found.items() if name in names)
        for (x, y), (left, top, width, height) in zip((points[0], points[-1]), ends, strict=True):
            assert left <= x <= left + width
            assert top < y <= top + height


def test_a_name_from_right_to_left_turns_nothing_else(draw: Draw) -> None:
    """Without isolation, `4pDCrm` behind such a name is shown with its 4 at the other end of the line."""
    tables = tangle_tables(3)
    name = "\u05e9\u05dc\u05d5\u05dd"
    tables["dim_people"] = rows(
        "person_id:s name:s", [{"person_id": person(n), "name": f"{name}{n}"} for n in range(9)]
    )
    drawing = draw(tables, "thread", uri(0))
    assert "tspan { unicode-bidi: isolate; }" in (drawing.findtext(f"{SVG}style") or "")
    named = [one for one in drawing.iter(f"{SVG}text") if name in "".join(one.itertext())]
    assert len(named) == 6
    for line in named:
        [span] = [one for one in line.iter(f"{SVG}tspan") if name in "".join(one.itertext())]
        assert "2026" not in "".join(span.itertext())


def test_nobody_is_drawn_as_somebody_else() -> None:
    """Anybody may call themselves anything, and a box has room for the first letters only."""
    long = "Alexander of the Long Name"
    named = {
        "@annAAAA": "Ann",
        "@eveAAAA": "Ann",
        "@fayAAAA": "Ann annAAA",
        "@guyAAAA": "bobAAA",
        "@oneAAAA": f"{long} the First",
        "@twoAAAA": f"{long} the Second",
        "@zoeAAAA": "Zoe",
        "@benAAAA": "Benjamin of a Longer Name",
        "@andAAAA": "andr\u00e9",
        "@accAAAA": "Andre\u0301",
        "@bobAAAA": None,
    }
    with duckdb.connect() as connection:
        connection.execute("create table dim_people (person_id varchar, name varchar)")
        connection.executemany("insert into dim_people values (?, ?)", [*named.items()])
        drawn = people(Warehouse(connection, {}), named.keys())
    assert len(set(drawn.values())) == len(named)
    assert drawn["@bobAAAA"] == "bobAAA"
    assert drawn["@zoeAAAA"] == "Zoe"
    assert drawn["@fayAAAA"] == "Ann annAAA fayAAA"
    assert drawn["@oneAAAA"] == "Alexander of th… oneAAA"
    assert drawn.pop("@benAAAA") == "Benjamin of a Longer Na…"
    assert all(name.endswith(person[1:7]) for person, name in drawn.items() if name != "Zoe")


def test_nobody_is_drawn_as_somebody_else_by_letters_that_look_alike() -> None:
    """Of other scripts, or of ASCII: capital I, small l, 1 and |; 0 and O; rn and m; vv and w."""
    named = {
        "@zoeAAAA": "Zoe",
        "@cyrAAAA": "Z\u043ee",
        "@ipaAAAA": "Zo\u0451",
        "@alfAAAA": "Alfred",
        "@aifAAAA": "AIfred",
        "@tomAAAA": "Tom",
        "@cor0AAA": "T0rn",
        "@wilAAAA": "Will",
        "@vviAAAA": "VVi|l",
        "@timAAAA": "Tim",
        "@widAAAA": "\uff34im",
        "@eveAAAA": "Zoe z\u043eeAAA",
        "@fayAAAA": "Zoe zo\u00e9AAA",
        "@ll1AAAA": None,
        "@lilAAAA": "ann 1llAAA",
        "@4heAAAA": "\u05e9\u05dc\u05d5\u05dd",
        "@5heAAAA": "\u0633\u0644",
        "@hanAAAA": "\u6f22",
        "@bobAAAA": "Bob",
    }
    with duckdb.connect() as connection:
        connection.execute("create table dim_people (person_id varchar, name varchar)")
        connection.executemany("insert into dim_people values (?, ?)", [*named.items()])
        drawn = people(Warehouse(connection, {}), named.keys())
    assert drawn["@bobAAAA"] == "Bob"
    assert drawn["@zoeAAAA"] == "Zoe"
    assert drawn["@4heAAAA"] == "4heAAA \u05e9\u05dc\u05d5\u05dd"
    assert drawn["@5heAAAA"] == "5heAAA \u0633\u0644"
    alone = {person for person, name in drawn.items() if person[1:7] not in name}
    assert alone == {"@bobAAAA", "@zoeAAAA"}


NASTY = st.text(
    st.characters()
    | st.characters(categories=["Cc", "Cf", "Cn", "Cs", "Zl", "Zp"])
    | st.sampled_from("<>&'\"]{}$;\\\0\x1b\u202e\ufffe\uffff")
)


@given(NASTY, NASTY, NASTY)
def test_every_text_is_drawn_as_text(text: str, title: str, heading: str) -> None:
    canvas = Canvas()
    canvas.text(1, 2, Words(text, "strong", title), Words("]]></text>"))
    picture = canvas.document(heading, [text])
    drawing = ElementTree.fromstring(picture.encode())
    assert {one.tag for one in drawing.iter()} <= {
        f"{SVG}{tag}" for tag in ("svg", "title", "style", "rect", "text", "g", "tspan")
    }
    layer = ElementTree.fromstring(f"<all>{text_layer(picture)}</all>")
    assert {one.tag for one in layer.iter()} <= {"all", "div", "span"}
    expected = [visible(one) for one in (heading, text, f"{text}  ]]></text>")]
    expected = [re.sub("[\ufffe\uffff]", "\ufffd", one) for one in expected]
    assert shown_texts(drawing) == expected
    assert ["".join(one.itertext()) for one in layer] == expected


IMPOSSIBLE = [
    (["group", "Abc"], "Abc may mean 2 groups; give more of the id: "),
    (["group", "zz\x1b"], "No group has the id zz\\x1b: "),
    (["group", ""], "The id is empty"),
    (["group", "--", "-zz"], "No group has the id -zz: "),
    (["tangle", "000000"], "000000 may mean 2 tangles; give more of the id: "),
    (["tangle", "poll:000000"], "No tangle has the id poll:000000: "),
    (["thread", "%"], "No thread has the id %: "),
    (["thread", "zz"], "from dim_tangles where tangle_kind = 'thread'\"` lists all"),
    (["group", "Abcdef", "--output", "no/such/folder.svg"], "): name a file that can be written"),
]


def test_a_drawing_replaces_no_file_of_the_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    SmallWarehouse(tmp_path / "home").publish(tangle_tables(1))
    catalog = tmp_path / "home" / "catalog.db"
    before = catalog.read_bytes()
    drawn = "draw", "tangle", f"thread:{uri(0)}", "--output"
    assert main([*drawn, str(catalog)]) == 1
    assert "name a file outside of it" in capsys.readouterr().err
    assert catalog.read_bytes() == before
    assert main([*drawn, str(tmp_path / "tangle.svg")]) == 0


def test_an_impossible_drawing_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(tmp_path / "home"))
    small = SmallWarehouse(tmp_path / "home")
    for arguments, _ in IMPOSSIBLE:
        assert main(["draw", *arguments]) == 1
        assert "is published" in capsys.readouterr().err
    small.publish(tangle_tables(2))
    for arguments, sentence in IMPOSSIBLE:
        assert main(["draw", *arguments]) == 1
        out, error = capsys.readouterr()
        assert sentence in error
        assert error.count("\n") == 1
        assert not out


def test_the_same_tables_give_the_same_drawing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsysbinary: pytest.CaptureFixture[bytes]
) -> None:
    small = SmallWarehouse(tmp_path / "home")
    small.publish(tangle_tables(30))
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(small.home))
    drawings = set()
    for _ in range(2):
        assert main(["draw", "tangle", f"thread:{uri(0)}"]) == 0
        drawings.add(capsysbinary.readouterr().out)
    (drawing,) = drawings
    assert b"prefers-color-scheme: dark" in drawing
    ElementTree.fromstring(drawing)
