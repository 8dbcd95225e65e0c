"""Counts of the stages -> what went on and what was held back at each, and a picture of it: from what pages say to the splits."""

from collections.abc import Mapping
from typing import NamedTuple

from eval.statistics.intervals import Figures

_WIDTH, _HEIGHT, _BAR, _GAP, _LINE = 900, 190, 10, 3, 18


class Step(NamedTuple):
    """One stage of a kind of record."""

    name: str
    came: int
    went: int
    held: int
    """Rejected; with what went on it is what came."""


class Flow(NamedTuple):
    """What became of one kind of record."""

    kind: str
    steps: list[Step]
    splits: dict[str, int]


class Band(NamedTuple):
    """A part of the picture: a polygon and the words at its right end."""

    kind: str
    """`went`, `held` or `split`."""
    points: str
    x: float
    y: float
    words: str


def flows(data: Mapping[str, Figures]) -> list[Flow]:
    """Return what became of questions and of facts, which claims are made from."""
    split = data["split"]
    questions = [_step("clean", data["clean"]["questions"]), _step("near_duplicates", data["near_duplicates"]["questions"])]
    facts = [_step("clean", data["clean"]["facts"]), _step("near_duplicates", data["near_duplicates"]["facts"])]
    facts.append(_step("claims", data["claims"]["facts"]))
    return [Flow("questions", questions, split["questions"]), Flow("facts and claim pairs", facts, split["claims"])]


def _step(name: str, counts: Figures) -> Step:
    return Step(name, counts["in"], counts["out"], counts["rejected"])


def picture(flow: Flow) -> list[Band]:
    """Return the bands of a flow in a picture of 900 by 190: what goes on above, what is held back turns down, the splits at the right."""
    most = max((step.came for step in flow.steps), default=0) or 1
    full = _HEIGHT - 60
    column = _WIDTH / (len(flow.steps) + 1.6)
    bands = []
    for place, step in enumerate(flow.steps):
        left, right = place * column, (place + 1) * column
        went, came = full * step.went / most, full * step.came / most
        bands.append(
            Band(
                "went",
                _polygon((left, 0), (right - _BAR, 0), (right - _BAR, went), (left, went)),
                left + 6,
                16,
                f"{step.name}: {step.came}",
            )
        )
        if step.held:
            turn = [
                (left, went),
                (right - _BAR - 40, _HEIGHT - 26),
                (right - _BAR - 40, _HEIGHT - 26 + max(1.0, came - went)),
                (left, came),
            ]
            bands.append(Band("held", _polygon(*turn), left + 6, _HEIGHT - 4, f"rejected {step.held}"))
    left = len(flow.steps) * column
    end, top, slot = left + column * 0.6, 0.0, 0.0
    total = sum(flow.splits.values()) or 1
    room = full * (flow.steps[-1].went if flow.steps else 0) / most
    for name, count in flow.splits.items():
        height = room * count / total
        corners = [(left, top), (end, slot), (end, slot + max(1.0, height)), (left, top + height)]
        bands.append(Band("split", _polygon(*corners), end + 8, slot + height / 2 + 5, f"{name} {count}"))
        top, slot = top + height, slot + max(height + _GAP, _LINE)
    return bands


def _polygon(*corners: tuple[float, float]) -> str:
    return " ".join(f"{x:.1f},{y:.1f}" for x, y in corners)
