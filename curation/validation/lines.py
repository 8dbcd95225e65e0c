"""What no table of words knows of the sources -> lines that are ready to be pasted into `subjects.yaml` and `relations.yaml`."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from curation.vocabulary import read_vocabulary
from records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT

_MOST = 20
"""Lines of one source; where more would be needed, one line for the whole source comes first."""
_SAME = 3
"""Categories of a source from which, where all are of one exam and subject, a line for the whole source takes their place."""
_PLAIN_WORD = re.compile(r"[A-Za-z\u4e00-\u9fff（）][\w\u4e00-\u9fff（）]*")
_MIN_ALIKE = 0.5


def lines_of(to_map: Iterable[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the lines, each file's under its name; none where all is known.

    Args:
        to_map: `categories_to_map` of the figures of `clean`.
        rows: the profiles of the sources.
    """
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for category in to_map:
        by_source.setdefault(category["source"], []).append(category)
    subjects = [line for source in sorted(by_source) for line in _subject_lines(source, by_source[source])]
    labels = [line for row in rows for line in _label_lines(row)]
    return [
        *(["curation/vocab/subjects.yaml, under categories:", *subjects] if subjects else []),
        *(["curation/vocab/relations.yaml, under any:", *labels] if labels else []),
    ]


def _subject_lines(source: str, found: list[Mapping[str, Any]]) -> list[str]:
    named = {(one["exam"], one["subject"]) for one in found}
    is_one = len(named) == 1
    exam, subject = next(iter(named)) if is_one else (UNKNOWN_EXAM, UNKNOWN_SUBJECT)
    whole = {"said": None, "exam": exam, "subject": subject, "questions": sum(one["questions"] for one in found)}
    if is_one and len(found) >= _SAME:
        return [_subject_line(source, whole)]
    ordered = sorted(found, key=lambda one: (-one["questions"], one["said"] or "", one["exam"], one["subject"]))
    lines = [_subject_line(source, whole)] if len(ordered) > _MOST else []
    more = len(ordered) - _MOST
    covered = [f"  # and {more} more categories of {source}, which the line for the whole source covers"] if more > 0 else []
    return [*lines, *(_subject_line(source, one) for one in ordered[:_MOST]), *covered]


def _subject_line(source: str, one: Mapping[str, Any]) -> str:
    said = f"said: {_quoted(one['said'])}, " if one["said"] else ""
    exam = "EXAM" if one["exam"] == UNKNOWN_EXAM else _quoted(one["exam"])
    subject = "SUBJECT" if one["subject"] == UNKNOWN_SUBJECT else _quoted(one["subject"])
    return f"  - {{source: {source}, {said}exam: {exam}, subject: {subject}}}  # {one['questions']} questions"


def _label_lines(row: Mapping[str, Any]) -> list[str]:
    unknown = row["unknown_labels"]
    lines = [
        f"  {one['entity_type']}: {{{_quoted(one['label'])}: {_use_like(one['entity_type'], one['label'])}}}"
        f"  # {row['id']}: {one['values']} values, on {one['share']:.0%} of its entries"
        for one in unknown[:_MOST]
    ]
    return [*lines, *([f"  # and {len(unknown) - _MOST} more labels of {row['id']}"] if len(unknown) > _MOST else [])]


def _use_like(entity_type: str, label: str) -> str:
    """Return the use of the known label that is most like one: half of its characters or more; else that nobody has looked at it."""
    known = {name: use for source in _sources() for name, use in source.get(entity_type, {}).items() if isinstance(use, dict)}
    alike = {name: len(set(name) & set(label)) / len(set(name) | set(label)) for name in known}
    best = max(sorted(alike), key=alike.__getitem__, default=None)
    if best is None or alike[best] < _MIN_ALIKE or label.isascii():
        return "{ignore: not looked at}"
    return "{" + ", ".join(f"{key}: {_quoted(value)}" for key, value in known[best].items()) + "}"


def _sources() -> list[dict[str, Any]]:
    return [table for table in read_vocabulary("relations").values() if isinstance(table, dict)]


def _quoted(value: Any) -> str:
    text = str(value)
    return (
        text
        if _PLAIN_WORD.fullmatch(text) and text not in ("true", "false", "null", "no", "yes")
        else json.dumps(value, ensure_ascii=False)
    )
