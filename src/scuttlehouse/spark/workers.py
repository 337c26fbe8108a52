"""The process that Spark forks its Python workers from: ``spark.python.daemon.module`` of the profile.

Every worker of PySpark's own daemon imports again what its model needs, pandas and numba above all.
Forked from here it has them.
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
    # Spark puts archives of itself first on the path. Out of them Python compiles every module again, and
    # before every task it reads what they hold; the package that is installed is the same.
    sys.path[:] = [folder for folder in sys.path if not folder.endswith((".zip", ".jar"))]
    for name in IMPORTED:
        import_module(name)
    import_module("pyspark.daemon").manager()
