"""The process that Spark forks its Python workers from: ``spark.python.daemon.module`` of the profile.

With PySpark's own daemon, every worker imports pandas, numba and the rest again. Workers that are forked
from this process already have them.
"""

import sys
from importlib import import_module

IMPORTED = (
    "numba",
    "pandas",
    "pyarrow",
    "scuttlehouse.ssb.lines",
    "scuttlehouse.pzp.lines",
    "scuttlehouse.tangles.reach",
    "scuttlehouse.tangles.thread_order",
    "scuttlehouse.timeline.updates",
)

if __name__ == "__main__":
    # Spark puts its own archives first on the path. Python would compile every module in them again, and
    # list them before every task. The installed package holds the same modules.
    sys.path[:] = [folder for folder in sys.path if not folder.endswith((".zip", ".jar"))]
    for name in IMPORTED:
        import_module(name)
    import_module("pyspark.daemon").manager()
