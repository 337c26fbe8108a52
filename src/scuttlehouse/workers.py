"""The process that Spark forks its Python workers from: ``spark.python.daemon.module`` of the profile.

Every worker of PySpark's own daemon imports what its model needs anew, pandas and numba above all.
Forked from here it has them.
"""

import numba  # noqa: F401
import pandas  # type: ignore[import-untyped]  # noqa: F401
import pyarrow  # noqa: F401
from pyspark.daemon import manager

import scuttlehouse.lines
import scuttlehouse.pzp
import scuttlehouse.reach
import scuttlehouse.thread_order
import scuttlehouse.updates  # noqa: F401

if __name__ == "__main__":
    manager()  # type: ignore[no-untyped-call]
