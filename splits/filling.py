"""Quotas that a draw left open, filled with what no longer pairs one against one. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations, combinations_with_replacement

from splits.drawing import SIDES, Draw, Drawn, Needs, needs_of_both, needs_on, pair_up
from splits.quotas import pool_of
from splits.units import Cell, Counts, Unit, is_tcm, place

_TYPES = (200, 60, 20)
"""Kinds of units of which sets of one, two and three are tried: thousands of sets, not a million."""
_WAYS = 8
_OF_A_KIND = 6
_EXCHANGED = 12
_TRIED = 60


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
    grouped = []
    for unit in units:
        if len(unit.rows) > 1 and any(_short(cell, drawn) for cell, _ in unit.counts):
            grouped.append(unit)
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
    _exchange(drawn, grouped, seed)


def equal_sums(units: Iterable[Unit], seed: int) -> list[Draw]:
    """Return draws of up to three units against up to three others with the same counts in all, in the order of the draw."""
    kinds: dict[Counts, list[tuple[int, str, Unit]]] = defaultdict(list)
    for unit in units:
        kinds[unit.counts].append((place(seed, "draw", unit.key), unit.key, unit))
    for members in kinds.values():
        members.sort()
    order = sorted(kinds, key=lambda counts: kinds[counts][0][:2])
    by_sum: dict[Counts, list[tuple[Counts, ...]]] = defaultdict(list)
    for size, types in enumerate(_TYPES, 1):
        for chosen in combinations_with_replacement(order[:types], size):
            if all(len(kinds[counts]) >= chosen.count(counts) for counts in chosen):
                by_sum[_sum(chosen)].append(chosen)
    draws = []
    for counts, ways in by_sum.items():
        for one, two in combinations(ways[:_WAYS], 2):
            if not set(one) & set(two):
                members = [[kinds[kind][chosen[:place].count(kind)][2] for place, kind in enumerate(chosen)] for chosen in (one, two)]
                draws.append(Draw(tuple(members[0]), tuple(members[1]), counts))
    return draws


def _sum(chosen: Iterable[Counts]) -> Counts:
    total: Counter[Cell] = Counter()
    for counts in chosen:
        total.update(dict(counts))
    return tuple(sorted(total.items()))


def _exchange(drawn: Drawn, units: Sequence[Unit], seed: int) -> None:
    """Exchange one or two draws of groups for others that hold more in all, until none does.

    A group takes room of several quotas at once: what is drawn first may fill one and leave another open.
    """
    few: dict[Counts, list[Unit]] = defaultdict(list)
    for unit in sorted(units, key=lambda unit: (place(seed, "draw", unit.key), unit.key)):
        if len(few[unit.counts]) < _OF_A_KIND:
            few[unit.counts].append(unit)
    pool = {unit.key: unit for members in few.values() for unit in members}
    while any(_better(drawn, old, pool, seed) for old in _exchangeable(drawn, pool)):
        pass


def _exchangeable(drawn: Drawn, pool: Mapping[str, Unit]) -> list[tuple[Draw, ...]]:
    own = [one for one in drawn.draws if all(unit.key in pool for unit in (*one.test, *one.reserved))]
    # Where a quota takes a hundred draws, a few short questions are not worth trying all of them.
    return [*((one,) for one in own), *combinations(own[:_EXCHANGED], 2)] if len(own) <= _TRIED else []


def _better(drawn: Drawn, old: Sequence[Draw], pool: Mapping[str, Unit], seed: int) -> bool:
    """Put others in the place of some draws if those hold more; return whether they do."""
    for one in old:
        drawn.give_back(one)
    before = len(drawn.draws)
    taken = {unit.key for side in SIDES for unit in drawn.sides[side]}
    free = [unit for key, unit in pool.items() if key not in taken and _fits_once(unit, drawn)]
    for one in sorted([*pair_up(free, seed), *equal_sums(free, seed)], key=lambda one: -_size(one)):
        keys = {unit.key for unit in (*one.test, *one.reserved)}
        if keys.isdisjoint(taken) and _fits(needs_of_both(one.counts), drawn):
            drawn.take([one])
            taken |= keys
    new = drawn.draws[before:]
    if sum(map(_size, new)) > sum(map(_size, old)):
        return True
    for one in new:
        drawn.give_back(one)
    drawn.take(old)
    return False


def _short(cell: Cell, drawn: Drawn) -> bool:
    return not is_tcm(cell) and drawn.room.get(("test", pool_of(cell)), 0) > 0


def _size(one: Draw) -> int:
    return sum(number for _, number in one.counts)


def _fits(needs: Needs, drawn: Drawn) -> bool:
    return all(drawn.room.get(key, 0) >= number for key, number in needs)


def _fits_once(unit: Unit, drawn: Drawn) -> bool:
    return any(_fits(needs_on(side, unit.counts, True), drawn) for side in SIDES)


def _poorest(drawn: Drawn, draws: Sequence[Draw]) -> Draw | None:
    """Return the first draw that fits, of those whose cells have least so far."""
    fitting = [one for one in draws if _fits(needs_of_both(one.counts), drawn)]
    got = drawn.counts("test")
    return min(fitting, key=lambda one: max(got[cell] for cell, _ in one.counts), default=None)
