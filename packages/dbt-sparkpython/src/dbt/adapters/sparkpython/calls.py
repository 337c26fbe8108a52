"""Python functions that a profile or a macro names."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from dbt_common.exceptions import DbtRuntimeError


def find_function(name: str) -> Callable[..., Any]:
    """The function with the name `package.module.function`.

    Raises:
        DbtRuntimeError: there is no such function.

    >>> find_function("os.path.basename")("a/b")
    'b'
    """
    module, _, function = name.rpartition(".")
    try:
        found: Callable[..., Any] = getattr(import_module(module), function)
    except (ImportError, AttributeError, ValueError) as error:
        raise DbtRuntimeError(f"There is no Python function {name}: {error}.") from error
    return found
