"""Tasks: which items are asked, how, and with which examples before them."""

import json
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eval.tasks import TASKS
from eval.tasks.request import Request, with_shots
from records.claim import ClaimPair
from records.jsonl import read_jsonl
from records.provenance import Provenance
from records.question import Option, Question

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]


def split_of(folder: Path, name: str) -> tuple[list[Question], list[ClaimPair]]:
    split = folder / "splits" / name
    return list(read_jsonl(split / "questions.jsonl", Question)), list(read_jsonl(split / "claims.jsonl", ClaimPair))


def question(number: int, answer: str | None = "A", **changes) -> Question:
    options = [Option(letter=letter, text=f"{letter}{number}") for letter in "ABCD"]
    values = {"exam": "PCE", "subject": "甲", "question_type": "mcqa", "stem": f"题{number}"} | changes
    return Question(id=f"q-{number:03}", options=options, answer=answer, provenance=SEEN, **values)


def choice(*questions: Question) -> list[Request]:
    return TASKS["choice"](questions, [])


def said(request: Request) -> str:
    return "\n".join(message["content"] for message in request.messages)


def test_each_item_is_asked_by_one_task(toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    asked = {name: {request.item_id for request in task(questions, claims)} for name, task in TASKS.items()}
    assert asked["claim"] == {f"{pair.id}/{side}" for pair in claims for side in ("factual", "non_factual")}
    assert asked["tcm"] == {row.id for row in questions if row.exam == "TCM"}
    assert asked["choice"] == {row.id for row in questions if row.exam != "TCM" and row.question_type in ("mcqa", "mrqa")}


@pytest.mark.parametrize("task", sorted(TASKS))
def test_order_of_rows_does_not_matter(task: str, toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    assert TASKS[task](questions, claims) == TASKS[task](questions[::-1], claims[::-1])


@pytest.mark.parametrize("task", sorted(TASKS))
def test_the_prompt_does_not_depend_on_the_answer(task: str, toy_data: Path) -> None:
    """The published CPsyExam loader writes the gold answer into the prompt of any split that has answers."""
    questions, claims = split_of(toy_data, "test")
    hidden = [Question(**{name: getattr(row, name) for name in row.__struct_fields__} | {"answer": None}) for row in questions]
    assert [r.messages for r in TASKS[task](questions, claims)] == [r.messages for r in TASKS[task](hidden, claims)]


def test_claims_are_asked_on_both_sides(toy_data: Path) -> None:
    _, claims = split_of(toy_data, "test")
    requests = TASKS["claim"]([], claims[:1])
    assert [(request.item_id.rpartition("/")[2], request.answer) for request in requests] == [("factual", "正确"), ("non_factual", "错误")]
    assert said(requests[0]).endswith(claims[0].factual)


@pytest.mark.parametrize(("answer", "kind", "name"), [("A", "mcqa", "单选题"), ("AC", "mrqa", "多选题")])
def test_choice_says_what_kind_of_answer_is_wanted(answer: str, kind: str, name: str) -> None:
    [request] = choice(question(1, answer, question_type=kind))
    system, user = request.messages
    assert (system["role"], user["role"]) == ("system", "user")
    assert name in system["content"]
    assert user["content"] == "题1\nA. A1\nB. B1\nC. C1\nD. D1"
    assert request.reply(answer) == f"答案：{answer}"


def test_a_case_stands_before_its_question() -> None:
    [request] = choice(question(1, category="ca", shared_stem="求助者，女。", group_id="g-1"))
    assert request.messages[-1]["content"].startswith("求助者，女。\n题1\n")


def test_braces_in_texts_are_texts() -> None:
    [request] = choice(question(1, stem="集合{a}与{subject}", subject="{数学}"))
    assert "集合{a}与{subject}" in said(request)
    assert '"{数学}"考试' in said(request)


@pytest.mark.parametrize("name", ["FKU", "CVR", "KHC"])
def test_tcm_prompts_are_the_published_ones(name: str, real_data: Path) -> None:
    published = json.loads((real_data / "tcmbench" / f"{name}.json").read_text(encoding="utf-8"))["prefix_prompt"]
    form = {"FKU": "a2", "CVR": "a3", "KHC": "b1"}[name]
    [request] = TASKS["tcm"]([question(1, exam="TCM", form=form, shared_stem="患者。" if form == "a3" else None)], [])
    assert request.messages[0]["content"].startswith(published + "\n")


@pytest.mark.parametrize(("form", "end"), [
    ("a1", "题1\nA．A1\nB．B1\nC．C1\nD．D1"),
    (None, "题1\nA．A1\nB．B1\nC．C1\nD．D1"),
    ("a3", "患者。\n1)．题1\nA．A1\nB．B1\nC．C1\nD．D1"),
    ("b1", "（共用备选答案）\nA．A1\nB．B1\nC．C1\nD．D1\n1)．题1"),
])  # fmt: skip
def test_tcm_forms(form: str | None, end: str) -> None:
    shared = "患者。" if form == "a3" else None
    [request] = TASKS["tcm"]([question(1, exam="TCM", form=form, shared_stem=shared, explanation="因为{甲}。")], [])
    assert request.messages[0]["content"].endswith("\n" + end)
    assert request.solution == "【解析】因为{甲}。<eoe>\n【答案】A<eoa>"
    assert request.reply("B") == "【解析】略。<eoe>\n【答案】B<eoa>"


def test_shots_are_earlier_turns_under_one_system_message() -> None:
    train = choice(*[question(n) for n in range(10, 20)])
    [request] = with_shots(choice(question(1)), [train], 3, seed=1)
    assert [message["role"] for message in request.messages] == ["system", *["user", "assistant"] * 3, "user"]
    assert {message["content"] for message in request.messages if message["role"] == "assistant"} == {"答案：A"}
    assert request.messages[-1]["content"].startswith("题1\n")


def test_shots_come_from_the_same_subject_and_type() -> None:
    train = choice(*[question(n, subject="甲乙"[n % 2], exam=("PCE", "TQE")[n % 3 == 0]) for n in range(10, 40)])
    [request] = with_shots(choice(question(1)), [train], 20, seed=1)
    numbers = [int(message["content"].partition("\n")[0][1:]) for message in request.messages if message["role"] == "user"][:-1]
    assert sorted(numbers) == [n for n in range(10, 40) if n % 2 == 0 and n % 3]


def test_dev_gives_what_train_lacks() -> None:
    train, dev = choice(question(10), question(11)), choice(*[question(n) for n in range(20, 30)])
    [request] = with_shots(choice(question(1)), [train, dev], 4, seed=1)
    shown = [message["content"].partition("\n")[0] for message in request.messages if message["role"] == "user"]
    assert set(shown[:2]) == {"题10", "题11"}
    assert len(shown) == 5


def test_questions_without_an_answer_are_no_examples() -> None:
    [request] = with_shots(choice(question(1)), [choice(question(10, None))], 5, seed=1)
    assert [message["role"] for message in request.messages] == ["system", "user"]


def test_a_seed_fixes_the_examples_of_a_pool_and_another_changes_them() -> None:
    train = choice(*[question(n) for n in range(10, 60)])
    asked = choice(*[question(n) for n in range(5)])

    def shown(seed: int) -> set[str]:
        return {json.dumps(request.messages[:-1], ensure_ascii=False) for request in with_shots(asked, [train[::-1]], 5, seed)}

    assert len(shown(1)) == 1
    assert shown(1) == shown(1)
    assert shown(1) != shown(2)


@given(
    kin=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30),
    shots=st.integers(1, 6),
    seed=st.integers(0, 9),
)
def test_no_item_is_shown_beside_its_kin(kin: list[tuple[int, int]], shots: int, seed: int) -> None:
    """Even where a pool holds the asked item itself: neither it, nor its cluster, nor its group, nor two of one kind."""
    rows = [question(n, cluster_id=f"c{cluster}", group_id=f"g{group}") for n, (cluster, group) in enumerate(kin)]
    by_stem = {f"题{n}": {row.id, row.cluster_id, row.group_id} for n, row in enumerate(rows)}
    requests = choice(*rows)
    for request in with_shots(requests, [requests], shots, seed):
        shown = [message["content"].partition("\n")[0] for message in request.messages if message["role"] == "user"]
        counts = Counter(key for stem in shown for key in by_stem[stem])
        assert max(counts.values()) == 1
