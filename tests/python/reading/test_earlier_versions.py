"""Warehouses of earlier versions are refused with a sentence."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pytest

from scuttlehouse.builds.unchanged import published_logs
from scuttlehouse.reading.engine import WarehouseError
from small_warehouse import SmallWarehouse


def test_a_ledger_without_todays_columns_is_refused(tmp_path: Path) -> None:
    small = SmallWarehouse(tmp_path / "home")
    small.publish({"dim_logs": pa.table({"source_file": ["a.jsonl"], "status": ["known"]})})
    with pytest.raises(WarehouseError, match=r"^The tables .* earlier version .*--full-refresh"):
        published_logs(small.home)
