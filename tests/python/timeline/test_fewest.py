"""The fewest commands that lead from an order to another one."""

from __future__ import annotations

from collections import deque
from itertools import combinations, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.timeline.commands import Ins, Mov, follow
from scuttlehouse.timeline.fewest import fewest_commands


def distances(start: tuple[str, ...], names: str) -> dict[tuple[str, ...], int]:
    """The least number of commands to every reachable order, found by search."""
    found = {start: 0}
    waiting = deque([start])
    while waiting:
        order = waiting.popleft()
        steps = [
            (*order[:place], name, *order[place:])
            for name in names
            if name not in order
            for place in range(len(order) + 1)
        ]
        for index, name in enumerate(order):
            rest = (*order[:index], *order[index + 1 :])
            steps += [(*rest[:place], name, *rest[place:]) for place in range(len(order))]
        for step in steps:
            if step not in found:
                found[step] = found[order] + 1
                waiting.append(step)
    return found


@pytest.mark.parametrize("old_size", range(6))
def test_no_fewer_commands_are_enough(old_size: int) -> None:
    names = "abcde"
    old = tuple(names[:old_size])
    least = distances(old, names)
    for size in range(old_size, len(names) + 1):
        for added in combinations(names[old_size:], size - old_size):
            for new in permutations((*old, *added)):
                commands = fewest_commands(old, new)
                replica = list(old)
                follow(replica, commands)
                assert replica == list(new)
                assert len(commands) == least[new], (old, new)


@given(st.permutations(range(40)), st.permutations(range(40)), st.integers(0, 40))
def test_a_replica_that_follows_has_the_new_order(
    before: list[int], after: list[int], known: int
) -> None:
    old = [str(number) for number in before if number < known]
    new = [str(number) for number in after]
    replica = list(old)
    follow(replica, fewest_commands(old, new))
    assert replica == new


def test_names_that_do_not_move_need_no_command() -> None:
    old = [str(number) for number in range(50_000)]
    assert fewest_commands(old, old) == []
    assert fewest_commands(old, [*old, "new"]) == [Ins("new", 50_000)]
    assert fewest_commands(old, [*old[1:], old[0]]) == [Mov(0, 49_999)]
    assert fewest_commands(old, [old[-1], *old[:-1]]) == [Mov(49_999, 0)]


@pytest.mark.parametrize(("old", "new"), [("aa", "ab"), ("a", "aa"), ("ab", "a")])
def test_orders_that_do_not_fit_together(old: str, new: str) -> None:
    with pytest.raises(ValueError, match=r"twice|missing"):
        fewest_commands(old, new)
