"""Hashes of the code that decides what tables hold: they show whether it has changed.

Comments and docstrings of Python code do not count. Names of files do.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import yaml

from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.network_key import read_network_key
from scuttlehouse.warehouse_key import warehouse_pepper

# The vars that decide what is in the tables.
RULES_VARIABLES = ("settle_steps", "set_ghost_span")


def rules_hash(project: Path, variables: Mapping[str, Any]) -> str:
    """A hash of the code and vars that, with the lines that were read, decide what the tables hold."""
    files = _project_files(project, "model", "macro", "seed")
    rules = [file for file in files if file.suffix in (".sql", ".py", ".csv")]
    values = " ".join(str(variables[name]) for name in RULES_VARIABLES)
    return f"{hash_files([*rules, *package_files('scuttlehouse')])} {values}"


def project_hash(project: Path) -> str:
    """A hash of the whole project, tests and descriptions included."""
    files = _project_files(project, "model", "macro", "seed", "test")
    return hash_files([project / "dbt_project.yml", *files, *package_files("scuttlehouse")])


def project_variables(project: Path) -> dict[str, Any]:
    """The vars of a project with their default values."""
    settings: dict[str, Any] = yaml.safe_load((project / "dbt_project.yml").read_text())["vars"]
    return settings


def lines_hash(home: Path, network_key_file: str) -> str:
    """A hash of everything that decides how a line is read: the code, and keys that are never shown."""
    code = hash_modules(
        "scuttlehouse.landing.rejects",
        "scuttlehouse.landing.glued_lines",
        "scuttlehouse.landing.spark",
        "scuttlehouse.files.recognise",
        "scuttlehouse.files.bipf",
        "scuttlehouse.files.flume",
    )
    key = read_network_key(Path(network_key_file)) if network_key_file else b""
    return f"{code}-{KeyRing(warehouse_pepper(home)).hash(key)[:16]}"


def _project_files(project: Path, *kinds: str) -> list[Path]:
    settings = yaml.safe_load((project / "dbt_project.yml").read_text())
    folders = [project / path for kind in kinds for path in settings[f"{kind}-paths"]]
    return [file for folder in folders for file in folder.rglob("*.*") if file.is_file()]


def hash_files(paths: Iterable[Path]) -> str:
    """One hash of some files of code or data, whatever their order."""
    hashes = sorted(f"{path.name} {_hash_file(path)}" for path in paths)
    return sha256("\n".join(hashes).encode()).hexdigest()[:16]


def hash_modules(*names: str) -> str:
    """One hash of some modules and of all modules of the same package that they import.

    >>> ledger = "scuttlehouse.landing.ledger"
    >>> hash_modules(ledger) == hash_modules(ledger, "scuttlehouse.files.parts")
    True
    """
    return hash_files(_reached(names).values())


def package_files(name: str) -> list[Path]:
    """The Python files of a package, those of its subpackages included."""
    spec = find_spec(name)
    folders = spec.submodule_search_locations if spec else None
    return [file for folder in folders or () for file in Path(folder).rglob("*.py")]


def _reached(names: Iterable[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        spec = find_spec(name) if name not in files else None
        if spec is None or spec.origin is None:  # Known already, or a name in a module.
            continue
        files[name] = Path(spec.origin)
        package = name.split(".")[0]
        for node in ast.walk(ast.parse(files[name].read_bytes())):
            if isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == package:
                waiting.append(str(node.module))
    return files


def _hash_file(path: Path) -> str:
    content = path.read_bytes()
    if path.suffix == ".py":
        tree = ast.parse(content)
        for node in ast.walk(tree):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
                node, clean=False
            ):
                node.body = node.body[1:]
        content = ast.dump(tree).encode()
    return sha256(content).hexdigest()
