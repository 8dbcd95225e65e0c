"""Where a question belongs: what its source calls examination, subject and paper -> exam and subject, by `vocab/subjects.yaml`."""

import re
from functools import cache, lru_cache
from typing import Any, NamedTuple

from curation.normalize import normalize
from curation.vocabulary import read_vocabulary


class Place(NamedTuple):
    """Where a question belongs."""

    exam: str
    subject: str
    unmapped: str | None = None
    """The source's own category where the table does not know exam or subject, which then keep the source's names."""


_MAX_NAME_CHARS = 300


def place_of(exam_raw: str | None, subject_raw: str | None, paper_raw: str | None, source: str, type_raw: str | None = None) -> Place:
    """Return exam and subject by `vocab/subjects.yaml`; what the table does not know keeps its source's own name, and is told."""
    return _place(
        *(text and text[:_MAX_NAME_CHARS] for text in (exam_raw, subject_raw, paper_raw)), source, (type_raw or "")[:_MAX_NAME_CHARS]
    )


@lru_cache(maxsize=1 << 14)  # a source has few categories and many questions
def _place(exam: str | None, subject: str | None, paper: str | None, source: str, type_raw: str) -> Place:
    return _shipped().place(exam, subject, paper, source, type_raw)


@cache
def _shipped() -> "Places":
    return Places(read_vocabulary("subjects"))


class Places:
    """A table of categories; `vocab/subjects.yaml` says what its parts mean."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table
        self._lines = {(normalize(line.get("said") or "").text, line.get("source")): line for line in table["categories"]}

    def place(self, exam_raw: str | None, subject_raw: str | None, paper_raw: str | None, source: str, type_raw: str | None) -> Place:
        """Return exam and subject: by a line for these very words, by the names the words hold, else by the line of the whole source."""
        said = [normalize(text or "").text for text in (subject_raw, paper_raw, exam_raw)]
        subject, paper, exam = said
        line = next((found for text in said if text and (found := self._line(text, source))), {})
        entry = next((found for text in said if text and (found := self._entry(text))), {})
        whole = self._lines.get(("", source), {})
        by_subject = None if exam else entry.get("exam")  # an examination that nobody knows is not that of a like-named subject
        known_exam = line.get("exam") or self._exam_named(said, type_raw) or by_subject or whole.get("exam")
        known_subject = line.get("subject") or entry.get("name") or whole.get("subject")
        found_exam = known_exam or exam or source
        found_subject = known_subject or self._plain(subject) or exam or found_exam
        unmapped = None if known_exam and known_subject else " | ".join(filter(None, (exam, subject or paper))) or source
        return Place(found_exam, found_subject, unmapped)

    def _line(self, text: str, source: str) -> dict[str, str] | None:
        return self._lines.get((text, source)) or self._lines.get((text, None))

    def _entry(self, text: str) -> dict[str, Any] | None:
        for entry in self._table["subjects"]:
            rest = text.replace(entry["but_not"], "") if "but_not" in entry else text
            if any(name in rest for name in (entry["name"], *entry.get("also", ()))):
                return entry
        return None

    def _exam_named(self, said: list[str], type_raw: str | None) -> str | None:
        subject, paper, exam = said
        marks, exams = self._table["exam_aliases"], self._table["exams"]
        if found := marks.get(exam.upper()) or marks.get((type_raw or "").upper()):
            return found
        if exam.upper() in exams:
            return exam.upper()
        return next((code for text in (exam, paper, subject) for code, words in exams.items() if any(word in text for word in words)), None)

    def _plain(self, subject: str) -> str:
        """Return a subject without the faculties in front of it; the name of a faculty alone stays."""
        return re.sub(f"^(?:{'|'.join(map(re.escape, self._table['faculties']))})+(?=.)", "", subject)
