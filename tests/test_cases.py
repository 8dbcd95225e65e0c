"""Small inputs that were read or cleaned wrongly once, beside the checkout: what comes out of reading and cleaning together is right."""

from pathlib import Path

import pytest

from atomexam.records.params import Clean
from atomexam.records.question import Question
from crawlers.read.__main__ import read_row
from curation.clean.__main__ import clean

PARAMS, _LEAST_UNREAD = Clean(min_stem_chars=2, min_chinese_share=0.3), 0.05
_A3 = (
    ("首先应做的检查为", "A", "男，40岁"),
    ("首选的治疗为", "B", "男，40岁"),
    ("首先应做的检查为", "A", "女，28岁"),
    ("首选的治疗为", "A", "女，28岁"),
)
_SHARED = {"叶酸缺乏可导致": "巨幼细胞性贫血", "骨髓造血衰竭可导致": "再生障碍性贫血"}


@pytest.fixture(scope="session")
def cases(root: Path) -> Path:
    folder = root.parent / "shared" / "cases"
    if not folder.is_dir():
        pytest.skip(f"no cases: {folder.name} is not beside the checkout, so none was read")
    return folder


def _asked(path: Path) -> list[Question]:
    """Return the questions that come out of a file, in its order."""
    row = read_row(path.name, path)
    assert not row.error
    assert row.account.unread_share < _LEAST_UNREAD or row.account.unread_characters < 100
    items = row.reading.items
    questions = {one.provenance[0].position: one for one in clean([("cases", items)], PARAMS).questions}
    return [questions[item.provenance.position] for item in items if item.provenance.position in questions]


def _right(question: Question) -> list[str]:
    return [option.text for option in question.options if option.letter in (question.answer or "")]


@pytest.mark.parametrize("name", ["s0", "s1", "s2", "s3"])
def test_casts_and_arrays_of_postgres_are_read(cases: Path, name: str) -> None:
    questions = _asked(cases / f"08-postgres-casts/{name}.sql")
    assert [(one.stem, one.answer, len(one.options)) for one in questions[:2]] == [
        ("主治风寒表实证的药物是", "A", 4),
        ("善清心火的药物是", "B", 4),
    ]
    assert len(questions) == 12


def test_questions_get_the_case_above_them(cases: Path) -> None:
    questions = _asked(cases / "09-case-above-its-questions/16_a3.json")
    assert [(one.stem, one.answer, (one.shared_stem or "")[:6]) for one in questions if one.shared_stem] == [
        (stem, answer, case[:6]) for stem, answer, case in ((stem, answer, f"{case}，") for stem, answer, case in _A3)
    ]
    assert len(questions) == 6
    assert [one.stem for one in _asked(cases / "09-case-above-its-questions/17_img.json")] == ["心脏的正常起搏点是", "肺循环起于"]


@pytest.mark.parametrize("name", ["21_abx", "v1", "v5", "v7", "v8", "v9"])
def test_options_below_a_heading_are_those_of_the_questions_it_names(cases: Path, name: str) -> None:
    questions = _asked(cases / f"11-heading-of-shared-options/{name}.md")
    assert [one.answer for one in questions] == ["B", "A", "B", "C", "ABD", "ABC"]
    assert {one.stem: _right(one)[0] for one in questions[2:4]} == _SHARED


def test_what_is_simplified_stays(cases: Path) -> None:
    questions = _asked(cases / "12-simplified-text-simplified-again/10_t2s.txt")
    assert [_right(one) for one in questions] == [["徵"], ["癥"], ["乾"], ["白术"], ["征"]]
    assert "於术" in questions[3].stem and questions[3].options[3].text == "於术"


def test_a_stem_of_one_character_is_one(cases: Path) -> None:
    assert [(one.stem, one.answer) for one in _asked(cases / "14-stems-of-one-character/organs.txt")] == [
        ("肾（ ）", "A"),
        ("肺（ ）", "A"),
    ]


def test_truth_as_the_type_of_options_is_the_answer(cases: Path) -> None:
    *statements, choice = _asked(cases / "16-truth-as-type-T-F-of-options/19_ox.js")
    assert [(one.question_type, one.answer) for one in statements] == [("tf", "A"), ("tf", "B"), ("tf", "A"), ("tf", "B")]
    assert (choice.question_type, _right(choice)) == ("mcqa", ["30:2"])


def test_times_and_counts_beside_questions_are_furniture(cases: Path) -> None:
    row = read_row("api.json", cases / "21-timestamps-stop-the-line/api.json")
    assert row.account.unread_characters == 0 and len(_asked(cases / "21-timestamps-stop-the-line/api.json")) == 24
