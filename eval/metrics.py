"""Figures from scores. Every denominator is all items asked: an unread, cut or failed reply counts, and counts as wrong."""

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean, stdev
from typing import Any, get_args

from records.claim import ClaimPair
from records.prediction import Outcome, Score
from records.question import Question

Figures = dict[str, Any]
SIDES = {"factual": "正确", "non_factual": "错误"}
"""The right answer to each side of a claim pair."""
_DIGITS = 4


def claim_metrics(scores: Iterable[Score], pairs: Iterable[ClaimPair]) -> Figures:
    """Return following rate and pair accuracy (SdAK, section 4.2.2), over all pairs and by atomic type.

    A pair follows when both its replies give an answer; it is right when the factual claim is called 正确 and the non-factual
    one 错误. Rates are means over the repeats, with their standard deviation.
    """
    read = {(score.item_id, score.repeat): score for score in scores}
    repeats = _repeats(read.values())
    pairs = list(pairs)
    sides = {pair.id: [f"{pair.id}/{side}" for side in SIDES] for pair in pairs}
    follows = {(pair.id, r): all(read[item, r].outcome == "answered" for item in sides[pair.id]) for pair in pairs for r in repeats}
    right = {(pair.id, r): all(bool(read[item, r].correct) for item in sides[pair.id]) for pair in pairs for r in repeats}

    def figures(chosen: Sequence[ClaimPair]) -> Figures:
        following = _over_repeats([[follows[pair.id, r] for pair in chosen] for r in repeats])
        accuracy = _over_repeats([[right[pair.id, r] for pair in chosen] for r in repeats])
        return {"pairs": len(chosen), **_named("following_rate", following), **_named("accuracy", accuracy)}

    return {
        **figures(pairs),
        "outcomes": _outcomes(read.values()),
        "answers": dict(sorted(Counter(score.answer for score in read.values() if score.answer).items())),
        "by_type": _grouped(pairs, lambda pair: pair.atomic_type, figures),
    }


def choice_metrics(scores: Iterable[Score], questions: Iterable[Question]) -> Figures:
    """Return accuracy over all questions and by type, exam, subject, category, case type and form; groups need all right.

    A multiple choice is right when its set of letters is. `following_rate` is the share of replies with an answer; the accuracy
    if every reply without one had been right is `accuracy_at_most`.
    """
    read = {(score.item_id, score.repeat): score for score in scores}
    repeats = _repeats(read.values())

    def figures(chosen: Sequence[Question]) -> Figures:
        rows = [[read[question.id, r] for question in chosen] for r in repeats]
        accuracy = _over_repeats([[bool(score.correct) for score in row] for row in rows])
        return {"questions": len(chosen), **_named("accuracy", accuracy)}

    def group_figures(chosen: Sequence[Question]) -> Figures:
        whole = [_all_right(chosen, read, r) for r in repeats]
        return {"groups": len(whole[0]) if whole else 0, **_named("accuracy", _over_repeats(whole))}

    questions = list(questions)
    everything = list(read.values())
    answered = _over_repeats([[read[q.id, r].outcome == "answered" for q in questions] for r in repeats])
    at_most = [[bool(read[q.id, r].correct) or read[q.id, r].outcome != "answered" for q in questions] for r in repeats]
    grouped = [question for question in questions if question.group_id]
    return {
        **figures(questions),
        **_named("following_rate", answered),
        "accuracy_at_most": _over_repeats(at_most)[0],
        "outcomes": _outcomes(everything),
        "letters": _letters(everything, questions),
        "by_question_type": _grouped(questions, lambda q: q.question_type, figures),
        "by_category": _grouped(questions, lambda q: q.category, figures),
        "by_exam": _grouped(questions, lambda q: q.exam, figures),
        "by_subject": _grouped(questions, lambda q: f"{q.exam} {q.subject}", figures),
        "by_case_type": _grouped([q for q in questions if q.case_type], lambda q: q.case_type, figures),
        "by_form": _grouped([q for q in questions if q.form], lambda q: q.form, figures),
        "groups": group_figures(grouped),
    }


def _all_right(questions: Iterable[Question], read: Mapping[tuple[str, int], Score], repeat: int) -> list[bool]:
    by_group: dict[str, list[bool]] = defaultdict(list)
    for question in questions:
        by_group[question.group_id or question.id].append(bool(read[question.id, repeat].correct))
    return [all(rights) for _, rights in sorted(by_group.items())]


def _letters(scores: Iterable[Score], questions: Iterable[Question]) -> Figures:
    """Return how often each letter is answered and how often it is right, both over all repeats: a model that favours one shows here."""
    right = {question.id: question.answer or "" for question in questions}
    scores = list(scores)
    answered = Counter(letter for score in scores for letter in score.answer or "")
    gold = Counter(letter for score in scores for letter in right[score.item_id])
    return {"answered": dict(sorted(answered.items())), "gold": dict(sorted(gold.items()))}


def _grouped(records: Iterable[Any], key: Callable[[Any], Any], figures: Callable[[Sequence[Any]], Figures]) -> Figures:
    groups = defaultdict(list)
    for record in records:
        groups[key(record)].append(record)
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
