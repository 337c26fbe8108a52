"""dbt's unit tests. They bring their own rows, and need a warehouse only for the types of columns."""

from __future__ import annotations

import pytest

from conftest import Warehouse


@pytest.mark.usefixtures("built")
def test_every_unit_test_passes(warehouse: Warehouse) -> None:
    outcome = warehouse.dbt("test", "-s", "test_type:unit")
    messages = {result.node.name: result.message for result in outcome.result or []}
    failed = [result.node.name for result in outcome.result or [] if result.status != "pass"]
    assert outcome.success, [(name, messages[name]) for name in failed] or outcome.exception
    assert len(messages) > 50
