"""The first screen of the report: models against baselines, the leader, parts by difficulty."""

import re

import pytest

from eval.report.__main__ import (
    page,
    summarize,
)
from eval.report.charts import (
    PARTS,
)
from eval.report.first_screen import LEAST, board, breakdowns, compare_best_models, equal_shares_p_value, parts
from tests.eval.report_toys import ABOUT, FOUND, HALF, RUN, RUNS, run


def test_chance_and_the_best_rule_are_the_line_of_true_or_false() -> None:
    figures = {**ABOUT, **HALF, "task": "tf", "chance": 0.5, "rule": {"rule": "always_wrong", "accuracy": 0.625}}
    (column,) = board(FOUND._replace(runs={"tiny-tf": figures}), {}).columns
    assert (column.baseline.name, column.baseline.value) == ("rule always_wrong", 0.625)


def test_a_draw_is_no_line_but_chance_is() -> None:
    own = {**ABOUT, **HALF, "task": "choice", "chance": 0.2, "by_category": {"ca": HALF | {"chance": 0.25}}}
    runs = {"own": own, "lucky": own | {"model": "dice"}}
    found = FOUND._replace(runs=runs, judges={}, comparisons=[], baselines=frozenset({"dice"}), guessing=frozenset({"dice"}))
    whole, case = board(found, {}).columns
    assert [(one.baseline.name, one.baseline.value, one.baseline.run) for one in (whole, case)] == [
        ("chance", 0.2, None),
        ("chance", 0.25, None),
    ]
    whole, case = board(found._replace(guessing=frozenset()), {}).columns
    assert [one.baseline.run for one in (whole, case)] == ["lucky", "lucky"]


def test_subjects_of_enough_questions_are_sorted_else_exams() -> None:
    subjects = {"low": part(0.05, 30) | {"accuracy_interval": [0.01, 0.2]}, "high": part(0.75, 20), "few": part(1.0, 19)}
    runs = {"a": run("choice", 0.5, by_subject=subjects, by_exam={"PCE": part(0.5, 69)}), "b": run("choice", 0.5) | {"model": "n"}}
    found = compare_best_models(runs, ["a", "b"])
    assert (found.facet, found.models, [row.value for row in found.rows]) == ("subject", ["m", "n"], ["high", "low"])
    assert found.rows[0].cells[0]["run"] == "a" and found.rows[0].cells[1] is None
    runs["a"] |= {"by_subject": {"few": part(1.0, 19), "low": part(0.25, 30)}, "by_exam": {"PCE": part(0.5, 69), "TQE": part(0.5, 20)}}
    assert [row.value for row in compare_best_models(runs, ["a", "b"]).rows] == ["PCE", "TQE"]  # of one subject none is harder than another
    runs["tcm"] = run("tcm", 0.5, by_exam={"TCM": part(1.0, 99)})
    assert [row.value for row in compare_best_models(runs, ["a", "b", "tcm"]).rows] == ["PCE", "TQE"]  # not of another task
    del runs["a"]["by_exam"]["TQE"]
    assert not compare_best_models(runs, ["a", "b"]).rows


def test_parts_are_sorted_by_difficulty_and_only_large_ones_are_tested() -> None:
    subjects = {"few": part(1.0, 4), "low": part(0.05, 30) | {"accuracy_interval": [0.01, 0.2]}, "high": part(0.75, 20)}
    runs = {"a": RUNS["tiny-choice"] | run("choice", 0.5, by_subject=subjects, by_exam={"PCE": part(0.5, 30)}, by_side=subjects)}
    rows = parts(runs, runs, PARTS, ["rule", "m"])
    by_facet = {group.facet: group for group in breakdowns(rows, ["rule", "m"])}
    assert {group.model for group in by_facet.values()} == {"m"}
    assert [row.value for row in by_facet["subject"].rows] == ["few", "high", "low"]
    assert by_facet["subject"].p_value is not None and by_facet["subject"].p_value < 0.05
    assert by_facet["exam"].p_value is None and by_facet["side"].p_value is None  # one exam; sides of the same facts
    shown = re.sub("<[^>]+>", "", page(FOUND._replace(runs=runs), summarize(FOUND)))
    assert "choice by subject, easiest for m first: significant difference (p " in shown
    assert "choice by exam, easiest for m first: not tested, fewer than two parts have 20 items" in shown


def test_the_best_two_models_are_compared_by_their_choices() -> None:
    names = {"rule": ("choice", 0.9), "worst": ("choice", 0.1), "best": ("choice", 0.6), "next": ("choice", 0.5), "other": ("tcm", 0.9)}
    runs = {name: run(task, accuracy) | {"model": name} for name, (task, accuracy) in names.items()}
    assert compare_best_models(runs, [*runs], {"rule"}).models == ["best", "next"]
    assert compare_best_models(runs, ["rule", "other"], {"rule"}).models == ["other", "rule"]


def test_whether_parts_differ_in_difficulty_is_tested() -> None:
    assert equal_shares_p_value([(0.25, 30), (0.75, 20)]) == pytest.approx(
        0.0004985, rel=1e-3
    )  # scipy.stats.chi2_contingency, without correction
    for high, words in (
        (0.55, "the differences are not statistically significant (chi-squared over clusters, p = 0.7"),
        (1.0, "the differences are statistically significant (chi-squared over clusters, p < 0.001"),
    ):
        exams = {"low": part(0.5, 30) | {"accuracy_interval": [0.325, 0.675]}, "high": {"questions": 20, "accuracy": high}}
        stages = FOUND._replace(runs={"a": ABOUT | HALF | run("choice", 0.5, by_exam=exams)})
        shown = page(stages, summarize(stages)).replace("&lt;", "<")
        assert f"For m {words}" in shown and ("No significant difference between exams" in shown) is ("not" in words)
        assert (shown.index(">high<") < shown.index(">low<")) is ("not" not in words)  # sorted only where there is an order


def pair(a: str, b: str, difference: float, mcnemar_p: float, bootstrap_p: float, *, differs: bool = False) -> dict:
    about = {"a": a, "b": b, "shared": 9, "difference": difference, "differs": differs, "interval": [difference - 0.1, difference + 0.1]}
    return about | {
        "better": 5 + 9 * (difference > 0),
        "worse": 5 + 9 * (difference < 0),
        "mcnemar_p": mcnemar_p,
        "bootstrap_p": bootstrap_p,
    }


@pytest.mark.parametrize(
    ("accuracy", "bounds", "baseline", "compared", "line", "verdict"),
    [
        (0.3, [0.2, 0.4], None, None, "chance", "above"),
        (0.0, [0.0, 0.0362], None, None, "chance", "below"),
        (0.07, [0.02, 0.1], None, None, "chance", "unsure"),
        (0.3, [0.2, 0.4], 0.2, None, "rule", "unsure"),  # the intervals overlap, and nobody has compared the runs
        (0.3, [0.2, 0.4], 0.2, pair("rules", "own", -0.1, 0.01, 0.01), "rule", "above"),  # corrected for this model, not for all pairs
        (0.3, [0.2, 0.4], 0.1, pair("own", "rules", 0.2, 0.06, 0.01), "rule", "unsure"),
        (0.1, [0.05, 0.2], 0.3, pair("own", "rules", -0.2, 0.01, 0.01), "rule", "below"),
    ],
)
def test_a_model_stands_above_or_below_the_best_line_where_it_is_sure(accuracy, bounds, baseline, compared, line, verdict) -> None:
    runs = {"own": RUN | {"accuracy": accuracy, "accuracy_interval": bounds}}
    if baseline is not None:
        runs["rules"] = RUN | {"model": "rule", "accuracy": baseline, "accuracy_interval": [baseline - 0.1, baseline + 0.1]}
    stages = FOUND._replace(runs=runs, judges={}, comparisons=[compared] if compared else [], baselines=frozenset({"rule"}))
    found = board(stages, {"without_knowledge": {"tail": {"facts": 0.01, "sentences": 0.5}}})
    assert (found.columns[0].baseline.name, found.own[0].cells[0].verdict) == (line, verdict)
    assert found.leader.best[0] == "m" and list(found.verdicts) == [verdict]


def test_marks_are_corrected_for_the_models_that_stand_against_the_line() -> None:
    """By Holm 0.01, 0.02 and 0.04 of three models are 0.03, 0.04 and 0.04; of four only the first is below 0.05. No other pair counts."""
    models = {"a": 0.01, "b": 0.02, "c": 0.04}
    runs = {"rules": RUN | {"model": "rule", "accuracy": 0.2}} | {name: RUN | {"model": name, "accuracy": 0.3} for name in models}
    pairs = [pair(name, "rules", 0.1, p_value, 0.001) for name, p_value in models.items()] + [pair("a", "b", 0.0, 1.0, 1.0)] * 77
    stages = FOUND._replace(runs=runs, judges={}, comparisons=pairs, baselines=frozenset({"rule"}))
    assert {row.model: row.cells[0].verdict for row in board(stages, {}).own} == {"a": "above", "b": "above", "c": "above"}
    lacking = stages._replace(runs=stages.runs | {run: stages.runs[run] | {"replied": 20} for run in stages.runs if run[0] == "a"})
    assert {row.model: row.cells[0].verdict for row in board(lacking, {}).own} == {"a": "", "b": "above", "c": "above"}
    crowded = stages._replace(runs=runs | {"d": RUN | {"model": "d"}}, comparisons=[*pairs, pair("d", "rules", 0.1, 0.5, 0.5)])
    assert {row.model: row.cells[0].verdict for row in board(crowded, {}).own} == dict.fromkeys("abcd", "unsure") | {"a": "above"}


def test_the_best_of_many_that_guess_is_not_surely_above_chance() -> None:
    """Of 40 models, 18 of 165 facts is what the best is likely to have by chance; 33 is not. The same alone is above, unless the items
    are right or wrong together."""
    luck = RUN | {"facts": 165, "accuracy": 18 / 165, "accuracy_interval": [0.0697, 0.167]}
    found = {}
    for name, runs in {
        "many": {f"r{at}": luck | {"model": f"m{at}"} for at in range(39)}
        | {"best": luck | {"accuracy": 0.2, "accuracy_interval": [0.146, 0.268]}},
        "alone": {"best": luck},
        "together": {"best": luck | {"accuracy_interval": [0.05, 0.23]}},
        "few": {"best": luck | {"facts": LEAST - 1, "accuracy": 1.0, "accuracy_interval": [0.82, 1.0]}},
    }.items():
        found[name] = [row.cells[0].verdict for row in board(FOUND._replace(runs=runs, judges={}, comparisons=[]), {}).own]
    assert found == {"many": ["above", *["unsure"] * 39], "alone": ["above"], "together": ["unsure"], "few": [""]}


@pytest.mark.parametrize(
    ("others", "words"),
    [
        ({"b": RUN | {"model": "n"}}, ["Best on fourfold facts: m, n with 30.0 % of 100<", "tied with <b>n</b>"]),
        (
            {"b": RUN | {"task": "choice", "model": "n", "accuracy": 0.9, "questions": 100}},
            [
                "Best on fourfold facts: m with 30.0 %",
                "No other model has at least 20 scored items of fourfold facts.",
                "<dt>Best on choice</dt>\n<dd><b>n</b>: 90.0 %",
            ],
        ),
        (
            {"b": RUN | {"model": "n", "facts": 2, "accuracy": 1.0}},
            ["Best on fourfold facts: m with 30.0 %", "No other model has at least 20 scored items"],
        ),
    ],
)
def test_the_lead_names_all_that_are_level_and_none_of_few_items(others: dict, words: list[str]) -> None:
    stages = FOUND._replace(runs={"a": RUN, **others}, judges={}, comparisons=[])
    html = page(stages, summarize(stages))
    assert all(one in html for one in words) and board(stages, {}).own[0].model == "m"
    assert html.count("<dt>Best on ") == 1 + (others["b"].get("task") == "choice")


def test_without_a_figure_of_enough_items_it_is_said_whether_a_model_ran() -> None:
    few = {"a": RUN | {"facts": LEAST - 1}}
    own, rules = (FOUND._replace(runs=few, judges={}, comparisons=[], baselines=names) for names in (set(), {"m"}))
    assert "No model has a score on at least 20 items yet." in page(own, summarize(own))
    assert "yet: only baselines have run." in page(rules, summarize(rules))


def test_tokens_are_those_of_the_runs_whose_figures_stand_beside_them() -> None:
    runs = {name: RUN | {"usage": {"prompt_tokens": 10, "reply_tokens": at}} for at, name in enumerate(("first", "again"))}
    assert board(FOUND._replace(runs=runs, judges={}, comparisons=[]), {}).own[0].tokens == 10


def test_the_lead_is_sure_where_the_runs_differ_and_the_first_run_of_a_task_counts() -> None:
    runs = {"a": RUN, "again": RUN | {"accuracy": 0.9}, "b": RUN | {"model": "n", "accuracy": 0.5}}
    for differs in (True, False):
        pairs = [pair("a", "b", -0.2, 0.01, 0.01, differs=differs)]
        lead = board(FOUND._replace(runs=runs, judges={}, comparisons=pairs), {}).leader
        assert (lead.best[0], lead.second[0], lead.second[1].value, lead.is_significant) == ("n", "m", 0.3, differs)
    html = page(FOUND._replace(runs=runs, judges={}, comparisons=[]), summarize(FOUND))
    assert "(at 0 and 100 % exact, Clopper-Pearson, over the effective number of clusters)" in html and "n 100</small>" in html
    assert "the lead of +20.0 points may be due to chance" in html and "Best on fourfold facts: n with 50.0 % of 100, above" in html


def part(accuracy: float | None, questions: int = 8) -> dict:
    return {"questions": questions, "accuracy": accuracy, "accuracy_interval": [0.1, 0.9]}
