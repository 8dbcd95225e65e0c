"""Rows for the tests of the audit."""

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.records.question import Option, Question, question_id
from atomexam.text.option_letters import LETTERS
from curation.audit.sets import AuditedQuestion

OPTIONS = ("急性应激障碍", "创伤后应激障碍", "适应障碍", "广泛性焦虑障碍")


def row(stem: str = "最可能的诊断是（ ）。", options: tuple[str, ...] = OPTIONS, answer: str | None = "A", **fields) -> AuditedQuestion:
    """Return a row; `file`, `at`, `split`, `reasons` and `rules` are of the row, all other fields of its question."""
    file, at, split = fields.pop("file", "train.jsonl"), fields.pop("at", 1), fields.pop("split", "train")
    reasons, rules = fields.pop("reasons", ()), fields.pop("rules", ())
    seen = Provenance(source="read", url=f"file:{file}", snapshot="2026-01-01", page_id="page-1", position=f"line:{at}")
    question = Question(
        id=question_id(fields.get("shared_stem"), stem, list(options)),
        stem=stem,
        options=[Option(letter=letter, text=text) for letter, text in zip(LETTERS, options, strict=False)],
        answer=answer,
        provenance=[seen],
        **{"exam": "PCE", "subject": "变态心理学", "question_type": "mcqa"} | fields,
    )
    item = QuestionItem(url=seen.url, provenance=seen, stem_raw=stem, options_raw=list(options), answer_raw=answer)
    return AuditedQuestion(question, file, seen.position, split, reasons, rules, item)
