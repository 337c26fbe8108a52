"""How two messages of a tangle relate to each other."""

from typing import Literal

Relation = Literal["before", "after", "concurrent", "same"]
