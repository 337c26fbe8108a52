"""What every table promises, column by column: suites for Great Expectations, as data.

``SUITES`` holds a :class:`~scuttlehouse.quality.expectations.Suite` per mart. Every expectation
follows from how the warehouse is built, whatever a log holds: nobody can stop a build by publishing
odd messages, and what fails is a fault of ours. Keys, relations and invariants of several rows are
dbt tests; each of those is a query, while a table's expectations are answered together.

``check`` runs the suites and ``data_docs`` writes down for people how they fared. Only these, and
what extends Great Expectations for them (``satisfy`` and ``view``), need it; it takes seconds to
import.
"""

from __future__ import annotations

from scuttlehouse.quality.expectations import Expectation, Suite
from scuttlehouse.quality.feeds import FEEDS
from scuttlehouse.quality.groups import GROUPS
from scuttlehouse.quality.sets import SETS
from scuttlehouse.quality.tangles import TANGLES

__all__ = ["SUITES", "Expectation", "Suite"]

SUITES: tuple[Suite, ...] = (*FEEDS, *TANGLES, *GROUPS, *SETS)
