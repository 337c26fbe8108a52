"""The commands of a refresh lead from the published order of a tangle to the new one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.timeline.updates import Update, updates

ORDERS = st.permutations("abcdefgh").flatmap(
    lambda names: st.integers(0, len(names)).map(lambda count: names[:count])
)


def applied(order: list[str], commands: list[Update]) -> list[str]:
    replica = list(order)
    for place, update in enumerate(commands):
        assert update.step == place
        if update.from_position is not None:
            assert replica.pop(update.from_position) == update.message_id
        if update.to_position is not None:
            replica.insert(update.to_position, update.message_id)
    return replica


@given(ORDERS, ORDERS)
def test_commands_lead_from_any_order_to_any_other(old: list[str], new: list[str]) -> None:
    found = list(updates(old, new))
    assert applied(old, found) == new
    of = {
        command: {update.message_id for update in found if update.command == command}
        for command in ("ins", "mov", "del")
    }
    assert of["del"] == set(old) - set(new)
    assert of["ins"] == set(new) - set(old)
    assert of["mov"] <= set(old) & set(new)
    assert len(found) == sum(map(len, of.values())), "each message is placed once"
    for update in found:
        assert (update.from_position is None) == (update.command == "ins")
        assert (update.to_position is None) == (update.command == "del")


def test_the_same_order_needs_no_command() -> None:
    assert list(updates("abc", "abc")) == []
