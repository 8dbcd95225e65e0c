"""Questions as files hold them -> rows: every question as it was understood, with its file, its place and its split."""

import sys
from typing import NamedTuple

from tqdm import tqdm

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.question import Question
from curation.audit.sets import Set
from curation.audit.splits import SplitOf, split_at, splits_of_file
from curation.clean.questions.source_context import context_of
from curation.clean.questions.with_all_reasons import with_all_reasons

_BATCH = 500
_LETTERED_BY_READER = "option_letter"  # the reader of files puts the letters there


class Row(NamedTuple):
    """One question of a set."""

    question: Question
    file: str
    position: str
    split: str | None
    reasons: tuple[str, ...]
    """Why it is not sound, by `clean`."""
    rules: tuple[str, ...]
    """What `clean` changes in it."""
    item: QuestionItem
    """The question as its file holds it."""


def rows_of(found: Set, told: SplitOf, params: Clean) -> list[Row]:
    """Return every question of a set as it was understood, in the order of the files."""
    splits = {name: splits_of_file(name, found.files[name].beside, told) for name in sorted({entry.file for entry in found.entries})}
    context = context_of([entry.item for entry in found.entries])
    rows = []
    with tqdm(total=len(found.entries), desc="read", file=sys.stderr, disable=None, leave=False) as done:
        for start in range(0, len(found.entries), _BATCH):
            batch = found.entries[start : start + _BATCH]
            for entry, one in zip(batch, with_all_reasons([entry.item for entry in batch], params, context), strict=True):
                rules = tuple(rule for rule in one.rules if rule != _LETTERED_BY_READER)
                split = split_at(splits[entry.file], entry.position)
                rows.append(Row(entry.question or one.question, entry.file, entry.position, split, one.reasons, rules, entry.item))
            done.update(len(batch))
    return rows
