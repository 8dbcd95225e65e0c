"""Parts of a stem that look like marks, foreign parts within a stem, and marks without a preceding blank."""

import pytest

from crawlers.read.lines.paper import read_paper
from crawlers.read.tables.records.stem_cells import parts_of_stem
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import number_of


@pytest.mark.parametrize("tag", ["[单选题]", "【多选题】", "单选题", "【判断题】"])
@pytest.mark.parametrize("gap", ["（  ）", "()", "( ) "])
def test_stem_that_begins_with_its_blank_after_its_type_is_not_a_heading(tag: str, gap: str) -> None:
    assert not is_heading(flat(f"{tag}{gap}是心脏最内层的膜，与血液直接接触。"))
    assert is_heading(flat(f"{tag}{gap}")) and is_heading(flat(f"{tag}（共20题，每题1分）"))


@pytest.mark.parametrize("form", ["00{}|", "{} | ", "No.{}|", "No.{} | ", "Q{}|", "题{}|", "{}#"])
def test_removes_bar_after_number_from_stem(form: str) -> None:
    stems = [f"{n}岁儿童的特点是（ ）" for n in range(2, 7)]
    text = "\n".join(f"{form.format(n)}{stem}\nA. 甲\nB. 乙\nC. 丙\n答案：B\n" for n, stem in enumerate(stems, 1))
    assert [draft.stem for draft in read_paper(text.split("\n")).questions] == stems


@pytest.mark.parametrize("line", ["1|2|3|4|5", "1|23", "1#2#3"])
def test_row_of_numbers_is_not_a_question(line: str) -> None:
    assert number_of(line) is None or number_of(line).style == "tight"


def test_reads_options_directly_after_the_verb() -> None:
    parts = parts_of_stem("属于感觉的是A、嗅觉B、记忆C、思维D、想象")
    assert (parts["stem_raw"], len(parts["options_raw"])) == ("属于感觉的是", 4)


def test_letters_in_words_are_not_options() -> None:
    assert not parts_of_stem("病人缺乏:A.维生素A、维生素B、维生素B、C")


@pytest.mark.parametrize(
    ("answer", "letters"),
    [
        ("→ 正解：A（整体）；C（关系）", "AC"),
        ("→ 正解：B（属性）", "B"),
        ("=> 答案：A、整体 C、关系", "AC"),
        ("正确答案：A.整体，B.属性，C.关系。", "ABC"),
        ("▶【答案】AC", "AC"),
    ],
)
def test_answer_may_repeat_its_options_text(answer: str, letters: str) -> None:
    found = read_paper(
        ["001｜感觉的对象是", "    [A] 整体", "    [B] 属性", "    [C] 关系", f"    {answer}", "002｜记忆有三个环节。", "    → 正解：对"]
    )
    assert [draft.answer for draft in found.questions][1] == "对"
    assert found.questions[0].options == ["[A] 整体", "[B] 属性", "[C] 关系"]
    assert set(found.questions[0].answer or "") & set("ABC") == set(letters)


@pytest.mark.parametrize("answer", ["A（整体）；C（属性）", "B（整体）；C（关系）"])
def test_doubts_answer_with_the_text_of_other_options(answer: str) -> None:
    found = read_paper(["1、感觉的对象是", "A.整体", "B.属性", "C.关系", f"答案：{answer}", "2、记忆有三个环节。", "答案：对"])
    assert [draft.number for draft in found.rejected] == [1]
