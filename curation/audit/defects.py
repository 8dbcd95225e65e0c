"""Rows of a set -> its format defects: why `clean` would reject a question, and what it would change. Pure."""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import Any

from atomexam.records.reasons import OF_QUESTIONS
from curation.audit.duplicates import share
from curation.audit.sets import AuditedQuestion
from curation.clean.wording.exam_text import TEXT_RULES
from curation.text.rules import words_of

_NO_ANSWER = "answer_missing"
_UNIFIED = frozenset({"blank", "signs", "characters", "spaces", "lines", "case_split", "option_edges"})
"""Rules that unify equivalent spellings."""
_EXAMPLES = 20
_MEANINGS = {name: words_of(rule).why for name, rule in TEXT_RULES.items()} | {
    "answer_letters": "An answer is not written as sorted letters.",
    "answer_with_text": "An answer repeats the text of its option.",
    "answer_as_text": "An answer is the text of an option instead of its letter.",
    "option_in_answer": "The last option is in the answer field.",
    "answer_in_blank": "The answer is in the blank of the stem.",
    "section_type": "Questions with one answer are filed under multiple response.",
    "number": "The number of the question is in the stem.",
    "repeated_case": "A case with a field of its own is repeated in the stem.",
    "case_split": "A case shared by several questions is repeated in each stem.",
}
_HEAD_CHARS, _TAIL_CHARS = 60, 120
_MAX_OPTIONS = 10
FileSplits = frozenset[tuple[str, str | None]]
_KINDS = ("rejected", "repaired", "unified")


def withheld(files: Sequence[Mapping[str, Any]]) -> FileSplits:
    """Return the files and splits whose complete key is withheld, which is not a defect of their questions."""
    return frozenset((one["file"], one["split"]) for one in files if one["withheld"])


def reasons_of(row: AuditedQuestion, withholding: FileSplits) -> tuple[str, ...]:
    """Return why `clean` rejects a question."""
    return tuple(reason for reason in row.reasons if reason != _NO_ANSWER or (row.file, row.split) not in withholding)


def repairs_of(row: AuditedQuestion) -> tuple[str, ...]:
    """Return the rules that repair something in a question; unifying a spelling is not a repair."""
    return tuple(rule for rule in row.rules if rule not in _UNIFIED)


def defects(rows: Sequence[AuditedQuestion], withholding: FileSplits) -> dict[str, dict[str, Any]]:
    """Return each defect with its meaning, count, share of the questions and examples: what is rejected, repaired, unified."""
    rows_by_defect: dict[tuple[str, str], list[AuditedQuestion]] = defaultdict(list)
    for row in rows:
        for reason in reasons_of(row, withholding):
            rows_by_defect["rejected", reason].append(row)
        for rule in row.rules:
            rows_by_defect["unified" if rule in _UNIFIED else "repaired", rule].append(row)
    order = sorted(rows_by_defect, key=lambda key: (_KINDS.index(key[0]), -len(rows_by_defect[key]), key[1]))
    return {
        name: {
            "kind": kind,
            "means": OF_QUESTIONS[name].meaning if kind == "rejected" else _MEANINGS.get(name, ""),
            "count": len(rows_by_defect[kind, name]),
            "share": share(len(rows_by_defect[kind, name]), len(rows)),
            "examples": [_example(row) for row in rows_by_defect[kind, name][:_EXAMPLES]],
        }
        for kind, name in order
    }


def _example(row: AuditedQuestion) -> dict[str, Any]:
    options = row.item.options_raw or row.item.shared_options_raw or []
    return {
        "file": row.file,
        "position": row.position,
        "case": _both_ends(row.item.case_raw or ""),
        "stem": _both_ends(row.item.stem_raw or ""),
        "options": [_both_ends(option) for option in options[:_MAX_OPTIONS]],
        "answer": None if row.item.answer_raw is None else _both_ends(row.item.answer_raw),
    }


def _both_ends(text: str) -> str:
    """Return a long text without its middle: defects are at the ends of stems."""
    return text if len(text) <= _HEAD_CHARS + _TAIL_CHARS else f"{text[:_HEAD_CHARS]} … {text[-_TAIL_CHARS:]}"
