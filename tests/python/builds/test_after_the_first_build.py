"""What is shown of the first build. Later tests publish other logs, so this file runs first."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from conftest import PROJECT, Build, Warehouse
from scuttlehouse.cli import main
from scuttlehouse.reading.finding import KINDS, ROOTLESS_GROUP, Found
from scuttlehouse.reading.warehouse import open_published
from scuttlehouse.showing.pages import page
from scuttlehouse.showing.paragraphs import Style
from test_pictures import PICTURES

QUERIES = re.findall(
    r"^```sql\n(.*?)^```",
    (PROJECT / "models" / "overview.md").read_text(),
    re.DOTALL | re.MULTILINE,
)


def test_the_summary_is_what_the_build_printed(
    built: Build, warehouse: Warehouse, monkeypatch: pytest.MonkeyPatch, capsys: Any
) -> None:
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(warehouse.home))
    monkeypatch.chdir(warehouse.project)
    assert main(["show"]) == 0
    assert capsys.readouterr().out.strip() in built.output


def test_pages_of_a_whole_build(built: Build, warehouse: Warehouse) -> None:
    """A heading of a paragraph says as many rows as the tables have."""
    tables = built.tables
    counted = {
        "dim_groups": {
            "Epochs": Counter(row["group_id"] for row in tables["dim_epochs"]),
            "Forks": Counter(row["group_id"] for row in tables["fct_epoch_forks"]),
            "People": Counter(row["group_id"] for row in tables["fct_preferred_epochs"]),
            "Repairs that somebody should publish": Counter(
                row["group_id"] for row in tables["fct_epoch_repairs"]
            ),
        },
        "dim_people": {
            "Groups, and the epoch to prefer in each": Counter(
                row["person_id"] for row in tables["fct_preferred_epochs"]
            )
        },
        "dim_feeds": {
            "Messages with the same sequence": Counter(
                row["feed_id"] for row in tables["fct_feed_forks"]
            )
        },
        "dim_epochs": {"People": Counter(row["epoch_id"] for row in tables["fct_epoch_members"])},
        "fct_messages": {
            "Tangles": Counter(row["message_id"] for row in tables["fct_tangle_messages"]),
            "Listed as previous by": Counter(
                row["previous_id"] for row in tables["fct_tangle_links"]
            ),
        },
        "fct_tangle_gaps": {
            "Tangles that need it": Counter(row["missing_id"] for row in tables["fct_tangle_gaps"])
        },
        "dim_tangles": {
            "Set aside": Counter(
                row["tangle_id"]
                for row in tables["fct_tangle_messages"]
                if row["status"] == "set_aside"
            )
        },
        "dim_sets": {"Items": Counter(row["set_id"] for row in tables["fct_set_items"])},
        "fct_set_messages": {
            "What it changes": Counter(row["message_id"] for row in tables["fct_set_changes"]),
            "Listed by": Counter(row["linked_id"] for row in tables["fct_set_links"]),
        },
    }
    # It has a query in place of a table; test_show.py has its page.
    kinds = [kind for kind in KINDS if kind != ROOTLESS_GROUP]
    assert len(counted) == len(kinds)
    with open_published(warehouse.home) as published:
        for kind in kinds:
            for title, rows in counted[kind.table].items():
                ids = sorted(
                    {row[kind.own] for row in tables[kind.table]}, key=lambda one: -rows[one]
                )
                for one in (ids[0], ids[-1]):
                    said = [*page(published, Found(kind, one, None), Style(is_coloured=False))]
                    found = [line for line in said if line.startswith(f"{title} (")]
                    assert found == ([f"{title} ({rows[one]:,})"] if rows[one] else []), one


@pytest.mark.usefixtures("built")
def test_the_drawings_of_the_docs_are_up_to_date(
    warehouse: Warehouse, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is drawn of the sample does not depend on the other log of this build."""
    monkeypatch.setenv("SCUTTLEHOUSE_HOME", str(warehouse.home))
    for command, name in PICTURES.items():
        assert main([*command.split(), "--output", str(tmp_path / name)]) == 0
        drawn = (tmp_path / name).read_text()
        assert drawn == (PROJECT / "pictures" / name).read_text(), "run `make pictures`"


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("query", QUERIES, ids=lambda query: " ".join(query.split())[:40])
def test_a_query_of_the_overview_has_rows(warehouse: Warehouse, query: str) -> None:
    with open_published(warehouse.home) as tables:
        _, rows = tables.query(query)
        assert list(rows)


def test_the_query_of_members_tells_each_change(built: Build, warehouse: Warehouse) -> None:
    """Also one that leaves a group without members."""
    [query] = [one for one in QUERIES if "valid_from_position as position" in one]
    history = built.tables["fct_membership_history"]
    with open_published(warehouse.home) as tables:
        _, rows = tables.query(query)
        counts = {(group_id, position): count for group_id, position, count in rows}
    assert {*counts} == {(row["group_id"], row["valid_from_position"]) for row in history}
    assert 0 in counts.values()
