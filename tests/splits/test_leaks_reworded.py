"""What is asked again in other words with the same right answer is found, as counting all pairs finds it; what asks for another is not."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import splits.leaks.__main__ as leaks
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.leaks.overlap import Wording, question_ngrams, reworded, right_option_texts, similar_pairs, wordings_of

ASKED = ("学会弹风琴的人，再学会弹钢琴就会容易些，这是由于（ ）。", ["定势的作用", "原型启发的作用", "迁移的作用", "注意的转移"], "C")
CASE = "求助者，女，23岁，大学生，近三个月来情绪低落，不愿与人交往，常独自流泪。"


def made(question, number: int, stem: str, texts: list[str], answer: str, **fields) -> Question:
    options = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", texts, strict=False)]
    shared = fields.get("shared_stem")
    return replace(
        question(number), id=question_id(shared, stem, texts), stem=stem, options=options, answer=answer, **fields
    )  # fmt: skip


def found(folder: Path) -> list[tuple[str, str, str]]:
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    try:
        leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--contained", "0.95"])
    except ValueError:
        assert not (folder / "leaks/passed.json").exists()
    return [(leak.check, leak.id, leak.other_id) for leak in read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak)]


def planted(folder: Path, asked: Question, told: Question) -> list[tuple[str, str, str]]:
    for split, one in (("reserved", asked), ("dev", told)):
        with open(folder / "splits" / split / "questions.jsonl", "ab") as file:
            file.write(to_line(one))
    return found(folder)


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
def test_what_is_asked_in_other_words_is_found_and_blocks(split_files, pool, question, name: str) -> None:
    one, two = made(question, 998, *ASKED), made(question, 999, *SAME[name])
    assert planted(split_files(pool), one, two) == [("reworded", one.id, two.id)]


@pytest.mark.parametrize(("kind", "answer", "leaks"), [("qa", "青霉素。", True), ("blank", "青霉素", True), ("qa", "头孢曲松", False)])
def test_a_choice_and_the_same_question_in_words(question, kind: str, answer: str, leaks: bool) -> None:
    stem = "临床上治疗由梅毒螺旋体所引起的慢性感染时，首选的抗菌药物是"
    one = made(question, 998, stem, ["青霉素", "红霉素", "庆大霉素", "氯霉素"], "A")
    two = made(question, 999, f"{stem[2:]}（）。", [], answer, question_type=kind)
    for asked, told in ((one, two), (two, one)):
        assert bool(reworded(wordings_of([asked]), [told])) is leaks


@pytest.mark.parametrize("name", OTHER)
def test_what_asks_for_something_else_is_none(split_files, pool, question, name: str) -> None:
    folder = split_files(pool)
    assert planted(folder, made(question, 998, *ASKED), made(question, 999, *OTHER[name])) == []
    assert (folder / "leaks/passed.json").exists()


def test_one_decisive_word_asks_two_things(split_files, pool, question) -> None:
    stem = "求助者自述车祸之后不断闪回当时的场面，不敢再乘车，夜里警觉，症状已经持续{}周，最可能的诊断是（ ）。"
    disorders = ["急性应激障碍", "创伤后应激障碍", "适应障碍", "焦虑障碍"]
    one, two = (made(question, 998 + n, stem.format(weeks), disorders[n:], "A") for n, weeks in enumerate((2, 6)))
    assert planted(split_files(pool), one, two) == []


def test_one_stem_about_two_cases_asks_two_things(split_files, pool, question) -> None:
    one = made(question, 998, "该求助者首先应当接受的是", ["药物治疗", "住院治疗"], "A", shared_stem=CASE)
    two = made(
        question,
        999,
        "该求助者首先应接受的是",
        ["药物治疗", "住院治疗"],
        "A",
        shared_stem="某中学男生，迷恋网络游戏，旷课半年，由外祖母抚养。",
    )
    assert planted(split_files(pool), one, two) == []


def test_reworded_questions_are_withdrawn(split_files, pool, question) -> None:
    folder = split_files(pool)
    train = next(one for one in read_jsonl(folder / "splits/train/questions.jsonl", Question) if len(one.options) == 5)
    test = replace(train, id="q-" + "0" * 20, stem="又" + train.stem, cluster_id=None, group_id=None)
    with open(folder / "splits/test/questions.jsonl", "ab") as file:
        file.write(to_line(test))
    assert ("reworded", test.id, train.id) in found(folder)
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--withdraw"])
    again = split_files(pool)
    assert train.id in {one.id for one in read_jsonl(again / "splits/retired/questions.jsonl", Question)}
    assert found(again) == []


GRAMS = st.frozensets(st.sampled_from("甲乙丙丁戊己庚辛"), min_size=1)
SIDES = st.lists(st.tuples(st.sampled_from([("真诚",), ("共情",), ("共情", "真诚")]), GRAMS), max_size=12)


@given(SIDES, SIDES, st.sampled_from([0.2, 0.5, 0.55, 1.0]))
def test_likeness_finds_what_comparing_all_pairs_finds(ours: list, theirs: list, least: float) -> None:
    asked = [Wording(f"a{number}", *one) for number, one in enumerate(ours)]
    told = [Wording(f"b{number}", *one) for number, one in enumerate(theirs)]
    pairs = [(a, b, round(len(a.grams & b.grams) / len(a.grams | b.grams), 6)) for a in asked for b in told if a.right == b.right]
    assert similar_pairs(asked, told, least) == sorted((a.id, b.id, share) for a, b, share in pairs if share >= least)


@given(st.permutations(list(zip("ABCD", ASKED[1], strict=True))))
def test_letters_and_order_of_options_do_not_matter(question, shuffled: list[tuple[str, str]]) -> None:
    texts = [text for _, text in shuffled]
    one, two = made(question, 1, *ASKED), made(question, 1, ASKED[0], texts, "ABCD"[texts.index("迁移的作用")])
    assert (right_option_texts(one), question_ngrams(one)) == (right_option_texts(two), question_ngrams(two))


def test_only_what_is_trained_on_is_withdrawn(split_files, pool, question) -> None:
    folder = split_files(pool)
    test, reserved = (next(read_jsonl(folder / f"splits/{side}/questions.jsonl", Question)) for side in ("test", "reserved"))
    with open(folder / "splits/test/questions.jsonl", "ab") as file:
        file.write(to_line(replace(test, id="q-" + "1" * 20, cluster_id="cluster-1")))
    with open(folder / "splits/reserved/questions.jsonl", "ab") as file:
        file.write(to_line(replace(reserved, cluster_id="cluster-1")))
    before = (folder / "assignments.jsonl").read_bytes()
    assert "cluster" in {check for check, *_ in found(folder)}
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--withdraw"])
    assert (folder / "assignments.jsonl").read_bytes() == before
