"""Two runs on what both were asked: arithmetic by hand, statsmodels, and the stage with its tables."""

from fractions import Fraction
from itertools import product
from pathlib import Path

import msgspec
import numpy as np
import pytest
from ruamel.yaml import YAML

from atomexam.records.blocks import Run
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.runtime.jsonl import write_jsonl
from atomexam.runtime.stage_summary import LEAST
from eval.compare import as_text, compare, main
from eval.statistics.bootstrap import sign_flip_test, sign_test
from eval.statistics.paired_tests import METRICS, Tally, holm, mean, paired, tally, with_holm


def scores(right: list[bool | None], start: int = 0, repeat: int = 0) -> list[Score]:
    return [Score(item_id=f"q-{start + n:03}", repeat=repeat, outcome="answered", answer="A", correct=mark) for n, mark in enumerate(right)]


def tallies(right: list[bool | None], start: int = 0) -> dict[str, Tally]:
    return tally(scores(right, start), METRICS["accuracy"])


def test_only_shared_items_count() -> None:
    found = paired(tallies([True] * 10 + [False] * 10), tallies([False] * 20, 5), {}, "x")
    assert (found["shared"], found["better"], found["worse"], found["alike"]) == (15, 5, 0, 10)
    assert found["difference"] == 0.33333333
    assert paired(tallies([True]), tallies([True], 9), {}, "x") == {"shared": 0}


@pytest.mark.slow
def test_mcnemar_and_holm_match_statsmodels() -> None:
    from statsmodels.stats.contingency_tables import mcnemar
    from statsmodels.stats.multitest import multipletests

    rows, plain = [], []
    for n, (better, worse) in enumerate([(12, 3), (30, 9), (4, 4)]):
        ours = tallies([True] * better + [False] * worse + [True] * 20)
        theirs = tallies([False] * better + [True] * worse + [True] * 20)
        rows.append(paired(ours, theirs, {}, str(n)))
        plain.append(mcnemar([[20, better], [worse, 0]], exact=True).pvalue)
    assert [row["mcnemar_p"] for row in rows] == pytest.approx(plain, rel=0.01)
    with_holm(rows)
    assert [row["mcnemar_p_holm"] for row in rows] == pytest.approx(multipletests(plain, method="holm")[1], rel=0.01)
    assert [row["differs"] for row in rows] == [False, True, False]


@pytest.mark.slow
@pytest.mark.parametrize("p_values", [[0.04], [0.01, 0.04, 0.03, 0.005], [0.5, 0.02, 0.02, 1.0, 0.0], [0.9, 0.8, 0.7]])
def test_holm_matches_statsmodels(p_values: list[float]) -> None:
    from statsmodels.stats.multitest import multipletests

    assert holm(p_values) == multipletests(p_values, method="holm")[1].tolist()
    assert holm([]) == []


def test_cases_are_resampled_together() -> None:
    """Eight cases of five, each won or lost whole: singly 30 to 10 looks certain, as cases 6 to 2 do not."""
    ours, theirs = tallies([True] * 30 + [False] * 10), tallies([False] * 30 + [True] * 10)
    groups = {key: f"g{int(key[2:]) // 5}" for key in ours}
    singly, whole = paired(ours, theirs, {}, "x"), paired(ours, theirs, groups, "x")
    assert singly["mcnemar_p"] == whole["mcnemar_p"] < 0.01
    assert singly["bootstrap_p"] < 0.01 and whole["bootstrap_p"] > 0.05
    assert not with_holm([whole])[0]["differs"]


def test_equal_results_are_in_no_family() -> None:
    """Better each time: corrected for the one comparison that a reader makes, not for those where nothing moved."""
    better = paired(tallies([True] * LEAST), tallies([False] * LEAST), {}, "x")
    still = [paired(tallies([True] * 8), tallies([True] * 8), {}, str(number)) for number in range(9)]
    rules = paired(tallies([True] * 4 + [False] * 4), tallies([False] * 8), {}, "y")
    rows = with_holm([better, *still, rules, {"shared": 0}], lambda row: row is rules)
    assert [row.get("family") for row in rows] == [1, *[0] * 10, None]
    assert better["mcnemar_p_holm"] == better["mcnemar_p"] < 0.01 and better["differs"]
    assert rules["mcnemar_p_holm"] is None and not rules["differs"]
    [few] = with_holm([paired(tallies([True] * 8), tallies([False] * 8), {}, "x")])
    assert few["mcnemar_p_holm"] < 0.01 and not few["differs"]
    assert "fewer than 20 items" in as_text([few | {"a": "x", "b": "y", "differ_in": [], "only_a": 0, "only_b": 0, "of_a": 1, "of_b": 0}])


def test_better_mean_counts_despite_fewer_better_items() -> None:
    """One is right in one of five orders of each item; the other on 17 of 39: it is worse on 22, by little, and better on 17, by much."""
    orders = {f"q{number}": Tally(1, 5) for number in range(39)}
    other = {f"q{number}": Tally(number < 17, 1) for number in range(39)}
    [row] = with_holm([paired(other, orders, {}, "")])
    assert (row["better"], row["worse"], row["difference"] > 0.2, row["differs"]) == (17, 22, True, True)


@pytest.mark.parametrize("seed", range(5))
def test_sign_flip_test_matches_enumeration(seed: int) -> None:
    differences = np.random.default_rng(seed).normal(0.5, 1, 12)
    signs = np.array([*product((-1, 1), repeat=12)])
    sums = np.abs(signs @ differences)
    assert sign_flip_test(differences) == pytest.approx((sums >= abs(differences.sum()) - 1e-9).mean(), abs=0.05)
    assert sign_flip_test(np.sign(differences)) == sign_test(int((differences > 0).sum()), int((differences < 0).sum()))


def test_tasks_are_families_without_pairs_of_rules() -> None:
    runs = {name: Run(model=name.partition("-")[0], task=task) for name, task in (("a", "choice"), ("b", "choice"), ("r-1", "choice"),
            ("r-2", "choice"), ("c", "claim"), ("d", "claim"))}  # fmt: skip
    right = {"a": 20, "b": 8, "r-1": 4, "r-2": 6, "c": 20, "d": 5}
    found = compare(runs, {name: tallies([True] * number + [False] * (20 - number)) for name, number in right.items()}, {}, {}, None, "r")
    assert {(row["a"], row["b"]): row["family"] for row in found} == {
        **dict.fromkeys([("a", "b"), ("a", "r-1"), ("a", "r-2"), ("b", "r-1"), ("b", "r-2")], 5), ("r-1", "r-2"): 0, ("c", "d"): 1,
    }  # fmt: skip


def test_both_sides_of_a_pair_and_all_repeats_count() -> None:
    rows = [
        Score(item_id=f"claim-1/{side}", repeat=repeat, outcome="answered", answer="正确", correct=side == "factual" or repeat == 1)
        for side in ("factual", "non_factual")
        for repeat in range(3)
    ]
    for order in (rows, rows[::-1]):  # whichever side comes last
        assert tally(order, METRICS["accuracy"]) == {"claim-1": Tally(1, 3)}
    assert mean(tally(rows, METRICS["accuracy"]).values()) == Fraction(1, 3)


def test_different_repeats_are_compared_by_share() -> None:
    """What is right once of once is alike to three of three, better than two of three; asking thrice the same changes nothing."""
    ours = {"a": Tally(1, 1), "b": Tally(1, 1), "c": Tally(0, 1), "d": Tally(0, 1), "e": Tally(1, 1)}
    theirs = {"a": Tally(3, 3), "b": Tally(2, 3), "c": Tally(1, 3), "d": Tally(0, 3), "e": Tally(0, 3)}
    found, mirrored = paired(ours, theirs, {}, "x"), paired(theirs, ours, {}, "x")
    assert (found["better"], found["worse"], found["alike"], found["difference"]) == (2, 1, 2, 0.2)
    assert (mirrored["better"], mirrored["worse"], mirrored["difference"]) == (1, 2, -0.2)
    assert -1 <= found["interval"][0] <= 0.2 <= found["interval"][1] <= 1
    thrice = {key: Tally(3 * one.marks, 3) for key, one in ours.items()}
    assert paired(thrice, theirs, {}, "x") == found


def test_hidden_answers_count_only_in_following_rate() -> None:
    rows = scores([True, None, False])
    assert len(tally(rows, METRICS["accuracy"])) == 2
    assert len(tally(rows, METRICS["following_rate"])) == 3


def test_row_has_shared_means_and_counts_unshared_items() -> None:
    runs = {name: Run(model=name, task="choice") for name in ("one", "other")}
    asked = {"one": tallies([True] * 6 + [False] * 4), "other": tallies([False] * 9, 4)}
    (row,) = compare(runs, asked, {}, {})
    assert (row["shared"], row["only_a"], row["only_b"]) == (6, 4, 3)
    assert (row["of_a"], row["of_b"], row["difference"]) == (0.33333333, 0.0, 0.33333333)


@pytest.mark.slow
def test_committed_means_are_reported_without_a_test() -> None:
    runs = {name: Run(model=name, task="choice") for name in ("one", "other")}
    asked = {"one": tallies([True] * 6 + [False] * 4), "other": tallies([False] * 10)}
    committed = {"one": tallies([True] * 8 + [False] * 2), "other": tallies([True] * 5 + [False] * 5)}
    (row,) = compare(runs, asked, {}, {}, committed)
    assert (row["of_a"], row["committed_of_a"], row["committed_of_b"]) == (0.6, 0.8, 0.5)
    (alone,) = compare(runs, asked, {}, {})
    assert "committed_of_a" not in alone


RUNS = {
    "good": {"model": "m", "task": "choice"},
    "shots": {"model": "m", "task": "choice", "shots": 3, "batch_size": 4},
    "bad": {"model": "n", "task": "choice"},
    "words": {"model": "m", "task": "essay"},
    "other-words": {"model": "n", "task": "essay"},
    "claims": {"model": "m", "task": "claim"},
}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, root: Path) -> Path:
    """A folder with the runs' scores and a params.yaml that names them."""
    monkeypatch.chdir(tmp_path)
    params = YAML(typ="safe", pure=True).load(root / "params.yaml") | {"runs": RUNS, "judges": {}}
    with open("params.yaml", "w", encoding="utf-8") as file:
        YAML().dump(params, file)
    right = {"good": [True] * 40, "shots": [True] * 39 + [False], "bad": [False] * 30 + [True] * 10}
    for run, marks in right.items():
        write_jsonl(f"data/scores/{run}.jsonl", scores(marks), key=lambda score: score.item_id)
    for run in ("words", "other-words"):
        write_jsonl(f"data/scores/{run}.jsonl", scores([None] * 3), key=lambda score: score.item_id)
    claims = [score for n in range(4) for score in scores([True], 100 + n)]
    write_jsonl("data/scores/claims.jsonl", claims, key=lambda score: score.item_id)
    write_jsonl("data/splits/test/questions.jsonl", [{"id": "q-000", "group_id": None, "stem": "…"}], key=lambda row: row["id"])
    return tmp_path


@pytest.mark.slow
def test_stage_compares_runs_of_a_task_and_lists_differences(project: Path) -> None:
    main([])
    first = (project / "metrics/compare.json").read_bytes()
    found = msgspec.json.decode(first)
    assert [(row["a"], row["b"], row["differ_in"], row["differs"]) for row in found["pairs"]] == [
        ("good", "shots", ["shots"], False),
        ("good", "bad", ["model"], True),
        ("shots", "bad", ["model", "shots"], True),
    ]
    row = found["pairs"][1]
    assert (row["of_a"], row["of_b"], row["difference"], row["better"], row["worse"]) == (1.0, 0.25, 0.75, 30, 0)
    assert row["interval"][0] > 0.55 and row["interval"][1] < 0.95
    main([])
    assert (project / "metrics/compare.json").read_bytes() == first


@pytest.mark.slow
def test_compares_marks_by_the_same_judge(project: Path) -> None:
    """A reply without an answer is worth 0, one without a mark is left out, and marks of another judge are another thing."""
    params = YAML(typ="safe", pure=True).load(project / "params.yaml")
    judged = {"words": (80.0, 60.0), "other-words": (50.0, 30.0)}
    write_jsonl("data/splits/test/questions.jsonl", [{"id": f"q-{n:03}", "answer": "…"} for n in range(20)], key=lambda row: row["id"])
    for run, marks in judged.items():
        rows = [
            Score(item_id=f"q-{n:03}", repeat=0, outcome="answered" if n else "unparsed", answer="…" if n else None, correct=None)
            for n in range(20)
        ]
        write_jsonl(f"data/scores/{run}.jsonl", rows, key=lambda score: score.item_id)
        judgements = [
            Judgement(item_id=f"q-{n:03}", repeat=0, order=order, draw=0, mark=None if n == 19 else mark, reply="", finish_reason="stop",
                      tokens=0, prompt_tokens=0, prompt_sha256="0")
            for n in range(1, 20) for order, mark in zip(("standard_first", "given_first"), marks, strict=True)
        ]  # fmt: skip
        write_jsonl(f"data/judgements/{run}.jsonl", judgements, key=lambda one: (one.item_id, one.order))
    first = {"words": {"model": "m"}}
    for second, found in (({"other-words": {"model": "m"}}, 1), ({"other-words": {"model": "n"}}, 0), ({}, 0)):
        with open("params.yaml", "w", encoding="utf-8") as file:
            YAML().dump(params | {"judges": first | second}, file)
        main([])
        rows = [row for row in msgspec.json.decode((project / "metrics/compare.json").read_bytes())["pairs"] if row["task"] == "essay"]
        assert len(rows) == found
        for row in rows:
            assert (row["figure"], row["shared"], row["better"], row["alike"]) == ("mark", 19, 18, 1)
            assert (row["of_a"], row["of_b"], row["difference"]) == (0.66315789, 0.37894737, 0.28421053)  # 70 and 40 in 18 of 19


def test_chosen_runs_are_printed_but_not_written(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["good", "bad"])
    told = capsys.readouterr().out
    assert "100.0 %  25.0 %  +75.0" in told and "p-values two-sided; " in told
    assert not (project / "metrics").exists() and "missing" not in told
    path = project / "data/scores/bad.jsonl"
    path.write_text(path.read_text().replace("answered", "failed", 3))
    main(["good", "bad"])
    told = capsys.readouterr().out.splitlines()[-1]
    assert told == "bad: 3 of 40 replies are missing and count as wrong; accuracy of the 37 items replied to: 27.0 %"


@pytest.mark.parametrize(
    ("named", "message"),
    [
        (["good"], "found only one run, good; give two or more of"),
        (["good", "godo"], "unknown run 'godo'.*did you mean good"),
        (["good", "claims"], "no two of them have the same task"),
        (["words", "other-words"], "no two of them have the same task with known answers"),
    ],
)
def test_reports_incomparable_runs(project: Path, named: list[str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        main(named)


def test_run_without_scores_gives_the_command(project: Path) -> None:
    (project / "data/scores/bad.jsonl").unlink()
    with pytest.raises(FileNotFoundError, match="dvc repro"):
        main([])
