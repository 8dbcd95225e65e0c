"""Answers before the number of their question, in letters, circled numbers or truth values."""

import pytest

from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import ParsedPaper

_ASKED = [
    ("感觉的对象是", ["整体", "属性", "关系"], "B"),
    ("知觉的特性有", ["整体性", "选择性", "随意性"], "AB"),
    ("最早的心理学实验室建于（ ）年。", ["1859", "1879", "1899"], "B"),
    ("记忆的第一个环节是", ["再认", "回忆", "识记"], "C"),
]
_RINGS = str.maketrans("ABC", "①②③")


def _read(form: str, option: str, join: str = "", below: str = "", signs: dict[int, str] | None = None) -> ParsedPaper:
    lines = []
    for number, (stem, options, key) in enumerate(_ASKED, 1):
        lines.append(form.format(key=join.join(key).translate(signs or {}), number=number, stem=stem))
        lines += [option.format(letter=letter.translate(signs or {}), text=text) for letter, text in zip("ABC", options, strict=True)]
    lines += [form.format(key="对", number=5, stem="记忆有三个环节。"), below]
    return read_paper(lines)


@pytest.mark.parametrize("below", ["", "备注：题号前为正确选项的序号。"])
@pytest.mark.parametrize(
    ("form", "option", "join", "is_ringed"),
    [
        ("【{key}】{number}、{stem}", "{letter} {text}", "", True),
        ("（{key}）{number}. {stem}", "{letter}{text}", "、", True),
        ("[ {key} ] {number}.{stem}", "{letter}、{text}", " ", True),
        ("（ {key} ）{number}、{stem}", "{letter}. {text}", " ", False),
        ("【{key}】{number}、{stem}", "{letter}. {text}", "", False),
    ],
    ids=["rings", "round brackets", "square brackets", "letters", "letters in strong brackets"],
)
def test_the_answer_before_a_number_is_its_questions(form: str, option: str, join: str, is_ringed: bool, below: str) -> None:
    found = _read(form, option, join, below, _RINGS if is_ringed else None)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [*(key for _, _, key in _ASKED), "对"]
    assert [len(draft.options or []) for draft in found.questions] == [3, 3, 3, 3, 0]
    assert not any("题号前" in "".join(draft.options or []) for draft in found.questions)


def test_a_ring_that_no_option_has_names_none() -> None:
    found = read_paper([line for n in range(1, 5) for line in (f"【⑤】{n}、感觉的对象{n}是", "①整体", "②属性", "③关系")])
    assert {draft.answer for draft in [*found.questions, *found.rejected]} <= {"E", None}, "`clean` finds no such option"


@pytest.mark.parametrize("blank", ["（{key}）", "【{key}】。", "( {key} )？"])
def test_circled_numbers_in_the_blank_of_a_stem_are_answers(blank: str) -> None:
    lines = []
    for number, (stem, options, key) in enumerate(_ASKED, 1):
        lines += [f"{number}、{stem.split('（')[0]}{blank.format(key=key.translate(_RINGS))}"]
        lines += [f"{ring}{text}" for ring, text in zip("①②③", options, strict=True)]
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
    assert [[option[2:].strip() for option in draft.options] for draft in found.questions] == [options for _, options, _ in _ASKED]


def test_a_combination_of_points_in_a_stem_is_no_answer() -> None:
    lines = [line for n in range(1, 5) for line in (f"{n}. 属于感觉的有", "①视觉 ②听觉 ③记忆", "A. ①②", "B. ②③", "答案：A")]
    assert [draft.answer for draft in read_paper(lines).questions] == ["A"] * 4
