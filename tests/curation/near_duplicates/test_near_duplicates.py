"""Which questions are the same, which one is kept, and that nothing is lost."""

from itertools import combinations
from pathlib import Path
from random import Random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.annotation import Decision, Review
from atomexam.records.cluster import Cluster
from atomexam.records.fact import Fact, fact_id
from atomexam.records.params import NearDuplicates
from atomexam.records.question import Option, Question, group_id
from atomexam.records.reasons import OF_DUPLICATES
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.annotation_files import read_decisions
from atomexam.runtime.jsonl import read_jsonl, to_line, write_jsonl
from atomexam.text.ngrams import jaccard, ngrams
from atomexam.text.option_letters import LETTERS
from curation.near_duplicates.__main__ import main, measure, unique_facts, unique_questions
from curation.near_duplicates.contamination import Contamination
from curation.near_duplicates.same_question import ComparedQuestion, compared_question, options_key, relation, stem_keys
from tests.curation.records import question, seen

PARAMS = NearDuplicates(ngram_chars=3, threshold=0.8, case_threshold=0.8)
STEM = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉、极易惊醒，症状已经持续2周，明显影响工作，最可能的诊断是（ ）。"
OPTIONS = ("急性应激障碍", "创伤后应激障碍", "适应障碍", "广泛性焦虑障碍")
CASE = (
    "一般资料：求助者，女性，24岁，超市收银员。案例介绍：三个月前因一次结账差错受到顾客当众责骂，"
    "此后一见到排队的人群就脸红、手抖、说不出话。"
)


def ask(stem: str = STEM, options: tuple[str, ...] = OPTIONS, answer: str | None = "A", at: str = "q1", **fields) -> Question:
    return question(stem, options, answer, at, **fields)


def reasons(*rows: Question) -> list[str]:
    return sorted(row.reason for row in unique_questions(rows, PARAMS).rejected)


# Questions that are the same.
@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ask(at="q2"), id="shown twice"),
        pytest.param(ask(STEM.replace("，", ","), at="q2"), id="other punctuation"),
        pytest.param(ask(STEM.replace("2", "２"), at="q2"), id="other width"),
        pytest.param(ask(STEM, OPTIONS[::-1], "D", at="q2"), id="options in another order"),
    ],
)
def test_identical(other: Question) -> None:
    found = unique_questions([ask(), other], PARAMS)
    assert [row.reason for row in found.rejected] == ["identical"]
    assert found.rejected[0].detail == found.kept[0].id
    assert found.kept[0].provenance == sorted({seen("q1"), seen("q2")})
    assert [(cluster.rows, cluster.similarity) for cluster in found.clusters] == [(2, [1.0])]


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ask(STEM.replace("不断闪回", "反复闪回"), at="q2"), id="one word"),
        pytest.param(ask(STEM.replace("2周", "两周"), at="q2"), id="a numeral for a figure"),
        pytest.param(ask(STEM.replace("最可能的诊断是", "其最可能的诊断是"), at="q2"), id="an idle word"),
        pytest.param(ask(STEM.replace("警觉", "警党"), OPTIONS[::-1], "D", at="q2"), id="one character and another order"),
        pytest.param(ask(STEM, (*OPTIONS[:3], "抑郁发作"), at="q2"), id="one wrong option is another"),
        pytest.param(ask(STEM, (*OPTIONS[:3], "广泛性焦虑性障碍"), at="q2"), id="a slip in an option"),
        pytest.param(ask(STEM.replace("不断闪回", "反复闪回"), answer=None, at="q2"), id="one answer unknown"),
        pytest.param(ask(STEM.replace("求助者", "来访者"), at="q2"), id="a noun that says the same"),
        pytest.param(ask(STEM.replace("2周", "2"), at="q2"), id="a unit was lost"),
        pytest.param(ask(STEM.replace("已经", "已r经"), at="q2"), id="a letter from the scanner"),
        pytest.param(ask(STEM, ("急性应激阻碍", *OPTIONS[1:]), at="q2"), id="a slip in the right option"),
        pytest.param(ask(STEM, ("应激障碍", *OPTIONS[1:]), at="q2"), id="the right option in short"),
    ],
)
def test_near_duplicate(other: Question) -> None:
    found = unique_questions([ask(), other], PARAMS)
    assert [row.reason for row in found.rejected] == ["near_duplicate"]
    assert found.rejected[0].detail == found.kept[0].id
    [cluster] = found.clusters
    assert cluster.kept == cluster.members[0] == found.kept[0].id
    assert cluster.similarity[0] == 1.0 > cluster.similarity[1] >= PARAMS.threshold


SHORT = ("快乐原则", "现实原则", "道德原则", "完美原则")
LONG_CASE = (
    "求助者，女性，二十四岁，收银员，因结账差错受到责骂，此后见到排队的人群就脸红手抖，上班前反复请假，独自在家时一切如常，为此十分苦恼。"
)


DRUG = "患者男性，60岁，患高血压合并糖尿病多年，平素口服药物治疗，近期血压控制欠佳，为求进一步诊治入院，首选的降压药物是（ ）。"
DRUGS = ("卡托普利", "硝苯地平", "美托洛尔", "氢氯噻嗪")


def test_case_in_the_stem_matches_whatever_its_punctuation() -> None:
    one = ask(LONG_CASE + "该求助者的主要症状是（ ）。", SHORT)
    other = ask((LONG_CASE + "该求助者的主要症状是").replace("。", "，").replace("一切如常", "一切都如常"), SHORT)
    assert reasons(one, other) == ["near_duplicate"]


# Questions that look the same but are not.
@pytest.mark.parametrize(
    ("one", "other"),
    [
        pytest.param(ask(), ask(STEM.replace("2周", "6周"), answer="B"), id="another number"),
        pytest.param(ask(DRUG, DRUGS), ask(DRUG.replace("糖尿病", "哮喘"), DRUGS), id="another disease, one answer"),
        pytest.param(ask(DRUG, DRUGS, None), ask(DRUG.replace("糖尿病", "哮喘"), DRUGS, None), id="another disease, no answers"),
        pytest.param(ask(DRUG, DRUGS), ask(DRUG.replace("糖尿病", "冠心病"), DRUGS), id="another disease of one ending"),
        pytest.param(ask(DRUG, DRUGS), ask(DRUG.replace("合并糖尿病", ""), DRUGS, "D"), id="a disease more, another answer"),
        pytest.param(ask(DRUG, DRUGS), ask(DRUG.replace("合并糖尿病", ""), DRUGS), id="a disease more, one answer"),
        pytest.param(ask(DRUG.replace("糖尿病", "肝阴虚"), DRUGS), ask(DRUG.replace("糖尿病", "肾阴虚"), DRUGS), id="another organ"),
        pytest.param(
            ask(DRUG.replace("糖尿病", "慢性胃炎"), DRUGS), ask(DRUG.replace("糖尿病", "慢性肝炎"), DRUGS), id="a disease by one character"
        ),
        pytest.param(ask(STEM, answer=None), ask(STEM.replace("不敢再乘车", "不愿再上学"), answer=None), id="another verb, no answers"),
        pytest.param(ask(answer=None), ask(STEM.replace("2周", "2天"), answer=None), id="another unit"),
        pytest.param(ask(), ask(STEM.replace("最可能的", "最不可能的"), answer="A"), id="a denial"),
        pytest.param(ask(answer="B"), ask(STEM, ("急性应激障碍", "恐惧症", *OPTIONS[2:]), "B"), id="the answer is the option that differs"),
        pytest.param(ask(), ask(STEM, ("疑病症", "强迫症", *OPTIONS[2:])), id="two options differ"),
        pytest.param(ask(shared_stem=CASE), ask(), id="one has a case"),
        pytest.param(
            ask("对该求助者最可能的诊断是（ ）。", shared_stem=CASE),
            ask(
                "对该求助者最可能的诊断是（ ）。",
                shared_stem=CASE.replace("24", "41").replace("脸红、手抖、说不出话", "心慌、气短"),
                answer="C",
            ),
            id="the same question of two cases",
        ),
        pytest.param(ask(shared_stem=CASE), ask(shared_stem=CASE.replace("24岁", "42岁")), id="a number of the case"),
        pytest.param(
            ask("弗洛伊德认为本我的活动原则是（ ）。", SHORT, None),
            ask("弗洛伊德认为超我的活动原则是（ ）。", SHORT, None),
            id="an opposite",
        ),
        pytest.param(
            ask("桑代克认为动物解决问题的过程是（ ）的过程。", SHORT, "A"),
            ask("苛勒认为动物解决问题的过程是（ ）的过程。", SHORT, "B"),
            id="a name with another answer",
        ),
        pytest.param(
            ask(LONG_CASE + "该求助者的主要症状是（ ）。", SHORT, None),
            ask(LONG_CASE + "对其首先应当采用的技术为（ ）。", SHORT, None),
            id="two questions of a case inside the stem",
        ),
        pytest.param(
            ask("皮亚杰认为儿童的思维起源于动作。", ("正确", "错误"), "A", question_type="tf"),
            ask("皮亚杰认为儿童的思维起源于语言。", ("正确", "错误"), "B", question_type="tf"),
            id="true and false",
        ),
        pytest.param(
            ask("心理是脑的（ ）", ("机能", "结果"), "A"), ask("心理是脑的吗（ ）", ("机能", "结果"), "A"), id="too short to be near"
        ),
        pytest.param(
            ask("简述前摄抑制对于记忆材料的保持和回忆会产生的主要影响。", (), "先学的干扰后学的", question_type="qa"),
            ask("简述倒摄抑制对于记忆材料的保持和回忆会产生的主要影响。", (), "后学的干扰先学的", question_type="qa"),
            id="in words",
        ),
    ],
)
def test_different(one: Question, other: Question) -> None:
    found = unique_questions([one, other], PARAMS)
    assert (len(found.kept), found.rejected, found.clusters) == (2, [], [])
    assert len({row.cluster_id for row in found.kept}) == 2


@pytest.mark.parametrize(
    "other",
    [
        pytest.param(ask(answer="B", at="q2"), id="identical"),
        pytest.param(ask(STEM, OPTIONS[::-1], "A", at="q2"), id="the same letter for another option"),
        pytest.param(ask(STEM.replace("，明显影响工作", ""), answer="C", at="q2"), id="near"),
        pytest.param(ask(answer="AB", question_type="mrqa", at="q2"), id="one answer more"),
    ],
)
def test_conflicting_answers_reject_the_whole_cluster(other: Question) -> None:
    found = unique_questions([ask(), ask(at="q3"), other], PARAMS)
    assert found.kept == []
    assert [row.reason for row in found.rejected] == ["conflicting_answers"] * 3
    assert all("急性应激障碍" in row.detail for row in found.rejected)
    assert [(cluster.kept, cluster.rows) for cluster in found.clusters] == [(None, 3)]


def test_answers_in_words_never_conflict_and_the_longest_is_kept() -> None:
    short, long = "先学的材料干扰后学的材料。", "先学习的材料对识记和回忆后学习的材料发生干扰的作用。"
    rows = [ask("什么是前摄抑制？", (), text, at=text, question_type="qa") for text in (short, long)]
    [kept] = unique_questions(rows, PARAMS).kept
    assert kept.answer == long


@pytest.mark.parametrize(
    ("better", "worse"),
    [
        pytest.param({"answer": "A"}, {"answer": None, "explanation": "见教材。"}, id="has an answer"),
        pytest.param({"answer": "A"}, {"answer": "E", "explanation": "见教材。"}, id="has an answer among its options"),
        pytest.param({"explanation": "见教材。"}, {"explanation": None}, id="has an explanation"),
        pytest.param({"mark": ""}, {"mark": "??"}, id="is cleaner"),
    ],
)
def test_keeps_the_best(better: dict, worse: dict) -> None:
    wordings = [STEM, STEM.replace("不断闪回", "反复闪回")]
    for first, second in (wordings, wordings[::-1]):  # so that ids do not decide
        good, bad = (
            ask(stem + fields.get("mark", ""), **{name: value for name, value in fields.items() if name != "mark"})
            for stem, fields in ((first, better), (second, worse))
        )
        assert [kept.id for kept in unique_questions([bad, good], PARAMS).kept] == [good.id]


def test_prefers_more_sightings() -> None:
    often, once = ask(STEM.replace("不断闪回", "反复闪回")), ask()
    for good, bad in ((often, once), (once, often)):
        [kept] = unique_questions([bad, good, replace(good, provenance=[seen("q9")])], PARAMS).kept
        assert kept.id == good.id


def test_copies_an_explanation_unless_its_letters_differ_in_meaning() -> None:
    best = ask(at="q1")
    helped = replace(ask(STEM.replace("2周", "两周"), answer=None), explanation="病程在一个月以内。")
    misled = replace(ask(STEM.replace("2周", "两周"), OPTIONS[::-1], answer=None), explanation="故选D。")
    assert unique_questions([best, helped], PARAMS).kept[0].explanation == "病程在一个月以内。"
    assert unique_questions([best, misled], PARAMS).kept[0].explanation is None


def test_does_not_chain_but_names_connected_questions_alike() -> None:
    first = replace(ask(STEM), explanation="见教材。")
    middle = ask(STEM.replace("不断", "反复").replace("夜里", "晚上"))
    last = ask(middle.stem.replace("极易", "常常"), (*OPTIONS[:3], "焦虑障碍"))
    assert (twins(first, middle), twins(middle, last), twins(first, last)) == (True, True, False)
    found = unique_questions([first, middle, last], PARAMS)
    assert {row.id for row in found.kept} == {first.id, last.id}
    assert len({row.cluster_id for row in found.kept}) == 1, "or a split would come between them"
    assert [row.detail for row in found.rejected] == [first.id]


def twins(one: Question, other: Question) -> bool:
    a, b = compared_question(one, 3), compared_question(other, 3)
    return is_nominated(a, b) and relation(a, b, PARAMS) is not None


def is_nominated(a: ComparedQuestion, b: ComparedQuestion) -> bool:
    """Return whether a pair is a candidate: its texts are similar, or the stems or the options and answers are equal."""
    near = jaccard(ngrams(a.text, 3), ngrams(b.text, 3)) >= PARAMS.threshold
    return near or not set(stem_keys(a)).isdisjoint(stem_keys(b)) or (options_key(a) is not None and options_key(a) == options_key(b))


EDITS = [
    ("不断闪回", "反复闪回"),
    ("2周", "6周"),
    ("最可能的", "最不可能的"),
    ("，", ","),
    ("极易惊醒", "十分容易惊醒"),
    ("车祸", "地震"),
    ("明显", ""),
]


@st.composite
def rows_of_few_questions(draw: st.DrawFn) -> list[Question]:
    rows = []
    for number in range(draw(st.integers(1, 9))):
        stem = STEM
        for old, new in draw(st.lists(st.sampled_from(EDITS), max_size=3)):
            stem = stem.replace(old, new)
        options = draw(st.permutations([*OPTIONS[:3], draw(st.sampled_from([OPTIONS[3], "恐惧症"]))]))
        right = draw(st.sampled_from([None, "急性应激障碍", "急性应激障碍", "适应障碍"]))
        rows.append(
            ask(
                stem,
                tuple(options),
                right and LETTERS[options.index(right)],
                f"q{number}",
                explanation=draw(st.sampled_from([None, "故选A。"])),
            )
        )
    return rows


@pytest.mark.slow
@settings(max_examples=80, deadline=None)
@given(rows_of_few_questions(), st.randoms())
def test_laws(rows: list[Question], random: Random) -> None:
    found = unique_questions(rows, PARAMS)
    again = unique_questions(random.sample(rows, len(rows)), PARAMS)
    assert [sorted(map(to_line, part)) for part in found] == [sorted(map(to_line, part)) for part in again], (
        "the order of rows does not matter"
    )
    assert len(found.kept) + len(found.rejected) == len(rows)
    told = [row.record for row in found.rejected]
    assert all(msgspec.to_builtins(row) in told or any(set(row.provenance) <= set(kept.provenance) for kept in found.kept) for row in rows)
    kept = {row.id: compared_question(row, 3) for row in found.kept}
    assert len(kept) == len(found.kept), "each id is kept once"
    for a, b in combinations(kept.values(), 2):
        assert not is_nominated(a, b) or relation(a, b, PARAMS) is None
    for row in found.rejected:
        assert row.reason in OF_DUPLICATES
        if row.reason == "near_duplicate":
            own = compared_question(msgspec.convert(row.record, Question), 3)
            assert is_nominated(own, kept[row.detail])


@pytest.mark.slow
@settings(max_examples=40, deadline=None)
@given(rows_of_few_questions(), st.randoms())
def test_order_of_options_does_not_matter(rows: list[Question], random: Random) -> None:
    def shuffled(row: Question) -> Question:
        texts = random.sample([option.text for option in row.options], len(row.options))
        right = next((option.text for option in row.options if option.letter == row.answer), None)
        options = [Option(letter=letter, text=text) for letter, text in zip(LETTERS, texts, strict=False)]
        return replace(row, options=options, answer=right and LETTERS[texts.index(right)])

    found, other = unique_questions(rows, PARAMS), unique_questions(map(shuffled, rows), PARAMS)
    assert {row.id for row in found.kept} == {row.id for row in other.kept}
    assert found.clusters == other.clusters


@given(rows_of_few_questions())
@settings(max_examples=30, deadline=None)
def test_relation_is_symmetric(rows: list[Question]) -> None:
    for a, b in combinations([compared_question(row, 3) for row in rows], 2):
        assert relation(a, b, PARAMS) == relation(b, a, PARAMS)


def tell(tail: str = "发热", polarity: bool = True, at: str = "v1") -> Fact:
    return Fact(
        id=fact_id("disease_symptom", "肺炎", tail),
        relation="disease_symptom",
        head="肺炎",
        tail=tail,
        polarity=polarity,
        provenance=[seen(at)],
    )


@settings(deadline=None)
@given(
    st.lists(st.builds(tell, st.sampled_from(["发热", "发 热", "咳嗽"]), st.booleans(), st.sampled_from("abc")), max_size=9), st.randoms()
)
def test_facts(rows: list[Fact], random: Random) -> None:
    found = unique_facts(rows)
    assert [sorted(map(to_line, part)) for part in unique_facts(random.sample(rows, len(rows)))] == [
        sorted(map(to_line, part)) for part in found
    ]
    assert len(found.kept) + len(found.rejected) == len(rows)
    for key in {row.id for row in rows}:
        group = [row for row in rows if row.id == key]
        kept = [row for row in found.kept if row.id == key]
        gone = [row.reason for row in found.rejected if row.id == key]
        if len({row.polarity for row in group}) > 1:
            assert (kept, gone) == ([], ["conflicting_polarity"] * len(group))
        else:
            assert gone == ["identical"] * (len(group) - 1)
            assert kept[0].provenance == sorted({one for row in group for one in row.provenance})


def test_stage(tmp_path: Path) -> None:
    rows = [ask(), ask(at="q2"), ask(STEM.replace("不断闪回", "反复闪回"), at="q3"), ask(STEM.replace("2周", "6周"), answer="B", at="q4")]
    rows += [ask("记忆研究的先驱是哪一位心理学家（ ）", SHORT, answer, at=answer) for answer in "AB"]
    write_jsonl(tmp_path / "q.jsonl", rows, key=lambda row: row.id)
    write_jsonl(tmp_path / "f.jsonl", [tell(), tell(at="v2"), tell("咳嗽"), tell("咳嗽", False)], key=lambda row: row.id)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "facts.jsonl.part").write_text("half a li")
    flags = "--questions q.jsonl --facts f.jsonl --out out --metrics metrics/m.json --ngram_chars 3 --threshold 0.8 --case_threshold 0.8"
    argv = [
        str(tmp_path / flag) if flag.endswith(("jsonl", "json", "out")) and not flag.startswith("--") else flag for flag in flags.split()
    ]
    main(argv)
    written = {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    main(argv)
    assert written == {path.name: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    assert sorted(written) == ["clusters.jsonl", "contaminated.jsonl", "facts.jsonl", "questions.jsonl", "rejected.jsonl", "review.jsonl"]
    assert len(list(read_jsonl(tmp_path / "out" / "rejected.jsonl", Rejected))) == 7
    assert len(list(read_jsonl(tmp_path / "out" / "clusters.jsonl", Cluster))) == 2
    assert msgspec.json.decode((tmp_path / "metrics" / "m.json").read_bytes()) == {
        "questions": {"in": 6, "out": 2, "rejected": 4},
        "facts": {"in": 4, "out": 1, "rejected": 3},
        "clusters": 2,
        "for_review": 2,
        "contaminated": {},
        "largest_cluster": 3,
        "rejected_by_reason": {
            "identical": 2,
            "near_duplicate": 1,
            "conflicting_answers": 2,
            "overruled": 0,
            "withdrawn": 0,
            "conflicting_polarity": 2,
            "contaminated": 0,
        },
    }


def test_marks_or_drops_questions_in_a_reference(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [ask(), ask(STEM.replace("不断闪回", "反复闪回"), at="q3"), ask("记忆研究的先驱是哪一位心理学家（ ）", SHORT, at="q4")]
    write_jsonl(tmp_path / "q.jsonl", rows, key=lambda row: row.id)
    write_jsonl(tmp_path / "f.jsonl", [tell()], key=lambda row: row.id)
    write_jsonl(tmp_path / "r.jsonl", [ask(at="line:7", answer=None)], key=lambda row: row.id)
    flags = "--questions q.jsonl --facts f.jsonl --references r.jsonl --out out --metrics m.json"
    flags += " --ngram_chars 3 --threshold 0.8 --case_threshold 0.8"
    outcomes = {}
    for action in ("mark", "drop"):
        main([*flags.split(), "--contaminated", action])
        out = [
            list(read_jsonl(tmp_path / "out" / f"{name}.jsonl", shape)) for name, shape in (("questions", Question), ("rejected", Rejected))
        ]
        [found] = read_jsonl(tmp_path / "out" / "contaminated.jsonl", Contamination)
        assert (found.seen.position, found.conflict, found.similarity) == ("line:7", False, 1.0)
        metrics = msgspec.json.decode((tmp_path / "m.json").read_bytes())
        assert metrics["contaminated"] == {"toy": 1}
        assert metrics["questions"]["in"] == 3 == len(out[0]) + len(out[1])
        [cluster] = read_jsonl(tmp_path / "out" / "clusters.jsonl", Cluster)
        outcomes[action] = (len(out[0]), cluster.kept is None, [row.reason for row in out[1] if row.id == found.question_id])
    assert outcomes == {"mark": (2, False, []), "drop": (1, True, ["contaminated"])}


def test_decision_on_a_review_applies_in_the_next_run(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    asked = "记忆研究的先驱是哪一位心理学家（ ）"
    rows = [ask(asked, SHORT, answer, at=f"{answer}{number}") for number, answer in enumerate("AAB")]
    write_jsonl(tmp_path / "q.jsonl", rows, key=lambda row: row.id)
    write_jsonl(tmp_path / "f.jsonl", [tell("咳嗽"), tell("咳嗽", False), tell("发热")], key=lambda row: row.id)
    flags = {"questions": "q.jsonl", "facts": "f.jsonl", "decisions": "d.jsonl", "out": "out", "metrics": "m.json"}
    argv = [word for flag, name in flags.items() for word in (f"--{flag}", str(tmp_path / name))]
    argv += ["--ngram_chars", "3", "--threshold", "0.8", "--case_threshold", "0.8"]
    main(argv)
    reviews = {row.kind: row for row in read_jsonl(tmp_path / "out" / "review.jsonl", Review)}
    assert reviews["question"].asked == asked
    assert [(one.decision.right, one.rows) for one in reviews["question"].statements] == [(["快乐原则"], 2), (["现实原则"], 1)]
    assert {tuple(one.sources) for review in reviews.values() for one in review.statements} == {("toy",)}
    decisions = [reviews["question"].statements[1].decision, reviews["fact"].statements[0].decision]
    idle = [Decision(id=f"q-{number:020}", right=["甲"]) for number in range(6)]
    idle += [Decision(id=tell("发热").id, right=["甲"])]  # of a question, and on a fact
    write_jsonl(tmp_path / "d.jsonl", [*decisions, *idle], key=str)
    capsys.readouterr()
    main(argv)
    told = capsys.readouterr().err
    assert f"that match no question or fact in this data: {idle[-1].id}, q-00000000000000000000, " in told and "and 2 more" in told
    assert decisions[0].id not in told
    assert (tmp_path / "out" / "review.jsonl").read_bytes() == b""
    [kept] = read_jsonl(tmp_path / "out" / "questions.jsonl", Question)
    assert (kept.answer, len(kept.provenance)) == ("B", 3)
    [fact] = [row for row in read_jsonl(tmp_path / "out" / "facts.jsonl", Fact) if row.tail == "咳嗽"]
    assert fact.polarity is decisions[1].polarity
    rejected = list(read_jsonl(tmp_path / "out" / "rejected.jsonl", Rejected))
    assert [row.reason for row in rejected] == ["overruled"] * 3 and {row.detail for row in rejected} == {kept.id, fact.id}


def decide(row: Question, *right: str) -> dict[str, Decision]:
    return {row.id: Decision(id=row.id, right=list(right))}


def test_decision_on_one_wording_applies_to_all_twins() -> None:
    one, other = ask(explanation="故选A。"), ask(STEM.replace("，明显影响工作", ""), OPTIONS[::-1], "B", at="q2", explanation="故选B。")
    found = unique_questions([one, other], PARAMS, decide(other, "适应障碍"))
    assert [(row.id, row.answer, row.explanation) for row in found.kept] == [(other.id, "B", "故选B。")]
    assert [(row.reason, row.detail) for row in found.rejected] == [("overruled", other.id)]
    assert found.reviews == []


def test_drops_a_keyless_explanation_with_its_overruled_key() -> None:
    rows = [ask(explanation="故选A。"), ask(answer=None, at="q2", explanation="故选A。")]
    kept = [unique_questions(rows, PARAMS, decide(rows[0], right)).kept[0] for right in ("急性应激障碍", "适应障碍")]
    assert [(row.answer, row.explanation) for row in kept] == [("A", "故选A。"), ("C", None)]


def test_decision_may_be_an_answer_that_no_row_has() -> None:
    rows = [ask(explanation="故选A。"), ask(answer="B", at="q2")]
    found = unique_questions(rows, PARAMS, decide(rows[0], "适应障碍", "广泛性焦虑障碍"))
    assert [(row.answer, row.question_type, row.explanation) for row in found.kept] == [("CD", "mrqa", None)]
    assert [row.reason for row in found.rejected] == ["overruled"]


def test_reports_impossible_decisions(tmp_path: Path) -> None:
    one, other = ask(), ask(STEM.replace("，明显影响工作", ""), answer="B", at="q2")
    with pytest.raises(ValueError, match="强迫症: not among its options"):
        unique_questions([one, other], PARAMS, decide(one, "强迫症"))
    with pytest.raises(ValueError, match="are decided differently"):
        unique_questions([one, other], PARAMS, decide(one, "急性应激障碍") | decide(other, "创伤后应激障碍"))
    for text, message in (
        ('{"id":"q-1","right":["甲"]}\n{"id":"q-1","right":["甲"]}\n', "decisions.jsonl:2: q-1 has two decisions"),
        ('{"id":"q-1"}\n', "expected one of"),
        ('{"id":"q-1","rihgt":["甲"]}\n', "rihgt"),
    ):
        (tmp_path / "decisions.jsonl").write_text(text, encoding="utf-8")
        with pytest.raises(ValueError, match=message):
            read_decisions(tmp_path / "decisions.jsonl")
    assert read_decisions(tmp_path / "none.jsonl") == {}


def test_decision_applies_without_a_conflict() -> None:
    rows = [ask(explanation="故选A。"), ask(at="q2")]
    same, other = (unique_questions(rows, PARAMS, decide(rows[0], right)) for right in ("急性应激障碍", "适应障碍"))
    assert same == unique_questions(rows, PARAMS)
    [kept] = other.kept
    assert (kept.answer, kept.explanation, kept.provenance) == ("C", None, same.kept[0].provenance)
    assert [row.reason for row in other.rejected] == ["overruled"]
    gone = unique_questions(rows, PARAMS, {rows[0].id: Decision(id=rows[0].id, withdrawn="ambiguous")})
    assert gone.kept == [] and [(row.reason, row.detail) for row in gone.rejected] == [("withdrawn", "ambiguous")] * 2


def test_medoid_is_most_similar_to_all() -> None:
    best = replace(ask(STEM.replace("明显", "")), explanation="见教材。")
    middle, far = ask(STEM, at="q2"), ask(STEM.replace("极易", "常常"), at="q3")
    [cluster] = unique_questions([best, middle, far], PARAMS).clusters
    assert (cluster.members[0], cluster.medoid) == (best.id, middle.id)


def test_only_copies_of_a_case_share_a_group() -> None:
    copy, other = (
        CASE.replace("受到顾客当众责骂", "受到顾客的当众责骂"),
        CASE.replace("一次结账差错受到顾客当众责骂", "老母重病需要长期照料"),
    )
    stems = ("对该求助者最可能的诊断是（ ）。", "对该求助者首选的治疗方法是（ ）。", "该求助者的主要症状是（ ）。")
    rows = [ask(stem, shared_stem=case, group_id=group_id(case)) for stem, case in zip(stems, (CASE, copy, other), strict=True)]
    kept = {row.stem: row.group_id for row in unique_questions(rows, PARAMS).kept}
    assert kept[stems[0]] == kept[stems[1]] == min(group_id(CASE), group_id(copy))
    assert kept[stems[2]] == group_id(other)


def test_lost_row_stops_the_stage() -> None:
    found = unique_questions([ask()], PARAMS)
    with pytest.raises(ValueError, match="expected in = out"):
        measure(2, 0, found, unique_facts([]))


def test_no_rows() -> None:
    assert reasons() == []
    assert measure(0, 0, unique_questions([], PARAMS), unique_facts([]))["largest_cluster"] == 0


OTHER_CASE = (
    "一般资料：求助者，男性，51岁，货车司机。案例介绍：半年前在高速公路上目睹一场多车相撞，从那以后只要路过同一路段就心慌、"
    "出汗、双手发抖，已经改跑别的路线。"
)


def test_first_of_many_copies_of_a_case_names_its_group() -> None:
    copies = [CASE.replace("此后一见到", word + "一见到") for word in ("此后", "此后她", "自此以后", "从此", "此后每", "此后又")]
    rows = [ask(f"第{n}问该求助者最主要的情绪反应是（ ）。", shared_stem=copy, group_id=group_id(copy)) for n, copy in enumerate(copies, 1)]
    assert {row.group_id for row in unique_questions(rows, PARAMS).kept} == {min(map(group_id, copies))}


@pytest.mark.parametrize("stem", ["注意的品质有（ ）", "SCL-90所统计的因子有（ ）"])
def test_polite_word_before_a_short_stem_makes_no_difference(stem: str) -> None:
    assert reasons(ask(stem), ask("请问" + stem, OPTIONS[::-1], "D", at="q2")) == ["near_duplicate"]


def test_finds_twins_under_each_case() -> None:
    rows = [
        ask(stem, shared_stem=case, group_id=group_id(case), at=f"{number}{stem[-5:]}")
        for number, case in enumerate((CASE, OTHER_CASE))
        for stem in (STEM, STEM.replace("，明显影响工作", ""))
    ]
    found = unique_questions(rows, PARAMS)
    assert sorted(row.shared_stem or "" for row in found.kept) == sorted([CASE, OTHER_CASE])


def test_sightings_outweigh_blemishes() -> None:
    often, clean = ask(STEM.replace("不断", "不断□")), ask(at="q2")
    rows = [often, ask(often.stem, at="q3"), clean]
    [kept] = unique_questions(rows, PARAMS).kept
    assert (kept.id, len(kept.provenance)) == (often.id, 3)


def test_row_without_an_answer_is_not_overruled() -> None:
    rows = [ask(), ask(answer="B", at="q2"), ask(answer=None, at="q3")]
    found = unique_questions(rows, PARAMS, decide(rows[0], OPTIONS[0]))
    assert [row.answer for row in found.kept] == ["A"]
    assert sorted(row.reason for row in found.rejected) == ["identical", "overruled"]


def statement(stem: str, answer: str, at: str) -> Question:
    return ask(stem, ("正确", "错误"), answer, at, question_type="tf")


def test_remark_may_reverse_a_true_or_false_statement() -> None:
    plain = "短时记忆的容量是有限的，一般成年人能够记住的大约是七个左右的组块，超出容量的材料很快就会遗忘。"
    remark = plain.replace("很快就会遗忘", "在复述之下也很快就会遗忘")
    assert reasons(statement(plain, "A", "q1"), statement(remark, "B", "q2")) == []


@pytest.mark.parametrize("others", [("妄想性障碍", "分离转换障碍"), ("强迫障碍", "躯体化障碍")])
def test_two_of_five_differing_options_are_too_many(others: tuple[str, str]) -> None:
    options = (*OPTIONS, "疾病焦虑障碍")
    assert relation(compared_question(ask(STEM, options), 3), compared_question(ask(STEM, (*options[:3], *others)), 3), PARAMS) is None
