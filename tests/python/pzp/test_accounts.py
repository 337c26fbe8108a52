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
    ),
    max_size=12,
)


def by_rule(messages: list[AccountMessage]) -> set[str]:
    """The message that makes the account adds a key, and so does a device of the account."""
    keys: set[str] = set()
    for _ in range(len(messages) + 1):
        for message in messages:
            if message.added_key and (message.depth == 0 or message.device_key in keys):
                keys.add(message.added_key)
    return keys


@given(MESSAGES)
def test_devices_are_those_that_devices_add(messages: list[AccountMessage]) -> None:
    assert device_keys(messages) == by_rule(messages)


def test_a_long_chain_of_devices_in_the_worst_order() -> None:
    """Each adds the next, and the logs have the last one first: the slow way takes one pass for each."""
    count = 100_000
    messages = [
        AccountMessage(f"m{number}", number, f"k{number - 1}" if number else "k0", f"k{number}")
        for number in range(count)
    ]
    messages.reverse()
    assert len(device_keys(messages)) == count
    random.Random(1).shuffle(messages)
    assert len(device_keys(messages)) == count
