"""Records as tables for validation: a column a field, and columns ending in ? for what no single field shows."""

from __future__ import annotations

import re
from difflib import SequenceMatcher
from typing import Any

from records.claim import ClaimPair
from records.fact import Fact
from records.question import LETTERS, Question

_DIRT = re.compile(r"[\ufffd\x00-\x08\x0b\x0c\x0e-\x1f\u200b\ufeff]|&(?:nbsp|#\d+|[a-z]+);|<[a-zA-Z/][^>]*>")
_NEGATIONS = ([("", "不")], [("正", "异")], [("宜", "忌")], [("宜", "不宜")])
_CHOICE = ("mcqa", "mrqa", "tf")

Row = dict[str, Any]


def question_rows(questions: list[Question]) -> list[Row]:
    """Return a row a question."""
    return [
        {
            "id": q.id,
            "exam": q.exam or None,
            "subject": q.subject or None,
            "question_type": q.question_type,
            "category": q.category,
            "stem": q.stem,
            "answer": q.answer or None,
            "cluster_id": q.cluster_id,
            "answer_in_options?": q.question_type not in _CHOICE or set(q.answer or "") <= {o.letter for o in q.options},
            "answer_fits_type?": _answer_fits(q),
            "options_distinct?": len({o.text for o in q.options}) == len(q.options),
            "letters_in_order?": "".join(o.letter for o in q.options) == LETTERS[: len(q.options)],
            "text_clean?": _is_clean(q.shared_stem or "", q.stem, *(o.text for o in q.options)),
            "seen_somewhere?": bool(q.provenance),
        }
        for q in questions
    ]


def fact_rows(facts: list[Fact]) -> list[Row]:
    """Return a row a fact."""
    return [
        {
            "id": f.id,
            "relation": f.relation,
            "head": f.head,
            "tail": f.tail,
            "text_clean?": _is_clean(f.head, f.tail),
            "seen_somewhere?": bool(f.provenance),
        }
        for f in facts
    ]


def claim_rows(claims: list[ClaimPair]) -> list[Row]:
    """Return a row a claim pair."""
    denied = {c.non_factual for c in claims}
    return [
        {
            "id": c.id,
            "atomic_type": c.atomic_type,
            "factual": c.factual,
            "non_factual": c.non_factual,
            "differ_by_negation_alone?": _differ_by_negation(c.factual, c.non_factual),
            "denied_by_no_other?": c.factual not in denied,
            "names_head_and_tail?": all(part in sentence for part in (c.head, c.tail) for sentence in (c.factual, c.non_factual)),
            "has_facts?": bool(c.fact_ids) and bool(c.provenance),
            "text_clean?": _is_clean(c.factual, c.non_factual),
        }
        for c in claims
    ]


def _answer_fits(question: Question) -> bool:
    answer = question.answer or ""
    if question.question_type in _CHOICE:
        letters = "".join(sorted(set(answer)))
        return answer == letters and (len(answer) >= 2 if question.question_type == "mrqa" else len(answer) == 1)
    return bool(answer.strip()) and not question.options


def _differ_by_negation(factual: str, non_factual: str) -> bool:
    """Tell whether one negation word, and nothing else, lies between the two sentences."""
    for said, denied in ((factual, non_factual), (non_factual, factual)):
        steps = SequenceMatcher(None, said, denied, False).get_opcodes()
        if [(said[a:b], denied[c:d]) for tag, a, b, c, d in steps if tag != "equal"] in _NEGATIONS:
            return True
    return False


def _is_clean(*texts: str) -> bool:
    return not any(_DIRT.search(text) for text in texts)
