"""What papers of other sites do to options and texts: letters glued to the option before, options left in the stem, glosses."""

import time

import pytest

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import SourceContext, context_of
from curation.clean.wording.exam_text import clean_stem
from curation.clean.wording.options import clean_options, with_plain_letters
from curation.text.normalize import normalize

PARAMS = Clean(min_stem_chars=2, min_chinese_share=0.3)
SEEN = Provenance(source="toy", url="https://toy/1", snapshot="2026-01-01", page_id="page-1", position="q1")
ASKED = "最基本的认知过程是（ ）。"
WORDS = ["感觉", "知觉", "记忆", "思维"]


def reading(stem: str, options: list[str], answer: str) -> CleanedQuestion:
    one = QuestionItem(url=SEEN.url, provenance=SEEN, stem_raw=stem, options_raw=options, answer_raw=answer)
    return read_questions([one], PARAMS, SourceContext())[0]


@pytest.mark.parametrize("options", [
    ["A、感觉B、知觉C、记忆D、思维"], ["A.感觉", "B.知觉C.记忆D.思维"], ["A．感觉B．知觉", "C．记忆D．思维"],
    ["（A）感觉（B）知觉（C）记忆（D）思维"], ["A、感觉B、知觉C、记忆D、思维\n"],
])  # fmt: skip
def test_letters_glued_to_the_option_before_part_options(options: list[str]) -> None:
    found = reading(ASKED, options, "B")
    assert found.question and "options_parted" in found.rules
    assert [option.text for option in found.question.options] == WORDS


def test_a_fifth_option_glued_to_the_fourth_is_parted() -> None:
    found = reading(ASKED, ["(A)感觉", "(B)知觉", "(C)记忆", "(D)激素(E)思维"], "A")
    assert found.question and [option.text for option in found.question.options] == ["感觉", "知觉", "记忆", "激素", "思维"]
    kept = reading(ASKED, ["A.感觉", "B.知觉", "C.记忆", "D.维生素(E)缺乏"], "A")
    assert kept.question and len(kept.question.options) == 4


def test_a_number_before_a_word_that_asks_is_one() -> None:
    assert clean_stem("5下述属于感觉的是").text == "下述属于感觉的是"


def test_letters_behind_units_are_letters_of_options() -> None:
    found = reading("人耳最敏感的频率是（ ）。", ["A.20Hz以下", "B.1000~4000HzC.8000~9000HzD.20000Hz以上"], "B")
    assert found.question
    assert [option.text for option in found.question.options] == ["20Hz以下", "1000~4000Hz", "8000~9000Hz", "20000Hz以上"]


@pytest.mark.parametrize(
    "options",
    [
        ["A、缺铁B、缺维生素B、C、D"],  # which B is the second option?
        ["A、维生素B、叶酸", "B、维生素C、铁"],
        ["A.甲", "B.维生素C、D、E", "C.乙", "D.丙"],
    ],
)
def test_letters_that_may_be_words_part_nothing(options: list[str]) -> None:
    assert "options_parted" not in reading("夜盲症病人缺（ ）。", options, "A").rules


@pytest.mark.parametrize(("stem", "options", "answer"), [
    (f"{ASKED[:-1]}D.思维", ["A.感觉", "B.知觉", "C.记忆"], "C"), (f"{ASKED[:-1]}\nC.记忆\nD.思维", ["A.感觉", "B.知觉"], "D"),
])  # fmt: skip
def test_options_left_in_the_stem_go_back(stem: str, options: list[str], answer: str) -> None:
    found = reading(stem, options, answer)
    assert found.question and "options_parted" in found.rules
    assert (found.question.stem, found.question.answer) == (ASKED[:-1], answer)
    assert [option.text for option in found.question.options] == WORDS


LAID_OUT = " A、{} B、{} C、{} D、{}"


@pytest.mark.parametrize(("stem", "options"), [
    (ASKED + LAID_OUT.format(*WORDS), WORDS),
    (ASKED + "\n" + "\n".join(f"{letter}.{word}；" for letter, word in zip("ABCD", WORDS, strict=True)), [f"{word}；" for word in WORDS]),
    (ASKED, [f"&{letter}.{word}" for letter, word in zip("ABCD", WORDS, strict=True)]),
    (ASKED, [f"{letter}.&{letter}.{word}" for letter, word in zip("ABCD", WORDS, strict=True)]),
    (ASKED, [*(f"{word}&" for word in WORDS[:3]), WORDS[3]]),
    (ASKED, ["A.感觉", "B.知觉\nC、记忆", "D.思维"]),
    (ASKED, ["感觉", "知觉", "记忆\nD、思维"]),
])  # fmt: skip
def test_layout_of_options_comes_off(stem: str, options: list[str]) -> None:
    found = reading(stem, options, "B")
    assert found.question and (found.question.stem, found.question.answer) == (ASKED, "B")
    assert [option.text for option in found.question.options] == WORDS


def test_what_only_looks_like_layout_of_options_stays() -> None:
    other = reading(ASKED + LAID_OUT.format(*WORDS), ["甲", "乙", "丙", "丁"], "B")
    assert other.rejected and other.rejected.reason == "stem_broken"
    for options in (
        ["感觉", "知觉\nE 记忆", "思维", "想象"],
        ["药物", "感染", "遗传", "变态反应\nE 病毒感染"],
        ["感觉\nB、知觉", "记忆", "思维", "想象"],
        ["A.感觉", "B.知觉\nC.记忆", "C.思维"],
    ):
        found = reading(ASKED, options, "B")
        assert found.rejected and found.rejected.reason == "option_broken", options
    for words in (["腹部\nB 超检查", "CT检查", "MRI检查", "X线平片"], ["血沉", "白细胞升高、\nC 反应蛋白升高", "贫血", "血尿"]):
        found = reading(ASKED, words, "B")
        assert found.question and len(found.question.options) == len(words)
    signs = reading("函数的值域是（ ）", ["|x|", "|y|", "|z|"], "B")
    assert signs.question and [option.text for option in signs.question.options] == ["|x|", "|y|", "|z|"]


def test_blanks_in_a_stem_take_no_cubic_time() -> None:
    started = time.thread_time()
    reading(f"甲{' ' * 3_000}x乙", ["甲", "乙"], "B")
    assert time.thread_time() - started < 1


@pytest.mark.parametrize(("stem", "options", "kept"), [
    ("表示空值的是（ ）", ["int", "str", "list", "None"], 4), ("表示空值的是（ ）", ["None", "nan", "N/A", "null"], 4),
    ("表示空值的是（ ）", ["整数", "字符", "列表", "nan"], 3),
])  # fmt: skip
def test_none_is_an_option_beside_words_like_it(stem: str, options: list[str], kept: int) -> None:
    found = reading(stem, options, "A")
    assert found.question and len(found.question.options) == kept and ("unused_option" in found.rules) == (kept < len(options))


@pytest.mark.parametrize(("stem", "options", "becomes"), [
    ("下列属于四诊的是、", WORDS, "下列属于四诊的是"),
    ("认知过程包括感觉和（", WORDS, "认知过程包括感觉和（ ）"),
    ("8岁以下儿童，发热3天，下列诊断最可能的是，", WORDS, "8岁以下儿童，发热3天，下列诊断最可能的是"),
    ("这样做的目的在于（", WORDS, "这样做的目的在于（ ）"),
    ("注射的速度不超过（ ）毫升；", None, "注射的速度不超过（ ）毫升"),
    ("關於 acute myocardial infarction 之 ECG，下列何者最早出現？", WORDS, "关于acute myocardial infarction之ECG，下列何者最早出现？"),
])  # fmt: skip
def test_a_complete_question_is_one_whatever_its_end(stem: str, options: list[str] | None, becomes: str) -> None:
    found = reading(stem, options, "A" if options else "十")
    assert found.question and found.question.stem == becomes


def test_stems_of_one_character_are_stems_where_they_are_usual() -> None:
    items = [
        QuestionItem(url=SEEN.url, provenance=SEEN, stem_raw=stem, options_raw=WORDS, answer_raw="A") for stem in ("肾（ ）", "肺（ ）")
    ]
    assert [bool(found.question) for found in read_questions(items, PARAMS, context_of(items))] == [True, True]
    assert [bool(found.question) for found in read_questions(items[:1], PARAMS, context_of(items[:1]))] == [False]


@pytest.mark.parametrize("stem", [
    *("患者，男，35岁，突发胸痛，", "肾", "“", "下列患者中，男性（", "8岁以下儿童，发热3天，", "患者男，50岁，3岁以下无异常，"),
    *("患者男，50岁，任何活动均可诱发胸痛，", "患儿女，3岁以下无异常，近日发热、咳嗽；", "感觉是最简单的认知过程，"),
])  # fmt: skip
@pytest.mark.parametrize("options", [WORDS, ["正确", "错误"]])
def test_an_incomplete_question_is_none(stem: str, options: list[str]) -> None:
    assert reading(stem, options, "A").rejected


@pytest.mark.parametrize("stem", ["缺乏时患夜盲症的是（ ）B.维生素", "关于血型（ ）D.抗原的说法"])
def test_letters_in_a_stem_that_no_option_lacks_stay(stem: str) -> None:
    assert "options_parted" not in reading(stem, ["A.感觉", "B.知觉", "C.记忆", "D.思维"], "A").rules


@pytest.mark.parametrize(("raw", "text"), [
    ("情緒出現(xiàn)低落", "情绪出现低落"), ("根據(jù)標(biāo)準(zhǔn)", "根据标准"), ("不可跨越无菌区（qū）", "不可跨越无菌区"),
    ("癃（lóng）闭", "癃（lóng）闭"), ("条件反射^p 与分析^p", "条件反射与分析"), ("x^p的均数", "x^p的均数"),
    ('学习"圆的直径〞是指', "学习“圆的直径”是指"), ("“鸭步〞与〝震颤〞", "“鸭步”与“震颤”"),
    ("“角（jué）色”的读音", "“角（jué）色”的读音"), ("癥狀", "症状"), ("焦慮癥与强迫癥", "焦虑症与强迫症"), ("癥瘕與消癥", "癥瘕与消癥"),
    ("多發癥瘕", "多发癥瘕"),
])  # fmt: skip
def test_glosses_and_signs_of_converted_pages(raw: str, text: str) -> None:
    assert normalize(raw).text == text
    assert normalize(text).text == text


@pytest.mark.parametrize("page", ["9-221", "7-", " 7-"])
def test_pages_behind_the_blank_are_dropped_where_half_is_lost(page: str) -> None:
    assert clean_stem(f"情绪具有〔　〕{page}").text == "情绪具有（ ）"


@pytest.mark.parametrize("mark", ["【精析】 D ", "【解析】", "【名师点评】", "【答案解析】D。", "【考点】"])
def test_an_explanation_behind_the_last_option_is_none_of_it(mark: str) -> None:
    assert clean_options(["A.感觉", "B.知觉", "C.记忆", f"D.思维\n{mark}思维是间接的反映。"]).texts == WORDS


@pytest.mark.parametrize("options", [
    ["A．感觉", "B 知觉", "C 记忆", "D、思维"], ["A感觉", "B.知觉", "C) 记忆", "D 思维"],
    ["**A.** 感觉", "**B.** 知觉", "**C.** 记忆", "**D.** 思维"], ["- **A**. 感觉", "- **B**. 知觉", "- **C**. 记忆", "- **D**. 思维"],
    ["`A` 感觉", "`B` 知觉", "`C` 记忆", "`D` 思维"], ["<b>A</b>、感觉", "<b>B</b>、知觉", "<b>C</b>、记忆", "<b>D</b>、思维"],
])  # fmt: skip
def test_letters_in_turn_are_no_words_of_options_whatever_is_around_them(options: list[str]) -> None:
    assert clean_options(options).texts == WORDS


def test_letters_and_figures_behind_different_signs() -> None:
    assert clean_options(["A 1．00", "B．+1．25", "C -5．00"]).texts == ["1.00", "+1.25", "-5.00"]


def test_options_that_still_begin_with_their_letters_are_broken() -> None:
    found = reading(ASKED, ["【**A**】感觉", "【**B**】知觉", "【**C**】记忆", "【**D**】思维"], "B")
    assert found.rejected and found.rejected.reason == "option_broken"
    kept = reading("最常见的是（ ）。", ["A型人格", "B型人格", "C型人格", "D型人格"], "B")
    assert kept.question and kept.question.options[0].text == "A型人格"


@pytest.mark.parametrize(("options", "texts"), [
    (["A.-√2", "B.√3", "C.-√5", "D.√7"], ["-√2", "√3", "-√5", "√7"]),
    (["A.-COOH", "B.-OH", "C.-NH₂", "D.CO"], ["-COOH", "-OH", "-NH₂", "CO"]),
])  # fmt: skip
def test_a_sign_behind_that_of_the_letter_is_of_the_option(options: list[str], texts: list[str]) -> None:
    assert with_plain_letters(options) == [f"{letter}.{text}" for letter, text in zip("ABCD", texts, strict=True)]


def test_letters_that_an_option_names_are_not_its_own() -> None:
    assert with_plain_letters(["A、B两点", "B点", "C点", "D点"]) == ["A、B两点", "B点", "C点", "D点"]
