"""Numbers that belong together by any chain of ties: union-find, each set named by its least member."""

from collections import defaultdict


class DisjointSets:
    """Numbers joined into sets; one that was never joined is a set by itself and takes no room."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def join(self, one: int, other: int) -> None:
        """Make one set of the sets of two numbers."""
        low, high = sorted((self.least(one), self.least(other)))
        self._parents[low] = low
        self._parents[high] = low

    def least(self, one: int) -> int:
        """Return the least member of a number's set."""
        parents = self._parents
        while (parent := parents.get(one, one)) != one:
            parents[one] = parents.get(parent, parent)
            one = parent
        return one

    def __contains__(self, one: int) -> bool:
        """Tell whether a number was ever joined."""
        return one in self._parents

    def sets(self) -> list[list[int]]:
        """Return the sets that were joined, each sorted, by their least members."""
        members: dict[int, list[int]] = defaultdict(list)
        for one in sorted(self._parents):
            members[self.least(one)].append(one)
        return list(members.values())
