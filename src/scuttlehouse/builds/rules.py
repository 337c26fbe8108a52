"""Hashes of the code that decides what tables hold. A changed hash means changed code.

Comments and docstrings of Python code do not count. Names of files do. A project is the one that dbt runs,
with the packages that it has installed: scuttlehouse may be one of them.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import yaml

from scuttlehouse.ssb.epoch_keys import KeyRing
from scuttlehouse.ssb.network_key import read_network_key

# The name of this package, and of the dbt project that it belongs to.
PACKAGE = "scuttlehouse"

# The vars that decide what is in the tables.
RULES_VARIABLES = ("settle_steps", "set_ghost_span")


def rules_hash(project: Path, variables: Mapping[str, Any]) -> str:
    """A hash of the code and vars that, with the lines that were read, decide what the tables hold."""
    files = _project_files(project, "model", "macro", "seed")
    rules = [file for file in files if file.suffix in (".sql", ".py", ".csv")]
    values = " ".join(str(variables[name]) for name in RULES_VARIABLES)
    return f"{hash_files([*rules, *_package_files()])} {values}"


def project_hash(project: Path) -> str:
    """A hash of the whole project, tests, snapshots and descriptions included."""
    files = _project_files(project, "model", "macro", "seed", "test", "snapshot")
    settings = [folder / "dbt_project.yml" for folder in _with_packages(project)]
    return hash_files([*settings, *files, *_package_files()])


def project_variables(project: Path) -> dict[str, Any]:
    """The vars of scuttlehouse: their default values, or those that a project gives to its package.

    Raises:
        ValueError: dbt takes no such settings.
    """
    variables: dict[str, Any] = {}
    for folder in reversed(_with_packages(project)):
        settings = _settings(folder)
        given = settings.get("vars") or {}
        of_package = given.get(PACKAGE) or {}
        if not isinstance(of_package, dict):
            raise ValueError(f"The vars of {PACKAGE} in {folder} are no mapping.")
        if folder == project or settings["name"] == PACKAGE:
            variables |= {**given, **of_package}
    return variables


def lines_hash(home: Path, network_key_file: str) -> str:
    """A hash of everything that decides how a line is read: the code, and keys that are never shown."""
    key = read_network_key(Path(network_key_file)) if network_key_file else b""
    return f"{code_of_lines_hash()}-{KeyRing.of_home(home).hash(key)[:16]}"


def code_of_lines_hash() -> str:
    """A hash of the code that decides how a line is read.

    Before Python 3.11.8 and 3.12.2, threads that parse code at the same time may get a SystemError (CPython's
    issue 106905). dbt parses values in all of its threads, so a run calls this before they begin, and
    ``_parsed`` remembers.
    """
    return hash_modules(
        "scuttlehouse.landing.rejects",
        "scuttlehouse.landing.glued_lines",
        "scuttlehouse.landing.spark",
        "scuttlehouse.files.recognise",
    )


def _project_files(project: Path, *kinds: str) -> list[Path]:
    folders = [
        folder / path
        for folder in _with_packages(project)
        for kind in kinds
        for path in _settings(folder).get(f"{kind}-paths") or [f"{kind}s"]
    ]
    return [file for folder in folders for file in folder.rglob("*.*") if file.is_file()]


def _with_packages(project: Path) -> list[Path]:
    """The folders of a project and of its packages, the project first."""
    installed = project / str(_settings(project).get("packages-install-path", "dbt_packages"))
    return [project, *sorted(path.parent for path in installed.glob("*/dbt_project.yml"))]


def _settings(project: Path) -> dict[str, Any]:
    file = project / "dbt_project.yml"
    try:
        settings = yaml.safe_load(file.read_text("utf-8"))
    except yaml.YAMLError as error:
        raise ValueError(f"{file} is no YAML: {error}") from None
    if not isinstance(settings, dict):
        raise ValueError(f"{file} has no settings.")
    if not isinstance(settings.get("vars") or {}, dict):
        raise ValueError(f"{file}: vars is no mapping.")
    for name, paths in settings.items():
        if str(name).endswith("-paths") and not _are_texts(paths or []):
            raise ValueError(f"{file}: {name} is no list of paths.")
    return settings


def _are_texts(values: object) -> bool:
    return isinstance(values, list) and all(isinstance(value, str) for value in values)


def hash_files(paths: Iterable[Path]) -> str:
    """One hash of some files of code or data. Their order does not matter."""
    hashes = sorted(f"{path.name} {_hash_file(path)}" for path in paths)
    return sha256("\n".join(hashes).encode()).hexdigest()[:16]


def hash_modules(*names: str) -> str:
    """One hash of some modules and of all modules of the same package that they import.

    >>> ledger = "scuttlehouse.landing.ledger"
    >>> hash_modules(ledger) == hash_modules(ledger, "scuttlehouse.files.parts")
    True
    >>> whole = "scuttlehouse.files.whole"  # It has `from scuttlehouse.files import bipf`.
    >>> hash_modules(whole) == hash_modules(whole, "scuttlehouse.files.bipf")
    True
    """
    return hash_files(_reached(names).values())


def _package_files() -> list[Path]:
    """The Python files of this package, including those of its subpackages."""
    return [*Path(__file__).parents[1].rglob("*.py")]


def _reached(names: Iterable[str]) -> dict[str, Path]:
    files: dict[str, Path] = {}
    waiting = list(names)
    while waiting:
        name = waiting.pop()
        spec = find_spec(name) if name not in files else None
        if spec is None or spec.origin is None:  # Known already, or not a module.
            continue
        files[name] = Path(spec.origin)
        package = name.split(".")[0]
        for module, imported in _parsed(files[name].read_bytes()).imports:
            if module.split(".")[0] == package:
                waiting.append(module)
                if _is_package(module):  # What is imported from it may be modules.
                    waiting += [f"{module}.{one}" for one in imported]
    return files


def _is_package(name: str) -> bool:
    spec = find_spec(name)
    return spec is not None and spec.submodule_search_locations is not None


def _hash_file(path: Path) -> str:
    content = path.read_bytes()
    return _parsed(content).hash if path.suffix == ".py" else sha256(content).hexdigest()


class _Python(NamedTuple):
    """A hash of Python code, and the names that it imports from modules."""

    hash: str
    imports: tuple[tuple[str, tuple[str, ...]], ...]


# A build asks for several hashes of the same code, and parsing it takes most of their time.
@cache
def _parsed(code: bytes) -> _Python:
    try:
        tree = ast.parse(code)
    except (SyntaxError, ValueError):  # Code that nobody can run yet: dbt says where.
        return _Python(sha256(code).hexdigest(), ())
    imports = []
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            imports.append((node.module or "", tuple(alias.name for alias in node.names)))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(
            node, clean=False
        ):
            node.body = node.body[1:]
    return _Python(sha256(ast.dump(tree).encode()).hexdigest(), tuple(imports))
