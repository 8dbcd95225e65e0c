"""Questions that a reference benchmark also asks, and that dropping them loses nothing."""

from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.item import QuestionItem
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Question
from atomexam.text.ngrams import jaccard, ngrams
from curation.clean.questions.cleaned_questions import reference_questions
from curation.near_duplicates.__main__ import unique_questions
from curation.near_duplicates.clusters import MIN_NGRAMS
from curation.near_duplicates.contamination import contaminations, matches_of_kept, without_contaminated
from curation.near_duplicates.same_question import compared_question, relation, stem_keys
from tests.curation.records import CLEAN, question, seen

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.8)
STEM = "患儿女，六岁，反复咳嗽三个月，夜间加重，运动后明显，抗生素治疗无效，支气管扩张剂有效，最可能的诊断是（ ）。"
OPTIONS = ("咳嗽变异性哮喘", "支气管异物", "肺结核", "上气道咳嗽综合征")
CASE = "患者男性，五十二岁，工人。因反复上腹部隐痛两年、黑便三天入院，疼痛于进食后缓解，夜间明显，既往服用止痛药物，查体上腹轻压痛。"


def ask(stem: str = STEM, options: tuple[str, ...] = OPTIONS, answer: str | None = "A", at: str = "line:1", source: str = "ours", **fields):
    return question(stem, options, answer, at, source, **fields)


def held(stem: str = STEM, options: tuple[str, ...] = OPTIONS, answer: str | None = "A", **fields) -> Question:
    return ask(stem, options, answer, source="cmmlu", **fields)


@pytest.mark.parametrize(
    ("reference", "kind", "conflict"),
    [
        pytest.param(held(), "identical", False, id="as it is"),
        pytest.param(held(options=OPTIONS[::-1], answer="D"), "identical", False, id="options in another order"),
        pytest.param(held(STEM.replace("反复", "经常")), "near", False, id="a word"),
        pytest.param(held(answer="B"), "identical", True, id="another key"),
        pytest.param(held(answer=None), "identical", False, id="the key is withheld"),
    ],
)
def test_matches_a_reference_question(reference: Question, kind: str, conflict: bool) -> None:
    [found] = contaminations([ask()], [reference], PARAMS)
    assert (found.question_id, found.reference, found.reference_id) == (ask().id, "cmmlu", reference.id)
    assert (found.kind, found.conflict, found.seen) == (kind, conflict, reference.provenance[0])
    assert PARAMS.threshold <= found.similarity <= 1.0


@pytest.mark.parametrize(
    "reference",
    [
        pytest.param(held(STEM.replace("六岁", "九岁")), id="another number"),
        pytest.param(held(STEM.replace("最可能的", "最不可能的")), id="a denial"),
        pytest.param(held(STEM, ("甲", "乙", "丙", "丁")), id="other options"),
        pytest.param(held("医德的核心是（ ）", ("尊重", "公正")), id="another question"),
    ],
)
def test_does_not_match_a_different_question(reference: Question) -> None:
    assert contaminations([ask()], [reference], PARAMS) == []


def test_matches_short_questions_only_if_equal() -> None:
    short = ask("心理是（ ）", ("脑的机能", "心的机能"))
    assert contaminations([short], [held("心理是（ ）", ("脑的机能", "心的机能"))], PARAMS)[0].kind == "identical"
    assert contaminations([short], [held("心理就是（ ）", ("脑的机能", "心的机能"))], PARAMS) == []


def test_matches_a_case_inside_the_references_stem() -> None:
    apart = ask("该患者首先考虑的诊断是（ ）。", shared_stem=CASE)
    whole = held(f"{CASE}该患者首先考虑的诊断是（ ）。")
    assert [one.reference_id for one in contaminations([apart], [whole], PARAMS)] == [whole.id]
    assert [one.question_id for one in contaminations([replace(whole, provenance=apart.provenance)], [apart], PARAMS)] == [whole.id]


def test_does_not_match_a_different_question_on_the_same_case() -> None:
    apart = ask("该患者首先考虑的诊断是（ ）。", shared_stem=CASE)
    other = ("胃镜检查", "腹部平片", "血常规", "幽门螺杆菌检测")
    assert contaminations([apart], [held("为明确诊断应首选的检查是（ ）。", other, shared_stem=CASE)], PARAMS) == []
    assert contaminations([apart], [held(f"{CASE}为明确诊断应首选的检查是（ ）。", other)], PARAMS) == []


def test_a_long_case_does_not_make_short_questions_match() -> None:
    """With their cases they would differ by a character or two in hundreds, so at least one side is compared without."""
    ours, theirs = ask("应诊断为（ ）。", shared_stem=CASE), held("应鉴别于（ ）。", shared_stem=CASE)
    assert contaminations([ours], [theirs], PARAMS) == []


def test_reports_every_position_in_the_reference() -> None:
    twice = replace(held(), provenance=[seen("line:9", "cmb"), seen("line:1", "cmmlu")])
    assert [(one.reference, one.seen.position) for one in contaminations([ask()], [twice], PARAMS)] == [
        ("cmb", "line:9"),
        ("cmmlu", "line:1"),
    ]


def test_matches_nothing_without_questions() -> None:
    assert contaminations([], [held()], PARAMS) == contaminations([ask()], [], PARAMS) == []
    assert contaminations([ask("", ())], [held("", ())], PARAMS) == []


words = st.sampled_from(["患者", "反复", "咳嗽", "三天", "五天", "不", "发热", "头痛", "入院", "夜间加重", "首选的治疗是", "诊断是"])
questions = st.builds(
    lambda stem, options, answer: ask("".join(stem), tuple(options), answer),
    st.lists(words, min_size=1, max_size=14),
    st.lists(st.sampled_from(["青霉素", "头孢曲松", "红霉素静脉滴注", "对症处理", "卧床休息"]), min_size=2, max_size=4, unique=True),
    st.sampled_from(["A", "B", None]),
)


@settings(max_examples=60, deadline=None)
@given(st.lists(questions, max_size=8), st.lists(questions, max_size=8))
def test_pairs_equal_brute_force(ours: list[Question], theirs: list[Question]) -> None:
    expected = set()
    for one, other in product(ours, theirs):
        a, b = compared_question(one, PARAMS.ngram_chars), compared_question(other, PARAMS.ngram_chars)
        grams = [ngrams(side.text, PARAMS.ngram_chars) for side in (a, b)]
        long_enough = min(len(side.text) - PARAMS.ngram_chars + 1 for side in (a, b)) >= MIN_NGRAMS
        near = set(stem_keys(a)) & set(stem_keys(b)) or (long_enough and jaccard(*grams) >= PARAMS.threshold)
        if near and relation(a, b, PARAMS):
            expected.add((one.id, other.id))
    found = contaminations(ours, theirs, PARAMS)
    assert {(one.question_id, one.reference_id) for one in found} == expected
    assert found == contaminations(ours[::-1], theirs[::-1], PARAMS)


def test_dropping_loses_nothing() -> None:
    other = ask("医德的核心是（ ）", ("尊重", "公正"))
    rows = [ask(), other]
    kept, dropped = without_contaminated(rows, matches_of_kept(contaminations(rows, [held()], PARAMS), rows, []))
    assert (kept, [row.id for row in dropped]) == ([other], [ask().id])
    assert dropped[0].reason == "contaminated"
    assert dropped[0].detail == f"cmmlu: {held().id} at https://toy/1 line:1, similarity 1.0"
    assert dropped[0].record["stem"] == STEM


def test_drops_a_question_if_a_reference_matches_any_of_its_rows() -> None:
    """The kept row may be below the threshold, although a row that it represents is not."""
    rows = [ask(), ask(STEM.replace("反复", "经常"), at="line:2"), ask("医德的核心是（ ）", ("尊重", "公正"))]
    unique = unique_questions(rows, PARAMS)
    [left_out] = [row for row in unique.rejected if row.reason == "near_duplicate"]
    found = [one for one in contaminations(rows, [held()], PARAMS) if one.question_id == left_out.id]
    told = matches_of_kept(found, unique.kept, unique.rejected)
    assert [one.question_id for one in told] == [left_out.detail]
    kept, dropped = without_contaminated(unique.kept, told)
    assert ([row.stem for row in kept], [row.id for row in dropped]) == (["医德的核心是（ ）"], [left_out.detail])


def test_ignores_rows_of_which_none_was_kept() -> None:
    rows = [ask(answer="A"), ask(answer="B", at="line:2")]
    unique = unique_questions(rows, PARAMS)
    assert unique.kept == [] and matches_of_kept(contaminations(rows, [held()], PARAMS), unique.kept, unique.rejected) == []


def test_matches_a_reference_without_a_key() -> None:
    where = seen("line:1", "cmmlu")
    items = [QuestionItem(url=where.url, provenance=where, stem_raw=stem, options_raw=list(OPTIONS)) for stem in (STEM, "")]
    [reference] = reference_questions(items, CLEAN)
    assert reference.answer is None
    assert [one.kind for one in contaminations([ask()], [reference], PARAMS)] == ["identical"]


def test_matches_contradicting_rows_of_one_id_in_any_order() -> None:
    rows = [ask(answer="A"), ask(answer="B", at="line:2")]
    forwards, backwards = contaminations(rows, [held()], PARAMS), contaminations(rows[::-1], [held()], PARAMS)
    assert forwards == backwards
    assert [one.conflict for one in forwards] == [True]
