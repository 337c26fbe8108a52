"""How two messages of a tangle stand to each other."""

from typing import Literal

Relation = Literal["before", "after", "concurrent", "same"]
