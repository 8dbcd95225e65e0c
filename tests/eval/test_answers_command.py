"""`python -m eval.answers`: rows in, outcome and answer out; a wrong row is named."""

import json
from pathlib import Path
from typing import Any

import pytest

from eval.answers.__main__ import main, read_row

OPTIONS = {"A": "荣格", "B": "阿德勒", "C": "弗洛伊德", "D": "埃里克森"}


def file_of(folder: Path, *rows: dict[str, Any]) -> str:
    path = folder / "rows.jsonl"
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.parametrize(("rules", "expected", "counts"), [
    ([], [("answered", "C"), ("unparsed", None), ("answered", "正确")], "3 replies: 2 answered, 1 unparsed"),
    (
        ["--rules", "cpsyexam_api_v1"],
        [("answered", "A"), ("error", "error"), (None, None)],
        "3 replies: 1 answered, 1 error, 1 not read by these rules",
    ),
])  # fmt: skip
def test_the_command_adds_outcome_and_answer(
    rules: list[str], expected: list[tuple], counts: str, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    file = file_of(
        tmp_path,
        {"id": "1", "task": "mcqa", "response": "Answer: C", "options": OPTIONS},
        {"id": "2", "task": "mcqa", "response": "", "options": OPTIONS},
        {"id": "3", "task": "claim", "response": "正确", "options": None},
    )
    main([file, *rules])
    out, err = capfdbinary.readouterr()
    assert [(row["outcome"], row["answer"]) for row in map(json.loads, out.splitlines())] == expected
    assert counts in err.decode()


def test_an_unknown_rule_set_names_the_known(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="unknown rule set 'cpsyexam'; known: cmb_v1"):
        main([file_of(tmp_path), "--rules", "cpsyexam"])


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ({"task": "claim"}, r"missing response"),
        ({"task": "mcqa", "response": None, "options": OPTIONS}, r"response None is not text"),
        ({"task": "mcqa", "response": "A", "options": {"A": 1}}, r"options .* are neither"),
        ({"task": "mcqa", "response": "A", "options": ["荣格", "阿德勒"]}, r"options .* are neither"),
        ({"task": "mcqa", "response": "A", "options": [OPTIONS]}, r".*unknown task of a case group 'mcqa'; known: tcm"),
        ({"task": "essay", "response": "A"}, r".*unknown task 'essay'"),
        ({"task": "mcqa", "response": "答案是B"}, r"task mcqa without options, .*expected `options`"),
        ({"task": "mrqa", "response": "B", "options": {}}, r"task mrqa without options, .*expected `options`"),
    ],
)
def test_a_row_that_cannot_be_read_is_named_with_its_line(row: dict, message: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=f"rows.jsonl:1: {message}"):
        main([file_of(tmp_path, row)])


def test_options_may_stand_as_in_the_splits() -> None:
    listed = [{"letter": letter, "text": text} for letter, text in OPTIONS.items()]
    assert read_row({"task": "mcqa", "response": "弗洛伊德", "options": listed})["answer"] == "C"
