"""Items -> all that `clean` makes of them, and its figures: what came in is out or rejected. Pure."""

import sys
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from msgspec import Struct
from tqdm import tqdm

from atomexam.records.alias import Alias
from atomexam.records.evidence import Passage
from atomexam.records.fact import Fact
from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.records.rejection import Rejected
from curation.clean.facts import entries
from curation.clean.facts.corroboration import corroborated
from curation.clean.facts.labels import name_of
from curation.clean.facts.separators import columns_of
from curation.clean.questions.reading import QuestionReading, read_questions
from curation.clean.questions.source_context import context_of
from curation.clean.questions.with_all_reasons import reference_questions
from curation.engine.engines import LOCAL, Engine, batches_of

_BATCH = 1_000


class Change(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item with the rules that changed it and its texts as they were; docs/cleaning.md says what each rule does."""

    id: str
    """Of the question or of the rejection the item became."""
    rules: tuple[str, ...]
    stem_raw: str | None
    options_raw: list[str] | None
    answer_raw: str | None
    provenance: Provenance


def change_of(item: QuestionItem, reading: QuestionReading) -> Change | None:
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


class CleanResult(NamedTuple):
    """Everything the items of some sources gave."""

    questions: list[Question]
    facts: list[Fact]
    passages: list[Passage]
    rejected: list[Rejected]
    changes: list[Change]
    references: list[Question]
    """Questions of the sources that are references: compared with the data, and no part of it."""
    reference_facts: list[Fact]
    """Facts of the same, under whatever relation their labels name."""
    aliases: list[Alias]
    metrics: dict[str, Any]


class _UnmappedCategory(NamedTuple):
    """Words of a source that `vocab/subjects.yaml` does not know, and the exam and subject that they gave."""

    source: str
    words: str
    exam: str
    subject: str


@dataclass
class _Counts:
    """What cannot be counted in the records that come out."""

    questions_in: int = 0
    facts_in: int = 0
    entities_in: int = 0
    entities_out: int = 0
    in_by_source: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By source and kind, as `questions_in`."""
    rules: Counter[str] = field(default_factory=Counter)
    """How many questions each rule changed."""
    labels_unmapped: Counter[str] = field(default_factory=Counter)
    categories_unmapped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By source and category."""
    categories_to_map: Counter[_UnmappedCategory] = field(default_factory=Counter)


def clean(
    sources: Iterable[tuple[str, list[Item]]], params: Clean, references: Collection[str] = (), engine: Engine = LOCAL
) -> CleanResult:
    """Return what the items of each source give, those named as references apart. Their order does not matter.

    Raises:
        ValueError: an item is neither kept nor rejected, or twice.
    """
    result = CleanResult([], [], [], [], [], [], [], [], {})
    counts = _Counts()
    passages: dict[str, Passage] = {}
    parts: dict[str, set[str]] = defaultdict(set)
    for source, items in sources:
        questions = [item for item in items if isinstance(item, QuestionItem)]
        entities = [item for item in items if isinstance(item, EntityItem)]
        if source in references:
            result.references.extend(reference_questions(questions, params))
            result.reference_facts.extend(entries.reference_facts(entities))
            continue
        context, columns = context_of(questions), columns_of(entities)
        question_batches, entity_batches = batches_of(questions, _BATCH), batches_of(entities, _BATCH)
        with tqdm(total=len(items), desc=f"clean {source}", file=sys.stderr, disable=None, leave=False) as progress:
            read = engine.mapped(read_questions, question_batches, params, context)
            for question_batch, question_readings in zip(question_batches, read, strict=True):
                _add_questions(question_batch, question_readings, result, counts)
                progress.update(len(question_batch))
            read = engine.mapped(entries.read_entities, entity_batches, columns)
            for entity_batch, entity_readings in zip(entity_batches, read, strict=True):
                for item, reading in zip(entity_batch, entity_readings, strict=True):
                    _add_entity(item, reading, result, passages, parts, counts)
                progress.update(len(entity_batch))
    result.facts[:], refusals = corroborated(result.facts, parts)
    result.rejected.extend(entries.rejected_fact(*refusal) for refusal in refusals)
    result.passages.extend(passages[key] for key in sorted(passages))
    result.metrics.update(_metrics(result, counts))
    return result


def _add_questions(items: Sequence[QuestionItem], readings: Sequence[QuestionReading], result: CleanResult, counts: _Counts) -> None:
    for item, reading in zip(items, readings, strict=True):
        source = item.provenance.source
        counts.questions_in += 1
        counts.in_by_source[source, "questions_in"] += 1
        counts.rules.update(dict.fromkeys(reading.rules, 1))
        if reading.question:
            result.questions.append(reading.question)
        if reading.unmapped:
            counts.categories_unmapped[source, reading.unmapped] += 1
            if reading.question:
                words = item.subject_raw or item.paper_raw or item.exam_raw or ""
                counts.categories_to_map[_UnmappedCategory(source, words, reading.question.exam, reading.question.subject)] += 1
        if reading.rejected:
            result.rejected.append(reading.rejected)
        if change := _change(item, reading):
            result.changes.append(change)


def _change(item: QuestionItem, reading: QuestionReading) -> Change | None:
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


def _add_entity(
    item: EntityItem,
    reading: entries.EntryReading,
    result: CleanResult,
    passages: dict[str, Passage],
    parts: dict[str, set[str]],
    counts: _Counts,
) -> None:
    counts.entities_in += 1
    counts.in_by_source[item.provenance.source, "entities_in"] += 1
    counts.facts_in += len(reading.facts) + len(reading.rejected)
    counts.labels_unmapped.update(reading.unmapped)
    result.facts.extend(reading.facts)
    result.aliases.extend(reading.aliases)
    parts[name_of(item)].update(reading.parts)
    result.rejected.extend(reading.rejected)
    for passage in reading.passages:
        passages.setdefault(passage.id, passage)
    if reading.empty:
        result.rejected.append(reading.empty)
    else:
        counts.entities_out += 1


def _metrics(result: CleanResult, counts: _Counts) -> dict[str, Any]:
    rejected = Counter(row.kind for row in result.rejected)
    references: list[Question | Fact] = [*result.references, *result.reference_facts]
    return {
        "questions": _balance("questions", counts.questions_in, len(result.questions), rejected["question"]),
        "facts": _balance("facts", counts.facts_in, len(result.facts), rejected["fact"]),
        "entities": _balance("entities", counts.entities_in, counts.entities_out, rejected["entity"]),
        "passages": len(result.passages),
        "aliases": len(result.aliases),
        "references": _sorted(Counter(seen.source for row in references for seen in row.provenance)),
        "rejected_by_reason": _sorted(Counter(row.reason for row in result.rejected)),
        "repaired_by_rule": _sorted(counts.rules),
        "by_exam": _by_exam(result.questions),
        "facts_by_relation": _sorted(Counter(row.relation for row in result.facts)),
        "facts_rejected": _nested(Counter((row.record["relation"], row.reason) for row in result.rejected if row.kind == "fact")),
        "by_source": _by_source(result, counts),
        "labels_unmapped": _sorted(counts.labels_unmapped),
        "categories_unmapped": _nested(counts.categories_unmapped),
        "categories_to_map": _to_map(counts),
    }


def _to_map(counts: _Counts) -> list[dict[str, Any]]:
    """Return a row for each line that `vocab/subjects.yaml` may take: the words of a source, and exam and subject that they gave."""
    return [
        {"source": one.source, "said": one.words or None, "exam": one.exam, "subject": one.subject, "questions": count}
        for one, count in sorted(counts.categories_to_map.items())
    ]


def _balance(what: str, taken: int, kept: int, rejected: int) -> dict[str, int]:
    if taken != kept + rejected:
        raise ValueError(f"clean: {taken} {what} in, {kept} out and {rejected} rejected: they must add up; this is a bug, please report it")
    return {"in": taken, "out": kept, "rejected": rejected}


def _by_exam(kept: list[Question]) -> dict[str, dict[str, int]]:
    return _nested(Counter((row.exam, key) for row in kept for key in ("questions", row.question_type, row.category)))


def _by_source(result: CleanResult, counts: _Counts) -> dict[str, dict[str, int]]:
    pairs = Counter(counts.in_by_source)
    pairs.update((seen.source, "questions_out") for row in result.questions for seen in row.provenance)
    pairs.update((seen.source, "facts_out") for row in result.facts for seen in row.provenance)
    pairs.update((row.source, "passages") for row in result.passages)
    return _nested(pairs)


def _nested(pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return counts of (outer, inner) as a table of tables, sorted."""
    table: dict[str, dict[str, int]] = {}
    for outer, inner in sorted(pairs):
        table.setdefault(outer, {})[inner] = pairs[outer, inner]
    return table


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}
