"""Accuracies of atomic types -> a radar chart in a picture of 660 by 330: polygon, band of intervals, names with n."""

from collections.abc import Mapping, Sequence
from math import cos, pi, sin
from typing import NamedTuple

from eval.statistics.intervals import Figures

_WIDTH, _HEIGHT, _RADIUS, _NAME = 660, 330, 125, 12
_LEAST = 3  # axes that make an area
_UPRIGHT = 0.1  # of the cosine: a name directly above or below is centred on its axis
RINGS = (0.25, 0.5, 0.75, 1.0)


class Axis(NamedTuple):
    """One atomic type."""

    x: float
    y: float
    name_x: float
    name_y: float
    anchor: str
    words: str


class Radar(NamedTuple):
    """A picture; polygons are lists of points."""

    axes: list[Axis]
    rings: list[str]
    value: str
    low: str
    high: str


def radar(groups: Mapping[str, Figures]) -> Radar | None:
    """Return the radar of a run's accuracies by atomic type; None if there are too few types, or one has no accuracy."""
    values = [group.get("accuracy") for group in groups.values()]
    if len(groups) < _LEAST or None in values:
        return None
    bounds = [group.get("accuracy_interval") or (group["accuracy"], group["accuracy"]) for group in groups.values()]
    sizes = [group.get("pairs", group.get("questions")) for group in groups.values()]
    axes = [_axis(index, len(groups), f"{name}, {size}") for index, (name, size) in enumerate(zip(groups, sizes, strict=True))]
    rings = [_polygon([ring] * len(groups)) for ring in RINGS]
    low, high = ([bound[side] for bound in bounds] for side in (0, 1))
    return Radar(axes, rings, _polygon([value or 0.0 for value in values]), _polygon(low), _polygon(high))


def _axis(index: int, of: int, words: str) -> Axis:
    across = sin(2 * pi * index / of)
    anchor = "middle" if abs(across) < _UPRIGHT else "start" if across > 0 else "end"
    far = _RADIUS + _NAME * (2 if anchor == "middle" else 1)  # else it overlaps its neighbours
    return Axis(*_at(index, of, _RADIUS), *_at(index, of, far), anchor, words)


def _polygon(shares: Sequence[float]) -> str:
    return " ".join("{},{}".format(*_at(index, len(shares), _RADIUS * share)) for index, share in enumerate(shares))


def _at(index: int, of: int, radius: float) -> tuple[float, float]:
    """Return a index on an axis; the first points upwards, the others follow clockwise."""
    angle = 2 * pi * index / of
    return round(_WIDTH / 2 + radius * sin(angle), 1), round(_HEIGHT / 2 - radius * cos(angle), 1)
