"""What dbt knows of the project after it has read it: no Spark, no warehouse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from dbt.include import sparkpython
from scuttlehouse.builds.rules import hash_files

NAME = "scuttlehouse"


class Manifest:
    """The parsed project, as dbt hands it on: nodes by unique id."""

    def __init__(self, parsed: Any) -> None:
        self.parsed = parsed
        own = [node for node in parsed.nodes.values() if node.package_name == NAME]
        self.models = {node.name: node for node in own if node.resource_type == "model"}
        self.seeds = {node.name: node for node in own if node.resource_type == "seed"}
        self.tests = [node for node in own if node.resource_type == "test"]
        self.unit_tests = list(parsed.unit_tests.values())
        self.macros = [macro for macro in parsed.macros.values() if macro.package_name == NAME]
        self.published = {
            node.alias: node for node in self.models.values() if str(node.access) == "public"
        }

    def ancestors(self, unique_id: str) -> set[str]:
        """Every node that this one waits for, itself included."""
        found: set[str] = set()
        waiting = [unique_id]
        while waiting:
            node = waiting.pop()
            if node not in found:
                found.add(node)
                # A seed depends on nothing.
                waiting += getattr(self.parsed.nodes[node].depends_on, "nodes", [])
        return found

    @property
    def marts(self) -> dict[str, Any]:
        """The models of marts, by the name of their table."""
        return {name: node for name, node in self.published.items() if node.fqn[1] == "marts"}


def read_manifest(project: Path) -> Manifest:
    """Parse a project. If no file has changed, read what dbt kept when it last parsed it.

    After a change it parses the whole project: its partial parser may forget descriptions of singular tests.
    """
    # Importing dbt takes seconds, and few tests need it.
    from dbt.cli.main import dbtRunner

    folder = project / "target" / "of_tests"
    parsed, files = folder / "parsed_files", _files_as_they_are(project)
    is_known = parsed.exists() and parsed.read_text() == files
    outcome = dbtRunner().invoke(
        [
            "parse",
            "--quiet",
            "--partial-parse" if is_known else "--no-partial-parse",
            *("--project-dir", str(project), "--profiles-dir", str(project / "profiles")),
            *("--target-path", str(folder), "--log-path", str(folder)),
        ]
    )
    assert outcome.success, outcome.exception
    parsed.write_text(files)
    return Manifest(outcome.result)


def _files_as_they_are(project: Path) -> str:
    """The files that dbt reads of a project and of the adapter, and a hash of their content."""
    config = yaml.safe_load((project / "dbt_project.yml").read_text())
    kinds = "model", "macro", "seed", "test"
    folders = [project / path for kind in kinds for path in config[f"{kind}-paths"]]
    folders += [project / "profiles", Path(sparkpython.PACKAGE_PATH)]
    files = [path for folder in folders for path in folder.rglob("*.*")]
    files = [path for path in files if path.is_file() and path.suffix != ".pyc"]
    files.append(project / "dbt_project.yml")
    return "\n".join([hash_files(files), *sorted(map(str, files))])
