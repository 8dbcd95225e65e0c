"""Stage `leaks`: each check finds a planted leak, blocks and reports it; sound splits and a first draw pass."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import splits.leaks.__main__ as leaks
from atomexam.records.claim import ClaimPair
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, Shot, question_id
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.leaks.overlap import Wording, contained, ngrams_of, question_ngrams, reworded, right_option_texts, similar_pairs, wordings_of
from splits.ledger.assignments import read_assignments
from splits.release.__main__ import released_leaks
from tests.splits.toys import add, check_leaks, homes, leaks_of

HIS = "他的特征有（ ）。"
LONG = "在心理咨询的初始阶段与求助者建立良好咨询关系最重要的条件是（ ）。"


def asked(one: Question, stem: str, **fields) -> Question:
    fields.setdefault("shared_stem", None)
    return replace(one, id=question_id(fields["shared_stem"], stem, [o.text for o in one.options]), stem=stem, **fields)


def test_sound_splits_pass(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    assert check_leaks(folder) == []
    table = json.loads((folder / "leaks.json").read_text())
    assert table.pop("without_knowledge") == {}
    assert set(table) == set(leaks.CHECKS) and not any(row["questions"] for row in table.values())
    assert json.loads((folder / "leaks/passed.json").read_text()) == {"leaks": 0, "blocking": 0}


PLANTED: dict[str, Callable[[Question, Question], tuple[Question, Question]]] = {
    "cluster": lambda one, two: (replace(one, cluster_id="c"), replace(two, cluster_id="c")),
    "case": lambda one, two: (replace(one, group_id="g"), replace(two, group_id="g")),
    "stem": lambda one, two: (asked(one, LONG), asked(two, LONG)),
    "asked": lambda one, two: (asked(one, HIS, shared_stem="案例一", options=two.options), asked(two, HIS)),
    "contained": lambda one, two: (asked(one, LONG, options=[]), asked(two, "以下哪句话是对的", explanation=f"教材说：{LONG}")),
}  # fmt: skip


@pytest.mark.parametrize("sides", [("test", "train"), ("reserved", "dev")])
@pytest.mark.parametrize("name", PLANTED)
def test_planted_leak_is_found_and_blocks(split_files, pool, question, name: str, sides: tuple[str, str]) -> None:
    folder = split_files(pool)
    long = [replace(o, text=f"{o.text}的一个较长选项") for o in question(998).options]
    one, two = PLANTED[name](question(998), replace(question(999), options=long))
    add(folder, sides[0], one)
    add(folder, sides[1], two)
    with pytest.raises(ValueError, match=rf"(?s){name} +1.*--withdraw"):
        check_leaks(folder)
    found = list(read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak))
    assert [(leak.split, leak.id, leak.other_split, leak.other_id) for leak in found if leak.check == name] == [
        (sides[0], one.id, sides[1], two.id)
    ]
    assert not (folder / "leaks/passed.json").exists()


def test_does_not_release_leaking_splits(split_files, release_of, pool) -> None:
    folder = split_files(pool)
    shutil.copy(folder / "splits/test/questions.jsonl", folder / "splits/train/questions.jsonl")
    with pytest.raises(ValueError, match="leaks, all in"):
        release_of(folder)
    with pytest.raises(ValueError, match=r"passed\.json: no such file, .*`dvc repro leaks`"):
        released_leaks(folder / "leaks")


def test_finds_a_shot_that_is_a_test_question(split_files, pool) -> None:
    folder = split_files(pool)
    test = next(read_jsonl(folder / "splits/test/questions.jsonl", Question))
    shot = Shot(exam=test.exam, subject=test.subject, question_type=test.question_type, place=1, question_id=test.id, split="train")
    (folder / "splits/shots.jsonl").write_bytes(to_line(shot))
    with pytest.raises(ValueError, match="shot"):
        check_leaks(folder)


def test_references_are_listed_or_block(split_files, pool) -> None:
    folder = split_files(pool)
    train = next(one for one in read_jsonl(folder / "splits/train/questions.jsonl", Question) if len(one.options) == 5)
    seen = [Provenance(source="cmmlu", url="cmmlu.csv", snapshot="2026-01-01", page_id="p", position="1")]
    (folder / "references.jsonl").write_bytes(to_line(replace(train, provenance=seen)))
    [leak] = check_leaks(folder)
    assert (leak.check, leak.split, leak.id, leak.other_split) == ("reference", "train", train.id, "cmmlu")
    with pytest.raises(ValueError, match="reference"):
        check_leaks(folder, "--contaminated", "block")


def test_withdraws_leaking_records_permanently(split_files, question) -> None:
    pool = [question(n, subject="甲") for n in range(40)]
    test = next(read_jsonl(split_files(pool, name="first") / "splits/test/questions.jsonl", Question))
    said = "".join([test.stem, *(f"，{option.text}" for option in test.options)])
    telling = asked(replace(question(77, subject="甲"), options=[]), "说说这句话", question_type="qa", answer="是", explanation=said[:-1])
    # The draw ties only complete copies; the check uses a stricter setting.
    flags = {"contained": "1", "quota__qa": "0"}
    folder = split_files(more := [*pool, telling], name="two", **flags)
    with pytest.raises(ValueError, match="contained"):
        check_leaks(folder)
    check_leaks(folder, "--withdraw")
    ledger = read_assignments(folder / "assignments.jsonl")
    withdrawn, (last,) = ledger.assigned[telling.id], ledger.last()
    # It was in train until then, and `explain` must not deny that.
    assert (withdrawn.why, withdrawn.since) == ("leaked", last.name)
    for _ in range(2):
        again = split_files(more, name="two", **flags)
        assert telling.id in {one.id for one in read_jsonl(again / "splits/retired/questions.jsonl", Question)}
        assert check_leaks(again) == []


PARTS = st.lists(st.lists(st.text("甲乙丙丁戊", min_size=1, max_size=14), min_size=1, max_size=3), max_size=8)


@pytest.mark.slow
@given(PARTS, PARTS, st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_containment_equals_brute_force(ours: list[list[str]], theirs: list[list[str]], least: float) -> None:
    left = [(f"a{n}", ngrams_of(parts)) for n, parts in enumerate(ours)]
    right = [(f"b{n}", parts) for n, parts in enumerate(theirs)]

    def holds(one: frozenset[str], parts: list[str]) -> bool:
        both = one & ngrams_of(parts)
        quoted = {gram for gram in one - both if gram[0] == "^" and any(len(part) > 5 and gram[1:-1] in part for part in parts)}
        return bool(both) and len(both | quoted) >= max(1, math.ceil(round(least * len(one), 6)))

    expected = {(a, b) for a, one in left for b, parts in right if holds(one, parts)}
    assert {(one.id, one.holder_id) for one in contained(left, right, least)} == expected


ASKED = ("学会弹风琴的人，再学会弹钢琴就会容易些，这是由于（ ）。", ["定势的作用", "原型启发的作用", "迁移的作用", "注意的转移"], "C")
CASE = "求助者，女，23岁，大学生，近三个月来情绪低落，不愿与人交往，常独自流泪。"


def made(question, number: int, stem: str, texts: list[str], answer: str, **fields) -> Question:
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", texts, strict=False)]
    identity = question_id(fields.get("shared_stem"), stem, texts)
    return replace(question(number), id=identity, stem=stem, options=options, answer=answer, **fields)


def planted(folder: Path, asked: Question, told: Question, stops: bool) -> list[tuple[str, str, str]]:
    add(folder, "reserved", asked)
    add(folder, "dev", told)
    return leaks_of(folder, stops)


SAME = {
    "a word changed": ("学会弹风琴的人，再学习弹钢琴就会容易些，这是由于（ ）", ASKED[1], "C"),
    "options in another order": (ASKED[0].replace("再", "也"), ASKED[1][::-1], "B"),
    "other distractors": (ASKED[0].replace("容易些", "容易"), ["强化的作用", "泛化的作用", "迁移的作用", "顿悟的结果"], "C"),
    "one option exchanged": (ASKED[0].replace("由于", "因为"), [*ASKED[1][:3], "练习的作用"], "C"),
}
OTHER = {
    "another is right": (SAME["a word changed"][0], ASKED[1], "D"),
    "one more is right": (SAME["a word changed"][0], ASKED[1], "CD"),
    "another question": ("举一反三、触类旁通说的是下列哪一种现象", ["迁移的作用", "练习的作用", "顿悟的作用", "成熟的作用"], "A"),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
def test_reworded_question_is_found_and_blocks(split_files, pool, question, name: str) -> None:
    one, two = made(question, 998, *ASKED), made(question, 999, *SAME[name])
    assert planted(split_files(pool), one, two, stops=True) == [("reworded", one.id, two.id)]


@pytest.mark.parametrize(("kind", "answer", "is_leak"), [("qa", "青霉素。", True), ("blank", "青霉素", True), ("qa", "头孢曲松", False)])
def test_choice_and_the_same_question_in_words(question, kind: str, answer: str, is_leak: bool) -> None:
    stem = "临床上治疗由梅毒螺旋体所引起的慢性感染时，首选的抗菌药物是"
    one = made(question, 998, stem, ["青霉素", "红霉素", "庆大霉素", "氯霉素"], "A")
    two = made(question, 999, f"{stem[2:]}（）。", [], answer, question_type=kind)
    for asked, told in ((one, two), (two, one)):
        assert bool(reworded(wordings_of([asked]), [told])) is is_leak


@pytest.mark.parametrize("name", OTHER)
def test_different_question_is_no_leak(split_files, pool, question, name: str) -> None:
    assert planted(split_files(pool), made(question, 998, *ASKED), made(question, 999, *OTHER[name]), stops=False) == []


def test_one_decisive_word_makes_two_questions(split_files, pool, question) -> None:
    stem = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉，症状已经持续{}周，最可能的诊断是（ ）。"
    disorders = ["急性应激障碍", "创伤后应激障碍", "适应障碍", "焦虑障碍"]
    one, two = (made(question, 998 + n, stem.format(weeks), disorders[n:], "A") for n, weeks in enumerate((2, 6)))
    assert planted(split_files(pool), one, two, stops=False) == []


def test_one_stem_on_two_cases_makes_two_questions(split_files, pool, question) -> None:
    one = made(question, 998, "该求助者首先应当接受的是", ["药物治疗", "住院治疗"], "A", shared_stem=CASE)
    other = "某中学男生，迷恋网络游戏，旷课半年，由外祖母抚养。"
    two = made(question, 999, "该求助者首先应接受的是", ["药物治疗", "住院治疗"], "A", shared_stem=other)
    assert planted(split_files(pool), one, two, stops=False) == []


def test_withdraws_reworded_questions(split_files, pool, question) -> None:
    folder = split_files(pool)
    train = next(one for one in read_jsonl(folder / "splits/train/questions.jsonl", Question) if len(one.options) == 5)
    test = replace(train, id="q-" + "0" * 20, stem="又" + train.stem, cluster_id=None, group_id=None)
    add(folder, "test", test)
    assert ("reworded", test.id, train.id) in leaks_of(folder)
    check_leaks(folder, "--withdraw")
    again = split_files(pool)
    assert homes(again)[train.id] == "retired" and leaks_of(again, stops=False) == []


GRAMS = st.frozensets(st.sampled_from("甲乙丙丁戊己庚辛"), min_size=1)
SIDES = st.lists(st.tuples(st.sampled_from([("真诚",), ("共情",), ("共情", "真诚")]), GRAMS), max_size=12)


@given(SIDES, SIDES, st.sampled_from([0.2, 0.5, 0.55, 1.0]))
def test_similarity_equals_brute_force(ours: list, theirs: list, least: float) -> None:
    asked = [Wording(f"a{number}", *one) for number, one in enumerate(ours)]
    told = [Wording(f"b{number}", *one) for number, one in enumerate(theirs)]
    pairs = [(a, b, round(len(a.grams & b.grams) / len(a.grams | b.grams), 6)) for a in asked for b in told if a.right == b.right]
    assert similar_pairs(asked, told, least) == sorted((a.id, b.id, share) for a, b, share in pairs if share >= least)


@given(st.permutations(list(zip("ABCD", ASKED[1], strict=True))))
def test_letters_and_order_of_options_do_not_matter(question, shuffled: list[tuple[str, str]]) -> None:
    texts = [text for _, text in shuffled]
    one, two = made(question, 1, *ASKED), made(question, 1, ASKED[0], texts, "ABCD"[texts.index("迁移的作用")])
    assert (right_option_texts(one), question_ngrams(one)) == (right_option_texts(two), question_ngrams(two))


def test_withdraws_only_trained_on_records(split_files, pool, question) -> None:
    folder = split_files(pool)
    test, reserved = (next(read_jsonl(folder / f"splits/{side}/questions.jsonl", Question)) for side in ("test", "reserved"))
    add(folder, "test", replace(test, id="q-" + "1" * 20, cluster_id="cluster-1"))
    add(folder, "reserved", replace(reserved, cluster_id="cluster-1"))
    before = (folder / "assignments.jsonl").read_bytes()
    assert "cluster" in {check for check, *_ in leaks_of(folder)}
    check_leaks(folder, "--withdraw")
    assert (folder / "assignments.jsonl").read_bytes() == before


SHORT = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", ["真诚", "尊重", "共情", "热情", "耐心"], strict=True)]


def changed(one: Question, **fields) -> Question:
    one = replace(one, **fields)
    return replace(one, id=question_id(one.shared_stem, one.stem, [option.text for option in one.options]))


TOLD = f"{LONG}{'，'.join(f'{option.letter}、{option.text}' for option in SHORT)}"
TELLING = {"explanation": {"explanation": f"真题：{TOLD}"}, "answer": {"question_type": "qa", "options": [], "answer": TOLD}}


@pytest.mark.parametrize("where", TELLING)
def test_finds_a_quoted_question_with_short_options(split_files, pool, question, where: str) -> None:
    folder = split_files(pool)
    asked, telling = changed(question(998), stem=LONG, options=SHORT), changed(question(999), **TELLING[where])
    add(folder, "test", asked)
    add(folder, "train", telling)
    assert leaks_of(folder) == [("contained", asked.id, telling.id)]


@pytest.mark.parametrize("groups", [(None, None), ("group-one", "group-two"), ("group-one", "group-one")])
def test_case_is_the_same_under_any_group(split_files, pool, question: Callable[..., Question], groups: tuple) -> None:
    folder = split_files(pool)
    one = changed(question(998), shared_stem=CASE, group_id=groups[0])
    other = changed(question(999), shared_stem=CASE.replace("，", ", "), group_id=groups[1])
    add(folder, "test", one)
    add(folder, "train", other)
    assert leaks_of(folder) == [("case", one.id, other.id)]


def test_short_parts_count_inside_a_part() -> None:
    asked = [("q", ngrams_of(["建立关系的条件", "真诚", "尊重"]))]
    assert [one.share for one in contained(asked, [("t", ["问建立关系的条件答真诚"])], 0.8)] == [0.8]
    assert contained(asked, [("t", ["问建立关系的条件答真诚"])], 0.81) == []


def test_new_leak_removes_the_earlier_pass(split_files, pool, question) -> None:
    folder = split_files(pool)
    assert leaks_of(folder, stops=False) == []
    nowhere = Shot(exam="PCE", subject="甲", question_type="mcqa", place=11, question_id="q-nowhere", split="train")
    with open(folder / "splits/shots.jsonl", "ab") as file:
        file.write(to_line(nowhere))
    assert leaks_of(folder) == [("shot", "q-nowhere", "q-nowhere")]


def in_other_words(one: Question, number: int) -> Question:
    """Return the question with a few signs added to its stem: related by wording, with no other tie."""
    stem = f"{one.stem[:-4]}（第{number}版）{one.stem[-4:]}"
    return replace(one, id=question_id(one.shared_stem, stem, [option.text for option in one.options]), stem=stem)


def quoting(one: Question, number: int, question) -> Question:
    """Return a question in words whose explanation quotes another in full."""
    said = "".join([one.stem, *(f"，{option.text}" for option in one.options)])
    return replace(question(number, kind="qa", answer="略"), explanation=f"参见第{number}页：{said}。")


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.integers(0, 59), max_size=30), st.sets(st.integers(0, 59), max_size=12), st.integers(1, 99))
def test_first_draw_has_no_text_leak(split_files, pool, question, again: set[int], quoted: set[int], seed: int) -> None:
    chosen = pool[:60]
    copies = [in_other_words(chosen[at], at) for at in sorted(again)] + [quoting(chosen[at], 1000 + at, question) for at in sorted(quoted)]
    folder = split_files([*pool, *copies], name=f"{seed}-{len(copies)}-{sum(again | quoted)}", seed=str(seed))
    assert leaks_of(folder, stops=False) == []
    assert len(homes(folder)) == len(pool) + len(copies)


def test_later_rewording_joins_its_kin_or_no_split(split_files, pool) -> None:
    folder = split_files(pool)
    before = homes(folder)
    copies = [in_other_words(one, at) for at, one in enumerate(pool) if one.options and before[one.id] in ("test", "reserved")]
    after = homes(split_files([*pool, *copies]))
    assert copies and leaks_of(folder, stops=False) == []
    assert {key: after[key] for key in before} == before
    assert {after[one.id] for one in copies} <= {"test", "reserved", "retired"}


def test_does_not_evaluate_a_claim_in_a_question_of_train(split_files, pool, claims: list[ClaimPair], question) -> None:
    telling = [
        replace(question(5000 + at, kind="qa", answer="略"), explanation=f"书中说：{claim.factual}应当记住。")
        for at, claim in enumerate(claims)
    ]
    folder = split_files([*pool, *telling], claims, quota__qa="0", claim_test_share="0.5")
    assert leaks_of(folder, stops=False) == []
    ledger = read_assignments(folder / "assignments.jsonl")
    assert not {one.split for key, one in ledger.assigned.items() if not key.startswith("q")} & {"test", "reserved"}


@pytest.mark.parametrize("texts", [["甲说", "乙说"], ["对", "错"]])
def test_questions_with_different_answers_are_not_kin(split_files, question, texts: list[str]) -> None:
    options = [Option(letter=letter, text=text) for letter, text in zip("AB", texts, strict=True)]
    stems = [f"下列关于心境障碍患者自知力恢复情况的说法中应当选哪一项（第{n % 2}版）。{n // 2}" for n in range(40)]
    made = [replace(question(n), id=question_id(None, stem, texts), stem=stem, options=options, answer="AB"[n % 2])
            for n, stem in enumerate(stems)]  # fmt: skip
    folder = split_files(made)
    assert leaks_of(folder, stops=False) == []
