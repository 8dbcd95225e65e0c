"""Union-find against joining by hand."""

from hypothesis import given
from hypothesis import strategies as st

from atomexam.runtime.disjoint_sets import DisjointSets


@given(st.lists(st.tuples(st.integers(0, 12), st.integers(0, 12))))
def test_chained_members_are_in_one_set(ties: list[tuple[int, int]]) -> None:
    sets, by_hand = DisjointSets(), [{number} for number in range(13)]
    for one, other in ties:
        sets.join(one, other)
        both = next(each for each in by_hand if one in each) | next(each for each in by_hand if other in each)
        by_hand = [each for each in by_hand if not each & both] + [both]
    assert all(sets.least(number) == min(each) for each in by_hand for number in each)
    joined = {number for tie in ties for number in tie}
    assert sets.sets() == sorted(sorted(each) for each in by_hand if each & joined)
    assert {number for number in range(13) if number in sets} == joined
