"""What belongs to a stem though it looks like a mark, what does not though it stands in one, and marks without a blank before them."""

import pytest

from crawlers.read.lines.paper import read_paper
from crawlers.read.tables.records.stem_cells import parts_of_stem
from crawlers.read.vocabulary.headings import is_heading
from crawlers.read.vocabulary.labels import flat
from crawlers.read.vocabulary.numbers import number_of


@pytest.mark.parametrize(
    ("line", "stem", "answer"),
    [
        ("1.最合适的答案是（B）。", "1.最合适的答案是（ ）。", "B"),
        ("1.不应单凭一次检查就作出答案（AB）", "1.不应单凭一次检查就作出答案（ ）", "AB"),
        ("1.感觉是什么？答案（B）", "1.感觉是什么？", "（B）"),
        ("1.感觉是什么 正确答案为（B）", "1.感觉是什么", "（B）"),
        ("1.感觉是（ ）答案：B", "1.感觉是（ ）", "B"),
    ],
)
def test_the_word_answer_within_a_sentence_is_part_of_it(line: str, stem: str, answer: str) -> None:
    question = read_paper([line, "A.甲", "B.乙", "C.丙"]).questions[0]
    assert (question.stem, question.answer) == (stem, answer)


@pytest.mark.parametrize("tag", ["[单选题]", "【多选题】", "单选题", "【判断题】"])
@pytest.mark.parametrize("gap", ["（  ）", "()", "( ) "])
def test_a_stem_that_begins_with_its_gap_is_no_heading_behind_its_type(tag: str, gap: str) -> None:
    assert not is_heading(flat(f"{tag}{gap}是心脏最内层的膜，与血液直接接触。"))
    assert is_heading(flat(f"{tag}{gap}")) and is_heading(flat(f"{tag}（共20题，每题1分）"))


@pytest.mark.parametrize("tag", ["[单选题]", "【单选题】"])
def test_stems_that_begin_with_their_gap_are_read_with_it(tag: str) -> None:
    stems = ["心脏最内层的膜是（  ）。", "（  ）是心脏最内层的膜，与血液直接接触。", "（  ）分泌胰岛素，并且调节血糖。"]
    text = "\n".join(f"{tag}{stem}\nA.子\nB.丑\nC.寅\nD.卯\n答案：B\n难易程度：易\n" for stem in stems)
    paper = read_paper(text.split("\n"))
    assert not paper.rejected and [draft.stem.removeprefix(tag) for draft in paper.questions] == stems


@pytest.mark.parametrize("form", ["00{}|", "{} | ", "No.{}|", "No.{} | ", "Q{}|", "题{}|", "{}#"])
def test_a_bar_after_a_number_is_no_part_of_the_stem(form: str) -> None:
    stems = [f"{n}岁儿童的特点是（ ）" for n in range(2, 7)]
    text = "\n".join(f"{form.format(n)}{stem}\nA. 甲\nB. 乙\nC. 丙\n答案：B\n" for n, stem in enumerate(stems, 1))
    assert [draft.stem for draft in read_paper(text.split("\n")).questions] == stems


@pytest.mark.parametrize("line", ["1|2|3|4|5", "1|23", "1#2#3"])
def test_a_row_of_numbers_is_no_numbered_question(line: str) -> None:
    assert number_of(line) is None or number_of(line).style == "tight"


@pytest.mark.parametrize("sign", [".", "、", "．"])
def test_options_glued_in_a_stem_are_read(sign: str) -> None:
    options = [f"{letter}{sign}{text}" for letter, text in zip("ABCD", ("感觉", "知觉", "记忆", "思维"), strict=True)]
    parts = parts_of_stem("最基本的认知过程是()。" + "".join(options))
    assert parts["stem_raw"] == "最基本的认知过程是()。"
    assert [text[2:] for text in parts["options_raw"]] == ["感觉", "知觉", "记忆", "思维"]


def test_options_glued_to_the_verb_are_read() -> None:
    parts = parts_of_stem("属于感觉的是A、嗅觉B、记忆C、思维D、想象")
    assert (parts["stem_raw"], len(parts["options_raw"])) == ("属于感觉的是", 4)


def test_letters_of_words_are_no_glued_options() -> None:
    assert not parts_of_stem("病人缺乏:A.维生素A、维生素B、维生素B、C")


def test_an_answer_glued_to_the_last_option_is_read() -> None:
    lines = [
        "1.最基本的认知过程是()A.感觉B.知觉C.记忆D.思维答案:A。感觉是认识的开端。",
        "2.下列是气质的是()A.胆汁质B.能力C.兴趣D.性格答案:A。气质有四种。",
    ]
    drafts = read_paper(lines).drafts
    assert [(draft.answer, draft.options[-1], draft.explanation) for draft in drafts] == [
        ("A", "D.思维", "感觉是认识的开端。"),
        ("A", "D.性格", "气质有四种。"),
    ]


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
def test_answers_may_repeat_the_words_of_their_options(answer: str, letters: str) -> None:
    found = read_paper(
        ["001｜感觉的对象是", "    [A] 整体", "    [B] 属性", "    [C] 关系", f"    {answer}", "002｜记忆有三个环节。", "    → 正解：对"]
    )
    assert [draft.answer for draft in found.questions][1] == "对"
    assert found.questions[0].options == ["[A] 整体", "[B] 属性", "[C] 关系"]
    assert set(found.questions[0].answer or "") & set("ABC") == set(letters)


@pytest.mark.parametrize("answer", ["A（整体）；C（属性）", "B（整体）；C（关系）"])
def test_words_of_other_options_make_an_answer_doubtful(answer: str) -> None:
    found = read_paper(["1、感觉的对象是", "A.整体", "B.属性", "C.关系", f"答案：{answer}", "2、记忆有三个环节。", "答案：对"])
    assert [draft.number for draft in found.rejected] == [1]
