"""How far wording alone answers claims."""

import pytest

from atomexam.records.claim import ClaimPair
from eval.score.grid import Grid, read_scores
from eval.score.wording import FACTUAL, NON_FACTUAL, best, negated_sides, rules
from eval.statistics.intervals import hash_of
from eval.tasks.claim import TASK, requests


def asked(*kinds: tuple[str, bool], prompt: str = "claim") -> Grid:
    """Return pairs that nobody replied to, each with its atomic type and whether the true sentence is the one with the negation."""
    pairs = []
    for number, (kind, is_denied) in enumerate(kinds):
        says, denies = (
            (f"病{number}宜吃菜", f"病{number}忌吃菜") if kind == "disease_food" else (f"病{number}具有传染性", f"病{number}不具有传染性")
        )
        factual, other = (denies, says) if is_denied else (says, denies)
        pairs.append(
            ClaimPair(id=f"c{number}", atomic_type=kind, head=f"病{number}", tail="菜", factual=factual, non_factual=other, template_id="t",
                      fact_ids=[], provenance=[])
        )  # fmt: skip
    return read_scores([], requests([], pairs, prompt)).grid()


@pytest.mark.parametrize("prompt", TASK.prompts)
def test_the_side_with_the_negation_is_found_in_every_wording(prompt: str) -> None:
    grid = asked(("disease_food", True), ("disease_food", False), ("disease_infectivity", True), prompt=prompt)
    units, sides = negated_sides(grid)
    assert dict(zip(grid.unit[units.first], sides, strict=True)) == {
        hash_of("c0"): FACTUAL,
        hash_of("c1"): NON_FACTUAL,
        hash_of("c2"): FACTUAL,
    }


def test_rules_are_right_where_the_wording_gives_it_away() -> None:
    food, spread = ("disease_food", True), ("disease_infectivity", False)
    all_of = asked(food, food, food, spread)
    assert rules(all_of) == {"negation_word": 0.25, "negation_affirmed": 0.75, "negation_by_type": 1.0}
    assert best(rules(all_of)) == {"rule": "negation_by_type", "accuracy": 1.0}
    assert rules(asked())["negation_word"] is None and best(rules(asked()))["accuracy"] is None
