"""How rows that belong together reach one Python worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def whole(frame: DataFrame, key: str) -> DataFrame:
    """Put all rows of a key into one partition, so that ``mapInArrow`` sees them together.

    ``frame.repartition(key)`` is not enough after a join on the key. The join has already shuffled by the
    key, so Spark drops the repartition, and may then split the shuffle of the join into smaller pieces.
    No join shuffles by the hash of the key, so Spark keeps this repartition.
    """
    from pyspark.sql import functions as F

    return frame.repartition(F.xxhash64(key))
