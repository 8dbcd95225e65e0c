"""Answer letters of the TCM questions in test and in reserved, made as even as the supply allows."""

from bisect import insort
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cache

from splits.ledger.units import Counts, Pair, Unit, is_tcm

Letter = tuple[str, str]
"""Form and answer letter."""
Load = tuple[tuple[Letter, int], ...]
"""How often each letter is an answer in a unit."""
RankedUnit = tuple[int, str, Unit]
"""Draw number, key and unit."""
UnitsByLetters = dict[Load, list[RankedUnit]]
"""Units of one side by their load, each list in the order of the draw."""
Exchange = tuple[list[UnitsByLetters], Load, Load]
"""The units among which it is made, the letters that leave and those that come."""
TEST, RESERVED, REST = range(3)


def even_letters(pairs: Sequence[Pair], turns: Iterable[tuple[Unit, int]], standing: tuple[Sequence[Unit], Sequence[Unit]]) -> list[Pair]:
    """Return pairs of TCM units, exchanged for others of equal counts until nothing makes the letters more even.

    Even means: over test and reserved and each form, the least sum of squares over letters. Counts stay as they are.

    Args:
        turns: all units with their draw numbers, in the order of the draw, among them those of the pairs.
        standing: units of test and of reserved that count and stay.
    """
    sides = {unit.key: TEST for unit, _ in pairs} | {unit.key: RESERVED for _, unit in pairs}
    stay = {unit.key for side in standing for unit in side}
    exchanged = Counter(unit.counts for pair in pairs for unit in pair)
    alike: dict[Counts, list[RankedUnit]] = {counts: [] for counts in sorted(exchanged)}
    for unit, number in turns:
        if (members := alike.get(unit.counts)) is not None and unit.key not in stay:
            members.append((number, unit.key, unit))
    shelves = {counts: _shelve(members, sides, exchanged[counts]) for counts, members in alike.items()}
    totals = [_total(shelf[side] for shelf in shelves.values()) + _letters(standing[side]) for side in (TEST, RESERVED)]
    while any([_exchange(shelf, totals) for shelf in shelves.values()]) or _chain(list(shelves.values()), totals):
        pass
    return [pair for shelf in shelves.values() for pair in zip(_units(shelf[TEST]), _units(shelf[RESERVED]), strict=True)]


def _exchange(shelf: list[UnitsByLetters], totals: list[Counter]) -> bool:
    """Make the exchanges among units of equal counts that lower the sum of squares; return whether there was one."""
    changed = False
    for one, two in ((TEST, REST), (RESERVED, REST), (TEST, RESERVED)):
        for out in sorted(shelf[one]):
            for into in sorted(shelf[two]):
                while out != into and shelf[one][out] and shelf[two][into] and _gain(totals, one, two, out, into) < 0:
                    _swap(shelf, totals, one, two, out, into)
                    changed = True
    return changed


def _chain(shelves: list[list[UnitsByLetters]], totals: list[Counter]) -> bool:
    """Make one chain of exchanges that helps though no single one does (B for A, then C for B); return whether there was one."""
    for side in (TEST, RESERVED):
        steps = _steps(shelves, side)
        for start in sorted(steps, key=lambda letter: (-totals[side][letter], letter)):
            if path := _shortest(steps, start, totals[side]):
                # From the far end, so that no step alone makes the letters less even if a later one has no units left.
                for shelf, out, into in reversed(path):
                    if not (shelf[side][out] and shelf[REST][into]):
                        return False
                    _swap(shelf, totals, side, REST, out, into)
                return True
    return False


def _steps(shelves: list[list[UnitsByLetters]], side: int) -> dict[Letter, dict[Letter, Exchange]]:
    """Return, for each letter that a side can give up alone, the letters that it can have for it, and by which exchange."""
    steps: dict[Letter, dict[Letter, Exchange]] = defaultdict(dict)
    for shelf in shelves:
        for out in sorted(load for load, entries in shelf[side].items() if entries):
            for into in sorted(load for load, entries in shelf[REST].items() if entries):
                lost, gained = Counter(dict(out)) - Counter(dict(into)), Counter(dict(into)) - Counter(dict(out))
                if lost.total() == gained.total() == 1:
                    steps[min(lost)].setdefault(min(gained), (shelf, out, into))
    return steps


def _shortest(steps: dict[Letter, dict[Letter, Exchange]], start: Letter, total: Counter) -> list[Exchange]:
    """Return the shortest chain from a letter to one that is rarer by two or more; empty if there is none."""
    paths: dict[Letter, list[Exchange]] = {start: []}
    waiting = deque([start])
    while waiting:
        letter = waiting.popleft()
        if total[letter] <= total[start] - 2:
            return paths[letter]
        for other, step in sorted(steps.get(letter, {}).items(), key=lambda item: item[0]):
            if other not in paths:
                paths[other] = [*paths[letter], step]
                waiting.append(other)
    return []


def _gain(totals: list[Counter], one: int, two: int, out: Load, into: Load) -> int:
    """Return the change of the sums of squares when `out` leaves side one for side two and `into` comes for it."""
    change = _squares(totals[one], out, into)
    return change if two == REST else change + _squares(totals[two], into, out)


def _squares(total: Counter, out: Load, into: Load) -> int:
    return sum([2 * total[key] * step + step * step for key, step in _difference(out, into)])


@cache
def _difference(out: Load, into: Load) -> Load:
    difference = Counter(dict(into))
    difference.subtract(dict(out))
    return tuple(difference.items())


def _swap(shelf: list[UnitsByLetters], totals: list[Counter], one: int, two: int, out: Load, into: Load) -> None:
    """Exchange the last drawn of one side for the first in line of the other."""
    leaves, comes = shelf[one][out].pop(), shelf[two][into].pop(0)
    insort(shelf[one].setdefault(into, []), comes, key=lambda entry: entry[:2])
    insort(shelf[two].setdefault(out, []), leaves, key=lambda entry: entry[:2])
    for side, minus, plus in ((one, out, into), (two, into, out)):
        if side != REST:
            totals[side].subtract(dict(minus))
            totals[side].update(dict(plus))


def _shelve(members: list[RankedUnit], sides: dict[str, int], exchanged: int) -> list[UnitsByLetters]:
    """Return the shelves of some units; of those left over, only as many of each load as can be exchanged."""
    shelf: list[UnitsByLetters] = [defaultdict(list), defaultdict(list), defaultdict(list)]
    for entry in members:
        unit = entry[2]
        load = _load(tuple(sorted([(summary.stratum.form, summary.answer) for summary in unit.summaries])))
        same_letters = shelf[side := sides.get(unit.key, REST)][load]
        if side != REST or len(same_letters) < exchanged:
            same_letters.append(entry)
    return shelf


@cache
def _load(letters: tuple[Letter, ...]) -> Load:
    return tuple(Counter(letters).items())


def _letters(units: Iterable[Unit]) -> Counter[Letter]:
    """Return how often the TCM questions of some units answer with each letter."""
    return Counter((summary.stratum.form, summary.answer) for unit in units for summary in unit.summaries if is_tcm(summary.stratum))


def _total(shelves: Iterable[UnitsByLetters]) -> Counter:
    total: Counter[Letter] = Counter()
    for shelf in shelves:
        for load, entries in shelf.items():
            for key, number in load:
                total[key] += number * len(entries)
    return total


def _units(shelf: UnitsByLetters) -> list[Unit]:
    return [unit for _, _, unit in sorted((entry for entries in shelf.values() for entry in entries), key=lambda entry: entry[:2])]
