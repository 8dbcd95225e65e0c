"""Importing answers: who gave them, which are invalid, and what a second import does."""

import csv
import json
from pathlib import Path

import pytest

from atomexam.records.annotation import Verdict
from atomexam.runtime.annotation_files import read_verdicts
from atomexam.runtime.jsonl import read_jsonl, write_jsonl
from curation.annotation.samples import annotator_name
from tests.curation.annotation.sampled_claims import CLAIMS, exported, filled, lay_out, take, verdict


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return lay_out(tmp_path)


def sheet(project: Path, name: str, rows: list[tuple[str, str, str]]) -> Path:
    """Return a CSV with rows of claim id, claim and verdict."""
    with open(project / name, "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("claim_id", "claim", "verdict", "comment"), *((*row, "") for row in rows)])
    return project / name


def row(number: int, answer: str, **changed: str) -> tuple[str, str, str]:
    return (changed.get("id", CLAIMS[number].id), changed.get("claim", CLAIMS[number].factual), answer)


def test_second_import_changes_nothing(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    first = filled(project, "first.xlsx", {CLAIMS[0].id: ("Support ", "x"), CLAIMS[2].id: ("refute", "")})
    assert len(take(project, first)) == 2
    before = (project / "verdicts.jsonl").read_bytes()
    take(project, first)
    assert (project / "verdicts.jsonl").read_bytes() == before
    assert "0 new verdicts, 0 changed, 2 as before" in capsys.readouterr().out


def test_drops_an_apostrophe_before_an_answer(project: Path) -> None:
    """Programs that guard a CSV against formulas, or people who mark a text, add one."""
    with open(project / "first.csv", "w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["claim_id", "claim", "verdict", "comment"], [*row(1, "'refute")[:2], "'refute", "'=1+1"]])
    assert [(one.verdict, one.comment) for one in take(project, project / "first.csv")] == [("refute", "=1+1")]


def test_reports_a_changed_answer(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    take(project, sheet(project, "first.csv", [row(0, "support"), row(2, "neutral")]))
    take(project, sheet(project, "first.csv", [row(0, "refute")]))
    told = capsys.readouterr().out
    assert f"changed: first: {CLAIMS[0].factual}: support -> refute" in told and "0 new verdicts, 1 changed" in told
    assert {(one.claim_id, one.verdict) for one in read_jsonl(project / "verdicts.jsonl", Verdict)} == {
        (CLAIMS[0].id, "refute"),
        (CLAIMS[2].id, "neutral"),
    }


def test_keeps_the_longer_comment_and_reports_a_different_one(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    verdicts = (CLAIMS[0].id, CLAIMS[0].factual, "support")
    with open(project / "first.csv", "w", encoding="utf-8", newline="") as file:
        lines = [("claim_id", "claim", "verdict", "comment"), (*verdicts, "见"), (*verdicts, "见第二段"), (*verdicts, "")]
        csv.writer(file).writerows(lines)
    assert [one.comment for one in take(project, project / "first.csv")] == ["见第二段"]
    long = filled(project, "first.xlsx", {CLAIMS[0].id: ("support", "长" * 2_001)})
    assert [len(one.comment) for one in take(project, long)] == [2_000]
    assert f"changed: first: {CLAIMS[0].factual}: support, another comment" in capsys.readouterr().out


def test_reads_several_annotators_of_label_studio(project: Path) -> None:
    who = {'{"id": 2, "email": "a@b.example"}': ("support", ""), "3": ("refute", "")}
    export = exported(project, [who, {}, who, {}])
    assert [one.annotator for one in take(project, export)] == ["user-2", "user-3"] * 2
    (project / "verdicts.jsonl").unlink()
    assert {one.annotator for one in take(project, export, "--annotator", "2=first", "--annotator", "3=second")} == {"first", "second"}


def test_reads_an_export_saved_by_an_editor(project: Path) -> None:
    """With a byte order mark, or with the field names of older versions."""
    export = exported(project, [{"1": ("support", "")}, {}, {}, {}])
    text = export.read_text(encoding="utf-8")
    for other in (text, text.replace('"annotations"', '"completions"')):
        export.write_text(other, encoding="utf-8-sig")
        assert [(one.annotator, one.verdict) for one in take(project, export)] == [("user-1", "support")]


def test_ignores_skipped_tasks(project: Path) -> None:
    export = exported(project, [{"1": ("support", "")}, {}, {}, {}])
    tasks = json.loads(export.read_text())
    tasks[0]["annotations"][0]["was_cancelled"] = True
    export.write_text(json.dumps(tasks))
    (project / "verdicts.jsonl").touch()
    assert take(project, export) == []


def test_email_addresses_do_not_reach_git() -> None:
    with pytest.raises(ValueError, match=r"no mail address.*--annotator 'a@b.example=NAME'"):
        annotator_name("a@b.example", {})
    assert annotator_name("a@b.example", {"a@b.example": "first"}) == "first"
    assert annotator_name("17", {}) == "user-17"


def test_still_knows_a_refuted_claim_that_left_the_data(project: Path) -> None:
    first = sheet(project, "first.csv", [row(0, "refute")])
    take(project, first)
    write_jsonl(project / "claims.jsonl", CLAIMS[1:], key=lambda one: one.id)
    take(project, first)
    assert [one.annotator for one in take(project, sheet(project, "second.csv", [row(0, "support")]))] == ["first", "second"]


@pytest.mark.parametrize(
    ("rows", "told"),
    [
        ([row(0, "perhaps")], r"a\.csv:2: verdict is 'perhaps'; expected support, neutral, refute"),
        ([row(0, "support", id="claim-0")], r"a\.csv:2: claim 'claim-0' is neither in the data.*--skip-gone"),
        ([row(0, "support", claim="胰尾癌的症状包括头痛")], r"a\.csv:2: the claim reads '胰尾癌的症状包括头痛' but was sampled as"),
        ([row(0, "support"), row(0, "refute")], r"a\.csv:3: a gave support at .*a\.csv:2 and refute here; delete one"),
    ],
)
def test_reports_invalid_answers_and_imports_nothing(project: Path, rows: list, told: str) -> None:
    (project / "verdicts.jsonl").touch()
    with pytest.raises(ValueError, match=f"(?s)nothing was imported.*{told}"):
        take(project, sheet(project, "a.csv", [row(2, "support"), *rows][1:] if len(rows) > 1 else rows))
    assert (project / "verdicts.jsonl").read_bytes() == b""


def test_can_skip_answers_to_removed_claims(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    one = sheet(project, "a.csv", [row(0, "support"), row(1, "refute", id="claim-0")])
    assert len(take(project, one, "--skip-gone")) == 1
    assert "1 skipped" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "content", "told"),
    [
        ("b/a.csv", None, r"a\.csv: no such file; name an export of Label Studio or a filled spreadsheet"),
        ("a.txt", "x", r"expected one of \.json, \.xlsx, \.csv"),
        ("a.json", "{", "not JSON"),
        ("a.json", '{"a": 1}', "not a list of tasks"),
        ("a.json", "[" * 100_000, "not JSON"),
        ("a.json", '[{"id": 4, "data": {}}]', "task 4: the task has no data or no annotations"),
        ("a.json", '[{"data": {}, "annotations": [3]}]', "task 1: an annotation is 3"),
        ("a.json", '[{"id": 1}]', "no claim_id"),
        ("a.json", '[{"claim_id": "c", "verdict": 4}]', "choices is 4"),
        ("a.json", '[{"claim_id": "c", "verdict": ["support", "refute"]}]', "2 verdicts in one annotation: support, refute"),
        ("a.json", '[{"claim_id": "c", "verdict": "support"}]', "claim 'c' is neither in the data"),
        ("a.csv", "claim,verdict\na,b\n", "missing columns: claim_id"),
        ("a.csv", "claim_id,claim,verdict,comment\na,b,,hm\n", "found a comment without a verdict"),
    ],
)
def test_rejects_other_files(project: Path, name: str, content: str | None, told: str) -> None:
    if content is not None:
        (project / name).write_text(content, encoding="utf-8")
    with pytest.raises(ValueError, match=told):
        take(project, project / name)


def test_rejects_a_sheet_without_one_annotator(project: Path) -> None:
    with pytest.raises(ValueError, match="does not name its annotator"):
        take(project, filled(project, "claims.xlsx", {CLAIMS[0].id: ("support", "")}))
    export = exported(project, [{"1": ("support", ""), "2": ("refute", "")}, {}, {}, {}])
    with pytest.raises(ValueError, match=r"answers of 2 annotators \(1, 2\)"):
        take(project, export, "--annotator", "first")


def test_reports_two_lines_of_one_annotator_after_a_merge(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "v.jsonl", [verdict(1, "a", "support"), verdict(1, "a", "refute")], key=lambda one: one.claim_id)
    with pytest.raises(ValueError, match="a gave refute and support for claim-000001; delete one line"):
        read_verdicts(tmp_path / "v.jsonl")
