"""Wrapped lines: the rest of a sentence on its own line is not a heading, mark, answer or page header."""

import random
import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crawlers.read.lines.paper import read_paper
from tests.crawlers.read.bodies import read

WORDS = (
    *("判断", "判断题", "答案", "参考答案", "解析", "分析", "详解", "正确", "错误", "对", "A", "AB", "多选", "单选题", "简答", "论述题"),
    "填空",
    *("名词解释", "案例分析", "第二章 细胞", "练习", "考试", "题库", "难度", "到", "。", "公众号", "广告"),
)
_HAN = "的一是在不了有和人这中大为上个国我以要他时来用们生到作地于出就分对成会可主发年动同工也能下过子说产种面而方后多定行学法所民得经"
HEADING = "一、单选题"
HEADER = "某省建筑施工企业安全生产考核第六批题库"


def words(rng: random.Random, least: int, most: int) -> str:
    return "".join(rng.choice(_HAN) for _ in range(rng.randint(least, most)))


def bank(word: str, width: int, where: int, seed: int, answered: bool = True) -> tuple[list[dict], list[str]]:
    """Return questions and their lines, wrapped at a width; a sentence of the middle question is cut so that one line is `word` alone.

    Args:
        where: the part to cut: 0 for the stem, 1 to 4 for an option.
    """
    rng = random.Random(seed)
    questions, lines = [], [HEADING]
    for number in range(1, 13):
        parts = [f"{number}.{words(rng, 10, 60)}是（ ）。", *(f"{letter}.{words(rng, 4, 50)}" for letter in "ABCD")]
        if number == 6:
            start = parts[where][:2]
            parts[where] = start + "".join(rng.choice(_HAN) for _ in range(width - len(start))) + word
        answer = rng.choice("ABCD")
        questions.append({"stem": parts[0], "options": parts[1:], "answer": answer})
        lines += [part[at : at + width] for part in parts for at in range(0, len(part), width)]
        lines += [f"正确答案：{answer}"] if answered else []
    return questions, lines if answered else [*lines, "参考答案", " ".join(f"{at}.{one['answer']}" for at, one in enumerate(questions, 1))]


def bare(text: str | None) -> str:
    return re.sub(r"\s", "", text or "")


def check(questions: list[dict], lines: list[str]) -> None:
    """Assert that each question is read as written, or doubted."""
    drafts = read_paper(lines).drafts
    assert [draft.number for draft in drafts] == list(range(1, len(questions) + 1))
    for draft, wanted in zip(drafts, questions, strict=True):
        if not draft.doubt:
            assert bare(draft.stem) == bare(wanted["stem"])
            assert [bare(option) for option in draft.options] == [bare(option) for option in wanted["options"]]
            assert (draft.answer, draft.above.heading, draft.explanation) == (wanted["answer"], HEADING, None)


@given(st.sampled_from(WORDS), st.integers(18, 40), st.integers(0, 4), st.integers(0, 9999), st.booleans())
@settings(max_examples=60, deadline=None)
def test_sentence_end_is_not_a_heading_mark_or_answer(word: str, width: int, where: int, seed: int, answered: bool) -> None:
    check(*bank(word, width, where, seed, answered))


_OF_PAGES = (
    *("内部学习", "第12页", "共3页", "www.example.com", "题库网", "版权所有"),
    *("QQ群", "加群", "仅供参考", "来源于网络", "文库", "更多题库"),
)


@pytest.mark.parametrize("words_of_page", _OF_PAGES)
@pytest.mark.parametrize("where", [0, 2])
@pytest.mark.parametrize("ends", [True, False])
def test_keeps_lines_in_mid_sentence_that_look_like_page_lines(words_of_page: str, where: int, ends: bool) -> None:
    rng, width = random.Random(5), 30
    questions, _ = bank("判断", width, where, seed=11)
    parts = [questions[5]["stem"], *questions[5]["options"]]
    within = words(rng, 8, 8) + words_of_page
    within += "" if ends else words(rng, width, width)[: width - len(within)]
    parts[where] = parts[where][:2] + words(rng, width - 2, width - 2) + within + ("" if ends else words(rng, 9, 9))
    questions[5] |= {"stem": parts[0], "options": parts[1:]}
    lines = [HEADING]
    for question in questions:
        texts = [question["stem"], *question["options"]]
        lines += [text[at : at + width] for text in texts for at in range(0, len(text), width)] + [f"正确答案：{question['answer']}"]
    check(questions, lines)


def test_heading_among_wrapped_lines_remains_a_heading() -> None:
    _, lines = bank("判断", 30, 4, seed=3)
    reading = read_paper([*lines, "判断题", "13.心理是脑的机能（ ）", "正确答案：对", "14.心理是客观现实的反映（ ）", "正确答案：对"])
    assert [draft.above.heading for draft in reading.drafts] == [HEADING] * 12 + ["判断题"] * 2


def _paper(above: str, below: str) -> list[str]:
    """Return the lines of a single-choice paper, with other lines before and after the options of its fourth question."""
    lines = [HEADING]
    for number in range(1, 8):
        words = above if number == 4 else f"第{number}种心理现象属于（ ）"
        lines += [f"{number}．{words}", "A．感觉", "B．知觉", "C．记忆", "D．思维", "答案：B", *([below] if number == 4 else ())]
    return "\n".join(lines).split("\n")


@pytest.mark.parametrize(
    ("above", "below"),
    [
        ("教师经常使用的客观性试题包括选择题、填空题和\n判断题\n，其中猜测因素最大的是（ ）", "解析：略"),
        ("答案不止一个而且少选不得分的题目形式称为\n多选题\n，它的优点是（ ）", "解析：略"),
        ("知觉属于（ ）", "解析：这种量表以同年龄的平均数为参照点，不需要依靠心理年龄来\n判断"),
    ],
)
def test_continuation_of_a_line_of_any_length_begins_no_section(above: str, below: str) -> None:
    reading = read_paper(_paper(above, below))
    assert {draft.above.heading for draft in reading.drafts} == {HEADING}
    assert [len(draft.options) for draft in reading.questions] == [4] * 7 and not reading.unread


@pytest.mark.parametrize("word", ["判断", "判断（）", "简答（ ）", "简答题", "论述", "名词解释", "单选", "多选（ ）"])
def test_word_between_stem_and_options_begins_no_section(word: str) -> None:
    lines = [HEADING]
    for number in range(1, 8):
        lines += [f"{number}．第{number}种心理现象属于（ ）", "A．感觉", "B．知觉", "C．记忆", "D．思维", "答案：B"]
        if number == 3:
            lines += ["4．对于疾病的诊断应当以客观检查的结果为主要依据，不应依靠个人主观", word]
            lines += ["A．感觉", "B．知觉", "C．记忆", "D．思维", "答案：C"]
    lines = [re.sub(r"^\d+", str(at), line) for at, line in _counted(lines)]
    reading = read_paper(lines)
    assert {draft.above.heading for draft in reading.drafts} == {HEADING}
    assert [draft.number for draft in reading.questions if draft.number != 4] == [1, 2, 3, 5, 6, 7, 8]
    assert not [draft for draft in reading.rejected if draft.number != 4]
    assert [draft.doubt for draft in reading.rejected if draft.options] in ([], ["stem_unreadable"])  # its options are whole


def _counted(lines: list[str]) -> list[tuple[int, str]]:
    """Return lines that contain the number of the last question."""
    return [(sum(re.match(r"\d+．", line) is not None for line in lines[: at + 1]), line) for at, line in enumerate(lines)]


def test_rejects_question_that_ends_with_an_ambiguous_word() -> None:
    _, lines = bank("判断", 30, 4, seed=3, answered=False)
    assert [draft.number for draft in read_paper(lines).rejected] == [6]


@pytest.mark.slow
@given(st.integers(18, 40), st.integers(0, 9999), st.integers(24, 34))
@settings(max_examples=15, deadline=None)
def test_a_running_title_is_dropped_wherever_pages_end(width: int, seed: int, page: int) -> None:
    questions, lines = bank("心理", width, 0, seed)
    others = [one for more in range(1, 5) for one in bank("心理", width, 0, seed + more)[0]]
    more = [dict(one, stem=re.sub(r"^\d+", str(at), one["stem"])) for at, one in enumerate(others, 13)]
    body = [*lines, *(line for one in more for line in _written(one, width))]
    paged = [line for at in range(0, len(body), page) for line in (*body[at : at + page], f"{HEADER} {at // page + 1}")]
    reading = read_paper(paged)
    assert sum(HEADER in line for line in reading.unread) == -(-len(body) // page)
    assert not [draft for draft in reading.questions if HEADER in "".join([draft.stem, *draft.options])]
    check([*questions, *more], paged)


def _written(question: dict, width: int) -> list[str]:
    parts = [question["stem"], *question["options"]]
    return [*(part[at : at + width] for part in parts for at in range(0, len(part), width)), f"正确答案：{question['answer']}"]


@pytest.mark.parametrize("times", [3, 4, 5])
def test_recurring_line_that_completes_sentences_is_text(times: int) -> None:
    start = "血压等级为三级的卧床患者应在早晨起床前和每次服药以后间隔不"
    options = [f"{letter}.{start}\n少于 {at} 小时的时间里连续测量" for at, letter in enumerate("ABCDE"[:times], 2)]
    lines = [HEADING, "1.血压的测量应当遵守下列要求（ ）。", *"\n".join(options).split("\n"), "正确答案：A"]
    lines += ["2.幻觉属于（ ）", "A.感觉障碍", "B.知觉障碍", "C.思维障碍", "D.意志障碍", "正确答案：B"]
    reading = read_paper(lines)
    assert reading.unread == []
    assert reading.drafts[0].options == options


def test_recurring_part_of_the_same_option_is_text() -> None:
    lines = [HEADING]
    for number in range(1, 4):
        lines += [f"{number}.罚则第{number}条的处罚是（ ）", "A.由主管机构责令改正；拒不改正的，没收从事违法活动的设备，并处 3 万元以上"]
        lines += ["10万元以下的罚款", "B.造成严重后果的，并处10万元以上30万元以下的罚款", "C.责令停业", "D.警告", "正确答案：A"]
    reading = read_paper(lines)
    assert reading.unread == []
    assert all(draft.options[0].endswith("10万元以下的罚款") for draft in reading.questions)


def test_explanation_title_after_an_answer_begins_no_list() -> None:
    lines = [
        *("三、判断题", "1. 甲是乙。", "[答案] 错", "答案解析：", "甲不是乙，而是丙。", "", "2. 丙是丁。", "[答案] 对", "", "3. 丁是戊。"),
        "[答案] 错",
    ]
    reading = read_paper(lines)
    assert [(draft.number, draft.answer, draft.explanation) for draft in reading.questions] == [
        (1, "错", "甲不是乙，而是丙。"),
        (2, "对", None),
        (3, "错", None),
    ]
    assert reading.unread == []


def test_doubts_number_between_consecutive_ones() -> None:
    lines = [
        *("1.甲是（ ）", "A.子", "B.丑", "答案：A", "答案解析：", "A", "9.乙是（ ）", "A.子", "B.丑", "", "2.丙是（ ）", "A.子", "B.丑"),
        "答案：B",
    ]
    reading = read_paper(lines)
    assert [draft.number for draft in reading.questions] == [1, 2]
    assert [(draft.number, draft.doubt) for draft in reading.rejected] == [(9, "number_out_of_order")]


def test_image_before_a_number_or_letter_hides_neither() -> None:
    lines = ["￼1、幻觉属于（ ）", "￼A.感觉障碍", "B.知觉障碍", "￼ 答案：B", "2、错觉属于（ ）", "A.感觉障碍", "￼B.知觉障碍", "答案：B"]
    drafts = read_paper([line.replace("￼", "\ufffc") for line in lines]).drafts
    assert [(draft.number, len(draft.options), draft.answer, draft.raw_fields()["images"]) for draft in drafts] == [
        (1, 2, "B", 2),
        (2, 2, "B", 1),
    ]


def test_title_is_above_the_first_question() -> None:
    items = read(
        "x.txt", "医学心理学\n一、单选题\n1.幻觉属于\nA. 感觉\nB. 知觉\n答案：B\n2.错觉属于\nA. 感觉\nB. 知觉\n答案：B\n".encode(), "paper"
    ).items
    assert [item.paper_raw for item in items] == ["x 医学心理学", "x 医学心理学"]


def test_words_below_a_bare_number_are_a_stem() -> None:
    lines = ["第1题(多选)：", "关于http://www.toy.example/网站，以下说法正确的是：", "【A】 甲", "【B】 乙", "【C】 丙", "正确答案:AB",
             "第2题(判断)：", "招生网（http://www.toy.example/）是唯一的官方网站。", "【A】 正确", "【B】 错误", "正确答案:B"]  # fmt: skip
    reading = read_paper(lines)
    assert [draft.stem.split("\n")[-1] for draft in reading.questions] == [lines[1], lines[7]] and not reading.unread


def test_question_after_another_answer_on_its_line_is_separate() -> None:
    lines = ["1. 甲属于（ ）", "A. 子 B、丑 C、寅 D、卯 答案:AC 2.乙属于( )，而丙不是。 A.辰", "B. 巳", "C. 午", "D. 未", "[答案] AB"]
    drafts = read_paper(lines).drafts
    assert [(draft.number, len(draft.options), draft.answer) for draft in drafts] == [(1, 4, "AC"), (2, 4, "AB")]


def test_word_between_paired_options_ends_one_of_them() -> None:
    lines = [HEADING, "1) 甲首选的治疗是", "a.休息    b.发热", "c.α受体    d.结合病史作出", "判断", "e.青霉素"]
    lines += ["2) 乙首选的治疗是", "a.休息    b.发热", "c.咳嗽    d.皮疹", "参考答案", "1c 2a"]
    reading = read_paper(lines)
    assert {draft.above.heading for draft in reading.drafts} == {HEADING}
    assert all(len(draft.options) == 5 or draft.doubt for draft in reading.drafts[:1])
