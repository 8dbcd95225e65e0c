"""Titles of chapters between questions, recognised by their words or by numbers that restart below them."""

import pytest

from crawlers.read.lines.paper import read_paper
from tests.crawlers.read.bodies import read

TITLES = [
    "第二章 感觉", "第二节", "第二单元 感觉", "模块二 感觉", "模块2：感觉", "专题二", "Chapter 2", "Chapter 2 Sensation", "Unit 2",
    "第二章 感觉、知觉（一）", "第二章  感觉（Sensation）", "感觉与知觉", "2.1 感觉", "§2 感觉", "习题二", "《感觉》", "儿科护理学",
]  # fmt: skip
IN_PLACE = ["", "\n答案：{}", "\n答案：{}\n解析：因为如此。"]


def _question(number: int, words: str, answer: str, by_lines: bool) -> str:
    options = "A、甲\nB、乙\nC、丙\nD、丁" if by_lines else "A、甲  B、乙  C、丙  D、丁"
    return f"{number}、{words}是（ {answer} ）\n{options}"


@pytest.mark.parametrize("below", IN_PLACE)
@pytest.mark.parametrize("by_lines", [True, False])
@pytest.mark.parametrize("title", TITLES)
def test_title_above_restarted_numbers_belongs_to_no_question(title: str, by_lines: bool, below: str) -> None:
    asked = [
        _question(number, words, "" if below else answer, by_lines) + below.format(answer)
        for number, words, answer in [(1, "感觉", "A"), (2, "知觉", "B"), (1, "想象", "C"), (2, "记忆", "D")]
    ]
    drafts = read_paper("\n".join([*asked[:2], title, *asked[2:]]).split("\n")).questions
    assert [(draft.number, draft.answer, draft.above.heading) for draft in drafts] == [
        (1, "A", None),
        (2, "B", None),
        (1, "C", title),
        (2, "D", title),
    ]
    assert not any("\n" in text for draft in drafts for text in [draft.stem, *draft.options, draft.explanation or ""])


@pytest.mark.parametrize("title", TITLES)
def test_matches_chapter_titles_of_answer_list_and_questions(title: str) -> None:
    asked = [_question(number, words, "", False) for number, words in [(1, "感觉"), (2, "知觉"), (1, "想象"), (2, "记忆")]]
    key = f"参考答案\n绪论\n1.A 2.B\n{title}\n1.C 2.D"
    drafts = read_paper("\n".join([*asked[:2], title, *asked[2:], key]).split("\n")).questions
    assert [(draft.answer, draft.explanation) for draft in drafts] == [("A", None), ("B", None), ("C", None), ("D", None)]


def test_continuation_of_an_option_is_not_a_title() -> None:
    long = "A、甲 B、乙 C、丙 D、" + "丁" * 30
    reading = read_paper(f"1、题\n{long}\n丁戊\n1、题\n{long}\n丁戊\n2、题\n{long}".split("\n"))
    assert [draft.options[-1] for draft in reading.drafts if not draft.doubt] == ["D、" + "丁" * 30 + "\n丁戊", "D、" + "丁" * 30]
    assert [draft.doubt for draft in reading.drafts] == ["options_unreadable", None, None]  # it may also be a title


def test_refuses_text_file_of_records() -> None:
    body = '{"question": "题", "answer": "A"}\n{"question": "题二", "answer": "B"}\n'.encode()
    with pytest.raises(ValueError, match=r"a\.txt: line 1: found a JSON object, .* name the file \.jsonl"):
        read("a.txt", body, "paper")


ABOVE = [
    "==============================", "【测试题】", "章节测验", "随堂测试2", "考试时间：2025-06-10 09:05至2025-06-16 08:55",
    "- 考试时间：2025-06-10", "题量： 300 满分： 300.0", "github.com/someone", "https://example.org/bank", "----",
]  # fmt: skip


@pytest.mark.parametrize("bank", ["", "信息安全题库"])
@pytest.mark.parametrize("line", ABOVE)
def test_line_without_a_paper_name_is_not_a_title(line: str, bank: str) -> None:
    asked = "\n".join(f"{_question(number, words, 'A', True)}" for number, words in [(1, "感觉"), (2, "知觉")])
    reading = read("卷.txt", f"{bank}\n{line}\n{asked}".encode(), "paper")
    assert {item.paper_raw for item in reading.items} == {f"卷 {bank}".strip()}


@pytest.mark.parametrize("rule", ["---", "===", "——"])
def test_title_between_rules_applies_to_questions_below(rule: str) -> None:
    parts = ["党员义务权利相关部分", "《组织生活》制度规定"]
    asked = "\n".join(f"{_question(number, words, '', True)}\n答案：A" for number, words in [(1, "感觉"), (2, "知觉"), (3, "记忆")])
    text = "\n".join(f"{rule} {part} {rule}\n单选题\n{asked}" for part in parts)
    reading = read("题库.txt", text.encode(), "paper")
    assert [item.paper_raw for item in reading.items] == [f"题库 {part}" for part in parts for _ in range(3)]


@pytest.mark.parametrize("words", ["Page 1", "第2页", "参考答案与解析", "未完待续", "单选题"])
def test_other_words_between_rules_do_not_replace_the_title(words: str) -> None:
    """A page, the answers or a section is not a part; a part's title follows the paper's."""
    asked = "\n".join(f"{_question(number, words, 'A', True)}" for number, words in [(1, "感觉"), (2, "知觉")])
    titled = {rule: f"2024年护理学期末试卷\n--- {rule} ---\n{asked}" for rule in (words, "内科护理部分")}
    found = {rule: read("题库.txt", text.encode(), "paper").items for rule, text in titled.items()}
    assert {item.paper_raw for item in found[words]} == {"题库 2024年护理学期末试卷"}
    assert {item.paper_raw for item in found["内科护理部分"]} == {"题库 2024年护理学期末试卷 内科护理部分"}


_PAGES = [
    "第2页", "第 2 页 共 8 页", "- 3 -", "第1页（共8页）", "Page 1 of 8", "3 / 8", "—3—", "第一页", "共8页 第1页", "P1", "试卷第2页",
    "绝密★启用前",
]  # fmt: skip


@pytest.mark.parametrize("page", _PAGES)
def test_page_number_is_not_a_title(page: str) -> None:
    asked = [_question(number, words, "A", True) for number, words in [(1, "感觉"), (2, "知觉"), (3, "记忆")]]
    for title, whole in [("", "题库"), ("护理学期末试卷", "题库 护理学期末试卷")]:
        for text in ("\n".join([page, title, *asked]), "\n".join([title, page, asked[0], page, asked[1], asked[2]])):
            found = read("题库.txt", text.encode(), "paper").items
            assert {item.paper_raw for item in found} == {whole}


@pytest.mark.parametrize("title", ["新员工测评（讲师答案卷）", "期末答案", "试卷及答案解析", "Answer Key"])
def test_paper_title_with_the_word_answer_begins_no_list(title: str) -> None:
    statements = ["工作负责人应始终持有工作票。", "现场应核对名称。", "使用与否是自由。", "电阻值越小越好。"]
    lines = [line for n, words in enumerate(statements, 1) for line in (f"{n}、{words}", f"答案：{'正确' if n % 2 else '错误'}")]
    assert [draft.answer for draft in read_paper([title, *lines]).questions] == ["正确", "错误"] * 2
    above = [f"{n}、下列正确的是（ ）\nA、甲\nB、乙" for n in range(1, 5)]
    listed = read_paper("\n".join([*above, title, *(f"{n}、甲对，故如此\n答案：{'AB'[n % 2]}" for n in range(1, 5))]).split("\n"))
    assert not any(draft.stem.startswith("甲对") for draft in listed.questions)
