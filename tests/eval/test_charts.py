"""Charts and tables of the report: the papers' tables, letters, radar, flows, sources."""

import re
from itertools import pairwise
from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.runtime.source_sheet import Loss
from atomexam.runtime.source_sheet import Step as SourceStep
from eval.report.__main__ import (
    page,
    summarize,
)
from eval.report.charts import (
    CELLS,
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
from eval.report.first_screen import LEAST
from eval.report.pages import rendered
from tests.eval.report_toys import COUNTS, DATA, FOUND, RUNS, run

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


def test_settings_stand_beside_the_first_run_of_their_model() -> None:
    runs = {"a": run("choice", 0.5), "b": run("choice", 0.25), "alone": run("claim", 0.5), "rule": run("choice", 0.1) | {"model": "r"}}
    pairs = [{"a": "a", "b": "b", "shared": 9, "difference": 0.25, "mcnemar_p_holm": 0.01, "bootstrap_p_holm": 0.04, "differs": True}]
    first, (name, against) = settings(runs, pairs, {"r"})
    assert (first, name) == (("a", None), "b") and against == pairs[0] | {"difference": -0.25, "p_value": 0.04}


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


def test_sdak_s_table_has_the_runs_of_claims_with_deviation_and_reliability() -> None:
    runs = {"one": run("claim", 0.5, following_rate=1.0, accuracy_std=0.01, prompt="claim"), "two": run("choice", 0.1)}
    (row,) = sdak_table(runs, {"runs": {"one": {"answer_reliability": {"share": 0.98}}}})
    assert [row[name] for name in ("run", "accuracy", "accuracy_std", "following_rate_std")] == ["one", 0.5, 0.01, None]
    assert row["reliability"] == {"share": 0.98}
    assert sdak_table(runs, {})[0]["reliability"] == {}
