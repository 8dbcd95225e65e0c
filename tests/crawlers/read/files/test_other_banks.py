"""Banks in XML of their own, answers on a sheet of their own, and options that a sheet only colours: each reads back equal."""

import pytest

from atomexam.records.item import QuestionItem
from tests.crawlers.read.bodies import book_of, read

OPTIONS = [["心脏", "肝脏", "脾脏", "肺脏"], ["胃体", "胆囊", "肾盂", "肠管"], ["脑干", "骨膜", "皮肤", "眼球"]] * 2
STEMS = [f"第{n}例患者最先受到影响的器官是（ ）" for n in range(1, 7)]
RIGHT = [n % 4 for n in range(6)]
STATEMENTS = [(f"第{n}条：成人心脏位于胸腔的中部偏左侧。", n % 3 > 0) for n in range(1, 9)]


def _read(name: str, body: bytes) -> list[QuestionItem]:
    return [item for item in read(name, body).items if isinstance(item, QuestionItem)]


def _right_texts(items: list[QuestionItem]) -> list[str]:
    texts = []
    for item in items:
        options, answer = item.options_raw or [], item.answer_raw or ""
        texts.append(options["ABCD".index(answer)][-2:] if answer in ("A", "B", "C", "D") else answer[-2:])
    return texts


def _xml(option: str, right: str, question: str, root: str) -> bytes:
    parts = []
    for n, (stem, options, key) in enumerate(zip(STEMS, OPTIONS, RIGHT, strict=True), 1):
        listed = "".join((right if at == key else option).format(t=text) for at, text in enumerate(options))
        parts.append(question.format(n=n, s=stem, o=listed))
    return f"<?xml version='1.0' encoding='utf-8'?><{root}>{''.join(parts)}</{root}>".encode()


BANKS = {
    "right only": (
        "<option>{t}</option>",
        '<option right="true">{t}</option>',
        "<question id='{n}'><title>{s}</title>{o}</question>",
        "Lib",
    ),
    "a quiz": ("<choice>{t}</choice>", "<choice correct='1'>{t}</choice>", "<question id='{n}'><text>{s}</text>{o}</question>", "quiz"),
    "a quiz of items": (
        "<opt ok='0'>{t}</opt>",
        "<opt ok='1'>{t}</opt>",
        "<item no='{n}'><stem>{s}</stem><opts>{o}</opts></item>",
        "quiz",
    ),
    "moodle": (
        "<answer fraction='0'><text>{t}</text></answer>",
        "<answer fraction='100'><text>{t}</text></answer>",
        "<question type='multichoice'><questiontext><text>{s}</text></questiontext><single>true</single>{o}</question>",
        "bank",
    ),
}


@pytest.mark.parametrize("name", BANKS)
def test_the_content_of_xml_decides_whatever_its_root_is_named(name: str) -> None:
    items = _read("a.xml", _xml(*BANKS[name]))
    assert [item.stem_raw for item in items] == STEMS
    assert _right_texts(items) == [options[key] for options, key in zip(OPTIONS, RIGHT, strict=True)]


@pytest.mark.parametrize("name", ["tf", "t_f", "TF", "T-F"])
def test_statements_in_xml_have_truth_values_by_the_name_of_their_field(name: str) -> None:
    listed = "".join(
        f"<item no='{n}' {name}='{int(true)}'><content>{text}</content></item>" for n, (text, true) in enumerate(STATEMENTS, 1)
    )
    items = _read("a.xml", f"<quiz name='测试'>{listed}</quiz>".encode())
    assert [(item.stem_raw, item.answer_raw) for item in items] == [(text, "正确" if true else "错误") for text, true in STATEMENTS]


QUESTION_ROWS = [["题目ID", "题目", "A", "B", "C", "D"], *([f"KQ{n:03}", STEMS[n], *OPTIONS[n]] for n in range(6))]


def test_what_somebody_chose_on_another_sheet_is_no_answer() -> None:
    chosen = [["题目ID", "答案", "考生"], *([f"KQ{n:03}", "ABCD"[RIGHT[n]], f"考生{n}"] for n in range(6))]
    assert not any(item.answer_raw for item in _read("a.xlsx", book_of(("题目", QUESTION_ROWS), ("作答", chosen))))
