"""Put versions of a test on one scale: models' replies to items -> abilities and difficulties in logits, linked by shared items.

The Rasch model is applied to a benchmark with few models and many items. Abilities, and the shift between two versions, are estimated by
conditional maximum likelihood, given the number of models that are right on each item (E. B. Andersen, 1970). The estimates are consistent
in the number of items, for any number of models and any difficulty. Joint maximum likelihood stretches the scale if there are few models,
and existing libraries condition on the totals of persons or assume many persons. Replies to an item must be independent, so a model whose
replies were reused for the next version counts in only one of the two versions.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.optimize import brentq
from scipy.special import expit, ndtri

from eval.statistics.bootstrap import LEVEL, Counts, Interval, generator

Floats = npt.NDArray[np.float64]
_DRAWS = 500
_STEPS = 100
_CLOSE = 1e-8


class Fit(NamedTuple):
    """Models and items of one version, in logits; the mean ability of its models is 0."""

    replies: Counts
    """Models x items: 1 if correct."""
    abilities: Floats
    covariance: Floats
    """Covariance of the abilities, models x models."""
    difficulties: Floats
    """Difficulty of each item, finite even if all models are right or all are wrong."""


class Estimate(NamedTuple):
    """A number with its standard error."""

    value: float
    error: float

    @property
    def interval(self) -> Interval:
        half_width = float(ndtri((1 + LEVEL) / 2)) * self.error
        return self.value - half_width, self.value + half_width


class Change(NamedTuple):
    """Why a model's accuracy on the new version differs from its predecessor's on the old one."""

    ability: Estimate
    """Ability of the new model minus that of the old one, in logits; the new model is worse if the interval is below 0."""
    by_model: float
    """Change in the expected accuracy on the new version that is due to ability."""
    by_test: float
    """Change in the old model's expected accuracy that is due to the different items."""


def fit(replies: npt.ArrayLike) -> Fit:
    """Return the abilities and difficulties of one version.

    Args:
        replies: models x items, 1 or True if correct; every model must have been asked every item.

    Raises:
        ValueError: there are fewer than two models, or a model is right or wrong on all items that separate models.
    """
    right = np.asarray(replies).astype(np.int64)
    models, totals = len(right), right.sum(axis=0)
    informative = (totals > 0) & (totals < models)
    sums, items = right[:, informative].sum(axis=1), int(informative.sum())
    if models < 2 or not items or sums.min() == 0 or sums.max() == items:
        raise ValueError(
            f"found {models} models and {items} items with both right and wrong replies; expected at least two models, each "
            "right on some of these items but not on all"
        )
    numbers = np.bincount(totals[informative], minlength=models + 1)[1:].astype(float)
    abilities = np.log(sums / (items - sums))
    for _ in range(_STEPS):
        abilities -= abilities.mean()
        alone, both = _conditional(abilities)
        information = both @ numbers - (alone * numbers) @ alone.T
        covariance = np.linalg.pinv(information, rcond=1e-10, hermitian=True)  # singular: only differences of abilities are known
        step = covariance @ (sums - alone @ numbers)
        abilities += step
        if abs(step).max() < _CLOSE:
            break
    return Fit(right, abilities, covariance, _difficulties(abilities)[totals])


def _conditional(abilities: Floats) -> tuple[Floats, Floats]:
    """Return the probabilities that one given model, and that two given models, are right on an item that 1, 2, … models get right."""
    odds, models = np.exp(abilities), len(abilities)
    others = ~np.eye(models, dtype=bool)
    sums = _symmetric(odds, np.ones(models, dtype=bool))[1:]
    alone = odds[:, None] * _symmetric(odds, others)[:, :-1] / sums
    both = np.zeros((models, models, models))
    both[:, :, 1:] = np.outer(odds, odds)[:, :, None] * _symmetric(odds, others[:, None] & others)[:, :, :-2] / sums[1:]
    both[~others] = alone
    return alone, both


def _symmetric(odds: Floats, chosen: npt.NDArray[np.bool_]) -> Floats:
    """Return the elementary symmetric polynomials of the chosen odds, starting at degree 0, along a new last axis."""
    sums = np.zeros((*chosen.shape[:-1], len(odds) + 1))
    sums[..., 0] = 1
    for model, odd in enumerate(odds):
        sums[..., 1:] += odd * chosen[..., model, None] * sums[..., :-1]
    return sums


def _difficulties(abilities: Floats) -> Floats:
    """Return the difficulty of an item that 0, 1, … models get right, estimated by T. A. Warm's weighted likelihood (Psychometrika 54,
    1989)."""

    def score(difficulty: float, right: int) -> float:
        chance = expit(abilities - difficulty)
        variance = chance * (1 - chance)
        return float(right - chance.sum() + (variance * (1 - 2 * chance)).sum() / (2 * variance.sum()))

    ends = abilities.min() - 20, abilities.max() + 20
    return np.array([brentq(score, *ends, args=(right,)) for right in range(len(abilities) + 1)])


def link(old: Fit, new: Fit, shared: npt.ArrayLike, name: str) -> Estimate:
    """Return the shift that puts abilities and difficulties of the new version on the scale of the old one.

    Its standard error comes from a bootstrap over the shared items.

    Args:
        shared: shared items x 2: index of the item in the old version and in the new version.
        name: name of the comparison, which seeds the draws.

    Raises:
        ValueError: there are fewer than two shared items.
    """
    pairs = np.asarray(shared, dtype=np.int64).reshape(-1, 2)
    if len(pairs) < 2:
        raise ValueError(f"found {len(pairs)} shared items; expected at least two")
    draws = generator(name).multinomial(len(pairs), np.full(len(pairs), 1 / len(pairs)), size=_DRAWS).astype(float)
    weights = np.concatenate([np.ones((1, len(pairs))), draws])  # the first is the sample itself
    values = _conditional_shift(old, new, pairs, weights)
    return Estimate(float(values[0]), float(values[1:].std()))


def _conditional_shift(old: Fit, new: Fit, pairs: Counts, weights: Floats) -> Floats:
    """Return the shift for each row of weights; each draw takes one Newton step from the sample's shift, which is accurate enough."""
    right = new.replies[:, pairs[:, 1]].sum(axis=0)
    totals = right + old.replies[:, pairs[:, 0]].sum(axis=0)
    shift, size = 0.0, len(new.abilities)
    for _ in range(_STEPS):
        odds = [_symmetric(np.exp(each), np.ones(len(each), dtype=bool)) for each in (old.abilities, new.abilities + shift)]
        joint = [[odds[0][total - one] * odds[1][one] if 0 <= total - one < len(odds[0]) else 0.0 for one in range(size + 1)]
                 for total in range(len(old.abilities) + size + 1)]  # fmt: skip
        chances = np.array(joint) / np.sum(joint, axis=1, keepdims=True)
        expected = chances @ np.arange(size + 1)
        information = chances @ np.arange(size + 1) ** 2 - expected**2
        steps = weights @ (right - expected[totals]) / (weights @ information[totals])
        if abs(steps[0]) < _CLOSE:
            break
        shift += steps[0]
    values: Floats = shift + steps
    return values


def explain(old: Fit, new: Fit, shift: Estimate, model: int, successor: int) -> Change:
    """Explain why the accuracy of `successor` on the new version differs from that of `model` on the old one.

    Args:
        shift: the result of `link`; across several versions, the sum of the shifts, with the root of the sum of their squared errors.
        model: row of the model in the old version's replies.
        successor: row of the same or another model in the new version's replies.
    """
    error = np.sqrt(old.covariance[model, model] + new.covariance[successor, successor] + shift.error**2)
    before, after = old.abilities[model], new.abilities[successor] + shift.value
    harder = new.difficulties + shift.value
    pairs = ((before, old.difficulties), (before, harder), (after, harder))
    own, other, both = (float(expit(ability - items).mean()) for ability, items in pairs)
    return Change(Estimate(float(after - before), float(error)), both - other, other - own)
