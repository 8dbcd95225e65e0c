"""Answers shown by colour or bold type, and which mark shows them: one on some but not all options of a question."""

from collections.abc import Callable

import pytest

from crawlers.read.containers.files.text import read_html
from crawlers.read.lines.paper import read_paper
from crawlers.read.papers import LINE_READERS
from crawlers.read.vocabulary.emphasis import is_answer_sheet, standing_out

Drawn = Callable[[str, str, bool, bool], str]
"""Letter, text, whether the option is correct, whether it is the reader's wrong choice -> the option as written."""

ASKED = (
    ("下列属于非特异性免疫的是", ("皮肤屏障", "抗体", "记忆细胞", "浆细胞"), "A", "B"),
    ("正常成人体温的范围是", ("三十五度", "三十六度五", "三十八度", "三十九度"), "B", "A"),
    ("下列不属于消化腺的是", ("肝", "胰", "唾液腺", "甲状腺"), "D", "C"),
    ("参与体液调节的有", ("甲状腺激素", "胰岛素", "二氧化碳", "抗利尿激素"), "ABCD", ""),
    ("维持酸碱平衡的器官有", ("心", "肺", "胃", "肾"), "BD", "A"),
)
GOLD = [answer for _, _, answer, _ in ASKED]


def _lines(drawn: Drawn, below: str = "") -> list[str]:
    lines: list[str] = []
    for number, (stem, options, answer, chosen) in enumerate(ASKED, 1):
        lines.append(f"{number}. {stem}（ ）")
        lines += [drawn(letter, words, letter in answer, letter == chosen) for letter, words in zip("ABCD", options, strict=True)]
        lines += [below.format(answer)] if below else []
        lines.append("")
    return lines


def _page(drawn: Drawn, tag: str = "p") -> list[str]:
    body = "".join(f"<{tag}>{line}</{tag}>" for line in _lines(drawn))
    return LINE_READERS[".html"]("a.html", f"<html><body>{body}</body></html>".encode()).lines


MARKDOWN: dict[str, Drawn] = {
    "font": lambda letter, words, right, _: f"- {letter}. <font color='red'>{words}</font>" if right else f"- {letter}. {words}",
    "font around": lambda letter, words, right, _: f'- <font color="#ff0000">{letter}. {words}</font>' if right else f"- {letter}. {words}",
    "span": lambda letter, words, right, _: f"{letter}、<span style='color: #e00'>{words}</span>" if right else f"{letter}、{words}",
    "black too": lambda letter, words, right, _: f"{letter}. <font color={'red' if right else 'black'}>{words}</font>",
    "no signs": lambda letter, words, right, _: f"{letter} <font color='red'>{words}</font>" if right else f"{letter} {words}",
    "right and chosen": lambda letter, words, right, chosen: (
        f"{letter}. <font color={'green' if right else 'red'}>{words}</font>" if right or chosen else f"{letter}. {words}"
    ),
}
BOLD: dict[str, Drawn] = {
    "stars": lambda letter, words, right, _: f"- **{letter}. {words}**" if right else f"- {letter}. {words}",
    "stars within": lambda letter, words, right, _: f"{letter}. **{words}**" if right else f"{letter}. {words}",
    "tag": lambda letter, words, right, _: f"{letter}. <b>{words}</b>" if right else f"{letter}. {words}",
}
PAGES: dict[str, Drawn] = {
    "style": lambda letter, words, right, _: f"<span style='color:{'red' if right else 'black'}'>{letter}. {words}</span>",
    "class": lambda letter, words, right, _: f"<div class='option{' correct' if right else ''}'>{letter}. {words}</div>",
    "data": lambda letter, words, right, _: f"<span data-correct='{'true' if right else 'false'}'>{letter}. <i>{words}</i></span>",
    "nested": lambda letter, words, right, _: f"<b>{letter}.</b> <font color='{'#c00' if right else '#333'}'><b>{words}</b></font>",
}
SILENT: dict[str, Drawn] = {
    "letters alone": lambda letter, words, *_: f"**{letter}.** {words}",
    "all": lambda letter, words, *_: f"{letter}. <font color=red>{words}</font>",
    "some words": lambda letter, words, right, _: f"{letter}. **{words[:1]}**{words[1:]}和其他" if right else f"{letter}. {words}和其他",
    "two reds": lambda letter, words, right, chosen: (
        f"{letter}. <font color={'red' if right else 'blue'}>{words}</font>" if right or chosen else f"{letter}. {words}"
    ),
}


def _answers(lines: list[str]) -> list[str | None]:
    drafts = read_paper(lines).drafts
    assert [[option[2:].strip() for option in draft.options] for draft in drafts] == [list(words) for _, words, _, _ in ASKED]
    return [draft.answer for draft in drafts]


@pytest.mark.parametrize("drawn", MARKDOWN.values(), ids=MARKDOWN)
def test_coloured_option_is_the_answer(drawn: Drawn) -> None:
    assert _answers(_lines(drawn)) == GOLD


@pytest.mark.parametrize("drawn", BOLD.values(), ids=BOLD)
def test_bold_option_is_the_answer_unless_all_are_bold(drawn: Drawn) -> None:
    assert _answers(_lines(drawn)) == [None if answer == "ABCD" else answer for answer in GOLD]


@pytest.mark.parametrize("drawn", PAGES.values(), ids=PAGES)
def test_emphasis_on_saved_page_is_the_answer(drawn: Drawn) -> None:
    assert _answers(_page(drawn)) == GOLD


@pytest.mark.parametrize("drawn", PAGES.values(), ids=PAGES)
def test_less_than_sign_hides_no_answer(drawn: Drawn) -> None:
    body = "".join(f"<p>{line}</p>" for line in ["发热&lt;3天者", *_lines(drawn)])
    assert _answers(LINE_READERS[".html"]("a.html", f"<html><body>{body}</body></html>".encode()).lines) == GOLD


@pytest.mark.parametrize("drawn", SILENT.values(), ids=SILENT)
def test_ignores_emphasis_on_all_options_or_of_two_kinds(drawn: Drawn) -> None:
    assert [draft.answer for draft in read_paper(_lines(drawn)).drafts] == [None] * len(ASKED)


@pytest.mark.parametrize("sign", ["**", "<b>", "<font color=red>", "== =", "A. **"])
def test_time_is_linear_in_a_line_of_signs(sign: str) -> None:
    read_paper([sign * 2000] * 3)
    read_html("a.html", (sign * 4000).encode())


@pytest.mark.parametrize("note", ["说明：加粗的选项为正确答案。", "注：粗体字是答案", "（黑体部分表示正确选项）"])
def test_all_options_may_be_bold_if_the_paper_defines_bold(note: str) -> None:
    drawn = BOLD["stars within"]
    assert [draft.answer for draft in read_paper([note, *_lines(drawn)]).questions] == GOLD
    assert [draft.answer for draft in read_paper(_lines(drawn)).questions] == [*GOLD[:3], None, GOLD[4]]


def _marked(places: str, kind: str, others: str = "") -> list[list[set[str]]]:
    return [[{kind} if at == int(place) else {others} - {""} for at in range(4)] for place in places]


@pytest.mark.parametrize(
    ("questions", "kind"),
    [
        (_marked("0123012", "colour red"), "colour red"),
        (_marked("01", "colour red"), "colour red"),
        (_marked("012", "bold"), None),
        (_marked("0123", "bold"), "bold"),
        (_marked("0123", "", "struck"), "left"),
        (_marked("0123", "struck"), None),
        (
            [[set(), set(), {"struck"}, {"struck"}], [{"struck"}, set(), set(), set()], [set(), {"struck"}, {"struck"}, {"struck"}]] * 2,
            "left",
        ),
        (_marked("0123", "", "colour red"), None),
        (_marked("0123", "colour green", "colour red"), "colour green"),
        ([[{"colour red", "bold"}, set(), set()], [set(), {"colour red", "bold"}, set()]] * 3, "colour red"),
        ([[{"colour red"}, {"colour blue"}, set()], [{"colour blue"}, {"colour red"}, set()]] * 3, None),
        ([[{"colour red"}] * 4] * 5, None),
        ([], None),
    ],
)
def test_only_one_mark_counts(questions: list[list[set[str]]], kind: str | None) -> None:
    right = standing_out(questions)
    assert (right and right.kind) == kind
    if right and kind != "left":
        assert right.marked == [[kind in marks for marks in options] for options in questions]


def test_option_about_records_is_not_an_answer_sheet() -> None:
    assert [is_answer_sheet(line) for line in ("B、没有事故可不作记录", "我的作答记录", "答题记录", "总得分：90")] == [
        False,
        True,
        True,
        True,
    ]
