"""Short forms: the weighted test items that best predict a model's score on all items, chosen from the scores of all models.

python -m eval.short_form choice --items 100     into eval/short_forms/choice.json

Items of an earlier form are kept as long as they are in test, so that the forms of different versions share most items.
See docs/items.md.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from msgspec import Struct
from scipy.special import expit, logit

from atomexam.records.checks import one_of
from atomexam.runtime.jsonl import read_json, write_json
from atomexam.runtime.stage import parser_of, run_stage
from eval.items.__main__ import FILES, VERDICTS, read_about, runs_by_task
from eval.items.replies import read_task
from eval.items.statistics import MIN_MODELS
from eval.statistics.bootstrap import DIGITS

Floats = npt.NDArray[np.float64]
ABILITIES = np.linspace(-4, 4, 81)
"""In standard deviations over the models from whose scores the form was made."""
_DENSITY = np.exp(-(ABILITIES**2) / 2) / np.exp(-(ABILITIES**2) / 2).sum()
_ROUNDS = 20
_FOLDS = 5
_DRAWS = 200


class Parameters(NamedTuple):
    """The two-parameter logistic model of each item: the log odds that a model of ability t is right are `slope * t + intercept`."""

    slope: Floats
    intercept: Floats


class FormItem(Struct, frozen=True):
    """An item of a form."""

    id: str
    weight: float
    """Slope of the item, the weight of a correct answer."""
    intercept: float


class Form(Struct, frozen=True, kw_only=True):
    """A short form of one task."""

    task: str
    models: int
    others: int
    """Number of test items that are not in the form."""
    error: float
    """Mean absolute error of the predicted score, measured on models not used for choosing the items (cross-validation)."""
    error_at_random: float
    """Mean absolute error of the share correct on the same number of random items."""
    curve: list[float]
    """Expected share correct on the items outside the form at each of `ABILITIES`."""
    items: list[FormItem]


def fit(right: Floats) -> Parameters:
    """Estimate the parameters of items.

    Abilities are the log odds of the shares correct, scaled to standard deviations. Slopes have a log-normal prior and intercepts a normal
    prior, whose means and variances are estimated from the same data (empirical Bayes), since a few models provide little information about
    one item.

    Args:
        right: items x models, shares correct; NaN where there is no reply.
    """
    is_known = ~np.isnan(right)
    right = np.where(is_known, right, 0.0)
    ability = logit((right.sum(axis=0) + 0.5) / (is_known.sum(axis=0) + 1))
    ability = (ability - ability.mean()) / max(float(ability.std()), 1e-9)
    log_slope, intercept = np.zeros(len(right)), logit((right.sum(axis=1) + 0.5) / (is_known.sum(axis=1) + 1))
    mean, spread, middle, width = 0.0, 0.25, float(intercept.mean()), max(float(intercept.var()), 0.01)
    for _ in range(_ROUNDS):
        for _ in range(3):
            slope = np.exp(log_slope)
            chance = expit(slope[:, np.newaxis] * ability + intercept[:, np.newaxis])
            off, weight = is_known * (right - chance), is_known * chance * (1 - chance)
            by_slope = slope * (off @ ability) - (log_slope - mean) / spread
            by_intercept = off.sum(axis=1) - (intercept - middle) / width
            both, own = slope * (weight @ ability), slope**2 * (weight @ ability**2) + 1 / spread
            other = weight.sum(axis=1) + 1 / width
            whole = own * other - both**2
            log_slope = log_slope + np.clip((other * by_slope - both * by_intercept) / whole, -1, 1)
            intercept = intercept + np.clip((own * by_intercept - both * by_slope) / whole, -2, 2)
        mean, middle = float(log_slope.mean()), float(intercept.mean())
        spread = max(float(((log_slope - mean) ** 2 + other / whole).mean()), 1e-4)
        width = max(float(((intercept - middle) ** 2 + own / whole).mean()), 1e-4)
    return Parameters(np.exp(log_slope), intercept)


def choose(parameters: Parameters, strata: npt.NDArray[np.int64], size: int, retained: Sequence[int] = ()) -> list[int]:
    """Choose items greedily to minimize the variance of the score, from each stratum in proportion to its size; return their numbers,
    the retained ones first."""
    chance = expit(ABILITIES[:, np.newaxis] * parameters.slope + parameters.intercept)
    information = parameters.slope**2 * chance * (1 - chance)
    weight = _DENSITY * (parameters.slope * chance * (1 - chance)).mean(axis=1) ** 2
    share = size * np.bincount(strata) / len(strata)
    quota = np.floor(share).astype(int)
    quota[np.argsort(quota - share, kind="stable")[: size - quota.sum()]] += 1
    chosen = list(retained[:size])
    free = np.ones(len(strata), bool)
    free[chosen] = False
    known = 1 + information[:, chosen].sum(axis=1)  # the prior of an ability has the information 1
    np.subtract.at(quota, strata[chosen], 1)
    while len(chosen) < size and free.any():
        wanted = free & (quota[strata] > 0)
        candidates = np.flatnonzero(wanted if wanted.any() else free)
        left = weight @ (1 / (known[:, np.newaxis] + information[:, candidates]))
        best = candidates[np.argmin(left)]
        chosen.append(int(best))
        free[best] = False
        known = known + information[:, best]
        quota[strata[best]] -= 1
    return chosen


def curve_of_others(parameters: Parameters, chosen: Sequence[int]) -> Floats:
    """Return the expected share correct on the items that are not chosen, at each of `ABILITIES`."""
    others = np.delete(np.arange(len(parameters.slope)), chosen)
    chance: Floats = expit(ABILITIES[:, np.newaxis] * parameters.slope[others] + parameters.intercept[others])
    return chance.mean(axis=1) if len(others) else np.zeros(len(ABILITIES))


def predicted(right: Floats, parameters: Parameters, curve: Floats, others: int) -> Floats:
    """Return each model's expected share correct on all items: observed for the items of the form, predicted from its ability for the
    others.

    Args:
        right: items of the form x models; NaN where there is no reply.
        parameters: parameters of the form's items.
    """
    odds = ABILITIES[:, np.newaxis] * parameters.slope + parameters.intercept
    replied, is_known = np.nan_to_num(right), ~np.isnan(right)
    likelihood = odds @ replied - np.logaddexp(0, odds) @ is_known + np.log(_DENSITY)[:, np.newaxis]
    chance = np.exp(likelihood - likelihood.max(axis=0))
    expected = curve @ chance / chance.sum(axis=0)
    known = is_known.sum(axis=0)
    return (replied.sum(axis=0) + others * expected) / (known + others)


def score(form: Form, right: Mapping[str, float]) -> float:
    """Return the expected share correct on all test items.

    Args:
        right: maps an item to 1 if correct, 0 if wrong, or the share of repeats that are correct; other items are ignored.

    Raises:
        ValueError: a reply to an item of the form is missing.
    """
    if missing := [item.id for item in form.items if item.id not in right]:
        raise ValueError(f"{len(missing)} of the {len(form.items)} items have no reply, such as {missing[0]}; every item needs one")
    own = Parameters(*np.array([(item.weight, item.intercept) for item in form.items]).T)
    column = np.array([[right[item.id]] for item in form.items])
    return float(predicted(column, own, np.array(form.curve), form.others)[0])


def held_out_error(right: Floats, strata: npt.NDArray[np.int64], size: int, retained: Sequence[int] = ()) -> float:
    """Return the mean absolute error on held-out models, in folds of similar mean ability. Items are fitted, and those that are not
    retained are chosen, without these models."""
    whole = np.nanmean(right, axis=0)
    fold = np.argsort(np.argsort(whole, kind="stable")) % min(_FOLDS, len(whole))
    errors = []
    for number in range(fold.max() + 1):
        parameters = fit(right[:, fold != number])
        chosen = choose(parameters, strata, size, retained)
        own = Parameters(parameters.slope[chosen], parameters.intercept[chosen])
        estimates = predicted(right[chosen][:, fold == number], own, curve_of_others(parameters, chosen), len(right) - len(chosen))
        errors.append(abs(estimates - whole[fold == number]))
    return float(np.concatenate(errors).mean())


def random_error(right: Floats, size: int) -> float:
    """Return the mean absolute difference between the share correct on random items and the share correct on all items."""
    drawn = np.random.default_rng(0)
    samples = (drawn.choice(len(right), size, replace=False) for _ in range(_DRAWS))
    return float(np.mean([abs(np.nanmean(right[sample], axis=0) - np.nanmean(right, axis=0)).mean() for sample in samples]))


def make_form(task: str, items: Sequence[str], right: Floats, strata: Sequence[tuple], size: int, earlier: Iterable[str] = ()) -> Form:
    """Return the short form of a task.

    Args:
        items: ids, in the order of the rows of `right` (items x models) and `strata`.
        earlier: items of an earlier form; those that still exist are kept.

    Raises:
        ValueError: there are too few models, or there are no more items than the form is to have.
    """
    if right.shape[1] < MIN_MODELS or len(items) <= size:
        found = f"found {right.shape[1]} models besides baselines and {len(items)} items"
        raise ValueError(f"{task}: {found}; expected {MIN_MODELS} models and more than {size} items")
    rows = {stratum: number for number, stratum in enumerate(sorted(set(strata), key=str))}
    numbers = {item: number for number, item in enumerate(items)}
    groups = np.array([rows[stratum] for stratum in strata])
    parameters = fit(right)
    retained = [numbers[item] for item in earlier if item in numbers]
    chosen = sorted(choose(parameters, groups, size, retained))
    return Form(
        task=task,
        models=right.shape[1],
        others=len(items) - size,
        error=round(held_out_error(right, groups, size, retained), DIGITS),
        error_at_random=round(random_error(right, size), DIGITS),
        curve=curve_of_others(parameters, chosen).round(DIGITS).tolist(),
        items=[
            FormItem(items[number], round(float(parameters.slope[number]), DIGITS), round(float(parameters.intercept[number]), DIGITS))
            for number in chosen
        ],
    )


def main(argv: list[str] | None = None) -> None:
    parser = parser_of(__doc__)
    parser.add_argument("task")
    parser.add_argument("--items", type=int, default=100, metavar="N", help="number of items of the form; default: 100")
    parser.add_argument("--runs", type=Path, default=Path("data/plan"), metavar="PATH")
    parser.add_argument("--scores", type=Path, default=Path("data/scores"), metavar="PATH")
    parser.add_argument("--splits", type=Path, default=Path("data/splits"), metavar="PATH")
    parser.add_argument("--out", type=Path, metavar="FILE", help="default: eval/short_forms/TASK.json")
    args = parser.parse_args(argv)
    by_task, _ = runs_by_task(args.runs, args.scores)
    task = one_of(args.task, sorted(by_task), "task", f"{args.runs}, without runs of baselines")
    replies = read_task(by_task[task], VERDICTS)
    if replies is None:
        raise ValueError(f"{task}: no item has a known correct answer")
    about = read_about(args.splits / "test" / f"{FILES.get(task, 'questions')}.jsonl", replies.items)
    strata = [(one.exam, one.subject, one.type) for one in about]
    path = args.out or Path("eval/short_forms") / f"{task}.json"
    earlier = [item.id for item in read_json(path, Form, "delete it to choose again").items] if path.exists() else []
    form = make_form(task, replies.items, replies.right, strata, args.items, earlier)
    write_json(path, form)
    reused = len({item.id for item in form.items} & set(earlier))
    errors = [f"{100 * error:.1f}" for error in (form.error, form.error_at_random)]
    print(f"{path}: {args.items} of {len(replies.items)} items, {reused} of the earlier form; {form.models} models; mean absolute error on "
          f"held-out models {errors[0]} points ({errors[1]} for random items)")  # fmt: skip


if __name__ == "__main__":
    run_stage(main)
