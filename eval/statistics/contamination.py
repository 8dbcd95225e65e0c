"""Contamination: is a model right more often on test, which is public, than on the twins of reserved, which no release showed?

Twins are drawn alike: units (a question, a case, the claims on a head) of one composition, one from each split. A model that has seen
neither is as often right on both, so the pairs of twins are tested like the shared items of two runs.
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean
from typing import NamedTuple

from scipy.special import logsumexp, ndtri

from atomexam.records.prediction import Prediction
from eval.statistics.bootstrap import DIGITS, LEVEL, Figures
from eval.statistics.pairing import Tallies, Tally, mean, paired, with_holm
from eval.tasks.request import Request

_POWER = 0.8


class Item(NamedTuple):
    """A question or claim of test or reserved."""

    id: str
    unit: str
    """Equal for items that were drawn together: the case or group of shared options, the head; else the id."""
    cell: tuple[str, ...]
    """What the draw made equal in both splits, such as exam, type and subject."""


class Twins(NamedTuple):
    """The pairs of twins; items without a twin are in none."""

    reserved_of: dict[str, str]
    """Id in test -> id in reserved."""
    units: dict[str, str]
    """Id in test -> its unit."""


def twins(test: Iterable[Item], reserved: Iterable[Item]) -> Twins:
    """Return the twins: ids are hashes of content, so their order pairs units of one composition at random."""
    sides = [_by_composition(items) for items in (test, reserved)]
    found = Twins({}, {})
    for composition, units in sides[0].items():
        for one, other in zip(units, sides[1].get(composition, ()), strict=False):
            for item, twin in zip(one, other, strict=True):
                found.reserved_of[item.id] = twin.id
                found.units[item.id] = item.unit
    return found


def _by_composition(items: Iterable[Item]) -> dict[tuple[tuple[str, ...], ...], list[list[Item]]]:
    units: dict[str, list[Item]] = defaultdict(list)
    for item in sorted(items, key=lambda item: (item.cell, item.id)):
        units[item.unit].append(item)
    found: dict[tuple[tuple[str, ...], ...], list[list[Item]]] = defaultdict(list)
    for unit in sorted(units.values(), key=lambda unit: min(item.id for item in unit)):
        found[tuple(item.cell for item in unit)].append(unit)
    return found


def probe(on_test: Mapping[str, Tallies], on_reserved: Mapping[str, Tallies], pairs: Twins) -> list[Figures]:
    """Return a row for each model: accuracies, their difference with interval, p-values corrected for all models (Holm), and a verdict.

    `detectable` is the difference that would be found 8 of 10 times with this number of twins and models; a smaller one may go unnoticed.

    Args:
        on_test: model -> how often each item of test was right, or `published_order_best` of them; asked in one way in both splits.
        on_reserved: the same of reserved; a model that is in one of the two only has no row.
    """
    rows: list[Figures] = []
    for model in sorted(on_test.keys() & on_reserved.keys()):
        ours, theirs = on_test[model], on_reserved[model]
        asked = [item for item, twin in pairs.reserved_of.items() if item in ours and twin in theirs]
        one, other = {item: ours[item] for item in asked}, {item: theirs[pairs.reserved_of[item]] for item in asked}
        means = {name: round(float(mean(each.values()) or 0), DIGITS) for name, each in (("test", one), ("reserved", other))}
        rows.append({"model": model} | means | paired(one, other, pairs.units, f"{model} on test and reserved"))
    with_holm(rows)
    for row in rows:
        if row["shared"]:
            row["contaminated"] = row["differs"] and row["difference"] > 0
            row["detectable"] = _detectable(row["interval"], len(rows))
    return rows


def _detectable(interval: tuple[float, float] | None, models: int) -> float | None:
    if interval is None:
        return None
    tail = (1 - LEVEL) / 2
    error = (interval[1] - interval[0]) / (2 * ndtri(1 - tail))
    return round(float(error * (ndtri(1 - tail / models) + ndtri(_POWER))), DIGITS)


def published_order_best(variants: Sequence[Sequence[Request]], predictions: Iterable[Prediction], repeats: int = 1) -> Tallies:
    """Return for each question whether the right answer is likeliest with the options in their published order.

    A model that has not seen the question does not care which of its orders was published (exchangeability: Y. Oren and others, 2023),
    apart from what makes one natural, such as rising numbers; that is alike in the twins, so `probe` compares the two splits.

    Args:
        variants: the requests of a run with `method: likelihood` and several `orders`; questions that have one order only are left out.
        repeats: those of the run.
    """
    asked = [{request.item_id: request for request in requests} for requests in variants]
    shares: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in predictions:
        request = asked[row.repeat // repeats][row.item_id]
        if row.likelihoods and request.answer in row.likelihoods:
            share = row.likelihoods[request.answer] - float(logsumexp(list(row.likelihoods.values())))
            shares[row.item_id][request.shift].append(share)
    return {
        item: Tally(int(max(shifts, key=lambda shift: fmean(shifts[shift])) == 0), 1)
        for item, shifts in shares.items()
        if len(shifts) > 1
    }  # fmt: skip
