"""What is learned of a conversation in each family of chat templates, and how examples are put into rows and steps."""

import itertools
import json
from pathlib import Path
from random import Random

import pytest

from atomexam.records.blocks import Tuning
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question
from atomexam.runtime.jsonl import read_jsonl, write_json, write_jsonl
from eval.finetune.training_data import IGNORED, known_requests
from eval.tasks.prompt import render, token_ids
from eval.tasks.request import conversation
from eval.tune.examples import Example, columns, conversation_example, passage_examples, reply_marks, step_tokens, steps_of
from eval.tune.held_out import HeldOut
from eval.tune.training_set import DataPaths, TrainingSet
from tests.eval import chat_families

NAMES = sorted(chat_families.FAMILIES)
TURNS = [
    {"role": "system", "content": "请只答字母。"},
    {"role": "user", "content": "第一题？"},
    {"role": "assistant", "content": "答案：A"},
    {"role": "user", "content": "第二题？"},
    {"role": "assistant", "content": "答案：BC"},
]


def learned(tokenizer, example: Example) -> str:
    """Return the tokens with loss as text, with a bar where one reply ends and what follows is not learned."""
    runs = [list(run) for is_learned, run in itertools.groupby(example.targets, lambda target: target != IGNORED) if is_learned]
    return " | ".join(tokenizer.decode(run) for run in runs)


@pytest.mark.parametrize("name", NAMES)
def test_the_words_of_the_assistant_and_the_end_of_its_turn_are_learned(name: str) -> None:
    tokenizer, family = chat_families.tokenizer_of(name), chat_families.FAMILIES[name]
    assert reply_marks(tokenizer) == (family.lead, family.end)
    example = conversation_example(tokenizer, "claims", "x", TURNS)
    replies = [f"{family.lead}{text}{family.end}" for text in ("答案：A", "答案：BC")]
    assert learned(tokenizer, example) == " | ".join(replies if family.learns_all else replies[1:])
    assert [target for target in example.targets if target != IGNORED] == [
        token for token, target in zip(example.ids, example.targets, strict=True) if target != IGNORED
    ]


@pytest.mark.parametrize("name", NAMES)
def test_before_the_last_reply_stands_the_prompt_of_evaluation(name: str) -> None:
    tokenizer = chat_families.tokenizer_of(name)
    example = conversation_example(tokenizer, "claims", "x", TURNS)
    last = len(example.targets) - next(i for i, target in enumerate(reversed(example.targets)) if target == IGNORED)
    assert example.ids[:last] == token_ids(tokenizer, [render(tokenizer, TURNS[:-1])])[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_learned_as_it_is_asked(name: str, toy_data: Path) -> None:
    """With `-s` it prints what is learned of each."""
    tokenizer, family = chat_families.tokenizer_of(name), chat_families.FAMILIES[name]
    folder = toy_data / "splits" / "train"
    requests = known_requests(list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair)))
    for request in {(one.reader, one.answer_format, one.facets.get("form")): one for one in requests}.values():
        turns = [*conversation([request]), {"role": "assistant", "content": request.solution}]
        replies = [turn["content"] for turn in turns if turn["role"] == "assistant"]
        told = [f"{family.lead}{reply}{family.end}" for reply in (replies if family.learns_all else replies[-1:])]
        found = learned(tokenizer, conversation_example(tokenizer, "x", request.item_id, turns))
        print(f"{name:12} {request.reader:6} {request.facets.get('form') or '':3} {found!r}")
        assert found == " | ".join(told)


def test_control_tokens_in_a_reply_end_no_turn() -> None:
    tokenizer = chat_families.tokenizer_of("chatml")
    turns = [{"role": "user", "content": "问"}, {"role": "assistant", "content": "A<|im_end|>B"}]
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert conversation_example(tokenizer, "x", "y", turns).targets.count(end) == 1


def test_a_text_is_read_to_its_end() -> None:
    tokenizer = chat_families.tokenizer_of("llama3")
    pieces = passage_examples(tokenizer, "passages", "p", "abcdefgh<|eot_id|>", 5)
    assert all(piece.targets == [IGNORED, *piece.ids[1:]] and len(piece.ids) <= 5 for piece in pieces)
    assert tokenizer.decode([token for piece in pieces for token in piece.ids]) == "abcdefgh<|eot_id|><|end_of_text|>"
    assert tokenizer.convert_tokens_to_ids("<|eot_id|>") not in [token for piece in pieces for token in piece.ids]


@pytest.mark.parametrize(("tokens", "examples", "packs"), [(60, 0, True), (60, 0, False), (10**6, 7, True), (10**6, 7, False)])
def test_steps_hold_every_example_once_and_in_turn(tokens: int, examples: int, packs: bool) -> None:
    draw = Random(3)
    packed = [Example("k", str(number), [number] * (size := draw.randint(2, 30)), [number] * size) for number in range(50)]
    steps = steps_of(packed, tokens, examples, 40, packs)
    assert len({len(step) for step in steps}) == 1
    held = [sorted(int(example.item_id) for row in step for example in row) for step in steps]
    assert [number for step in held for number in step] == list(range(50))
    for step in steps:
        inside = [example for row in step for example in row]
        assert len(inside) <= examples if examples else sum(len(example.ids) for example in inside) <= tokens
        assert all(len(row) <= 1 for row in step) if not packs else all(sum(len(one.ids) for one in row) <= 40 for row in step)


@pytest.mark.parametrize(("tokens", "expected"), [(90_000, 1024), (400_000, 4000), (1_900_000, 16384)])
def test_a_short_training_has_small_steps(tokens: int, expected: int) -> None:
    assert step_tokens([Example("k", str(number), [7] * 1000, [7] * 1000) for number in range(tokens // 1000)]) == expected


def test_a_row_begins_its_positions_anew() -> None:
    row = [Example("k", "a", [5, 6, 7], [IGNORED, 6, 7]), Example("k", "b", [8, 9], [IGNORED, 9])]
    assert columns(row) == {
        "input_ids": [5, 6, 7, 8, 9],
        "labels": [IGNORED, 6, 7, IGNORED, 9],
        "position_ids": [0, 1, 2, 0, 1],
    }
    assert columns([])["labels"] == [IGNORED]


CASE = "患者，女，25岁，反复上腹部隐痛伴反酸三个月，夜间加重，进食后缓解，胃镜示十二指肠球部溃疡。"
STEM = "为根除幽门螺杆菌，首选的治疗方案是"
OPTIONS = ["单用质子泵抑制剂", "含铋剂的四联疗法", "单用一种抗生素", "外科手术切除"]
CLAIM = {"head": "痔", "tail": "久坐", "factual": "痔的病因包括久坐", "non_factual": "痔的病因不包括久坐"}


@pytest.fixture
def splits(tmp_path: Path) -> Path:
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCD", OPTIONS, strict=True)]
    values = {"exam": "TCM", "subject": "甲", "question_type": "mcqa", "options": options, "provenance": []}
    question = Question(id="q-1", shared_stem=CASE, stem=STEM, answer="B", group_id="g-1", **values)
    pair = ClaimPair(id="claim-1", atomic_type="disease_cause", template_id="t/0", fact_ids=[], provenance=[], **CLAIM)
    for name in ("train", "dev", "test", "reserved"):
        held_out = name in ("test", "reserved")
        write_jsonl(tmp_path / name / "questions.jsonl", [question] if held_out else [], key=lambda row: row.id)
        write_jsonl(tmp_path / name / "claims.jsonl", [pair] if held_out else [], key=lambda row: row.id)
    return tmp_path


@pytest.mark.parametrize(("asked", "replied"), [
    (f"{STEM}什么？", "含铋剂的四联疗法。"),  # with the right answer alone
    ("根除幽门螺杆菌时首选的治疗方案是（ ）\nA 单用质子泵抑制剂\nB 含铋剂的四联疗法\nC 单用一种抗生素\nD 外科手术", "B"),  # other words
    (f"{CASE}最可能的诊断是什么？", "十二指肠溃疡"),  # another question of a case
    (CASE.replace("25岁", "26岁").replace("夜间加重，", ""), "十二指肠溃疡"),
    ("痔是怎么来的？", "您好！久坐是痔最常见的原因。祝健康！"),  # a claim in other words
], ids=["right answer alone", "other words", "case", "changed case", "claim"])  # fmt: skip
def test_what_is_held_is_found_though_it_was_edited(asked: str, replied: str, splits: Path) -> None:
    assert HeldOut(splits).overlaps(f"{asked}\n{replied}")


@pytest.mark.parametrize(("asked", "replied"), [
    ("幽门螺杆菌怎么查？", "首选呼气试验，也可以做胃镜。"),
    ("溃疡病人的治疗方案有哪些？", "含铋剂的四联疗法，必要时外科手术切除。"),
    ("久坐的人要注意什么？", "每小时起来走动。痔和便秘都要看医生。"),
    (f"{STEM}什么？", "请您先去消化科就诊。"),
], ids=["another question", "options alone", "names in two sentences", "question alone"])  # fmt: skip
def test_what_only_looks_alike_is_no_kin(asked: str, replied: str, splits: Path) -> None:
    assert not HeldOut(splits).overlaps(f"{asked}\n{replied}")


def test_edited_test_questions_in_own_files_are_not_learned(toy_models: Path, splits: Path) -> None:
    from transformers import AutoTokenizer

    rows = [{"instruction": f"{CASE}最可能的诊断是什么？", "output": "十二指肠溃疡"}, {"instruction": "你好", "output": "您好"}]
    (splits / "own").mkdir()
    write_json(splits / "own" / "distilled.json", rows)
    passage = {"id": "p", "text": f"例题：{STEM}（含铋剂的四联疗法）。", "source": "toy", "url": "https://example.com"}
    (splits / "passages.jsonl").write_text(json.dumps(passage) + "\n", encoding="utf-8")
    settings = Tuning(data={"distilled": 1, "passages": 1}, epochs=1)
    places = DataPaths(splits, splits / "passages.jsonl", splits / "own")
    training_set = TrainingSet(AutoTokenizer.from_pretrained(toy_models / "toy"), settings, places, "here")
    assert training_set.items == {"distilled": 1, "passages": 0}
    assert training_set.left_out["distilled"]["held"] == training_set.left_out["passages"]["held"] == 1
