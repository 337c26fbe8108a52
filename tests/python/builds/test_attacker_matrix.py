"""The matrix of attackers and tables: what a log changes about others is what SECURITY.md allows.

`attackers.py` writes the logs of a stranger, a former member and a member of a group. Each is added to one
build of the logs of others, and taken away again. `attackers.csv` beside this file lists the cells that
change about others, with the reason in the threat model; all other columns of all published tables stay. A
row is the attacker's if its key or its writer is something that only the attacker's log has.

`SCUTTLEHOUSE_TEST_ATTACKERS=1 pytest tests/python/builds/test_attacker_matrix.py` takes four builds. Every
test run compares the build with a stranger's log (`test_hostile_logs.py`), and reads the logs of all three
line by line (`test_attackers.py`).
"""

from __future__ import annotations

import csv
import os
from pathlib import Path
from typing import Any

import pytest
import yaml

from attackers import FORMER, MEMBER, PEOPLE, STRANGER, Scene, attack
from conftest import OF_BUILDS, PROJECT, Rows, Warehouse
from scuttlehouse.catalog.opening import open_catalog

if_asked = pytest.mark.skipif(
    os.environ.get("SCUTTLEHOUSE_TEST_ATTACKERS") != "1",
    reason="SCUTTLEHOUSE_TEST_ATTACKERS asks for it",
)

Tables = dict[str, Rows]
Cells = dict[tuple[str, str], Any]
ALLOWED = Path(__file__).with_name("attackers.csv")
LOG = "attacker.jsonl"
# Who has written a row, beside what its key says.
WRITERS = ("feed_id", "person_id", "author_id", "account_id", "source_file", "owner_id")
ROW_IS_NEW, ROW_IS_GONE = "(a new row)", "(the row is gone)"


def keys_of_tables() -> dict[str, list[str]]:
    """The columns that name a row, as the tests of the tables say."""
    found = {}
    for path in sorted((PROJECT / "models").rglob("_*.yml")):
        for model in yaml.safe_load(path.read_text()).get("models", []):
            for test in model.get("data_tests", []):
                if isinstance(test, dict) and "is_key" in test:
                    found[model["name"]] = test["is_key"]["arguments"]["columns"]
    return found


class Attacked:
    """The tables before and after an attacker's log, and what is the attacker's own."""

    def __init__(self, before: Tables, after: Tables, ids: set[str]) -> None:
        self.before, self.after = before, after
        known = {value for rows in before.values() for row in rows for value in texts_of(row)}
        feeds = {row["feed_id"] for row in after["dim_feeds"]}
        new = {value for rows in after.values() for row in rows for value in texts_of(row)} - known
        self.own = ids | {value for value in new if is_id(value)} | {f for f in feeds if f in new}
        self.own |= {row["message_id"] for row in before["fct_messages"] if row["feed_id"] in ids}

    def cells(self) -> Cells:
        """The columns about others that differ, and an example of each."""
        keys = keys_of_tables()
        found: Cells = {}
        for table in sorted(set(self.before) - OF_BUILDS):
            key = keys[table]
            before, after = (by_key(rows[table], key) for rows in (self.before, self.after))
            for place in before.keys() | after.keys():
                old, new = before.get(place), after.get(place)
                if self._is_own(old or new or {}, key):
                    continue
                if old is None:
                    found[table, ROW_IS_NEW] = new
                elif new is None:
                    found[table, ROW_IS_GONE] = old
                else:
                    for column in old:
                        if old[column] != new[column]:
                            found[table, column] = (place, old[column], new[column])
        return found

    def _is_own(self, row: dict[str, Any], key: list[str]) -> bool:
        values = [row.get(name) for name in {*key, *WRITERS}]
        return any(value in self.own or LOG in str(value) for value in values)


def texts_of(row: dict[str, Any]) -> set[str]:
    return {value for value in row.values() if isinstance(value, str)}


def is_id(text: str) -> bool:
    """Whether a text names a feed, message, group or account, or is what a stranger has put in its place."""
    return len(text) > 40 and " " not in text


def by_key(rows: Rows, key: list[str]) -> dict[tuple[Any, ...], dict[str, Any]]:
    return {tuple(row[name] for name in key): row for row in rows}


@pytest.fixture(scope="module")
def attacked(warehouse: Warehouse, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Attacked]:
    """One build of the others' logs, and one refresh of it for each attacker."""
    folder = tmp_path_factory.mktemp("attacked")
    logs = Scene().write(folder)
    options = ("build", "--exclude-resource-types", "test", "unit_test")
    found = {}
    with warehouse.published_unchecked():
        warehouse.land(*logs)
        warehouse.build(*options)
        with open_catalog(warehouse.home, read_only=True) as catalog:
            base = catalog.kept()[0].build_id
        before = warehouse.published()
        for attacker in PEOPLE:
            lines, ids = attack(attacker)
            (folder / LOG).write_bytes(b"".join(lines))
            warehouse.land(*logs, folder / LOG)
            if found:
                warehouse.roll_back("--to", base)
            warehouse.refresh(*options)
            found[attacker] = Attacked(before, warehouse.published(), ids)
    return found


def allowed() -> dict[str, set[tuple[str, str]]]:
    with ALLOWED.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert all(row["reason"] for row in rows)
    found: dict[str, set[tuple[str, str]]] = {attacker: set() for attacker in PEOPLE}
    for row in rows:
        for attacker in PEOPLE:
            if row["attacker"] in (attacker, "anybody"):
                found[attacker].add((row["table"], row["column"]))
    return found


@if_asked
@pytest.mark.parametrize("attacker", PEOPLE)
def test_a_log_changes_about_others_what_is_allowed(
    attacked: dict[str, Attacked], attacker: str
) -> None:
    cells = attacked[attacker].cells()
    expected = allowed()[attacker]
    unexpected = {cell: cells[cell] for cell in sorted(set(cells) - expected)}
    assert not unexpected, "\n".join(f"{cell}: {seen!r:.400}" for cell, seen in unexpected.items())
    assert not expected - set(cells), "the list allows more than happens"


@if_asked
def test_every_attacker_was_heard(attacked: dict[str, Attacked]) -> None:
    """So that the test above does not pass because nothing was read."""
    for attacker, one in attacked.items():
        rejected = [row for row in one.after["fct_rejected_lines"] if LOG in row["source_file"]]
        assert len(rejected) > 100, attacker
        differing = [r for r in one.after["fct_messages"] if r["warning"] == "plaintexts_differ"]
        assert len(differing) > 10, attacker
        # What the attacker has written differently twice may not count; what others have written does.
        sealed = [row for row in differing if not row["is_decrypted"]]
        of_others = [row for row in sealed if row["feed_id"] not in one.own]
        assert not of_others, f"{attacker}: {of_others}"
        assert len(one.after["fct_messages"]) > len(one.before["fct_messages"]) + 5
    acts = {
        (attacker, row["action"], row["is_authorized"])
        for attacker, one in attacked.items()
        for row in one.after["fct_group_audit_log"]
        if row["message_id"] in one.own
    }
    assert {(FORMER, "exclude", True), (MEMBER, "exclude", True)} <= acts
    by_strangers = {act[1:] for act in acts if act[0] == STRANGER}
    assert by_strangers >= {("add", False), ("exclude", False), ("post", None)}
    assert True not in {is_authorized for _, is_authorized in by_strangers}
