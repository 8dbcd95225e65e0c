"""The shipped table of categories, `subjects.yaml`."""

from functools import cache

from atomexam.records.subjects import ExamAndSubject, SourceWords, SubjectTable
from curation.vocab.reader import read_vocabulary


@cache
def _shipped() -> SubjectTable:
    return SubjectTable(read_vocabulary("subjects"))


def exam_and_subject(words: SourceWords, source: str) -> ExamAndSubject:
    """Return exam and subject of a question."""
    return _shipped().exam_and_subject_of(words, source)


@cache
def named_for(source: str) -> frozenset[str]:
    """Return the exams and subjects, case-folded, that lines for this source assign, and that a person has thus confirmed."""
    return frozenset(name.casefold() for name in _shipped().given_to(source))
