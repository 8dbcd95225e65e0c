"""Tasks: which items are asked, how, and with which examples before them."""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from contextlib import redirect_stdout
from io import BytesIO, TextIOWrapper
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from atomexam.records.blocks import Run
from atomexam.records.claim import ClaimPair
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, Shot
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from crawlers.read.__main__ import main as read_items
from curation.clean.__main__ import main as clean
from eval.tasks import contract
from eval.tasks.request import Request, allowed_answers, conversation, following
from eval.tasks.runs import TASKS, RequestBuilder, wording
from eval.tasks.shots import from_pools, pools_of
from eval.tasks.tcm import cases_of

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]
WORDINGS = [(name, prompt) for name, task in sorted(TASKS.items()) for prompt in task.prompts]


def with_shots(requests: Sequence[Request], examples: Iterable[Request], shots: int) -> list[Request]:
    return from_pools(requests, pools_of(examples), shots)


def split_of(folder: Path, name: str) -> tuple[list[Question], list[ClaimPair]]:
    split = folder / "splits" / name
    return list(read_jsonl(split / "questions.jsonl", Question)), list(read_jsonl(split / "claims.jsonl", ClaimPair))


def question(number: int, answer: str | None = "A", **changes) -> Question:
    options = [Option(letter=letter, text=f"{letter}{number}") for letter in "ABCD"]
    values = {"exam": "PCE", "subject": "甲", "question_type": "mcqa", "stem": f"题{number}", "options": options, "provenance": SEEN}
    return Question(id=f"q-{number:03}", answer=answer, **(values | changes))


def asked(task: str, questions: list[Question], claims: list[ClaimPair], prompt: str | None = None) -> list[Request]:
    return TASKS[task].requests(questions, claims, wording(task, prompt))


def choice(*questions: Question, prompt: str = "choice") -> list[Request]:
    return asked("choice", list(questions), [], prompt)


def tcm(*questions: Question, prompt: str = "tcm") -> list[Request]:
    return asked("tcm", [structs.replace(row, exam="TCM") for row in questions], [], prompt)


def split_reasoning(request: Request) -> str:
    return "\n".join(message["content"] for message in request.messages)


def shown_stems(request: Request) -> list[str]:
    return [message["content"].partition("\n")[0] for message in request.messages if message["role"] == "user"]


def test_each_item_is_asked_by_one_task(toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    items = {name: {request.item_id for request in asked(name, questions, claims)} for name in TASKS}
    assert items["claim"] == {f"{pair.id}/{side}" for pair in claims for side in ("factual", "non_factual")}
    assert items["tcm"] == {row.id for row in questions if row.exam == "TCM"}
    assert items["choice"] == {row.id for row in questions if row.exam != "TCM" and row.question_type in ("mcqa", "mrqa")}
    assert items["essay"] == {row.id for row in questions if row.question_type == "qa"}


@pytest.mark.parametrize(("task", "prompt"), WORDINGS)
def test_order_of_rows_does_not_matter(task: str, prompt: str, toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    assert asked(task, questions, claims, prompt) == asked(task, questions[::-1], claims[::-1], prompt)


@pytest.mark.parametrize(("task", "prompt"), WORDINGS)
def test_the_prompt_does_not_depend_on_the_answer(task: str, prompt: str, toy_data: Path) -> None:
    """The published CPsyExam loader writes the gold answer into the prompt of any split that has answers."""
    questions, claims = split_of(toy_data, "test")
    hidden = [structs.replace(row, answer=None, explanation=None) for row in questions]
    assert [r.messages for r in asked(task, questions, claims, prompt)] == [r.messages for r in asked(task, hidden, claims, prompt)]


@pytest.mark.parametrize(("task", "prompt"), WORDINGS)
def test_a_wording_asks_the_same_items_in_its_own_words(task: str, prompt: str, toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    first, other = asked(task, questions, claims), asked(task, questions, claims, prompt)
    assert [(r.item_id, r.answer, r.unit, r.follows) for r in first] == [(r.item_id, r.answer, r.unit, r.follows) for r in other]
    if prompt != wording(task, None):
        assert all(split_reasoning(a) != split_reasoning(b) for a, b in zip(first, other, strict=True) if a.follows is None)


def test_an_unknown_wording_names_the_known() -> None:
    with pytest.raises(ValueError, match=r"task tcm: unknown prompt 'tcm_papr'; known: tcm, tcm_paper; did you mean tcm_paper\?"):
        wording("tcm", "tcm_papr")


def test_allowed_answers(toy_data: Path) -> None:
    pairs = split_of(toy_data, "test")[1]
    assert [allowed_answers(request) for request in asked("claim", [], pairs[:1])] == [["正确", "错误"]] * 2
    single, several = choice(question(1), question(2, "AC", question_type="mrqa"))
    assert allowed_answers(single) == ["A", "B", "C", "D"]
    assert allowed_answers(several) == ["AB", "AC", "AD", "BC", "BD", "CD", "ABC", "ABD", "ACD", "BCD", "ABCD"]
    [essay] = asked("essay", [question(1, "因为。", question_type="qa", options=[])], [])
    assert allowed_answers(essay) == []


def test_a_subject_of_two_examinations_is_two_subjects_in_the_figures() -> None:
    found = choice(question(1), question(2, exam="GEE"), question(3, subject="乙"))
    assert [request.facets["subject"] for request in found] == ["PCE 甲", "GEE 甲", "PCE 乙"]
    assert [request.facets["exam"] for request in found] == ["PCE", "GEE", "PCE"]


@pytest.mark.parametrize("task", ["choice", "essay", "tcm"])
def test_the_questions_of_a_group_are_right_as_a_whole_in_every_task(task: str) -> None:
    about = {"question_type": "qa", "options": []} if task == "essay" else {"exam": "TCM"} if task == "tcm" else {}
    found = asked(task, [question(1, group_id="g-1", **about), question(2, group_id="g-1", **about), question(3, **about)], [])
    assert [request.unit for request in found] == ["g-1", "g-1", "q-003"]


def test_a_case_stands_before_its_question_and_braces_are_text() -> None:
    """All other words of a prompt are those of its snapshot in tests/eval/snapshots."""
    about = {"stem": "集合{a}与{subject}", "subject": "{数学}", "shared_stem": "求助者，女。", "group_id": "g-1"}
    [request] = choice(question(1, category="ca", **about))
    assert request.messages[-1]["content"].startswith("求助者，女。\n集合{a}与{subject}\n") and '"{数学}"考试' in split_reasoning(request)
    [essay] = asked("essay", [question(1, "因为。", question_type="qa", options=[], **about)], [])
    assert '题干"求助者，女。\n集合{a}与{subject}"' in split_reasoning(essay)
    assert (essay.answer, essay.solution, essay.reply("答"), essay.reader) == ("因为。", "因为。", "答", "qa")


@pytest.mark.parametrize("task", ["choice", "essay"])
@pytest.mark.parametrize(("exam", "subject", "psychologist"), [
    ("TQE", "小学教师心理学", True), ("国家心理师考试", "基础", True), ("导游资格考试", "导游资格考试", False), ("GEE", "政治", False),
])  # fmt: skip
def test_only_psychology_is_asked_of_a_psychologist(task: str, exam: str, subject: str, psychologist: bool) -> None:
    kind = {"question_type": "qa", "options": []} if task == "essay" else {}
    [request] = asked(task, [question(1, exam=exam, subject=subject, **kind)], [])
    text = "".join(message["content"] for message in request.messages)
    assert ("心理学领域的资深专家" in text) == psychologist
    assert subject in text and "题1" in text and "答案格式为" in text and (task == "essay" or "单选题" in text)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("a1", "题1\nA．A1\nB．B1\nC．C1\nD．D1"),
        (None, "题1\nA．A1\nB．B1\nC．C1\nD．D1"),
        ("a2", "患者。\n题1\nA．A1\nB．B1\nC．C1\nD．D1"),
        ("a3", "患者。\n1)．题1\nA．A1\nB．B1\nC．C1\nD．D1"),
        ("b1", "（共用备选答案）\nA．A1\nB．B1\nC．C1\nD．D1\n1)．题1"),
    ],
)
def test_tcm_forms(form: str | None, text: str) -> None:
    shared = "患者。" if form in ("a2", "a3") else None
    [request] = tcm(question(1, form=form, shared_stem=shared, explanation="因为{甲}。"))
    assert request.messages[-1] == {"role": "user", "content": text}
    assert request.solution == "【解析】因为{甲}。<eoe>\n【答案】A<eoa>"
    assert request.reply("B") == "【解析】略。<eoe>\n【答案】B<eoa>"


def case_of(size: int, case: str = "患者。", first: int = 8, group: str = "g-1") -> list[Question]:
    """Questions of one case whose ids run against their order on the page, and whose places pass from one digit to two."""
    return [
        question(900 - n, form="a3", shared_stem=case, group_id=group, provenance=[structs.replace(SEEN[0], position=f"q{first + n}")])
        for n in range(size)
    ]


def test_the_questions_of_a_case_are_one_conversation() -> None:
    requests = {request.item_id: request for request in tcm(*case_of(3))}
    assert {item: request.follows for item, request in requests.items()} == {"q-900": None, "q-899": "q-900", "q-898": "q-899"}
    assert [message["role"] for message in requests["q-900"].messages] == ["system", "user"]
    assert requests["q-900"].messages[1]["content"].startswith("患者。\n1)．题900\nA．")
    assert requests["q-899"].messages == [{"role": "user", "content": "2)．题899\nA．A899\nB．B899\nC．C899\nD．D899"}]
    second = following(requests["q-899"], requests["q-900"], "答甲")
    third = following(requests["q-898"], second, "答乙")
    assert [message["role"] for message in third.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert [message["content"] for message in third.messages if message["role"] == "assistant"] == ["答甲", "答乙"]
    assert split_reasoning(third).count("患者。") == 1


def test_a_group_with_two_wordings_of_its_case_is_two_conversations() -> None:
    """A near-duplicate case shares the group; its questions speak of their own text."""
    other = [structs.replace(row, id=f"{row.id}-b", shared_stem="患者，男。") for row in case_of(2)]
    requests = {request.item_id: request for request in tcm(*case_of(2), *other)}
    assert {item: request.follows for item, request in requests.items() if request.follows} == {"q-899": "q-900", "q-899-b": "q-900-b"}
    assert len({request.unit for request in requests.values()}) == 1


def test_places_are_those_of_the_page_that_has_most_of_the_case() -> None:
    """A question that was also seen elsewhere, at another place, keeps its turn."""
    rows = case_of(3)
    elsewhere = Provenance(source="a", url="https://a.example", snapshot="2026-11-20", page_id="page-0", position="q99")
    rows[0] = structs.replace(rows[0], provenance=[elsewhere, *rows[0].provenance])
    rows[2] = structs.replace(rows[2], provenance=[structs.replace(elsewhere, position="q1"), *rows[2].provenance])
    assert cases_of(rows[::-1]) == [rows]
    assert cases_of([structs.replace(row, provenance=[]) for row in rows]) == [[structs.replace(row, provenance=[]) for row in rows[::-1]]]


def test_no_shots_change_nothing(toy_data: Path) -> None:
    questions, claims = split_of(toy_data, "test")
    for task in TASKS:
        assert with_shots(asked(task, questions, claims), [], 0) == asked(task, questions, claims)


def test_a_pool_with_too_few_examples_says_how_many_there_were() -> None:
    requests = choice(question(1), question(2, subject="乙"))
    found = with_shots(requests, choice(question(10), question(11, None)), 5)
    assert [request.shots for request in found] == [1, 0]


def test_what_follows_is_shown_no_examples_of_its_own_but_has_those_of_the_first() -> None:
    example = structs.replace(case_of(1, "别的患者。", group="g-2")[0], id="q-1")
    first, second = sorted(with_shots(tcm(*case_of(2)), tcm(example), 1), key=lambda request: request.follows or "")
    assert (first.shots, second.shots, len(second.messages)) == (1, 0, 1)
    whole = following(second, first, "答")
    assert whole.shots == 1
    assert [message["role"] for message in whole.messages] == ["system", "user", "assistant", "user", "assistant", "user"]
    assert whole.messages[1]["content"].startswith("别的患者。\n1)．")


def test_a_later_question_of_a_case_is_no_example_since_its_case_is_said_before_it() -> None:
    first, second = sorted(tcm(*case_of(2, "别的患者。", group="g-2")), key=lambda request: request.follows or "")
    apart = structs.replace(second, item_id="q-9", related_ids=frozenset({"q-9"}))
    examples = [apart, structs.replace(first, related_ids=frozenset({"q-8"}))]
    asked_first = next(request for request in with_shots(tcm(*case_of(2)), examples, 2) if not request.follows)
    assert asked_first.shots == 1 and asked_first.messages[1]["content"].startswith("别的患者。")


@pytest.fixture
def listing(tmp_path: Path):
    """A function that writes splits of choice questions and a list of examples, and returns the request of the only question of test."""

    def write(train: list[Question], dev: list[Question], listed: list[tuple[str, str]], shots: int, prompt: str | None = None) -> Request:
        for name, rows in (("train", train), ("dev", dev), ("test", [question(1)])):
            write_jsonl(tmp_path / name / "questions.jsonl", rows, key=lambda row: row.id)
            write_jsonl(tmp_path / name / "claims.jsonl", [], key=str)
        names = {"exam": "PCE", "subject": "甲", "question_type": "mcqa"}
        rows = [Shot(place=n, question_id=item, split=split, **names) for n, (split, item) in enumerate(listed, 1)]
        write_jsonl(tmp_path / "shots.jsonl", rows[::-1], key=lambda shot: -shot.place)
        [request] = RequestBuilder(tmp_path).of_run(Run(model="m", task="choice", shots=shots, prompt=prompt))
        return request

    return write


def test_questions_are_shown_what_the_split_lists_in_its_order(listing) -> None:
    train, dev = [question(n) for n in range(10, 20)], [question(n) for n in range(20, 30)]
    request = listing(train, dev, [("train", "q-017"), ("train", "q-011"), ("dev", "q-020")], 5)
    assert shown_stems(request) == ["题17", "题11", "题20", "题1"]
    assert request.shots == 3
    assert shown_stems(listing(train, dev, [("train", "q-017"), ("train", "q-011"), ("dev", "q-020")], 2)) == ["题17", "题11", "题1"]


def test_a_list_that_names_another_split_is_refused(listing) -> None:
    with pytest.raises(ValueError, match=r"shots.jsonl: q-020 is not in .*train; rebuild both with `dvc repro split`"):
        listing([question(10)], [question(20)], [("train", "q-020")], 1)
    with pytest.raises(ValueError, match=r"shots.jsonl:1: Invalid enum value 'test' - at `\$.split`"):
        listing([], [], [("test", "q-001")], 1)


def test_questions_without_an_answer_are_no_examples(listing) -> None:
    assert shown_stems(listing([question(10, None)], [], [("train", "q-010")], 5)) == ["题1"]


def test_claims_draw_their_own_examples_by_type_from_train_then_dev(toy_data: Path) -> None:
    def run(shots: int, seed: int) -> list[Request]:
        return RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim", shots=shots, seed=seed))

    by_claim = {
        text: name for name in ("train", "dev") for pair in split_of(toy_data, name)[1] for text in (pair.factual, pair.non_factual)
    }
    request = run(14, 1)[0]
    origins = [by_claim[message["content"].splitlines()[-1]] for message in request.messages[:-1] if message["role"] == "user"]
    assert origins == ["train"] * 12 + ["dev"] * 2  # one side of each head
    assert run(5, 1) == run(5, 1) != run(5, 2)
    assert len({json.dumps(request.messages[:-1]) for request in run(5, 1)}) == 1


def test_runs_of_one_prompt_share_their_requests_and_read_each_split_once(toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Path] = []
    usual = read_jsonl
    monkeypatch.setattr(contract, "read_jsonl", lambda path, shape: read.append(path) or usual(path, shape))
    builder = RequestBuilder(toy_data / "splits")
    runs = [Run(model="m", task=task, shots=shots) for task in ("claim", "choice") for shots in (0, 3, 3)]
    assert [builder.of_run(run) for run in runs] == [RequestBuilder(toy_data / "splits").of_run(run) for run in runs]
    kinds = [path.name for path in read if path.parent.name == "test"]
    assert [kinds.count(kind) for kind in ("claims.jsonl", "questions.jsonl")] == [1 + len(runs) // 2] * 2
    assert builder.zero_shot("claim", "claim") is builder.zero_shot("claim", "claim") is not builder.zero_shot("claim", "claim_short")


def test_a_claim_is_shown_no_claim_of_its_head(toy_data: Path) -> None:
    one, other = split_of(toy_data, "test")[1][:2]
    alike = structs.replace(other, id="claim-x", head=one.head)
    request = asked("claim", [], [one])[0]
    shown = [with_shots([request], asked("claim", [], [pair]), 1)[0].shots for pair in (alike, other)]
    assert (one.head != other.head, shown) == (True, [0, 1])


@pytest.mark.slow
@given(
    kin=st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)), min_size=2, max_size=30),
    shots=st.integers(1, 6),
)
def test_no_item_is_shown_beside_its_kin(kin: list[tuple[int, int]], shots: int) -> None:
    """Even where a list holds the asked item itself: neither it, nor its cluster, nor its group, nor two of one kind."""
    rows = [question(n, cluster_id=f"c{cluster}", group_id=f"g{group}") for n, (cluster, group) in enumerate(kin)]
    by_stem = {f"题{n}": {row.id, row.cluster_id, row.group_id} for n, row in enumerate(rows)}
    requests = choice(*rows)
    for request in with_shots(requests, requests, shots):
        shown = shown_stems(request)
        counts = Counter(key for stem in shown for key in by_stem[stem])
        assert max(counts.values()) == 1
        assert len(shown) == request.shots + 1


def test_a_conversation_of_requests_ends_with_the_last_ones_question() -> None:
    first, last = choice(question(1), question(2, subject="乙"))
    messages = conversation([first, last])
    assert messages == [last.messages[0], first.messages[1], {"role": "assistant", "content": "答案：A"}, last.messages[1]]


@pytest.fixture(scope="module")
def splits(real_data: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo records as the test split."""
    folder = tmp_path_factory.mktemp("demo")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        Path("params.yaml").write_text("sources: {tcmbench: {}}\nclean: {min_stem_chars: 2, min_chinese_share: 0.3}\n")
        with redirect_stdout(TextIOWrapper(BytesIO())) as items:
            read_items([str(real_data / "tcmbench"), "--format", "tcmbench"])
        Path("items").mkdir()
        Path("items/tcmbench.jsonl").write_bytes(items.buffer.getvalue())
        clean(["--items", "items", "--out", "clean", "--metrics", "clean.json", "--engine", "local"])
        Path("splits/test").mkdir(parents=True)
        Path("clean/questions.jsonl").rename("splits/test/questions.jsonl")
        Path("splits/test/claims.jsonl").touch()
    return folder / "splits"


def bare(text: str) -> str:
    """Return a text without blanks and with one width of marks: what cleaning may change."""
    return re.sub(r"\s", "", text).replace("．", ".")


@pytest.fixture
def figures(splits: Path, parts: Path, play: Callable, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    return lambda part, prompt: play(Run(model=part, task="tcm", prompt=prompt), tmp_path / "played", splits, parts)


@pytest.mark.slow
@pytest.mark.parametrize("prompt", TASKS["tcm"].prompts)
def test_the_demo_records_are_evaluated_in_all_forms(prompt: str, figures: Callable[..., dict[str, Any]]) -> None:
    found = figures("perfect", prompt)
    assert (found["questions"], found["accuracy"], found["following_rate"]) == (6, 1.0, 1.0)
    assert {form: row["questions"] for form, row in found["by_form"].items()} == {"a1": 1, "a3": 3, "b1": 2}
    assert (found["groups"]["groups"], found["groups"]["questions"], found["groups"]["accuracy"]) == (2, 5, 1.0)
    assert figures("reversed", prompt)["accuracy"] == 0.0
    assert figures("sycophant", prompt)["accuracy"] == round(3 / 6, 4)  # A is right for the one of A1, one of the case, one of B1
    assert figures("sycophant", prompt)["groups"]["accuracy"] == 0.0


def test_what_is_sent_is_what_the_released_code_sends(splits: Path, real_data: Path) -> None:
    """Its prompt as system message; then case or shared options and the question, later questions by themselves."""
    requests = {one.item_id: one for one in RequestBuilder(splits).of_run(Run(model="m", task="tcm"))}
    questions = {row.id: row for row in read_jsonl(splits / "test" / "questions.jsonl", Question)}
    published = {name: json.loads((real_data / "tcmbench" / f"{name}.json").read_text(encoding="utf-8")) for name in ("FKU", "CVR", "KHC")}

    def request_of(form: str, number: int) -> Request:
        [found] = [
            requests[row.id]
            for row in questions.values()
            if row.form == form and row.provenance[0].position in (f"record:1:{number}", "record:1")
        ]
        return found

    [single] = published["FKU"]["example"]
    assert request_of("a1", 1).messages[0]["content"] == published["FKU"]["prefix_prompt"]
    assert bare(request_of("a1", 1).messages[1]["content"]) == bare(single["question"])
    [case] = published["CVR"]["example"]
    first, second = request_of("a3", 1), request_of("a3", 2)
    assert first.messages[0]["content"] == published["CVR"]["prefix_prompt"]
    assert bare(first.messages[1]["content"]) == bare(case["share_content"] + case["question"][0]["sub_question"])
    assert bare(following(second, first, "答").messages[-1]["content"]) == bare(case["question"][1]["sub_question"])
    [shared] = published["KHC"]["example"]
    assert request_of("b1", 1).messages[0]["content"] == published["KHC"]["prefix_prompt"]
    assert bare(request_of("b1", 1).messages[1]["content"]) == bare(shared["share_content"] + shared["question"][0]["sub_question"])
