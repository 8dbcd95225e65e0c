"""Categories and labels of the sources missing in the tables -> lines to paste into `subjects.yaml` and `relations.yaml`."""

from collections.abc import Iterable, Mapping
from typing import Any

from atomexam.records.question import UNKNOWN_EXAM, UNKNOWN_SUBJECT
from atomexam.runtime.paste_lines import RELATIONS_HEAD, SUBJECTS_HEAD, label_line, subject_line
from curation.vocab.reader import read_vocabulary

_MOST = 20
"""Maximum number of lines per source; if there are more, one line for the complete source comes first."""
_SAME = 3
"""Number of a source's categories from which, if all have the same exam and subject, one line for the source replaces theirs."""


def lines_of(to_map: Iterable[Mapping[str, Any]], rows: Iterable[Mapping[str, Any]]) -> list[str]:
    """Return the lines, under the name of their file; none if nothing is missing.

    Args:
        to_map: `categories_to_map` of the metrics of `clean`.
        rows: the profiles of the sources.
    """
    by_source: dict[str, list[Mapping[str, Any]]] = {}
    for category in to_map:
        by_source.setdefault(category["source"], []).append(category)
    subjects = [line for source in sorted(by_source) for line in _subject_lines(source, by_source[source])]
    labels = [line for row in rows for line in _label_lines(row)]
    return [
        *([SUBJECTS_HEAD, *subjects] if subjects else []),
        *([RELATIONS_HEAD, *labels] if labels else []),
    ]


def _subject_lines(source: str, categories: list[Mapping[str, Any]]) -> list[str]:
    named = {(one["exam"], one["subject"]) for one in categories}
    is_one = len(named) == 1
    exam, subject = next(iter(named)) if is_one else (UNKNOWN_EXAM, UNKNOWN_SUBJECT)
    whole = subject_line(source, None, exam, subject, sum(one["questions"] for one in categories))
    if is_one and len(categories) >= _SAME:
        return [whole]
    ordered = sorted(categories, key=lambda one: (-one["questions"], one["said"] or "", one["exam"], one["subject"]))
    lines = [whole] if len(ordered) > _MOST else []
    more = len(ordered) - _MOST
    covered = [f"  # and {more} more categories of {source}, which the line for the whole source covers"] if more > 0 else []
    own = [subject_line(source, one["said"], one["exam"], one["subject"], one["questions"]) for one in ordered[:_MOST]]
    return [*lines, *own, *covered]


def _label_lines(row: Mapping[str, Any]) -> list[str]:
    unknown = row["unknown_labels"]
    relations = read_vocabulary("relations") if unknown else {}
    lines = [
        label_line(
            relations, one["entity_type"], one["label"], f"{row['id']}: {one['values']} values, on {one['share']:.0%} of its entries"
        )
        for one in unknown[:_MOST]
    ]
    return [*lines, *([f"  # and {len(unknown) - _MOST} more labels of {row['id']}"] if len(unknown) > _MOST else [])]
