"""Rows for the tests of the audit."""

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from curation.audit.sets import AuditedQuestion
from tests.curation.records import question

OPTIONS = ("急性应激障碍", "创伤后应激障碍", "适应障碍", "广泛性焦虑障碍")


def row(stem: str = "最可能的诊断是（ ）。", options: tuple[str, ...] = OPTIONS, answer: str | None = "A", **fields) -> AuditedQuestion:
    """Return a row; `file`, `at`, `split`, `reasons` and `rules` belong to the row, all other fields to its question."""
    file, at, split = fields.pop("file", "train.jsonl"), fields.pop("at", 1), fields.pop("split", "train")
    reasons, rules = fields.pop("reasons", ()), fields.pop("rules", ())
    seen = Provenance(source="read", url=f"file:{file}", snapshot="2026-01-01", page_id="page-1", position=f"line:{at}")
    asked = question(stem, options, answer, **{"provenance": [seen]} | fields)
    item = QuestionItem(url=seen.url, provenance=seen, stem_raw=stem, options_raw=list(options), answer_raw=answer)
    return AuditedQuestion(asked, file, seen.position, split, reasons, rules, item, asked.id)
