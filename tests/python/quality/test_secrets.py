"""Ruling R29: no key to people's messages stands anywhere in what a build leaves behind.

The search knows every secret of the logs that were landed, in every spelling that a program might
give it, and looks at every byte of every file, and at every value of every parquet file, whose
pages are compressed. Failures name the kind of a secret and the file, never the secret.
"""

from __future__ import annotations

import base64
import gzip
import json
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from conftest import Build, Warehouse
from scuttlehouse.sample.write import Sample

HEAD_BYTES = 8
FIRST_BYTES = np.uint64(0xFFFFFF)

Needles = dict[bytes, str]


def spellings(secret: bytes, kind: str) -> Needles:
    """The ways to write 32 bytes, with a name for each."""
    standard = base64.b64encode(secret).rstrip(b"=")
    url_safe = base64.urlsafe_b64encode(secret).rstrip(b"=")
    return {
        secret: f"{kind} as bytes",
        # What has the padding contains this.
        standard: f"{kind} in base64",
        url_safe: f"{kind} in url-safe base64",
        standard.replace(b"/", b"\\/"): f"{kind} in base64 with escaped slashes",
        secret.hex().encode(): f"{kind} in hex",
        secret.hex().upper().encode(): f"{kind} in upper-case hex",
        json.dumps(list(secret)).encode()[1:-1]: f"{kind} as integers",
        json.dumps(list(secret), separators=(",", ":")).encode()[
            1:-1
        ]: f"{kind} as packed integers",
        json.dumps([float(byte) for byte in secret]).encode()[1:-1]: f"{kind} as numbers",
        "\n".join(map(str, secret)).encode(): f"{kind} as lines of integers",
    }


class Search:
    """A search for many needles in one pass. What it knows of the needles serves all places."""

    def __init__(self, needles: Needles) -> None:
        self._needles = needles
        self._by_head: dict[int, list[bytes]] = {}
        for needle in needles:
            head = int.from_bytes(needle[:HEAD_BYTES], "little")
            self._by_head.setdefault(head, []).append(needle)
        self._heads = np.array(sorted(self._by_head), dtype="<u8")
        # Most windows are told from all heads by their first three bytes.
        self._may_begin = np.zeros(1 << 24, bool)
        self._may_begin[self._heads & FIRST_BYTES] = True

    def find(self, data: bytes) -> set[str]:
        """The names of the needles in the data. O(bytes of data), whatever the number of needles."""
        found = set()
        for offset in range(min(HEAD_BYTES, len(data) - HEAD_BYTES + 1)):
            count = (len(data) - offset) // HEAD_BYTES
            windows = np.frombuffer(data, "<u8", count, offset)
            likely = np.flatnonzero(self._may_begin[windows & FIRST_BYTES])
            heads = windows[likely]
            places = np.minimum(np.searchsorted(self._heads, heads), len(self._heads) - 1)
            for window in likely[self._heads[places] == heads]:
                start = offset + int(window) * HEAD_BYTES
                for needle in self._by_head[int(windows[window])]:
                    if data.startswith(needle, start):
                        found.add(self._needles[needle])
        return found

    def files(self, files: Iterable[Path]) -> list[str]:
        """What was found where. Spark removes temporary files meanwhile."""
        found = []
        for path in files:
            with suppress(FileNotFoundError):
                found += [f"{name} in {path}" for text in texts(path) for name in self.find(text)]
        return sorted(found)


def key_kinds(message: Any) -> Iterator[tuple[str, bytes]]:
    """Every secret in the JSON of a log line, with its kind."""
    members = message.items() if isinstance(message, dict) else ()
    for name, value in members:
        if name == "seed" and isinstance(value, str):
            yield "seed", bytes.fromhex(value)
        elif name in ("secret", "feedpurpose") and is_base64_key(value):
            yield name, base64.b64decode(value)
        elif name == "oldSecrets":
            yield from ((name, base64.b64decode(secret)) for secret in value)
        elif name == "key" and isinstance(value, dict) and len(value.get("data", [])) == 32:
            yield "key of a recipient", bytes(value["data"])
    for value in message.values() if isinstance(message, dict) else message:
        if isinstance(value, dict | list):
            yield from key_kinds(value)


def is_base64_key(value: object) -> bool:
    return isinstance(value, str) and len(value) == 44 and value.endswith("=")


def text_of(path: Path) -> bytes:
    data = path.read_bytes()
    return gzip.decompress(data) if path.suffix == ".gz" else data


def log_secrets(logs: Iterable[Path]) -> dict[bytes, str]:
    """Every secret that the messages of some logs show, with its kind."""
    found: dict[bytes, str] = {}
    for path in logs:
        for line in text_of(path).split(b"\n"):
            try:
                message = json.loads(line)
            except (ValueError, RecursionError):
                continue
            if isinstance(message, dict):
                found |= {secret: kind for kind, secret in key_kinds(message)}
    return found


def texts(path: Path) -> Iterator[bytes]:
    """What a file holds: its bytes, and the values of a parquet file as text."""
    yield path.read_bytes()
    if path.name.endswith(".parquet"):
        for column in pq.ParquetFile(path).read().columns:
            yield b"\n".join(value_text(value) for value in column.to_pylist())


def value_text(value: object) -> bytes:
    return value if isinstance(value, bytes) else str(value).encode("utf-8", "surrogatepass")


@pytest.fixture(scope="module")
def needles(built: Build) -> Needles:
    """All spellings of all secrets of the logs that the build read."""
    known = log_secrets(built.logs)
    sample = Sample()
    deque(sample.lines(), maxlen=0)
    for secret in sample.secrets:
        known.setdefault(secret, "secret of the sample")
    return Needles(
        (spelling, name)
        for number, (secret, kind) in enumerate(known.items())
        for spelling, name in spellings(secret, f"{kind} {number}").items()
    )


def test_the_logs_do_hold_the_secrets(built: Build, needles: Needles) -> None:
    """The group log has secrets of every kind, and the search finds each in the logs as they are."""
    *_, group_log = built.logs
    lines = group_log.read_bytes().splitlines()
    kinds = {kind for line in lines for kind, _ in key_kinds(json.loads(line))}
    assert kinds == {"seed", "secret", "oldSecrets", "feedpurpose", "key of a recipient"}
    search = Search(needles)
    found = {secret_of(name) for path in built.logs for name in search.find(text_of(path))}
    secrets = {secret_of(name) for name in needles.values()}
    # Some secrets of the sample's people are in no log; the others were found by their place.
    unseen = {secret for secret in secrets if secret.startswith("secret of the sample")}
    assert found == secrets - unseen
    assert len(found) > 30


def secret_of(name: str) -> str:
    return name.split(" in ")[0].split(" as ")[0]


@pytest.mark.parametrize("compression", ["snappy", "none", "zstd"])
def test_the_search_finds_what_is_planted(tmp_path: Path, compression: str) -> None:
    """In any spelling, at any place, in any column of a parquet file and in any other file."""
    secret = bytes(range(100, 132))
    needles = spellings(secret, "planted")
    search = Search(needles)
    for number, (needle, name) in enumerate(needles.items()):
        hidden = b"x" * number + needle + b"y" * 5
        (tmp_path / "plain").write_bytes(hidden)
        assert name in search.find(hidden)
        assert f"{name} in {tmp_path / 'plain'}" in search.files([tmp_path / "plain"])
        cells = [b"", hidden, b""] * 50
        columns = {"id": [str(n) for n in range(150)], "hidden": cells}
        if name != "planted as bytes":
            columns["hidden"] = [cell.decode() for cell in cells]
        path = tmp_path / "part.parquet"
        pq.write_table(pa.table(columns), path, compression=compression)
        assert f"{name} in {path}" in search.files([path])
    lists = pa.table({"key": [list(secret)], "struct": [{"data": secret.hex()}]})
    pq.write_table(lists, tmp_path / "part.parquet", compression=compression)
    found = " ".join(search.files([tmp_path / "part.parquet"]))
    assert "planted as integers" in found
    assert "planted in hex" in found
    assert not search.find(b"\x00" * 100)
    assert not search.find(b"")


def test_no_secret_stands_anywhere(warehouse: Warehouse, built: Build, needles: Needles) -> None:
    """In the tables, the catalog, the quality reports, dbt's target and logs, Spark's log."""
    # The tests before have left parts of builds: a refresh begins with all tables of the published one.
    warehouse.land(*built.logs)
    warehouse.refresh("build", "-s", "tangle_kinds", "--exclude-resource-types", "test")
    assert warehouse.dbt("docs", "generate").success
    roots = [warehouse.home, warehouse.project, warehouse.temporary]
    files = sorted(path for root in roots for path in root.rglob("*") if path.is_file())
    names = {path.name for path in files}
    assert names >= {
        "manifest.json",
        "run_results.json",
        "catalog.json",
        "index.html",
        "partial_parse.msgpack",
        "dbt.log",
        "spark.log",
        "key_hash.pepper",
        "epoch_keys.sealed",
        "stg_ssb__landed_lines.py",
    }
    assert (warehouse.home / "data_docs" / "index.html") in files
    assert (warehouse.home / "catalog.db") in files
    assert not {path.suffix for path in files} & {".gz", ".zip", ".zst", ".bz2", ".xz"}
    tables = [
        f"{schema.namespace}.{table.tableName}"
        for schema in warehouse.session.sql("show schemas in warehouse").collect()
        for table in warehouse.session.sql(f"show tables in {schema.namespace}").collect()
        if schema.namespace.startswith("scuttlehouse_work")
    ]
    assert len(tables) > 80
    for name in tables:
        if warehouse.session.table(name).isEmpty():
            continue
        data = warehouse.session.sql(f"select file_path from {name}.files").collect()
        assert {Path(row.file_path) for row in data} <= set(files), name

    search = Search(needles)
    found = search.files(files)
    found += [f"{name} in what dbt build says" for name in search.find(built.output.encode())]
    assert not found, f"{len(found)} secrets stand in the warehouse:\n" + "\n".join(found)
