"""Hashes of the code that decides what tables hold, to tell when it has changed.

Comments and docstrings of Python code do not count; what a file is called does.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path


def hash_files(paths: Iterable[Path]) -> str:
    """One hash of some files of code or data, whatever their order."""
    hashes = sorted(f"{path.name} {_hash_file(path)}" for path in paths)
    return sha256("\n".join(hashes).encode()).hexdigest()[:16]


def hash_modules(*names: str) -> str:
    """One hash of some modules and of all modules of the same package that they import.

    >>> hash_modules("scuttlehouse.ledger") == hash_modules("scuttlehouse.ledger", "scuttlehouse.landing")
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
