"""Requests of claims in; how far wording alone answers them, and the pairs on which it says nothing, out.

Of most facts the false sentence is the one with the word of negation, so that a rule that looks for the word is right on most pairs. Facts
of false polarity (忌吃, 不具有传染性) turn it round: the true sentence has the word. A balanced set takes as many pairs of one kind as of
the other from each atomic type, so that no rule over negation and type does better than chance there.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256

from eval.statistics.intervals import DIGITS, LEVEL, Figures
from eval.tasks.claim import NEGATIONS
from eval.tasks.request import Request

_CHANCE = 0.5
"""Of a rule that calls one side of each pair 正确 and the other 错误."""


def negated_sides(requests: Iterable[Request]) -> dict[str, str]:
    """Return for each pair the side that has more words of negation; pairs of which neither has are left out."""
    words: dict[str, dict[str, int]] = defaultdict(dict)
    for request in requests:
        claim = request.messages[-1]["content"].splitlines()[-1] if request.messages else ""  # the prompt stands on the lines before
        words[request.unit][request.facets["side"]] = sum(claim.count(word) for word in NEGATIONS)
    return {
        unit: max(sides, key=lambda side: sides[side]) for unit, sides in words.items() if len(sides) == 2 and len(set(sides.values())) == 2
    }


def balanced_units(requests: Iterable[Request]) -> set[str]:
    """Return pairs of which in each atomic type as many have the negation on the factual side as on the other; drawn by their ids."""
    types = {request.unit: request.facets["atomic_type"] for request in requests}
    groups: dict[str, dict[str, list[str]]] = defaultdict(lambda: {"factual": [], "non_factual": []})
    for unit, side in negated_sides(requests).items():
        groups[types[unit]][side].append(unit)
    chosen: set[str] = set()
    for sides in groups.values():
        most = min(map(len, sides.values()))
        chosen.update(unit for units in sides.values() for unit in sorted(units, key=_drawn)[:most])
    return chosen


def rules(requests: Iterable[Request], units: Iterable[str] | None = None) -> dict[str, float | None]:
    """Return the pair accuracy of each rule of wording, over all pairs or some.

    `negation_word` calls the side with the negation 错误, `negation_affirmed` calls it 正确; `negation_by_type` does for each type what is
    right more often there, so no rule over the two is better.
    """
    types = {request.unit: request.facets["atomic_type"] for request in requests}
    among = set(types) if units is None else set(units)
    if not among:
        return {"negation_word": None, "negation_affirmed": None, "negation_by_type": None}
    sides = negated_sides(requests)
    usual = Counter((types[unit], sides[unit]) for unit in among if unit in sides)
    denied, affirmed = (sum(number for (_, side), number in usual.items() if side == wanted) for wanted in ("non_factual", "factual"))
    by_type = sum(max(usual[kind, "factual"], usual[kind, "non_factual"]) for kind in {kind for kind, _ in usual})
    counts = {"negation_word": denied, "negation_affirmed": affirmed, "negation_by_type": by_type}
    return {name: round(count / len(among), DIGITS) for name, count in counts.items()}


def best(accuracies: Mapping[str, float | None]) -> Figures:
    """Return the best rule; of equal ones the first."""
    name = max(accuracies, key=lambda rule: accuracies[rule] or 0.0)
    return {"rule": name, "accuracy": accuracies[name]}


def chance_interval(pairs: int) -> list[float] | None:
    """Return between which accuracies a rule falls that guesses which side of a pair is true."""
    from scipy import stats

    if not pairs:
        return None
    return [round(float(bound) / pairs, DIGITS) for bound in stats.binom.interval(LEVEL, pairs, _CHANCE)]


def _drawn(unit: str) -> str:
    return sha256(unit.encode()).hexdigest()
