"""Derives exam and subject from the source's texts around a question, using a table of categories: `curation/vocab/subjects.yaml`. Pure.

Texts are looked up in this order, and the first one that the table contains decides. Subject: the source's own label, the parts of the
breadcrumb from last to first, the paper's title, the section, the file's name and its folders. Exam: the breadcrumb, the paper's title, the
subject, the section, the file. Chapters (第三章 发展心理学) come last, because they name a part of a subject. An exam or subject that no
text states is unknown; it is never derived from the source's name. If params.yaml states an exam or subject, only that text is looked up.
"""

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from typing import Any, NamedTuple

from atomexam.records.item import QuestionItem
from atomexam.records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT
from atomexam.text.normalize import normalize

_MAX_NAME_CHARS = 300
_MAX_OWN_CHARS = 30  # a longer name of an exam or subject is a sentence
_ARROWS = re.compile(r"[>＞›»→|｜]+")
_SPACED_SLASH = re.compile(r"(?<=\s)/(?=\s)")  # before blanks are removed
_FACULTY = "类"
_SLASHES = re.compile(r"/+")
_MIN_SLASHES = 2  # a single slash may be part of a name: 高中/中职教师
_FILE = "file:"
_SUFFIX = re.compile(r"\.[A-Za-z0-9]{1,5}$")
_CHAPTER = re.compile(
    r"第\s?[\d一二三四五六七八九十百]{1,4}\s?(?:章|单元|部分|篇|编|讲(?!座)|节(?!目)|课(?![堂程]))|(?:chapter|unit|lesson)\s?\d",
    re.IGNORECASE,
)
_EDGES = " \t\n-_—:：·,，。()（）[]【】《》$/\\>"


class ExamAndSubject(NamedTuple):
    """Where a question belongs."""

    exam: str
    subject: str
    unmapped: str | None = None
    """The source's words if the exam or subject is not in the table; NO_CATEGORY if the source has none."""


NO_CATEGORY = "(nothing said)"
"""The category of questions that have no classifying text; a line for the entire source gives their exam and subject."""


class SourceWords(NamedTuple):
    """The source's texts around a question, as stored in its item."""

    exam_raw: str | None = None
    subject_raw: str | None = None
    paper_raw: str | None = None
    section_raw: str | None = None
    type_raw: str | None = None
    url: str = ""
    """Path of the file, if the source consists of files; URLs of web pages are not used."""
    exam: str | None = None
    """Exam stated in params.yaml; overrides all texts."""
    subject: str | None = None

    @classmethod
    def of(cls, item: QuestionItem) -> "SourceWords":
        """Return the texts around the question of an item."""
        raw = (item.exam_raw, item.subject_raw, item.paper_raw, item.section_raw, item.type_raw)
        file = item.url if item.url.startswith(_FILE) else ""  # else each page would count as its own category
        return cls(*raw, file, item.exam or None, item.subject or None)

    @property
    def said(self) -> str:
        """Text for which to look up a line for exactly this category; "" if there is none."""
        return self.subject or self.subject_raw or self.paper_raw or self.exam_raw or self.exam or ""


class SubjectTable:
    """A table of categories; see `curation/vocab/subjects.yaml` for an explanation of its parts."""

    def __init__(self, table: dict[str, Any]) -> None:
        self._table = table
        self._found = lru_cache(maxsize=1 << 14)(self._exam_and_subject)  # a source has few categories and many questions
        self._lines = {(_plain(line.get("said")), line.get("source")): line for line in table["categories"]}
        self._entries = [
            ([_plain(name) for name in (entry["name"], *entry.get("also", ()))], _plain(entry.get("but_not")), entry)
            for entry in table["subjects"]
        ]
        around = "|".join(map(re.escape, sorted(table["navigation"], key=len, reverse=True)))
        alone = "|".join(map(re.escape, sorted([*table["navigation"], *table["navigation_alone"]], key=len, reverse=True)))
        self._around = re.compile(f"^(?:{around})+|(?:{around})+$")
        self._alone = re.compile(rf"{alone}|[\d\W_]")

    def exam_and_subject_of(self, source_words: SourceWords, source: str) -> ExamAndSubject:
        """Return exam and subject: from a line for exactly these words, else from names within the words, else from the line for the entire
        source.

        If an entry is missing, the source's own words are used.
        """
        return self._found(SourceWords._make(text and text[:_MAX_NAME_CHARS] for text in source_words), source)

    def _exam_and_subject(self, source_words: SourceWords, source: str) -> ExamAndSubject:
        stated_exam, stated_subject = _plain(source_words.exam), _plain(source_words.subject)
        said = (source_words.exam_raw or stated_exam, stated_subject or source_words.subject_raw, *source_words[2:4])
        exam, subject, paper, section = ("" if text.casefold() == source.casefold() else text for text in map(_plain, said))
        parts = [part for text in (exam, subject) for part in [*reversed(list(_parts(text)))]]
        path = [_plain(part) for part in _path(source_words.url)]
        line = next((match for text in (subject, paper, exam, *parts) if text and (match := self._line(text, source))), {})
        whole = self._lines.get(("", source), {})
        own_exam, own_subject = self._own(exam, source), self._own(subject, source)
        entry = self._entry((subject, *_parts(exam, last_first=True), paper, section, *path)) or {}
        by_subject = None if own_exam else entry.get("exam")  # do not replace an unknown examination by that of a subject
        beside = [self._beside(text, entry) if by_subject else text for text in (paper, subject, section, *path)]
        named = self._exam_named((exam, *beside), (exam, subject), source_words.type_raw)
        known_exam = line.get("exam") or named or by_subject or whole.get("exam")
        known_subject = line.get("subject") or entry.get("name")
        if not known_subject and not own_subject:
            known_subject = self._general((exam, paper, section, *path))
        known_subject = known_subject or whole.get("subject")
        exam_name = known_exam or (own_exam[0] if own_exam else UNKNOWN_EXAM)
        subject_name = known_subject or (own_subject or own_exam or [UNKNOWN_SUBJECT])[-1]
        if stated_exam:
            known_exam = exam_name = self._stated_exam(stated_exam, source)
        if stated_subject:
            known_subject = subject_name = self._stated_subject(stated_subject, source)
        category = " | ".join(filter(None, (exam, subject or paper))) or NO_CATEGORY
        return ExamAndSubject(exam_name, subject_name, None if known_exam and known_subject else category)

    def given_to(self, source: str) -> set[str]:
        """Return the exams and subjects assigned by lines that apply only to this source."""
        lines = [line for (_, of), line in self._lines.items() if of == source]
        return {line[part] for line in lines for part in ("exam", "subject") if part in line}

    def _stated_exam(self, text: str, source: str) -> str:
        return (self._line(text, source) or {}).get("exam") or self._exam_named((text,), (text, ""), None) or text

    def _stated_subject(self, text: str, source: str) -> str:
        found = (self._line(text, source) or {}).get("subject") or (self._entry((text,)) or {}).get("name")
        return found or self._general((text,)) or text

    def _line(self, text: str, source: str) -> dict[str, str] | None:
        return self._lines.get((text, source)) or self._lines.get((text, None))

    def _entry(self, texts: Iterable[str]) -> dict[str, Any] | None:
        for text in _chapters_last(filter(None, texts)):
            for names, but_not, entry in self._entries:
                rest = text.replace(but_not, "") if but_not else text
                if any(name in rest for name in names):
                    return entry
        return None

    def _beside(self, text: str, entry: dict[str, Any]) -> str:
        """Return a text without the name of a subject whose exam is known: the 中药 in 中药药一 is not another subject."""
        for name in sorted(map(_plain, (entry["name"], *entry.get("also", ()))), key=len, reverse=True) if entry.get("exam") else ():
            text = text.replace(name, "")
        return text

    def _exam_named(self, texts: Iterable[str], marks: Iterable[str], type_raw: str | None) -> str | None:
        aliases, exams = self._table["exam_aliases"], self._table["exams"]
        exam, _ = marks
        if match := aliases.get(exam.upper()) or aliases.get(_plain(type_raw).upper()):
            return match
        if exam.upper() in exams:
            return exam.upper()
        return next(
            (code for text in _chapters_last(texts) if text for code, words in exams.items() if any(word in text for word in words)), None
        )

    def _general(self, texts: Iterable[str]) -> str | None:
        """Return the broad subject in a text; used only after all narrow ones."""
        return next((name for text in _chapters_last(texts) if text for name in self._table["general"] if name in text), None)

    def _own(self, text: str, source: str) -> list[str]:
        """Return the parts of a breadcrumb or category, except for navigation, faculties, the source's name and sentences."""
        named = [own for part in _parts(text) for own in self._own_names(part, source)]
        narrow = [own for own in named if not own.endswith(_FACULTY)]
        return list(dict.fromkeys(narrow or named))

    def _own_names(self, part: str, source: str) -> list[str]:
        """Return the names in a part: a slash separates names if one side is navigation or the source's name; otherwise it belongs to the
        name."""
        if len(part) > _MAX_OWN_CHARS:
            return []
        halves = [self._own_name(half, source) for half in _SLASHES.split(part)]
        if len(halves) > 1 and all(halves):
            return [self._own_name(part, source)]
        return [half for half in halves if half]

    def _own_name(self, part: str, source: str) -> str:
        """Return a name without navigation at its ends and without a leading faculty, unless the faculty is all there is; "" if no name is
        left."""
        if not self._alone.sub("", part) or _CHAPTER.match(part):
            return ""
        bare = self._around.sub("", part).strip(_EDGES) or part
        name = re.sub(f"^(?:{'|'.join(map(re.escape, self._table['faculties']))})+(?=.)", "", bare)
        return "" if name.casefold() == source.casefold() else name


def _plain(text: str | None) -> str:
    return normalize(_SPACED_SLASH.sub(">", (text or "")[:_MAX_NAME_CHARS])).text


def _chapters_last(texts: Iterable[str]) -> list[str]:
    return sorted(texts, key=lambda text: bool(text and _CHAPTER.match(text)))


def _parts(text: str, last_first: bool = False) -> Iterator[str]:
    """Yield the parts of a breadcrumb; a text without separators is one part."""
    parts = _ARROWS.split(text)
    if len(parts) == 1 and text.count("/") >= _MIN_SLASHES:
        parts = _SLASHES.split(text)
    named = [part for raw in parts if (part := raw.strip(_EDGES))]
    yield from reversed(named) if last_first else named


def _path(url: str) -> list[str]:
    """Return the name of a file without its suffix, then its folders, the innermost first."""
    if not url.startswith(_FILE):
        return []
    *folders, name = url.removeprefix(_FILE).split("/")
    return [_SUFFIX.sub("", name), *reversed(folders)]
