"""The lists of expectations: errors in entries are reported; the custom expectations follow their laws."""

from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from curation.claims.templates import read_templates
from curation.validate.__main__ import PROFILE, TABLES
from curation.validate.custom_expectations import OWN, answers_in_options, differs_by_negation, groups_whole
from curation.validate.run import SUITES, check_table, expectation_of, quiet_context, read_suite

pytestmark = pytest.mark.slow

NEGATIONS = next(entry.arguments["negations"] for entry in read_suite(SUITES / "claims.yaml") if entry.expect == "ExpectExactNegation")
WORDS = st.text("不忌宜正异有无甲", max_size=6)
COLUMNS = {"id": ["a", "b"], "answer": ["A", "B"], "letters": ["AB", "AB"]}

WRONG = [
    (
        "- {expect: ExpectMagic}",
        r"entry 1 \(ExpectMagic\): unknown expectation 'ExpectMagic'; known: .*ExpectAnswerInOptions.*ExpectColumnValuesToBeUnique",
    ),
    ("- {expect: ExpectColumnValuesToBeUniqe, column: id}", "did you mean ExpectColumnValuesToBeUnique"),
    ("- {expect: ExpectColumnValuesToBeUnique, column: ids}", r"unknown column 'ids'; known: answer, id, letters; did you mean id\?"),
    ("- {expect: ExpectAnswerInOptions, column_A: answer, column_B: letter}", "unknown column 'letter'"),
    ("- {expect: ExpectCompoundColumnsToBeUnique, column_list: [id, answr]}", "unknown column 'answr'"),
    ("- {expect: ExpectColumnValuesToBeUnique, column: id, mosly: 0.9}", "unknown argument 'mosly'; known: .*did you mean mostly"),
    ("- {expect: ExpectColumnValuesToBeUnique}", "column: field required"),
    ("- {expect: ExpectColumnValuesToBeUnique, column: id, mostly: 7}", "mostly"),
    ("- {expect: ExpectColumnValuesToBeUnique, column: id, severity: fatal}", "entry 1: unknown severity 'fatal'; known: error, warning"),
    ("- {expect: ExpectColumnValuesToBeInSet, column: id, value_set: RELATION}", "unknown value set 'RELATION'; known: RELATIONS"),
    ("- {column: id}", r"entry 1: found \{'column': 'id'\}, expected"),
    ("- only words", "entry 1: found 'only words', expected"),
    ("expect: ExpectMagic", "found dict, expected a list"),
    ("- {expect: [", "not YAML"),
    ("- {expect: ExpectColumnValuesToMatchRegex, column: id, regex: '('}", "could not be evaluated"),
]


@pytest.fixture(scope="module")
def context():
    return quiet_context()


@pytest.mark.parametrize(("text", "told"), WRONG, ids=range(len(WRONG)))
def test_reports_an_invalid_entry(context, tmp_path: Path, text: str, told: str) -> None:
    path = tmp_path / "toys.yaml"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(ValueError, match=rf"toys\.yaml.*{told}"):
        check_table(context, "toys", COLUMNS, read_suite(path))


def test_each_entry_is_an_expectation(context, tmp_path: Path) -> None:
    path = tmp_path / "toys.yaml"
    path.write_text(
        '- {expect: ExpectColumnValuesToBeInSet, column: answer, value_set: [A], severity: warning, why: "All is A."}', encoding="utf-8"
    )
    (result,) = check_table(context, "toys", COLUMNS, read_suite(path)).results
    assert (result.success, result.severity, result.why, result.broken_by) == (False, "warning", "All is A.", ["b"])


def test_empty_list_checks_nothing(context, tmp_path: Path) -> None:
    (tmp_path / "toys.yaml").write_text("[]")
    assert check_table(context, "toys", COLUMNS, read_suite(tmp_path / "toys.yaml")).results == []


def test_reports_a_missing_list(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"toys\.yaml: no such file"):
        read_suite(tmp_path / "toys.yaml")


def test_tables_and_lists_match() -> None:
    assert {path.stem for path in SUITES.glob("*.yaml")} == {*TABLES, PROFILE}


def test_every_custom_expectation_is_used() -> None:
    used = {entry.expect for table in TABLES for entry in read_suite(SUITES / f"{table}.yaml")}
    assert set(OWN) <= used


def test_passes_severity_to_great_expectations(tmp_path: Path) -> None:
    path = tmp_path / "toys.yaml"
    path.write_text(
        "- {expect: ExpectColumnValuesToBeUnique, column: id}\n- {expect: ExpectColumnValuesToBeUnique, column: id, severity: warning}"
    )
    assert [expectation_of(entry, COLUMNS, 0).severity.value for entry in read_suite(path)] == ["critical", "warning"]


def negated(said: str, denied: str) -> bool:
    return differs_by_negation(pd.Series([said], dtype=object), pd.Series([denied], dtype=object), NEGATIONS)[0]


@given(WORDS, st.sampled_from(NEGATIONS), WORDS)
def test_finds_one_negation_anywhere(before: str, words: list[str], after: str) -> None:
    said, denied = before + words[0] + after, before + words[1] + after
    assert negated(said, denied)


@given(WORDS, WORDS)
def test_only_one_negation_passes(said: str, denied: str) -> None:
    """Checked independently: all results of replacing one word by another at any position."""
    reachable = {
        said[:place] + after + said[place + len(before) :]
        for before, after in NEGATIONS
        for place in range(len(said) + 1)
        if said.startswith(before, place)
    }
    assert negated(said, denied) == (denied in reachable)


def test_negations_of_all_templates_are_listed() -> None:
    for name in ("paper", "released", "varied"):
        for wordings in read_templates(name).values():
            assert all(negated(*wording.fill("甲病", "乙药")) for wording in wordings)


@given(st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("xy"))))
def test_groups_are_whole_if_each_has_one_home(rows: list[tuple[str, str]]) -> None:
    held = groups_whole(pd.Series([group for group, _ in rows], dtype=object), pd.Series([home for _, home in rows], dtype=object))
    assert held == [len({home for other, home in rows if other == group}) == 1 for group, _ in rows]


def test_ignores_rows_without_group(context, tmp_path: Path) -> None:
    path = tmp_path / "toys.yaml"
    path.write_text("- {expect: ExpectGroupsWhole, column_A: group, column_B: split}")
    columns = {"id": ["a", "b", "c", "d", "e"], "group": [None, None, "g", "g", "h"], "split": ["train", "test", "train", "test", "dev"]}
    (result,) = check_table(context, "toys", columns, read_suite(path)).results
    assert result.broken_by == ["c", "d"]


def test_checks_an_answer_letter_by_letter() -> None:
    assert answers_in_options(pd.Series(["A", "AB", "C", None]), pd.Series(["AB", "AB", "AB", "AB"])) == [True, True, False, True]
