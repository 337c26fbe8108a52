"""The rows that a build added, changed and deleted, compared with a comparison of all rows."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime
from itertools import count, product
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from scuttlehouse.builds.changes import count_changes
from scuttlehouse.reading.warehouse import open_tables
from small_warehouse import SmallWarehouse

# A key is sometimes null. The last columns are compared.
Row = tuple[str, int | None, str | None, list[int] | None]
SCHEMA = pa.schema(
    {"id": pa.string(), "part": pa.int64(), "text": pa.string(), "numbers": pa.list_(pa.int64())}
)
KEY = ["id", "part"]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> SmallWarehouse:
    return SmallWarehouse(tmp_path_factory.mktemp("home"))


def table(rows: list[Row]) -> pa.Table:
    return pa.Table.from_pylist(
        [dict(zip(SCHEMA.names, row, strict=True)) for row in rows], schema=SCHEMA
    )


def changes_of(small: SmallWarehouse, before: str, after: str) -> tuple[int, int, int]:
    return count_changes(small.home, {"t": before}, {"t": after}, {"t": KEY})["t"]


def compared(before: list[Row], after: list[Row]) -> tuple[int, int, int]:
    old, new = ({row[:2]: row[2:] for row in rows} for rows in (before, after))
    changed = sum(old[key] != new[key] for key in old.keys() & new.keys())
    return len(new.keys() - old.keys()), changed, len(old.keys() - new.keys())


class Copy:
    """A table in the warehouse, and its rows in memory by data file, with None for a deleted row."""

    def __init__(self, small: SmallWarehouse, name: str) -> None:
        self.small, self.name = small, name
        self.files: dict[str, list[Row | None]] = {}
        self.location = ""

    def rows(self) -> list[Row]:
        return [row for rows in self.files.values() for row in rows if row is not None]

    def replace(self, rows: list[Row]) -> None:
        self.location = self.small.write(self.name, table(rows))
        self.files = {}
        self._found(rows)

    def refresh(self, touched: set[str], rows: list[Row]) -> None:
        """Delete the rows of touched ids, then add rows, as a build does."""
        places: dict[str, list[int]] = {}
        for file, all_of in self.files.items():
            for place, row in enumerate(all_of):
                if row is not None and row[0] in touched:
                    places.setdefault(file, []).append(place)
                    all_of[place] = None
        if places:
            self.location = self.small.delete(self.name, places)
        if rows:
            self.location = self.small.append(self.name, table(rows))
            self._found(rows)

    def _found(self, rows: list[Row]) -> None:
        for file in self.small.data_files(self.name).keys() - self.files.keys():
            self.files[file] = [*rows]


IDS = "abcdef"
rows_of_ids = st.lists(
    st.tuples(
        st.sampled_from(IDS),
        st.sampled_from([1, 2, None]),
        st.sampled_from(["x", "y", None]),
        st.sampled_from([None, [], [1], [1, 2]]),
    ),
    max_size=12,
    unique_by=lambda row: row[:2],
)
NAMES = count()


@settings(
    max_examples=settings.default.max_examples // 5,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)
@given(st.data())
def test_the_changes_of_any_history(small: SmallWarehouse, data: st.DataObject) -> None:
    """Between any two states of a table, in either direction."""
    copy = Copy(small, f"table_{next(NAMES)}")
    copy.replace(data.draw(rows_of_ids))
    states = [(copy.location, copy.rows())]
    for _ in range(data.draw(st.integers(1, 3))):
        if data.draw(st.sampled_from([True, True, True, False])):
            touched = data.draw(st.sets(st.sampled_from(IDS)))
            rows = [row for row in data.draw(rows_of_ids) if row[0] in touched]
            copy.refresh(touched, rows)
        else:
            copy.replace(data.draw(rows_of_ids))
        states.append((copy.location, copy.rows()))
    # The table holds the rows of its copy.
    with open_tables(small.home, {"scuttlehouse": {"t": copy.location}}) as warehouse:
        found = Counter(map(repr, warehouse.query("select * from t")[1]))
    assert found == Counter(map(repr, copy.rows()))
    pairs = {f"t{number}": pair for number, pair in enumerate(product(states, repeat=2))}
    counted = count_changes(
        small.home,
        {name: old for name, ((old, _), _) in pairs.items()},
        {name: new for name, (_, (new, _)) in pairs.items()},
        dict.fromkeys(pairs, KEY),
    )
    assert counted == {name: compared(old, new) for name, ((_, old), (_, new)) in pairs.items()}


def test_a_new_table_is_added(small: SmallWarehouse) -> None:
    copy = Copy(small, "new")
    copy.replace([("a", 1, "x", None), ("b", 1, "x", None), ("c", 1, "x", None)])
    copy.refresh({"b"}, [])
    assert count_changes(small.home, {}, {"t": copy.location}, {"t": KEY}) == {"t": (2, 0, 0)}
    copy.replace([])
    assert count_changes(small.home, {}, {"t": copy.location}, {"t": KEY}) == {"t": (0, 0, 0)}


def test_a_table_that_has_not_changed_is_not_read(small: SmallWarehouse) -> None:
    assert changes_of(small, "/nowhere.metadata.json", "/nowhere.metadata.json") == (0, 0, 0)


def test_only_the_later_tables_count(small: SmallWarehouse) -> None:
    assert count_changes(small.home, {"t": "/nowhere.metadata.json"}, {}, {}) == {}


@pytest.mark.parametrize(
    "columns",
    [
        {"id": ["a"], "part": [1]},
        {"id": ["a"], "part": [1], "text": [1]},
        {"id": ["a"], "part": [1], "words": ["x"]},
    ],
)
def test_other_columns_are_not_compared(small: SmallWarehouse, columns: dict[str, Any]) -> None:
    before = small.write("columns", pa.table({"id": ["a"], "part": [1], "text": ["x"]}))
    after = small.write("columns", pa.table(columns))
    assert count_changes(small.home, {"t": before}, {"t": after}, {"t": ["id"]}) == {}


def test_a_table_without_a_key_is_not_compared(small: SmallWarehouse) -> None:
    before, after = (small.write("no_key", pa.table({"id": [one]})) for one in "ab")
    assert count_changes(small.home, {"t": before}, {"t": after}, {}) == {}


@pytest.mark.parametrize("name", ["filename", "file_row_number"])
def test_a_column_that_hides_the_place_of_rows_is_not_compared(
    small: SmallWarehouse, name: str
) -> None:
    before, after = (small.write("place", pa.table({"id": [1], name: [n]})) for n in (1, 2))
    assert count_changes(small.home, {"t": before}, {"t": after}, {"t": ["id"]}) == {}


def test_columns_in_another_order_are_the_same(small: SmallWarehouse) -> None:
    before = small.write("order", pa.table({"id": ["a", "b"], "text": ["x", "y"]}))
    after = small.write("order", pa.table({"text": ["x", "z"], "id": ["a", "b"]}))
    assert count_changes(small.home, {"t": before}, {"t": after}, {"t": ["id"]}) == {"t": (0, 1, 0)}


def test_columns_with_odd_names(small: SmallWarehouse) -> None:
    """Names that the comparison itself uses are tested, too."""
    names = ["key_0", "row_hash", "gone", "came", "places", "old", "new", 'a "b"', "found"]
    rows = {name: ["x", "y"] for name in names}
    before = small.write("odd", pa.table({"id": ["a", "b"], **rows}))
    rows['a "b"'] = ["x", "z"]
    after = small.write("odd", pa.table({"id": ["a", "c"], **rows}))
    for key, expected in (["id"], (1, 0, 1)), (["key_0"], (0, 1, 0)):
        assert count_changes(small.home, {"t": before}, {"t": after}, {"t": key}) == {"t": expected}


def test_every_type_is_compared(small: SmallWarehouse) -> None:
    values: dict[str, list[Any]] = {
        "at": [datetime(2026, 1, 1, tzinfo=UTC), None, datetime(2026, 1, 1, 0, 0, 0, 1, UTC)],
        "size": [1.5, float("nan"), None],
        "is_in": [True, None, False],
        "raw": [b"\0", b"", None],
        "text": ["", None, "NULL", "null"],
        "words": [[], None, [None], ["null"], ["NULL"], ["a, b"], ["a", "b"]],
        "lists": [[[]], [None], [], None, [[None]], [["a"]]],
        "part": [{"x": None}, {"x": "a"}, {"x": "null"}, None],
    }
    for name, of_type in values.items():
        rows = {"id": list(range(len(of_type))), name: of_type}
        before = pa.table(rows)
        after = pa.table({**rows, name: [*of_type[1:], of_type[0]]}, schema=before.schema)
        states = [small.write("types", one) for one in (before, after)]
        counted = count_changes(small.home, {"t": states[0]}, {"t": states[1]}, {"t": ["id"]})
        assert counted == {"t": (0, len(of_type), 0)}, name
