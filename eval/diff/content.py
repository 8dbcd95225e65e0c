"""Find questions and claims added, removed, moved or edited between two versions of the data; reserved ones are only counted."""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeVar

import msgspec

from atomexam.records.claim import SENTENCES, ClaimPair, Fourfold, sentences_of
from atomexam.records.question import SPLITS, Question, Split
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical
from atomexam.text.ngram_index import NgramIndex
from atomexam.text.ngrams import bigrams, jaccard
from eval.diff.version import DataVersion
from eval.report.records import MAX_DISPLAYED, Marked, Reserved, marked, select_displayed

MIN_EDIT_SIMILARITY = 0.5
"""Minimum Jaccard similarity of the bigrams of two texts on the same page for one to count as an edit of the other."""
_HIDDEN: Split = "reserved"
_FIELDS = {
    "question": (
        "shared_stem", "stem", "options", "answer", "explanation", "exam", "subject", "question_type", "category", "case_type", "form",
    ),
    "claim": ("factual", "non_factual", "atomic_type", "head", "tail"),
    "fact": (*SENTENCES, "atomic_type", "head", "tail", "false_head", "false_tail"),
}  # fmt: skip

Record = Question | ClaimPair | Fourfold
R = TypeVar("R", Question, ClaimPair, Fourfold)


class RecordInSplit(NamedTuple):
    """A record of one version and its split."""

    split: str
    record: Record


class RecordChange(NamedTuple):
    """The change of one record."""

    a: RecordInSplit | None
    b: RecordInSplit | None
    fields: Mapping[str, Marked]
    """The differing fields of an edited record."""

    @property
    def id(self) -> str:
        """The record's id in the second version if it has one, otherwise its id in the first."""
        return (self.b or self.a).record.id  # type: ignore[union-attr]


class ChangesOfKind(NamedTuple):
    """The changes of one kind, such as `added`."""

    total: int
    displayed: list[RecordChange]
    """The first changes by id, at most `MAX_DISPLAYED`."""
    withheld: int
    """Number of checked records that are in reserved in one of the versions, or that would reveal reserved content."""


class Changes(NamedTuple):
    """The changes to one kind of record between two versions."""

    kind: str
    counts: dict[Split, tuple[int, int]]
    """Maps each split to its number of records in the first and in the second version."""
    kinds: dict[str, ChangesOfKind]
    """The changes `added`, `removed`, `moved` and `edited`; a record that was both moved and edited is in both."""
    change_by_id: dict[str, str]
    """Maps each changed record in the second version's test split to `added`, `moved` or `edited`."""


def changes_of(a: DataVersion, b: DataVersion) -> list[Changes]:
    """Return the changes of questions, claim pairs and fourfold rows."""
    questions_a, questions_b = ({split: version.questions_of(split) for split in SPLITS} for version in (a, b))
    claimed_a, claimed_b = ({split: version.claims_of(split) for split in SPLITS} for version in (a, b))
    fourfold_a, fourfold_b = ({split: version.fourfold_of(split) for split in SPLITS} for version in (a, b))
    reserved = (
        Reserved(questions_a[_HIDDEN], claimed_a[_HIDDEN], fourfold_a[_HIDDEN]),
        Reserved(questions_b[_HIDDEN], claimed_b[_HIDDEN], fourfold_b[_HIDDEN]),
    )

    def is_hidden(change: RecordChange) -> bool:
        versions = [one for one in (change.a, change.b) if one]
        rows = [Rejected(id=one.record.id, kind="question", reason="", record=msgspec.to_builtins(one.record)) for one in versions]
        return any(one.split == _HIDDEN for one in versions) or any(split.has(row) for row in rows for split in reserved)

    return [
        _changes("question", questions_a, questions_b, is_hidden),
        _changes("claim", claimed_a, claimed_b, is_hidden),
        _changes("fact", fourfold_a, fourfold_b, is_hidden),
    ]


def _changes(
    kind: str, before: Mapping[Split, Sequence[R]], after: Mapping[Split, Sequence[R]], is_hidden: Callable[[RecordChange], bool]
) -> Changes:
    a, b = ({row.id: RecordInSplit(split, row) for split, rows in version.items() for row in rows} for version in (before, after))
    removed, added = ([side[key] for key in sorted(side.keys() - other.keys())] for side, other in ((a, b), (b, a)))
    edits = _edited(removed, added)
    paired = [(a[key], b[key]) for key in sorted(a.keys() & b.keys())] + [
        (removed[one], added[other]) for one, other in sorted(edits.items())
    ]
    both = [RecordChange(one, other, _differences(kind, one.record, other.record)) for one, other in paired]
    unmatched = set(range(len(added))) - set(edits.values())
    kinds = {
        "added": [RecordChange(None, added[index], {}) for index in sorted(unmatched)],
        "removed": [RecordChange(one, None, {}) for index, one in enumerate(removed) if index not in edits],
        "moved": [change for change in both if change.a and change.b and change.a.split != change.b.split],
        "edited": [change for change in both if change.fields],
    }
    counts = {split: (len(before[split]), len(after[split])) for split in SPLITS}
    change_by_id = {
        change.id: name for name in ("moved", "edited", "added") for change in kinds[name] if change.b and change.b.split == "test"
    }  # fmt: skip
    of_kinds = {name: sorted(changes, key=lambda change: change.id) for name, changes in kinds.items()}
    displayed_kinds = {
        name: ChangesOfKind(len(changes), *select_displayed(changes, MAX_DISPLAYED, is_hidden)) for name, changes in of_kinds.items()
    }
    return Changes(kind, counts, displayed_kinds, change_by_id)


def _edited(removed: Sequence[RecordInSplit], added: Sequence[RecordInSplit]) -> dict[int, int]:
    """Return the pairs of removed and added records that are edits, meaning similar and from the same page, most similar first.

    An edit changes a question's id and shifts the positions of later questions on the page, so neither id nor position is enough to
    identify it.
    """
    removed_grams = [bigrams(_canonical_text(one.record)) for one in removed]
    index = NgramIndex(removed_grams, MIN_EDIT_SIMILARITY)
    pairs = []
    for position, one in enumerate(added):
        grams, sightings = bigrams(_canonical_text(one.record)), {(where.source, where.url) for where in one.record.provenance}
        positions = {(where.source, where.url, where.position) for where in one.record.provenance}
        for other in index.candidates(grams):
            provenance = removed[other].record.provenance
            if sightings.isdisjoint((where.source, where.url) for where in provenance):
                continue
            similarity = jaccard(removed_grams[other], grams)
            if similarity >= MIN_EDIT_SIMILARITY:
                is_same_position = not positions.isdisjoint((where.source, where.url, where.position) for where in provenance)
                pairs.append((-similarity, not is_same_position, other, position))
    edits: dict[int, int] = {}
    matched: set[int] = set()
    for _, _, other, position in sorted(pairs):
        if other not in edits and position not in matched:
            edits[other] = position
            matched.add(position)
    return edits


def _canonical_text(record: Record) -> str:
    """Return the text of a record in canonical form."""
    if not isinstance(record, Question):
        return canonical("".join(sentences_of(record)))
    return canonical("".join([record.shared_stem or "", record.stem, *(option.text for option in record.options)]))


def text_of(record: Record, name: str) -> str:
    """Return a field of a record as text, with options one per line."""
    value = getattr(record, name)
    return "\n".join(f"{option.letter}. {option.text}" for option in value) if name == "options" else value or ""


def whole_text(record: Record) -> str:
    """Return all text of a record that a model sees, plus the correct answer."""
    if not isinstance(record, Question):
        return "\n".join(sentences_of(record))
    texts = [text_of(record, name) for name in ("shared_stem", "stem", "options")]
    return "\n".join([text for text in [*texts, f"→ {record.answer}" if record.answer else ""] if text])


def _differences(kind: str, a: Record, b: Record) -> dict[str, Marked]:
    pairs = {name: (text_of(a, name), text_of(b, name)) for name in _FIELDS[kind]}
    return {name: marked(*texts) for name, texts in pairs.items() if texts[0] != texts[1]}
