"""What every published table promises, column by column, as suites of Great Expectations.

``SUITES`` is data: one :class:`~scuttlehouse.quality.expectations.Suite` per mart. Each expectation
follows from how the warehouse is built, so that no log, however odd, can break one: a failure is
always a fault of ours. Keys, relations and invariants between tables are dbt tests; they ask
queries of their own, while the expectations on a table are answered together.

``scuttlehouse.quality.check`` runs the suites, ``scuttlehouse.quality.data_docs`` writes them down
for people. Only these two need Great Expectations, and import it when they are called: it takes
seconds.
"""

from __future__ import annotations

from scuttlehouse.quality.expectations import Expectation, Suite
from scuttlehouse.quality.feeds import FEEDS
from scuttlehouse.quality.groups import GROUPS
from scuttlehouse.quality.tangles import TANGLES

SUITES: tuple[Suite, ...] = (*FEEDS, *TANGLES, *GROUPS)

__all__ = ["SUITES", "Expectation", "Suite"]
