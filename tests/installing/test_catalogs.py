"""What data catalogs find in the artifacts of a build: `make test-installing`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from environments import PROJECT, run_platform
from scuttlehouse.builds.publishable import public_models

OPERATION = (PROJECT / "OPERATION.md").read_text()


@pytest.fixture(scope="module")
def published(project: Path, dagster: dict[str, Any]) -> dict[str, list[str]]:
    """The public tables that a build has made, and what each is made of. Artifacts are in `target`."""
    assert dagster["built"]
    nodes = json.loads((project / "target" / "manifest.json").read_text())["nodes"]
    tables = public_models(nodes, "scuttlehouse_work")
    return {name: nodes[model]["depends_on"]["nodes"] for name, model in tables.items()}


def test_openlineage_has_an_event_for_every_table(
    project: Path, published: dict[str, list[str]]
) -> None:
    command = "dbt-ol send-events --profile openlineage"
    assert command in OPERATION
    events = project / "events.json"
    program, *arguments = command.split()
    run_platform(
        project,
        "openlineage",
        program,
        *arguments,
        OPENLINEAGE__TRANSPORT__TYPE="file",
        OPENLINEAGE__TRANSPORT__LOG_FILE_PATH=str(events),
        OPENLINEAGE__TRANSPORT__APPEND="true",
    )
    written: dict[str, set[str]] = {}
    tested = set()
    for line in events.read_text().splitlines():
        event = json.loads(line)
        if event["eventType"] == "COMPLETE":
            for output in event["outputs"]:
                written[output["name"]] = {source["name"] for source in event["inputs"]}
        tested |= {
            source["name"]
            for source in event["inputs"]
            if "dataQualityAssertions" in source.get("inputFacets", {})
        }
    assert {f"scuttlehouse_work.{table}" for table in published} <= set(written)
    assert "scuttlehouse_work.int_groups__messages" in set().union(*written.values())
    assert "scuttlehouse_work.dim_groups" in tested


def test_datahub_has_tables_columns_lineage_and_tests(
    project: Path, published: dict[str, list[str]], tmp_path: Path
) -> None:
    [recipe] = [part for part in OPERATION.split("```") if part.startswith("yaml\nsource:")]
    recipe = recipe.removeprefix("yaml\n")
    (tmp_path / "recipe.yml").write_text(recipe.replace("filename: ", f"filename: {tmp_path}/"))
    where = str(tmp_path / "recipe.yml")
    run_platform(project, "datahub", "datahub", "ingest", "run", "-c", where)
    found: dict[str, set[str]] = {}
    columns = {}
    for record in json.loads((tmp_path / "datahub.json").read_text()):
        if "proposedSnapshot" not in record:
            found.setdefault(record["aspectName"], set()).add(record["entityUrn"])
            continue
        [snapshot] = record["proposedSnapshot"].values()
        for named in snapshot["aspects"]:
            [(name, aspect)] = named.items()
            found.setdefault(name.rpartition(".")[2], set()).add(snapshot["urn"])
            if name.endswith("SchemaMetadata"):
                columns[snapshot["urn"]] = [field["description"] for field in aspect["fields"]]
    tables = {
        f"urn:li:dataset:(urn:li:dataPlatform:dbt,scuttlehouse_work.{table},PROD)": parents
        for table, parents in published.items()
    }
    assert set(tables) <= found["DatasetProperties"]
    assert {table for table, parents in tables.items() if parents} <= found["UpstreamLineage"]
    assert all(all(columns[table]) for table in tables)
    assert len(found["assertionInfo"]) > 50
    assert len(found["assertionRunEvent"]) > 50
