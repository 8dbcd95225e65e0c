"""Question banks in XML: what each type of question gives, what is refused; every question becomes an item or a doubt."""

from html import escape

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.item import QuestionItem
from crawlers.read.formats import guess_format, read_file
from crawlers.read.tables.records.reading import FileReading
from tests.crawlers.read.bodies import SEEN
from tests.crawlers.small_files import EXCHANGED

CHOICE = "<questiontext><text>题</text></questiontext><answer fraction='100'><text>甲</text></answer><answer><text>乙</text></answer>"


def read(text: str) -> FileReading:
    body = text.encode()
    return read_file("a.xml", body, guess_format("a.xml", body), SEEN)


def said(item: QuestionItem) -> tuple[str | None, str | None, list[str] | None, str | None, str | None]:
    return item.type_raw, item.stem_raw, item.options_raw, item.answer_raw, item.explanation_raw


def test_reads_moodle_questions_by_type() -> None:
    reading = read(EXCHANGED["moodle_xml"])
    assert [said(item) for item in reading.items] == [
        ("单选题", "12×10⁹/L 是（ ）。", ["A.甲", "B.乙"], "B", "见书。"),
        ("多选题", "a < b 是（ ）。", ["A.甲", "B.乙", "C.丙"], "AC", None),
        ("判断题", "气质有好坏之分。", None, "错误", None),
        ("填空题", "____是记忆。", None, "甲；乙", None),
        ("简答题", "什么是记忆？", None, "经验的反映。", None),
    ]
    assert {item.exam_raw for item in reading.items} == {"心理学 > 感觉"} and reading.items[0].images == 1
    assert reading.unread == ["请读下文。"] and not reading.faults


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("<question type='matching'/>", "record_unreadable"),
        ("<question type='essay'/>", "record_empty"),
        (f"<question type='multichoice'>{CHOICE.replace('100', 'all')}</question>", "field_unreadable"),
        (f"<question type='multichoice'>{CHOICE}{'<answer/>' * 9}</question>", "options_unreadable"),
    ],
)
def test_gives_the_reason_for_an_unreadable_question(question: str, reason: str) -> None:
    reading = read(f"<quiz>{question}<question type='multichoice'>{CHOICE}</question></quiz>")
    assert [item.doubt for item in reading.items] == [reason, None] and reading.record_count == 2
    assert reading.faults[0].startswith(f"record 1: {reason}: line 1: ")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('<!DOCTYPE quiz [<!ENTITY a SYSTEM "file:///etc/hostname">]><quiz>&a;</quiz>', "declares a document type"),
        (
            '<!DOCTYPE quiz [<!ENTITY a "aaaaaaaa">'
            + "".join(f'<!ENTITY {name} "{f"&{before};" * 20}">' for before, name in zip("abcdefgh", "bcdefghi", strict=True))
            + "]><quiz x='&i;'>&i;</quiz>",
            r"declares a document type|not readable XML",
        ),
        ("<!DOCTYPE quiz SYSTEM 'http://127.0.0.1:9/a.dtd'><quiz/>", "declares a document type"),
        ("<quiz><question>", "not readable XML"),
        ("<questestinterop/>", "line 1: found <questestinterop>; expected <quiz> as in Moodle XML"),
        ("<rss/>", "line 1: found <rss>; expected <quiz> as in Moodle XML"),
        ("<a>" * 5000 + "</a>" * 5000, "not readable XML"),
    ],
)
def test_refuses_other_and_unsafe_xml(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=rf"a\.xml: (?:{message})"):
        read(text)


def test_a_short_answer_may_have_more_wordings_than_there_are_letters() -> None:
    wordings = "".join(f"<answer fraction='100'><text>{number}ml</text></answer>" for number in range(12))
    text = f"<quiz><question type='shortanswer'><questiontext><text>正常尿量为多少？</text></questiontext>{wordings}</question></quiz>"
    [item] = read(text).items
    assert (item.doubt, item.answer_raw) == (None, "；".join(f"{number}ml" for number in range(12)))


KINDS = st.sampled_from(["multichoice", "truefalse", "shortanswer", "numerical", "essay", "matching", "cloze", ""])


@pytest.mark.slow
@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(KINDS, st.text("题<>&]\n ", max_size=6), st.lists(st.sampled_from(["100", "0", "50", "x"]), max_size=12))))
def test_loses_no_question(questions: list[tuple[str, str, list[str]]]) -> None:
    written = "".join(
        f"<question type='{kind}'><questiontext><text>{escape(stem)}</text></questiontext>"
        + "".join(f"<answer fraction='{share}'><text>甲</text></answer>" for share in shares)
        + "</question>"
        for kind, stem, shares in questions
    )
    reading = read(f"<quiz>{written}</quiz>")
    assert reading.record_count == len(reading.items) == len(questions)
    assert [item.provenance.position for item in reading.items] == [f"record:{number + 1}" for number in range(len(questions))]
    assert all(item.doubt or item.stem_raw or item.options_raw for item in reading.items)
