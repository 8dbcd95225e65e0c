"""Layout around all stems of a file is removed; layout left in some makes these questions doubtful; common words stay."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from atomexam.records.reasons import REASONS
from curation.clean.questions.cleaned_questions import read_questions
from curation.clean.questions.layout import NO_FRAME, frame_of, unused_options, without_frame, without_unused
from curation.clean.questions.source_context import context_of
from curation.clean.wording.exam_text import open_gaps
from tests.curation.records import CLEAN, item

STEMS = [f"第{n}例患者最先受到影响的器官是（ ）" for n in range(1, 8)] + [
    "3个月婴儿的特点是",
    "下列属于感觉器官的是",
    "下列属于消化器官的是",
]


HEADS = [
    "{n}/10 ", "Question {n} of 10\n", "题目ID：10{n}\n", "No.0{n} ", "（难度：易）", "主持人：第{n}题，请听题。",
    "---\n题号 {n} | 题型 单选题\n", "题干 ", "【知识点：心理】", "00{n}|", "NO.{n}|", "Q00{n}|", "#00{n} | ", "ID{n}|", "题{n}|",
    "第{n}题|", "A00{n}.", "{n}-", "{n}$", "《{n}》", "『{n}』", "<{n}>", "|{n}|", "{n}——", "SX_{n}@@", "- ", "\\. ", "◆",
]  # fmt: skip


TAILS = ["\n难度：中", "【出题：{w}大学】", " #心理学 #基础", "（难易度：{w}）", "【{w}】", "\n收藏 纠错 笔记", " *必答", "^*^答案", "\n&"]


@pytest.mark.parametrize("head", HEADS)
def test_removes_what_opens_every_stem(head: str) -> None:
    given = [head.format(n=n) + stem for n, stem in enumerate(STEMS, 1)]
    frame = frame_of(given)
    assert [without_frame(stem, frame)[0] for stem in given] == STEMS


@pytest.mark.parametrize("tail", TAILS)
def test_removes_what_ends_every_stem(tail: str) -> None:
    given = [stem + tail.format(w="易难"[n % 2]) for n, stem in enumerate(STEMS)]
    frame = frame_of(given)
    assert [without_frame(stem, frame)[0] for stem in given] == STEMS


ORIGINS = ["教材P{n}", "第{n}章", "自编", "人卫版第{n}页", "某省招聘", ""]


@pytest.mark.parametrize("form", ["【{}】{}", "（{}）{}", "{1}（{0}）"])
def test_removes_origins_of_most_questions(form: str) -> None:
    said = [ORIGINS[n % len(ORIGINS)].format(n=n) for n in range(len(STEMS))]
    given = [form.format(origin, stem) if origin else stem for origin, stem in zip(said, STEMS, strict=True)]
    frame = frame_of(given)
    assert [without_frame(stem, frame)[0] for stem in given] == STEMS


@pytest.mark.parametrize(
    "stems",
    [
        STEMS,
        STEMS[:3],
        [f"What is the capital of country {n}?" for n in range(9)],
        [f"患者，男，{n}岁。发热两天。\n最可能的诊断是" for n in range(20, 30)],
        [f"某药的性质是{n}。（ ）" for n in range(9)],
        [f"下列关于{n}的说法（选自教材）正确的是" for n in range(9)],
        [f"{n % 3 + 2}-甲基{word}的性质是" for n, word in enumerate(("丁烷", "丙烷", "戊烷", "己烷", "庚烷", "辛烷", "壬烷", "癸烷"))],
        [f"{n}%葡萄糖注射液用于" for n in range(5, 14)],
        [f"{n * 7}+{n * 3}等于多少" for n in range(5, 14)],
        [f"{n}.5mg的硝酸甘油用于" for n in range(5, 14)],
        [f"{n}/20的患者出现的症状是" for n in range(5, 14)],
        [
            f"知觉的特性（{word}）"
            for word in ("选择性", "整体性", "理解性", "恒常性", "对比", "错觉", "阈限", "适应", "掩蔽", "联觉", "后像")
        ],
    ],
)
def test_keeps_stems_without_a_frame(stems: list[str]) -> None:
    frame = frame_of(stems)
    assert [without_frame(stem, frame)[0] for stem in stems] == stems


@pytest.mark.parametrize("pair", ["〔〕", "【】", "（）", "[]"])
def test_removes_recurring_bracketed_words_before_all_stems(pair: str) -> None:
    subjects = ["心理统计", "发展心理", "人格", "学习论", "测量", "咨询", "变态心理", "社会心理", "认知", "生理"]
    stems = [*STEMS, *(stem.replace("的", "之") + "什么" for stem in STEMS)]
    framed = [f"{pair[0]}{subject}{pair[1]}{stem}" for subject, stem in zip([*subjects, *subjects], stems, strict=True)]
    assert [without_frame(stem, frame_of(framed))[0] for stem in framed] == stems
    drugs = [f"{pair[0]}药{subject}{pair[1]}的主要作用是什么（ ）" for subject in subjects]
    assert [without_frame(stem, frame_of(drugs))[0] for stem in drugs] == drugs


def test_order_of_stems_does_not_matter() -> None:
    given = [f"{n}/10 {stem}" for n, stem in enumerate(STEMS, 1)]
    assert frame_of(given) == frame_of(given[::-1]) != NO_FRAME


def test_blanks_after_a_number_are_no_gap() -> None:
    assert open_gaps("第7题  下列属于感觉器官的是 [单选题]") == "第7题  下列属于感觉器官的是 [单选题]"


def _file(rows: list[tuple[list[str], str]]) -> tuple[set[str], set[str]]:
    words = unused_options([item(stem_raw="以下正确的是", options_raw=options, answer_raw=answer) for options, answer in rows])
    return set(words.sure), set(words.unsure)


FULL = (["甲", "乙", "丙", "丁"], "C")


@pytest.mark.parametrize("word", ["无", "空", "×", "没有", "（无）"])
def test_word_that_fills_several_options_is_a_filler(word: str) -> None:
    assert _file([FULL, (["甲", "乙", word, word], "A"), (["甲", "乙", "丙", word], "B")]) == ({word}, set())
    lettered = [(["A.甲", "B.乙", f"C.{word}", f"D.{word}"], "甲"), (["A.甲", "B.乙", "C.丙", f"D.{word}"], "丙")]
    assert _file([FULL, *lettered]) == ({word}, set())


def test_word_that_is_often_last_but_never_correct_is_a_filler() -> None:
    row = ["甲", "乙", "丙", "无"]
    assert _file([FULL, *[(row, "ABC"[n % 3]) for n in range(11)]]) == ({"无"}, set())
    assert _file([FULL, *[(row, "ABC"[n % 3]) for n in range(4)]]) == (set(), {"无"})
    assert _file([FULL, (row, "A"), (row, "B")]) == (set(), set())


@pytest.mark.parametrize(
    "real",
    [
        (["甲", "乙", "丙", "无"], "D"),
        (["甲", "乙", "丙", "无"], "无"),
        (["甲", "无", "丙", "丁"], "A"),
        (["√", "×", "无", "无"], "A"),
        (["甲", "乙", "无"], "B"),
        (["甲", "乙", "丙", "丁", "戊"], "A"),
    ],
)
def test_word_that_is_an_option_anywhere_is_never_a_filler(real: tuple[list[str], str]) -> None:
    assert _file([FULL, (["甲", "乙", "无", "无"], "A"), (["甲", "乙", "丙", "无"], "B"), real]) == (set(), set())


def test_crosses_of_true_or_false_are_options() -> None:
    assert _file([(["√", "×"], "B"), (["√", "×"], "A"), (["对", "错", "×"], "A"), (["√", "×", ""], "×")]) == (set(), set())


def test_cuts_unused_options_but_keeps_two() -> None:
    assert without_unused(["A.甲", "B.乙", "C.无", "D.无"], frozenset("无")) == ["A.甲", "B.乙"]
    assert without_unused(["甲", "无", "乙"], frozenset("无")) == ["甲", "无", "乙"]
    assert without_unused(["无", "无", "无"], frozenset("无")) == ["无", "无"]


ORGANS = ["心", "肺", "脾", "肾", "肝", "胃", "胆", "大肠", "小肠", "膀胱", "三焦", "胸腺"]


ASKED = [f"下列关于{organ}的生理功能的说法，正确的是（ ）。" for organ in ORGANS]


OPTIONS = [[f"{organ}主血脉", f"{organ}主气", f"{organ}主运化", f"{organ}主水"] for organ in ORGANS]


def _cleaned(stems: list[str], options: list[list[str]]) -> list[str]:
    """Return the cleaned stem of each question of a file, or the reason for its rejection."""
    items = [
        item(f"q{at}", stem_raw=stem, options_raw=own, answer_raw="ABCD"[at % 4])
        for at, (stem, own) in enumerate(zip(stems, options, strict=True), 1)
    ]
    cleaned = read_questions(items, CLEAN, context_of(items))
    return [one.question.stem if one.question else one.rejected.reason if one.rejected else "" for one in cleaned]


LEFT_IN_STEMS = [
    ("难 ", ""),
    ("A1 ", ""),
    ("◇", ""),
    ("\\. ", ""),
    ("※ ", ""),
    ("<考点{n}> ", ""),
    ("", " B"),
    ("", "AC"),
    ("", " ◎"),
    ("", "`x{n}`"),
    ("", "\n选：甲{n}／乙{n}"),
    ("", "\n提示：见第{n}页"),
]


@pytest.mark.parametrize(("before", "behind"), LEFT_IN_STEMS)
def test_leaves_nothing_that_recurs_around_some_stems(before: str, behind: str) -> None:
    stems = [before.format(n=n) + stem + behind.format(n=n) if n % 2 else stem for n, stem in enumerate(ASKED)]
    assert all(found == stem or found in REASONS for found, stem in zip(_cleaned(stems, OPTIONS), ASKED, strict=True))


@pytest.mark.parametrize("row", ["讲评：{organ}为君主之官", "得分：5分", "【出处】{n}", "☆★{organ}"])
def test_layout_row_as_last_option_makes_a_question_doubtful(row: str) -> None:
    options = [[*own, row.format(n=n, organ=organ)] for n, (own, organ) in enumerate(zip(OPTIONS, ORGANS, strict=True))]
    assert set(_cleaned(ASKED, options)) == {"layout_left"}


@pytest.mark.parametrize(
    ("stems", "options"),
    [
        (ASKED, OPTIONS),
        ([f"（ ）主管{organ}的功能。" for organ in ORGANS], OPTIONS),
        ([f"患者，男，{20 + n}岁。{organ}痛三天。最可能的诊断是" for n, organ in enumerate(ORGANS)], OPTIONS),
        ([f"“{organ}”的说法，不正确的是？" for organ in ORGANS], OPTIONS),
        (ASKED, [[f"{n}mg", f"{n + 1}mg", f"{n + 2}mg", f"{n + 3}mg"] for n in range(12)]),
        (ASKED, [[f"±{organ}", f"≥{n}岁", f"{organ}↑", f"{organ}+"] for n, organ in enumerate(ORGANS)]),
        (ASKED, [[f"{organ}（{organ}气）", f"{organ}。", f"“{organ}”", f"（{organ}）"] for organ in ORGANS]),
        ([f"医生：{organ}怎样？\n患者：{organ}痛。\n医生：多久了？\n患者：三天。\n该医生运用的技术是" for organ in ORGANS], OPTIONS),
    ],
)
def test_keeps_words_that_questions_have_in_common(stems: list[str], options: list[list[str]]) -> None:
    assert "layout_left" not in _cleaned(stems, options)


@pytest.mark.slow
@given(st.text("◇◆○●※☆★▲△■□#*|~^&@$", min_size=1, max_size=3), st.integers(4, 12), st.booleans(), st.sampled_from(["", " "]))
def test_leaves_no_sign_at_one_edge_of_several_stems(signs: str, count: int, is_behind: bool, blank: str) -> None:
    stems = [(stem + blank + signs if is_behind else signs + blank + stem) if at < count else stem for at, stem in enumerate(ASKED)]
    assert all(found == stem or found in REASONS for found, stem in zip(_cleaned(stems, OPTIONS), ASKED, strict=True))
