"""Units for test and for reserved, drawn so that both get the same numbers. Pure."""

from collections import Counter, defaultdict
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from itertools import combinations, combinations_with_replacement
from typing import NamedTuple, TypeVar

from splits.memory import Side
from splits.quotas import pool_of
from splits.units import Cell, Counts, Unit, count_cells, is_tcm, of_subject, place

T = TypeVar("T")
K = TypeVar("K", bound=Hashable)
SIDES: tuple[Side, Side] = ("test", "reserved")
Key = tuple[str, tuple[str, ...]]
"""What a unit takes room of: a side's cell, a side's pool, or what a subject can spare."""
Needs = tuple[tuple[Key, int], ...]
_SET_UNITS = 2
_TYPES = 150


class Draw(NamedTuple):
    """Units for each side, of equal counts in all."""

    test: tuple[Unit, ...]
    reserved: tuple[Unit, ...]
    counts: Counts


@dataclass
class Drawn:
    """What each side has so far, and the room that is left."""

    room: dict[Key, int]
    sides: dict[Side, list[Unit]] = field(default_factory=lambda: {"test": [], "reserved": []})
    draws: list[Draw] = field(default_factory=list)

    def take(self, draws: Iterable[Draw]) -> None:
        """Take the draws that fit, in their order."""
        for one in draw(((one, needs_of_both(one.counts)) for one in draws), self.room):
            self.draws.append(one)
            self.sides["test"] += one.test
            self.sides["reserved"] += one.reserved

    def counts(self, side: Side) -> Counter[Cell]:
        return count_cells(self.sides[side])


def draw(candidates: Iterable[tuple[T, Iterable[tuple[K, int]]]], room: dict[K, int]) -> list[T]:
    """Return the candidates that fit, in their order, and take their room; one too large for what is left is skipped for a smaller one."""
    drawn = []
    for candidate, needs in candidates:
        for key, number in needs:
            if room.get(key, 0) < number:
                break
        else:
            drawn.append(candidate)
            for key, number in needs:
                room[key] -= number
    return drawn


def needs_on(side: Side, counts: Counts, spares: bool) -> Needs:
    """Return what units of such counts need on one side; `spares` where train gives them up."""
    needs: Counter[Key] = Counter()
    for cell, number in counts:
        needs[side, cell] += number
        if not is_tcm(cell):
            needs[side, pool_of(cell)] += number
        if spares:
            needs["spare", of_subject(cell)] += number
    return tuple(needs.items())


@cache
def needs_of_both(counts: Counts) -> Needs:
    needs: Counter[Key] = Counter()
    for side in SIDES:
        needs.update(dict(needs_on(side, counts, True)))
    return tuple(needs.items())


def pair_up(units: Iterable[Unit], seed: int) -> list[Draw]:
    """Return pairs of units of equal counts in the order of the draw.

    Each unit leans to one side by its key, and only where that side runs out are two of one side paired: a new unit
    thus moves the end of its own queue, instead of turning test into reserved all along it.
    """
    alike: dict[Counts, list[tuple[int, str, Unit]]] = defaultdict(list)
    for unit in units:
        alike[unit.counts].append((place(seed, "draw", unit.key), unit.key, unit))
    pairs: list[tuple[int, str, Draw]] = []
    for counts, members in alike.items():
        members.sort()
        odd, even = ([member for member in members if member[0] % 2 == side] for side in (1, 0))
        both = min(len(odd), len(even))
        spare = odd[both:] or even[both:]
        couples = [*zip(odd[:both], even[:both], strict=True), *zip(spare[::2], spare[1::2], strict=False)]
        pairs += [(max(one[0], two[0]), one[1], Draw((one[2],), (two[2],), counts)) for one, two in couples]
    return [pair for *_, pair in sorted(pairs)]


def top_up(drawn: Drawn, units: Sequence[Unit], caps: Mapping[Cell, int], seed: int) -> None:
    """Fill what is left of quotas where evenness came first: any subject may give what it has, the poorest of them next.

    When no pair fits any more, sets of units with equal sums do: three and one questions against two and two.
    """
    got = {side: drawn.counts(side) for side in SIDES}
    for side in SIDES:
        for cell, cap in caps.items():
            if not is_tcm(cell):
                drawn.room[side, cell] = cap - got[side][cell]
    taken = {unit.key for side in SIDES for unit in drawn.sides[side]}
    fits: dict[Counts, bool] = {}
    open_units = []
    for unit in units:
        if unit.counts not in fits:
            fits[unit.counts] = not any(is_tcm(cell) for cell, _ in unit.counts) and _fits(needs_on("test", unit.counts, True), drawn)
        if fits[unit.counts] and unit.key not in taken:
            open_units.append(unit)
    pairs = pair_up(open_units, seed)
    while found := _poorest(drawn, pairs := [one for one in pairs if _fits(needs_of_both(one.counts), drawn)]):
        drawn.take([found])
        taken |= {unit.key for unit in (*found.test, *found.reserved)}
        pairs.remove(found)
    while found := _poorest(drawn, equal_sums([unit for unit in open_units if unit.key not in taken and _fits_once(unit, drawn)], seed)):
        drawn.take([found])
        taken |= {unit.key for unit in (*found.test, *found.reserved)}


def equal_sums(units: Iterable[Unit], seed: int) -> list[Draw]:
    """Return draws of up to two units against up to two others with the same counts in all, in the order of the draw."""
    kinds: dict[Counts, list[tuple[int, str, Unit]]] = defaultdict(list)
    for unit in units:
        kinds[unit.counts].append((place(seed, "draw", unit.key), unit.key, unit))
    for members in kinds.values():
        members.sort()
    first = sorted(sorted(kinds), key=lambda counts: kinds[counts][0][:2])[:_TYPES]
    by_sum: dict[Counts, list[tuple[Counts, ...]]] = defaultdict(list)
    for size in range(1, _SET_UNITS + 1):
        for chosen in combinations_with_replacement(first, size):
            if all(len(kinds[counts]) >= chosen.count(counts) for counts in chosen):
                by_sum[_sum(chosen)].append(chosen)
    draws = []
    for counts, ways in by_sum.items():
        for one, two in combinations(ways, 2):
            if not set(one) & set(two):
                members = [[kinds[kind][chosen[:place].count(kind)][2] for place, kind in enumerate(chosen)] for chosen in (one, two)]
                draws.append(Draw(tuple(members[0]), tuple(members[1]), counts))
    return draws


def _sum(chosen: Iterable[Counts]) -> Counts:
    total: Counter[Cell] = Counter()
    for counts in chosen:
        total.update(dict(counts))
    return tuple(sorted(total.items()))


def _fits(needs: Needs, drawn: Drawn) -> bool:
    return all(drawn.room.get(key, 0) >= number for key, number in needs)


def _fits_once(unit: Unit, drawn: Drawn) -> bool:
    return any(_fits(needs_on(side, unit.counts, True), drawn) for side in SIDES)


def _poorest(drawn: Drawn, draws: Sequence[Draw]) -> Draw | None:
    """Return the first draw that fits, of those whose cells have least so far."""
    fitting = [one for one in draws if _fits(needs_of_both(one.counts), drawn)]
    got = drawn.counts("test")
    return min(fitting, key=lambda one: max(got[cell] for cell, _ in one.counts), default=None)
