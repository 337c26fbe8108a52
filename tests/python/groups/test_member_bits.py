"""Epochs are compared as bits as they are as sets."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from scuttlehouse.groups.member_bits import MemberBits

MEMBERS = st.lists(st.sets(st.sampled_from("abc")), min_size=1, max_size=9)


@given(st.data(), MEMBERS)
def test_the_first_epoch_without_a_smaller_one_within_it(
    data: st.DataObject, members: list[set[str]]
) -> None:
    """Also where few members are in many epochs, and where members are no longer known."""
    bits = MemberBits((f"e{place}", sorted(people)) for place, people in enumerate(members))
    places = [*bits.places.values()]
    for _ in range(3):
        some = {place for place in places if data.draw(st.booleans())} or {places[0]}
        known = {
            place: {person for person in people if data.draw(st.integers(0, 9))}
            for place, people in zip(places, members, strict=True)
        }
        first, decided = bits.first_of(
            sum(1 << place for place in some),
            sum(
                bits.of_member(bits.names[place], person)
                for place, people in known.items()
                for person in people
            ),
        )
        larger = {one for one in some if any(known[other] < known[one] for other in some)}
        assert first == min(some - larger)
        for one, mask in decided.items():
            assert one in some
            assert all(known[one] < known[place] for place in places if mask >> place & 1)
