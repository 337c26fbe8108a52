"""Imports ahead of what needs them."""

import sys
from pathlib import Path

import pytest

from dbt.adapters.sparkpython.imports import import_all


def test_a_postponed_module_is_imported_when_it_is_asked_for_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "tidal"
    package.mkdir()
    (package / "__init__.py").touch()
    (package / "pool.py").write_text("DEPTH = 3\n")
    (package / "crab.py").write_text("from tidal import pool\n\ndef depth(): return pool.DEPTH\n")
    monkeypatch.syspath_prepend(tmp_path)

    import_all(["tidal.nowhere", "tidal.crab"], ["nowhere.pool", "tidal.pool"])

    assert "tidal.pool" not in sys.modules
    assert sys.modules["tidal.crab"].depth() == 3
    assert "tidal.pool" in sys.modules
    import_all([], ["tidal.pool"])
    assert sys.modules["tidal"].pool is sys.modules["tidal.pool"]
