"""Figures from scores. Every denominator is all that was asked: an unread, cut or failed reply counts, and counts as wrong."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import get_args

import numpy as np

from atomexam.records.prediction import Outcome, Score
from eval.score import wording
from eval.score.grid import Grid, Marks, rate, read_grid, whole_units
from eval.statistics.intervals import Figures
from eval.tasks.request import Request

_FACETS = ("question_type", "category", "exam", "subject", "case_type", "form")
_TYPES = ("mcqa", "mrqa")
_BY_UNIT: dict[str, Callable[[Request], str]] = {"": lambda request: request.unit}

Part = Callable[[Grid, str, bool], Figures]
"""Rows, what they are a part of, and whether to give the headline's further intervals -> their figures."""


def claim_figures(scores: Sequence[Score], requests: Sequence[Request]) -> Figures:
    """Return following rate and pair accuracy (SdAK, section 4.2.2), over all pairs and by atomic type.

    A pair follows when both its replies give an answer; it is right when the factual claim is called 正确 and the non-factual
    one 错误. Claims of one head (a disease, a medicine) may be right or wrong together: a second interval draws heads. `wording` is
    the best rule that knows no fact, `balanced` the accuracy on pairs on which no such rule is better than chance.
    """
    grid = read_grid(scores, requests)
    answers = Counter(score.answer for score in scores if score.answer)
    return {
        **_pairs(grid, "all", True),
        "outcomes": outcomes(scores),
        "answers": dict(sorted(answers.items())),
        "by_side": _grouped(grid, "side", _single),
        "by_type": _grouped(grid, "atomic_type", _pairs),
        "wording": wording.best(wording.rules(grid.requests)),
        "balanced": _balanced(grid),
    }


def _balanced(grid: Grid) -> Figures:
    """Return the figures of those pairs of which wording says nothing."""
    chosen = wording.balanced_units(grid.requests)
    figures = _pairs(grid.where(lambda request: request.unit in chosen), "balanced", False)
    of_rules = wording.best(wording.rules(grid.requests, chosen))
    return figures | {"wording": of_rules, "chance_interval": wording.chance_interval(len(chosen))}


def choice_figures(scores: Sequence[Score], requests: Sequence[Request]) -> Figures:
    """Return accuracy over all questions and by type, exam, subject, category, case type and form; groups need all right.

    A multiple choice is right when its set of letters is. `following_rate` is the share of replies with an answer. `avg` is that
    of CPsyExam, Table 2: all single and multiple choices in one pot; the table itself shows the better of zero- and few-shot.
    """
    grid = read_grid(scores, requests)
    choices = grid.where(lambda request: request.reader in _TYPES)  # CPsyExam's, which the TCM examination is no part of
    table = {f"{category} {kind}": (category, kind) for category in ("kg", "ca") for kind in _TYPES}
    cells = {name: choices.where(partial(_is_in, cell)) for name, cell in table.items()}
    pot = choices.scored()
    return {
        **_questions(grid, "all", True),
        **(rate("avg", pot.right, pot.requests, {}) if choices.requests else {}),
        "outcomes": outcomes(scores),
        "letters": _letters(scores, requests),
        "by_category_and_type": {name: _questions(cell, name, False) for name, cell in cells.items() if cell.requests},
        **{f"by_{facet}": _grouped(grid, facet, _questions) for facet in _FACETS},
        "groups": _groups(grid.where(lambda request: request.unit != request.item_id)),
    }


def essay_figures(scores: Sequence[Score], requests: Sequence[Request]) -> Figures:
    """Return how many questions were answered; what the answers are worth is the judge's to say."""
    grid = read_grid(scores, requests)
    following = rate("following_rate", grid.answered, grid.requests, _BY_UNIT, "all")
    return {"questions": len(grid.requests), **following, "outcomes": outcomes(scores)}


def outcomes(scores: Iterable[Score]) -> dict[str, int]:
    """Return how many replies came to each outcome."""
    counts = Counter(score.outcome for score in scores)
    return {outcome: counts[outcome] for outcome in get_args(Outcome)}


def _pairs(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the figures of claim pairs; what is said of a pair holds of both its sides."""
    clusters = _BY_UNIT | ({"_by_head": _head} if headline else {})
    following, pairs = whole_units(grid.answered, grid.requests)
    scored = grid.scored()
    right, known = whole_units(scored.right, scored.requests)
    figures = {"pairs": len(pairs)} | ({"unscored": len(pairs) - len(known)} if len(pairs) > len(known) else {})
    figures |= rate("following_rate", following, pairs, clusters, where) | rate("accuracy", right, known, clusters, where)
    committed, committed_right = whole_units(grid.committed, grid.requests)[0], whole_units(scored.committed_right, scored.requests)[0]
    figures |= _committed(committed, pairs, committed_right, known, clusters if headline else {}, where)
    if headline:
        at_most, _ = whole_units(scored.right | ~scored.answered, scored.requests)
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", at_most, known, {}))
    return figures


def _questions(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the figures of questions; an interval draws whole cases and groups of shared options."""
    clusters = _BY_UNIT | ({"_by_subject": _subject} if headline else {})
    scored = grid.scored()
    hidden = len(grid.requests) - len(scored.requests)
    figures: Figures = {"questions": len(grid.requests)} | ({"unscored": hidden} if hidden else {})
    figures |= rate("following_rate", grid.answered, grid.requests, clusters if headline else {}, where)
    figures |= rate("accuracy", scored.right, scored.requests, clusters, where)
    figures |= _committed(grid.committed, grid.requests, scored.committed_right, scored.requests, clusters if headline else {}, where)
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", scored.right | ~scored.answered, scored.requests, {}))
    return figures


def _single(grid: Grid, where: str, headline: bool) -> Figures:
    """Return the figures of one side of the pairs: a sycophant is right on all that is factual, and on nothing else."""
    figures: Figures = {"claims": len(grid.requests)} | rate("accuracy", grid.right, grid.requests, _BY_UNIT, where)
    return figures | _committed(grid.committed, grid.requests, grid.committed_right, grid.requests, {}, where)


def _committed(
    given: Marks,
    requests: Sequence[Request],
    right: Marks,
    known: Sequence[Request],
    clusters: dict[str, Callable[[Request], str]],
    where: str,
) -> Figures:
    """Return the rate and the accuracy of what replies commit to as a whole."""
    return rate("committed_rate", given, requests, {}) | rate("committed_accuracy", right, known, clusters, where)


def _groups(grid: Grid) -> Figures:
    """Return the share of cases and of groups with shared options that are right as a whole, over all and by form.

    A group of which an answer is hidden is not known to be right, and in no accuracy.
    """

    def figures(part: Grid, where: str, headline: bool = False) -> Figures:
        right, groups = whole_units(part.right, part.requests)
        known = whole_units(part.known[:, np.newaxis], part.requests)[0][:, 0]
        scored = [group for group, marked in zip(groups, known, strict=True) if marked]
        counts: Figures = {"groups": len(groups), "questions": len(part.requests)}
        counts |= {"unscored": len(groups) - len(scored)} if len(groups) > len(scored) else {}
        committed_right = whole_units(part.committed_right, part.requests)[0]
        return (
            counts
            | rate("accuracy", right[known], scored, _BY_UNIT, where)
            | rate("committed_accuracy", committed_right[known], scored, {})
        )

    return figures(grid, "groups") | {"by_form": _grouped(grid, "form", figures, "groups")}


def _bounds(accuracy: float | None, at_most: Figures) -> Figures:
    """Return the accuracy if every reply without an answer were wrong, which is the accuracy itself, and if every one were right."""
    return {"accuracy_at_least": accuracy} | {name: value for name, value in at_most.items() if not name.endswith("_std")}


def _letters(scores: Sequence[Score], requests: Iterable[Request]) -> Figures:
    """Return how often each letter is answered and how often it is right, by question type and over all repeats.

    A model that favours one place shows here. What was asked without a known answer is in neither.
    """
    asked = {request.item_id: request for request in requests if request.answer}
    tables: dict[str, tuple[Counter[str], Counter[str]]] = {}
    for score in scores:
        if request := asked.get(score.item_id):
            answered, gold = tables.setdefault(request.question_type, (Counter(), Counter()))
            answered.update(score.answer or "")
            gold.update(request.answer or "")
    return {kind: {"answered": _sorted(tables[kind][0]), "gold": _sorted(tables[kind][1])} for kind in sorted(tables)}


def _grouped(grid: Grid, facet: str, figures: Part, where: str = "all") -> Figures:
    rows: dict[str, list[int]] = {}
    for row, request in enumerate(grid.requests):
        if facet in request.facets:
            rows.setdefault(request.facets[facet], []).append(row)
    return {name: figures(grid.rows(rows[name]), f"{where}/{facet}/{name}", False) for name in sorted(rows)}


def _is_in(cell: tuple[str, str], request: Request) -> bool:
    return _cell(request) == cell


def _cell(request: Request) -> tuple[str | None, str]:
    return request.facets.get("category"), request.question_type


def _subject(request: Request) -> str:
    return request.facets.get("subject", request.unit)


def _head(request: Request) -> str:
    return request.facets.get("head", request.unit)


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


FIGURES: dict[str, Callable[[Sequence[Score], Sequence[Request]], Figures]] = {
    "claim": claim_figures,
    "choice": choice_figures,
    "essay": essay_figures,
    "tcm": choice_figures,
}
"""By task: scores of all repeats and the requests that were asked in, a run's figures out."""
