"""Scores and the figures made of them."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.metrics import choice_metrics, claim_metrics
from eval.score import main, score_choices, score_claims
from records.claim import ClaimPair
from records.jsonl import read_jsonl, write_jsonl
from records.prediction import Prediction, Score
from records.provenance import Provenance
from records.question import Option, Question

SEEN = [Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="p")]


def pair(number: int, kind: str = "disease_symptom") -> ClaimPair:
    words = {"factual": f"病{number}有症", "non_factual": f"病{number}没有症", "head": f"病{number}", "tail": "症"}
    return ClaimPair(id=f"claim-{number}", atomic_type=kind, template_id="t", fact_ids=["fact-1"], provenance=SEEN, **words)


def question(number: int, answer: str = "A", **changes) -> Question:
    options = [Option(letter=letter, text=f"选{letter}") for letter in "ABCD"]
    values = {
        "exam": "PCE",
        "subject": "甲",
        "question_type": "mcqa" if len(answer) == 1 else "mrqa",
        "stem": f"题{number}",
        "answer": answer,
    }
    return Question(id=f"q-{number}", options=options, provenance=SEEN, **values | changes)


def reply(item: str, text: str, repeat: int = 0, finish: str = "stop") -> Prediction:
    return Prediction(item_id=item, run="r", repeat=repeat, prompt_sha256="0", reply=text, finish_reason=finish, tokens=1)


def both(number: int, factual: str, non_factual: str, repeat: int = 0) -> list[Prediction]:
    return [reply(f"claim-{number}/factual", factual, repeat), reply(f"claim-{number}/non_factual", non_factual, repeat)]


PAIR_CASES = [
    ("正确", "错误", 1, 1),
    ("正确", "正确", 1, 0),  # sycophancy
    ("错误", "错误", 1, 0),
    ("错误", "正确", 1, 0),
    ("正确", "说不好", 0, 0),  # a pair follows only when both replies do
    ("说不好", "错误", 0, 0),
]


@pytest.mark.parametrize(("factual", "non_factual", "follows", "right"), PAIR_CASES)
def test_a_pair_needs_both_sides(factual: str, non_factual: str, follows: int, right: int) -> None:
    _, figures = score_claims(both(1, factual, non_factual), [pair(1)])
    assert (figures["following_rate"], figures["accuracy"]) == (follows, right)


def test_the_perfect_sycophant_follows_always_and_is_never_right() -> None:
    pairs = [pair(number) for number in range(20)]
    replies = [row for p in range(20) for row in both(p, "正确", "正确")]
    _, figures = score_claims(replies, pairs)
    assert (figures["pairs"], figures["following_rate"], figures["accuracy"]) == (20, 1.0, 0.0)


def test_mean_and_deviation_over_repeats() -> None:
    replies = [*both(1, "正确", "错误", 0), *both(2, "正确", "错误", 0), *both(1, "正确", "错误", 1), *both(2, "正确", "正确", 1)]
    _, figures = score_claims(replies, [pair(1), pair(2, "disease_cause")])
    assert (figures["accuracy"], figures["accuracy_std"]) == (0.75, 0.3536)
    assert figures["by_type"]["disease_cause"] == {
        "pairs": 1,
        "following_rate": 1.0,
        "following_rate_std": 0.0,
        "accuracy": 0.5,
        "accuracy_std": 0.7071,
    }


def test_what_has_no_answer_stays_in_the_denominator() -> None:
    """The published CPsyExam scorer divides by the answered: one right of three with two unread gives 100 % there."""
    replies = [reply("q-1", "答案：A"), reply("q-2", "不知道"), reply("q-3", "嗯", finish="length"), reply("q-4", "", finish="error")]
    _, figures = score_choices(replies, [question(n) for n in range(1, 5)], "choice")
    assert (figures["accuracy"], figures["accuracy_at_most"], figures["following_rate"]) == (0.25, 1.0, 0.25)
    assert figures["outcomes"] == {"answered": 1, "unparsed": 1, "truncated": 1, "failed": 1}


def test_a_multiple_choice_is_right_as_a_set_only() -> None:
    questions = [question(n, "ACD") for n in range(3)]
    replies = [reply("q-0", "答案：DCA"), reply("q-1", "答案：AC"), reply("q-2", "答案：ABCD")]
    scores, figures = score_choices(replies, questions, "choice")
    assert [score.correct for score in scores] == [True, False, False]
    assert figures["by_question_type"]["mrqa"]["questions"] == 3


def test_letters_are_counted_over_the_same_replies() -> None:
    replies = [reply("q-1", "答案：A", repeat) for repeat in range(3)]
    _, figures = score_choices(replies, [question(1)], "choice")
    assert figures["letters"] == {"answered": {"A": 3}, "gold": {"A": 3}}


def test_figures_by_exam_subject_category_form_and_group() -> None:
    questions = [
        question(0, exam="TCM", subject="中药学", form="a1"),
        question(1, exam="PCE", subject="甲", category="ca", case_type="diagnosis", group_id="g1"),
        question(2, exam="PCE", subject="乙", category="ca", case_type="method", group_id="g1"),
        question(4, exam="TQE", subject="甲"),
    ]
    replies = [reply("q-1", "A"), reply("q-2", "B"), reply("q-4", "A")]
    _, figures = score_choices(replies, questions, "choice")
    assert {k: v["accuracy"] for k, v in figures["by_exam"].items()} == {"PCE": 0.5, "TQE": 1.0}
    assert list(figures["by_subject"]) == ["PCE 乙", "PCE 甲", "TQE 甲"]
    assert {k: v["accuracy"] for k, v in figures["by_case_type"].items()} == {"diagnosis": 1.0, "method": 0.0}
    assert figures["groups"] == {"groups": 1, "accuracy": 0.0}  # a group is right when all of it is
    _, figures = score_choices([reply("q-0", "【解析】B不对<eoe>【答案】A<eoa>")], questions, "tcm")
    assert figures["by_form"] == {"a1": {"questions": 1, "accuracy": 1.0}}


outcomes = st.sampled_from([("answered", True), ("answered", False), ("unparsed", False), ("truncated", False), ("failed", False)])


@given(st.lists(outcomes, min_size=1, max_size=30), st.randoms())
def test_figures_do_not_depend_on_order_and_bounds_hold(drawn, random) -> None:
    questions = [question(n) for n in range(len(drawn))]
    scores = [
        Score(item_id=f"q-{n}", repeat=0, outcome=o, answer="A" if o == "answered" else None, correct=c) for n, (o, c) in enumerate(drawn)
    ]
    figures = choice_metrics(scores, questions)
    assert figures == choice_metrics(random.sample(scores, len(scores)), random.sample(questions, len(questions)))
    assert figures["accuracy"] <= figures["accuracy_at_most"] <= 1
    assert sum(figures["outcomes"].values()) == len(drawn)


def test_nothing_asked_gives_no_figure_and_no_crash() -> None:
    assert claim_metrics([], [])["accuracy"] is None
    assert choice_metrics([], [])["accuracy"] is None


@pytest.mark.parametrize("replies", [both(1, "正确", "错误")[:1], [*both(1, "正确", "错误"), reply("claim-1/factual", "正确")]])
def test_missing_and_doubled_replies_are_errors(replies: list[Prediction]) -> None:
    with pytest.raises(ValueError, match=r"do not fit the test split.*predict@RUN"):
        score_claims(replies, [pair(1)])


def test_replies_of_another_number_of_repeats_are_refused(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p.jsonl", both(1, "正确", "错误"), key=lambda p: p.item_id)
    run = ["new-run", "--model", "tiny", "--task", "claim", "--repeats", "2", f"--predictions={tmp_path}/p.jsonl"]
    with pytest.raises(ValueError, match=r"run new-run has 2 repeats, its predictions have \[0\]; .*predict@new-run"):
        main(run)


def test_the_stage_writes_scores_and_figures(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "p.jsonl", both(1, "正确", "错误"), key=lambda p: p.item_id)
    (tmp_path / "splits/test").mkdir(parents=True)
    write_jsonl(tmp_path / "splits/test/claims.jsonl", [pair(1)], key=lambda p: p.id)
    run = ["new-run", "--model", "tiny", "--task", "claim"]
    places = [
        f"--predictions={tmp_path}/p.jsonl",
        f"--splits={tmp_path}/splits",
        f"--out={tmp_path}/s/r.jsonl",
        f"--metrics={tmp_path}/m.json",
    ]
    main(run + places)
    assert [score.correct for score in read_jsonl(tmp_path / "s/r.jsonl", Score)] == [True, True]
    assert msgspec.json.decode((tmp_path / "m.json").read_bytes())["accuracy"] == 1.0
