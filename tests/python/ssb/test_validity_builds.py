"""Verdicts in a real build: the judged cases as lines of a log, in the main network and in another."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from conftest import FIXTURES, Warehouse
from scuttlehouse.ssb.network_key import NetworkKeyError, network_key

CASES = [
    json.loads(line)
    for line in gzip.decompress((FIXTURES / "feeds/edge_cases.jsonl.gz").read_bytes()).splitlines()
]
NO_KEY = "%" + base64.b64encode(bytes(32)).decode() + ".sha256"


def is_key(text: str | None) -> bool:
    try:
        return text is not None and len(network_key(text)) == 32
    except NetworkKeyError:
        return False


NETWORKS = sorted({case["hmacKey"] for case in CASES if is_key(case["hmacKey"])})


def network_key_file(warehouse: Warehouse) -> Path:
    """The same path for all tests. Where a var has another value, dbt parses the whole project again."""
    return warehouse.folder / "network_key"


def settings_of(warehouse: Warehouse) -> tuple[str, str]:
    return "--vars", json.dumps({"network_key_file": str(network_key_file(warehouse))})


def verdicts(warehouse: Warehouse, cases: list[dict[str, Any]], *settings: str) -> Iterator[bool]:
    """Whether each case is valid by itself, line by line."""
    log = warehouse.folder / "cases.jsonl"
    with log.open("w") as file:
        for case in cases:
            value = case["raw"].replace("\n", " ")  # between members: a log has one line a message
            file.write(f'{{"key": "{case["id"] or NO_KEY}", "value": {value}}}\n')
    warehouse.land(log)
    warehouse.build("run", "-s", "+stg_ssb__landed_lines", *settings)
    rows = warehouse.rows("select validity from stg_ssb__landed_lines order by line_number")
    assert len(rows) == len(cases)
    yield from (row["validity"] == "valid" for row in rows)


def expected(case: dict[str, Any]) -> bool:
    """By itself: it may be appended to its feed, or stored out of order."""
    return bool(case["valid"] or case["ooo_valid"])


def test_every_judged_case_of_the_main_network(warehouse: Warehouse) -> None:
    cases = [
        case for case in CASES if case["hmacKey"] is None and case["name"] != "hmac empty string"
    ]
    assert len(cases) > 150
    wrong = [
        case["name"]
        for case, is_valid in zip(cases, verdicts(warehouse, cases), strict=True)
        if is_valid != expected(case)
    ]
    assert wrong == []


@pytest.mark.parametrize("key", NETWORKS)
def test_every_judged_case_of_another_network(warehouse: Warehouse, key: str) -> None:
    """The log has the cases of the network and those of the main network, which are invalid here."""
    network_key_file(warehouse).write_text(key + "\n")
    own = [case for case in CASES if case["hmacKey"] == key]
    main = [case for case in CASES if case["hmacKey"] is None and case["valid"]]
    found = verdicts(warehouse, own + main, *settings_of(warehouse))
    assert list(found) == [expected(case) for case in own] + [False for _ in main]


@pytest.mark.parametrize("text", [None, "", "c2hvcnQ=", "\xff" * 44])
def test_a_file_without_a_key_is_refused_without_being_shown(
    warehouse: Warehouse, tmp_path: Path, text: str | None
) -> None:
    file = network_key_file(warehouse)
    file.unlink(missing_ok=True)
    if text is not None:
        file.write_text(text, encoding="latin-1")
    log = tmp_path / "log.jsonl"
    log.write_text("{}\n")
    warehouse.land(log)
    outcome = warehouse.dbt("run", "-s", "+stg_ssb__landed_lines", *settings_of(warehouse))
    [message] = [result.message for result in outcome.result if result.status == "error"]
    assert str(file) in message
    assert "network" in message
    assert not text or text not in message
