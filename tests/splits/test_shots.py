"""Few-shot lists: one exam, subject, type and form each, no tied examples, train before dev, full if the supply allows."""

from collections import defaultdict

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.question import Question, Shot
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary, Stratum, ties_of
from splits.split.shots import LISTED_SHOTS, shots_of
from tests.splits.toys import leaks_of

CELLS = [
    Stratum("kg", "PCE", "mcqa", "甲", ""), Stratum("kg", "PCE", "mrqa", "甲", ""), Stratum("ca", "PCE", "mcqa", "甲", ""),
    Stratum("kg", "TCM", "mcqa", "方剂学", "a1"), Stratum("kg", "TCM", "mcqa", "方剂学", "b1"),
]  # fmt: skip
TIE = st.sampled_from([None, None, *"abcdef"])
ROWS = st.lists(st.tuples(st.sampled_from(CELLS), TIE, TIE, TIE, st.sampled_from(["train", "train", "dev", "test", "reserved", "retired"])))


def made(drawn: list) -> tuple[list[QuestionSummary], dict[str, str]]:
    rows = [QuestionSummary(f"q{at:03}", cell, "A", group, cluster, stem) for at, (cell, group, cluster, stem, _) in enumerate(drawn)]
    return rows, {row.id: split for row, (*_, split) in zip(rows, drawn, strict=True)}


def examples(rows: list[QuestionSummary], splits: dict[str, str], seed: int) -> list[Shot]:
    return shots_of(rows, [Allocation(splits[row.id], "drawn") for row in rows], seed)


def list_of(row: QuestionSummary) -> tuple[str, str, str, str]:
    return row.stratum.exam, row.stratum.subject, row.stratum.question_type, row.stratum.form


@given(ROWS, st.randoms(use_true_random=False))
def test_list_is_full_of_unrelated_questions_of_its_kind(drawn: list, random) -> None:
    rows, splits = made(drawn)
    shots = examples(rows, splits, 1)
    by_id = {row.id: row for row in rows}
    lists = defaultdict(list)
    for shot in shots:
        lists[shot.exam, shot.subject, shot.question_type, shot.form or ""].append(shot)
    for kind, listed in lists.items():
        listed.sort(key=lambda shot: shot.place)
        assert [shot.place for shot in listed] == list(range(1, len(listed) + 1)) and len(listed) <= LISTED_SHOTS
        assert all(list_of(by_id[shot.question_id]) == kind and splits[shot.question_id] == shot.split for shot in listed)
        assert [shot.split for shot in listed] == sorted((shot.split for shot in listed), reverse=True)  # train, then dev
        ties = [tie for shot in listed for tie in ties_of(by_id[shot.question_id])]
        assert len(ties) == len(set(ties))
    for row in rows:
        listed = lists[list_of(row)]
        if splits[row.id] in ("train", "dev") and len(listed) < LISTED_SHOTS and row.id not in {shot.question_id for shot in listed}:
            assert set(ties_of(row)) & {tie for shot in listed for tie in ties_of(by_id[shot.question_id])}, row
    assert sorted(examples(random.sample(rows, len(rows)), splits, 1), key=lambda shot: shot.question_id) == sorted(
        shots, key=lambda shot: shot.question_id
    )


STOOD = st.dictionaries(
    st.tuples(st.sampled_from(CELLS), st.integers(1, LISTED_SHOTS)), st.lists(st.integers(0, 20), min_size=1, max_size=2, unique=True)
)  # fmt: skip


@pytest.mark.slow
@given(ROWS, STOOD, st.randoms(use_true_random=False))
def test_listed_examples_keep_their_slots_and_others_fill_the_rest(drawn: list, stood: dict, random) -> None:
    rows, splits = made(drawn)
    known = {(cell.exam, cell.subject, cell.question_type, cell.form, number): tuple(sorted(f"q{at:03}" for at in ids))
             for (cell, number), ids in stood.items()}  # fmt: skip
    puts = [Allocation(splits[row.id], "drawn") for row in rows]
    shots = shots_of(rows, puts, 1, known)
    by_id = {row.id: row for row in rows}
    lists: dict = defaultdict(dict)
    for shot in shots:
        lists[shot.exam, shot.subject, shot.question_type, shot.form or ""][shot.place] = shot.question_id
    assert sum(map(len, lists.values())) == len(shots)
    stay: dict = defaultdict(dict)
    for (*kind, number), ids in sorted(known.items()):
        held = stay[tuple(kind)]
        for key in ids:
            mine = key in by_id and list_of(by_id[key]) == tuple(kind) and splits[key] in ("train", "dev") and key not in held.values()
            if (
                mine
                and number not in held
                and not {tie for other in held.values() for tie in ties_of(by_id[other])} & {*ties_of(by_id[key])}
            ):
                held[number] = key
    for row in rows:
        if splits[row.id] in ("train", "dev"):
            listed = lists[list_of(row)]
            assert stay[list_of(row)].items() <= listed.items() and len({*listed.values()}) == len(listed)
            ties = [tie for key in listed.values() for tie in ties_of(by_id[key])]
            assert len(ties) == len({*ties})
            assert row.id in listed.values() or len(listed) == LISTED_SHOTS or {*ties} & {*ties_of(row)}
    again = shots_of(rows, puts, 1, dict(random.sample(list(known.items()), len(known))))
    assert sorted(again, key=list_and_place) == sorted(shots, key=list_and_place)


@pytest.mark.parametrize("turned", [False, True])
def test_keeps_the_first_of_two_listed_examples_that_became_kin(turned: bool) -> None:
    rows, splits = made([(CELLS[0], "case", None, None, "train")] * 2 + [(CELLS[0], None, None, None, "train")] * 3)
    known = {("PCE", "甲", "mcqa", "", number): (key,) for number, key in ((1, "q001"), (2, "q000"))}
    shots = shots_of(rows, [Allocation(splits[row.id], "drawn") for row in rows], 1, dict(sorted(known.items(), reverse=turned)))
    assert {shot.question_id: shot.place for shot in shots}["q001"] == 1 and "q000" not in {shot.question_id for shot in shots}


def list_and_place(shot: Shot) -> tuple:
    return shot.exam, shot.subject, shot.question_type, shot.form or "", shot.place


@pytest.mark.parametrize("seed", range(3))
def test_large_case_leaves_room_for_others(seed: int) -> None:
    rows, splits = made([(CELLS[0], "case" if number < 40 else None, None, None, "train") for number in range(60)])
    shots = examples(rows, splits, seed)
    assert len(shots) == LISTED_SHOTS and sum(shot.question_id < "q040" for shot in shots) <= 1


def test_each_form_has_its_own_list(split_files, question) -> None:
    """Otherwise a subject with many questions of one form would leave no slot for the others."""
    pool = [question(n, "TCM", "方剂学", "mcqa", "ABCDE"[n % 5], form="a1") for n in range(200)]
    pool += [question(n, "TCM", "方剂学", "mcqa", "ABCDE"[n % 5], form="b1") for n in range(200, 212)]
    folder = split_files(pool)
    shots = list(read_jsonl(folder / "splits/shots.jsonl", Shot))
    forms = {one.id: one.form for one in pool}
    assert {(shot.form, shot.place) for shot in shots} >= {(form, place) for form in ("a1", "b1") for place in (1, 2, 3, 4, 5)}
    assert all(forms[shot.question_id] == shot.form for shot in shots)


def test_example_in_another_split_than_listed_is_a_leak(split_files, pool) -> None:
    folder = split_files(pool)
    dev = next(read_jsonl(folder / "splits/dev/questions.jsonl", Question))
    shot = Shot(exam=dev.exam, subject=dev.subject, question_type=dev.question_type, place=1, question_id=dev.id, split="train")
    (folder / "splits/shots.jsonl").write_bytes(to_line(shot))
    assert [(check, key) for check, key, _ in leaks_of(folder)] == [("shot", dev.id)]


def test_example_related_to_a_test_question_is_a_leak(split_files, pool) -> None:
    folder = split_files(pool)
    shot = next(read_jsonl(folder / "splits/shots.jsonl", Shot))
    shown = next(one for one in pool if one.id == shot.question_id)
    asked = replace(shown, id="q-" + "0" * 20, stem="另一问", answer="B", cluster_id="cluster-1", group_id="group-shown")
    for name, one in (("test", asked), ("train", replace(shown, group_id="group-shown"))):
        path = folder / "splits" / name / "questions.jsonl"
        lines = [line for line in path.read_bytes().splitlines(keepends=True) if one.id.encode() not in line]
        path.write_bytes(b"".join([*lines, to_line(one)]))
    assert {("shot", asked.id, shown.id), ("case", asked.id, shown.id)} <= {*leaks_of(folder)}


def test_seed_decides_the_order() -> None:
    rows, splits = made([(CELLS[0], None, None, None, "train")] * 30)
    orders = {tuple(shot.question_id for shot in examples(rows, splits, seed)) for seed in range(5)}
    assert len(orders) == 5 and examples(rows, splits, 3) == examples(rows, splits, 3)
