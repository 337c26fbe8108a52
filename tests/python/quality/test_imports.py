"""Which parts of the package import which: CONTRIBUTING.md, "House rules"."""

import ast
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import scuttlehouse

PACKAGE = Path(scuttlehouse.__file__).parent

# What a file is, in which format its messages are and what they hold is told by these three together.
OF_LOGS = {"files", "ssb", "pzp"}


def imports(file: Path) -> Iterator[str]:
    """The modules that a file imports, other than for types alone."""
    waiting: list[ast.AST] = [ast.parse(file.read_text("utf-8"))]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.ImportFrom):
            yield node.module or ""
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif not (isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"):
            waiting += ast.iter_child_nodes(node)


def importers(library: str) -> set[str]:
    """The modules of the package that import a library, by the names that the house rules have for them."""
    found = set()
    for file in PACKAGE.rglob("*.py"):
        if any(name.split(".")[0] == library for name in imports(file)):
            room, *rest = file.relative_to(PACKAGE).with_suffix("").parts
            found.add(room if room in ("builds", "quality", "spark") else ".".join([room, *rest]))
    return found


def test_few_parts_import_spark_and_dbt() -> None:
    assert importers("pyspark") == {"builds", "spark", "quality"}
    assert importers("dbt") == {
        "builds",
        "spark",
        "catalog.spark",
        "cli.build",
        "operation.installed",
    }


def test_rooms_import_each_other_in_one_direction() -> None:
    rooms: dict[str, set[str]] = {}
    for file in PACKAGE.glob("*/*.py"):
        named = (name.split(".") for name in imports(file))
        own = {parts[1] for parts in named if parts[0] == PACKAGE.name and len(parts) > 1}
        rooms.setdefault(file.parent.name, set()).update(own)
    both = [
        {one, other}
        for one, other in combinations(sorted(rooms), 2)
        if one in rooms[other] and other in rooms[one] and not {one, other} <= OF_LOGS
    ]
    assert len(rooms) > 10
    assert both == []
