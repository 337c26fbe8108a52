"""RULINGS.md has each ruling that the project names, and no other."""

from __future__ import annotations

import re

from conftest import PROJECT

ROOMS = ["src", "models", "macros", "python_models", "seeds", "tests/singular"]


def test_the_page_of_rulings_has_those_that_the_project_names() -> None:
    page = (PROJECT / "RULINGS.md").read_text()
    listed = re.findall(r"^- \*\*(R\d+b?)\b", page, re.M)
    files = [
        path
        for room in ROOMS
        for path in (PROJECT / room).rglob("*")
        if path.suffix in {".csv", ".md", ".py", ".sql", ".yml"}
    ]
    named = {one for path in files for one in re.findall(r"\bR[1-9]\d?b?\b", path.read_text())}
    assert sorted(listed) == sorted(named)
    numbers = [int(re.sub(r"\D", "", one)) for one in listed]
    assert numbers == sorted(numbers)
