"""Statements whose verdicts a note gives by emphasis, in text and in pages."""

import pytest

from crawlers.importers.files.text import read_html
from crawlers.papers.paper import read_paper
from crawlers.papers.passes.emphasis import label_emphasis

STATEMENTS = (
    "验电前应先在有电设备上试验。",
    "装设接地线应先接导体端。（ ）",
    "万用表交流挡可测直流电压。",
    "安全带应高挂低用。（ ）",
    "作业人员可以越过遮栏。",
    "工作票应由签发人签名。",
)
FALSE = {2, 3, 5}
GOLD = ["错误" if at in FALSE else "正确" for at in range(1, 7)]
FALSE_MARKED = (
    ("注：黄色底纹的题为错误（×），没有底纹的题为正确（√）。", "<span style='background:yellow'>", "</span>"),
    ("说明：错误的题目用红色标出，其余均正确", "<font color='red'>", "</font>"),
    ("标红的说法错误", "<font color='#e60012'>", "</font>"),
    ("（没有加粗的为正确，加粗的为错误）", "<b>", "</b>"),
    ("错误的说法已加下划线；未加下划线的是正确的", "<u>", "</u>"),
    ("带删除线的句子是错的", "<s>", "</s>"),
    ("斜体=×，正体=√", "<i>", "</i>"),
    ("突出显示的为错", "<mark>", "</mark>"),
)
TRUE_MARKED = (
    ("注：绿色字体为正确，黑色字体为错误", "<font color='#00b050'>", "</font>"),
    ("正确的题加粗，不正确的题不加粗。", "<b>", "</b>"),
)


def _lines(begin: str, end: str, is_marked: set[int], number: str = "{}. ") -> list[str]:
    return [
        f"{number.format(at)}{begin}{words}{end}" if at in is_marked else number.format(at) + words
        for at, words in enumerate(STATEMENTS, 1)
    ]


def _verdicts(lines: list[str]) -> list[str | None]:
    return [{"√": "正确", "×": "错误"}.get(draft.answer or "", draft.answer) for draft in read_paper(lines).drafts]


CASES = [(*case, FALSE) for case in FALSE_MARKED] + [(*case, set(range(1, 7)) - FALSE) for case in TRUE_MARKED]


@pytest.mark.parametrize(("note", "begin", "end", "marked"), CASES, ids=[case[0] for case in CASES])
@pytest.mark.parametrize("is_above", [True, False])
def test_a_note_gives_the_verdicts_of_marked_statements(note: str, begin: str, end: str, marked: set[int], is_above: bool) -> None:
    lines = _lines(begin, end, marked)
    page = [note, "一、判断题", *lines] if is_above else ["判断题", *lines, note]
    assert _verdicts(page) == GOLD
    html = "".join(f"<p>{line}</p>" for line in page)
    assert _verdicts(read_html("a.html", f"<html><body>{html}</body></html>".encode()).lines) == GOLD


def test_two_marks_each_have_a_verdict() -> None:
    colours = {True: "red", False: "green"}
    lines = [f"{at}. <font color={colours[at in FALSE]}>{words}</font>" for at, words in enumerate(STATEMENTS, 1)]
    assert _verdicts(["红色为错误，绿色为正确", *lines]) == GOLD


def test_statements_without_numbers() -> None:
    assert _verdicts(["加粗的句子是错误的", *_lines("**", "**", FALSE, "")]) == GOLD


@pytest.mark.parametrize(
    ("note", "begin"),
    [
        ("红色为易错题", "<font color=red>"),
        ("红色为错误", "<font color=green>"),
        ("加粗的为错误", "<font color=red>"),
        ("加粗的为正确答案", "<b>"),
        ("加粗的为错误，加粗的为正确", "<b>"),
        ("请用红笔作答", "<font color=red>"),
        ("做对的题用红色标出", "<font color=red>"),
        ("红色为我答对的题", "<font color=red>"),
        ("红色的题错误", "<font color='rgb(0, 0, 255)'>"),
        ("红色的题错误", "<font color='#3a3c3b'>"),
    ],
)
def test_a_note_that_says_something_else_gives_no_verdict(note: str, begin: str) -> None:
    lines = [note, *_lines(begin, "</b>" if begin == "<b>" else "</font>", FALSE)]
    assert label_emphasis(list(enumerate(lines))) == list(enumerate(lines))


def test_a_statement_that_is_partly_marked_has_no_verdict() -> None:
    lines = _lines("<b>", "</b>", FALSE)
    lines[0] = f"1. <b>{STATEMENTS[0][:6]}</b>{STATEMENTS[0][6:]}"
    assert _verdicts(["加粗的为错误", *lines]) == [None, *GOLD[1:]]
