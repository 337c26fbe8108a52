"""How rows that belong together reach one Python worker."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def map_whole(
    frame: DataFrame, key: str, function: Callable[[pa.Table], pa.Table], schema: str
) -> DataFrame:
    """The rows that a function makes from tables which together hold each key as a whole.

    A table has the rows of many keys: all of one partition.
    """

    def in_one_table(batches: Iterable[pa.RecordBatch]) -> Iterable[pa.RecordBatch]:
        if rows := list(batches):
            yield from function(pa.Table.from_batches(rows)).to_batches()

    return whole(frame, key).mapInArrow(in_one_table, schema)


def whole(frame: DataFrame, key: str) -> DataFrame:
    """Put all rows of a key into one partition, so that ``mapInArrow`` sees them together.

    ``frame.repartition(key)`` is not enough after a join on the key. The join has already shuffled by the
    key, so Spark drops the repartition, and may then split the shuffle of the join into smaller pieces.
    No join shuffles by the hash of the key, so Spark keeps this repartition.
    """
    from pyspark.sql import functions as F

    return frame.repartition(F.xxhash64(key))
