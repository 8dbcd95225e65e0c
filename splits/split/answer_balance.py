"""Balance the answer letters of the TCM questions in test and in reserved, as far as the available questions allow."""

from bisect import insort
from collections import Counter, defaultdict, deque
from collections.abc import Iterable, Sequence
from functools import cache

from splits.ledger.units import Counts, Pair, Unit, is_tcm

FormLetter = tuple[str, str]
"""Form and answer letter."""
LetterCounts = tuple[tuple[FormLetter, int], ...]
"""Number of questions in a unit for each answer letter."""
RankedUnit = tuple[int, str, Unit]
"""Draw number, key and unit."""
UnitsByLetters = dict[LetterCounts, list[RankedUnit]]
"""Units on one side by their answer letters, each list in draw order."""
Exchange = tuple[list[UnitsByLetters], LetterCounts, LetterCounts]
"""Groups of units between which to exchange, the letters to remove, and the letters that replace them."""
TEST, RESERVED, REST = range(3)


def even_letters(pairs: Sequence[Pair], turns: Iterable[tuple[Unit, int]], standing: tuple[Sequence[Unit], Sequence[Unit]]) -> list[Pair]:
    """Return pairs of TCM units, exchanged for others with equal counts until no exchange balances the letters further.

    Letters are most balanced if the sum of squares over the letters of each form is smallest, in both test and reserved.

    Args:
        turns: all units with their draw numbers, in draw order, including those of the pairs.
        standing: units in test and in reserved that count but are not exchanged.
    """
    sides = {unit.key: TEST for unit, _ in pairs} | {unit.key: RESERVED for _, unit in pairs}
    stay = {unit.key for side in standing for unit in side}
    exchanged = Counter(unit.counts for pair in pairs for unit in pair)
    alike: dict[Counts, list[RankedUnit]] = {counts: [] for counts in sorted(exchanged)}
    for unit, number in turns:
        if (members := alike.get(unit.counts)) is not None and unit.key not in stay:
            members.append((number, unit.key, unit))
    all_groups = {counts: _group_by_letters(members, sides, exchanged[counts]) for counts, members in alike.items()}
    totals = [_total(groups[side] for groups in all_groups.values()) + _letters(standing[side]) for side in (TEST, RESERVED)]
    while any([_exchange(groups, totals) for groups in all_groups.values()]) or _chain(list(all_groups.values()), totals):
        pass
    return [pair for groups in all_groups.values() for pair in zip(_units(groups[TEST]), _units(groups[RESERVED]), strict=True)]


def _exchange(groups: list[UnitsByLetters], totals: list[Counter]) -> bool:
    """Make the exchanges among units with equal counts that lower the sum of squares; return whether there were any."""
    changed = False
    for one, two in ((TEST, REST), (RESERVED, REST), (TEST, RESERVED)):
        for out in sorted(groups[one]):
            for into in sorted(groups[two]):
                while out != into and groups[one][out] and groups[two][into] and _gain(totals, one, two, out, into) < 0:
                    _swap(groups, totals, one, two, out, into)
                    changed = True
    return changed


def _chain(all_groups: list[list[UnitsByLetters]], totals: list[Counter]) -> bool:
    """Make a chain of exchanges that helps where no single exchange does (B for A, then C for B); return whether there was one."""
    for side in (TEST, RESERVED):
        steps = _steps(all_groups, side)
        for start in sorted(steps, key=lambda letter: (-totals[side][letter], letter)):
            if path := _shortest(steps, start, totals[side]):
                # Start at the far end, so that no step makes the letters less even if a later one has no units left.
                for groups, out, into in reversed(path):
                    if not (groups[side][out] and groups[REST][into]):
                        return False
                    _swap(groups, totals, side, REST, out, into)
                return True
    return False


def _steps(all_groups: list[list[UnitsByLetters]], side: int) -> dict[FormLetter, dict[FormLetter, Exchange]]:
    """Return letter on a side -> single letter that can replace it -> the exchange that does so."""
    steps: dict[FormLetter, dict[FormLetter, Exchange]] = defaultdict(dict)
    for groups in all_groups:
        for out in sorted(letter_counts for letter_counts, ranked_units in groups[side].items() if ranked_units):
            for into in sorted(letter_counts for letter_counts, ranked_units in groups[REST].items() if ranked_units):
                lost, gained = Counter(dict(out)) - Counter(dict(into)), Counter(dict(into)) - Counter(dict(out))
                if lost.total() == gained.total() == 1:
                    steps[min(lost)].setdefault(min(gained), (groups, out, into))
    return steps


def _shortest(steps: dict[FormLetter, dict[FormLetter, Exchange]], start: FormLetter, total: Counter) -> list[Exchange]:
    """Return the shortest chain from a letter to one that is rarer by at least two; empty if there is none."""
    paths: dict[FormLetter, list[Exchange]] = {start: []}
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


def _gain(totals: list[Counter], one: int, two: int, out: LetterCounts, into: LetterCounts) -> int:
    """Return the change in the sums of squares if `out` moves from side `one` to side `two` and `into` replaces it."""
    change = _squares(totals[one], out, into)
    return change if two == REST else change + _squares(totals[two], into, out)


def _squares(total: Counter, out: LetterCounts, into: LetterCounts) -> int:
    return sum([2 * total[key] * step + step * step for key, step in _difference(out, into)])


@cache
def _difference(out: LetterCounts, into: LetterCounts) -> LetterCounts:
    difference = Counter(dict(into))
    difference.subtract(dict(out))
    return tuple(difference.items())


def _swap(groups: list[UnitsByLetters], totals: list[Counter], one: int, two: int, out: LetterCounts, into: LetterCounts) -> None:
    """Exchange the last drawn unit on one side for the next unit on the other."""
    leaves, comes = groups[one][out].pop(), groups[two][into].pop(0)
    insort(groups[one].setdefault(into, []), comes, key=lambda ranked: ranked[:2])
    insort(groups[two].setdefault(out, []), leaves, key=lambda ranked: ranked[:2])
    for side, minus, plus in ((one, out, into), (two, into, out)):
        if side != REST:
            totals[side].subtract(dict(minus))
            totals[side].update(dict(plus))


def _group_by_letters(members: list[RankedUnit], sides: dict[str, int], exchanged: int) -> list[UnitsByLetters]:
    """Return units by side and letters; for units on no side, keep at most as many per combination of letters as can be exchanged."""
    groups: list[UnitsByLetters] = [defaultdict(list), defaultdict(list), defaultdict(list)]
    for ranked in members:
        unit = ranked[2]
        letter_counts = _count_letters(tuple(sorted([(summary.stratum.form, summary.answer) for summary in unit.summaries])))
        same_letters = groups[side := sides.get(unit.key, REST)][letter_counts]
        if side != REST or len(same_letters) < exchanged:
            same_letters.append(ranked)
    return groups


@cache
def _count_letters(letters: tuple[FormLetter, ...]) -> LetterCounts:
    return tuple(Counter(letters).items())


def _letters(units: Iterable[Unit]) -> Counter[FormLetter]:
    """Return how often each letter is the answer to a TCM question in the units."""
    return Counter((summary.stratum.form, summary.answer) for unit in units for summary in unit.summaries if is_tcm(summary.stratum))


def _total(all_groups: Iterable[UnitsByLetters]) -> Counter:
    total: Counter[FormLetter] = Counter()
    for groups in all_groups:
        for letter_counts, ranked_units in groups.items():
            for key, number in letter_counts:
                total[key] += number * len(ranked_units)
    return total


def _units(groups: UnitsByLetters) -> list[Unit]:
    return [
        unit
        for _, _, unit in sorted((ranked for ranked_units in groups.values() for ranked in ranked_units), key=lambda ranked: ranked[:2])
    ]
