"""The type in a tag at a number, which need not be in a heading; words of words.yaml are known wherever their list is used."""

import importlib.util
from types import ModuleType

import pytest

from crawlers.read.lines.paper import read_paper
from crawlers.read.vocabulary import headings, labels, numbers, words


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
def test_strips_a_tag_of_any_type_from_the_stem(tag: str) -> None:
    question = read_paper([f"1.[{tag}]感觉是（ ）", "A.甲 B.乙", "答案：A"]).questions[0]
    assert question.raw_fields()["type_raw"] == tag
    assert question.stem == "1.感觉是（ ）"


def test_a_letter_below_a_statement_is_not_a_verdict() -> None:
    reading = read_paper(["判断题（正确填A，错误填B）", "1. 成熟的红细胞没有细胞核。（ ）", "答案：A"])
    assert reading.questions == [] and len(reading.rejected) == 1


def test_a_type_before_several_numbers_is_a_heading() -> None:
    lines = ["单选题 1、2、3题", "1、感觉是（ ）", "A　甲", "B　乙", "答案：B", "2、知觉是（ ）", "A　甲", "B　乙", "答案：A"]
    assert [draft.number for draft in read_paper(lines).drafts] == [1, 2]


@pytest.mark.parametrize("tag", ["(single)", "(Multiple choice)", "[Single choice]", "(单选题)"])
def test_a_tag_next_to_a_number_is_not_a_stem(tag: str) -> None:
    lines = [line for n in (1, 2, 3) for line in (f"Question {n} {tag}", f"第{n}种感觉是", "A. 甲", "B. 乙", "Answer: B")]
    assert [(draft.stem, draft.answer) for draft in read_paper(lines).questions] == [(f"第{n}种感觉是", "B") for n in (1, 2, 3)]


def _anew(module: ModuleType, monkeypatch: pytest.MonkeyPatch, name: str, word: str) -> ModuleType:
    """Return a copy of a module whose patterns are built with one more word in a list."""
    lists = {**words._lists(), name: [*words._lists()[name], word]}
    monkeypatch.setattr(words, "_lists", lambda: lists)
    spec = importlib.util.spec_from_file_location("anew", module.__file__ or "")
    assert spec and spec.loader
    copy = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(copy)
    return copy


@pytest.mark.parametrize(
    ("name", "word", "line", "parts"),
    [
        ("answer", "谜底", "谜底：B", (("answer", "B"),)),
        ("answer", "谜底", "D. 丁 参考谜底：B", (("text", "D. 丁"), ("answer", "B"))),
        ("answer", "谜底", "【谜底】B 【解析】因为", (("answer", "B"), ("explanation", "因为"))),
        ("answer_with_colon", "定论", "定论：对", (("answer", "对"),)),
        ("answer_in_english", "Solution", "Solution: B", (("answer", "B"),)),
        ("explanation", "说理", "说理：因为甲", (("explanation", "因为甲"),)),
        ("explanation_in_brackets", "Hint", "[Hint] because", (("explanation", "because"),)),
        ("remark", "热度", "热度：3", (("remark", "3"),)),
        ("stem", "设问", "【设问】感觉是", (("text", "感觉是"),)),
    ],
)
def test_a_label_is_added_by_a_word(
    monkeypatch: pytest.MonkeyPatch, name: str, word: str, line: str, parts: tuple[tuple[str, str], ...]
) -> None:
    assert labels.parts_of(line) != parts
    assert _anew(labels, monkeypatch, name, word).parts_of(line) == parts


def test_a_type_and_a_word_that_counts_are_added_by_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    assert headings.kind_of("六、连线题") == "" and not headings.is_heading("连线题")
    assert _anew(headings, monkeypatch, "shared", "连线").kind_of("六、连线题") == "shared"
    assert _anew(headings, monkeypatch, "heading", "连线题").is_heading("连线题(每题2分)")
    assert numbers.number_of("考点3:感觉") is None
    number = _anew(numbers, monkeypatch, "counts", "考点").number_of("考点3:感觉")
    assert (number.value, number.style) == (3, "titled")
