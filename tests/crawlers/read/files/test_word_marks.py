"""Answer marks that only Word has: form check boxes and lists, content controls, symbol fonts, formatting of words and letters."""

from collections.abc import Callable
from typing import Any

import pytest
from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls

from crawlers.read.containers.documents.docx import read_docx
from crawlers.read.containers.files.reading import Text
from crawlers.read.lines.doubts.whole_paper import accounted
from crawlers.read.lines.marks import answered
from crawlers.read.lines.paper import read_paper
from crawlers.read.lines.questions.draft import ParsedPaper
from tests.crawlers.read.bodies import saved

SPACES = nsdecls("w") + ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
STEMS = ("感觉的基本单位是什么", "知觉恒常性不包括哪一项", "下列属于内部动机的是", "短时记忆的容量是多少", "情绪的三个成分是哪些")
KEY = "BDACA"
WORDS = ("甲一", "乙二", "丙三", "丁四")
VERDICTS = (True, False, True, True, False)


def run(words: str, face: str = "") -> str:
    return f'<w:r><w:rPr>{face}</w:rPr><w:t xml:space="preserve">{words}</w:t></w:r>'


def field(data: str, shown: str = "") -> str:
    parted = f'<w:r><w:fldChar w:fldCharType="separate"/></w:r>{run(shown)}' if shown else ""
    begin = f'<w:r><w:fldChar w:fldCharType="begin"><w:ffData>{data}</w:ffData></w:fldChar></w:r>'
    return f'{begin}<w:r><w:instrText> FORM </w:instrText></w:r>{parted}<w:r><w:fldChar w:fldCharType="end"/></w:r>'


BOXES: dict[str, Callable[[bool], str]] = {
    "content control": lambda on: (
        f'<w:sdt><w:sdtPr><w14:checkbox><w14:checked w14:val="{on:d}"/></w14:checkbox></w:sdtPr>'
        f"<w:sdtContent>{run('☒' if on else '☐')}</w:sdtContent></w:sdt>"
    ),
    "field by default": lambda on: field(f'<w:checkBox><w:default w:val="{on:d}"/></w:checkBox>'),
    "field as checked": lambda on: field(f'<w:checkBox><w:default w:val="0"/>{"<w:checked/>" * on}</w:checkBox>'),
    "Wingdings": lambda on: f'<w:r><w:sym w:font="Wingdings" w:char="F0{"FE" if on else "A8"}"/></w:r>',
    "Wingdings 2": lambda on: f'<w:r><w:sym w:font="Wingdings 2" w:char="F0{"52" if on else "A3"}"/></w:r>',
}
FACES = {
    "highlight": '<w:highlight w:val="yellow"/>',
    "shading": '<w:shd w:val="clear" w:fill="FFFF00"/>',
    "colour": '<w:color w:val="FF0000"/>',
    "bold": "<w:b/>",
    "underline": '<w:u w:val="single"/>',
    "italics": "<w:i/>",
    "dots": '<w:em w:val="dot"/>',
    "border": '<w:bdr w:val="single" w:sz="4"/>',
}


def text_of(paragraphs: list[str]) -> Text:
    document: Any = Document()
    for inner in paragraphs:
        document.element.body.insert(len(document.element.body) - 1, parse_xml(f"<w:p {SPACES}>{inner}</w:p>"))
    return read_docx("a.docx", saved(document))


def read(paragraphs: list[str]) -> ParsedPaper:
    text = text_of(paragraphs)
    lines = answered(text.lines, text.marked)
    return accounted(lines, read_paper(lines))


def answers_to_choices(below: Callable[[str], list[str]]) -> list[str | None]:
    numbered = enumerate(zip(STEMS, KEY, strict=True), 1)
    paper = read([inner for number, (stem, key) in numbered for inner in (run(f"{number}. {stem}"), *below(key))])
    assert all(len(draft.options) == len(WORDS) for draft in paper.drafts)
    return [draft.answer for draft in paper.questions]


def answers_to_statements(form: Callable[[str, bool], list[str]]) -> list[str | None]:
    numbered = enumerate(zip(STEMS, VERDICTS, strict=True), 1)
    paper = read([inner for number, (stem, verdict) in numbered for inner in form(f"{number}. {stem}的说法见第一章。", verdict)])
    return [draft.answer for draft in paper.questions]


@pytest.mark.parametrize(
    "answer",
    [
        lambda key: field(f'<w:ddList><w:result w:val="{"ABCD".index(key)}"/>{_entries("listEntry")}</w:ddList>'),
        lambda key: f"<w:sdt><w:sdtPr><w:dropDownList/></w:sdtPr><w:sdtContent>{run(key)}</w:sdtContent></w:sdt>",
        lambda key: field("<w:textInput/>", key),
    ],
)
def test_lists_and_texts_of_forms(answer: Callable[[str], str]) -> None:
    def below(key: str) -> list[str]:
        return [*(run(f"{each}. {words}") for each, words in zip("ABCD", WORDS, strict=True)), run("答案：") + answer(key)]

    assert answers_to_choices(below) == list(KEY)


def _entries(tag: str) -> str:
    return "".join(f'<w:{tag} w:val="{letter}"/>' for letter in "ABCD")


@pytest.mark.parametrize("face", ["<w:strike/>", "<w:dstrike/>"])
def test_options_without_strike_through_are_right(face: str) -> None:
    def below(key: str) -> list[str]:
        return [run(f"{letter}. {words}", "" if letter == key else face) for letter, words in zip("ABCD", WORDS, strict=True)]

    assert answers_to_choices(below) == list(KEY)


@pytest.mark.parametrize("face", FACES.values(), ids=FACES)
@pytest.mark.parametrize("joint", ["", "   "])
def test_formatting_marks_right_options(face: str, joint: str) -> None:
    def below(key: str) -> list[str]:
        options = [run(f"{each}. {words}", face if each == key else "") for each, words in zip("ABCD", WORDS, strict=True)]
        return [run(joint).join(options)] if joint else options

    assert answers_to_choices(below) == list(KEY)


def test_formatting_on_the_same_word_everywhere_means_nothing() -> None:
    answers = answers_to_statements(lambda stem, verdict: [run(stem), run("正确", "<w:b/>") + run(" / 错误")])
    assert not any(answers)


@pytest.mark.parametrize("kind", BOXES)
def test_check_boxes_are_marks(kind: str) -> None:
    assert text_of([BOXES[kind](True) + run(" 甲"), BOXES[kind](False) + run(" 乙")]).lines == [
        "☑ 甲",
        "☐ 乙" if "Wing" not in kind else "□ 乙",
    ]
