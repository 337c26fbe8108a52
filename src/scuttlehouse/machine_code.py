"""``python -m scuttlehouse.machine_code`` compiles what numba compiles, before somebody waits for it.

numba keeps machine code beside the modules. Where there is none, every process of the first build, and of
tests, compiles for itself: half a minute of processor time for all functions.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from scuttlehouse.groups.ancestry import Ancestry
from scuttlehouse.tangles.listings import listed_before
from scuttlehouse.tangles.order import find_loops, positions, ranks
from scuttlehouse.tangles.reach import reach_counts
from scuttlehouse.tangles.tables import read_graph
from scuttlehouse.tangles.thread_order import thread_positions
from scuttlehouse.timeline import Timeline


def main() -> None:
    """Call every compiled function, for a message that lists another. The columns are those of builds."""
    table = pa.table(
        {
            "tangle_id": ["t", "t"],
            "message_id": ["a", "b"],
            "previous_ids": [[], ["a"]],
            "told_ms": [1.0, 2.0],
        }
    )
    graph, ids = read_graph(table), table["message_id"]
    codes, links = graph.nodes.tangle_codes, (graph.link_message, graph.link_previous)
    rank = ranks(2, *links)
    positions(codes, rank, ids)
    find_loops(2, *links)
    thread_positions(codes, rank, *links, table["told_ms"], ids)
    reach_counts(2, *links, np.ones(1, dtype=np.int64))
    Ancestry({"x": [], "l": ["x"], "r": ["x"], "y": "lr", "z": "lr"}).nearest_common("y", "z")
    listed_before(2, links, np.ones(1, dtype=np.int64), np.zeros(1, dtype=np.int64))
    timeline = Timeline()
    timeline.extend(ids, table["previous_ids"])
    timeline.add("c", ["d"])
    timeline.add("d")
    again = Timeline.from_arrow(timeline.to_arrow())
    again.relation("a", "b")
    again.index("b")


if __name__ == "__main__":
    main()
