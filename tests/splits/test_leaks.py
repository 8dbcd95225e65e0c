"""Stage `leaks`: each check finds what is planted, blocks, and is told; what is sound passes."""

import json
import math
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

import splits.leaks.__main__ as leaks
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question, Shot, question_id
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.leaks.overlap import contained, ngrams_of
from splits.ledger.assignments import read_assignments
from splits.release.__main__ import released_leaks

HIS = "他的特征有（ ）。"
LONG = "在心理咨询的初始阶段与求助者建立良好咨询关系最重要的条件是（ ）。"


def check(folder: Path, *words: str) -> list[leaks.Leak]:
    """Run the stage; return its table."""
    paths = {
        "splits": "splits",
        "references": "references.jsonl",
        "assignments": "assignments.jsonl",
        "out": "leaks",
        "metrics": "leaks.json",
    }
    leaks.main([*(word for flag, path in paths.items() for word in (f"--{flag}", str(folder / path))), "--contained", "0.95", *words])
    return list(read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak))


def plant(folder: Path, split: str, *questions: Question) -> None:
    with open(folder / "splits" / split / "questions.jsonl", "ab") as file:
        file.writelines(map(to_line, questions))


def asked(one: Question, stem: str, **fields) -> Question:
    fields.setdefault("shared_stem", None)
    return replace(one, id=question_id(fields["shared_stem"], stem, [o.text for o in one.options]), stem=stem, **fields)


def test_sound_splits_pass(split_files, pool, claims) -> None:
    folder = split_files(pool, claims)
    assert check(folder) == []
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
def test_a_planted_leak_is_found_and_blocks(split_files, pool, question, name: str, sides: tuple[str, str]) -> None:
    folder = split_files(pool)
    long = [replace(o, text=f"{o.text}的一个较长选项") for o in question(998).options]
    one, two = PLANTED[name](question(998), replace(question(999), options=long))
    plant(folder, sides[0], one)
    plant(folder, sides[1], two)
    with pytest.raises(ValueError, match=rf"(?s){name} +1.*--withdraw"):
        check(folder)
    found = list(read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak))
    assert [(leak.split, leak.id, leak.other_split, leak.other_id) for leak in found if leak.check == name] == [
        (sides[0], one.id, sides[1], two.id)
    ]
    assert not (folder / "leaks/passed.json").exists()


def test_what_leaks_is_not_released(split_files, release_of, pool) -> None:
    folder = split_files(pool)
    shutil.copy(folder / "splits/test/questions.jsonl", folder / "splits/train/questions.jsonl")
    with pytest.raises(ValueError, match="leaks, all in"):
        release_of(folder)
    with pytest.raises(ValueError, match=r"passed\.json: no such file, .*`dvc repro leaks`"):
        released_leaks(folder / "leaks")


def test_a_shot_that_is_asked_is_found(split_files, pool) -> None:
    folder = split_files(pool)
    test = next(read_jsonl(folder / "splits/test/questions.jsonl", Question))
    shot = Shot(exam=test.exam, subject=test.subject, question_type=test.question_type, place=1, question_id=test.id, split="train")
    (folder / "splits/shots.jsonl").write_bytes(to_line(shot))
    with pytest.raises(ValueError, match="shot"):
        check(folder)


def test_references_are_listed_or_block(split_files, pool) -> None:
    folder = split_files(pool)
    train = next(one for one in read_jsonl(folder / "splits/train/questions.jsonl", Question) if len(one.options) == 5)
    seen = [Provenance(source="cmmlu", url="cmmlu.csv", snapshot="2026-01-01", page_id="p", position="1")]
    (folder / "references.jsonl").write_bytes(to_line(replace(train, provenance=seen)))
    [leak] = check(folder)
    assert (leak.check, leak.split, leak.id, leak.other_split) == ("reference", "train", train.id, "cmmlu")
    with pytest.raises(ValueError, match="reference"):
        check(folder, "--contaminated", "block")


def test_what_gives_test_away_is_withdrawn_for_good(split_files, question) -> None:
    pool = [question(n, subject="甲") for n in range(40)]
    test = next(read_jsonl(split_files(pool, name="first") / "splits/test/questions.jsonl", Question))
    said = "".join([test.stem, *(f"，{option.text}" for option in test.options)])
    telling = asked(replace(question(77, subject="甲"), options=[]), "说说这句话", question_type="qa", answer="是", explanation=said[:-1])
    # The draw ties only what says every word; the check is told to look closer.
    flags = {"contained": "1", "quota__qa": "0"}
    folder = split_files(more := [*pool, telling], name="two", **flags)
    with pytest.raises(ValueError, match="contained"):
        check(folder)
    check(folder, "--withdraw")
    ledger = read_assignments(folder / "assignments.jsonl")
    withdrawn, (last,) = ledger.assigned[telling.id], ledger.last()
    # It stood in train until then, and `explain` must not say that it never did.
    assert (withdrawn.why, withdrawn.since) == ("leaked", last.name)
    for _ in range(2):
        again = split_files(more, name="two", **flags)
        assert telling.id in {one.id for one in read_jsonl(again / "splits/retired/questions.jsonl", Question)}
        assert check(again) == []


PARTS = st.lists(st.lists(st.text("甲乙丙丁戊", min_size=1, max_size=14), min_size=1, max_size=3), max_size=8)


@pytest.mark.slow
@given(PARTS, PARTS, st.sampled_from([0.3, 0.5, 0.9, 1.0]))
def test_containment_finds_what_counting_all_pairs_finds(ours: list[list[str]], theirs: list[list[str]], least: float) -> None:
    left = [(f"a{n}", ngrams_of(parts)) for n, parts in enumerate(ours)]
    right = [(f"b{n}", parts) for n, parts in enumerate(theirs)]

    def holds(one: frozenset[str], parts: list[str]) -> bool:
        both = one & ngrams_of(parts)
        quoted = {gram for gram in one - both if gram[0] == "^" and any(len(part) > 5 and gram[1:-1] in part for part in parts)}
        return bool(both) and len(both | quoted) >= max(1, math.ceil(round(least * len(one), 6)))

    expected = {(a, b) for a, one in left for b, parts in right if holds(one, parts)}
    assert {(one.id, one.holder_id) for one in contained(left, right, least)} == expected
