"""Ruling R29 against whoever writes keys anywhere: planted_keys.py says where and how."""

from __future__ import annotations

import base64
import os
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Warehouse
from planted_keys import DISGUISES, PLACES, SPELLINGS, Planting, needles, plantings
from scuttlehouse.landing.logs import Line
from scuttlehouse.pzp.lines import land_pzp_line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import land_line
from scuttlehouse.ssb.texts import TOKEN, is_word, kept_id, kept_item, kept_word, token
from test_secrets import HEAD_BYTES, Search, texts

RING = KeyRing(b"pepper")
KINDS = 400


def test_every_spelling_disguise_and_place_is_planted() -> None:
    kinds = " ".join(planting.kind for planting in plantings(KINDS))
    assert all(
        name in kinds for name in (*SPELLINGS, *DISGUISES, *PLACES, "pzp", "author", "opened")
    )


def is_pzp_id(planting: Planting) -> bool:
    """Whether nothing tells the text from an id of pzp: it is written as one, where pzp has ids."""
    return (
        planting.kind.startswith("base58, bare")
        and "of pzp" in planting.kind
        and len(planting.key) == 32
    )


@pytest.mark.parametrize("seed", range(5))
def test_no_row_of_a_line_holds_a_planted_key(seed: int) -> None:
    for planting in plantings(KINDS, seed):
        line = Line(1, planting.line, None)
        rows = land_line("a", line, RING), land_pzp_line("a", line, RING)
        cells = [str(cell) for row in rows if row is not None for cell in row]
        told = "\n".join(cells).encode("utf-8", "surrogatepass")
        if not is_pzp_id(planting):
            assert not any(needle in told for needle in needles(planting)), planting.kind


@given(st.binary(min_size=16, max_size=64), st.sampled_from([*SPELLINGS]))
def test_no_key_is_a_word(key: bytes, spelling: str) -> None:
    """A key of 32 bytes never is. One of 16 may be, where chance gives it a word's letters."""
    text = SPELLINGS[spelling](key)
    if len(key) >= 32:
        assert not is_word(text)
        assert kept_id(text, RING).startswith(TOKEN)


@given(st.text(), st.text())
def test_tokens_join_and_tell_lengths(left: str, right: str) -> None:
    assert (token(left, RING) == token(right, RING)) == (left == right)
    assert not left or token(left, RING).startswith(f"{TOKEN}{len(left)}-")
    assert token(left, RING) != token(left, KeyRing(b"other")) or not left
    for kept in (kept_id, kept_word, kept_item):
        # What was kept is kept as it is, except that nobody can write another's token.
        once = kept(left, RING)
        assert once.startswith(TOKEN) or kept(once, RING) == once
        assert kept(token(left, RING), RING) != token(left, RING) or not left


def test_no_planted_key_stands_anywhere(
    warehouse: Warehouse, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    """In any file, in what the values of Avro and Parquet files are, and on the screen."""
    planted = [one for one in plantings(KINDS) if not is_pzp_id(one)]
    log = tmp_path / "planted.jsonl"
    log.write_bytes(b"\n".join(one.line for one in planted) + b"\n")
    warehouse.land(log)
    names = plant_names(warehouse.landing, planted)
    begun = time.time()
    warehouse.dbt("build", "--full-refresh", "--exclude-resource-type", "unit_test", is_quiet=False)
    said = capfd.readouterr()
    assert "is_key_fct_messages" in said.out, "dbt tells its steps"
    assert "planted.jsonl" not in said.err
    sought = {
        needle: one.kind for one in planted for needle in needles(one) if len(needle) >= HEAD_BYTES
    }
    assert set(sought.values()) == {one.kind for one in planted}
    search = Search(sought)
    assert len(search.find(log.read_bytes())) > KINDS / 2
    roots = [warehouse.home, warehouse.project, warehouse.temporary]
    # Java removes what it unpacked for itself a moment after the build ends.
    walked = (place for root in roots for place in os.walk(root))
    files = sorted(Path(folder, name) for folder, _, names in walked for name in names)
    # What stood there before the keys were planted holds none.
    files = [path for path in files if path.is_file() and path.stat().st_mtime >= begun - 1]
    assert sum(path.suffix == ".parquet" for path in files) > 30
    found = [f"{kind} in what dbt says" for kind in search.find("".join(said).encode())]
    for path in files:
        with suppress(FileNotFoundError):
            for text in [*texts(path), *avro_texts(path)]:
                found += [f"{kind} in {path}" for kind in search.find(text)]
    assert not found, "\n".join(sorted(found)[:40])
    rows = warehouse.rows(
        "select count(*) as n from stg_ssb__landed_lines where message_id is not null"
    )
    assert rows[0]["n"] > KINDS / 2
    logs = warehouse.rows("select source_file, line_count from dim_logs where size_bytes = 99")
    assert len(logs) == len(names)
    assert {(row["source_file"].startswith(TOKEN), row["line_count"]) for row in logs} == {
        (True, 1)
    }


def plant_names(landing: Path, planted: list[Planting]) -> list[str]:
    """Logs that have keys as their names, each with one line of its own, of 99 bytes."""
    keys = [one.key for one in planted if len(one.key) == 32][:8]
    names = [base64.urlsafe_b64encode(key).decode() for key in keys[:4]]
    names += [keys[4].hex(), keys[5].hex(" ").upper()]
    names += [base64.b32encode(keys[6]).decode(), f"key.{keys[7].hex('.')}"]
    for number, name in enumerate(names):
        (landing / f"{name}.jsonl").write_bytes(b'{"n": %d}' % number + bytes(91))
    return names


def avro_texts(path: Path) -> list[bytes]:
    """The values of a manifest of Iceberg, whose blocks are compressed."""
    if path.suffix != ".avro":
        return []
    from pyiceberg.avro.file import AvroFile
    from pyiceberg.io.pyarrow import PyArrowFileIO

    with AvroFile(PyArrowFileIO().new_input(str(path))) as records:
        return [str(list(records)).encode()]
