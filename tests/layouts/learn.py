"""Learn the weights of crawlers/second_reader from labelled pages: python -m tests.layouts.learn [PAGES]. Averaged perceptron, seeded."""

import sys
from collections import defaultdict
from pathlib import Path
from random import Random

import numpy as np
import numpy.typing as npt

from crawlers.second_reader.roles import ROLES, best_roles, format_weights
from tests.layouts.labelled import Labelled, drawn_page, written_page

WEIGHTS = Path(__file__).parents[2] / "crawlers" / "second_reader" / "weights.tsv"
_ROUNDS, _SEED, _SCALE, _LEAST = 6, 20261123, 10, 8


def pages(count: int, start: int) -> list[Labelled]:
    """Return labelled pages, one half of each source."""
    return [(drawn_page if at % 2 else written_page)(Random(start + at)) for at in range(count)]


def learned(labelled: list[Labelled]) -> dict[str, npt.NDArray[np.int64]]:
    """Return the weights, averaged over all steps and rounded."""
    weights: dict[str, npt.NDArray[np.int64]] = defaultdict(lambda: np.zeros(len(ROLES), dtype=np.int64))
    total: dict[str, npt.NDArray[np.int64]] = defaultdict(lambda: np.zeros(len(ROLES), dtype=np.int64))
    rng, step = Random(_SEED), 0
    for _ in range(_ROUNDS):
        order = list(range(len(labelled)))
        rng.shuffle(order)
        for at in order:
            segments, gold = labelled[at]
            step += 1
            features = [one.features for one in segments]
            told, _ = best_roles(features, weights)
            for place, (right, wrong) in enumerate(zip(gold, told, strict=True)):
                before, said = (gold[place - 1], told[place - 1]) if place else (-1, -1)
                if (right, before) == (wrong, said):
                    continue
                if right != wrong:
                    for feature in features[place]:
                        _move(weights, total, feature, right, wrong, step)
                if place:
                    _add(weights, total, f"after {ROLES[before]}", right, 1, step)
                    _add(weights, total, f"after {ROLES[said]}", wrong, -1, step)
    averaged = {feature: np.rint(_SCALE * (weights[feature] - total[feature] / step)).astype(np.int64) for feature in weights}
    return {feature: row for feature, row in averaged.items() if np.abs(row).max() >= _LEAST}


def _move(weights, total, feature: str, right: int, wrong: int, step: int) -> None:
    _add(weights, total, feature, right, 1, step)
    _add(weights, total, feature, wrong, -1, step)


def _add(weights, total, feature: str, role: int, by: int, step: int) -> None:
    weights[feature][role] += by
    total[feature][role] += by * step


def right_share(labelled: list[Labelled], weights: dict[str, npt.NDArray[np.int64]]) -> float:
    """Return which share of segments gets its role."""
    told = [best_roles([one.features for one in segments], weights)[0] for segments, _ in labelled]
    pairs = [pair for (_, gold), roles in zip(labelled, told, strict=True) for pair in zip(gold, roles, strict=True)]
    return sum(right == told for right, told in pairs) / len(pairs)


def main(count: int) -> None:
    weights = learned(pages(count, 0))
    WEIGHTS.write_text(format_weights(weights), encoding="utf-8")
    print(f"{len(weights)} features; {100 * right_share(pages(60, 900_000), weights):.2f} % of segments of other pages have their role")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 1600)
