"""``scuttlehouse doctor``: whether everything that a build needs is well."""

from __future__ import annotations

import argparse

from scuttlehouse.operation.findings import Checks, found
from scuttlehouse.operation.installed import INSTALLED
from scuttlehouse.operation.renewed import RENEWED
from scuttlehouse.operation.state import OF_WAREHOUSE
from scuttlehouse.printing import visible


def add_arguments(_: argparse.ArgumentParser) -> None:
    """``scuttlehouse doctor`` has no options."""


def run(_: argparse.Namespace) -> int:
    """Print what each check finds; the exit code is 1 if one failed. Nothing is written."""
    return examine({**INSTALLED, **OF_WAREHOUSE, **RENEWED})


def examine(checks: Checks) -> int:
    """Run checks one after the other, and print a line for each.

    >>> from scuttlehouse.operation.findings import Finding
    >>> examine({"java": lambda: Finding("fail", "There is no Java.", "Install it.")})
    fail  java           There is no Java. Install it.
    1
    """
    worst = 0
    for name, check in checks.items():
        finding = found(check)
        said = visible(f"{finding.what} {finding.to_do}".strip())
        print(f"{finding.state:<4}  {name:<13}  {said}", flush=True)
        worst = max(worst, int(finding.state == "fail"))
    return worst
