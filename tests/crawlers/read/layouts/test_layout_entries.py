"""Line layouts: entries of several lines, answers given twice or with words, types, letters; and the messages of rejections."""

from textwrap import dedent

import pytest

from atomexam.records.item import QuestionItem
from crawlers.read.containers.files.reading import Text
from crawlers.read.files import account_of
from crawlers.read.layouts.layout_files import PaperLayout
from crawlers.read.papers import questions_by_layout
from crawlers.read.tables.records.reading import FileReading
from tests.crawlers.read.bodies import SEEN

_QUESTION = "{number}. {stem}\n{letter}. {option}"


def _read(text: str, layout: PaperLayout) -> FileReading:
    reading = questions_by_layout("a.txt", Text(dedent(text).strip("\n").split("\n")), layout, SEEN)
    account_of("a.txt", b"", "paper", reading)  # raises if a character is counted twice or not at all
    return reading


def _answers(reading: FileReading) -> list[str | None]:
    return [item.doubt or item.answer_raw for item in reading.items if isinstance(item, QuestionItem)]


_TWO = """
1. 感觉是
A. 甲
B. 乙
2. 知觉是
A. 丙
B. 丁
"""


@pytest.mark.parametrize(
    ("entries", "below"),
    [
        ("第{number}题\n理由：{explanation}\n故选{answer}", "第1题\n理由：因为甲不对\n而且如此\n故选B\n第2题\n理由：因为丁不对\n故选A\n"),
        ("({number})\n正解 {answer}\n说 {explanation}", "(1)\n\n正解 B\n\n说 因为甲不对\n而且如此\n\n(2)\n\n正解 A\n\n说 因为丁不对\n"),
    ],
)
def test_an_entry_of_a_list_may_have_several_lines(entries: str, below: str) -> None:
    reading = _read(f"{_TWO}参考答案\n{below}", PaperLayout(question=_QUESTION, answers=["参考答案", entries]))
    assert _answers(reading) == ["B", "A"], reading.faults
    explained = [item.explanation_raw for item in reading.items if isinstance(item, QuestionItem)]
    assert explained == ["因为甲不对\n而且如此", "因为丁不对"]
    assert not [line for line in reading.unread if line != "参考答案"]


@pytest.mark.parametrize("entry", ["{number}\n见 {}", "本章答案：{answer}"])
def test_an_entry_without_number_or_answer_is_refused(entry: str) -> None:
    with pytest.raises(ValueError, match=r"expected \{number\}, and \{answer\} or \{explanation\}"):
        _read(_TWO, PaperLayout(question=_QUESTION, answers=["参考答案", entry]))


@pytest.mark.parametrize(("second", "told"), [("A", "A"), ("B", "answer_list_mismatch")])
def test_both_answers_of_an_entry_are_the_same(second: str, told: str) -> None:
    layout = PaperLayout(question=_QUESTION, answers=["参考答案", "{number}.{answer}（{answer}）"])
    assert _answers(_read(f"{_TWO}参考答案\n1.B（B）\n2.A（{second}）\n", layout)) == ["B", told]


@pytest.mark.parametrize(
    ("template", "line"),
    [
        ("{number}. {stem}（{answer}）\n{letter}. {option}\n正确答案：{answer}", "1. 感觉是（B）\nA. 甲\nB. 乙\n正确答案：{}"),
        ("{number}. {stem}\n{letter}. {option}\n答案：{answer}（正解{answer}）", "1. 感觉是\nA. 甲\nB. 乙\n答案：B（正解{}）"),
        (
            "{number}. {stem}\n{letter}. {option}\n解：{explanation}故选{answer}。\n答{answer}",
            "1. 感觉是\nA. 甲\nB. 乙\n解：因为故选B。\n答{}",
        ),
    ],
)
def test_an_answer_may_be_given_twice(template: str, line: str) -> None:
    assert _answers(_read(line.replace("{}", "B"), PaperLayout(question=template))) == ["B"]
    reading = _read(line.replace("{}", "A"), PaperLayout(question=template))
    assert _answers(reading) == ["two_answers"] and "'B' and 'A'" in reading.faults[0]


@pytest.mark.parametrize(
    ("answer", "told"),
    [("B、乙", "B"), ("A. 甲 B. 乙", "AB"), ("A、甲；C、丙", "AC"), ("C（丙）", "C"), ("A、乙", "options_unreadable"), ("B、乙、", "B")],
)
def test_letters_with_the_words_of_their_options_are_letters(answer: str, told: str) -> None:
    text = f"1. 感觉是\nA. 甲\nB. 乙\nC. 丙\n答案：{answer}\n"
    assert _answers(_read(text, PaperLayout(question=f"{_QUESTION}\n答案：{{answer}}"))) == [told]


def test_a_letter_inside_a_word_is_not_an_option_letter() -> None:
    text = "1. 遗传物质是\nDNA还是RNA\nA 蛋白\nB 糖\nC RNA\nD DNA\n答案：D\n2. 剂量是\n12 mg还是\n1 甲\n2 乙\n答案：2\n"
    layout = PaperLayout(question="{number}. {stem}\n{letter} {option}\n答案：{answer}")
    items = [item for item in _read(text, layout).items if isinstance(item, QuestionItem)]
    assert [(item.stem_raw, item.options_raw) for item in items] == [
        ("遗传物质是\nDNA还是RNA", ["A. 蛋白", "B. 糖", "C. RNA", "D. DNA"]),
        ("剂量是\n12 mg还是", ["A. 甲", "B. 乙"]),
    ]


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        ("1. 感觉是\nA. 甲\nC. 乙\n答案：A", ["lettered A, C", "each once"]),
        ("1. 感觉是\nA. 甲\nB. 乙\n而且\n答案：A", ["line 4", "'而且'", "below an option"]),
        ("1. 感觉是\nA. 甲\nB. 乙\n答案：甲乙", ["'甲乙'", "names none", "A, B"]),
        ("1. 感觉是\nA. 甲\n答案：A", ["'甲' alone", "two or more"]),
        ("1. 感觉是\nA. 甲\nB. 乙\n答案：A\n标答 B", []),
    ],
)
def test_rejections_report_what_was_found_and_where(lines: str, words: list[str]) -> None:
    reading = _read(lines, PaperLayout(question=f"{_QUESTION}\n答案：{{answer}}"))
    assert all(word in reading.faults[0] for word in words), reading.faults


_CARDS = "".join(
    f"第{n}次应先看哪一项\nA. 甲{n}\nB. 乙{n}\nC. 丙{n}\n?\n**{'ABC'[n % 3]}** 因为如此{n}\n<!--SR:{n}-->\n\n" for n in range(1, 7)
)


def test_options_with_letters_may_be_of_any_number_in_a_paper_without_numbers() -> None:
    layout = PaperLayout(question="{stem}\n{letter}. {option}\n?\n**{answer}** {explanation}", leave_out=["<!--{}"])
    more = _CARDS.replace("C. 丙4\n", "C. 丙4\nD. 丁4\n")
    reading = _read(f"---\n{more}", layout)
    items = [item for item in reading.items if isinstance(item, QuestionItem)]
    assert [(item.doubt or item.answer_raw, len(item.options_raw or [])) for item in items] == [
        ("ABC"[n % 3], 4 if n == 4 else 3) for n in range(1, 7)
    ]


def _words(counts: list[int]) -> str:
    return "".join(
        f"第{n}题 应先看哪一项\n" + "".join(f"词{at}\n" for at in range(many)) + "应选：词1\n" for n, many in enumerate(counts, 1)
    )


def test_an_answer_in_an_options_words_is_not_unread() -> None:
    reading = questions_by_layout(
        "a.txt", Text(_words([3, 3, 3]).split("\n")), PaperLayout(question="第{number}题 {stem}\n{option}\n应选：{answer}"), SEEN
    )
    assert not account_of("a.txt", b"", "paper", reading).unread


def test_unused_text_at_the_end_may_be_empty() -> None:
    lines = "1、感觉在知觉之前（ √ ）\n2、知觉在感觉之前( × )？\n3、想象在后( × )。\n4、记忆在先（√） 易\n"
    reading = _read(lines, PaperLayout(question="{number}、{stem}（ {answer} ）{}", type="判断题"))
    assert _answers(reading) == ["√", "×", "×", "√"]
    assert next(item.stem_raw for item in reading.items if isinstance(item, QuestionItem)) == "感觉在知觉之前（  ）"


def test_reports_the_line_of_a_number_that_fits_no_template() -> None:
    text = "1. 感觉是\nA. 甲\nB. 乙\n2) 知觉是\nA. 丙\nB. 丁\n3. 想象是\nA. 丙\nB. 丁\n"
    assert "lettered A, B, A, B" in (fault := _read(text, PaperLayout(question=_QUESTION)).faults[0]) and "line 4, '2) 知觉是'" in fault
    reading = _read("1. 感觉是先\n答：对\n2) 知觉是先\n3. 想象是先\n答：错\n", PaperLayout(question="{number}. {stem}\n答：{answer}"))
    assert "line 3, '2) 知觉是先', may begin number 2" in reading.faults[0]
