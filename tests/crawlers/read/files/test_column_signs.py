"""Consecutive columns, answers and cells with any signs are read by what fits row by row."""

import json
import re
from collections.abc import Sequence
from typing import Any

import pytest

from atomexam.records.item import QuestionItem
from atomexam.text.refusal import Refusal
from tests.crawlers.read.bodies import book_of, csv_of, result_of

_COUNT = 12
_WORDS = ["心脏", "肝脏", "肺部", "肾脏", "脾脏", "胃部", "胆囊", "膀胱", "大脑", "小肠", "皮肤", "骨骼"]
_STEMS = [f"第{n}例患者最先受到影响的器官是（ ）" for n in range(1, _COUNT + 1)]
_OPTIONS = [[f"{_WORDS[(n * 5 + at * 3) % 12]}{'上下左右'[at]}侧" for at in range(4)] for n in range(_COUNT)]
_RIGHT = [(n * 7 + n // 4) % 4 for n in range(_COUNT)]
_LABEL = re.compile(r"^(?:[A-Da-d1-4](?:\.\s?|[-、．])|（[A-D]）-|【[A-D]】)")
_STATEMENTS = [f"第{n}次测量的结果必须由两人复核。" for n in range(1, _COUNT + 1)]


def _items(name: str, body: bytes) -> list[QuestionItem]:
    try:
        result = result_of(name, body)
    except Refusal:
        return []
    return [item for item in result.reading.items if isinstance(item, QuestionItem)]


def _csv(*rows: Sequence[Any]) -> bytes:
    return csv_of(rows)


def _are_gold(items: Sequence[QuestionItem]) -> bool:
    read = [(item.stem_raw, item.options_raw, item.answer_raw, item.doubt) for item in items]
    return read == [(stem, options, "ABCD"[at], None) for stem, options, at in zip(_STEMS, _OPTIONS, _RIGHT, strict=True)]


def test_a_decimal_under_its_integer_is_an_option() -> None:
    options = [[f"{each}细胞" for each in some] for some in _OPTIONS]
    options[3] = [f"{n}0CFU/25cm" for n in (5, 10, 15, 18)]
    options[4] = ["1小时", "2小时", "3小时", "4小时"]
    cells = ["\n".join(f"{n}.{option}" for n, option in enumerate(some, 1)) for some in options]
    items = _items("a.xlsx", book_of([["题目", "选项", "答案序号"], *zip(_STEMS, cells, [at + 1 for at in _RIGHT], strict=True)]))
    assert [item.doubt for item in items] == [None] * _COUNT
    assert [[_LABEL.sub("", option) for option in item.options_raw or ()] for item in items] == options


@pytest.mark.parametrize("name", ["parse", "why", "jx", "题解", "理由", "点评"])
def test_explanations_have_many_names(name: str) -> None:
    reasons = [f"因为第{n}次检查中发现了这个器官的变化，见教材。" for n in range(_COUNT)]
    rows = [
        {"q": stem, "opts": options, "ans": "ABCD"[at], name: reason}
        for stem, options, at, reason in zip(_STEMS, _OPTIONS, _RIGHT, reasons, strict=True)
    ]
    items = _items("a.json", json.dumps(rows, ensure_ascii=False).encode())
    assert _are_gold(items) and [item.explanation_raw for item in items] == reasons


def test_does_not_divide_stems_with_as_many_parts_as_options() -> None:
    stems = [f"病例{n}：患者{n + 20}岁，发热{n}天，既往体健，首先考虑的部位是（ ）" for n in range(1, _COUNT + 1)]
    rows = [[stem, *options, "ABCD"[at]] for stem, options, at in zip(stems, _OPTIONS, _RIGHT, strict=True)]
    items = _items("a.xlsx", book_of([["tm", "xa", "xb", "xc", "xd", "da"], *rows]))
    assert [item.stem_raw for item in items] == stems and [item.options_raw for item in items] == _OPTIONS


def test_ascending_digits_are_positions_of_several_options() -> None:
    keys = ["135", "2", "14", "5", "234", "12345", "1", "25", "3", "45", "12", "4"]
    rows = [[stem, *options, "以上都不对", key] for stem, options, key in zip(_STEMS, _OPTIONS, keys, strict=True)]
    items = _items("a.csv", _csv(["题干", *(f"选项{n}" for n in range(1, 6)), "答案"], *rows))
    assert [item.answer_raw for item in items] == ["".join("ABCDE"[int(digit) - 1] for digit in key) for key in keys]


@pytest.mark.parametrize(("name", "words"), [("√/×", "√×"), ("对/错", "对错"), ("T/F", "TF"), ("正确选项", "YN"), ("答案", "VX")])
def test_recognizes_statements_by_column_names(name: str, words: str) -> None:
    rows = [[n, text, words[n % 3 == 0]] for n, text in enumerate(_STATEMENTS, 1)]
    items = _items("a.xlsx", book_of([["", "题型：判断"], ["序号", "判断题", name], *rows, ["出题人：某室"]]))
    read = {item.stem_raw: {"正确": 0, "错误": 1, "√": 0, "×": 1}.get(item.answer_raw or "") for item in items if item.answer_raw}
    assert read == {text: int(n % 3 == 0) for n, text in enumerate(_STATEMENTS, 1)}


def test_does_not_join_tables_with_their_own_numbering() -> None:
    choices = [[n, stem, *options, "ABCD"[at]] for n, (stem, options, at) in enumerate(zip(_STEMS, _OPTIONS, _RIGHT, strict=True), 1)]
    statements = [[n, text, "√×"[n % 2]] for n, text in enumerate(_STATEMENTS, 1)]
    book = book_of([["序号", "题目", *"ABCD", "正确项"], *choices], [["序号", "判断题", "√/×"], *statements])
    items = _items("a.xlsx", book)
    assert _are_gold([item for item in items if item.options_raw])
    assert [item.stem_raw for item in items if not item.options_raw] == _STATEMENTS
