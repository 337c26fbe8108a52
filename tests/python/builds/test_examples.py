"""The examples of the README run unchanged on a built warehouse."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from conftest import PROJECT, Warehouse

EXAMPLES = sorted((PROJECT / "examples" / "reading").glob("*.py"))


@pytest.mark.usefixtures("built")
@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_reads_the_published_tables(warehouse: Warehouse, example: os.PathLike) -> None:
    groups = {
        row["group_id"]
        for row in warehouse.rows(
            "select groups.group_id from scuttlehouse.dim_groups as groups left semi join"
            " scuttlehouse.fct_epoch_members as members"
            " on groups.preferred_epoch_id = members.epoch_id and members.is_declared"
        )
    }
    assert groups
    done = subprocess.run(
        [sys.executable, str(example)],
        env={**os.environ, **warehouse.environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    for group in groups:
        assert group[:30] in done.stdout, group


def test_the_readme_shows_the_examples() -> None:
    text = (PROJECT / "README.md").read_text()
    for example in [*EXAMPLES, PROJECT / "examples" / "reading" / "trino.properties"]:
        for line in filter(None, example.read_text().splitlines()):
            assert line in text, f"{example.name}: {line}"
