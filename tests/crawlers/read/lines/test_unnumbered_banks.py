"""Banks without numbers: each answer becomes a question that is read or rejected, and all are counted."""

import re
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.read.lines.paper import Draft, ParsedPaper, read_paper
from crawlers.read.lines.questions.draft import DOUBTS
from tests.crawlers.read.lines.paper_pairs import plain

STEMS = (
    *("属于知觉的是（ ）", "下列哪项不属于感觉？", "心理学成立于哪一年（ ）", "最合适的做法是：", "以下说法错误的是（ ）。"),
    "记忆的第一步是（ ）",
)
WORDS = ("甲", "乙说", "丙方案", "丁的做法", "戊", "己类")
NOISY = """在教室里最合适的做法是：
A 认真听讲
B 大声说话
随意走动
玩手机
正确答案 A

18/473单选题
不得在宿舍做饭。Ａ是
否
正确答案 B

20/473单选题
应当按时上课。
是 B否
正确答案

22/473单选题
缴费的时间是（）
每天 每周
C
D 每年
正确答案 A

应交多少（）
两元
B 三元
四元
D 五元
正确答案 c

请假一周由谁批准（）
A 班长
B 辅导员
C 院长
D 校长正确答案 C"""


def block(stem: str, options: tuple[str, ...], sign: str, answer: str) -> list[str]:
    return [stem, *(f"{letter}{sign}{option}" for letter, option in zip("ABCDEF", options, strict=False)), answer]


@given(
    st.lists(st.tuples(st.sampled_from(STEMS), st.integers(3, 5), st.integers(0, 2)), min_size=4, max_size=20),
    st.sampled_from(["、", ".", "．", "：", ") "]),
    st.sampled_from(["正确答案：{}", "答案:{}", "参考答案：{}", "【答案】{}", "正确答案 {}"]),
    st.booleans(),
    st.booleans(),
)
@settings(max_examples=60, deadline=None)
def test_reads_each_block_with_letters(
    asked: list[tuple[str, int, int]], sign: str, form: str, empty_between: bool, explained: bool
) -> None:
    lines, wanted = [], []
    for stem, count, right in asked:
        one = block(stem, WORDS[:count], sign, form.format("ABC"[right]))
        lines += [*one, *(["解析：因为如此。"] if explained else []), *([""] if empty_between else [])]
        wanted.append((stem, one[1:-1], "ABC"[right], "因为如此。" if explained else None))
    reading = read_paper(lines)
    assert [draft.ordinal for draft in reading.drafts] == list(range(1, len(asked) + 1))
    assert not reading.unread
    for draft, expected in zip(reading.drafts, wanted, strict=True):
        assert draft.doubt or (draft.stem, draft.options, draft.answer, draft.explanation) == expected
    assert sum(draft.doubt is None for draft in reading.drafts) * 2 > len(asked)


@given(st.lists(st.sampled_from(["正确", "错误", "对", "错", "√", "×"]), min_size=3, max_size=12), st.booleans())
@settings(max_examples=30, deadline=None)
def test_reads_each_block_with_a_verdict(answers: list[str], explained: bool) -> None:
    lines = [
        line
        for place, answer in enumerate(answers)
        for line in (
            f"感觉是第{'一二三四五六七八九十百千'[place]}种心理现象。",
            f"正确答案：{answer}",
            *(["解析：书上如此。"] if explained else []),
            "",
        )
    ]
    reading = read_paper(lines)
    assert [draft.answer for draft in reading.questions] == answers
    assert not reading.rejected
    assert not reading.unread


def test_doubts_text_lost_by_ocr() -> None:
    reading = read_paper(NOISY.split("\n"))
    assert [(draft.ordinal, draft.options, draft.answer) for draft in reading.questions] == [
        (2, ["是", "否"], "B"),
        (3, ["是", "否"], None),
        (6, ["A 班长", "B 辅导员", "C 院长", "D 校长"], "C"),
    ]
    assert reading.numbers == len(reading.drafts) == 6
    assert {draft.doubt for draft in reading.rejected} <= set(DOUBTS)
    assert reading.unread == ["18/473单选题", "20/473单选题", "22/473单选题"]


@pytest.mark.parametrize(
    ("lost", "doubt"),
    [
        ("属于知觉的是（ ）\nA、甲\nB、乙\nD、丁\n答案：A", "options_unreadable"),
        ("属于知觉的是（ ）\nA、甲\nB、乙\nC、丙\nD、丁\n答案：E", "options_unreadable"),
        ("属于知觉的是（ ）\n答案：A", "options_unreadable"),
        ("A、甲\nB、乙\nC、丙\nD、丁\n答案：A", "stem_unreadable"),
        ("A、甲\nB、乙\nC、丙\nD、丁\n属于感觉的是（ ）\n答案：A", "stem_unreadable"),
        ("属于知觉的是（ ）\nA、甲\nB、乙\nC、丙\nD、丁\n属于感觉的是（ ）\nA、甲\nB、乙\nC、丙\nD、丁\n答案：A", "options_unreadable"),
    ],
)
def test_doubts_incomplete_blocks(lost: str, doubt: str) -> None:
    whole = "\n\n".join("\n".join(block(stem, WORDS[:4], "、", "答案：B")) for stem in STEMS)
    reading = read_paper(f"{whole}\n\n{lost}".split("\n"))
    assert len(reading.questions) == len(STEMS)
    assert [draft.doubt for draft in reading.rejected] == [doubt]


def test_rejects_questions_below_a_possibly_shared_case() -> None:
    whole = "\n\n".join("\n".join(block(stem, WORDS[:4], "、", "答案：B")) for stem in STEMS)
    reading = read_paper(f"（以下题共用题干）\n{whole}".split("\n"))
    assert {draft.doubt for draft in reading.drafts} == {"case_unsure"}
    assert len(reading.drafts) == len(STEMS)


def test_reads_fewer_options_if_each_row_has_its_letter() -> None:
    counts = (5, 5, 4, 5)
    blocks = [
        [f"属于第{n}个环节的是（ ）", *(f"{letter}　做法{letter}" for letter in "ABCDE"[:count]), "正确答案：B"]
        for n, count in enumerate(counts)
    ]
    reading = read_paper([line for one in blocks for line in one])
    assert [len(draft.options) for draft in reading.questions] == [*counts] and not reading.rejected
    blocks[2].insert(-1, "写得相当详细的、很长的一种做法戊")  # without its letter
    assert len(read_paper([line for one in blocks for line in one]).questions) == 3


def read(real_data: Path, name: str) -> ParsedPaper:
    """Read a bank, and assert that no number of its text is lost."""
    text = (real_data / "exams_text" / f"{name}.txt").read_text(encoding="utf-8")
    reading = read_paper(text.split("\n"))
    assert reading.numbers == len(reading.questions) + len(reading.rejected) == len(re.findall(r"(?m)^\s*\d+、", text))
    return reading


def stem(draft: Draft) -> str:
    """Return a stem without its number."""
    return re.sub(r"^\d+、", "", plain(draft.stem))
