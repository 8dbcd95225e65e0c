"""Files for annotators: Label Studio accepts the project, texts stay text, and answers come back unchanged."""

from pathlib import Path

import msgspec
import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from label_studio_sdk._extensions.label_studio_tools.core.label_config import parse_config
from label_studio_sdk.converter import Converter
from label_studio_sdk.label_interface import LabelInterface

from atomexam.records.annotation import ANSWERS
from atomexam.records.claim import Evidence
from atomexam.runtime.sheets import read_sheet
from curation.annotation.samples import mixed_sample, sample_claims, with_evidence, write_project, write_spreadsheet
from tests.curation.annotation.sampled_claims import CLAIMS, HOSTILE, PASSAGE, claim, drawn, exported, filled, lay_out, result, take, tasks

pytestmark = pytest.mark.slow

ANSWER = st.sampled_from([None, *ANSWERS])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return lay_out(tmp_path)


def config(project: Path) -> str:
    return (project / "label_studio.xml").read_text(encoding="utf-8")


def test_label_studio_accepts_configuration_and_tasks(project: Path) -> None:
    interface = LabelInterface(config(project))
    interface.validate()
    parsed = parse_config(config(project))
    assert parsed["verdict"]["labels"] == list(ANSWERS) and parsed["verdict"]["to_name"] == ["claim"]
    assert {one.name: one.tag for one in interface.objects} == {"claim": "Text", "evidence": "Paragraphs"}
    assert all(interface.validate_task(task) for task in tasks(project))
    assert [task["data"]["claim_id"] for task in tasks(project)] == [one.id for one in CLAIMS]
    for task in tasks(project):
        assert all(set(one) == {"source", "text"} for one in task["data"]["evidence"]) and task["data"]["evidence"]
        assert not {"annotations", "predictions"} & set(task)


@pytest.mark.parametrize("answer", ANSWERS)
def test_label_studio_accepts_our_answers(project: Path, answer: str) -> None:
    interface = LabelInterface(config(project))
    assert interface.validate_annotation({"result": result(answer, "见第二段")})
    assert not interface.validate_annotation({"result": result("maybe")})


def test_marks_the_sentence_and_keeps_hostile_text_as_data(project: Path) -> None:
    shown = tasks(project)[0]["data"]["evidence"][0]
    assert shown["text"] == f"先说别的。▶{HOSTILE}◀。再说别的。" and PASSAGE.url in shown["source"]
    assert HOSTILE not in config(project) and "HyperText" not in config(project)


def test_hides_the_non_factual_claim(project: Path) -> None:
    told = (project / "label_studio.json").read_text(encoding="utf-8") + str(read_sheet(project / "claims.xlsx"))
    assert not [one.non_factual for one in CLAIMS if one.non_factual in told]


def test_cells_are_text_and_offer_verdicts(project: Path) -> None:
    page = openpyxl.load_workbook(project / "claims.xlsx").worksheets[0]
    assert {cell.data_type for line in page.iter_rows() for cell in line if cell.value is not None} == {"s"}
    assert page["C3"].value == CLAIMS[1].factual
    assert page.data_validations.dataValidation[0].formula1 == '"support,neutral,refute"'
    assert page["F2"].value.startswith(HOSTILE) and PASSAGE.url in page["F2"].value


def test_truncates_an_endless_url(tmp_path: Path) -> None:
    """A hostile page may have a URL longer than a cell."""
    row = Evidence(
        claim_id=CLAIMS[0].id, passage="passage-1", source="s", url="https://a/" + "x" * 40_000, rank=1, score=1.0, start=0, end=2
    )
    write_spreadsheet(tmp_path, with_evidence(CLAIMS[:1], {row.claim_id: [row]}, {"passage-1": PASSAGE}))
    assert len(read_sheet(tmp_path / "claims.xlsx")[0].cells["evidence_1"]) < 2_100


def test_same_claims_give_same_bytes(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    again = tmp_path_factory.mktemp("again")
    write_project(again, drawn())
    write_spreadsheet(again, drawn())
    for path in again.iterdir():
        assert path.read_bytes() == (project / path.name).read_bytes()


def test_replaces_only_the_claim_that_left() -> None:
    others = [claim(f"第{n}病的{name}", name) for n in range(3) for name in ("food_effect", "disease_cause")]
    assert sample_claims(others, 3, seed=1) == sample_claims(others[::-1], 3, seed=1)
    claims = [claim(f"第{n}病的常见症状包括热") for n in range(30)]
    first = sample_claims(claims, 10, seed=1)
    assert sample_claims(claims[::-1], 10, seed=1) == first and sample_claims(claims, 10, seed=2) != first
    left = sample_claims([one for one in claims if one != first[4]], 10, seed=1)
    assert left[:-1] == first[:4] + first[5:] and left[-1] not in first


def test_types_take_turns() -> None:
    kinds = ["disease_cause", "disease_symptom", "food_effect"]
    claims = [claim(f"第{number}句{kind}", kind) for kind in kinds for number in range(4)]
    assert [one.atomic_type for one in mixed_sample([claims[::2], claims[1::2]], 10, seed=1)] == kinds * 4


@settings(max_examples=8, deadline=None)
@given(answers=st.lists(st.tuples(ANSWER, st.sampled_from(["", "=cmd", "见 第一段"])), min_size=4, max_size=4))
def test_every_round_trip_gives_the_same_verdicts(answers: list[tuple[str | None, str]], tmp_path_factory: pytest.TempPathFactory) -> None:
    """A workbook, and Label Studio's JSON, JSON-MIN and CSV, the last two from its own converter."""
    project = lay_out(tmp_path_factory.mktemp("project"))
    given_answers = {one.id: pair for one, pair in zip(CLAIMS, answers, strict=True) if pair[0]}
    expected = sorted((id_, "user-7", answer, comment) for id_, (answer, comment) in given_answers.items())
    export = exported(project, [{"7": given_answers[one.id]} if one.id in given_answers else {} for one in CLAIMS])
    converter = Converter(config(project), str(project))
    converter.convert_to_json_min(str(export), str(project / "min"), is_dir=False)
    ways = [
        (export,),
        (project / "min/result.json",),
        (filled(project, "by_hand.xlsx", given_answers), "--annotator=7"),
    ]
    if given_answers:
        converter.convert_to_csv(str(export), str(project / "csv"), is_dir=False, sep=",")
        ways.append((project / "csv/result.csv",))
    for way in ways:
        (project / "verdicts.jsonl").write_text("", encoding="utf-8")
        found = take(project, *way)
        assert [(one.claim_id, one.annotator, one.verdict, one.comment) for one in found] == expected, way
        named = {one.id: one for one in CLAIMS}
        assert all((one.claim, one.atomic_type) == (named[one.claim_id].factual, named[one.claim_id].atomic_type) for one in found)


def test_only_the_answers_change_in_a_round_trip(project: Path) -> None:
    answers = {one.id: ("refute", "=1+1") for one in CLAIMS}
    before = [row.cells for row in read_sheet(project / "claims.xlsx")]
    after = [row.cells for row in read_sheet(filled(project, "first.xlsx", answers))]
    assert [row | {"verdict": "", "comment": ""} for row in after] == before
    assert msgspec.json.decode(msgspec.json.encode(tasks(project))) == tasks(project)


@pytest.mark.parametrize("name", ["json.json", "json_min.json", "csv.csv"])
def test_reads_exports_of_label_studio_itself(project: Path, name: str) -> None:
    """Answers given in Label Studio 1.23.2 to the tasks of this test."""
    (project / "verdicts.jsonl").touch()
    found = take(project, Path(__file__).parent / "label_studio" / name)
    assert {one.claim_id: one.verdict for one in found} == {
        one.id: answer for one, answer in zip(CLAIMS, ("support", "neutral", "refute", "support"), strict=True)
    }
    assert {(one.annotator, one.comment) for one in found} == {("user-1", "=1+1 备注")}
