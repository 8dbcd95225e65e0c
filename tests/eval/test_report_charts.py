"""What the report draws: the Sankey of the flow, tables of accuracies by part, the matrix of comparisons, SdAK's Table 4."""

import json
import re
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.report.__main__ import about
from eval.report.charts import WIDTH, AccuracyCell, Flow, Step, flows, heats, leaderboards, matrix, picture, sdak_table

COUNTS = {"in": 10, "out": 8, "rejected": 2}
BY_SOURCE = {"a": {"questions_in": 7}, "b": {"questions_in": 3}, "c": {"facts_out": 9}}
DATA = {
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
    questions, facts = flows(DATA)
    assert questions.sources == {"a": 7, "b": 3} and facts.sources == {}
    words = [node.words for node in picture(questions).nodes]
    assert words == ["a 7", "b 3", "clean 10", "near_duplicates 8", "rejected 2", "train 5", "test 3"]
    links = [link.words for link in picture(questions).links]
    assert links == [
        "a 7 → clean 10", "b 3 → clean 10", "clean 10 → near_duplicates 8", "clean 10: rejected 2",
        "near_duplicates 8 → train 5", "near_duplicates 8 → test 3",
    ]  # fmt: skip


def test_sources_that_do_not_add_up_are_not_drawn() -> None:
    flow = Flow("questions", {"a": 3}, [Step("clean", 10, 8, 2)], {"train": 8})
    assert [node.words for node in picture(flow).nodes] == ["clean 10", "train 8", "rejected 2"]


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


def test_runs_of_a_task_stand_together_the_best_first() -> None:
    runs = {"low": run("choice", 0.1), "claims": run("claim", 0.5), "high": run("choice", 0.9), "own": run("own", 0.2)}
    assert [(task, words, list(own)) for task, words, own in leaderboards(runs)] == [
        ("claim", "Claim pairs", ["claims"]), ("choice", "Choice questions", ["high", "low"]), ("own", "own", ["own"]),
    ]  # fmt: skip


def test_a_table_of_accuracies_has_a_row_a_part_and_a_column_a_run() -> None:
    runs = {"a": run("choice", 0.5, by_exam={"PCE": part(0.5), "SSE": part(0.25, 4)}), "b": run("choice", 0.5, by_exam={"SSE": part(None)})}
    (table,) = heats(runs | {"c": run("choice", 0.5, by_form={"a1": part(0.5)})})  # one form alone is no table
    assert (table.facet, table.runs) == ("exam", ["a", "b", "c"])
    assert table.rows == [
        ("PCE", [AccuracyCell(0.5, (0.1, 0.9), 8), None, None]),
        ("SSE", [AccuracyCell(0.25, (0.1, 0.9), 4), AccuracyCell(None, (0.1, 0.9), 8), None]),
    ]


def test_the_matrix_has_each_comparison_from_both_sides() -> None:
    rows = [
        {"a": "x", "b": "y", "shared": 9, "difference": 0.25, "mcnemar_p_holm": 0.01, "bootstrap_p_holm": 0.04, "differs": True},
        {"a": "x", "b": "z", "shared": 9, "difference": 0.0, "mcnemar_p_holm": None, "bootstrap_p_holm": None},
        {"a": "y", "b": "z", "shared": 0},
    ]
    found = matrix(rows)
    assert found.runs == ["x", "y", "z"]
    assert [[cell and cell.difference for cell in cells] for cells in found.cells] == [
        [None, 0.25, 0.0],
        [-0.25, None, None],
        [0.0, None, None],
    ]
    assert (found.cells[1][0].p, found.cells[1][0].differs, found.cells[2][0].p) == (0.04, True, None)
    assert str(found.cells[2][0].difference) == "0.0"  # and not -0.0, which a page would show as a loss


def test_sdak_s_table_has_the_runs_of_claims_with_deviation_and_reliability() -> None:
    runs = {"one": run("claim", 0.5, following_rate=1.0, accuracy_std=0.01, prompt="claim"), "two": run("choice", 0.1)}
    (row,) = sdak_table(runs, {"runs": {"one": {"answer_reliability": {"share": 0.98}}}})
    assert (row["run"], row["accuracy"], row["accuracy_std"], row["following_rate_std"], row["reliable"]) == ("one", 0.5, 0.01, None, 0.98)
    assert sdak_table(runs, {})[0]["reliable"] is None


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, ["splits v5"]),
        ({"release": {"version": "1.0"}, "sources": {name: {"snapshot": f"2026-0{at}"} for name, at in (("b", 2), ("a", 1), ("c", 2))}},
         ["release 1.0", "splits v5", "snapshot 2026-01: a", "snapshot 2026-02: b, c"]),
    ],
)  # fmt: skip
def test_the_report_says_what_data_it_is_of(params: dict, words: list[str]) -> None:
    assert about(params, {"version": {"name": "v5"}}) == words


@pytest.mark.parametrize("name", ["intervals", "bars", "radar"])
def test_a_plot_of_dvc_names_versions_sizes_and_intervals(root: Path, name: str) -> None:
    """What `dvc plots diff` fills in: a legend for the version, n in every label, low and high beside every figure."""
    text = (root / f"plots/{name}.json").read_text(encoding="utf-8")
    assert json.loads(text)["data"] == {"values": "<DVC_METRIC_DATA>"}
    assert re.search(r'"field": "rev",\s+"type": "nominal",\s+"title": "version"', text)
    assert {"datum.low", "datum.high", "datum.asked", "datum.most"} <= set(re.findall(r"datum\.\w+", text))
