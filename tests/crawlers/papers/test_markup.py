"""Tags that another format left in the text of a paper: what they set high or low stays there."""

import pytest

from crawlers.papers.paper import read_paper
from crawlers.papers.passes.markup import plain_letters


def stem_of(words: str) -> str | None:
    lines = [f"<p>1、{words}是（ ）。</p>", "<p>A.甲</p>", "<p>B.乙</p>", "<p>答案：A</p>"]
    [draft] = read_paper(lines).questions
    return draft.raw_fields()["stem_raw"]


@pytest.mark.parametrize(
    ("words", "seen"),
    [
        ("12×10<sup>9</sup>/L", "12×10⁹/L"),
        ("10<sup>-<b>1</b>2</sup>mol", "10⁻¹²mol"),
        ("10<SUP>&minus;3</SUP >", "10⁻³"),
        ("CO<sub>2</sub>与SO<sub>4</sub><sup>2-</sup>", "CO₂与SO₄²⁻"),
        ("2<sup>2<sup>3</sup></sup>", "2^(2³)"),
        ("e<sup class='a'>x</sup>", "e^(x)"),
        ("孔子<sup>①</sup>曰", "孔子①曰"),
        ("甲<sup>乙丙<sub>丁", "甲乙丙丁"),
        ("甲</sup>乙<sup>&amp;lt;</sup>", "甲乙&lt;"),
    ],
)
def test_what_tags_of_a_text_set_high_or_low_stays_there(words: str, seen: str) -> None:
    assert stem_of(words) == f"1、{seen}是（ ）。"


def test_many_tags_within_each_other_are_read_soon() -> None:
    assert stem_of("<sup>" * 3000 + "高血压" + "</sup>" * 3000) == "1、高血压是（ ）。"


def test_all_options_of_one_question_may_be_ticked() -> None:
    ticked = ["☐☑☐☑", "☑☑☑☑", "☑☐☐☐"]
    lines = [
        text
        for number, boxes in enumerate(ticked, 1)
        for text in (
            f"{number}. 第{number}类的特征有（ ）",
            *(f"{box} 第{number}种{words}" for box, words in zip(boxes, "甲乙丙丁", strict=True)),
        )
    ]
    assert [draft.answer for draft in read_paper(lines).questions] == ["BD", "ABCD", "A"]


_OPTIONS = (("感觉", "知觉", "记忆"), ("冠心病", "肺炎", "胃炎"), ("学记", "论语", "中庸"))


@pytest.mark.parametrize(
    ("option", "answer"),
    [
        ("> `{}` {}  ", "*正解 {}*"),
        ("> `{}.` {}", "**答案** {}"),
        ("- **{}.** {}", "答案：`{}`"),
        ("- **{}**、{}", "**答案：{}**"),
        ("_{}_ {}", "_答案：{}_"),
        ("* ***{}.*** {}", "答案：{}"),
    ],
)
def test_emphasis_of_all_letters_is_no_sign_of_an_answer(option: str, answer: str) -> None:
    quote = "> " * option.startswith(">")
    lines = [
        text
        for number, words in enumerate(_OPTIONS, 1)
        for text in (
            f"{quote}**{number}** 第{number}种中最常见的一种是",
            quote.strip(),
            *(option.format(*one) for one in zip("ABC", words, strict=True)),
            "",
            answer.format("BAC"[number - 1]),
            "",
            "---",
        )
    ]
    drafts = read_paper(lines).questions
    assert [(draft.options, draft.answer) for draft in drafts] == [
        ([f"{letter}. {word}" for letter, word in zip("ABC", words, strict=True)], right)
        for words, right in zip(_OPTIONS, "BAC", strict=True)
    ]


def test_emphasis_of_one_letter_stays() -> None:
    lines = [text for number in "123" for text in (f"{number}. 最常见的是", "A. 冠心病", "**B.** 肺炎", "C. 胃炎")]
    assert all("A. 冠心病" in draft.options for draft in read_paper(lines).questions)


@pytest.mark.parametrize("bullet", ["- ", "> ", "* "])
def test_emphasis_of_one_letter_in_a_list_stays(bullet: str) -> None:
    lines = [
        text
        for number, right in zip("1234", "BACB", strict=True)
        for text in (
            f"{number}. 第{number}种中最常见的是（ ）",
            *(
                f"{bullet}**{each}.** {words}" if each == right else f"{bullet}{each}. {words}"
                for each, words in zip("ABC", "甲乙丙", strict=True)
            ),
        )
    ]
    assert list(plain_letters(list(enumerate(lines)))) == list(enumerate(lines))
