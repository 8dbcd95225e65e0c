"""Marks without a blank before them: options in a record's stem, answers behind the last option."""

import pytest

from crawlers.read.lines.paper import read_paper
from crawlers.read.tables.records.stem_cells import parts_of_stem


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
