"""What `dbt build --selector` publishes if everything passes: no Spark, no warehouse."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from manifest import Manifest
from scuttlehouse.builds.ending import _report
from scuttlehouse.builds.publishable import (
    LEDGER,
    ORDERS_AND_COMMANDS,
    all_steps,
    public_models,
    publishable,
)

PROJECT = Path(__file__).parents[3]


@pytest.mark.parametrize("subject", ["feeds", "tangles", "groups", "sets"])
def test_a_selector_publishes_the_tables_of_its_subject(
    manifest: Manifest, tmp_path: Path, subject: str
) -> None:
    from dbt.cli.main import dbtRunner

    listed = dbtRunner(manifest=manifest.parsed).invoke(
        [
            *("ls", "--quiet", "--selector", subject),
            *("--output", "json", "--output-keys", "unique_id"),
            *("--project-dir", str(PROJECT), "--profiles-dir", str(PROJECT / "profiles")),
            *("--target-path", str(tmp_path), "--log-path", str(tmp_path)),
        ]
    )
    chosen = {json.loads(line)["unique_id"] for line in listed.result}
    nodes = {name: node.to_dict() for name, node in manifest.parsed.nodes.items()}
    schema = manifest.marts["dim_groups"].schema
    tables = public_models(nodes, schema)
    own = {table for table, model in tables.items() if nodes[model]["fqn"][2] == subject}
    for is_refresh in (True, False):
        published = publishable(nodes, chosen, schema, is_refresh=is_refresh)
        assert own - {LEDGER} <= published
        assert LEDGER not in published


@pytest.mark.parametrize("is_refresh", [True, False])
@pytest.mark.parametrize("left_out", sorted(ORDERS_AND_COMMANDS))
def test_the_order_of_tangles_is_published_with_its_commands(
    manifest: Manifest, left_out: str, is_refresh: bool
) -> None:
    """The next build begins with the published order, and adds to the published commands."""
    nodes = {name: node.to_dict() for name, node in manifest.parsed.nodes.items()}
    schema = manifest.marts["dim_groups"].schema
    passed = all_steps(nodes)
    assert publishable(nodes, passed, schema, is_refresh=is_refresh) >= ORDERS_AND_COMMANDS
    passed.discard(manifest.marts[left_out].unique_id)
    published = publishable(nodes, passed, schema, is_refresh=is_refresh)
    assert "dim_sets" in published
    assert published.isdisjoint(ORDERS_AND_COMMANDS)


def test_a_part_says_what_it_does_not_publish(capsys: pytest.CaptureFixture[str]) -> None:
    """And that the published tables may be of two states of the logs, if it publishes others."""
    run: Any = SimpleNamespace(rules_changed=False, is_sampled=False, command="build")
    part: Any = SimpleNamespace(is_whole=False)
    _report(run, None, {}, {"dim_people", "dim_feeds"})
    nothing = capsys.readouterr().out
    told = (
        "or of the models and seeds before and after them, were selected: dim_feeds, dim_people.\n"
    )
    assert told in nothing
    assert "refer to rows" not in nothing
    assert "together" not in nothing
    _report(run, part, {}, {"dim_people", *ORDERS_AND_COMMANDS})
    together = "fct_tangle_messages and fct_timeline_updates are published together or not at all."
    assert together in capsys.readouterr().out
    _report(run, part, {}, {"dim_people", "dim_feeds"})
    assert "may refer to rows that those lack: run `scuttlehouse build`" in capsys.readouterr().out
