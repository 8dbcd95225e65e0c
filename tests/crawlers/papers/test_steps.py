"""A pass is left out where the text lacks its signs: then it would have changed nothing."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from random import Random

import pytest

from crawlers.papers.paper import ESSAYS, STEPS
from crawlers.papers.passes.steps import Step, run_steps
from crawlers.papers.signs.answer_marks import Numbered, plain, visible
from tests.layouts.cases import FORMATS

PAPERS = Path(__file__).parents[2] / "papers"
_SEEDS = range(700_000, 700_060)
_NEEDING = [step for step in (*STEPS, *ESSAYS) if step.needs]


@cache
def _papers() -> list[list[Numbered]]:
    texts = [path.read_text(encoding="utf-8") for path in sorted(PAPERS.glob("*.txt"))]
    texts += [FORMATS["text"](Random(seed)).text for seed in _SEEDS]
    return [[(at, visible(line)) for at, line in enumerate(text.split("\n"))] for text in texts]


@cache
def _met() -> dict[str, list[list[Numbered]]]:
    """Return by the name of a pass the lines that it changes, as the passes before it leave them."""
    met: dict[str, list[list[Numbered]]] = {}
    for lines in _papers():
        for step in (*STEPS, *ESSAYS):
            done = list(step.run(lines))
            if step.needs and done != lines:
                met.setdefault(step.run.__name__, []).append(lines)
            lines = done
    return met


def _without(lines: list[Numbered], step: Step) -> list[Numbered]:
    """Return lines from which everything is cut that a pass needs."""
    text, before = "\n".join(plain(line) for _, line in lines), ""
    while text != before:
        before = text
        for need in step.needs:
            text = text.replace(need, "") if isinstance(need, str) else need.sub("", text)
    return list(enumerate(text.split("\n")))


def _names() -> Iterator[str]:
    yield from (step.run.__name__ for step in _NEEDING)


@pytest.mark.parametrize("step", _NEEDING, ids=_names())
def test_a_pass_changes_nothing_where_its_signs_are_missing(step: Step) -> None:
    for lines in _met().get(step.run.__name__, []):
        assert run_steps(lines, [step]) == list(step.run(lines)) != lines
        bare = _without(lines, step)
        assert list(step.run(bare)) == bare


def test_many_passes_are_met_by_some_paper() -> None:
    assert len(_met()) > len(_NEEDING) // 4, sorted({*_names()} - {*_met()})
