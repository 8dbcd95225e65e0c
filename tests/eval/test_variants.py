"""Items in other orders and wordings, true or false, and blanks: the figures of models that play a part are those of arithmetic."""

from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import ValidationError, structs

from atomexam.records.blocks import Run
from atomexam.records.checks import convert
from atomexam.records.prediction import Score
from atomexam.records.question import Option, Question, Shot, question_id
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from eval.answers.blank import fills, read_blank
from eval.answers.readers import read_reply
from eval.tasks.orders import shift_of, shifted, shifted_letters
from eval.tasks.runs import RequestBuilder
from tests.eval.conftest import SEEN, toy_pair, toy_question, toy_tcm

BOTH = ("choice", "choice_short")
STATEMENTS = [("甲病会传染。", "A"), ("乙病不会传染。", "B"), ("丙病不可治。", "B"), ("丁病多见于老人。", "A"), ("戊病无须忌口。", "A")]
BLANKS = [
    ("称为（ ）。", "移情"),
    ("（ ）和（ ）是两极。", "甲|||乙；丙"),
    ("约（ ）%。", "99.5"),
    ("由（ ）产生。", "淋巴细胞（或B淋巴细胞）"),
]


def worded(kind: str, stem: str, answer: str, texts: tuple[str, ...] = ()) -> Question:
    options = [Option(letter=letter, text=text) for letter, text in zip("AB", texts, strict=False)]
    about = {"exam": "PCE", "subject": "甲", "question_type": kind, "stem": stem, "options": options, "answer": answer}
    return Question(id=question_id(None, stem, list(texts)), provenance=SEEN, **about)


@pytest.fixture(scope="module")
def splits(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A test split of eight choices with each letter right twice, a case, a group of shared options, statements, blanks and claims."""
    folder = tmp_path_factory.mktemp("variants")
    questions = [toy_question(number, "ABCD"[number % 4]) for number in range(8)]
    questions += [toy_tcm(number, form) for form, start in (("a3", 0), ("b1", 20)) for number in range(start, start + 5)]
    questions += [worded("tf", *statement, ("正确", "错误")) for statement in STATEMENTS]
    questions += [worded("blank", *blank) for blank in BLANKS]
    write_jsonl(folder / "test/questions.jsonl", questions, key=lambda row: row.id)
    taught = [worded("tf", "己病会自愈。", "B", ("正确", "错误")), worded("blank", "（ ）和（ ）之外。", "丁|||戊；己")]
    write_jsonl(folder / "train/questions.jsonl", taught, key=lambda row: row.id)
    write_jsonl(folder / "dev/questions.jsonl", [], key=lambda row: row.id)
    shots = [Shot(exam="PCE", subject="甲", question_type=row.question_type, place=1, question_id=row.id, split="train") for row in taught]
    write_jsonl(folder / "shots.jsonl", shots, key=lambda shot: shot.question_type)
    write_jsonl(folder / "test/claims.jsonl", [toy_pair(1), toy_pair(2)], key=lambda row: row.id)
    return folder


@pytest.fixture
def played(play: Callable, parts: Path, splits: Path, tmp_path: Path) -> Callable[..., dict[str, Any]]:
    return lambda part, task="choice", **about: play(Run(model=part, task=task, **about), tmp_path, splits, parts)


@pytest.mark.parametrize(("part", "about", "accuracy", "consistent", "by_variant"), [
    ("perfect", {"orders": 4}, 1.0, 1.0, [1.0] * 4),
    ("sycophant", {"orders": 4}, 0.25, 0.0, [0.25] * 4),
    ("sycophant", {"orders": 4, "method": "likelihood"}, 0.25, 0.0, [0.25] * 4),
    ("reversed", {"orders": 4}, 0.0, 0.0, [0.0] * 4),
    ("silent", {"orders": 2}, 0.0, 0.0, [0.0] * 2),
    ("first_order", {"orders": 4}, 0.25, 0.0, [1.0, 0.0, 0.0, 0.0]),
    ("first_wording", {"prompts": BOTH}, 0.5, 0.0, [1.0, 0.0]),
    ("first_wording", {"prompts": BOTH, "orders": 2}, 0.5, 0.0, [1.0, 1.0, 0.0, 0.0]),
    ("perfect", {"prompts": BOTH, "orders": 4, "repeats": 2}, 1.0, 1.0, [1.0] * 8),
    ("first_wording", {"task": "claim", "prompts": ("claim", "claim_prompt2")}, 0.5, 0.0, [1.0, 0.0]),
    ("perfect", {"task": "tcm", "orders": 5, "prompts": ("tcm", "tcm_paper")}, 1.0, 1.0, [1.0] * 10),
    ("sycophant", {"task": "tcm", "orders": 5}, 0.2, 0.0, [0.2] * 5),
    ("sycophant", {"task": "tf", "prompts": ("tf", "claim")}, 0.6, 0.6, [0.6] * 2),
])  # fmt: skip
def test_a_part_is_consistent_as_arithmetic_says(
    played: Callable, part: str, about: dict[str, Any], accuracy: float, consistent: float, by_variant: list[float]
) -> None:
    found = played(part, **about)
    assert (found["accuracy"], found["consistent_accuracy"]) == (accuracy, consistent)
    assert [one["accuracy"] for one in found["by_variant"].values()] == by_variant
    low, high = found["consistent_accuracy_interval"]
    assert low <= consistent <= high
    prompts, orders = about.get("prompts") or [found["prompt"]], about.get("orders", 1)
    assert list(found["by_variant"]) == [f"{prompt}/{order}" for prompt in prompts for order in range(orders)]


def test_a_guess_is_consistent_by_luck_alone(played: Callable, splits: Path, scripted: ModuleType) -> None:
    found = played("random", orders=4)
    right = []
    for row in read_jsonl(splits / "test/questions.jsonl", Question):
        if row.question_type == "mcqa" and row.exam != "TCM":
            at = ["ABCD"[("ABCD".index(row.answer or "") + order) % 4] for order in range(4)]
            right.append([scripted.draw_of(1, row.id, order).choice(list("ABCD")) == letter for order, letter in enumerate(at)])
    assert found["accuracy"] == round(float(Fraction(sum(map(sum, right)), 32)), 8)
    assert found["consistent_accuracy"] == sum(map(all, right)) / 8
    assert 0 < found["accuracy"] < 1


def test_the_pull_of_a_letter_is_its_share_beyond_that_of_right_answers(played: Callable, tmp_path: Path) -> None:
    letters = played("sycophant", orders=4)["letters"]["mcqa"]
    assert letters == {
        "answered": {"A": 32}, "gold": dict.fromkeys("ABCD", 8), "pull": {"A": 0.75, "B": -0.25, "C": -0.25, "D": -0.25},
    }  # fmt: skip
    scores = list(read_jsonl(tmp_path / "scores/run.jsonl", Score))
    assert [score.answer for score in scores[:4]] == ["A", "D", "C", "B"]  # the option first in each order, by its own letter
    assert played("perfect", orders=4)["letters"]["mcqa"]["pull"] == dict.fromkeys("ABCD", 0.0)


@pytest.mark.parametrize(
    ("texts", "shift"),
    [
        (("头痛", "发热", "A，B", "咳嗽"), 0),
        (("甲", "乙", "全部正确"), 0),
        (("甲", "乙", "BC"), 0),
        (("甲", "乙", "选项A"), 0),
        (("IgA和IgE", "DNA", "AB型", "A型"), 1),
        (("60岁以上", "38℃以上", "都不对称"), 1),
        (("甲", "乙", "None of the above"), 0),
        *((("甲", "乙", text), 0) for text in ("以上都对", "上述皆非", "A+B", "A和C", "都不是", "B项与C项")),
    ],
)
def test_options_that_speak_of_others_stay_in_place(texts: tuple[str, ...], shift: int) -> None:
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCD", texts, strict=False)]
    question = structs.replace(toy_question(1), options=options)
    assert shift_of(options, 1) == shift and (shifted(question, 1) is question) == (shift == 0)


def test_a_run_without_variants_has_no_figures_of_them(played: Callable) -> None:
    found = played("sycophant", repeats=2)
    assert not {"consistent_accuracy", "by_variant", "orders", "short_of_orders"} & found.keys()
    assert found["letters"]["mcqa"].keys() == {"answered", "gold"}


@given(st.text("ABCDE", min_size=1, max_size=5), st.integers(0, 9), st.integers(2, 5))
def test_the_right_letters_move_with_their_options(letters: str, order: int, options: int) -> None:
    answer = "".join(sorted({letter for letter in letters if letter < "ABCDEF"[options]} | {"A"}))
    question = toy_question(1, answer, ("甲", "乙乙", "丙", "丁", "戊")[:options])
    turned = shifted(question, order)

    def right(one: Question) -> set[str]:
        return {option.text for option in one.options if option.letter in (one.answer or "")}

    assert right(turned) == right(question)
    assert [option.letter for option in turned.options] == [option.letter for option in question.options]
    assert turned.options[order % options].text == question.options[0].text
    assert shifted_letters(turned.answer or "", options, -order) == answer


def test_a_question_with_fewer_options_recurs_and_more_orders_than_options_are_refused(splits: Path, tmp_path: Path) -> None:
    rows = [toy_question(1), toy_question(2, "A", ("甲", "乙"))]
    write_jsonl(tmp_path / "test/questions.jsonl", rows, key=lambda row: row.id)
    variants = RequestBuilder(tmp_path).by_variant(Run(model="m", task="choice", orders=3))
    assert [[one.shift for one in of_order if len(one.options) == 2] for of_order in variants] == [[0], [1], [0]]
    with pytest.raises(ValueError, match="orders: 5, but no question of test has more than 4 options; set `orders: 4`"):
        RequestBuilder(tmp_path).by_variant(Run(model="m", task="choice", orders=5))


def test_the_parts_of_groups_are_reversed_in_odd_orders(splits: Path) -> None:
    plain, odd, even = RequestBuilder(splits).by_variant(Run(model="m", task="tcm", orders=3))
    followed = [{one.follows: one.item_id for one in of_order if one.facets["form"] == "a3"} for of_order in (plain, odd, even)]

    def chain(after: dict[str | None, str]) -> list[str]:
        found = [after[None]]
        while found[-1] in after:
            found.append(after[found[-1]])
        return found

    assert chain(followed[0]) == chain(followed[1])[::-1] == chain(followed[2]) and len(chain(followed[0])) == 5
    shown = [next(one for one in of_order if one.facets["form"] == "b1").messages[-1]["content"] for of_order in (plain, odd)]
    assert [text.startswith("（共用备选答案）") for text in shown] == [True, False]
    assert shown[1].startswith("1)．")


@pytest.mark.parametrize(("about", "message"), [
    ({"task": "claim", "orders": 2}, "orders apply only to choice and tcm, found claim"),
    ({"task": "choice", "orders": 11}, "Expected `int` <= 10"),
    ({"task": "choice", "prompts": ["choice"]}, "expected several different ones"),
    ({"task": "choice", "prompts": ["choice", "choice"]}, "expected several different ones"),
    ({"task": "choice", "prompt": "choice", "prompts": ["choice", "choice_short"]}, "without `prompt`"),
])  # fmt: skip
def test_variants_that_no_run_can_have_are_refused(about: dict[str, Any], message: str) -> None:
    with pytest.raises((ValueError, ValidationError), match=message):
        convert({"model": "m"} | about, Run, "runs.one")


def test_a_sweep_takes_runs_of_one_variant(splits: Path) -> None:
    with pytest.raises(ValueError, match="needs runs with a single variant"):
        RequestBuilder(splits).of_run(Run(model="m", task="choice", orders=2))


@pytest.mark.parametrize(("part", "accuracy", "following"), [
    ("perfect", 1.0, 1.0), ("sycophant", 0.6, 1.0), ("contrary", 0.4, 1.0), ("reversed", 0.0, 1.0), ("refusing", 0.0, 0.0),
])  # fmt: skip
def test_true_or_false_stands_beside_chance_and_the_best_rule(played: Callable, part: str, accuracy: float, following: float) -> None:
    found = played(part, task="tf")
    assert (found["accuracy"], found["following_rate"], found["questions"], found["chance"]) == (accuracy, following, 5, 0.5)
    assert found["rule"] == {"rule": "negation_word", "accuracy": 0.8}  # 忌 of the last one is no negation of it
    assert {name: one["questions"] for name, one in found["by_gold"].items()} == {"正确": 3, "错误": 2}


@pytest.mark.parametrize(("part", "outcome", "accuracy"), [
    ("perfect", "answered", 1.0), ("refusing", "unparsed", 0.0), ("silent", "unparsed", 0.0), ("truncated", "truncated", 0.0),
])  # fmt: skip
def test_blanks_are_filled_or_not(played: Callable, part: str, outcome: str, accuracy: float) -> None:
    found = played(part, task="blank")
    assert (found["accuracy"], found["questions"], found["outcomes"][outcome]) == (accuracy, 4, 4)


@pytest.mark.parametrize(("task", "turns"), [
    ("tf", ["以下是中国关于甲考试的判断题，请判断其说法是否正确，只回答“正确”或“错误”。\n\n己病会自愈。\n答案：", "错误"]),
    ("blank", [
        "以下是中国关于甲考试的填空题，请填写其中的空，只写所填的内容，多个空按顺序用“；”隔开。\n\n（ ）和（ ）之外。\n答案：", "丁；己",
    ]),
])  # fmt: skip
def test_examples_of_statements_and_blanks_are_solved_in_words(splits: Path, task: str, turns: list[str]) -> None:
    for request in RequestBuilder(splits).of_run(Run(model="m", task=task, shots=3)):
        assert [message["content"] for message in request.messages[:-1]] == turns
        assert request.messages[-1]["content"].endswith("\n答案：") and request.shots == 1


TWO, KEY = "智商分为（ ）智商和（ ）智商两部分。", "言语|||语言；操作"


@pytest.mark.parametrize(("stem", "key", "reply", "right"), [
    (TWO, KEY, "言语；操作", True), (TWO, KEY, "答案：1. 语言\n2. 操作", True), (TWO, KEY, "（1）言语（2）操作", True),
    (TWO, KEY, "第一空：言语；第二空：操作", True), (TWO, KEY, "智商分为言语智商和操作智商两部分。", True),
    (TWO, KEY, "**言语**、**操作**。\n\n解析：韦氏量表……", True), (TWO, KEY, "操作；言语", False), (TWO, KEY, "言语", False),
    ("高达（ ）%。", "99.5", "99.5%", True), ("高达（ ）%。", "99.5", "９９．５", True), ("高达（ ）%。", "99.5", "199.5", False),
    ("为（ ）至（ ）。", "18.5、23.9", "18.5至23.9", True), ("为（ ）至（ ）。", "18.5、23.9", "18.5-23.9", True),
    ("为（ ）至（ ）。", "18.5、23.9", "23.9至18.5", False), ("比（ ）:（ ）:（ ）", "2、1、1", "2:1:1", True),
    ("比（ ）:（ ）:（ ）", "2、1、1", "1:1:2", False), ("到（ ）（ ）（ ）考察", "湘潭、长沙、湘乡", "长沙、湘潭、湘乡", True),
    ("（ ）率军", "刘伯承、邓小平", "邓小平和刘伯承", True), ("（ ）率军", "刘伯承、邓小平", "刘伯承", False),
    ("由（ ）产生。", "淋巴细胞（或B淋巴细胞）", "b 淋巴细胞", True), ("由（ ）产生。", "淋巴细胞（或B淋巴细胞）", "T淋巴细胞", False),
    ("色彩的要素是（ ）和（ ）", "饱和度；明度", "饱和度；明度", True),
    ("收缩压和舒张压分别为（ ）和（ ）", "120；80", "80和120", False),
    ("正常血压（ ）/（ ）mmHg", "120；80", "120/80", True), ("脾主（ ），主（ ）", "运化；统血", "运化 统血", True),
    ("主气的是（ ），主血脉的是（ ）", "肺；心", "1. 肺\n\n2. 心", True),
    ("主气的是（ ），主血脉的是（ ）", "肺；心", "答案1：肺\n答案2：心", True),
    ("最大的器官是（ ）", "皮肤", "答案是“皮肤”。", True), ("最大的器官是（ ）", "皮肤", "应填皮肤，因为它面积最大。", True),
    ("基本电路有（ ）", "与门|||或门", "或门", True),
    ("对象是（ ）", "①②③", "①②③", True), ("（ ）", "植物的光合作用或呼吸作用", "光合作用", False),
])  # fmt: skip
def test_blanks_are_compared_in_canonical_form(stem: str, key: str, reply: str, right: bool) -> None:
    assert fills(read_blank(reply) or "", stem, key) == right


@pytest.mark.parametrize(
    ("reply", "finish", "parsed"),
    [
        ("移情", "stop", ("answered", "移情", "移情")),
        ("答案是：移情。因为……", "stop", ("answered", "移情", "移情")),
        ("答案：移情\n\n更正，答案：反移情", "stop", ("answered", "移情", "反移情")),
        ("<think>大概是反移情</think>移情", "stop", ("answered", "移情", "移情")),
        ("答案：移情。因为", "length", ("answered", "移情", "移情")),
        ("答案：移", "length", ("truncated", None, None)),
        ("。", "stop", ("unparsed", None, None)),
        ("抱歉，我无法回答这个问题。", "stop", ("unparsed", None, None)),
        ("这个问题要从头说起，" * 30, "stop", ("unparsed", None, None)),
        ("", "error", ("failed", None, None)),
    ],
)
def test_the_words_for_blanks_are_read(reply: str, finish: str, parsed: tuple) -> None:
    assert read_reply("blank", reply, {}, finish) == parsed
