"""Tables of a document with a row for each option, and little tables with one question each."""

import pytest

from crawlers.importers.documents.docx_tables import table_lines
from crawlers.papers.paper import read_paper
from crawlers.papers.questions.draft import ParsedPaper

_ASKED = [
    ("感觉的对象是什么", ["整体", "属性", "关系"], "B"),
    ("知觉的特性有哪些", ["整体性", "选择性", "随意性"], "AB"),
    ("最早的心理学实验室建于哪一年", ["1859年", "1879年", "1899年", "1900年"], "B"),
    ("记忆的第一个环节是什么", ["再认", "回忆", "识记"], "C"),
]


def _cells(*row: str) -> list[list[str]]:
    return [[cell] if cell else [] for cell in row]


def _read(rows: list[list[list[str]]]) -> ParsedPaper:
    return read_paper(table_lines(rows))


def _is_bank(found: ParsedPaper) -> bool:
    texts = [[option[1:].lstrip(" .、") for option in draft.options] for draft in found.questions]
    return (
        not found.rejected
        and [draft.answer for draft in found.questions] == [key for _, _, key in _ASKED]
        and texts == [options for _, options, _ in _ASKED]
    )


@pytest.mark.parametrize(
    ("head", "form", "repeated"),
    [
        ("题号|题 干|标号|选 项|正确项打√", "{n}|{stem}|{letter}|{text}|{tick}", False),
        ("序号|题目|选项|内容|是否正确", "{n}|{stem}|{letter}.|{text}|{yes}", True),
        ("题目|选项|答案", "{stem}|{letter}. {text}|{tick}", False),
        ("题干|选项号|选项内容|答案", "{stem}|{letter}|{text}|{key}", False),
        ("√|题号|题干|标号|选项", "{tick}|{n}|{stem}|{letter}|{text}", False),
    ],
)
def test_rows_of_options_make_questions(head: str, form: str, repeated: bool) -> None:
    rows = [_cells(*head.split("|"))]
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        for letter, text in zip("ABCD", options, strict=False):
            own = repeated or letter == "A"
            right = letter in key
            fields = {"n": n if own else "", "stem": stem if own else "", "key": key if own else "", "letter": letter, "text": text}
            rows.append(_cells(*form.format(**fields, tick="√" if right else "", yes="是" if right else "否").split("|")))
    assert _is_bank(_read(rows))


def test_statements_among_rows_of_options_have_their_sign() -> None:
    rows = [_cells("题号", "题干", "标号", "选项", "正确项")]
    for n, (stem, options, key) in enumerate(_ASKED, 1):
        rows += [
            _cells(str(n) if at == 0 else "", stem if at == 0 else "", letter, text, "√" if letter in key else "")
            for at, (letter, text) in enumerate(zip("ABCD", options, strict=False))
        ]
    rows += [_cells("5", "记忆有三个环节。", "", "", "√"), _cells("6", "感觉反映事物的整体。", "", "", "×")]
    found = _read(rows)
    assert [draft.answer for draft in found.questions] == [*(key for _, _, key in _ASKED), "√", "×"]
    assert not found.rejected


def test_letters_out_of_turn_make_no_questions() -> None:
    rows = [_cells("题号", "题干", "标号", "选项", "正确项")]
    rows += [
        _cells("1", "感觉的对象是什么", letter, text, "√" if letter == "B" else "") for letter, text in zip("ACB", "甲乙丙", strict=True)
    ]
    rows += [
        _cells("2", "知觉的对象是什么", letter, text, "√" if letter == "B" else "") for letter, text in zip("ABC", "甲乙丙", strict=True)
    ]
    assert not any(draft.number == 1 for draft in _read(rows).questions)


@pytest.mark.parametrize("title", [("第{n}题", "{kind}"), ("{n}", "{kind}"), ("第{n}题 {kind}", ""), ("第{n}题（{kind}）", "")])
def test_a_table_of_one_question_may_begin_with_its_number_and_type(title: tuple[str, str]) -> None:
    lines = []
    for n, (stem, options, key) in enumerate([*_ASKED, ("记忆有三个环节。", [], "正确")], 1):
        kind = "判断题" if not options else "多选题" if len(key) > 1 else "单选题"
        choices = [f"{letter}. {text}" for letter, text in zip("ABCD", options, strict=False)]
        rows = [_cells(*(cell.format(n=n, kind=kind) for cell in title)), _cells("题目", stem), [["选项"], choices]]
        lines += table_lines([*rows[: 3 if options else 2], _cells("正确答案", key), _cells("我的答案", "A"), _cells("解析", "见教材。")])
    found = read_paper(lines)
    assert not found.rejected
    assert [draft.answer for draft in found.questions] == [*(key for _, _, key in _ASKED), "正确"]
    assert [draft.number for draft in found.questions] == [1, 2, 3, 4, 5]
    assert found.questions[1].type == "多选题" or found.questions[1].above.heading == "多选题"


@pytest.mark.parametrize(
    ("first", "option", "right"),
    [
        (["题{}", "{}", "标准答案"], ["{}", "{}", ""], ["{}", "{}", "√"]),
        (["{}. {}", ""], ["{}. {}", ""], ["{}. {}", "√"]),
        (["第{}题", "{}", ""], ["{}、", "{}", ""], ["{}、", "{}", "☑"]),
    ],
)
def test_a_row_for_each_stem_and_option(first: list[str], option: list[str], right: list[str]) -> None:
    def row(cells: list[str], *words: str) -> list[list[str]]:
        return [[text] if text else [] for text in "\t".join(cells).format(*words).split("\t")]

    rows, lines = [], []
    for number, (stem, key) in enumerate(zip(("感觉的单位是什么", "知觉的特性不包括", "内部动机有哪一种"), "BDA", strict=True), 1):
        rows.append(row(first, str(number), stem))
        rows += [row(right if letter == key else option, letter, f"选项{letter}{number}") for letter in "ABCD"]
        lines += [f"{number}. {stem}", *(f"{letter}. 选项{letter}{number}" for letter in "ABCD"), f"答案：{key}"]
    assert [line.replace("、", ". ") for line in table_lines(rows)] == lines
    assert table_lines(rows[1:]) != lines[1:]  # options above the first stem


def test_rows_of_numbers_and_letters_that_are_no_questions() -> None:
    rows = [[["1"], ["张三"]], [["A"], ["合格"]], [["2"], ["李四"]], [["B"], ["合格"]]]
    assert not any("答案" in line for line in table_lines(rows))
