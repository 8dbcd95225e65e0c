"""Of two wordings of one question the undamaged one is kept; decisive words are never lost in a merge."""

import pytest

from atomexam.records.question import Question, group_id
from curation.near_duplicates.__main__ import unique_questions
from curation.near_duplicates.clusters import find_twins
from curation.near_duplicates.damage import soundest_first
from curation.near_duplicates.merging import rows_by_id
from tests.curation.near_duplicates.test_near_duplicates import CASE, PARAMS, ask, reasons

ASKED = "在社会主义革命和建设时期，我们党在民族地区进行民主改革和社会主义改造，形成了以（ ）为主要内容的民族工作方针政策。"
RIGHTS = ("民族平等", "民族团结", "民族区域自治", "各民族共同繁荣")
STATES = ("各民族协调发展的关键是什么（ ）", "区域协调的主体是谁（ ）", "协调与平衡的区别是什么（ ）", "什么叫做城乡的协调（ ）")


def others() -> list[Question]:
    """Return questions that contain the words of the undamaged wordings, so that the collection knows them."""
    return [ask(stem, (f"甲{n}", f"乙{n}", f"丙{n}", f"丁{n}"), at=f"o{n}") for n, stem in enumerate(STATES)]


@pytest.mark.parametrize(
    ("sound", "damaged"),
    [
        pytest.param(ask(ASKED, RIGHTS, "D"), ask(ASKED, (*RIGHTS[:3], "各民族共同繁"), "D"), id="an option cut inside a word"),
        pytest.param(ask(ASKED, RIGHTS), ask(ASKED[:-9], RIGHTS), id="a stem cut at its end"),
        pytest.param(ask(ASKED.replace("改革", "协调"), RIGHTS), ask(ASKED.replace("改革", "协凋"), RIGHTS), id="a misread character"),
    ],
)
def test_keeps_the_undamaged_wording_whatever_its_id_or_sightings(sound: Question, damaged: Question) -> None:
    rows = [*others(), sound, damaged, damaged]
    every = rows_by_id(rows, PARAMS.ngram_chars)
    order = [every[place].id for place in soundest_first(every, find_twins(every, PARAMS), PARAMS.ngram_chars)]
    assert order.index(sound.id) < order.index(damaged.id)
    kept = {row.id for row in unique_questions(rows, PARAMS).kept}
    assert sound.id in kept and damaged.id not in kept


def test_idle_characters_count_if_the_collection_always_has_them() -> None:
    rows = [ask(f"下列不属于甲{n}的是（ ）", (f"甲{n}", f"乙{n}", f"丙{n}", f"丁{n}"), at=f"o{n}") for n in range(120)]
    sound = ask("下列哪些属于施工现场的安全防护用具（ ）", RIGHTS)
    damaged = ask(sound.stem[1:], RIGHTS, at="q2")
    kept = {row.id for row in unique_questions([*rows, sound, damaged, damaged], PARAMS).kept}
    assert sound.id in kept and damaged.id not in kept


def test_an_answer_outweighs_damage() -> None:
    sound, damaged = ask(ASKED, RIGHTS, None), ask(ASKED, (*RIGHTS[:3], "各民族共同繁"), "D")
    [kept] = unique_questions([sound, damaged], PARAMS).kept
    assert kept.id == damaged.id


_LEVELS = ("设区的市级人民政府", "省级人民政府", "省、自治区、直辖市人民政府", "国务院")
_REPORT = "安全生产监督管理部门和负有职责的有关部门接到{}报告后，应当逐级上报至（ ）的安全生产监督管理部门和其他有关部门。"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (_REPORT.format("重大事故"), _REPORT.format("特别重大事故")),
        (_REPORT.format("重大事故"), _REPORT.format("较大事故")),
        (_REPORT.format("一般事故"), _REPORT.format("事故")),
        (_REPORT.format("事故").replace("应当", "首选"), _REPORT.format("事故").replace("应当", "")),
        (_REPORT.format("事故").replace("应当", "最先"), _REPORT.format("事故").replace("应当", "先")),
        (_REPORT.format("强效药事故"), _REPORT.format("中效药事故")),
        (_REPORT.format("低度事故"), _REPORT.format("中度事故")),
        (_REPORT.format("HBsAg（+）"), _REPORT.format("HBsAg（-）")),
        (_REPORT.format("血压↑"), _REPORT.format("血压↓")),
        (_REPORT.format("超过30分钟"), _REPORT.format("不足30分钟")),
    ],
)
@pytest.mark.parametrize("answers", ["DD", "DC"])
def test_words_and_signs_of_degree_distinguish_questions(one: str, other: str, answers: str) -> None:
    assert reasons(*(ask(stem, _LEVELS, answer) for stem, answer in zip((one, other), answers, strict=True))) == []


def test_words_of_degree_distinguish_options() -> None:
    stem = "特种设备发生（ ），由国务院或者国务院授权有关部门组织事故调查组进行调查处理。"
    options = ("一般事故", "较大事故", "重大事故", "特大火灾")
    assert reasons(ask(stem, options, "C"), ask(stem, (*options[:2], "特别重大事故", options[3]), "C")) == []


_ANGLE = "在回归方程中，变量X和Y的相关系数为0，将变量X和Y都转换成Z分数，则此时回归方程与横坐标的夹角为（ ）"


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (("0°", "45°", "90°", "180°"), ("0", "45", "90", "180")),
        (("0°", "29°", "90°", "180°"), ("0%", "29%", "90%", "180%")),
        (("1903", "1908", "1913", "1924"), ("1903年", "1908年", "1913年", "1924年")),
    ],
)
def test_numbers_with_a_lost_or_misread_sign_match(one: tuple[str, ...], other: tuple[str, ...]) -> None:
    assert reasons(ask(_ANGLE, one, "D"), ask(_ANGLE, other, "D")) == ["near_duplicate"]
    assert reasons(ask(_ANGLE, one, "D"), ask(_ANGLE, other, "A")) == ["conflicting_answers"] * 2


@pytest.mark.parametrize("other", [("0.5‰", "1‰", "2‰", "3‰"), ("0.5月", "1月", "2月", "3月")])
def test_numbers_with_different_units_differ(other: tuple[str, ...]) -> None:
    assert reasons(ask(_ANGLE, ("0.5年", "1年", "2年", "3年"), "D"), ask(_ANGLE, other, "D")) == []


def test_sign_lost_in_the_stem_does_not_distinguish_questions() -> None:
    stem = "回归方程与横坐标的夹角为29{}时，变量X和Y的相关系数、两者的方差以及截距之间的关系为（ ）"
    assert reasons(*(ask(stem.format(sign), RIGHTS) for sign in ("°", "%", ""))) == ["near_duplicate"] * 2


# One of the shared options is correct in one question and wrong in the other.
_NEW = "在有意义的学习中，在呈现正式的材料之前，先用浅显的语言介绍的引导性材料是（ ）"


@pytest.mark.parametrize(
    ("one", "other", "found"),
    [
        (("概念", "认知结构", "学习定势", "先行组织者"), ("概念", "认知结构", "学习定势", "复习"), ["D", "A"]),
        (("概念", "认知结构", "学习定势", "先行组织者"), ("概念", "认知结构", "学习定势", "复习"), ["B", "A"]),
    ],
)
def test_contradicting_keys_go_to_review_if_one_option_differs(one, other, found) -> None:
    result = unique_questions([ask(_NEW, one, found[0]), ask(_NEW, other, found[1])], PARAMS)
    assert [row.reason for row in result.rejected] == ["conflicting_answers"] * 2 and len(result.reviews) == 1


@pytest.mark.parametrize(
    ("stem", "found"),
    [
        (_NEW, ["D", "D"]),  # both correct options are the ones that differ: either may be one of several
        (_NEW.replace("引导性材料", "最好的材料"), ["D", "A"]),  # the best of these, and the best of those
    ],
)
def test_keys_that_may_both_be_correct_are_no_conflict(stem: str, found: list[str]) -> None:
    one, other = ("概念", "认知结构", "学习定势", "先行组织者"), ("概念", "认知结构", "学习定势", "复习")
    assert reasons(ask(stem, one, found[0]), ask(stem, other, found[1])) == []


def test_several_correct_options_contradict_only_if_both_questions_have_them() -> None:
    one, other = ("概念", "认知结构", "学习定势", "先行组织者"), ("概念", "认知结构", "学习定势", "复习")
    rows = [ask(_NEW, one, "ABD", question_type="mrqa"), ask(_NEW, other, "AB", question_type="mrqa")]
    assert reasons(*rows) == []
    assert reasons(rows[0], ask(_NEW, other, "AC", question_type="mrqa")) == ["conflicting_answers"] * 2


RETOLD = CASE.replace("因一次结账差错受到顾客当众责骂", "由于结账出了差错受到顾客责骂").replace("说不出话", "讲不出话")


def test_reworded_case_matches_if_all_else_is_equal() -> None:
    rows = [ask("对该求助者最可能的诊断是（ ）。", shared_stem=case, group_id=group_id(case), at=case[-9:]) for case in (CASE, RETOLD)]
    other = ask("该求助者的主要症状是（ ）。", shared_stem=RETOLD, group_id=group_id(RETOLD))
    params = PARAMS.__class__(ngram_chars=3, threshold=0.8, case_threshold=0.65)
    found = unique_questions([*rows, other], params)
    assert [row.reason for row in found.rejected] == ["near_duplicate"]
    assert len({row.group_id for row in found.kept}) == 1, "or a split would come between the case and its copy"
    older = [ask("对该求助者最可能的诊断是（ ）。", shared_stem=case) for case in (CASE, RETOLD.replace("24岁", "42岁"))]
    assert unique_questions(older, params).rejected == []


def test_equal_options_and_answer_match_reworded_stems() -> None:
    one = ask("（ ）是加工信息的一些方法和技术，有助于准确地和有效地从记忆中提取信息。", RIGHTS)
    other = ask("（ ）是加工信息的方法和技术，有助于有效地从记忆中提取信息。", RIGHTS[::-1], "D")
    assert reasons(one, other) == ["near_duplicate"]


def test_unusual_character_is_a_slip() -> None:
    stem = "习近平总书记首次提出了铸牢中华民族共同体意识这一重大战略举措，赋予其全新的内涵，这一理论的核心是（ ）"
    assert reasons(ask(stem, RIGHTS), ask(stem.replace("书", "廇").replace("核", "廆"), RIGHTS)) == ["near_duplicate"]
