"""What was done to which item: the rows of changes.jsonl."""

from msgspec import Struct

from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from curation.clean.questions.reading import Reading


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item with the rules that changed it and its texts as they were; docs/cleaning.md says what each rule does."""

    id: str
    """Of the question or of the rejection the item became."""
    rules: tuple[str, ...]
    stem_raw: str | None
    options_raw: list[str] | None
    answer_raw: str | None
    provenance: Provenance


def change_of(item: QuestionItem, reading: Reading) -> Change | None:
    """Return what was done to an item, None for one that stayed as it was."""
    became = reading.question or reading.rejected
    if became is None or not reading.rules:
        return None
    return Change(
        id=became.id,
        rules=reading.rules,
        stem_raw=item.stem_raw,
        options_raw=item.options_raw,
        answer_raw=item.answer_raw,
        provenance=item.provenance,
    )
