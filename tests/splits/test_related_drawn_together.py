"""A first draw has no leak that the check would find by words: what is kin goes to one split, and so do later versions."""

from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

import splits.leaks.__main__ as leaks
from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question, question_id
from atomexam.runtime.jsonl import read_jsonl
from splits.ledger.assignments import read_assignments


def leaks_of(folder: Path) -> list[tuple[str, str, str]]:
    names = {"splits": "splits", "references": "none.jsonl", "assignments": "assignments.jsonl", "out": "leaks", "metrics": "leaks.json"}
    leaks.main([*(word for flag, name in names.items() for word in (f"--{flag}", str(folder / name))), "--contained", "0.95"])
    return [(leak.check, leak.id, leak.other_id) for leak in read_jsonl(folder / "leaks/leaks.jsonl", leaks.Leak)]


def reworded(one: Question, number: int) -> Question:
    """Return the question with a few signs added to its stem: kin by words, tied by nothing else."""
    stem = f"{one.stem[:-4]}（第{number}版）{one.stem[-4:]}"
    return replace(one, id=question_id(one.shared_stem, stem, [option.text for option in one.options]), stem=stem)


def told(one: Question, number: int, question) -> Question:
    """Return a question in words whose explanation quotes another whole."""
    said = "".join([one.stem, *(f"，{option.text}" for option in one.options)])
    return replace(question(number, kind="qa", answer="略"), explanation=f"参见第{number}页：{said}。")


def homes(folder: Path) -> dict[str, str]:
    return {one.id: split for split in ("train", "dev", "test", "reserved", "retired")
            for one in read_jsonl(folder / "splits" / split / "questions.jsonl", Question)}  # fmt: skip


@pytest.mark.slow
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.sets(st.integers(0, 59), max_size=30), st.sets(st.integers(0, 59), max_size=12), st.integers(1, 99))
def test_a_first_draw_has_no_leak_by_words(split_files, pool, question, again: set[int], quoted: set[int], seed: int) -> None:
    chosen = pool[:60]
    copies = [reworded(chosen[at], at) for at in sorted(again)] + [told(chosen[at], 1000 + at, question) for at in sorted(quoted)]
    folder = split_files([*pool, *copies], name=f"{seed}-{len(copies)}-{sum(again | quoted)}", seed=str(seed))
    assert leaks_of(folder) == []
    assert len(homes(folder)) == len(pool) + len(copies)


def test_a_rewording_that_comes_later_goes_to_its_kin_or_nowhere(split_files, pool) -> None:
    folder = split_files(pool)
    before = homes(folder)
    copies = [reworded(one, at) for at, one in enumerate(pool) if one.options and before[one.id] in ("test", "reserved")]
    after = homes(split_files([*pool, *copies]))
    assert copies and leaks_of(folder) == []
    assert {key: after[key] for key in before} == before
    assert {after[one.id] for one in copies} <= {"test", "reserved", "retired"}


def test_a_claim_that_a_question_of_train_tells_is_not_asked(split_files, pool, claims: list[ClaimPair], question) -> None:
    telling = [
        replace(question(5000 + at, kind="qa", answer="略"), explanation=f"书中说：{claim.factual}应当记住。")
        for at, claim in enumerate(claims)
    ]
    folder = split_files([*pool, *telling], claims, quota__qa="0", claim_test_share="0.5")
    assert leaks_of(folder) == []
    ledger = read_assignments(folder / "assignments.jsonl")
    assert not {one.split for key, one in ledger.assigned.items() if not key.startswith("q")} & {"test", "reserved"}


@pytest.mark.parametrize("texts", [["甲说", "乙说"], ["对", "错"]])
def test_what_is_right_differently_is_not_kin(split_files, question, texts: list[str]) -> None:
    options = [Option(letter=letter, text=text) for letter, text in zip("AB", texts, strict=True)]
    stems = [f"下列关于心境障碍患者自知力恢复情况的说法中应当选哪一项（第{n % 2}版）。{n // 2}" for n in range(40)]
    made = [replace(question(n), id=question_id(None, stem, texts), stem=stem, options=options, answer="AB"[n % 2])
            for n, stem in enumerate(stems)]  # fmt: skip
    folder = split_files(made)
    assert leaks_of(folder) == []
