"""The ledger of assignments: merged branches, recognized edits, and explanations."""

import subprocess
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from atomexam.records.question import Question, Shot, question_id
from atomexam.runtime.jsonl import read_jsonl, to_line
from splits import explain
from splits.ledger.assignments import Assignment, AssignmentLedger, Version, read_assignments, safer
from splits.ledger.units import ASSIGNED_SPLITS
from splits.split.next_ledger import known_again, sketch
from tests.splits.toys import homes

PLACED = st.builds(
    Assignment, id=st.just("q-1"), split=st.sampled_from(ASSIGNED_SPLITS), since=st.sampled_from(["v1-a", "v2-b", "v2-c"]),
    why=st.sampled_from(["drawn", "rest"]), was=st.sampled_from([None, "test", "reserved"]),
    also=st.sampled_from([(), ("q-2",)]), ties=st.sampled_from([(), ("stem-1",)]),
)  # fmt: skip
TRAINED = {"train", "dev"}


@given(st.lists(PLACED, min_size=1, max_size=4), st.randoms(use_true_random=False))
def test_conflicting_rows_resolve_to_the_safer_one_in_any_order(rows: list[Assignment], random: Random) -> None:
    held = any(row.split not in TRAINED for row in rows)
    kept = AssignmentLedger(rows).assigned["q-1"]
    assert (kept.split not in TRAINED) == held
    if held and any(row.split in TRAINED for row in rows):
        assert (kept.split, kept.was) == ("retired", None)
    shuffled = [*rows, rows[0]]
    random.shuffle(shuffled)
    again = AssignmentLedger(shuffled).assigned["q-1"]
    assert (again.split in TRAINED) == (kept.split in TRAINED)


@given(PLACED, PLACED)
def test_order_of_two_rows_does_not_matter(one: Assignment, other: Assignment) -> None:
    assert safer(one, other) == safer(other, one)
    assert safer(one, one) == one


@given(PLACED, PLACED)
def test_published_or_trained_row_applies_and_no_name_is_lost(one: Assignment, other: Assignment) -> None:
    kept = safer(one, other)
    if {one.split, other.split} <= TRAINED:
        assert kept.split == ("train" if "train" in (one.split, other.split) else "dev")
    if {one.split, other.split} <= {"test", "reserved"}:
        assert kept.split == ("test" if "test" in (one.split, other.split) else "reserved")
    assert {*kept.also} == {*one.also, *other.also} and {*kept.ties} == {*one.ties, *other.ties}


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=1, max_size=4))
def test_larger_numbers_of_a_duplicated_version_apply(numbers: list[tuple[int, int]]) -> None:
    """Lines duplicated by a merge: with the smaller numbers, a lost line could go unnoticed."""
    one = Version(name="v1-a", number=1, settings={}, records=0)
    ledger = AssignmentLedger([replace(one, assigned=assigned, held=held) for assigned, held in numbers])
    assert ledger.versions == {
        "v1-a": replace(one, assigned=max(assigned for assigned, _ in numbers), held=max(held for _, held in numbers))
    }


def test_oldest_stay_if_a_quota_shrank_else_the_newest(split_files, question, tmp_path: Path) -> None:
    first, more = [[question(n, subject="甲") for n in range(start, start + 10)] for start in (0, 10)]
    assignments = tmp_path / "assignments.jsonl"

    def asked(pool: list[Question], name: str, **flags: str) -> set[str]:
        folder = split_files(pool, name=name, assignments=str(assignments), train_floor="0", **flags)
        return {one.id for one in read_jsonl(folder / "splits/test/questions.jsonl", Question)}

    old = asked(first, "first", quota__mcqa="4")
    assert len(old) == 4 and asked([*first, *more], "more", quota__mcqa="8") > old
    assignments.write_bytes(b"")
    old = asked(first, "again", quota__mcqa="4")
    gone = sorted(old)[:2]
    stood = asked([*(one for one in first if one.id not in gone), *more], "without", quota__mcqa="4")
    back = asked([*first, *more], "back", quota__mcqa="4")
    assert len(stood) == len(back) == 4 and len(stood - old) == 2 and back > stood - old
    # Now the quota shrinks: those assigned since the first version stay, the replacements leave.
    assert asked([*first, *more], "less", quota__mcqa="2") == back & old


def test_recognizes_a_question_by_every_case_it_ever_had(split_files, question, tmp_path: Path) -> None:
    assignments = str(tmp_path / "assignments.jsonl")
    for group in ("group-a", "group-b", None):
        split_files([question(1, subject="甲", group_id=group)], assignments=assignments)
    key = question(1, subject="甲").id
    ledger = read_assignments(Path(assignments))
    assert [one.id for group in ("group-a", "group-b") for one in ledger.named([group])] == [key, key]


def test_reads_two_branches_merged_by_git(split_files, pool, tmp_path: Path) -> None:
    def git(*words: str) -> None:
        names = ("-c", "user.name=nobody", "-c", "user.email=nobody@example.org", "-c", "init.defaultBranch=main")
        subprocess.run(["git", *names, *words], cwd=repository, check=True, capture_output=True)

    repository = tmp_path / "repository"
    repository.mkdir()
    git("init")
    (repository / ".gitattributes").write_text("assignments.jsonl merge=union\n")
    assignments = repository / "assignments.jsonl"

    def version(questions: list[Question], branch: str) -> dict[str, str]:
        folder = split_files(questions, name=branch, assignments=str(assignments))
        git("add", "-A")
        git("commit", "-m", branch, "--allow-empty")
        return homes(folder)

    version(pool[:40], "main")
    git("checkout", "-b", "other")
    one = version(pool[:40] + pool[60:], "one")
    git("checkout", "main")
    two = version(pool[:90], "two")
    git("merge", "other", "-m", "merge")
    both = version(pool, "both")
    for key, split in both.items():
        before = {known[key] for known in (one, two) if key in known}
        assert before <= TRAINED or split not in TRAINED
        assert not (before & TRAINED and split in ("test", "reserved"))
    assert version(pool, "both") == both


def test_edited_question_replaces_the_old_one(split_files, question, tmp_path: Path) -> None:
    pool = [question(n, subject="甲") for n in range(30)]
    assignments = str(tmp_path / "assignments.jsonl")
    folder = split_files(pool, assignments=assignments)
    asked = list(read_jsonl(folder / "splits/test/questions.jsonl", Question))
    for change in (lambda text: text.replace("第", "笫"), lambda text: text + "请选择"):
        edited = [question_with(one, change) for one in asked]
        others = [one for one in pool if one.id not in {old.id for old in asked}]
        after = split_files([*others, *edited], assignments=assignments, name="edited")
        found = {one.id for one in read_jsonl(after / "splits/test/questions.jsonl", Question)}
        assert found == {one.id for one in edited}


def question_with(one: Question, change) -> Question:
    stem = change(one.stem)
    return replace(one, stem=stem, id=question_id(None, stem, [option.text for option in one.options]))


@given(st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9000), min_size=12, max_size=60), st.integers(0, 11))
def test_recognizes_an_edited_text_by_its_sketch(text: str, place: int) -> None:
    edited = text[:place] + "改" + text[place + 1 :]
    assert known_again([("other", "完全不同的另一句话而已"), ("new", edited)], {"old": sketch(text)}).get("new") == ["old"]
    assert sketch(text) == sketch(text) and known_again([("new", edited)], {}) == {}


def test_recognizes_a_cluster_by_any_member(split_files, question, tmp_path: Path) -> None:
    pool, assignments = [question(n, subject="甲") for n in range(30)], str(tmp_path / "assignments.jsonl")
    (tmp_path / "run").mkdir()
    other = question(99, subject="甲")
    row = {"cluster_id": "c", "kept": None, "medoid": "m", "members": [], "similarity": [], "rows": 2}
    lines = [to_line(row | {"kept": one.id, "members": [one.id, f"{one.id}-copy"]}) for one in pool]
    (tmp_path / "run/clusters.jsonl").write_bytes(b"".join(lines))
    folder = split_files(pool, assignments=assignments)
    test = next(read_jsonl(folder / "splits/test/questions.jsonl", Question)).id
    assert [one.id for one in read_assignments(Path(assignments)).named([f"{test}-copy"])] == [test]
    assert other.id not in read_assignments(Path(assignments)).assigned


def test_explains_an_assignment(split_files, pool, claims, tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    folder = split_files(pool, claims)
    assignments = [word for name in ("assignments", "questions", "claims") for word in (f"--{name}", str(folder / f"{name}.jsonl"))]
    test = next(read_jsonl(folder / "splits/test/questions.jsonl", Question))
    for what in (test.id, test.stem, "病7", claims[0].id):
        explain.main([what, *assignments])
        told = capsys.readouterr().out
        assert "since version v1-" in told and "why: " in told
    shot = min(read_jsonl(folder / "splits/shots.jsonl", Shot), key=lambda shot: shot.question_id)
    explain.main([shot.question_id, *assignments])
    assert f"few-shot example {shot.place} of {shot.exam} {shot.subject} {shot.question_type}" in capsys.readouterr().out
    with pytest.raises(ValueError, match="no question with these words"):
        explain.main(["无此题也无此词", *assignments])
    with pytest.raises(ValueError, match=r"no such file.*git checkout"):
        explain.main(["x", "--assignments", str(tmp_path / "none.jsonl")])
