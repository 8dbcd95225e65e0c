"""The law of readers on further forms: what is read is equal, most is, and nothing is silently something else."""

from collections import Counter
from random import Random
from types import ModuleType

import pytest

from atomexam.text.refusal import Refusal
from tests.layouts import chapters, chats, exercises, slides, wikis
from tests.layouts.law import judged, read

FORMS = {"chapters": (chapters, 0.9), "chats": (chats, 0.9), "exercises": (exercises, 0.9), "slides": (slides, 0.9), "wikis": (wikis, 0.9)}
"""Modules that draw forms, each with the least share of questions read equal."""


def _outcomes(drawn: ModuleType, seeds: range) -> tuple[Counter[str], list[int]]:
    counts: Counter[str] = Counter()
    silent = []
    for seed in seeds:
        rng = Random(seed)
        form, golds = drawn.form(rng), drawn.questions(rng)
        text = drawn.text_of(golds, form, rng)
        try:
            outcomes = [one.what for one in judged(golds, *read(f"drawn{drawn.SUFFIX}", text.encode(), "paper"))]
        except Refusal:
            outcomes = ["refused"] * len(golds)
        counts.update(outcomes)
        silent += [seed] if "silent" in outcomes else []
    return counts, silent


@pytest.mark.parametrize("name", FORMS)
def test_what_makers_write_is_read_or_given_up(name: str) -> None:
    drawn, least = FORMS[name]
    counts, silent = _outcomes(drawn, range(60))
    assert not silent and counts["equal"] > least * counts.total(), (counts, silent)


@pytest.mark.slow
@pytest.mark.parametrize("name", FORMS)
def test_more_of_what_makers_write_is_read_or_given_up(name: str) -> None:
    drawn, least = FORMS[name]
    counts, silent = _outcomes(drawn, range(60, 660))
    assert not silent and counts["equal"] > least * counts.total(), (counts, silent)
