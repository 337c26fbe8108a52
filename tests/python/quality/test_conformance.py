"""The page of rules: every rule of the seed, and every MUST and SHOULD of the documents."""

from __future__ import annotations

import csv
import re
from collections import Counter
from pathlib import Path

PROJECT = Path(__file__).parents[3]

# How often the documents say a word of RFC 2119, by section; the paragraphs that introduce the words do not
# count, nor does MAY. The documents tangles (000) and ScuttleSort (003) say none.
WORDS = {
    ("pzp set", "Msg type", "MUST"): 1,
    ("pzp set", "Msg content", "MUST"): 1,
    ("pzp set", "Msg content", "SHOULD"): 1,
    ("tangle sip", "Specification", "MUST"): 1,
    ("tangle sip", "Specification", "RECOMMENDED"): 1,
    ("tangle sip", "Tangle fields in messages", "SHOULD"): 1,
    ("tangle sip", "Tangle fields in messages", "MUST"): 3,
    ("tangle sip", "Classic feed: single-author tangle", "MUST"): 1,
    ("group exclusion", "4.1", "MUST NOT"): 1,
    ("group exclusion", "4.1", "SHOULD"): 1,
    ("group exclusion", "4.1.1", "MUST"): 2,
    ("group exclusion", "4.1.2", "MUST"): 1,
    ("group exclusion", "4.1.3", "MUST"): 1,
    ("group exclusion", "4.1.4", "SHOULD"): 1,
    ("group exclusion", "4.1.5", "MUST"): 1,
    ("group exclusion", "4.1.5.A", "MUST"): 1,
    ("group exclusion", "4.2", "MUST"): 2,
    ("group exclusion", "4.4", "MUST"): 1,
    ("group exclusion", "4.5", "MUST"): 1,
    ("group exclusion", "4.6", "MUST NOT"): 1,
    ("group exclusion", "4.6", "RECOMMENDED"): 1,
    ("group exclusion", "4.6", "SHOULD"): 2,
    ("group exclusion", "4.8.1", "SHOULD"): 2,
    ("group exclusion", "4.8.2.A", "SHOULD"): 1,
    ("group exclusion", "4.8.2.B", "SHOULD"): 1,
    ("group exclusion", "4.8.2.D", "SHOULD"): 1,
    ("group exclusion", "4.9", "MUST"): 2,
    **{
        ("group exclusion", f"4.10.{tangle}.{part}", word): 1
        for tangle in (1, 2, 3)
        for part, word in ((1, "MUST"), (1, "SHOULD"), (2, "MUST"))
    },
}


def page() -> list[tuple[str, str, str, str]]:
    """The rows of the page: document, section, word (may be empty), and what checks it."""
    rows, document = [], ""
    for line in (PROJECT / "models" / "conformance.md").read_text().splitlines():
        if line.startswith("## "):
            document = re.sub(r" \(\d+\)$", "", line[3:])
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("|") and cells[0] != "section" and not set(cells[0]) <= {"-"}:
            section, word, _, checked = cells
            rows.append((document, section, word, checked))
    return rows


def rules() -> dict[str, dict[str, str]]:
    with (PROJECT / "seeds" / "rules.csv").open() as file:
        return {row["rule_id"]: row for row in csv.DictReader(file)}


def test_the_page_has_every_must_and_should() -> None:
    found = Counter((document, section, word) for document, section, word, _ in page() if word)
    assert found == Counter(WORDS)
    assert sum(found.values()) == 43
    assert all(checked for *_, checked in page())


def test_the_page_has_every_rule_and_no_other() -> None:
    named: dict[str, set[tuple[str, str]]] = {}
    for document, section, _, checked in page():
        for rule in re.findall(r"`([a-z_]+)`", checked):
            if rule in {"status_reason"}:
                continue
            named.setdefault(rule, set()).add((document, section))
    assert named.keys() == rules().keys()
    for rule, row in rules().items():
        assert (row["document"], row["section"]) in named[rule], rule


def test_every_rule_has_a_case_that_breaks_it() -> None:
    """In the unit tests of the models that find broken rules."""
    of_groups = PROJECT / "models" / "intermediate" / "groups" / "_groups_unit_tests.yml"
    of_sets = PROJECT / "models" / "marts" / "sets" / "_sets_unit_tests.yml"
    cases = of_groups.read_text() + of_sets.read_text()
    assert set(re.findall(r"rule_id: (\w+), ", cases)) == rules().keys()


def test_a_rule_is_a_must_or_a_should() -> None:
    assert {row["severity"] for row in rules().values()} == {"must", "should"}
    assert all(row["says"] and row["remedy"] for row in rules().values())
