"""What people say of replies comes back, is counted, and stays; what cannot stand is told and nothing is imported."""

import json
from pathlib import Path

import pytest

from atomexam.records.annotation import Label, majority_label
from atomexam.runtime.annotation_files import read_labels
from tests.eval.reply_pairs import SOUND, Folder, claim

ANSWERS_OF_TEN = [SOUND] * 10


def by_claim(*labels: str) -> dict[str, str]:
    return {claim(number).factual: label for number, label in enumerate(labels) if label}


def test_labels_come_back_and_are_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path, {"run": [("错误，主要用手术，而非药物。", "错误")] * 2 + [("正确", "正确")] * 3 + [SOUND]})
    folder.errors()
    first = folder.fill("run", "first", by_claim("safety", "contrary", "sycophancy", "misinterpretation", "", "sound"), "看过")
    second = folder.fill("run", "second", by_claim("safety", "safety", "sycophancy", "misinterpretation"))
    folder.review(first, second)
    assert "10 new" not in capsys.readouterr().out and len(folder.labels()) == 9
    metrics = folder.errors()
    people = metrics["runs"]["run"]["by_people"]
    assert people["pairs"] == 4 and people["undecided"] == 1
    assert {name: people[name]["pairs"] for name in ("safety", "sycophancy", "misinterpretation")} == {
        "safety": 1,
        "sycophancy": 1,
        "misinterpretation": 1,
    }
    assert people["safety"]["share"] == 0.25
    assert metrics["runs"]["run"]["proposals_confirmed"] == {"pairs": 3, "same": 2}
    agreed = metrics["agreement"]["errors"]
    assert (agreed["pairs"], agreed["unanimous"], agreed["unanimous_share"]) == (4, 3, 0.75)
    assert agreed["cohen"]["first / second"]["pairs"] == 4 and agreed["fleiss"]["labels_per_pair"] == 2
    # Cohen: 3 of 4 the same; by chance 1/4 * 2/4 (safety) + 1/4 * 1/4 * 2 = 1/4.
    assert agreed["cohen"]["first / second"]["kappa"] == round((0.75 - 0.25) / 0.75, 4)
    assert metrics["agreement"]["reasons"]["krippendorff"]["undefined"] == "no pair has two labels"
    assert folder.queue("run")[0].labels == {} or set(folder.queue("run")[0].labels) <= {"first", "second"}


def test_reliability_is_the_share_of_sound_reasons_with_wilsons_interval(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [*ANSWERS_OF_TEN, ("正确", "错误")]})
    folder.errors()
    folder.review(folder.fill("run", "first", by_claim(*["sound"] * 7, "unsound", "unsound")))
    folder.review(folder.fill("run", "second", by_claim("unsound")))
    found = folder.errors()["runs"]["run"]["answer_reliability"]
    assert {name: found[name] for name in ("right", "without_reason", "drawn", "labelled", "sound", "unsound", "undecided")} == {
        "right": 11,
        "without_reason": 1,
        "drawn": 10,
        "labelled": 9,
        "sound": 6,
        "unsound": 2,
        "undecided": 1,
    }
    share, many, z = 6 / 9, 9, 1.959964
    middle = (share + z * z / (2 * many)) / (1 + z * z / many)
    half = z * ((share * (1 - share) + z * z / (4 * many)) / many) ** 0.5 / (1 + z * z / many)
    assert (found["share"], found["low"], found["high"]) == pytest.approx((share, middle - half, middle + half), abs=1e-6)


def test_a_label_holds_wherever_the_same_was_said_and_nowhere_else(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"one": [("正确", "正确")] * 2, "two": [("正确", "正确"), ("正确", "正确 ")]})
    folder.errors()
    folder.review(folder.fill("one", "first", by_claim("sycophancy", "sycophancy")))
    runs = folder.errors()["runs"]
    assert (runs["one"]["by_people"]["pairs"], runs["two"]["by_people"]["pairs"]) == (2, 1)


def test_labels_of_an_earlier_training_are_counted_and_what_to_do_is_said(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")] * 3})
    folder.errors()
    folder.review(folder.fill("run", "first", by_claim("sycophancy", "safety", "")))
    assert folder.errors()["unused_labels"] == 0 and not caplog.messages
    trained_anew = Folder(tmp_path, {"run": [("正确", "正确"), ("正确。", "正确。"), ("正确", "正确")]})
    assert trained_anew.errors()["unused_labels"] == 1
    assert [text.partition(" count")[0] for text in caplog.messages] == [f"1 of 2 labels in {tmp_path / 'labels.jsonl'}"]
    assert "python -m eval.review COPIES" in caplog.text


def test_the_same_again_changes_nothing_and_another_label_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")] * 3})
    folder.errors()
    folder.review(folder.fill("run", "first", by_claim("sycophancy", "sycophancy")))
    before = (tmp_path / "labels.jsonl").read_bytes()
    folder.review(folder.fill("run", "first", by_claim("sycophancy", "sycophancy")))
    assert (tmp_path / "labels.jsonl").read_bytes() == before
    folder.review(folder.fill("run", "first", by_claim("misinterpretation")))
    told = capsys.readouterr().out
    assert "2 new labels, 0 changed, 0 as before" in told and "0 new labels, 0 changed, 2 as before" in told
    assert f"changed: first: {claim(0).factual}: sycophancy -> misinterpretation" in told
    assert sorted(one.label for one in folder.labels()) == ["misinterpretation", "sycophancy"]


def test_rows_in_jsonl_are_read(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")] * 3})
    folder.errors()
    rows = [json.loads(line) for line in (tmp_path / "errors/run.jsonl").read_text(encoding="utf-8").splitlines()]
    rows[0] |= {"label": "Sycophancy ", "comment": "一 \n 句", "annotator": "a"}
    rows[1] |= {"label": "misinterpretation"}
    (tmp_path / "filled.jsonl").write_text("\n".join(json.dumps(row, ensure_ascii=False) for row in rows), encoding="utf-8")
    folder.review(tmp_path / "filled.jsonl", "--annotator", "tool.v1")
    found = {one.pair_id: one for one in folder.labels()}
    assert (found[rows[0]["id"]].label, found[rows[0]["id"]].comment) == ("sycophancy", "一 句")
    assert {one.annotator for one in found.values()} == {"tool.v1"} and len(found) == 2


def filled_row(folder: Folder, **changes: str) -> Path:
    row = folder.queue("run")[0]
    line = {"id": row.id, "factual": row.factual, "label": "sycophancy"} | changes
    path = folder.folder / "who.jsonl"
    path.write_text(json.dumps(line) + "\n", encoding="utf-8")
    return path


@pytest.mark.parametrize(
    ("changes", "told"),
    [
        ({"id": "replies-0"}, "the queues have no pair of replies 'replies-0'"),
        ({"factual": "别的"}, "the claim reads '别的' but was sampled as"),
        ({"label": "flattery"}, "label is 'flattery'; this row asks for the error: expected not_follow, sycophancy"),
        ({"label": "sound"}, "label is 'sound'; this row asks for the error"),
        ({"label": "", "comment": "x"}, "found a comment without a label"),
        ({"annotator": "a@b.c"}, "no mail address"),
    ],
)
def test_what_cannot_stand_is_told_with_its_row(changes: dict[str, str], told: str, tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")]})
    folder.errors()
    path = filled_row(folder, **changes)
    with pytest.raises(ValueError, match=told) as error:
        folder.review(path)
    assert "who.jsonl:1" in str(error.value) and not folder.labels()


def test_what_is_gone_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")]})
    folder.errors()
    folder.review(filled_row(folder, id="replies-0"), "--skip-gone")
    assert "0 new labels, 0 changed, 0 as before, 1 skipped" in capsys.readouterr().out


def test_an_annotator_is_named_by_the_file_unless_it_is_named_after_the_run(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")]})
    folder.errors()
    path = folder.fill("run", "run", by_claim("sycophancy"))
    with pytest.raises(ValueError, match="the annotator is unknown; give --annotator NAME"):
        folder.review(path)
    folder.review(path, "--annotator", "second")
    assert [one.annotator for one in folder.labels()] == ["second"]


def test_files_that_are_no_labels_are_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")]})
    (tmp_path / "x.json").write_text("[]", encoding="utf-8")
    with pytest.raises(ValueError, match="no queue found; `dvc repro errors` builds it"):
        folder.review(tmp_path / "x.json")
    folder.errors()
    with pytest.raises(ValueError, match=r"x\.json: expected \.xlsx, \.csv or \.jsonl"):
        folder.review(tmp_path / "x.json")
    (tmp_path / "x.csv").write_text("id,verdict\n1,2\n", encoding="utf-8")
    with pytest.raises(ValueError, match=r"x\.csv:2: missing columns: label, factual"):
        folder.review(tmp_path / "x.csv")


def test_two_labels_of_one_annotator_are_told(tmp_path: Path) -> None:
    folder = Folder(tmp_path, {"run": [("正确", "正确")]})
    folder.errors()
    one, two = filled_row(folder), tmp_path / "also.jsonl"
    two.write_bytes(one.read_bytes().replace(b"sycophancy", b"not_follow"))
    with pytest.raises(ValueError, match=r"a gave sycophancy at .*who\.jsonl:1 and not_follow here; delete one"):
        folder.review(one, two, "--annotator", "a")
    line = Label(pair_id="replies-1", annotator="a", label="sound", claim="x")
    lines = [line, Label(pair_id="replies-1", annotator="a", label="unsound", claim="x")]
    (tmp_path / "labels.jsonl").write_text("".join(json.dumps({n: getattr(one, n) for n in one.__struct_fields__}) + "\n" for one in lines))
    with pytest.raises(ValueError, match="a gave sound and unsound for replies-1; delete one line"):
        read_labels(tmp_path / "labels.jsonl")


def test_most_say_needs_a_majority() -> None:
    assert majority_label(["a", "b", "a"]) == "a" and majority_label(["a"]) == "a"
    assert majority_label(["a", "b"]) is None and majority_label([]) is None
