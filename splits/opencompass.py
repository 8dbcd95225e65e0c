"""Test tables of a release for OpenCompass: questions and claims -> JSONL and a description each, read by `--custom-dataset-path`.

OpenCompass reads flat JSONL with a file `NAME.jsonl.meta.json` beside it (its documentation, "custom dataset"); nothing is to be installed.
Both kinds are scored by likelihood. Multiple responses have no evaluator of sets there and are left out.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from records.claim import ClaimPair
from records.question import Question
from splits.columns import config_of

FOLDER = "opencompass"
ASKED = {"mcqa": "单项选择题", "tf": "判断题"}
_CLAIM = "下列说法是否正确，如果正确，请先回复“正确”，然后给出原因。如果错误，请先回复“错误”，然后给出原因。\n\n{claim}"

Row = dict[str, str]


def flatten(records: Iterable[Question | ClaimPair], canary: str) -> dict[str, list[Row]]:
    """Return the rows of each table by its name."""
    tables: dict[str, list[Row]] = {}
    for record in records:
        if isinstance(record, ClaimPair):
            tables.setdefault("atomexam_claims", []).extend(side | {"canary": canary} for side in _sides(record))
        elif record.question_type in ASKED:
            tables.setdefault(f"atomexam_{config_of(record)}_{record.question_type}", []).append(_row(record) | {"canary": canary})
    return tables


def meta(name: str, rows: Iterable[Row]) -> Mapping[str, Any]:
    """Return the description of a table: for each answer the dialogue whose likelihood is compared."""
    answers = sorted({letter for row in rows for letter in row["letters"]}) if name != "atomexam_claims" else ["正确", "错误"]
    lead = "" if name == "atomexam_claims" else "答案："
    rounds = {
        answer: {"round": [{"role": "HUMAN", "prompt": "{question}\n"}, {"role": "BOT", "prompt": f"{lead}{answer}"}]} for answer in answers
    }  # fmt: skip
    return {
        "abbr": name, "data_type": "mcq", "infer_method": "ppl", "input_columns": ["question"], "output_column": "answer",
        "options": answers, "template": rounds,
    }  # fmt: skip


def _row(question: Question) -> Row:
    lead = f"以下是中国关于{question.subject}考试的{ASKED[question.question_type]}，请选出其中的正确答案。\n"
    options = "\n".join(f"{option.letter}. {option.text}" for option in question.options)
    parts = (lead, question.shared_stem, question.stem, options)
    letters = "".join(option.letter for option in question.options)
    return {"id": question.id, "question": "\n".join(part for part in parts if part), "letters": letters, "answer": question.answer or ""}


def _sides(pair: ClaimPair) -> list[Row]:
    both = (("factual", pair.factual, "正确"), ("non_factual", pair.non_factual, "错误"))
    return [{"id": f"{pair.id}/{side}", "question": _CLAIM.format(claim=claim), "answer": answer} for side, claim, answer in both]
