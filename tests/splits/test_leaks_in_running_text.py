"""What gives a question away without the form of one: its words run on in an explanation or an answer, its case under another group."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

import splits.leaks.__main__ as leaks
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.leaks.overlap import contained, ngrams_of
from splits.split.shots import Shot

LONG = "在心理咨询的初始阶段与求助者建立良好咨询关系最重要的条件是（ ）。"
SHORT = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", ["真诚", "尊重", "共情", "热情", "耐心"], strict=True)]
CASE = "求助者，女，23岁，大学生，近三个月来情绪低落，不愿与人交往，常独自流泪。"


def made(one: Question, **fields) -> Question:
    one = replace(one, **fields)
    return replace(one, id=question_id(one.shared_stem, one.stem, [option.text for option in one.options]))


def found(folder: Path) -> list[tuple[str, str, str]]:
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    with pytest.raises(ValueError, match="leaks"):
        leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--contained", "0.95"])
    return [(leak.check, leak.id, leak.other_id) for leak in read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak)]


TOLD = f"{LONG}{'，'.join(f'{option.letter}、{option.text}' for option in SHORT)}"
TELLING = {"explanation": {"explanation": f"真题：{TOLD}"}, "answer": {"question_type": "qa", "options": [], "answer": TOLD}}


@pytest.mark.parametrize("where", TELLING)
def test_a_question_with_short_options_is_found_where_it_is_quoted(split_files, pool, question, where: str) -> None:
    folder = split_files(pool)
    asked, telling = made(question(998), stem=LONG, options=SHORT), made(question(999), **TELLING[where])
    for split, one in (("test", asked), ("train", telling)):
        with open(folder / "splits" / split / "questions.jsonl", "ab") as file:
            file.write(to_line(one))
    assert found(folder) == [("contained", asked.id, telling.id)]


@pytest.mark.parametrize("groups", [(None, None), ("group-one", "group-two"), ("group-one", "group-one")])
def test_a_case_is_one_case_under_any_group(split_files, pool, question: Callable[..., Question], groups: tuple) -> None:
    folder = split_files(pool)
    one = made(question(998), shared_stem=CASE, group_id=groups[0])
    other = made(question(999), shared_stem=CASE.replace("，", ", "), group_id=groups[1])
    for split, asked in (("test", one), ("train", other)):
        with open(folder / "splits" / split / "questions.jsonl", "ab") as file:
            file.write(to_line(asked))
    assert found(folder) == [("case", one.id, other.id)]


def test_short_parts_count_where_they_stand_within_a_part() -> None:
    asked = [("q", ngrams_of(["建立关系的条件", "真诚", "尊重"]))]
    assert [one.share for one in contained(asked, [("t", ["问建立关系的条件答真诚"])], 0.8)] == [0.8]
    assert contained(asked, [("t", ["问建立关系的条件答真诚"])], 0.81) == []


def test_what_passed_before_and_leaks_now_has_not_passed(split_files, pool, question) -> None:
    folder = split_files(pool)
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--contained", "0.95"])
    assert (folder / "leaks/passed.json").exists()
    nowhere = Shot(exam="PCE", subject="甲", question_type="mcqa", place=11, question_id="q-nowhere", split="train")
    with open(folder / "splits/shots.jsonl", "ab") as file:
        file.write(to_line(nowhere))
    assert found(folder) == [("shot", "q-nowhere", "q-nowhere")]
    assert not (folder / "leaks/passed.json").exists()
