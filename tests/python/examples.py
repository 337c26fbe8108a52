"""How many examples tests try. Every run tries others, and none depends on timing.

`make check` tries few ("quick"), because somebody waits for it before every commit. "default"
(--hypothesis-profile), hypothesis's own, tries 100. Tests that need more or fewer examples than others say so
as a share of settings.default.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from math import ceil
from typing import TypeVar

from hypothesis import settings

ALL, MANY, FEW = 100, 30, 5
FEW_CASES = 2  # of a parametrized test
settings.register_profile("project", deadline=None, max_examples=MANY)
settings.register_profile("quick", deadline=None, max_examples=FEW)
settings.load_profile("project")

Case = TypeVar("Case")


def are_few() -> bool:
    """Whether this run tries few examples."""
    return settings.default is settings.get_profile("quick")


def share_of(cases: Sequence[Case]) -> Sequence[Case]:
    """All cases, or as large a random share of them as the share of examples that this run tries."""
    return random.sample(cases, max(1, len(cases) * FEW // MANY)) if are_few() else cases


def share_of_product(cases: Sequence[Mapping[str, object]], dice: random.Random) -> list[int]:
    """The places of some cases of a product of parameters, in which each value of each parameter occurs.

    They are the share of the cases that the examples of this run are of hypothesis's own number of them.
    """
    places = dice.sample(range(len(cases)), len(cases))
    shown = set[tuple[str, object]]()
    chosen = []
    for place in places:
        if not cases[place].items() <= shown:
            shown |= cases[place].items()
            chosen.append(place)
    others = [place for place in places if place not in chosen]
    count = ceil(len(cases) * settings.default.max_examples / ALL)
    return chosen + others[: max(0, count - len(chosen))]
