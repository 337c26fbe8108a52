"""The drawings that the docs and the README show, and what the exposures say that commands read."""

from __future__ import annotations

import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import yaml

from conftest import PROJECT
from scuttlehouse.cli.draw import DRAWINGS
from scuttlehouse.reading.finding import GROUP, KINDS, TANGLE

SOURCES = PROJECT / "src" / "scuttlehouse"
PICTURES = dict(
    re.findall(
        r"scuttlehouse (draw \w+ \S+) --output pictures/(\S+)$",
        (PROJECT / "Makefile").read_text(),
        re.M,
    )
)


def test_the_docs_show_one_of_each_drawing() -> None:
    overview = (PROJECT / "models" / "overview.md").read_text()
    settings: dict[str, Any] = yaml.safe_load((PROJECT / "dbt_project.yml").read_text())
    assert settings["asset-paths"] == ["pictures"]
    assert sorted(PICTURES.values()) == sorted(
        f"{kind}.svg" for kind in DRAWINGS if kind != "commands"
    )
    assert sorted(file.name for file in (PROJECT / "pictures").iterdir()) == sorted(
        PICTURES.values()
    )
    for command, name in PICTURES.items():
        ElementTree.parse(PROJECT / "pictures" / name)
        assert f"](pictures/{name})" in overview
        assert f"`scuttlehouse {command}`" in overview


def read_by(files: Iterable[Path]) -> set[str]:
    """The tables that queries in some modules read."""
    return {
        table
        for file in files
        for table in re.findall(r"\b(?:from|join) ((?:dim|fct)_\w+)", file.read_text())
    }


def test_exposures_name_the_tables_that_are_read() -> None:
    exposures = yaml.safe_load((PROJECT / "models" / "marts" / "exposures.yml").read_text())
    said = {
        one["name"]: {re.sub(r"ref\('(\w+)'\)", r"\1", ref) for ref in one["depends_on"]}
        for one in exposures["exposures"]
    }
    # One kind has a query in place of a table.
    found = {table for kind in KINDS for table in re.findall(r"\b(?:dim|fct)_\w+", kind.table)}
    assert said["show"] == read_by((SOURCES / "showing").glob("*.py")) | found
    assert said["summary"] == read_by((SOURCES / "builds").glob("summary*.py"))
    assert said["replicas"] == read_by((SOURCES / "replicas").glob("*.py"))
    for kind, draw in DRAWINGS.items():
        module = SOURCES / "drawing" / f"{draw.__module__.rpartition('.')[2]}.py"
        # Each finds what its id means, and names people.
        thing = GROUP if kind in ("group", "members") else TANGLE
        assert said[f"drawing_{kind}"] == read_by([module]) | {thing.table, "dim_people"}
