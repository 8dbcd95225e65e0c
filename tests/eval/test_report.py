"""The summary, the plots' tables, and the page, in a real browser."""

import csv
import io
import json
import re
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import msgspec
import pytest
from dvc_render.vega import VegaRenderer
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import expect

from atomexam.records.rejected_record import Rejected
from atomexam.runtime.source_sheet import Loss
from atomexam.runtime.source_sheet import Step as SourceStep
from eval.report.__main__ import (
    StageMetrics,
    about,
    comparison_table,
    main,
    page,
    plot_tables,
    read_metrics,
    replicas_of,
    run_settings,
    summarize,
)
from eval.report.charts import (
    CELLS,
    PARTS,
    WIDTH,
    Flow,
    Step,
    cpsyexam_table,
    flows,
    funnel,
    letters,
    picture,
    radar,
    rule_of_wording,
    rule_sets,
    sdak_table,
    settings,
)
from eval.report.first_screen import LEAST, board, breakdowns, compare_best_models, equal_shares_p_value, parts
from eval.report.items import list_script
from eval.report.pages import rendered, write_scripts
from eval.report.records import Reserved, reasons

HOSTILE = "<script>document.title='owned'</script><img src=x onerror=\"document.title='owned'\">"
COUNTS = {"in": 10, "out": 8, "rejected": 2}
DATA = {
    "clean": {"questions": COUNTS, "facts": COUNTS, "passages": 4, "rejected_by_reason": {"answer_missing": 2}},
    "near_duplicates": {"questions": COUNTS, "facts": COUNTS, "clusters": 1, "rejected_by_reason": {}},
    "claims": {"facts": COUNTS, "claims_by_type": {"disease_symptom": 8}, "rejected_by_reason": {"over_cap": 2}},
    "evidence": {"claims": 8},
    "validation": {"questions": {"rows": 8, "expectations": 3, "failed": 0}},
    "split": {"questions": {"train": 4, "dev": 1, "test": 2, "reserved": 1}, "claims": {"train": 4, "dev": 1, "test": 2, "reserved": 1}},
}
OUTCOMES = {"answered": 2, "unparsed": 0, "truncated": 1, "failed": 0}
ABOUT = {"model": "tiny", "shots": 0, "repeats": 1, "outcomes": OUTCOMES, "method": "generation", "prompt": "choice"}
HALF = {"questions": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.1, 0.9]}
RUNS = {
    "tiny-claims": {
        **ABOUT, "task": "claim", "pairs": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_std": 0.1, "repeats": 2,
        "accuracy_interval": [0.0126, 0.9874], "accuracy_interval_by_head": [0.01, 0.99],
        "accuracy_at_least": 0.5, "accuracy_at_most": 0.75,
        "by_type": {"disease_symptom": {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5, "accuracy_interval": [0.0126, 0.9874]}},
        "published": {"sdak_v1": {"following_rate": 1.0, "accuracy": 1.0}}, "usage": {"prompt_tokens": 40, "calls_failed": 0},
    },
    "tiny-choice": {
        **ABOUT, "task": "choice", **HALF, "avg": 0.5, "unscored": 1,
        "by_question_type": {"mcqa": HALF},
        "by_exam": {"PCE": HALF},
        "by_subject": {HOSTILE: HALF},
        "by_category_and_type": {"kg mcqa": HALF},
        "groups": {"groups": 1, "questions": 2, "accuracy": 0.0, "by_form": {"a3": {"groups": 1, "questions": 2, "accuracy": 0.0}}},
        "letters": {"mcqa": {"answered": {"A": 3}, "gold": {"A": 1, "B": 2}}},
    },
    "tiny-essay": {**ABOUT, "task": "essay", "questions": 2, "following_rate": 1.0},
}  # fmt: skip
JUDGES = {
    "tiny-essay": {"judge": HOSTILE, "replies": 2, "mark": 61.25, "mark_interval": [50.0, 70.0], "readings": {"unread": 0, "failed": 0}}
}
ERRORS = {
    "runs": {
        "tiny-claims": {
            "by_verdicts": {"pairs": 1, "sycophancy": {"pairs": 1, "share": 1.0}},
            "answer_reliability": {"right": 1, "without_reason": 1, "labelled": 0, "share": None, "low": None, "high": None},
        }
    }
}
COMPARISONS = [
    {
        "task": "choice", "figure": "accuracy", "a": "tiny-choice", "b": HOSTILE, "differ_in": ["model"], "only_a": 0, "only_b": 0,
        "of_a": 0.5,
        "of_b": 0.25, "shared": 20, "difference": 0.25, "interval": [0.05, 0.45], "better": 6, "worse": 1, "alike": 13,
        "mcnemar_p": 0.125, "bootstrap_p": 0.0004, "mcnemar_p_holm": 0.125, "bootstrap_p_holm": 0.0004, "differs": False, "family": 1,
    },
    {"task": "claim", "figure": "accuracy", "a": "x", "b": "y", "differ_in": ["prompt"], "only_a": 3, "only_b": 3, "shared": 0},
]  # fmt: skip
FOUND = StageMetrics(data=DATA, runs=RUNS, judges=JUDGES, errors=ERRORS, comparisons=COMPARISONS)


def write(folder: Path) -> Path:
    files = {f"{name}.json": figures for name, figures in DATA.items()}
    files |= {f"runs/{name}.json": figures for name, figures in RUNS.items()}
    files |= {f"judge/{name}.json": figures for name, figures in JUDGES.items()}
    files |= {"errors.json": ERRORS, "compare.json": {"comparisons": 2, "pairs": COMPARISONS}}
    for name, figures in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(msgspec.json.encode(figures))
    return folder


def test_the_summary_is_short_and_names_what_moves() -> None:
    summary = summarize(FOUND)
    assert summary["data"]["questions"] == 8
    assert summary["data"]["questions_rejected"] == 4
    assert summary["runs"] == {
        "tiny-claims": {"pairs": 2, "following_rate": 1.0, "accuracy": 0.5},
        "tiny-choice": {"questions": 2, "following_rate": 1.0, "accuracy": 0.5, "mcqa": 0.5},
        "tiny-essay": {"questions": 2, "following_rate": 1.0, "accuracy": None, "mark": 61.25},
    }


def test_the_accuracy_of_whole_replies_is_in_the_summary_and_on_the_page() -> None:
    figures = RUNS["tiny-claims"] | {"committed_accuracy": 0.875}
    found = FOUND._replace(runs={"tiny-claims": figures})
    assert summarize(found)["runs"]["tiny-claims"]["committed_accuracy"] == 0.875
    assert "87.5 %" in page(found, summarize(found))


def test_what_is_right_every_time_stands_beside_the_accuracy() -> None:
    variants = {"choice/0": {"accuracy": 0.75}, "choice/1": {"accuracy": 0.25}}
    figures = RUNS["tiny-choice"] | {"orders": 2, "consistent_accuracy": 0.125, "by_variant": variants}
    found = FOUND._replace(runs={"tiny-choice": figures})
    assert summarize(found)["runs"]["tiny-choice"]["consistent_accuracy"] == 0.125
    shown = page(found, summarize(found))
    assert all(words in shown for words in ("2 orders", "12.5 %", "choice/1 25.0 %"))


def test_a_run_leads_to_its_items_in_every_table() -> None:
    html = page(FOUND, summarize(FOUND), scripted=True)
    named = re.findall(rf"<td[^>]*>(<a href=\"items.html#run=[a-z-]+\">)?({'|'.join(RUNS)})\b", html)
    assert len(named) > 10 and all(link for link, _ in named)


def test_chance_and_the_best_rule_are_the_line_of_true_or_false() -> None:
    figures = {**ABOUT, **HALF, "task": "tf", "chance": 0.5, "rule": {"rule": "always_wrong", "accuracy": 0.625}}
    (column,) = board(FOUND._replace(runs={"tiny-tf": figures}), {}).columns
    assert (column.baseline.name, column.baseline.value) == ("rule always_wrong", 0.625)


def test_the_start_says_whether_people_have_judged() -> None:
    html = page(FOUND, summarize(FOUND), scripted=True)
    assert 'human verification of claims: <a href="evidence.html">Evidence</a>, no verdicts yet.' in html
    judged = FOUND._replace(verification={"verdicts": 1200})
    assert "Evidence, 1,200 verdicts." in page(judged, summarize(judged))


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


def test_question_types_that_no_run_asks_are_said() -> None:
    shown = page(FOUND, summarize(FOUND) | {"unasked": {"blank": 3, "tf": 12}})
    assert "no run covers the 3 fill-in-the-blank, 12 true/false questions of the test split" in shown


def test_plots_have_own_models_first_and_no_row_of_few_items() -> None:
    types = {
        "big": {"pairs": LEAST, "accuracy": 0.25},
        "best": {"pairs": 90, "accuracy": 0.75},
        "few": {"pairs": LEAST - 1, "accuracy": 1.0},
    }
    own = RUNS["tiny-claims"] | {"pairs": 100, "by_type": types}
    rule = own | {"model": "rule", "accuracy": 0.9}
    better = own | {"accuracy": 0.75, "by_type": {}}
    tables = plot_tables(
        FOUND._replace(runs={"rule": rule, "own": own, "better": better, "few": HALF | ABOUT | {"task": "claim"}}, baselines={"rule"})
    )
    rows = {name: list(csv.DictReader(io.StringIO(text))) for name, text in tables.items()}
    assert [row["run"] for row in rows["runs"]] == ["better", "own", "rule"]
    assert rows["runs"][1]["low"] == "0.0126" and rows["runs"][1]["asked"] == "100"
    assert [(row["run"], row["atomic_type"]) for row in rows["types"]] == [("own", "best"), ("own", "big")] and rows["parts"] == []
    compared = list(csv.DictReader(io.StringIO(comparison_table(COMPARISONS))))
    assert [(row["b"], row["low"], row["differs"]) for row in compared] == [(HOSTILE, "0.05", "False"), ("y", "", "")]


def test_a_stage_that_has_not_run_is_named(tmp_path: Path) -> None:
    folder = write(tmp_path / "metrics")
    with pytest.raises(FileNotFoundError, match="`dvc repro score` builds it"):
        read_metrics(folder, ["new"])
    with pytest.raises(FileNotFoundError, match="dvc repro judge@tiny-choice"):
        read_metrics(folder, [], ["tiny-choice"])
    (folder / "errors.json").unlink()
    (folder / "compare.json").unlink()
    found = read_metrics(folder, RUNS)
    assert (found.errors, found.comparisons) == ({}, [])
    assert "Pairwise comparison" not in page(found, summarize(found))
    (folder / "validation.json").unlink()
    with pytest.raises(FileNotFoundError, match="dvc repro validate"):
        read_metrics(folder, [])


PUBLISHED = """
ChatGLM2-6B 43.46 49.89 9.86 53.81 14.85 52.50 16.00 48.50 20.00
ChatGLM3-6B 42.23 53.51 5.63 55.75 5.51 47.00 17.00 47.33 13.50
YI-6B 25.81 33.26 0.26 25.39 14.01 38.83 0.00 20.00 13.25
QWEN-14B 30.68 24.99 1.54 38.17 13.19 20.33 2.00 30.00 14.00
YI-34B 27.52 25.03 1.15 33.69 18.18 20.50 0.50 22.33 8.00
MeChat-6B 40.62 50.24 4.10 51.79 11.91 48.67 13.50 44.83 10.50
MindChat-7B 40.39 49.25 6.27 56.92 5.51 40.83 5.00 33.83 4.50
MindChat-8B 21.04 26.50 0.00 26.50 0.13 34.17 0.00 34.17 0.00
Ours-SFT-6B 43.70 52.95 10.50 58.77 2.94 46.50 5.50 48.67 13.00
ERNIE-Bot 43.85 52.48 6.66 56.10 10.37 42.50 8.50 50.67 12.00
ChatGPT 51.15 57.43 11.14 61.53 24.71 47.33 9.00 52.67 29.50
ChatGLM 64.58 63.29 26.12 73.85 42.13 69.00 20.50 65.33 42.50
GPT-4 67.43 76.56 10.76 78.63 43.79 60.33 13.00 64.17 39.50
"""  # CPsyExam, Table 2: Avg., then knowledge zero-shot single and multiple, few-shot both, and case analysis alike
SIZES = {"kg mcqa": 2321, "kg mrqa": 781, "ca mcqa": 600, "ca mrqa": 200}


def published_run(model: str, shots: int, cells: list[float]) -> dict:
    parts = {name: {"accuracy": cell / 100} for name, cell in zip(CELLS, cells, strict=True)}
    avg = sum(parts[name]["accuracy"] * size for name, size in SIZES.items()) / sum(SIZES.values())
    return {"task": "choice", "model": model, "shots": shots, "avg": avg, "by_category_and_type": parts}


@pytest.mark.parametrize("line", PUBLISHED.split("\n")[1:-1])
def test_the_average_is_the_papers(line: str) -> None:
    model, avg, *cells = line.split()
    kg_zero, kg_few, ca_zero, ca_few = (list(map(float, cells[at : at + 2])) for at in (0, 2, 4, 6))
    runs = {"zero": published_run(model, 0, kg_zero + ca_zero), "few": published_run(model, 5, kg_few + ca_few)}
    (row,) = cpsyexam_table(runs)
    assert 100 * row["avg"] == pytest.approx(float(avg), abs=0.011)
    assert row["of"] == max(runs, key=lambda name: runs[name]["avg"])
    assert row["cells"]["few-shot"][3] == ca_few[1] / 100


def test_a_model_without_few_shot_has_empty_cells_and_other_methods_a_row_of_their_own() -> None:
    one = published_run("m", 0, [50.0, 10.0, 40.0, 20.0])
    rows = cpsyexam_table({"g": one | {"method": "generation"}, "l": one | {"method": "likelihood"}, "c": RUNS["tiny-claims"]})
    assert [(row["of"], row["cells"]["few-shot"]) for row in rows] == [("g", [None] * 4), ("l", [None] * 4)]


@pytest.mark.parametrize("names", [("one", "five"), ("five", "one")])
def test_of_several_few_shot_runs_the_better_stands_in_the_table(names: tuple[str, str]) -> None:
    runs = {"one": published_run("m", 1, [60.0, 10.0, 40.0, 20.0]), "five": published_run("m", 5, [50.0, 10.0, 40.0, 20.0])}
    (row,) = cpsyexam_table({name: runs[name] for name in names})
    assert (row["of"], row["cells"]["few-shot"][0], row["cells"]["zero-shot"]) == ("one", 0.6, [None] * 4)


def test_published_rules_stand_beside_ours() -> None:
    rows = [(row["run"], row["rules"], row["accuracy"], row["against"]) for row in rule_sets(RUNS)]
    assert rows == [("tiny-claims", "ours", 0.5, None), ("tiny-claims", "sdak_v1", 1.0, 0.5)]


def test_letters_are_shares_of_the_answers_less_those_of_the_right_ones() -> None:
    """Two of four questions answered, A and B: each half of the answers, as of the right ones A and C."""
    table = {"answered": {"A": 1, "B": 1}, "gold": {"A": 2, "C": 2}}
    found = letters({"r": {"task": "choice", "letters": {"mcqa": table, "mrqa": {"answered": {}, "gold": {"D": 1}}}}})
    assert found is not None and found.names == ["A", "B", "C", "D"]
    assert found.rows == [("r", "mcqa", "A 50 %", [0.0, 0.5, -0.5, None]), ("r", "mrqa", "none", [None] * 4)]
    assert found.keys == {("choice", "mcqa"): {"A": 0.5, "C": 0.5}, ("choice", "mrqa"): {"D": 1.0}}
    assert letters({"r": {}}) is None
    shown = page(FOUND, summarize(FOUND))
    assert 'style="--at: 60%">+66.7' in shown and 'style="--bar: var(--bar2); --at: 60%">-66.7' in shown


def test_hostile_text_is_escaped() -> None:
    html = page(FOUND, summarize(FOUND))
    assert "<script" not in html
    assert html.count("&lt;script&gt;") == 3  # a part, a run, a judge


@pytest.mark.slow
def test_sweeps_are_shown_as_curves_and_a_table() -> None:
    row = {"run": "r", "kind": "k<b>", "amount": 1.0, "measure": "accuracy", "value": 0.5, "low": 0.4, "high": 0.6, "seeds": [0.5]}
    change = {"run": "r", "kind": "k<b>", "amount": 1.0, "exam": "PCE", "before": 0.1, "after": 0.5, "change": 0.4}
    html = page(FOUND._replace(sweeps={"effect": {"model": "m", "curves": [row], "changes": [change]}}), summarize(FOUND))
    assert '<polyline points="288.0,70.0"' in html and "+40.0" in html and "k&lt;b&gt;" in html
    assert "What does more data do" not in page(FOUND, summarize(FOUND))


def test_a_radar_lays_runs_over_each_other_on_axes_of_enough_items() -> None:
    types = {name: {"pairs": LEAST, "accuracy": value} for name, value in zip("abcd", (1.0, 0.5, 0.0, 0.5), strict=True)}
    few = types | {"e": {"pairs": LEAST - 1, "accuracy": 1.0}}
    drawn = radar({"one": {"by_type": few}, "two": {"by_type": types | {"e": {"pairs": 50, "accuracy": 1.0}}}})
    assert drawn is not None
    assert drawn.polygons == [(run, "200.0,55.0 245.0,145.0 200.0,145.0 155.0,145.0") for run in ("one", "two")]
    assert drawn.left_out == [f"e, {LEAST - 1}"]
    axes = [(*axis.lines, axis.anchor) for axis in drawn.axes]
    assert axes == [("a, 20", "middle"), ("b, 20", "start"), ("c, 20", "middle"), ("d, 20", "end")]
    assert radar({}) is None and radar({"one": {"by_type": types}, "two": {}}) is None
    shown = page(FOUND._replace(runs={"r": RUNS["tiny-claims"] | {"by_type": types}}), summarize(FOUND), rule=types)
    assert 'class="radar"' in shown and "Accuracy by atomic type of r, rule negation_by_type;" in shown
    assert '<th class="n run">rule negation_by_type</th>' in shown  # its figures stand in the table


def test_the_rule_of_wording_takes_the_better_way_for_each_type() -> None:
    """食疗 has the negation in the true sentence twice of three times, and one pair in both."""
    sides = [("food", "忌食", "宜食"), ("food", "不宜", "宜"), ("food", "宜", "不宜"), ("cause", "有", "没有不"), ("cause", "不", "不")]
    claims = [SimpleNamespace(atomic_type=kind, factual=one, non_factual=other) for kind, one, other in sides]
    assert rule_of_wording(claims) == {"food": {"pairs": 3, "accuracy": 2 / 3}, "cause": {"pairs": 2, "accuracy": 0.5}}


def test_what_is_kept_for_another_source_is_a_part_of_its_own() -> None:
    step = SourceStep("near_duplicates", "facts", 10, 2, [Loss("identical", 1, [])], {}, 7)
    assert funnel({"one": [step]}) == [("one", "facts", 10, 2, 7, [("near_duplicates-identical", 1)], False)]
    html = page(FOUND, summarize(FOUND), sheets={"one": [step]})
    assert (
        '<th class="n">merged</th>' in html and "rejected.html#near_duplicates-identical-facts" in html and 'style="width: 70.00%"' in html
    )
    assert "1 facts" in html and "7 facts merged with a record of another source" in html
    context = {"data": DATA, "crawls": {}, "reasons": [], "folders": {}, "profile": {}, "sheets": {"one": [step]}}
    row = re.findall(r'<td class="n">(\d+)</td>', rendered("rejected", context, scripted=True).partition('id="sources"')[2])
    assert row[:4] == ["10", "2", "7", "1"]  # in = kept + merged + rejected


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


@pytest.mark.parametrize("kind", ["questions", "facts"])
def test_a_reason_has_examples_of_each_kind_of_record(kind: str) -> None:
    """Ten facts come before the first question."""
    provenance = [{"source": "one", "url": "javascript:alert(1)" if kind == "facts" else "https://one.test/1", "position": "q1"}]
    records = [("fact", {"head": "感冒", "tail": f"发热{n}", "relation": "symptom"}) for n in range(30)] + [("question", {"stem": "题干"})]
    rows = [
        Rejected(id=f"{n:02}", kind=name, reason="identical", record=record | {"provenance": provenance})
        for n, (name, record) in enumerate(records)
    ]
    found = reasons({"near_duplicates": rows}, Reserved([], []))
    assert {name: len(examples) for name, examples in found[0].examples.items()} == {"facts": 10, "questions": 1}
    context = {"data": DATA, "crawls": {}, "reasons": found, "folders": {"near_duplicates": "unique"}, "profile": {}, "sheets": {}}
    html = rendered("rejected", context, scripted=True).partition(f'id="near_duplicates-identical-{kind}"')[2]
    assert ("题干" if kind == "questions" else "感冒") in html.partition("</table>")[0]
    assert 'href="javascript' not in html


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


def test_settings_stand_beside_the_first_run_of_their_model() -> None:
    runs = {"a": run("choice", 0.5), "b": run("choice", 0.25), "alone": run("claim", 0.5), "rule": run("choice", 0.1) | {"model": "r"}}
    pairs = [{"a": "a", "b": "b", "shared": 9, "difference": 0.25, "mcnemar_p_holm": 0.01, "bootstrap_p_holm": 0.04, "differs": True}]
    first, (name, against) = settings(runs, pairs, {"r"})
    assert (first, name) == (("a", None), "b") and against == pairs[0] | {"difference": -0.25, "p_value": 0.04}


RUN = ABOUT | {
    "model": "m", "task": "fourfold", "facts": 100, "following_rate": 1.0, "accuracy": 0.3, "accuracy_interval": [0.2, 0.4],
    "true_side": 0.4, "false_side": 0.4, "sentence_accuracy": 0.6, "chance": 0.0625, "detection": {"d_prime": 0.5, "criterion": 0.0},
}  # fmt: skip


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


def test_what_one_split_reveals_of_another_is_counted() -> None:
    leaks = {
        name: {"looks_for": f"{name} in two splits", "blocks": many == 0, "questions": many} for name, many in (("stem", 0), ("kin", 7))
    }
    html = page(FOUND._replace(leaks=leaks | {"without_knowledge": {}}), summarize(FOUND))
    assert (
        "Leaks between splits: none that stop the pipeline; 1 of 2 checks found allowed ones" in html
        and "Leaks between splits" not in page(FOUND, summarize(FOUND))
    )
    assert '<td>kin in two splits</td><td class="n">7</td><td>allowed</td>' in html


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


def test_a_benchmark_of_questions_alone_does_not_speak_of_facts() -> None:
    stages = FOUND._replace(runs={"a": RUN | {"task": "choice", "questions": 100}}, judges={}, comparisons=[])
    summary = summarize(stages)
    summary["data"] |= {"facts": 0, "facts_rejected": 0, "questions": 70, "questions_rejected": 0}
    summary["splits"]["test"] = {"questions": 14, "claims": 0}
    html = page(stages, summary)
    assert (
        "The test split has 14 questions, drawn from the 70 questions kept (none rejected or merged with a duplicate)"
        in re.sub(r"<[^>]+>", "", html)
        and "Fourfold:" not in html
    )


def test_shares_of_errors_are_said_to_be_of_the_first_repeat() -> None:
    errors = {"runs": {"tiny-claims": ERRORS["runs"]["tiny-claims"] | {"patterns": {"right": 1}}}}
    assert "First repeat of each run only" in page(FOUND._replace(errors=errors), summarize(FOUND))


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


@pytest.mark.slow
def test_failed_calls_are_told_beside_the_figures() -> None:
    failed = {**RUNS["tiny-choice"], "outcomes": OUTCOMES | {"truncated": 1, "failed": 7}, "replied": 3, "accuracy_of_replied": 0.667}
    told = "7 of 10 replies are missing and count as wrong; accuracy of the 3 items replied to: 66.7 %"
    html = page(FOUND._replace(runs={"hosted": failed}), summarize(FOUND))
    assert told in html and "; 66.7 % of 3 answered</small></td>" in html
    assert told not in page(FOUND, summarize(FOUND))


@pytest.mark.slow
def test_the_stage_writes_the_same_bytes_twice(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)  # no params.yaml: the runs are those with figures
    write(tmp_path / "metrics")
    main([])
    plots = [f"plots/tables/{name}.csv" for name in ("types", "parts", "runs", "comparisons", "sweeps")]
    written = [tmp_path / name for name in ("reports/index.html", "metrics/summary.json", *plots)]
    first = [path.read_bytes() for path in written]
    main([])
    assert [path.read_bytes() for path in written] == first


def test_a_browser_shows_the_page_and_runs_nothing_in_it(browser, tmp_path: Path) -> None:
    (tmp_path / "index.html").write_text(page(FOUND, summarize(FOUND)), encoding="utf-8")
    opened = browser.new_page()
    asked, faults = [], []
    opened.on("request", lambda request: asked.append(request.url))
    opened.on("pageerror", lambda error: faults.append(error))
    opened.goto((tmp_path / "index.html").as_uri())
    assert opened.title() == "AtomExam report"
    assert opened.get_by_text("Pairwise comparison of runs: 0 of 1 tested pairs differ significantly").is_visible()
    opened.locator("details").evaluate_all("all => all.forEach(one => { one.open = true; })")
    assert opened.get_by_role("cell", name="mark 61.25").is_visible()
    assert opened.get_by_role("cell", name="50.0 % 10.0 … 90.0").first.is_visible()
    assert opened.get_by_role("cell", name="< 0.001").is_visible()
    assert opened.get_by_role("cell", name="50.0 … 75.0").is_visible()  # if every one were wrong, or right
    assert opened.get_by_role("cell", name="+50.0").is_visible()  # what SdAK's rules add
    assert opened.get_by_role("rowheader", name=HOSTILE).is_visible()
    assert (asked, faults) == ([(tmp_path / "index.html").as_uri()], [])


def test_the_first_screen_says_what_moved_since_a_version_and_whether_it_is_noise(browser, tmp_path: Path) -> None:
    """From the file that `eval.diff --html` writes beside the report; one of other figures is refused."""
    write_scripts(tmp_path / "reports")
    (tmp_path / "reports/index.html").write_text(page(FOUND, summarize(FOUND), scripted=True), encoding="utf-8")
    lost, still = ["tiny-claims", "accuracy", 0.75, 0.5, -0.25, "differs"], ["tiny-choice", "accuracy", 0.4999, 0.5, 0.0001, "unsure"]
    other = [["tiny-tcm", "following_rate", 0.5, 0.9, 0.4, "untested"], ["tuned", "mark", 0.1, 0.3, 0.2, "retrained"]]
    for rows, words in (
        (
            [still, lost],
            "Significant change: tiny-claims 75.0 % → 50.0 % (−25.0). No significant change, or too few items: tiny-choice 50.0 % → 50.0 %",
        ),
        (
            other,
            "Significant change, but retrained, which adds noise of its own: tuned mark 10.0 % → 30.0 % (+20.0). "
            "Changed, not tested: tiny-tcm following rate 50.0 % → 90.0 % (+40.0). Items: 3 questions added. "
            "Parameters: split.seed 0 -> <i>; split.seed 1 -> <i>; split.seed 2 -> <i>; split.seed 3 -> <i>; 2 more: dvc params diff v1. "
            "All changes since",
        ),
        (
            [[*lost[:2], 0.5, 0.5, 0, "untested"]],
            "No figure changed. Items: 3 questions added. All changes since <b>v1</b> (1a, 2026-01-01)",
        ),
        (
            [["tiny-claims", "accuracy", 0.5, 0.9, 0.4, "differs"]],
            "The comparison in folder diff is of other figures than these; python -m eval.diff <b>v1</b> --html",
        ),
        (None, "Not compared with another version yet. python -m eval.diff TAG --html fills this line"),
    ):
        path = tmp_path / "diff/items/changed.js"
        path.parent.mkdir(parents=True, exist_ok=True)
        if rows is None:
            path.unlink()
        else:
            counts = [["question", "added", 3], ["claim", "removed", 0]]
            params = [f"split.seed {number} -> <i>" for number in range(6)] if "retrained" in str(rows) else []
            path.write_bytes(list_script("changed", ["<b>v1</b> (1a, 2026-01-01)", counts, rows, params, "dvc params diff v1"]))
        opened = browser.new_page()
        opened.goto((tmp_path / "reports/index.html").as_uri())
        expect(opened.locator("#changed")).to_contain_text(words)
        opened.close()


@pytest.mark.slow
def test_the_profile_of_each_source_and_the_lines_to_paste_are_shown() -> None:
    """What is out of bounds is open to the eye; hostile words of a source are text."""
    source = {"id": HOSTILE, "questions": 60, "kept": 50, "types": {"mcqa": 50}, "options": {"4": 60}, "letters": {"A": 20},
              "unlike": {"title_asks": [0.9, 0.0]}}  # fmt: skip
    outside = {"source": "toy", "figure": "title_asks", "value": 0.9, "bounds": "at most 0.02", "severity": "warning", "why": "A title."}
    profile = {"sources": {HOSTILE: source}, "outside": [outside], "lines": ["  - {source: toy, exam: EXAM, subject: SUBJECT}"]}
    profile["injections"] = {HOSTILE: {"records": 2, "chat_mark": 2}, "wiki": {"records": 1, "fake_mark": 1}}
    context = {"data": DATA, "crawls": {}, "reasons": [], "folders": {}, "sheets": {}}
    shown = rendered("rejected", context | {"profile": profile}, scripted=True)
    assert HOSTILE not in shown and "&lt;script&gt;" in shown
    assert "title_asks 90.0 %, others 0.0 %" in shown and "at most 0.02" in shown and "exam: EXAM, subject: SUBJECT" in shown
    assert "Records with instructions to a language model: 3" in shown and "fake mark 1" in shown
    assert "Source statistics" not in rendered("rejected", context | {"profile": {}}, scripted=True)
    found = FOUND._replace(profile=profile)
    assert "1 source statistics" in page(found, summarize(found))


BY_SOURCE = {"a": {"questions_in": 7}, "b": {"questions_in": 3}, "c": {"facts_out": 9}}
CHARTED = {
    "clean": {
        "questions": COUNTS,
        "facts": COUNTS,
        "by_source": BY_SOURCE,
    },
    "near_duplicates": {"questions": {"in": 8, "out": 8, "rejected": 0}, "facts": COUNTS},
    "claims": {"facts": COUNTS},
    "split": {"questions": {"train": 5, "test": 3}, "claims": {"train": 8}},
}


def test_the_flow_leads_from_sources_over_stages_to_splits() -> None:
    questions, facts = flows(CHARTED)
    assert questions.sources == {"a": 7, "b": 3} and facts.sources == {}
    words = [node.label for node in picture(questions).nodes]
    assert words == ["a 7", "b 3", "clean 10", "near_duplicates 8", "rejected 2", "train 5", "test 3"]
    links = [link.label for link in picture(questions).links]
    assert links == [
        "a 7 → clean 10", "b 3 → clean 10", "clean 10 → near_duplicates 8", "clean 10: rejected 2",
        "near_duplicates 8 → train 5", "near_duplicates 8 → test 3",
    ]  # fmt: skip


def test_sources_that_do_not_add_up_are_not_drawn() -> None:
    flow = Flow("questions", {"a": 3}, [Step("clean", 10, 8, 2)], {"train": 8})
    assert [node.label for node in picture(flow).nodes] == ["clean 10", "train 8", "rejected 2"]


@st.composite
def some_flow(draw: st.DrawFn) -> Flow:
    count = draw(st.integers(0, 10**7))
    sources = {"a": count} if draw(st.booleans()) else {"a": count // 3, "b": count - count // 3}
    steps, came = [], count
    for name in ("clean", "near_duplicates", "claims")[: draw(st.integers(1, 3))]:
        held = draw(st.integers(0, came))
        steps.append(Step(name, came, came - held, held))
        came -= held
    return Flow("questions", sources, steps, {"train": came // 2, "test": came - came // 2})


@pytest.mark.slow
@given(some_flow())
def test_bars_of_a_column_never_overlap_and_all_stands_in_the_picture(flow: Flow) -> None:
    drawn = picture(flow)
    columns: dict[float, list] = {}
    for node in drawn.nodes:
        assert 0 <= node.x < WIDTH and node.y >= 0 and node.y + node.height <= drawn.height and node.height >= 1
        columns.setdefault(node.x, []).append(node)
    for nodes in columns.values():
        for above, below in pairwise(nodes):
            assert above.y + above.height < below.y and below.y - above.y >= 18  # else names run into each other
    assert all(float(number) >= -0.05 for link in drawn.links for number in re.findall(r"[-\d.]+", link.path))


def run(task: str, accuracy: float, **parts) -> dict:
    return {"task": task, "model": "m", "accuracy": accuracy, **parts}


def part(accuracy: float | None, questions: int = 8) -> dict:
    return {"questions": questions, "accuracy": accuracy, "accuracy_interval": [0.1, 0.9]}


def test_sdak_s_table_has_the_runs_of_claims_with_deviation_and_reliability() -> None:
    runs = {"one": run("claim", 0.5, following_rate=1.0, accuracy_std=0.01, prompt="claim"), "two": run("choice", 0.1)}
    (row,) = sdak_table(runs, {"runs": {"one": {"answer_reliability": {"share": 0.98}}}})
    assert [row[name] for name in ("run", "accuracy", "accuracy_std", "following_rate_std")] == ["one", 0.5, 0.01, None]
    assert row["reliability"] == {"share": 0.98}
    assert sdak_table(runs, {})[0]["reliability"] == {}


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, ["splits v5"]),
        (
            {"release": {"version": "1.0"}, "sources": {name: {"snapshot": f"2026-0{at}"} for name, at in (("b", 2), ("a", 1), ("c", 2))}},
            ["release 1.0", "splits v5", "snapshot 2026-01: a", "snapshot 2026-02: b, c"],
        ),
    ],
)
def test_the_report_says_what_data_it_is_of(params: dict, words: list[str]) -> None:
    assert about(params, {"version": {"name": "v5"}}) == words


@pytest.mark.parametrize(
    ("params", "names"),
    [
        ({"sites": "embedded", "sources": {"hxter": {}, "my_site": {}}}, {"hxter"}),  # own sites have no replica
        ({"sites": "embedded", "sources": {"hxter": {"mode": "live"}, "mxqe": None}}, {"mxqe"}),
        ({"sites": "live", "sources": {"hxter": {"mode": "embedded"}, "mxqe": {}}}, {"hxter"}),
        ({"imports": {"books": {}}}, set()),
    ],
)
def test_only_sources_crawled_as_replicas_are_called_so(root: Path, params: dict, names: set[str]) -> None:
    assert replicas_of(params, root / "crawlers/embedded/sites") == names
    dates = {"sources": {"hxter": {"snapshot": "2026-11-20"}, "own": {"snapshot": "2026-11-20"}}}
    assert about(dates, {}, {"hxter"}) == ["snapshot 2026-11-20: invented replicas of hxter", "snapshot 2026-11-20: own"][::-1]


def test_every_run_says_with_which_model_and_settings_it_was_asked_and_what_nobody_knows(tmp_path: Path) -> None:
    hub = {"backend": "vllm", "name": "lab/seven", "template": {"enable_thinking": False}}
    served = {"backend": "openai", "name": "gpt"}
    models = {
        "hub": hub,
        "served": served,
        "given": {"backend": "imported", "name": "imports/models/given"},
        "rule": {"backend": "baseline"},
    }
    sampled = {"shots": 3, "max_new_tokens": 32, "temperature": 0.3, "top_k": 5, "stop": "verdict"}
    runs = {name: {"model": name, "task": "claim"} | (sampled if name == "hub" else {}) for name in models}
    runs |= {
        "weighed": {"model": "hub", "task": "choice", "method": "likelihood"},
        "unseen": {"model": "hub", "task": "tf", "split": "dev"},
    }
    for name, weights in (("hub", "revision main: 1234"), ("served", "none of its own"), ("given", "replies 5678")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "weights.txt").write_text(weights + "\n")
    unknown, own = "unknown", "the model's, if it has one; enable_thinking False"
    found = run_settings({"models": models, "runs": runs}, tmp_path)
    assert [list(row.values()) for row in found.values()] == [
        ["hub, lab/seven, vllm", "revision main: 1234", own, "3", "32", "temperature 0.3, top_k 5, seed 1, stop verdict"],
        ["served, gpt, openai", unknown, "the server's", "0", "at least 32, enough for 32 characters", "temperature 0.0"],
        ["given, imports/models/given, imported", "replies 5678", *[unknown] * 4],
        ["rule, baseline", *["–"] * 5],
        ["hub, lab/seven, vllm", "revision main: 1234", own, "0", "–", "likelihood of each answer"],
    ]
    lost = run_settings({"runs": {"a": {"model": "gone", "task": "tf"}}}, tmp_path)["a"]
    assert [*found] == [*models, "weighed"] and list(lost.values()) == ["gone", *[unknown] * 5]
    html = page(FOUND, summarize(FOUND), run_settings=found)
    assert 'id="settings"' in html and "<td>revision main: 1234</td>" in html and "Not recorded: number of parameters" in html
    assert 'id="settings"' not in page(FOUND, summarize(FOUND))


def test_the_foot_says_how_to_repeat_the_figures_and_where_licence_and_citation_are() -> None:
    release = {"name": "导游", "version": "1.2.0", "licence": "cc-by-4.0"}
    (foot,) = re.findall("<footer>.*</footer>", page(FOUND, summarize(FOUND), release=release))
    assert all(words in foot for words in ("<code>dvc repro</code>", "Licence of the data: cc-by-4.0; ", "To cite: 导游, version 1.2.0 ("))
    assert "Licence of the data: each record is under the terms of its source, " in page(FOUND, summarize(FOUND))


def test_the_release_and_its_exams_are_named_in_their_own_words() -> None:
    text = page(
        FOUND, summarize(FOUND), release={"name": "导游"}, exams={"PCE": ["心理咨询师", "咨询"], "律": ["司法考试"], "护士": ["护士"]}
    )
    assert "<title>导游 report</title>" in text
    assert (
        "<b>PCE</b> psychological counsellor exam (心理咨询师); " in text and "<b>律</b> (司法考试); " in text and "<b>护士</b>" not in text
    )


@pytest.mark.parametrize(("name", "x", "y"), [("intervals", "accuracy", "run"), ("bars", "accuracy", "part"), ("radar", "t", "accuracy")])
def test_a_plot_of_dvc_names_the_version_of_each_row(root: Path, name: str, x: str, y: str) -> None:
    """As `dvc plots diff` and the extension of VS Code fill it: every row says its version and, beside it, its own n."""
    row = {"run": "r", "part": "PCE", "t": "type", "accuracy": "0.5", "asked": "30", "low": "0.4", "high": "0.6"}
    rows = [row | {"rev": rev, "filename": "f.csv", "field": y} for rev in ("workspace", "v1")]
    made = VegaRenderer(rows, name, template=str(root / f"plots/{name}.json"), x=x, y=y, title="t").get_filled_template()
    text = json.dumps(made)
    assert "<DVC" not in text and '"field": "rev"' in text and "datum.low" in text and "datum.high" in text
    if name != "radar":
        assert '"domain": ["workspace", "v1"]' in text and "datum.rev + ', n = ' + datum.asked" in text
