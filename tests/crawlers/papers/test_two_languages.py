"""Labels in two languages: each way of writing both names reads back equal; words that happen to be in two languages stay."""

import pytest

from crawlers.papers.paper import read_paper


@pytest.mark.parametrize(
    ("head", "key"),
    [
        ("Q{n} / 第{n}题", "Key / 答案: {a}"),
        ("第{n}题 (Question {n})", "答案（Answer）：{a}"),
        ("Question {n} 第{n}题", "Answer 答案：{a}"),
        ("第{n}题/Q{n}.", "正确答案/Correct answer: {a}"),
        ("No.{n}｜题{n}：", "Ans｜答：{a}"),
        ("题目 Q{n}", "答案 Key: {a}"),
    ],
)
def test_labels_in_two_languages(head: str, key: str) -> None:
    lines = [
        text
        for n, a in enumerate("ABCA", 1)
        for text in (head.format(n=n), f"第{n}种感觉是（ ）", "(A) 甲类", "(B) 乙类", "(C) 丙类", key.format(a=a))
    ]
    paper = read_paper(lines)
    assert [(draft.stem, len(draft.options), draft.answer, draft.doubts) for draft in paper.questions] == [
        (f"第{n}种感觉是（ ）", 3, a, ()) for n, a in enumerate("ABCA", 1)
    ]


def test_terms_in_two_languages_stay() -> None:
    lines = [text for n in "123" for text in (f"{n}. 用于复苏的是", "A. Adrenaline 肾上腺素", "B. Atropine 阿托品", "Yes / 是", "答案：A")]
    years = [text for n in "123" for text in (f"{n}. 成立于", "A. 1919年", "B. 1 年", "C. 1927年", "答案：A")]
    assert all(draft.options == ["A. 1919年", "B. 1 年", "C. 1927年"] for draft in read_paper(years).questions)
    cells = [text for n in "123" for text in (f"{n}. 其中减少的是", "A. CD4 细胞", "CD8 细胞", "CD8 细胞", "答案：A")]
    assert "细胞4" not in str(read_paper(cells).questions)
    assert all("Yes / 是" in "".join(draft.options) for draft in read_paper(lines).questions)


def test_words_in_two_languages_before_a_colon_are_no_label() -> None:
    lines = [
        text
        for n in "123"
        for text in (f"{n}. 阅读第{n}段程序", "Java 代码：", f"int a = {n};", "其输出是（ ）", "A. 1", "B. 2", "答案：A")
    ]
    assert all("Java 代码：" in draft.stem for draft in read_paper(lines).questions)
