"""Texts hang together as the plain join of all pairs says, however few of the pairs are looked at."""

import random

import pytest

from atomexam.runtime.disjoint_sets import DisjointSets
from curation.near_duplicates import clusters
from curation.near_duplicates.join.components import components
from curation.near_duplicates.join.similarity import near_pairs

WORDS = ["感觉", "知觉", "记忆", "思维", "想象", "情绪", "意志", "动机", "注意", "气质"]


def by_all_pairs(texts: list[str], threshold: float) -> list[int]:
    sets, pairs = DisjointSets(), near_pairs(texts, 3, threshold)
    for left, right in zip(pairs.left.tolist(), pairs.right.tolist(), strict=True):
        sets.join(left, right)
    return [sets.least(place) for place in range(len(texts))]


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(12))
def test_components_are_those_of_all_pairs(seed: int) -> None:
    draw = random.Random(seed)
    for _ in range(5):
        words = WORDS[: draw.randrange(2, 10)]
        texts = ["".join(draw.choices(words, k=draw.randrange(1, 60))) for _ in range(draw.randrange(1, 120))]
        texts = sorted({text[cut:] for text in texts for cut in (0, 1, 3)})
        for threshold in (0.3, 0.55, 0.8, 1.0):
            assert components(texts, 3, threshold).tolist() == by_all_pairs(texts, threshold)


def test_cases_are_kin_by_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random(1)
    cases = ["求助者" + "".join(draw.choices(WORDS, k=30)) for _ in range(40)]
    cases += [case[draw.randrange(20) :] + draw.choice(WORDS) for case in cases]
    plain = clusters._case_sets([*cases, None], 0.55, 3, [(cases[0], cases[1])])
    monkeypatch.setattr(clusters, "_MANY_CASES", 0)
    assert clusters._case_sets([*cases, None], 0.55, 3, [(cases[0], cases[1])]) == plain
    assert 2 < len(set(plain.values())) < len(plain)
