"""The change of a rate between two versions, divided without a remainder: items removed, with another result, and added."""

from collections.abc import Iterable, Mapping
from fractions import Fraction
from math import floor
from typing import NamedTuple

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Prediction, Score
from eval.statistics.pairing import Tallies, mean, scored_id

CAUSES = ("key", "repeats", "prompt", "weights", "reply", "reading", "mark")
"""Why an item has another result, in order of precedence: another right answer, another number of repeats, another prompt, another
reply to the same prompt, of other weights or of the same, another parsed answer of the same reply, another mark for it."""
UNITS = 10_000  # of a rate: effects are in hundredths of a percentage point

Traits = Mapping[str, tuple]
"""Cause -> the values that differ between two versions if it applies."""


class RateEffect(NamedTuple):
    """The effect of one cause on a rate."""

    name: str
    items: int
    effect: Fraction


def divide(before: Tallies, after: Tallies, causes: Mapping[str, str]) -> list[RateEffect]:
    """Return the parts whose effects sum up to mean(after) - mean(before), exactly.

    Removing items changes the rate from the mean before to that of the shared items before; then these get their new results,
    cause by cause; then the added items change it to the mean after. If nothing is shared, the complete change is `added`.

    Args:
        causes: shared item -> why it has another result, if it has.
    """
    shared = sorted(before.keys() & after.keys())
    start, end = mean(before.values()), mean(after.values())
    if start is None or end is None:
        return []
    shared_before = mean(before[key] for key in shared)
    stay = start if shared_before is None else shared_before
    parts = [RateEffect("removed", len(before) - len(shared), stay - start)]
    effects = {cause: [after[key].share - before[key].share for key in shared if causes.get(key) == cause] for cause in CAUSES}
    parts += [RateEffect(cause, len(moved), sum(moved, Fraction(0)) / max(len(shared), 1)) for cause, moved in effects.items()]
    moved = sum((part.effect for part in parts), start)
    return [*parts, RateEffect("added", len(after) - len(shared), end - moved)]


def traits_of(
    scores: Iterable[Score], replies: Iterable[Prediction], keys: Mapping[str, str | None], judged: Iterable[Judgement] = ()
) -> dict[str, Traits]:
    """Return the traits of each pair or question that may explain a changed result."""
    traits_by_item: dict[str, dict[str, list]] = {}
    for score in scores:
        traits = traits_by_item.setdefault(scored_id(score.item_id), {cause: [] for cause in CAUSES})
        traits["key"].append((score.item_id, keys.get(score.item_id)))
        traits["repeats"].append((score.item_id, score.repeat))
        traits["reading"].append((score.item_id, score.repeat, score.outcome, score.answer or "", score.correct is True))
    for reply in replies:
        if (key := scored_id(reply.item_id)) in traits_by_item:
            traits_by_item[key]["prompt"].append((reply.item_id, reply.repeat, reply.prompt_sha256))
            traits_by_item[key]["reply"].append((reply.item_id, reply.repeat, reply.reply, reply.finish_reason))
    for one in judged:
        if one.item_id in traits_by_item:
            traits_by_item[one.item_id]["mark"].append((one.repeat, one.order, one.draw, one.mark))
    return {key: {cause: tuple(sorted(values, key=str)) for cause, values in traits.items()} for key, traits in traits_by_item.items()}


def causes_of(before: Mapping[str, Traits], after: Mapping[str, Traits], *, other_weights: bool = False) -> dict[str, str]:
    """Return why each shared item may have another result: the first cause that applies; items with none are left out.

    Args:
        other_weights: the model was trained anew or is another, which explains other replies.
    """
    shared = before.keys() & after.keys()
    causes = {key: next((cause for cause in CAUSES if before[key][cause] != after[key][cause]), None) for key in sorted(shared)}
    return {key: "weights" if cause == "reply" and other_weights else cause for key, cause in causes.items() if cause}


def rounded(start: Fraction, end: Fraction, effects: list[Fraction]) -> tuple[int, int, list[int]]:
    """Return a change and its parts in hundredths of a percentage point, rounded so that they still sum up (largest remainders)."""
    first, last = round(start * UNITS), round(end * UNITS)
    units = [floor(effect * UNITS) for effect in effects]
    rests = sorted((index for index, effect in enumerate(effects) if effect), key=lambda index: units[index] - effects[index] * UNITS)
    for index in rests[: last - first - sum(units)]:
        units[index] += 1
    return first, last, units
