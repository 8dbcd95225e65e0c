"""Union-find on numbers; the smallest member identifies each set."""

from collections import defaultdict


class DisjointSets:
    """Disjoint sets of numbers; a number that was never joined forms a set of its own and takes no memory."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def join(self, one: int, other: int) -> None:
        """Merge the sets of two numbers."""
        low, high = sorted((self.least(one), self.least(other)))
        self._parents[low] = low
        self._parents[high] = low

    def least(self, one: int) -> int:
        """Return the smallest member of the set that contains a number."""
        parents = self._parents
        while (parent := parents.get(one, one)) != one:
            parents[one] = parents.get(parent, parent)
            one = parent
        return one

    def __contains__(self, one: int) -> bool:
        """Return whether a number was ever joined."""
        return one in self._parents

    def sets(self) -> list[list[int]]:
        """Return the joined sets, each sorted, ordered by their smallest members."""
        members: dict[int, list[int]] = defaultdict(list)
        for one in sorted(self._parents):
            members[self.least(one)].append(one)
        return list(members.values())
