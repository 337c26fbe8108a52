"""The devices that sign for an account, compared with a rule that is applied until nothing changes."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.pzp.accounts import AccountMessage, device_keys

MESSAGES = st.lists(
    st.builds(
        AccountMessage,
        st.text("mn", min_size=1),
        st.integers(0, 3),
        st.none() | st.sampled_from("abcdef"),
        st.none() | st.sampled_from("abcdef"),
        st.none() | st.booleans(),
    ),
    max_size=12,
)


def by_rule(messages: list[AccountMessage]) -> set[str]:
    """The message that makes the account adds a key, and so does a device with the power to add."""
    powers: dict[str, bool] = {}
    for _ in range(2 * len(messages) + 1):
        for message in messages:
            if message.added_key and (message.depth == 0 or powers.get(message.device_key or "")):
                has_power = powers.get(message.added_key, False)
                powers[message.added_key] = has_power or bool(message.may_add)
    return {*powers}


@given(MESSAGES)
def test_devices_are_those_that_devices_add(messages: list[AccountMessage]) -> None:
    assert device_keys(messages) == by_rule(messages)


def test_a_power_may_come_later_and_from_another_device() -> None:
    added = AccountMessage("m1", 1, "first", "second", may_add=False)
    messages = [
        AccountMessage("account", 0, "first", "first", may_add=True),
        added,
        AccountMessage("m2", 2, "second", "third", may_add=True),
    ]
    assert device_keys(messages) == {"first", "second"}
    later = AccountMessage("m3", 3, "first", "second", may_add=True)
    for order in ([*messages, later], [later, *reversed(messages)]):
        assert device_keys(order) == {"first", "second", "third"}


def test_a_first_device_without_power_adds_none() -> None:
    first = AccountMessage("account", 0, "first", "first", may_add=False)
    second = AccountMessage("m1", 1, "first", "second", may_add=True)
    assert device_keys([first, second]) == {"first"}


def test_a_long_chain_of_devices_in_the_worst_order() -> None:
    """Each adds the next, and the logs have the last one first: the slow way takes one pass for each."""
    count = 100_000
    messages = [
        AccountMessage(
            f"m{number}", number, f"k{number - 1}" if number else "k0", f"k{number}", may_add=True
        )
        for number in range(count)
    ]
    messages.reverse()
    assert len(device_keys(messages)) == count
    random.Random(1).shuffle(messages)
    assert len(device_keys(messages)) == count
