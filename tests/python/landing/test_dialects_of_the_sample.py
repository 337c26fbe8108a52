"""The sample in every dialect, and in combinations of dialects, forms, compressions and encodings.

The step of Spark that reads logs does no more than these functions, so the same rows give the same tables;
`test_forms.py` compares the tables.
"""

from __future__ import annotations

import gzip
import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import dialects
import forms
from conftest import PROJECT
from pieces import each_line
from scuttlehouse.files.listing import entry_of
from scuttlehouse.files.parts import Kind, Line
from scuttlehouse.files.recognise import recognise
from scuttlehouse.landing.glued_lines import land_lines, land_pzp_lines
from scuttlehouse.landing.logs import list_splits, read_lines
from scuttlehouse.pzp.lines import LandedPzpLine
from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.lines import LandedLine

RING = KeyRing(b"pepper")
LOGS = sorted(path.name for path in (PROJECT / "sample").iterdir())
# What says where a line stood, or how long it was.
PLACES = {"source_file": "", "line_number": 0, "line_hash": None}


@cache
def records(log: str) -> tuple[dialects.Record, ...]:
    data = (PROJECT / "sample" / log).read_bytes()
    lines = (gzip.decompress(data) if log.endswith(".gz") else data).split(b"\n")
    return tuple(forms.objects(lines))


def rows(lines: Iterable[Line]) -> Counter[LandedLine | LandedPzpLine]:
    found: Counter[LandedLine | LandedPzpLine] = Counter()
    for line in lines:
        found.update(row._replace(**PLACES) for row in land_lines("a", line, RING))
        for pzp in land_pzp_lines("a", line, RING):
            lists = {
                name: str(part) for name, part in pzp._asdict().items() if isinstance(part, list)
            }
            found[pzp._replace(**PLACES, **lists, line_bytes=None)] += 1
    return found


def lines_of(values: Iterable[dialects.Record]) -> list[Line]:
    texts = (forms.text(value).encode("utf-8", "surrogatepass") for value in values)
    return [Line(1, text, None) for text in texts]


@cache
def plain_rows(log: str, place: int) -> Counter[LandedLine | LandedPzpLine]:
    return rows(lines_of([records(log)[place]]))


@pytest.mark.parametrize("dialect", dialects.DIALECTS)
def test_the_sample_in_every_dialect(dialect: str) -> None:
    """A third of the messages that it changes: others in every run."""
    changed = []
    for log in LOGS:
        others = dialects.rewrite([*records(log)], dialect)
        changed += [
            (log, place, other)
            for place, (plain, other) in enumerate(zip(records(log), others, strict=True))
            if [*other.items()] != [*plain.items()] or other.get("value") is not plain.get("value")
        ]
    assert len(changed) > 20 or dialect == "as written"
    for log, place, other in random.sample(changed, len(changed) // 3):
        assert rows(lines_of([other])) == plain_rows(log, place), (log, place)


def family(name: str) -> st.SearchStrategy[str]:
    return st.sampled_from(
        ["as written", *(one for one in dialects.DIALECTS if one.startswith(name))]
    )


# The place of the ciphertext comes last: the others look for it where ssb-db2 keeps it.
COMBINATIONS = st.tuples(
    *map(
        family,
        (
            *("links", "epoch keys", "exclusions", "additions", "keys", "without", "sorted", "pzp"),
            *("opened", "numbers"),
        ),
    )
)


@given(
    log=st.sampled_from(LOGS),
    names=COMBINATIONS,
    form=st.sampled_from([*forms.FORMS]),
    compression=st.sampled_from([*forms.COMPRESSIONS]),
    encoding=st.sampled_from([*forms.ENCODINGS]),
    part=st.integers(0, 7),
)
def test_combinations_of_dialects_and_forms(
    tmp_path_factory: pytest.TempPathFactory,
    log: str,
    names: tuple[str, ...],
    form: str,
    compression: str,
    encoding: str,
    part: int,
) -> None:
    """An eighth of a log at a time."""
    chosen = [*records(log)[part::8]]
    path = tmp_path_factory.mktemp("landing") / "a.json"
    path.write_bytes(forms.rewrite(dialects.rewrite(chosen, *names), form, compression, encoding))
    assert rows(lines_in(path)) == rows(lines_of(chosen))


def lines_in(path: Path) -> list[Line]:
    log = entry_of(path, path.name)
    kind: Any = recognise(log)
    assert isinstance(kind, Kind), kind
    splits = list_splits([replace(log, kind=kind)])
    return [line for split in splits for line in each_line(read_lines(split))]
