"""Questions in files -> every question as `clean` parsed it, with its file, position and split."""

import sys
from typing import NamedTuple

from tqdm import tqdm

from atomexam.records.item import QuestionItem
from atomexam.records.params import Clean
from atomexam.records.question import Question
from curation.audit.sets import AuditedSet
from curation.audit.splits import SplitOf, split_at, splits_of_file
from curation.clean.questions.source_context import context_of
from curation.clean.questions.with_all_reasons import with_all_reasons

_BATCH = 500
_LETTERED_BY_READER = "option_letter"  # the file reader adds the letters


class AuditedQuestion(NamedTuple):
    """One question of a set."""

    question: Question
    file: str
    position: str
    split: str | None
    reasons: tuple[str, ...]
    """Why `clean` would reject it."""
    rules: tuple[str, ...]
    """Rules of `clean` that change it."""
    item: QuestionItem
    """The question as its file contains it."""


def audited_questions(audited: AuditedSet, split_of: SplitOf, params: Clean) -> list[AuditedQuestion]:
    """Return every question of a set as `clean` parses it, in the order of the files."""
    splits = {
        name: splits_of_file(name, audited.files[name].beside, split_of) for name in sorted({entry.file for entry in audited.entries})
    }
    context = context_of([entry.item for entry in audited.entries])
    rows = []
    with tqdm(total=len(audited.entries), desc="read", file=sys.stderr, disable=None, leave=False) as done:
        for start in range(0, len(audited.entries), _BATCH):
            batch = audited.entries[start : start + _BATCH]
            for entry, one in zip(batch, with_all_reasons([entry.item for entry in batch], params, context), strict=True):
                rules = tuple(rule for rule in one.rules if rule != _LETTERED_BY_READER)
                split = split_at(splits[entry.file], entry.position)
                rows.append(
                    AuditedQuestion(entry.question or one.question, entry.file, entry.position, split, one.reasons, rules, entry.item)
                )
            done.update(len(batch))
    return rows
