"""Notes in Markdown: folds, boxes of tasks, emphasised terms, escaped numbers, and answers in other forms from part to part."""

import pytest

from crawlers.read.lines.paper import read_paper

STEMS = ("感觉的种类有", "记忆的环节有", "思维的过程有", "情绪的功能有")
WORDS = ("甲类", "乙类", "丙类", "丁类")
FOLDS = {
    "label": "<details>\n<summary>展开答案</summary>\n\n答案：{}\n</details>",
    "bare": "<details><summary>点我看参考答案</summary>\n\n{}\n\n</details>",
    "line": "<details><summary>查看解析</summary>{}</details>",
    "no name": "<details>\n<summary>点击展开</summary>\n答案：{}\n</details>",
    "open": "<details open>\n<summary>Answer</summary>\n{}\n</details>",
}


def _choice(number: int, box: str = "{1}. {2}", right: str = "", below: str = "") -> str:
    options = [box.format("x" if letter in right else " ", letter, words) for letter, words in zip("ABCD", WORDS, strict=True)]
    return "\n".join([f"{number}. {STEMS[number - 1]}", *options, *filter(None, [below]), ""])


def _answers(text: str) -> list[str | None]:
    drafts = read_paper(text.split("\n")).drafts
    assert not any(draft.doubt for draft in drafts)
    return [draft.answer for draft in drafts]


@pytest.mark.parametrize("fold", FOLDS.values(), ids=FOLDS)
def test_what_is_folded_below_a_question_is_its_answer(fold: str) -> None:
    choices = [_choice(number, below=fold.format(letter)) for number, letter in enumerate("BDAC", 1)]
    assert _answers("## 单选题\n" + "\n".join(choices)) == [*"BDAC"]
    words = [f"### {number}. 简述{stem[:2]}的特点。\n\n{fold.format(f'{stem}：先快，后慢')}\n" for number, stem in enumerate(STEMS, 1)]
    assert _answers("## 简答题\n" + "\n".join(words)) == [f"{stem}：先快，后慢" for stem in STEMS]


@pytest.mark.parametrize("box", ["- [{0}] {1}. {2}", "* [{0}] {1}、{2}", "[{0}] {1}) {2}"])
def test_boxes_of_tasks_are_ticks_and_all_may_be_ticked(box: str) -> None:
    right = ["AC", "BCD", "ABCD", "D"]
    assert _answers("\n".join(_choice(number, box, letters) for number, letters in enumerate(right, 1))) == right


def test_an_escaped_number_begins_a_question() -> None:
    text = "\n".join(_choice(number, below=f"答案：{letter}") for number, letter in enumerate("BDAC", 1))
    assert _answers(text.replace("1. ", "1\\. ").replace("3. ", "3\\. ")) == [*"BDAC"]
