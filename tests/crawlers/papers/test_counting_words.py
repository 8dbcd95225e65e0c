"""Words that count the questions, which no reader knows beforehand."""

import pytest

from crawlers.papers.doubts.whole_paper import accounted
from crawlers.papers.paper import read_paper

ASKED = (("感觉的对象是", "B"), ("知觉的特性有", "C"), ("最早的实验室建于", "A"), ("记忆的第一个环节是", "D"), ("思维的基本过程是", "B"))
LONG = (
    "本题考查心理现象，心理现象包括心理过程与个性心理，其中前者又分为认识、情绪和意志",
    "三种过程，后者是个人的倾向与特征，两者互相联系",
)


def _paper(head: str, asked: tuple[tuple[str, str], ...] = ASKED) -> list[str]:
    lines = ["历年真题精解"]
    for number, (stem, answer) in enumerate(asked, 1):
        lines += [head.format(number) + stem, "A.整体  B.属性  C.关系  D.过程", f"【答案】{answer}", f"【解析】{LONG[0]}", LONG[1]]
    return lines


@pytest.mark.parametrize("head", ["例{} ", "【例{}】", "考点{:02}、", "[Ex {}] ", "例题（{}）", "Item {}: ", "▶{} "])
def test_a_word_that_counts_begins_each_question(head: str) -> None:
    paper = read_paper(_paper(head))
    assert [(one.stem.splitlines()[-1], one.answer) for one in paper.questions] == list(ASKED)
    assert all(LONG[1] in (one.explanation or "") for one in paper.questions)


@pytest.mark.parametrize("gap", [1, 3])
def test_numbers_with_a_gap_do_not_count(gap: int) -> None:
    lines = _paper("例{} ")
    lines = [line.replace(f"例{gap} ", f"例{gap + 20} ") for line in lines]
    paper = accounted(lines, read_paper(lines))
    assert all("例" not in line for one in paper.questions for line in one.stem.split("\n")[1:])
    assert {one.doubt for one in paper.rejected} == {"stem_unreadable"}
