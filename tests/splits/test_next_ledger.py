"""What a version adds to the ledger, and which questions are new wordings of ones no longer in the data."""

from collections.abc import Iterable
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.blocks import Quota
from atomexam.records.question import Option, Question, Shot
from atomexam.runtime.jsonl import read_jsonl
from atomexam.text.canonical import canonical
from splits.ledger.assignments import HELD_BACK, Assignment, AssignmentLedger, ListedShot, read_assignments, write_assignments
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import ASSIGNED_SPLITS, summary_of
from splits.split.next_ledger import edited_of, sketch, updated_ledger
from splits.split.questions import Questions
from tests.splits.toys import first_version, split_params

PARAMS = split_params(quota=Quota(mcqa=2), claim_test_share=0, claim_reserved_share=0)
LAST = first_version(PARAMS)
OLD = "艾宾浩斯遗忘曲线表明遗忘的进程最初很快以后逐渐缓慢"
NEW = "艾宾浩斯遗忘曲线表明遗忘的进程最初很快以后逐渐变慢"
OTHER = "皮亚杰认为儿童的认知发展可以分为四个不同的阶段"
ALSO = st.lists(st.sampled_from(["q-x", "q-y"]), unique=True).map(lambda names: tuple(sorted(names)))
WHERE = st.tuples(st.sampled_from(ASSIGNED_SPLITS), st.sampled_from(["drawn", "rest", "kin"]), st.sampled_from([None, "test", "reserved"]))


def asked(key: str, stem: str = OLD, options: Iterable[str] = ()) -> Question:
    listed = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", options, strict=False)]
    return Question(id=key, exam="PCE", subject="甲", question_type="qa", stem=stem, options=listed, answer="因为", provenance=[])


def known(key: str, stem: str = OLD, split: str = "test", **fields) -> Assignment:
    held = sketch(canonical(stem)) if split in HELD_BACK else ""
    return Assignment(id=key, split=split, since="v1-a", why="drawn", sketch=held, **fields)


def questions(*records: Question, also: dict[str, tuple[str, ...]] | None = None) -> Questions:
    return Questions([summary_of(one, (also or {}).get(one.id, ())) for one in records], list(records))


def test_recognizes_new_wordings_only_of_removed_questions() -> None:
    ledger = AssignmentLedger([LAST, known("q-old"), known("q-other", OTHER)])
    assert edited_of(questions(asked("q-new", NEW)), ledger) == {"q-new": ["q-old"]}
    assert edited_of(questions(asked("q-new", NEW), asked("q-old")), ledger) == {}
    assert edited_of(questions(asked("q-new", NEW), asked("q-other", OTHER)), ledger) == {"q-new": ["q-old"]}


def test_known_question_may_represent_a_new_wording_of_a_removed_one() -> None:
    trained = known("q-known", NEW, "train")
    here = questions(asked("q-known", NEW), also={"q-known": ("q-next",)})
    assert edited_of(questions(asked("q-known", NEW)), AssignmentLedger([LAST, known("q-old"), trained])) == {}
    assert edited_of(here, AssignmentLedger([LAST, known("q-old"), trained])) == {"q-known": ["q-old"]}
    # It represented that one before, or that one was next to it: then the two were distinguished while the removed one was present.
    assert edited_of(here, AssignmentLedger([LAST, known("q-old"), replace(trained, also=("q-next",))])) == {}
    assert edited_of(here, AssignmentLedger([LAST, known("q-old"), trained, known("q-next", NEW, "train")])) == {}


def test_option_order_makes_no_new_wording_but_the_case_does() -> None:
    options = ["最初很快以后逐渐缓慢", "最初很慢以后逐渐加快", "始终以相同的速度进行", "先慢后快再慢且有起伏"]
    case = replace(asked("q-1", "遗忘", options), shared_stem=OTHER)
    (one,) = questions(case).texts(["q-1"])
    (turned,) = questions(replace(case, options=case.options[::-1])).texts(["q-1"])
    assert one == turned == ("q-1", canonical(OTHER + "遗忘" + "".join(sorted(options))))


@given(WHERE, WHERE, ALSO, ALSO, st.booleans())
def test_ledger_records_the_split_and_since_when(before: tuple, put: tuple, was_also: tuple, also: tuple, here: bool) -> None:
    old = known("q-1", OLD, before[0], was=before[2], also=was_also, ties=("group-old",))
    old, put = replace(old, why=before[1]), Allocation(*put)
    found = questions(asked("q-1"), also={"q-1": also}) if here else questions()
    ledger = AssignmentLedger([LAST, old])
    after = updated_ledger(ledger, found, {"q-1": put} if here else {}, {}, PARAMS)
    one = after.assigned["q-1"]
    if not here:
        assert one == old and after.versions == ledger.versions
        return
    moved = (put.split, put.was) != (old.split, old.was)
    told = (put.split, put.was, put.why) if moved else (old.split, old.was, old.why)
    assert (one.split, one.was, one.why) == told and (one.since != "v1-a") == moved
    assert one.since in after.versions and {*one.also} == {*was_also, *also} and {*one.ties} > {"group-old"}
    assert one.sketch == (sketch(canonical(OLD)) if old.sketch or put.split in HELD_BACK else "")
    names = {*one.also, *one.ties}
    assert [*one.also] == sorted(one.also) and all(memory_of.id == "q-1" for name in names for memory_of in after.named([name]))


def test_records_changed_parameters_even_without_moves() -> None:
    """Otherwise a quota that grew once would ask for more in each later version. Equal parameters make no version."""
    ledger, found, put = AssignmentLedger([LAST]), questions(asked("q-1")), {"q-1": Allocation("train", "rest")}
    first = updated_ledger(ledger, found, put, {}, PARAMS)
    assert len(first.versions) == 2 and updated_ledger(first, found, put, {}, PARAMS).versions == first.versions
    changed = replace(PARAMS, quota=Quota(mcqa=3))
    (last,) = updated_ledger(first, found, put, {}, changed).last()
    assert (last.number, last.settings) == (3, msgspec.to_builtins(changed))


@pytest.mark.parametrize("number", [2, 3])
def test_parameters_of_either_branch_make_no_version(number: int) -> None:
    first = updated_ledger(AssignmentLedger([LAST]), questions(asked("q-1")), {"q-1": Allocation("train", "rest")}, {}, PARAMS)
    (one,) = first.last()
    other = replace(one, name="v2-other", settings=one.settings | {"quota": one.settings["quota"] | {"mcqa": 3}})
    both = AssignmentLedger([*first.versions.values(), other, *first.assigned.values()])
    after = updated_ledger(
        both, questions(asked("q-1")), {"q-1": Allocation("train", "rest")}, {}, replace(PARAMS, quota=Quota(mcqa=number))
    )
    assert after.versions == both.versions and len(both.last()) == 2


@given(st.permutations(["q-1", "q-2", "head 病"]))
def test_versions_depend_only_on_records_and_parameters(ids: list[str]) -> None:
    ledger = AssignmentLedger([LAST])
    made = ledger.next_version(PARAMS, ids)
    assert made == ledger.next_version(PARAMS, ["q-1", "q-2", "head 病"])
    others = [
        ledger.next_version(replace(PARAMS, seed=2), ids),
        ledger.next_version(PARAMS, [*ids, "q-3"]),
        AssignmentLedger().next_version(PARAMS, ids),
    ]
    assert len({made.name, *(other.name for other in others)}) == 4  # each of two branches has its own


@pytest.mark.slow
@given(st.permutations(range(1, 13)), st.permutations([("甲", 1, "q-2"), ("甲", 1, "q-1"), ("甲", 2, "q-3"), ("乙", 1, "q-4")]))
def test_writes_versions_by_number_and_counts_in_the_last(tmp_path_factory, numbers: list[int], listed: list) -> None:
    """Two branches may have filled one slot differently: both examples are recorded."""
    versions = [replace(LAST, name=f"v{number}-a", number=number) for number in numbers]
    shown = [ListedShot(exam="PCE", subject=subject, question_type="mcqa", place=place, id=key) for subject, place, key in listed]
    path = tmp_path_factory.mktemp("memory") / "assignments.jsonl"
    write_assignments(path, AssignmentLedger([*versions, known("q-1"), known("q-2", split="train"), *shown]))
    rows = [msgspec.json.decode(line) for line in path.read_bytes().splitlines()]
    assert [(row["number"], row["assigned"], row["held"]) for row in rows[:12]] == [
        *((number, 0, 0) for number in range(1, 12)),
        (12, 2, 1),
    ]
    assert [(row["subject"], row["place"], row["id"]) for row in rows[12:16]] == [
        ("乙", 1, "q-4"), ("甲", 1, "q-1"), ("甲", 1, "q-2"), ("甲", 2, "q-3"),
    ]  # fmt: skip
    assert read_assignments(path).shots["PCE", "甲", "mcqa", "", 1] == ("q-1", "q-2")


@pytest.mark.parametrize("stem", ["遗忘的进程是", OLD])
def test_recognizes_a_question_with_other_options_by_its_stem(stem: str) -> None:
    found = questions(asked("q-1", stem))
    after = updated_ledger(AssignmentLedger(), found, {"q-1": Allocation("test", "drawn")}, {}, PARAMS)
    other = summary_of(asked("q-2", stem, ["甲", "乙"]))
    assert other.stem_id and [one.id for one in after.named([other.stem_id])] == ["q-1"]


def test_returning_subject_keeps_its_list(split_files, question) -> None:
    first, more, others = ([question(n, subject=subject) for n in range(*numbers)]
                           for subject, *numbers in (("甲", 0, 30), ("甲", 30, 90), ("乙", 0, 30)))  # fmt: skip
    listed = shots(split_files([*first, *others]))
    assert [shots(split_files(pool))["甲"] for pool in ([*first, *more, *others], others, [*first, *more, *others])] == [
        listed["甲"], [], listed["甲"],
    ]  # fmt: skip


def shots(folder: Path) -> dict[str, list[Shot]]:
    found: dict[str, list[Shot]] = {"甲": [], "乙": []}
    for shot in read_jsonl(folder / "splits/shots.jsonl", Shot):
        found[shot.subject].append(shot)
    return found
