"""Great Expectations over the tables; a broken one stops the line."""

from pathlib import Path

import msgspec
import pytest

from curation.claims import make_claims
from curation.validate import TABLES, check_table, main, quiet_context, read_expectations
from records.claim import ClaimPair
from records.fact import Fact, fact_id
from records.jsonl import write_jsonl
from records.params import Claims
from records.provenance import Provenance
from records.question import Option, Question, question_id

SEEN = [Provenance(source="s", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="p")]
replace = msgspec.structs.replace


def question(stem: str, answer: str = "A", kind: str = "mcqa", options: tuple[str, ...] = ("甲", "乙", "丙")) -> Question:
    listed = [Option(letter=letter, text=text) for letter, text in zip("ABCDE", options, strict=False)]
    identity = question_id(None, stem, list(options))
    texts = {"exam": "PCE", "subject": "甲", "question_type": kind, "stem": stem, "answer": answer}
    return Question(id=identity, options=listed, cluster_id=identity, provenance=SEEN, **texts)


def fact(head: str, tail: str) -> Fact:
    return Fact(id=fact_id("disease_symptom", head, tail), relation="disease_symptom", head=head, tail=tail, polarity=True, provenance=SEEN)


QUESTIONS = [question("感觉是（ ）"), question("知觉是（ ）", "AB", "mrqa"), question("简述记忆", "记忆是……", "qa", ())]
FACTS = [fact("高血压", "头晕"), fact("糖尿病", "多饮")]
CLAIMS, _ = make_claims(FACTS, Claims(per_type=9, template="paper", seed=1))
GOOD = {"questions": QUESTIONS, "facts": FACTS, "claims": CLAIMS}


@pytest.fixture(scope="module")
def context():
    return quiet_context()


def broken(context, table: str, records: list) -> list[tuple[str, list[str]]]:
    """Return (expectation's column or name, ids) of what fails."""
    results = check_table(context, table, TABLES[table][1](records), read_expectations(table))
    return [(r["column"], r["broken_by"]) for r in results if not r["success"]]


@pytest.mark.parametrize("table", TABLES)
def test_sound_tables_pass(context, table: str) -> None:
    assert broken(context, table, GOOD[table]) == []


BAD_QUESTIONS = [
    ("id", QUESTIONS[0]),
    ("id", replace(question("别的"), id="7")),
    ("exam", replace(question("别的"), exam="")),
    ("subject", replace(question("别的"), subject="")),
    ("answer", replace(question("别的", "", "qa", ()))),
    ("cluster_id", replace(question("别的"), cluster_id=None)),
    ("stem", replace(question("别的"), stem="一")),
    ("answer_in_options?", question("别的", "F")),
    ("answer_fits_type?", question("别的", "AB")),
    ("answer_fits_type?", question("别的", "A", "mrqa")),
    ("answer_fits_type?", question("别的", "BA", "mrqa")),
    ("options_distinct?", question("别的", "A", options=("甲", "甲"))),
    ("letters_in_order?", replace(question("别的"), options=QUESTIONS[0].options[::-1])),
    ("text_clean?", question("别的&nbsp;题")),
    ("text_clean?", question("别的\ufffd题")),
    ("text_clean?", question("别的<b>题")),
    ("seen_somewhere?", replace(question("别的"), provenance=[])),
]


@pytest.mark.parametrize(("column", "bad"), BAD_QUESTIONS, ids=range(len(BAD_QUESTIONS)))
def test_each_broken_question_is_named_under_its_expectation(context, column: str, bad: Question) -> None:
    assert (column, [bad.id]) in broken(context, "questions", [*QUESTIONS, bad])


BAD_CLAIMS = [
    ("id", CLAIMS[0]),
    ("factual", replace(CLAIMS[0], id="claim-2")),
    ("differ_by_negation_alone?", replace(CLAIMS[0], id="claim-3", non_factual="高血压可能不包括头晕")),
    ("denied_by_no_other?", replace(CLAIMS[0], id="claim-4", factual=CLAIMS[1].non_factual, non_factual=CLAIMS[1].factual)),
    ("names_head_and_tail?", replace(CLAIMS[0], id="claim-5", head="别的病")),
    ("has_facts?", replace(CLAIMS[0], id="claim-6", fact_ids=[])),
    ("text_clean?", replace(CLAIMS[0], id="claim-7", factual="甲<br>有乙", non_factual="甲<br>没有乙")),
]


@pytest.mark.parametrize(("column", "bad"), BAD_CLAIMS, ids=range(len(BAD_CLAIMS)))
def test_each_broken_claim_is_named_under_its_expectation(context, column: str, bad: ClaimPair) -> None:
    assert any(found == column and bad.id in ids for found, ids in broken(context, "claims", [*CLAIMS, bad]))


def run(folder: Path, **records: list) -> None:
    argv = [f"--out={folder}/validation", f"--metrics={folder}/m.json"]
    for table in TABLES:
        write_jsonl(folder / f"{table}.jsonl", records.get(table, GOOD[table]), key=lambda record: record.id)
        argv.append(f"--{table}={folder}/{table}.jsonl")
    main(argv)


def test_the_stage_passes_sound_tables_and_counts_them(tmp_path: Path) -> None:
    run(tmp_path)
    counts = msgspec.json.decode((tmp_path / "m.json").read_bytes())
    assert {table: (row["rows"], row["failed"]) for table, row in counts.items()} == {
        "questions": (3, 0),
        "facts": (2, 0),
        "claims": (2, 0),
    }


def test_a_broken_table_stops_the_line_and_names_the_ids(tmp_path: Path) -> None:
    bad = question("别的", "F")
    with pytest.raises(ValueError, match=rf"questions: ExpectColumnValuesToBeInSet on answer_in_options\?: {bad.id}"):
        run(tmp_path, questions=[*QUESTIONS, bad])
    assert not (tmp_path / "m.json").exists()
    report = msgspec.json.decode((tmp_path / "validation/report.json").read_bytes())
    assert [r["broken_by"] for r in report if not r["success"]] == [[bad.id]]


def test_an_unknown_expectation_names_the_known_ones(context) -> None:
    with pytest.raises(ValueError, match=r"unknown expectation 'ExpectMagic'; known: .*ExpectColumnValuesToBeUnique"):
        check_table(context, "facts", TABLES["facts"][1](FACTS), [{"expect": "ExpectMagic"}])


def test_a_column_that_is_not_there_is_an_error_not_a_failure(context) -> None:
    with pytest.raises(ValueError, match="could not be evaluated"):
        check_table(context, "facts", TABLES["facts"][1](FACTS), [{"expect": "ExpectColumnValuesToBeUnique", "column": "nothing"}])
