"""Epochs are compared as bits as they are as sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.member_bits import MemberBits

MEMBERS = st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=20)


@given(st.data(), MEMBERS)
def test_the_first_epoch_without_a_smaller_one_within_it(
    data: st.DataObject, members: list[set[str]]
) -> None:
    """Also where few members are in many epochs, and where members are no longer known."""
    bits = MemberBits((f"e{place}", sorted(people)) for place, people in enumerate(members))
    numbers = range(len(members))
    for _ in range(3):
        some = {number for number in numbers if data.draw(st.booleans())} or {0}
        known = [{one for one in people if data.draw(st.integers(0, 9))} for people in members]
        mask = sum(
            1 << bits.place_of(f"e{number}", person)
            for number, people in enumerate(known)
            for person in people
        )
        first, decided = bits.first_of(sum(1 << number for number in some), mask)
        larger = {one for one in some if any(known[other] < known[one] for other in some)}
        assert first == min(some - larger)
        for one, found in decided.items():
            assert one in some
            assert all(known[one] < known[other] for other in numbers if found >> other & 1)
        of_some = sum(1 << one for one in some)
        for number, people in enumerate(known):
            smaller = sum(1 << one for one in some if known[one] < people)
            assert bits.smaller(of_some, number, mask) == smaller
            of_larger = sum(1 << one for one in some if people < known[one])
            assert bits.larger(of_some, number, people, mask) == of_larger
        for person in "abc":
            having = sum(1 << number for number in numbers if person in known[number])
            assert bits.of_known(person, mask) == having


@given(MEMBERS, st.integers(0))
def test_the_bits_of_all_members_of_epochs(members: list[set[str]], epochs: int) -> None:
    bits = MemberBits((f"e{number}", sorted(people)) for number, people in enumerate(members))
    epochs &= (1 << len(members)) - 1
    assert bits.of_members(epochs) == sum(
        1 << bits.place_of(f"e{number}", person)
        for number, people in enumerate(members)
        if epochs >> number & 1
        for person in people
    )
