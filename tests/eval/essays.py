"""Questions answered in words, for tests of judge and baselines."""

from atomexam.records.provenance import Provenance
from atomexam.records.question import Question, question_id

SEEN = [Provenance(source="toy", url="https://example.com/1", snapshot="2026-11-20", page_id="page-1", position="q1")]


def essay_question(number: int, answer: str | None, **changes) -> Question:
    """Return a question that is answered in words."""
    stem = f"简述第{number}点。"
    values = {"exam": "PCE", "subject": "心理咨询师", "category": "kg"} | changes
    identity = question_id(None, stem, [])
    return Question(id=identity, stem=stem, options=[], answer=answer, provenance=SEEN, question_type="qa", **values)
