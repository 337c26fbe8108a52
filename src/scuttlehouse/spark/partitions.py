"""How rows that belong together reach one Python worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


def whole(frame: DataFrame, key: str) -> DataFrame:
    """The rows of a frame, all of one key in one partition: what ``mapInArrow`` then sees is whole.

    ``frame.repartition(key)`` is not enough after a join on the key: Spark drops it, as the join has
    shuffled by the key already, and may then turn that join into one that reads its shuffle piece by
    piece. A shuffle by the hash of the key is one that no join has made.
    """
    from pyspark.sql import functions as F

    return frame.repartition(F.xxhash64(key))
