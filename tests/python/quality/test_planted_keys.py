"""Ruling R29 against whoever writes keys anywhere: planted_keys.py says where and how."""

from __future__ import annotations

import base64
import os
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import Warehouse, WholeBuild
from planted_keys import DISGUISES, KINDS, PLACES, SPELLINGS, Planting, needles, plantings
from scuttlehouse.files.parts import Line
from scuttlehouse.pzp.lines import land_pzp_line
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import land_line
from scuttlehouse.ssb.texts import TOKEN, is_word, kept_id, kept_item, kept_word, token
from test_secrets import HEAD_BYTES, Search, texts

RING = KeyRing(b"pepper")
LOG = "planted.jsonl"


def test_every_spelling_disguise_and_place_is_planted() -> None:
    kinds = " ".join(planting.kind for planting in plantings())
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
    for planting in plantings(seed):
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


def planted() -> list[Planting]:
    return [one for one in plantings() if not is_pzp_id(one)]


def plant(landing: Path) -> None:
    """A log of planted keys, and logs that have keys as their names."""
    (landing / LOG).write_bytes(b"\n".join(one.line for one in planted()) + b"\n")
    for number, name in enumerate(planted_names()):
        # Each has one line of its own, of 99 bytes.
        (landing / f"{name}.jsonl").write_bytes(b'{"n": %d}' % number + bytes(91))


def planted_names() -> list[str]:
    keys = [one.key for one in planted() if len(one.key) == 32][:8]
    names = [base64.urlsafe_b64encode(key).decode() for key in keys[:4]]
    names += [keys[4].hex(), keys[5].hex(" ").upper()]
    return [*names, base64.b32encode(keys[6]).decode(), f"key.{keys[7].hex('.')}"]


class Remains:
    """What a build of planted keys left behind: what it said, and where keys stand in it.

    A later build removes files of this one, so they are searched at once.
    """

    def __init__(self, warehouse: Warehouse, begun: float, said: Path) -> None:
        self.out, self.err = ((said / name).read_bytes() for name in ("out", "err"))
        sought = {
            needle: one.kind
            for one in planted()
            for needle in needles(one)
            if len(needle) >= HEAD_BYTES
        }
        assert set(sought.values()) == {one.kind for one in planted()}
        search = Search(sought)
        assert len(search.find((warehouse.landing / LOG).read_bytes())) > KINDS / 2
        roots = [warehouse.home, warehouse.project, warehouse.temporary]
        # Java removes what it unpacked for itself a moment after the build ends.
        walked = (place for root in roots for place in os.walk(root))
        files = sorted(Path(folder, name) for folder, _, names in walked for name in names)
        # What stood there before the keys were planted holds none.
        self.files = [
            path for path in files if path.is_file() and path.stat().st_mtime >= begun - 1
        ]
        self.found = [f"{kind} in what dbt says" for kind in search.find(self.out + self.err)]
        for path in self.files:
            with suppress(FileNotFoundError):
                for text in [*texts(path), *avro_texts(path)]:
                    self.found += [f"{kind} in {path}" for kind in search.find(text)]
        lines = "select count(*) as n from stg_ssb__landed_lines where message_id is not null"
        [self.lines] = warehouse.rows(f"{lines} and source_file = '{LOG}'")


def test_no_planted_key_stands_anywhere(last_logs: WholeBuild) -> None:
    """In any file, in what the values of Avro and Parquet files are, and on the screen."""
    remains = last_logs.remains
    assert b"is_key_fct_messages" in remains.out, "dbt tells its steps"
    assert LOG.encode() not in remains.err
    assert sum(path.suffix == ".parquet" for path in remains.files) > 30
    assert not remains.found, "\n".join(sorted(remains.found)[:40])
    assert remains.lines["n"] > KINDS / 2
    logs = [row for row in last_logs.tables["dim_logs"] if row["size_bytes"] == 99]
    assert len(logs) == len(planted_names())
    assert {(row["source_file"].startswith(TOKEN), row["line_count"]) for row in logs} == {
        (True, 1)
    }


def avro_texts(path: Path) -> list[bytes]:
    """The values of a manifest of Iceberg, whose blocks are compressed."""
    if path.suffix != ".avro":
        return []
    from pyiceberg.avro.file import AvroFile
    from pyiceberg.io.pyarrow import PyArrowFileIO

    with AvroFile(PyArrowFileIO().new_input(str(path))) as records:
        return [str(list(records)).encode()]
