"""Metrics from scores. Every denominator is all requests: an unparsed, truncated or failed reply counts, and counts as wrong."""

from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

import numpy as np
import scipy

from atomexam.records.claim import SENTENCES
from eval.score import wording
from eval.score.grid import OUTCOMES, Grid, Hashes, Kind, Marks, RunScores, Units, rate
from eval.statistics.intervals import DIGITS, Figures

_FACETS = ("question_type", "category", "exam", "subject", "case_type", "form")
_TYPES = ("mcqa", "mrqa")

Part = Callable[[Grid, str, bool], Figures]
"""Rows, the part that they belong to, and whether to give the headline's further intervals -> their metrics."""


def claim_figures(run: RunScores) -> Figures:
    """Return following rate and pair accuracy (SdAK, section 4.2.2), over all pairs and by atomic type.

    A pair follows if both its replies give an answer; it is right if the factual claim is called 正确 and the non-factual
    one 错误. Claims of one head (a disease, a medicine) may be right or wrong together: a second interval samples heads. `wording` is
    the best rule without knowledge of facts.
    """
    grid = run.grid()
    answers = Counter[str]()
    for (_, answer, _), times in run.answer_counts.items():
        if answer:
            answers[answer] += times
    return {
        **_pairs(grid, "all", True),
        "outcomes": outcomes(grid),
        "answers": _sorted(answers),
        "by_side": _grouped(grid, "side", _single),
        "by_type": _grouped(grid, "atomic_type", _pairs),
        "wording": wording.best(wording.rules(grid)),
    }


def fourfold_figures(run: RunScores) -> Figures:
    """Return how many facts a model knows: all four sentences judged rightly; over all facts and by atomic type.

    A fact whose answers contradict each other or follow the wording is not known, so a model that never contradicts itself and guesses
    knows a quarter. `true_side` and `false_side` are the shares of tails of which both sentences are judged rightly, `patterns` the
    shares of facts by what the four answers do, `detection` the hit rate, false alarms, sensitivity d' and criterion c of signal
    detection: 正确 to a right sentence is a hit, to a wrong one a false alarm; c below 0 is a bias to 正确.
    """
    grid = run.grid()
    return {
        **_facts(grid, "all", True),
        "outcomes": outcomes(grid),
        "by_side": _grouped(grid, "side", _single),
        "patterns": _patterns(grid),
        "detection": _detection(grid),
        "by_type": _grouped(grid, "atomic_type", _facts),
    }


def _facts(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the metrics of facts; each has four sentences, two on either tail."""
    units = Units(grid)
    clusters = {"": grid.unit[units.first]} | ({"_by_head": grid.wider[units.first]} if headline else {})
    figures: Figures = {"facts": len(units)}
    figures |= rate("following_rate", units.whole(grid.answered), clusters, where)
    figures |= rate("accuracy", units.whole(grid.right), clusters, where)
    for side in ("true", "false"):
        part = grid.where(lambda kind, side=side: kind.facets["side"].startswith(side))  # type: ignore[misc]
        figures |= rate(f"{side}_side", Units(part).whole(part.right), {})
    figures |= rate("sentence_accuracy", grid.right, {"": grid.unit}, where)
    figures |= _committed(units.whole(grid.committed), units.whole(grid.committed_right), clusters if headline else {}, where)
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", units.whole(grid.right | ~grid.answered), {}))
    return figures


_ANSWER_PATTERNS = {
    "known": ("正确", "错误", "错误", "正确"),
    "reversed": ("错误", "正确", "正确", "错误"),
    "always_right": ("正确", "正确", "正确", "正确"),
    "always_wrong": ("错误", "错误", "错误", "错误"),
    "by_negation": ("正确", "错误", "正确", "错误"),
    "against_negation": ("错误", "正确", "错误", "正确"),
}
"""The answers to a true tail affirmed and denied, and to a false one affirmed and denied."""


def _patterns(grid: Grid) -> Figures:
    """Return the share of facts, over all repeats, with each pattern of the four answers; `contradiction` is any other."""
    units = Units(grid)
    said = np.where(grid.answered, grid.right == _truth(grid)[:, np.newaxis], False)
    matches = {}
    for name, answers in _ANSWER_PATTERNS.items():
        wanted = dict(zip(SENTENCES, (answer == "正确" for answer in answers), strict=True))
        as_wanted = np.array([wanted[kind.facets["side"]] for kind in grid.kinds], bool)[grid.kind]
        matches[name] = units.whole((said == as_wanted[:, np.newaxis]) & grid.answered)
    whole = units.whole(grid.answered)
    matches |= {"contradiction": whole & ~np.logical_or.reduce([*matches.values()]), "unanswered": ~whole}
    return {name: round(float(marks.mean()), DIGITS) for name, marks in matches.items()} if len(units) else {}


def _detection(grid: Grid) -> Figures:
    """Return hit rate and false alarms of the answered sentences, d' and c, with the log-linear correction (Hautus, 1995)."""
    truth = np.broadcast_to(_truth(grid)[:, np.newaxis], grid.right.shape)
    said = grid.right == truth
    hits, alarms = ((int((said & grid.answered & part).sum()) + 0.5, int((grid.answered & part).sum()) + 1) for part in (truth, ~truth))
    high, low = (scipy.stats.norm.ppf(count / of) for count, of in (hits, alarms))
    shares = {name: round((count - 0.5) / max(of - 1, 1), DIGITS) for name, (count, of) in (("hits", hits), ("false_alarms", alarms))}
    return shares | {"d_prime": round(float(high - low), DIGITS), "criterion": round(float(-(high + low) / 2), DIGITS)}


def _truth(grid: Grid) -> Marks:
    """Return for each sentence whether it is right."""
    return np.array([SENTENCES[kind.facets["side"]] == "正确" for kind in grid.kinds], bool)[grid.kind]


def choice_figures(run: RunScores) -> Figures:
    """Return accuracy over all questions and by type, exam, subject, category, case type and form; groups need all right.

    A multiple choice is right if its set of letters is. `following_rate` is the share of replies with an answer. `avg` is that
    of CPsyExam, Table 2: all single and multiple choices together; the table itself shows the better of zero- and few-shot.
    """
    grid = run.grid()
    choices = grid.where(lambda kind: kind.reader in _TYPES)  # CPsyExam's, without the TCM examination
    table = {f"{category} {kind}": (category, kind) for category in ("kg", "ca") for kind in _TYPES}
    cells = {name: choices.where(partial(_is_in, cell)) for name, cell in table.items()}
    return {
        **_questions(grid, "all", True),
        **(rate("avg", choices.scored().right, {}) if len(choices) else {}),
        "outcomes": outcomes(grid),
        "letters": _letters(run),
        "by_category_and_type": {name: _questions(cell, name, False) for name, cell in cells.items() if len(cell)},
        **{f"by_{facet}": _grouped(grid, facet, _questions) for facet in _FACETS},
        "groups": _groups(grid.where(lambda kind: kind.in_group)),
    }


def essay_figures(run: RunScores) -> Figures:
    """Return the number of answered questions; a judge marks the answers."""
    grid = run.grid()
    following = rate("following_rate", grid.answered, {"": grid.unit}, "all")
    return {"questions": len(grid), **following, "outcomes": outcomes(grid)}


def outcomes(grid: Grid) -> dict[str, int]:
    """Return the number of replies with each outcome."""
    counts = np.bincount(grid.outcome.ravel(), minlength=len(OUTCOMES))
    return {outcome: int(count) for outcome, count in zip(OUTCOMES, counts, strict=True)}


def _pairs(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the metrics of claim pairs; a pair has a property if both its sides have it."""

    def clusters(part: Grid, units: Units) -> dict[str, Hashes]:
        return {"": part.unit[units.first]} | ({"_by_head": part.wider[units.first]} if headline else {})

    scored = grid.scored()
    pairs = Units(grid)
    known = pairs if scored is grid else Units(scored)
    of_pairs, of_known = clusters(grid, pairs), clusters(scored, known)
    figures = {"pairs": len(pairs)} | ({"unscored": len(pairs) - len(known)} if len(pairs) > len(known) else {})
    figures |= rate("following_rate", pairs.whole(grid.answered), of_pairs, where)
    figures |= rate("accuracy", known.whole(scored.right), of_known, where)
    committed, committed_right = pairs.whole(grid.committed), known.whole(scored.committed_right)
    figures |= _committed(committed, committed_right, of_known if headline else {}, where)
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", known.whole(scored.right | ~scored.answered), {}))
    return figures


def _questions(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the metrics of questions; an interval samples complete cases and groups of shared options."""

    def clusters(part: Grid) -> dict[str, Hashes]:
        return {"": part.unit} | ({"_by_subject": part.wider} if headline else {})

    scored = grid.scored()
    hidden = len(grid) - len(scored)
    figures: Figures = {"questions": len(grid)} | ({"unscored": hidden} if hidden else {})
    figures |= rate("following_rate", grid.answered, clusters(grid) if headline else {}, where)
    figures |= rate("accuracy", scored.right, clusters(scored), where)
    figures |= _committed(grid.committed, scored.committed_right, clusters(scored) if headline else {}, where)
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", scored.right | ~scored.answered, {}))
    return figures


def _single(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the metrics of one side of the pairs: a sycophant is right on all factual claims, and on nothing else."""
    figures: Figures = {"claims": len(grid)} | rate("accuracy", grid.right, {"": grid.unit}, where)
    return figures | _committed(grid.committed, grid.committed_right, {}, where)


def _committed(committed: Marks, right: Marks, clusters: Mapping[str, Hashes], where: str) -> Figures:
    """Return the rate and the accuracy of the answers that complete replies commit to."""
    return rate("committed_rate", committed, {}) | rate("committed_accuracy", right, clusters, where)


def _groups(grid: Grid) -> Figures:
    """Return the share of cases and of groups with shared options whose questions are all right, over all and by form.

    A group with a hidden answer is not known to be right, and in no accuracy.
    """

    def figures(part: Grid, where: str, headline: bool = False) -> Figures:
        groups = Units(part)
        known = groups.whole(part.known[:, np.newaxis])[:, 0]
        hidden = len(groups) - int(known.sum())
        counts: Figures = {"groups": len(groups), "questions": len(part)} | ({"unscored": hidden} if hidden else {})
        right, committed_right = groups.whole(part.right)[known], groups.whole(part.committed_right)[known]
        clusters = {"": part.unit[groups.first][known]}
        return counts | rate("accuracy", right, clusters, where) | rate("committed_accuracy", committed_right, {})

    return figures(grid, "groups") | {"by_form": _grouped(grid, "form", figures, "groups")}


def _bounds(accuracy: float | None, at_most: Figures) -> Figures:
    """Return the accuracy if every reply without an answer were wrong, which is the accuracy itself, and if every one were right."""
    return {"accuracy_at_least": accuracy} | {name: value for name, value in at_most.items() if not name.endswith("_std")}


def _letters(run: RunScores) -> Figures:
    """Return how often each letter is answered and how often it is right, by question type and over all repeats.

    This reveals a model that favours one letter. Questions without a known answer are in neither.
    """
    tables: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for (kind, answer, gold), times in run.answer_counts.items():
        if gold:
            for letters, counts in zip((answer or "", gold), tables.setdefault(kind, (Counter(), Counter())), strict=True):
                for letter in letters:
                    counts[letter] += times
    return {kind: {"answered": _sorted(tables[kind][0]), "gold": _sorted(tables[kind][1])} for kind in sorted(tables)}


def _grouped(grid: Grid, facet: str, figures: Part, where: str = "all") -> Figures:
    return {name: figures(part, f"{where}/{facet}/{name}", False) for name, part in grid.parts(facet)}


def _is_in(cell: tuple[str, str], kind: Kind) -> bool:
    return (kind.facets.get("category"), kind.question_type) == cell


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


FIGURES: dict[str, Callable[[RunScores], Figures]] = {
    "fourfold": fourfold_figures,
    "claim": claim_figures,
    "choice": choice_figures,
    "essay": essay_figures,
    "tcm": choice_figures,
}
"""By task: function from the scores of all requests, in all repeats, to a run's metrics."""
