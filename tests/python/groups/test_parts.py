"""What models of groups do with a group of which a part of the project has left one side as it was."""

from __future__ import annotations

from pathlib import Path
from runpy import run_path
from typing import Any

import pyarrow as pa
import pytest

from scuttlehouse.groups.memberships import Change
from scuttlehouse.groups.messages import GroupMessage
from scuttlehouse.groups.peers import Listed

PROJECT = Path(__file__).parents[3]
MESSAGES = ("group_id", "key_rank", *GroupMessage._fields, *Listed._fields)
EPOCHS = "group_id", "epoch_id", "previous_epoch_ids", "member_ids", "key_rank", "counts"
CHANGE = {"group_id": "g"} | dict.fromkeys(Change._fields, 1)
SIGHTING = {"group_id": "g", "source_file": "a", "owner_id": "ann", "message_id": "m"}


def python_model(name: str) -> dict[str, Any]:
    """The names of a model. No bytecode stays in the project, where dbt and tests read every file."""
    [file] = (PROJECT / "python_models").rglob(f"{name}.py")
    return run_path(str(file))


@pytest.mark.parametrize(
    ("model", "function", "columns", "row"),
    [
        ("int_groups__peers", "judge_views", MESSAGES, SIGHTING),
        ("int_groups__membership_periods", "follow", EPOCHS, CHANGE),
    ],
)
def test_a_group_that_an_earlier_refresh_has_left_in_one_table_alone_has_no_rows(
    model: str, function: str, columns: tuple[str, ...], row: dict[str, object]
) -> None:
    names = python_model(model)
    nothing = pa.table({name: pa.array([], pa.string()) for name in columns})
    found = names[function](nothing, pa.Table.from_pylist([row]))
    assert found == names["SCHEMA"].empty_table()
