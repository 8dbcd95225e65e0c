"""The profile of what was read -> lines for people: what looks misread, and lines to paste for words that no word table contains.

The tables are read as files; the package that owns them is not imported.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from atomexam.records.item import Item
from atomexam.records.profile import SIGNS, Profile, profile_of
from atomexam.records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT
from atomexam.records.subjects import SubjectTable
from atomexam.runtime.paste_lines import RELATIONS_HEAD, SUBJECTS_HEAD, label_line, quoted, subject_line
from atomexam.text.columns import harmless_lines

_TABLES = Path(__file__).parents[2] / "curation/vocab"
_LEAST_SHARE, _LEAST = 0.02, 3
"""Minimum share and number of questions with a sign of misreading for it to be shown."""
_REPORTED_ELSEWHERE = ("no_answer", "no_exam")
_MOST_LINES = 8
_EDGES = re.compile(r"[\s【】\[\]：:]+")


def misread_lines(items: Iterable[Item] | Profile) -> list[str]:
    """Return what looks misread in the items; empty if nothing does."""
    return _misread(items if isinstance(items, Profile) else profile_of(items))


def paste_lines(items: Iterable[Item] | Profile, source: str = "NAME") -> list[str]:
    """Return the lines to paste for words missing from the word tables, under each table's name; `source` is its key in params.yaml."""
    profile = items if isinstance(items, Profile) else profile_of(items)
    return [*map(harmless_lines, _to_paste(profile, source))]


def figures_of(items: Iterable[Item]) -> dict[str, Any]:
    """Return the profile as JSON values."""
    profile = profile_of(items)
    options = {str(number): count for number, count in sorted(profile.options.items())}
    signs = {name: profile.signs[name] for name in SIGNS if profile.signs[name]}
    return {
        "kinds": _sorted(profile.kinds),
        "options": options,
        "letters": _sorted(profile.letters),
        "doubts": _sorted(profile.doubts),
        "signs": signs,
    }


def _misread(profile: Profile) -> list[str]:
    lines = []
    for name, sign in SIGNS.items():
        count = profile.signs[name]
        if name not in _REPORTED_ELSEWHERE and count >= max(_LEAST, profile.questions * _LEAST_SHARE):
            first = profile.examples[name]
            where = f"first {first.provenance.position}, answer {(first.answer_raw or 'none')[:20]!r}"
            lines.append(f"{count} of {profile.questions} questions: each {sign.words} ({where}): {sign.remedy}")
    return lines


def _to_paste(profile: Profile, source: str) -> list[str]:
    subjects = _unplaced(profile, source)
    labels = [pair for pair in sorted(profile.labels.items(), key=lambda pair: (-pair[1], pair[0])) if not _is_known(*pair[0])]
    lines = [SUBJECTS_HEAD, *subjects] if subjects else []
    if labels:
        relations = _table("relations")
        lines.append(RELATIONS_HEAD)
        lines += [
            label_line(relations, kind, label, f"on {count / profile.entities:.0%} of {profile.entities} entries, and gives no facts")
            for (_, kind, label), count in labels[:_MOST_LINES]
        ]
        lines += [f"  # and {len(labels) - _MOST_LINES} more labels"] if len(labels) > _MOST_LINES else []
    return lines


def _unplaced(profile: Profile, source: str) -> list[str]:
    """Return a line for each category that `clean` would not place, or one line for the source if there are many."""
    unknown = Counter[str]()
    for words, count in profile.categories.items():
        if _subjects().exam_and_subject_of(words, source).unmapped:
            unknown[words.said] += count
    if len(unknown) > _MOST_LINES:
        unknown = Counter({"": unknown.total()})
    ordered = sorted(unknown.items(), key=lambda pair: (-pair[1], pair[0]))
    return [subject_line(source, said or None, UNKNOWN_EXAM, UNKNOWN_SUBJECT, count) for said, count in ordered]


@cache
def _subjects() -> SubjectTable:
    return SubjectTable(_table("subjects"))


def _is_known(source: str, entity_type: str, label: str) -> bool:
    table: Mapping[str, Any] = _table("relations")
    bare = _EDGES.sub("", label)
    return any(bare in (table.get(name, {}).get(entity_type) or {}) for name in (source, "any"))


@cache
def _table(name: str) -> Any:
    return YAML(typ="safe", pure=True).load(_TABLES / f"{name}.yaml")


def layout_lines(columns: Mapping[str, str], spare: Sequence[str]) -> list[str]:
    """Return a layout for what was read, in which the unread keys can be assigned to fields; nothing if all keys are read.

    Args:
        columns: field of a question -> the key or keys that it is read from. spare: unread keys.
    """
    if not columns or not spare:
        return []
    read = ", ".join(f"{field}: {quoted(f'{key}?')}" for field, key in sorted(columns.items()) if "," not in key and "、" not in key)
    return [
        "unread keys; to read one, paste this into a layout of your own (docs/importing.md) and assign the key to a field:",
        f"  NAME: {{questions: {{{read}}}, unread: [{', '.join(map(quoted, spare))}]}}",
    ]


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}
