"""Figures from scores. Every denominator is all items asked: an unread, cut or failed reply counts, and counts as wrong."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from statistics import fmean, stdev
from typing import Any, get_args

from eval.tasks.request import Request
from records.prediction import Outcome, Score

Figures = dict[str, Any]
_FACETS = ("question_type", "category", "exam", "subject", "case_type", "form")
_DIGITS = 4


def claim_figures(scores: Sequence[Score], requests: Sequence[Request]) -> Figures:
    """Return following rate and pair accuracy (SdAK, section 4.2.2), over all pairs and by atomic type.

    A pair follows when both its replies give an answer; it is right when the factual claim is called 正确 and the non-factual
    one 错误. Rates are means over the repeats, with their standard deviation.
    """
    read = {(score.item_id, score.repeat): score for score in scores}
    repeats = _repeats(scores)

    def figures(chosen: Sequence[Request]) -> Figures:
        following = _over_repeats([_whole(chosen, lambda item, r=r: read[item, r].outcome == "answered") for r in repeats])
        accuracy = _over_repeats([_whole(chosen, lambda item, r=r: bool(read[item, r].correct)) for r in repeats])
        pairs = len({request.unit for request in chosen})
        return {"pairs": pairs, **_named("following_rate", following), **_named("accuracy", accuracy)}

    answers = Counter(score.answer for score in scores if score.answer)
    return {
        **figures(requests),
        "outcomes": _outcomes(scores),
        "answers": dict(sorted(answers.items())),
        "by_type": _grouped(requests, "atomic_type", figures),
    }


def choice_figures(scores: Sequence[Score], requests: Sequence[Request]) -> Figures:
    """Return accuracy over all questions and by type, exam, subject, category, case type and form; groups need all right.

    A multiple choice is right when its set of letters is. `following_rate` is the share of replies with an answer; the accuracy
    if every reply without one had been right is `accuracy_at_most`.
    """
    read = {(score.item_id, score.repeat): score for score in scores}
    repeats = _repeats(scores)

    def figures(chosen: Sequence[Request]) -> Figures:
        accuracy = _over_repeats([[bool(read[request.item_id, r].correct) for request in chosen] for r in repeats])
        return {"questions": len(chosen), **_named("accuracy", accuracy)}

    grouped = [request for request in requests if request.unit != request.item_id]
    whole = [_whole(grouped, lambda item, r=r: bool(read[item, r].correct)) for r in repeats]
    answered = [[read[request.item_id, r].outcome == "answered" for request in requests] for r in repeats]
    at_most = [[score.correct or score.outcome != "answered" for score in (read[q.item_id, r] for q in requests)] for r in repeats]
    return {
        **figures(requests),
        **_named("following_rate", _over_repeats(answered)),
        "accuracy_at_most": _over_repeats([[bool(right) for right in row] for row in at_most])[0],
        "outcomes": _outcomes(scores),
        "letters": _letters(scores, requests),
        **{f"by_{facet}": _grouped(requests, facet, figures) for facet in _FACETS},
        "groups": {"groups": len(whole[0]) if whole else 0, **_named("accuracy", _over_repeats(whole))},
    }


def _whole(requests: Iterable[Request], holds: Callable[[str], bool]) -> list[bool]:
    """Return for each unit whether something holds of all its items."""
    units: dict[str, bool] = {}
    for request in requests:
        units[request.unit] = units.get(request.unit, True) and holds(request.item_id)
    return list(units.values())


def _letters(scores: Iterable[Score], requests: Iterable[Request]) -> Figures:
    """Return how often each letter is answered and how often it is right, both over all repeats: a model that favours one shows here."""
    right = {request.item_id: request.answer or "" for request in requests}
    scores = list(scores)
    answered = Counter(letter for score in scores for letter in score.answer or "")
    gold = Counter(letter for score in scores for letter in right[score.item_id])
    return {"answered": dict(sorted(answered.items())), "gold": dict(sorted(gold.items()))}


def _grouped(requests: Iterable[Request], facet: str, figures: Callable[[Sequence[Request]], Figures]) -> Figures:
    groups = defaultdict(list)
    for request in requests:
        if facet in request.facets:
            groups[request.facets[facet]].append(request)
    return {name: figures(groups[name]) for name in sorted(groups)}


def _repeats(scores: Iterable[Score]) -> list[int]:
    return sorted({score.repeat for score in scores})


def _outcomes(scores: Iterable[Score]) -> dict[str, int]:
    counts = Counter(score.outcome for score in scores)
    return {outcome: counts[outcome] for outcome in get_args(Outcome)}


def _over_repeats(rows: Sequence[Sequence[bool]]) -> tuple[float | None, float | None]:
    """Return mean and sample standard deviation over repeats of each repeat's share; None where nothing was asked."""
    shares = [fmean(row) for row in rows if row]
    if not shares:
        return None, None
    return round(fmean(shares), _DIGITS), round(stdev(shares), _DIGITS) if len(shares) > 1 else None


def _named(name: str, figure: tuple[float | None, float | None]) -> Figures:
    """Return a mean, with its deviation beside it where there is one."""
    mean, deviation = figure
    return {name: mean} | ({f"{name}_std": deviation} if deviation is not None else {})
