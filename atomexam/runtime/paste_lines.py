"""Lines to paste into `subjects.yaml` and `relations.yaml` for missing categories and labels. Pure."""

import json
import re
from collections.abc import Mapping
from typing import Any

from atomexam.records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT

SUBJECTS_HEAD = "curation/vocab/subjects.yaml, under categories:"
RELATIONS_HEAD = "curation/vocab/relations.yaml, under any:"
_PLAIN_WORD = re.compile(r"[A-Za-z\u4e00-\u9fff（）][\w\u4e00-\u9fff（）]*")
_WORDS_OF_YAML = ("true", "false", "null", "no", "yes", "on", "off")
_MIN_ALIKE = 0.5
NOT_LOOKED_AT = "{ignore: not looked at}"


def subject_line(source: str, category: str | None, exam: str, subject: str, questions: int) -> str:
    """Return a line for a category of a source, or for the entire source if `category` is None; unknown values become placeholders."""
    words = f"said: {quoted(category)}, " if category else ""
    named = "EXAM" if exam == UNKNOWN_EXAM else quoted(exam)
    taught = "SUBJECT" if subject == UNKNOWN_SUBJECT else quoted(subject)
    return f"  - {{source: {source}, {words}exam: {named}, subject: {taught}}}  # {questions} questions"


def label_line(relations: Mapping[str, Any], entity_type: str, label: str, remark: str) -> str:
    """Return a line for a label in encyclopedia entries, with the same use as the most similar known label."""
    return f"  {entity_type}: {{{quoted(label)}: {_use_like(relations, entity_type, label)}}}  # {remark}"


def _use_like(relations: Mapping[str, Any], entity_type: str, label: str) -> str:
    """Return the use of the most similar known label if the two share at least half of their characters; otherwise NOT_LOOKED_AT."""
    tables = [table.get(entity_type) for table in relations.values() if isinstance(table, dict)]
    known = {name: use for table in tables if isinstance(table, dict) for name, use in table.items() if isinstance(use, dict)}
    alike = {name: len(set(name) & set(label)) / len(set(name) | set(label)) for name in known if name}
    best = max(sorted(alike), key=alike.__getitem__, default=None)
    if best is None or alike[best] < _MIN_ALIKE or label.isascii():
        return NOT_LOOKED_AT
    return "{" + ", ".join(f"{key}: {quoted(value)}" for key, value in known[best].items()) + "}"


def quoted(value: Any) -> str:
    """Quote a value for a YAML flow mapping if necessary."""
    text = str(value)
    is_plain = isinstance(value, str) and _PLAIN_WORD.fullmatch(text) and text.lower() not in _WORDS_OF_YAML
    return text if is_plain else json.dumps(value, ensure_ascii=False)
