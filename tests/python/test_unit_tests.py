"""dbt's unit tests. They bring their own rows, and ask a warehouse for the types of columns alone."""

from __future__ import annotations

from pathlib import Path

from conftest import Warehouse


def test_every_unit_test_holds(warehouse: Warehouse, tmp_path: Path) -> None:
    (tmp_path / "log.jsonl").write_text("no message\n")
    warehouse.land(tmp_path / "log.jsonl")
    warehouse.build_marts("--empty")
    outcome = warehouse.dbt("test", "-s", "test_type:unit")
    said = {result.node.name: result.message for result in outcome.result or []}
    failed = [result.node.name for result in outcome.result or [] if result.status != "pass"]
    assert outcome.success, [(name, said[name]) for name in failed] or outcome.exception
    assert len(said) > 50
