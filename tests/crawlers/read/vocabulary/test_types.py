"""What a tag at a number says of its question, which no heading may say."""

import pytest

from crawlers.read.lines.paper import read_paper


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("1.[判断题]气质有好坏之分。", "判断题"),
        ("1、【是非题】气质有好坏之分。", "是非题"),
        ("（判断题）1．气质有好坏之分。", "判断题"),
        ("判断：1. 气质有好坏之分。", "判断"),
        ("判断题 1、气质有好坏之分。", "判断题"),
        ("判断题1. 气质有好坏之分。", "判断题"),
        ("1.气质有好坏之分。", None),
    ],
)
def test_the_type_of_a_tag_reaches_the_question(line: str, said: str | None) -> None:
    reading = read_paper([line, "答案：错", "2.[单选题]感觉是（ ）", "A.甲 B.乙", "答案：A"])
    fields = reading.questions[0].raw_fields()
    assert fields.get("type_raw") == said
    assert fields["stem_raw"].endswith("气质有好坏之分。") and "题" not in fields["stem_raw"]
    assert fields["answer_raw"] == "错"
    assert reading.questions[1].raw_fields()["type_raw"] == "单选题"


@pytest.mark.parametrize("tag", ["配伍题", "A3型题", "B1型题", "共用题干单选题", "案例分析题", "多选题"])
def test_a_tag_of_any_type_is_no_part_of_the_stem(tag: str) -> None:
    question = read_paper([f"1.[{tag}]感觉是（ ）", "A.甲 B.乙", "答案：A"]).questions[0]
    assert question.raw_fields()["type_raw"] == tag
    assert question.stem == "1.感觉是（ ）"


def test_a_letter_below_a_statement_is_no_verdict() -> None:
    reading = read_paper(["判断题（正确填A，错误填B）", "1. 成熟的红细胞没有细胞核。（ ）", "答案：A"])
    assert reading.questions == [] and len(reading.rejected) == 1


def test_a_type_before_each_number_is_no_part_of_the_stem() -> None:
    lines = ["我的错题", "单选题 1、感觉是（ ）", "A　甲", "B　乙", "正确答案：B", "试题解析：见第一章（B对），", "（A错）。"]
    lines += ["多选题 2、2016年的指南有（ ）", "A　甲", "B　乙", "正确答案：AB", "判断题 3、感觉先于知觉。", "正确答案：对"]
    reading = read_paper(lines)
    assert [(draft.stem, draft.answer) for draft in reading.questions] == [
        ("1、感觉是（ ）", "B"),
        ("2、2016年的指南有（ ）", "AB"),
        ("3、感觉先于知觉。", "对"),
    ]
    assert [draft.raw_fields().get("type_raw") for draft in reading.questions] == ["单选题", "多选题", "判断题"]


def test_a_type_before_several_numbers_is_a_heading() -> None:
    lines = ["单选题 1、2、3题", "1、感觉是（ ）", "A　甲", "B　乙", "答案：B", "2、知觉是（ ）", "A　甲", "B　乙", "答案：A"]
    assert [draft.number for draft in read_paper(lines).drafts] == [1, 2]


@pytest.mark.parametrize("tag", ["(single)", "(Multiple choice)", "[Single choice]", "(单选题)"])
def test_a_tag_beside_a_number_is_no_stem(tag: str) -> None:
    lines = [line for n in (1, 2, 3) for line in (f"Question {n} {tag}", f"第{n}种感觉是", "A. 甲", "B. 乙", "Answer: B")]
    assert [(draft.stem, draft.answer) for draft in read_paper(lines).questions] == [(f"第{n}种感觉是", "B") for n in (1, 2, 3)]
