"""Claims -> how far wording alone answers them.

For most facts the false sentence has the negation word, so a rule that looks for the word is right on most pairs. Facts of false
polarity (忌吃, 不具有传染性) are the reverse: the true sentence has the word. The fourfold set leaves such a rule nothing.
"""

from collections.abc import Mapping

import numpy as np

from eval.score.grid import Grid, Numbers, Units
from eval.statistics.intervals import DIGITS, Figures

FACTUAL, NON_FACTUAL = 1, -1


def negated_sides(grid: Grid) -> tuple[Units, Numbers]:
    """Return for each pair the side with more negation words; 0 if neither has more."""
    units = Units(grid)
    side = np.array([FACTUAL if kind.facets.get("side") == "factual" else NON_FACTUAL for kind in grid.kinds], np.int64)[grid.kind]
    is_pair = (units.sums(side) == 0) & (units.sums(np.abs(side)) == 2)
    return units, np.where(is_pair, np.sign(units.sums(side * grid.negations)), 0).astype(np.int64)


def rules(grid: Grid) -> dict[str, float | None]:
    """Return the pair accuracy of each rule of wording.

    `negation_word` calls the side with the negation 错误, `negation_affirmed` calls it 正确; `negation_by_type` takes the better of the two
    for each type, so no rule over negation and type is better.
    """
    units, sides = negated_sides(grid)
    if not len(units):
        return {"negation_word": None, "negation_affirmed": None, "negation_by_type": None}
    names, types = grid.codes("atomic_type")
    denied, affirmed = (np.bincount(types[units.first[sides == side]], minlength=len(names)) for side in (NON_FACTUAL, FACTUAL))
    counts = {"negation_word": denied, "negation_affirmed": affirmed, "negation_by_type": np.maximum(denied, affirmed)}
    return {name: round(int(count.sum()) / len(units), DIGITS) for name, count in counts.items()}


def best(accuracies: Mapping[str, float | None]) -> Figures:
    """Return the best rule; the first of equal ones."""
    name = max(accuracies, key=lambda rule: accuracies[rule] or 0.0)
    return {"rule": name, "accuracy": accuracies[name]}
