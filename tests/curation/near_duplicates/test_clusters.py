"""Every question is in exactly one star; questions that reveal each other share a cluster; only equal options contradict each other."""

from collections import Counter
from dataclasses import dataclass
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import content_id
from atomexam.records.question import Question
from atomexam.runtime.jsonl import to_line
from atomexam.text.option_letters import LETTERS
from curation.engine.engines import LOCAL
from curation.near_duplicates import clusters
from curation.near_duplicates.__main__ import measure, unique_facts, unique_questions
from curation.near_duplicates.clusters import find_twins, stars
from curation.near_duplicates.contamination import Contamination
from curation.near_duplicates.merging import rows_by_id
from curation.near_duplicates.same_question import compared_question, relation
from tests.curation.near_duplicates.test_near_duplicates import ask

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.65)


CASE = "求助者，女性，24岁，收银员，三个月前因一次结账差错受到责骂，此后一见到排队的人群就脸红、手抖、说不出话。"


@dataclass(frozen=True)
class Asked:
    """A question in short form."""

    stem: str
    options: str
    answer: str
    case: str | None = None

    def question(self, at: str):
        kind = "mcqa" if len(self.answer) == 1 else "mrqa" if self.options else "qa"
        return ask(self.stem, tuple(filter(None, self.options.split("/"))), self.answer, at, shared_stem=self.case, question_type=kind)


ILLS = ("肺炎有发热/结核有盗汗/哮喘有喘息", "痛风有关节痛/贫血有乏力/癌症有消瘦")


DIAPHRAGM = "胸肋三角是膈的薄弱区/膈上、下面有浆膜覆盖/由膈神经支配"


ORGANS = ("主动脉裂孔内有主动脉和{}通过", "食管裂孔内有食管和{}通过")


def diaphragm(one: str, other: str, answer: str) -> Asked:
    return Asked("有关膈的描述正确的是", "/".join([ORGANS[0].format(one), ORGANS[1].format(other), DIAPHRAGM]), answer)


PAIRS = [
    ("kin", Asked("教育心理学的创始人是", "冯特/桑代克/苛勒/华生", "B"), Asked("教育心理学的创始人是", "布鲁纳/桑代克/加涅/皮亚杰", "B")),
    ("kin", Asked("有效地完成任务的能力称为", "技能/知识/智力/才干", "A"), Asked("有效完成任务的能力称为", "技能/气质/性格/动机", "A")),
    ("kin", Asked("事件发生的机会称为", "频数/概率/均数/方差", "B"), Asked("事件发生的概率称为", "频率/概率/标准差/极差", "B")),
    ("kin", Asked("三角形的内角之和等于", "180°/90°/270°/30°", "A"), Asked("三角形的内角之和等于", "180/360/60/45", "A")),
    ("two", Asked("教育心理学的创始人是", "冯特/桑代克/苛勒/华生", "B"), Asked("实验心理学的创始人是", "冯特/布鲁纳/加涅/皮亚杰", "A")),
    ("two", Asked("正确的是", "发热/咳嗽/咯血/盗汗", "A"), Asked("正确的是", "发热/心悸/水肿/黄疸", "A")),
    ("one", Asked("首先的做法是", "共情/面质/解释/转介", "A", CASE), Asked("首先的做法是", "共情/指导/暗示/催眠", "A", CASE)),
    ("two", diaphragm("迷走神经", "胸导管", "CDE"), diaphragm("胸导管", "膈神经", "ACDE")),
    ("conflict", diaphragm("迷走神经", "胸导管", "CDE"), diaphragm("胸导管", "膈神经", "ACD")),
    (
        "two",
        Asked("关于该障碍，错误的描述是", "属于器质性障碍/多见于女性/可以治愈/病程较长", "A"),
        Asked("关于该障碍，错误的描述是", "属于精神性障碍/多见于女性/可以治愈/病程较长", "A"),
    ),
    (
        "conflict",
        Asked("按交往性质分的关系是", "横向关系/师生/朋友/家庭", "A"),
        Asked("按交往性质分的关系是", "横向关系/同事/纵向关系/邻里", "C"),
    ),
    ("two", Asked("该病最常见的病因是", "感染/肿瘤/外伤/中毒", "A"), Asked("该病最常见的病因是", "肿瘤/遗传/感染后变态反应/药物", "B")),
    (
        "kin",
        Asked("治疗梅毒螺旋体感染首选的抗菌药物是", "青霉素/红霉素/庆大霉素/氯霉素", "A"),
        Asked("治疗梅毒螺旋体感染首选的抗菌药物是（）。", "", "青霉素"),
    ),
    (
        "two",
        Asked("治疗梅毒螺旋体感染首选的抗菌药物是", "青霉素/红霉素/庆大霉素/氯霉素", "A"),
        Asked("治疗梅毒螺旋体感染首选的抗菌药物是", "", "头孢曲松"),
    ),
    ("two", Asked("下列说法正确的是", f"{ILLS[0]}/以上都对", "D"), Asked("下列说法正确的是", f"{ILLS[1]}/以上都对", "A")),
    ("two", Asked("下列说法正确的是", f"{ILLS[0]}/以上都对", "D"), Asked("下列说法正确的是", f"{ILLS[1]}/以上都对", "D")),
    ("two", Asked("下列叙述正确的是", f"{ILLS[0]}/以上都不对", "A"), Asked("下列叙述正确的是", f"{ILLS[1]}/以上都不对", "D")),
    ("two", Asked("下列哪项符合题意", f"{ILLS[0]}/无", "A"), Asked("下列哪项符合题意", f"{ILLS[1]}/无", "D")),
    ("two", Asked("属于特异性感染的是", "结核/疖/痈/丹毒", "A"), Asked("属于特异性感染的是", "破伤风/结核/气性坏疽/以上都是", "D")),
    ("two", Asked("属于特异性感染的是", "结核/破伤风/疖/A+B", "D"), Asked("属于特异性感染的是", "麻风/梅毒/痈/A+B", "D")),
    ("two", Asked("以下选项中不正确的是", "肺炎有发热/结核/疖/痈", "A"), Asked("以下选项中不正确的是", "肺炎有发热/痔/瘘/癣", "A")),
]


@pytest.mark.parametrize(("kind", "one", "other"), PAIRS)
def test_how_two_questions_relate(kind: str, one: Asked, other: Asked) -> None:
    for first, second in ((one, other), (other, one)):
        found = unique_questions([first.question("q1"), second.question("q2")], PARAMS)
        clusters = {question.cluster_id for question in found.kept}
        assert (len(found.kept), len(clusters)) == {"kin": (2, 1), "two": (2, 2), "one": (1, 1), "conflict": (0, 0)}[kind]
        assert {one.reason for one in found.rejected} == {"one": {"near_duplicate"}, "conflict": {"conflicting_answers"}}.get(kind, set())


def test_kin_of_a_dropped_question_take_a_kept_head() -> None:
    distractors = ("冯特/桑代克/苛勒/华生", "布鲁纳/桑代克/加涅/皮亚杰", "奥苏贝尔/桑代克/罗杰斯/马斯洛")
    rows = [Asked("教育心理学的创始人是", options, "B").question(f"q{at}") for at, options in enumerate(distractors)]
    (cluster_id,) = {one.cluster_id for one in unique_questions(rows, PARAMS).kept}
    head = next(row.id for row in rows if content_id("cluster", row.id) == cluster_id)
    match = Contamination(
        question_id=head, reference="r", reference_id="q", similarity=1.0, kind="identical", conflict=False, seen=rows[0].provenance[0]
    )
    found = unique_questions(rows, msgspec.structs.replace(PARAMS, contaminated="drop"), contaminated=[match])
    assert len(found.kept) == 2 and {one.cluster_id for one in found.kept} < {content_id("cluster", one.id) for one in found.kept}


def test_unrelated_cases_are_not_compared(monkeypatch) -> None:
    monkeypatch.setattr(clusters, "same_case", lambda *_: pytest.fail("compared"))
    cases = ("".join(chr(0x4E00 + 100 * case + at) for at in range(60)) for case in range(40))
    asked = (Asked("最可能的诊断是", "抑郁症/焦虑症/疑病症/癔症", "A", case) for case in cases)
    rows = rows_by_id([one.question(f"q{at}") for at, one in enumerate(asked)], PARAMS.ngram_chars, LOCAL)
    assert len(rows) == 40 and not list(clusters.find_kin(rows, PARAMS))


TESTS = ("Z检验", "Z’检验", "t检验", "方差分析")


SAME = ("Z检验", "Z-检验", "z 检验", "Ｚ检验", "", "（ ）", "。", "Z检验法", "方差分析", "t检验", "-β", "β", "1、2", "12")


def rows_of(stems: tuple[str, ...]) -> st.SearchStrategy[list[Question]]:
    options = st.lists(st.sampled_from(SAME), max_size=6)
    row = st.tuples(st.sampled_from(stems), options, st.sampled_from([None, "A", "B", "AB", "C", "J"]), st.sampled_from(["mcqa", "mrqa"]))

    def build(drawn: list) -> list[Question]:
        return [ask(stem, tuple(texts), answer, f"q{n}", question_type=kind) for n, (stem, texts, answer, kind) in enumerate(drawn)]

    return st.lists(row, max_size=7).map(build)


STEMS = (
    "总体方差已知时，检验两个平均数之差应当使用的方法是（ ）", "总体方差已知时，检验两个平均数之差应当使用的方法为",
    "方差已知，检验平均数用（ ）", "（ ）", "。",
)  # fmt: skip


def test_two_options_of_one_form_do_not_match() -> None:
    found = unique_questions([ask(STEMS[0], ("Z检验", "Z-检验", *TESTS[2:]), "C")], PARAMS)
    assert (len(found.kept), found.rejected, found.clusters) == (1, [], [])
    assert len(unique_questions([ask(STEMS[0], TESTS, "A")], PARAMS).kept) == 1


def test_questions_with_two_options_of_one_form_are_twins() -> None:
    a, b = (ask(stem, ("Z检验", "Z-检验", *TESTS[2:]), "C") for stem in STEMS[:2])
    assert relation(compared_question(a, 3), compared_question(b, 3), PARAMS) == "same"


@pytest.mark.slow
@given(rows_of(STEMS), st.randoms())
@settings(max_examples=60, deadline=None)
def test_each_question_is_in_one_star(rows: list[Question], random: Random) -> None:
    every = rows_by_id(rows, PARAMS.ngram_chars)
    twins = find_twins(every, PARAMS)
    assert all(a < b for a, b in twins)
    members = Counter(one.id for star in stars(every, twins) for one in (star.centre, *(member for member, _ in star.members)))
    assert members == Counter({one.id: 1 for one in every})
    found, again = unique_questions(rows, PARAMS), unique_questions(random.sample(rows, len(rows)), PARAMS)
    counts = measure(len(rows), 0, found, unique_facts([]))["questions"]
    assert counts["in"] == counts["out"] + counts["rejected"]
    assert [sorted(map(to_line, part)) for part in found] == [sorted(map(to_line, part)) for part in again]
    assert all(row.options[place].letter == LETTERS[place] for row in found.kept for place in range(len(row.options)))
