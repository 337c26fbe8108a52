"""Which build a rollback publishes."""

from __future__ import annotations

import pytest

from scuttlehouse.builds import choose
from scuttlehouse.warehouse import WarehouseError

BUILDS = [{"build_id": "c"}, {"build_id": "b"}, {"build_id": "a"}]


@pytest.mark.parametrize(
    ("published", "asked", "chosen"),
    [("c", None, "b"), ("b", None, "a"), ("c", "a", "a"), ("a", "c", "c")],
)
def test_the_build_before_or_the_one_that_is_named(
    published: str, asked: str | None, chosen: str
) -> None:
    history = {"published": published, "builds": BUILDS}
    assert choose(history, asked) == {"build_id": chosen}


@pytest.mark.parametrize(
    ("published", "asked", "sentence"),
    [
        ("a", None, "No build is kept that is older"),
        ("b", "b", "The build b is published already"),
        ("c", "d", "The build d is not kept. These are: c, b, a "),
    ],
)
def test_builds_that_cannot_be_published(published: str, asked: str | None, sentence: str) -> None:
    with pytest.raises(WarehouseError, match=sentence):
        choose({"published": published, "builds": BUILDS}, asked)
