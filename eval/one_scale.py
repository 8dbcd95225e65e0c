"""Put versions on one scale: runs of every version on its complete test -> abilities in logits, linked by shared items.

If a model has runs in two neighbouring versions, only one of them counts for their link, since its replies to a shared item are not
independent.
"""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.special import expit

from atomexam.runtime.stage_summary import LEAST
from eval.statistics.bootstrap import DIGITS, Figures
from eval.statistics.equating import Estimate, Fit, fit, link
from eval.statistics.paired_tests import Tallies


class _Version(NamedTuple):
    models: dict[str, Tallies]
    """The most complete run of each model; the models all replied to the same items."""
    items: list[str]
    fitted: Fit
    """Fit of all models and items, in the order of `models` and `items`."""

    def fit_of(self, models: Sequence[str]) -> tuple[Fit, float]:
        """Return the fit of some of the models, and their mean ability in the fit of all models."""
        rows = [list(self.models).index(model) for model in models]
        return fit(self.fitted.replies[rows]), float(self.fitted.abilities[rows].mean())


def linked(task: str, versions: Mapping[str, Sequence[tuple[str, Tallies]]], notes: list[str]) -> list[Figures]:
    """Return a row for each version, newest first, on the scale of the newest version, with the abilities of its models.

    `harder` is the loss in share correct, on the newest version, of a model with this version's mean ability.

    Args:
        versions: oldest first: model and tallies of each run on the version's complete test, without baselines.
        notes: receives the reason why a version, and with it all older versions, is not on the scale.
    """
    rows: list[Figures] = []
    after: _Version | None = None
    newest, shift = np.zeros(0), Estimate(0.0, 0.0)
    for name, runs in _tests(versions):
        shared = 0
        try:
            version = _fitted(runs)
            if after:
                step, shared = _step(version, after, f"{task}/{rows[-1]['version']}/{name}")
                shift = Estimate(shift.value - step.value, float(np.hypot(shift.error, step.error)))
        except ValueError as reason:
            notes.append(f"{task}: {name} is not on one scale with {rows[-1]['version'] if rows else 'others'}: {reason}")
            break
        newest = version.fitted.difficulties if after is None else newest
        after = version
        rows.append(_row(name, version, newest, shift, shared))
    return rows if len(rows) > 1 else []


def _tests(versions: Mapping[str, Sequence[tuple[str, Tallies]]]) -> list[tuple[str, list[tuple[str, Tallies]]]]:
    """Return the runs of each test, newest first; neighbouring versions with the same items are merged under the name of the newest."""
    tests: list[tuple[str, list[tuple[str, Tallies]]]] = []
    newer_items: set[str] = set()
    for name in reversed([name for name in versions if versions[name]]):
        items = max((set(tallies) for _, tallies in versions[name]), key=len)
        if tests and items == newer_items:
            tests[-1][1].extend(versions[name])
        else:
            tests.append((name, list(versions[name])))
        newer_items = items
    return tests


def _fitted(runs: Sequence[tuple[str, Tallies]]) -> _Version:
    most = max(len(tallies) for _, tallies in runs)
    models: dict[str, Tallies] = {}
    for model, tallies in runs:
        if len(tallies) == most:
            models.setdefault(model, tallies)
    items = sorted(next(iter(models.values())))
    models = {model: tallies for model, tallies in models.items() if tallies.keys() == set(items)}
    if len(models) < 2:
        raise ValueError("found only one model besides baselines; expected two or more")
    right = [[tallies[item].marks == tallies[item].repeats for item in items] for tallies in models.values()]
    return _Version(models, items, fit(np.array(right).reshape(len(models), len(items))))


def _step(old: _Version, new: _Version, name: str) -> tuple[Estimate, int]:
    """Return the shift from the new version's abilities to the scale of the old version, and the number of shared items.

    Raises:
        ValueError: the versions share too few items, or too few of their models are in only one version.
    """
    index_of = {item: number for number, item in enumerate(new.items)}
    shared = [(number, index_of[item]) for number, item in enumerate(old.items) if item in index_of]
    if len(shared) < LEAST:
        raise ValueError(f"found {len(shared)} shared items; expected {LEAST} or more")
    both = sorted(old.models.keys() & new.models.keys())
    sides = ([model for model in old.models if model not in both[::2]], [model for model in new.models if model not in both[1::2]])
    if min(map(len, sides)) < 2:
        raise ValueError(
f"found {len(old.models)} and {len(new.models)} models, {len(both)} of them in both versions; expected two in each "
"version, counting a model in both for only one"
)  # fmt: skip
    (before, ours), (after, theirs) = (version.fit_of(models) for version, models in zip((old, new), sides, strict=True))
    step = link(before, after, shared, name)
    return Estimate(step.value + ours - theirs, step.error), len(shared)


def _row(name: str, version: _Version, newest: np.ndarray, shift: Estimate, shared: int) -> Figures:
    errors = np.sqrt(np.diag(version.fitted.covariance) + shift.error**2)
    abilities = version.fitted.abilities + shift.value
    models = [
        {"model": model, "ability": round(float(at), DIGITS), "error": round(float(error), DIGITS),
         "on_newest": round(float(expit(at - newest).mean()), DIGITS)}
        for model, at, error in sorted(zip(version.models, abilities, errors, strict=True), key=lambda row: (-row[1], row[0]))
    ]  # fmt: skip
    own = version.fitted.difficulties + shift.value
    harder = float(expit(abilities.mean() - own).mean() - expit(abilities.mean() - newest).mean())
    return {"version": name, "items": len(version.items), "shared": shared, "shift": round(shift.value, DIGITS),
            "error": round(shift.error, DIGITS), "harder": round(harder, DIGITS), "models": models}  # fmt: skip


def as_lines(task: str, rows: Sequence[Figures]) -> list[str]:
    """Return the scale of a task as text for the terminal."""
    lines = [f"{task}: common scale (Rasch, logits), linked by the items that adjacent versions share"]
    for row in rows:
        off = f", {row['shared']} shared with the next version: the newest is {100 * row['harder']:+.1f} points harder; linking error " \
              f"± {row['error']:.2f}" if row["shared"] else ""  # fmt: skip
        lines.append(f"  {row['version']}: {row['items']} items{off}")
        lines += [f"    {one['model']}  {one['ability']:+.2f} ± {one['error']:.2f}, {100 * one['on_newest']:.1f} % expected on the newest"
                  for one in row["models"]]  # fmt: skip
    return lines
