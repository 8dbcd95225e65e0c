"""What is learned of a conversation in each family of chat templates, and how examples are put into rows and steps."""

import importlib.util
import itertools
from pathlib import Path
from random import Random

import pytest

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.finetune.training_data import IGNORED, known_requests
from eval.tasks.prompt import render, token_ids
from eval.tasks.request import conversation
from eval.tune.examples import Example, columns, conversation_example, passage_examples, reply_marks, steps_of

_spec = importlib.util.spec_from_file_location("chat_families", Path(__file__).with_name("chat_families.py"))
families = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(families)
NAMES = sorted(families.FAMILIES)
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
    tokenizer, family = families.tokenizer_of(name), families.FAMILIES[name]
    assert reply_marks(tokenizer) == (family.lead, family.end)
    example = conversation_example(tokenizer, "claims", "x", TURNS)
    replies = [f"{family.lead}{text}{family.end}" for text in ("答案：A", "答案：BC")]
    assert learned(tokenizer, example) == " | ".join(replies if family.learns_all else replies[1:])
    assert [target for target in example.targets if target != IGNORED] == [
        token for token, target in zip(example.ids, example.targets, strict=True) if target != IGNORED
    ]


@pytest.mark.parametrize("name", NAMES)
def test_before_the_last_reply_stands_the_prompt_of_evaluation(name: str) -> None:
    tokenizer = families.tokenizer_of(name)
    example = conversation_example(tokenizer, "claims", "x", TURNS)
    last = len(example.targets) - next(i for i, target in enumerate(reversed(example.targets)) if target == IGNORED)
    assert example.ids[:last] == token_ids(tokenizer, [render(tokenizer, TURNS[:-1])])[0]


@pytest.mark.parametrize("name", NAMES)
def test_every_task_is_learned_as_it_is_asked(name: str, toy_data: Path) -> None:
    """With `-s` it prints what is learned of each."""
    tokenizer, family = families.tokenizer_of(name), families.FAMILIES[name]
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
    tokenizer = families.tokenizer_of("chatml")
    turns = [{"role": "user", "content": "问"}, {"role": "assistant", "content": "A<|im_end|>B"}]
    end = tokenizer.convert_tokens_to_ids("<|im_end|>")
    assert conversation_example(tokenizer, "x", "y", turns).targets.count(end) == 1


def test_a_text_is_read_to_its_end() -> None:
    tokenizer = families.tokenizer_of("llama3")
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


def test_a_row_begins_its_positions_anew() -> None:
    row = [Example("k", "a", [5, 6, 7], [IGNORED, 6, 7]), Example("k", "b", [8, 9], [IGNORED, 9])]
    assert columns(row) == {
        "input_ids": [5, 6, 7, 8, 9],
        "labels": [IGNORED, 6, 7, IGNORED, 9],
        "position_ids": [0, 1, 2, 0, 1],
    }
    assert columns([])["labels"] == [IGNORED]
