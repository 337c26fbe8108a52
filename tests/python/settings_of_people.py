"""The settings of whoever runs the tests: they name a warehouse, databases and files of theirs."""

from __future__ import annotations

import os
from collections.abc import MutableMapping

# What tests ask for, and where the jars are.
_FOR_TESTS = "SCUTTLEHOUSE_TEST_", "SCUTTLEHOUSE_JARS"


def forget_settings(environment: MutableMapping[str, str] = os.environ) -> None:
    """Remove these settings. Otherwise builds of tests would write into those databases and files.

    >>> found = dict.fromkeys(["SCUTTLEHOUSE_SERVING", "SCUTTLEHOUSE_TEST_KILLS", "DBT_TARGET", "HOME"], "1")
    >>> forget_settings(found)
    >>> sorted(found)
    ['HOME', 'SCUTTLEHOUSE_TEST_KILLS']
    """
    for name in [*environment]:
        if name.startswith(("SCUTTLEHOUSE_", "DBT_")) and not name.startswith(_FOR_TESTS):
            del environment[name]
