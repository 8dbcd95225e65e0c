"""Compute metrics from scores. The denominator is always all requests; unparsed, truncated and failed replies count as wrong."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import stdev
from typing import get_args

import numpy as np
import numpy.typing as npt
import pandas as pd
import scipy

from atomexam.records.claim import SENTENCES
from atomexam.records.prediction import Outcome, Score
from eval.answers.reply_files import by_item
from eval.statistics.bootstrap import DIGITS, Figures, numbered, rate_interval
from eval.tasks.claim import NEGATIONS
from eval.tasks.orders import shifted_letters
from eval.tasks.request import Request, allowed_answers

OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
_FACETS = ("question_type", "category", "exam", "subject", "case_type", "form")
_CLAIM_FACETS = ("side", "atomic_type", "head")
_TYPES = ("mcqa", "mrqa")
_KINDS = {"known": bool, "unit": int, "in_group": bool, "wider": int, "options": int, "chance": float, "negations": int}
Marks = npt.NDArray
NO_VARIANTS: Mapping[str, Sequence[Request]] = {}


@dataclass(frozen=True, slots=True)
class Grid:
    """The scores of a run: one row per item and, for properties of replies, one column for each repeat of each variant."""

    items: np.recarray
    """Question type, reader, correct answer, unit, whether the unit has other items, wider cluster, negation words of a claim, facets."""
    outcome: Marks
    answer: Marks
    right: Marks
    """Whether the answer is correct; false if the correct answer is unknown."""
    committed: Marks
    """Whether the complete reply commits to an answer."""
    committed_right: Marks
    shift: Marks
    """Number of places by which the options are shifted in the reply's variant."""
    variants: tuple[str, ...] = ()
    """Names of the variants, which all have the same number of columns; empty if there is only one."""

    def __len__(self) -> int:
        return len(self.items)

    @property
    def answered(self) -> Marks:
        """Whether an answer was parsed from the reply."""
        return self.outcome == "answered"

    def rows(self, chosen: Marks) -> "Grid":
        """Return the chosen rows."""
        names = ("items", "outcome", "answer", "right", "committed", "committed_right", "shift")
        return replace(self, **{name: getattr(self, name)[chosen] for name in names})

    def scored(self) -> "Grid":
        """Return the rows whose correct answers are known; items with a hidden answer do not count in accuracies."""
        return self.rows(self.items.known)

    def parts(self, facet: str) -> Iterator[tuple[str, "Grid"]]:
        """Yield the rows for each value of a facet, sorted by value; rows without a value are left out."""
        values = self.items[facet]
        for value in sorted({*values} - {None}):
            yield value, self.rows(values == value)

    def whole(self, marks: Marks) -> Marks:
        """Return, for each unit and repeat, whether all rows of the unit are marked, in the order of `units`."""
        units, unit_of = np.unique(self.items.unit, return_inverse=True)
        whole = np.ones((len(units), marks.shape[1]), bool)
        rows, repeats = np.nonzero(~marks)
        whole[unit_of[rows], repeats] = False
        return whole

    def units(self) -> np.recarray:
        """Return the first row of each unit."""
        return self.rows(np.unique(self.items.unit, return_index=True)[1]).items


def read_scores(scores: Sequence[Score], requests: Sequence[Request], variants: Mapping[str, Sequence[Request]] = NO_VARIANTS) -> Grid:
    """Arrange the scores of a run, which may be in any order, for computing metrics.

    Args:
        variants: maps a name to the requests of that variant, in the order of `requests`; empty if there is only one variant.

    Raises:
        ValueError: an item has no score in a repeat, or a score has no request.
    """
    repeats = sorted({score.repeat for score in scores})
    by_id = by_item(scores, (one.item_id for one in requests), "scores", "rebuild them with `dvc repro score`", repeats)
    columns: dict[str, Iterable] = {
        "question_type": [one.question_type for one in requests],
        "reader": [one.reader for one in requests],
        "gold": [one.answer for one in requests],
        "known": [all(score.correct is not None for score in by_id[one.item_id]) for one in requests],
        "unit": numbered([one.unit for one in requests]),
        "in_group": [one.unit != one.item_id for one in requests],
        # Claims of one head, and questions of one subject, may be right or wrong together; they are the clusters of the second interval.
        "wider": numbered([one.facets.get("head") or one.facets.get("subject") or one.unit for one in requests]),
        "options": [len(one.options) for one in requests],
        "chance": [1 / many if (many := len(allowed_answers(one))) else None for one in requests],
        "negations": [sum(one.claim.count(word) for word in NEGATIONS) if one.claim else 0 for one in requests],
    }
    columns |= {name: [one.facets.get(name) for one in requests] for name in (*_FACETS[1:], *_CLAIM_FACETS)}

    def marks(of: Callable[[Score], object], kind: type) -> Marks:
        return np.array([[of(score) for score in by_id[one.item_id]] for one in requests], kind).reshape(len(requests), len(repeats))

    shifts = [[one.shift for one in of_variant] for of_variant in variants.values() for _ in range(len(repeats) // len(variants))]
    return Grid(
        items=np.array(list(zip(*columns.values(), strict=True)), [(name, _KINDS.get(name, object)) for name in columns]).view(np.recarray),
        outcome=marks(lambda score: score.outcome, object),
        answer=marks(lambda score: score.answer, object),
        right=marks(lambda score: score.correct is True, bool),
        committed=marks(lambda score: score.committed is not None, bool),
        committed_right=marks(lambda score: score.committed_correct is True, bool),
        shift=np.array(shifts, int).T if shifts else np.zeros((len(requests), len(repeats)), int),
        variants=tuple(variants),
    )


def rate(name: str, marks: Marks, clusters: Mapping[str, Marks]) -> Figures:
    """Return a rate by name: its mean over the repeats, the sample standard deviation of the repeats, and an interval for each kind of
    cluster.

    Args:
        clusters: maps the suffix of an interval's name to the cluster of each row.
    """
    if not marks.size:
        return {name: None}
    figures: Figures = {name: round(float(marks.mean()), DIGITS)}
    shares = [float(column.mean()) for column in marks.T]
    if len(shares) > 1:
        figures[f"{name}_std"] = round(stdev(shares), DIGITS)
    for ending, cluster in clusters.items():
        _, cluster_of, sizes = np.unique(cluster, return_inverse=True, return_counts=True)
        sums = np.bincount(cluster_of, marks.sum(axis=1)).astype(int)
        interval = rate_interval(sums, sizes * marks.shape[1])
        if interval:
            figures[f"{name}_interval{ending}"] = [round(bound, DIGITS) for bound in interval]
    return figures


def accuracies(grid: Grid, marks: Marks, clusters: Mapping[str, Marks], headline: bool = False) -> Figures:
    """Return the accuracy and, if a run has variants, the share of items that are always right; `headline` adds accuracy by variant."""
    figures = rate("accuracy", marks, clusters)
    if grid.variants and marks.size:
        figures |= rate("consistent_accuracy", np.all(marks, axis=1)[:, np.newaxis], clusters)
        if headline:
            columns = np.split(marks, len(grid.variants), axis=1)
            figures["by_variant"] = {name: rate("accuracy", part, {}) for name, part in zip(grid.variants, columns, strict=True)}
    return figures


Part = Callable[[Grid, bool], Figures]
"""Function that computes metrics from rows; with the flag, it adds the intervals of the headline metrics."""


def claim_figures(grid: Grid) -> Figures:
    """Return following rate and pair accuracy (SdAK, section 4.2.2), over all pairs and by atomic type.

    A pair counts as following if both replies give an answer; it is right if the factual claim is called 正确 and the non-factual one 错误.
    Claims about one head (a disease, a medicine) may be right or wrong together, so a second interval resamples heads. `wording` is the
    result of the best rule that knows no facts.
    """
    return {
        **_pairs(grid, True),
        "outcomes": outcomes(grid),
        "answers": _sorted(Counter(filter(None, grid.answer.ravel()))),
        "by_side": _grouped(grid, "side", _single),
        "by_type": _grouped(grid, "atomic_type", _pairs),
        "wording": best_rule(wording_rules(grid)),
    }


def fourfold_figures(grid: Grid) -> Figures:
    """Return how many facts a model knows, meaning that it judges all four sentences correctly, over all facts and by atomic type.

    A fact is not known if its answers contradict each other or follow the wording, so a model that guesses without contradicting itself
    knows a quarter of the facts. `true_side` and `false_side` are the shares of tails for which both sentences are judged correctly;
    `true_side` is SdAK's accuracy on these facts. `patterns` gives the shares of facts by pattern of the four answers; `detection` gives
    the hit rate, false alarms, sensitivity d' and criterion c of signal detection: 正确 for a true sentence is a hit, for a false one a
    false alarm; c below 0 is a bias towards 正确. Facts about one head may be known together, so the `_by_head` intervals resample heads.
    """
    return {
        **_facts(grid, True),
        "outcomes": outcomes(grid),
        "by_side": _grouped(grid, "side", _single),
        "patterns": _patterns(grid),
        "detection": _detection(grid),
        "by_type": _grouped(grid, "atomic_type", _facts),
    }


def _facts(grid: Grid, headline: bool) -> Figures:
    """Return the metrics of facts; each has four sentences, two per tail."""
    units = grid.units()
    by_head = {"_by_head": units.wider}
    clusters = {"": units.unit} | (by_head if headline else {})
    figures: Figures = {"facts": len(units)}
    figures |= rate("following_rate", grid.whole(grid.answered), clusters)
    figures |= accuracies(grid, grid.whole(grid.right), {"": units.unit} | by_head, headline)
    for side in ("true", "false"):
        part = grid.rows(np.array([each.startswith(side) for each in grid.items.side], bool))
        figures |= rate(f"{side}_side", part.whole(part.right), by_head)
    figures |= rate("sentence_accuracy", grid.right, {"": grid.items.unit})
    figures |= _committed(grid.whole(grid.committed), grid.whole(grid.committed_right), clusters if headline else {})
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", grid.whole(grid.right | ~grid.answered), {}))
        figures |= _chance(pd.DataFrame(grid.items).groupby("unit").chance.prod())
    return figures


_ANSWER_PATTERNS = {
    "known": ("正确", "错误", "错误", "正确"),
    "reversed": ("错误", "正确", "正确", "错误"),
    "always_right": ("正确", "正确", "正确", "正确"),
    "always_wrong": ("错误", "错误", "错误", "错误"),
    "by_negation": ("正确", "错误", "正确", "错误"),
    "against_negation": ("错误", "正确", "错误", "正确"),
}
"""Maps each pattern to the answers to a true tail, affirmed and denied, and to a false tail, affirmed and denied."""


def _patterns(grid: Grid) -> Figures:
    """Return the share of facts, over all repeats, that have each pattern of the four answers; `contradiction` is any other pattern."""
    matches = {}
    for name, answers in _ANSWER_PATTERNS.items():
        wanted = dict(zip(SENTENCES, answers, strict=True))
        matches[name] = grid.whole(grid.answer == np.array([[wanted[side]] for side in grid.items.side], object))
    whole = grid.whole(grid.answered)
    matches |= {"contradiction": whole & ~np.logical_or.reduce([*matches.values()]), "unanswered": ~whole}
    return {name: round(float(marks.mean()), DIGITS) for name, marks in matches.items()} if len(grid) else {}


def _detection(grid: Grid) -> Figures:
    """Return the hit rate and false-alarm rate over answered sentences, d' and c, with the log-linear correction (Hautus, 1995)."""
    truth = np.array([[SENTENCES[side] == "正确"] for side in grid.items.side], bool)
    agreed = grid.answer == "正确"
    hits, alarms = ((int((agreed & part).sum()) + 0.5, int((grid.answered & part).sum()) + 1) for part in (truth, ~truth))
    high, low = (scipy.special.ndtri(count / of) for count, of in (hits, alarms))
    shares = {name: round((count - 0.5) / max(of - 1, 1), DIGITS) for name, (count, of) in (("hits", hits), ("false_alarms", alarms))}
    return shares | {"d_prime": round(float(high - low), DIGITS), "criterion": round(float(-(high + low) / 2), DIGITS)}


def choice_figures(grid: Grid) -> Figures:
    """Return accuracy over all questions and by type, exam, subject, category, case type and form; a group is right only if all its
    questions are.

    A multiple-choice question is right if the set of letters is right. `following_rate` is the share of replies with an answer. `avg` is
    defined as in CPsyExam, Table 2: all single-choice and multiple-choice questions together; the table itself shows the better of
    zero-shot and few-shot.
    """
    choices = grid.rows(np.isin(grid.items.reader, _TYPES))  # CPsyExam's, without the TCM examination
    cells = {f"{category} {kind}": (category, kind) for category in ("kg", "ca") for kind in _TYPES}
    parts = {
        name: choices.rows((choices.items.category == category) & (choices.items.question_type == kind))
        for name, (category, kind) in cells.items()
    }
    return {
        **_questions(grid, True),
        **(rate("avg", choices.scored().right, {}) if len(choices) else {}),
        "outcomes": outcomes(grid),
        "letters": _letters(grid),
        "by_category_and_type": {name: _questions(part, False) for name, part in parts.items() if len(part)},
        **{f"by_{facet}": _grouped(grid, facet, _by_category if facet == "category" else _questions) for facet in _FACETS},
        "groups": _groups(grid.rows(grid.items.in_group)),
    }


def truth_figures(grid: Grid) -> Figures:
    """Return the accuracy of verdicts on statements, overall and by correct verdict, exam, subject and category.

    `rule` is the result of the best rule without knowledge: the same verdict for all, or 错误 if there is a negation word.
    """
    known = grid.scored()
    gold, negated = known.items.gold, known.items.negations > 0
    rules = {"always_right": gold == "正确", "always_wrong": gold == "错误", "negation_word": negated == (gold == "错误")}
    return {
        **_questions(grid, True),
        "rule": best_rule({name: round(float(right.mean()), DIGITS) if len(known) else None for name, right in rules.items()}),
        "outcomes": outcomes(grid),
        "answers": _sorted(Counter(filter(None, grid.answer.ravel()))),
        "by_gold": _grouped(grid, "gold", _questions),
        **{f"by_{facet}": _grouped(grid, facet, _questions) for facet in _FACETS[1:]},
    }


def blank_figures(grid: Grid) -> Figures:
    """Return the share of questions for which all blanks are filled correctly, overall and by exam, subject and category."""
    parts = {f"by_{facet}": _grouped(grid, facet, _questions) for facet in _FACETS[1:]}
    return {**_questions(grid, True), "outcomes": outcomes(grid), **parts}


def essay_figures(grid: Grid) -> Figures:
    """Return the number of answered questions; their answers are marked by a judge."""
    following = rate("following_rate", grid.answered, {"": grid.items.unit})
    return {"questions": len(grid), **following, "outcomes": outcomes(grid)}


def outcomes(grid: Grid) -> dict[str, int]:
    """Return the number of replies with each outcome."""
    counts = Counter(grid.outcome.ravel())
    return {outcome: counts[outcome] for outcome in OUTCOMES}


def _chance(drawn: pd.Series | Marks) -> Figures:
    """Return the expected accuracy of picking answers at random from those allowed; empty for essay answers."""
    return {"chance": round(float(drawn.mean()), DIGITS)} if len(drawn) and pd.notna(drawn).all() else {}


def _by_category(grid: Grid, headline: bool) -> Figures:
    return _questions(grid, headline) | _chance(grid.scored().items.chance)


def _pairs(grid: Grid, headline: bool) -> Figures:
    """Return the metrics of claim pairs; a pair has a property if both its sides have it."""

    def clusters(units: np.recarray) -> dict[str, Marks]:
        return {"": units.unit} | ({"_by_head": units.wider} if headline else {})

    scored = grid.scored()
    pairs, known = grid.units(), scored.units()
    figures = {"pairs": len(pairs)} | ({"unscored": len(pairs) - len(known)} if len(pairs) > len(known) else {})
    figures |= rate("following_rate", grid.whole(grid.answered), clusters(pairs))
    figures |= accuracies(grid, scored.whole(scored.right), clusters(known), headline)
    committed, committed_right = grid.whole(grid.committed), scored.whole(scored.committed_right)
    figures |= _committed(committed, committed_right, clusters(known) if headline else {})
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", scored.whole(scored.right | ~scored.answered), {}))
        figures |= _chance(pd.DataFrame(scored.items).groupby("unit").chance.prod())
    return figures


def _questions(grid: Grid, headline: bool) -> Figures:
    """Return the metrics of questions; intervals resample complete cases and groups of shared options."""

    def clusters(part: Grid) -> dict[str, Marks]:
        return {"": part.items.unit} | ({"_by_subject": part.items.wider} if headline else {})

    scored = grid.scored()
    hidden = len(grid) - len(scored)
    figures: Figures = {"questions": len(grid)} | ({"unscored": hidden} if hidden else {})
    figures |= rate("following_rate", grid.answered, clusters(grid) if headline else {})
    figures |= accuracies(grid, scored.right, clusters(scored), headline)
    figures |= _committed(grid.committed, scored.committed_right, clusters(scored) if headline else {})
    if headline:
        figures |= _bounds(figures["accuracy"], rate("accuracy_at_most", scored.right | ~scored.answered, {}))
        figures |= _chance(scored.items.chance)
    return figures


def _single(grid: Grid, headline: bool) -> Figures:
    """Return the metrics of one side of the pairs; a sycophantic model is right on all factual claims and on nothing else."""
    figures: Figures = {"claims": len(grid)} | rate("accuracy", grid.right, {"": grid.items.unit})
    return figures | _committed(grid.committed, grid.committed_right, {})


def _committed(committed: Marks, right: Marks, clusters: Mapping[str, Marks]) -> Figures:
    """Return how often complete replies commit to an answer, and the accuracy of these answers."""
    return rate("committed_rate", committed, {}) | rate("committed_accuracy", right, clusters)


def _groups(grid: Grid) -> Figures:
    """Return the share of cases and of groups with shared options in which all questions are right, overall and by form.

    A group that includes a hidden answer cannot be known to be right and does not count in accuracies.
    """

    def figures(part: Grid, headline: bool = False) -> Figures:
        groups = part.units()
        known = part.whole(part.items.known[:, np.newaxis])[:, 0]
        hidden = len(groups) - int(known.sum())
        counts: Figures = {"groups": len(groups), "questions": len(part)} | ({"unscored": hidden} if hidden else {})
        right, committed_right = part.whole(part.right)[known], part.whole(part.committed_right)[known]
        return counts | accuracies(part, right, {"": groups.unit[known]}) | rate("committed_accuracy", committed_right, {})

    return figures(grid) | {"by_form": _grouped(grid, "form", figures)}


def _bounds(accuracy: float | None, at_most: Figures) -> Figures:
    """Return the bounds of the accuracy: all replies without an answer count as wrong (the accuracy itself) or all as right."""
    return {"accuracy_at_least": accuracy} | {name: value for name, value in at_most.items() if not name.endswith("_std")}


def _letters(grid: Grid) -> Figures:
    """Return how often each letter is answered and how often it is correct, by question type over all repeats, with the letters that the
    model saw.

    A difference between the two shows that a model favours a letter. Questions with unknown answers are left out. With several orders of
    options, also return `pull`, the difference between the two shares over the replies that have an answer.
    """
    known = grid.rows(pd.notna(grid.items.gold))
    figures: dict[str, Figures] = {}
    for kind, part in known.parts("question_type"):
        gold = np.broadcast_to(part.items.gold[:, np.newaxis], part.answer.shape)
        displayed = (_displayed_letters(letters, part.items.options[:, np.newaxis], part.shift) for letters in (part.answer, gold))
        displayed_answers, displayed_right = displayed
        answered, right = (Counter("".join(filter(None, letters.ravel()))) for letters in (displayed_answers, displayed_right))
        figures[kind] = {"answered": _sorted(answered), "gold": _sorted(right)}
        if part.shift.any():
            has_answer = part.answer != None  # noqa: E711 - of each cell
            due = Counter("".join(displayed_right[has_answer]))
            figures[kind]["pull"] = {
                each: round((answered[each] - due[each]) / max(1, int(has_answer.sum())), DIGITS) for each in sorted(answered | due)
            }
    return figures


_displayed_letters = np.frompyfunc(
    lambda letters, options, shift: shifted_letters(letters, options, shift) if letters and shift else letters, 3, 1
)


def _grouped(grid: Grid, facet: str, figures: Part) -> Figures:
    return {name: figures(part, False) for name, part in grid.parts(facet)}


def _sorted(counts: Mapping[str, int]) -> dict[str, int]:
    return dict(sorted(counts.items()))


def wording_rules(grid: Grid) -> dict[str, float | None]:
    """Return the pair accuracy of each wording rule.

    For most facts, the negation word is in the false sentence, so a rule that looks for the word is right on most pairs. For facts of false
    polarity (忌吃, 不具有传染性), it is the other way round. `negation_word` calls the side with more negation words 错误,
    `negation_affirmed` calls it 正确; `negation_by_type` takes the better of the two for each type, so no rule based only on negation and
    type is better.
    """
    items = pd.DataFrame(grid.items)
    pairs = items.pivot(index=["unit", "atomic_type"], columns="side", values="negations").reindex(columns=["factual", "non_factual"])
    sides = {"negation_word": pairs.factual < pairs.non_factual, "negation_affirmed": pairs.factual > pairs.non_factual}
    by_type = pd.DataFrame(sides).groupby("atomic_type").sum()
    by_type["negation_by_type"] = by_type.max(axis=1)
    return {str(rule): round(int(count) / len(pairs), DIGITS) if len(pairs) else None for rule, count in by_type.sum().items()}


def best_rule(accuracies: Mapping[str, float | None]) -> Figures:
    """Return the best rule, or the first if several are equally good."""
    name = max(accuracies, key=lambda rule: accuracies[rule] or 0.0)
    return {"rule": name, "accuracy": accuracies[name]}


FIGURES: dict[str, Callable[[Grid], Figures]] = {
    "fourfold": fourfold_figures,
    "claim": claim_figures,
    "choice": choice_figures,
    "essay": essay_figures,
    "tcm": choice_figures,
    "tf": truth_figures,
    "blank": blank_figures,
}
"""Maps each task to the function that computes a run's metrics from the scores of all requests in all repeats."""
