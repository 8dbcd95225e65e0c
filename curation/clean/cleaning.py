"""Items -> the tables of `clean` and its metrics: every item is accepted or rejected. Pure."""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import tee
from typing import Any, Generic, NamedTuple, TypeVar

from msgspec import Struct
from tqdm import tqdm

from atomexam.records.alias import Alias
from atomexam.records.evidence import Passage
from atomexam.records.fact import Fact
from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.params import Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.external_sort import RecordSink
from curation.clean.facts import entries
from curation.clean.facts.corroboration import corroborate
from curation.clean.facts.labels import name_of
from curation.clean.facts.separators import columns_of
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions
from curation.clean.questions.source_context import context_of
from curation.clean.questions.with_all_reasons import reference_questions
from curation.engine.engines import LOCAL, Engine, batched

_BATCH = 1_000
I = TypeVar("I", QuestionItem, EntityItem)  # noqa: E741
R = TypeVar("R")


class RuleChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item with the rules that changed it and its original texts; `python -m curation.clean --help` explains the rules."""

    id: str
    """Id of the resulting question or rejection."""
    rules: tuple[str, ...]
    stem_raw: str | None
    options_raw: list[str] | None
    answer_raw: str | None
    provenance: Provenance


class CleanTables(NamedTuple):
    """The outputs of the stage."""

    questions: RecordSink[Question]
    facts: RecordSink[Fact]
    passages: RecordSink[Passage]
    rejected: RecordSink[Rejected]
    changes: RecordSink[RuleChanges]
    references: RecordSink[Question]
    """Questions of sources that are references: compared with the data, but not part of it."""
    reference_facts: RecordSink[Fact]
    """Facts of the same sources, under any relation that their labels name."""
    aliases: RecordSink[Alias]


class CleanResult(NamedTuple):
    """The results for the items of some sources, as `CleanTables`."""

    questions: list[Question]
    facts: list[Fact]
    passages: list[Passage]
    rejected: list[Rejected]
    changes: list[RuleChanges]
    references: list[Question]
    reference_facts: list[Fact]
    aliases: list[Alias]
    metrics: dict[str, Any]


class _UnmappedCategory(NamedTuple):
    """Words of a source that are missing in `vocab/subjects.yaml`, and the resulting exam and subject."""

    source: str
    words: str
    exam: str
    subject: str


@dataclass
class _CleanCounts:
    """Counts made while records are processed."""

    questions_in: int = 0
    facts_in: int = 0
    entities_in: int = 0
    entities_out: int = 0
    passages: int = 0
    aliases: int = 0
    by_source: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By source and kind, as `questions_in`."""
    by_exam: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By exam and `questions`, type or category."""
    by_relation: Counter[str] = field(default_factory=Counter)
    rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By kind and reason."""
    facts_rejected: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By relation and reason."""
    references: Counter[str] = field(default_factory=Counter)
    """By source."""
    rules: Counter[str] = field(default_factory=Counter)
    """Number of questions that each rule changed."""
    labels_unmapped: Counter[str] = field(default_factory=Counter)
    categories_unmapped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By source and category."""
    categories_to_map: Counter[_UnmappedCategory] = field(default_factory=Counter)


class _ItemsOfKind(Generic[I]):
    """The items of one kind, read as often as needed."""

    def __init__(self, items: Iterable[Item], kind: type[I]) -> None:
        self._items = items
        self._kind: type[I] = kind
        self.count = self.others = 0
        """Numbers of items of this and of other kinds, once all were read."""

    def __iter__(self) -> Iterator[I]:
        count = others = 0
        for item in self._items:
            if isinstance(item, self._kind):
                count += 1
                yield item
            else:
                others += 1
        self.count, self.others = count, others


def clean(
    sources: Iterable[tuple[str, Iterable[Item]]], params: Clean, references: Collection[str] = (), engine: Engine = LOCAL
) -> CleanResult:
    """Return the results for the items of each source, references separately, as `clean_into` writes them."""
    result = CleanResult([], [], [], [], [], [], [], [], {})
    return result._replace(metrics=clean_into(CleanTables(*result[:-1]), sources, params, references, engine))


def clean_into(
    tables: CleanTables,
    sources: Iterable[tuple[str, Iterable[Item]]],
    params: Clean,
    references: Collection[str] = (),
    engine: Engine = LOCAL,
) -> dict[str, Any]:
    """Write the records of each source, references to tables of their own; return the metrics. The order of items does not matter.

    Questions are written as they are read. Only stems that may contain a case, ids of passages, and all facts stay in memory,
    since each is compared with all others.

    Args:
        sources: names and items, which are read more than once.

    Raises:
        ValueError: an item is neither accepted nor rejected, or both.
    """
    counts = _CleanCounts()
    facts: list[Fact] = []
    passages: set[str] = set()
    parts: dict[str, set[str]] = defaultdict(set)
    for source, items in sources:
        questions, entities = _ItemsOfKind(items, QuestionItem), _ItemsOfKind(items, EntityItem)
        if source in references:
            _add_references(list(questions), list(entities), params, tables, counts)
            continue
        context = context_of(questions)
        columns = columns_of(entities if questions.others else ())
        with tqdm(total=questions.count + questions.others, desc=f"clean {source}", file=sys.stderr, disable=None, leave=False) as progress:
            for question_batch, cleaned_batch in _in_batches(engine, read_questions, questions, params, context):
                _add_questions(question_batch, cleaned_batch, tables, counts)
                progress.update(len(question_batch))
            for entity_batch, parsed_batch in _in_batches(engine, entries.read_entities, entities, columns) if questions.others else ():
                for item, cleaned in zip(entity_batch, parsed_batch, strict=True):
                    _add_entity(item, cleaned, tables, facts, passages, parts, counts)
                progress.update(len(entity_batch))
    sound, refusals = corroborate(facts, parts)
    for fact in sound:
        tables.facts.append(fact)
        counts.by_relation[fact.relation] += 1
        counts.by_source.update((origin.source, "facts_out") for origin in fact.provenance)
    for refusal in refusals:
        _reject(entries.rejected_fact(*refusal), tables, counts)
    return _metrics(counts)


def _in_batches(engine: Engine, function: Callable[..., list[R]], rows: Iterable[I], *shared: Any) -> Iterator[tuple[Sequence[I], list[R]]]:
    """Yield batches of rows with the results of a function."""
    batches, others = tee(batched(rows, _BATCH))
    return zip(batches, engine.mapped(function, others, *shared), strict=True)


def _add_references(
    questions: Sequence[QuestionItem], entities: Sequence[EntityItem], params: Clean, tables: CleanTables, counts: _CleanCounts
) -> None:
    for question in reference_questions(questions, params):
        tables.references.append(question)
        counts.references.update(origin.source for origin in question.provenance)
    for fact in entries.reference_facts(entities):
        tables.reference_facts.append(fact)
        counts.references.update(origin.source for origin in fact.provenance)


def _add_questions(
    items: Sequence[QuestionItem], cleaned_batch: Sequence[CleanedQuestion], tables: CleanTables, counts: _CleanCounts
) -> None:
    for item, cleaned in zip(items, cleaned_batch, strict=True):
        source, question = item.provenance.source, cleaned.question
        counts.questions_in += 1
        counts.by_source[source, "questions_in"] += 1
        counts.rules.update(dict.fromkeys(cleaned.rules, 1))
        if question:
            tables.questions.append(question)
            for key in ("questions", question.question_type, question.category):
                counts.by_exam[question.exam, key] += 1
            for origin in question.provenance:
                counts.by_source[origin.source, "questions_out"] += 1
        if cleaned.unmapped:
            counts.categories_unmapped[source, cleaned.unmapped] += 1
            if question:
                words = item.subject_raw or item.paper_raw or item.exam_raw or ""
                counts.categories_to_map[_UnmappedCategory(source, words, question.exam, question.subject)] += 1
        if cleaned.rejected:
            _reject(cleaned.rejected, tables, counts)
        if change := _change(item, cleaned):
            tables.changes.append(change)


def _reject(row: Rejected, tables: CleanTables, counts: _CleanCounts) -> None:
    tables.rejected.append(row)
    counts.rejected[row.kind, row.reason] += 1
    if row.kind == "fact":
        counts.facts_rejected[row.record["relation"], row.reason] += 1


def _change(item: QuestionItem, cleaned: CleanedQuestion) -> RuleChanges | None:
    """Return the changes of an item, None for an unchanged one."""
    became = cleaned.question or cleaned.rejected
    if became is None or not cleaned.rules:
        return None
    return RuleChanges(
        id=became.id,
        rules=cleaned.rules,
        stem_raw=item.stem_raw,
        options_raw=item.options_raw,
        answer_raw=item.answer_raw,
        provenance=item.provenance,
    )


def _add_entity(
    item: EntityItem,
    cleaned: entries.ParsedEntry,
    tables: CleanTables,
    facts: list[Fact],
    passages: set[str],
    parts: dict[str, set[str]],
    counts: _CleanCounts,
) -> None:
    counts.entities_in += 1
    counts.by_source[item.provenance.source, "entities_in"] += 1
    counts.facts_in += len(cleaned.facts) + len(cleaned.rejected)
    counts.labels_unmapped.update(cleaned.unmapped)
    facts.extend(cleaned.facts)
    for alias in cleaned.aliases:
        tables.aliases.append(alias)
    counts.aliases += len(cleaned.aliases)
    parts[name_of(item)].update(cleaned.parts)
    for row in cleaned.rejected:
        _reject(row, tables, counts)
    for passage in cleaned.passages:
        if passage.id not in passages:
            passages.add(passage.id)
            tables.passages.append(passage)
            counts.passages += 1
            counts.by_source[passage.source, "passages"] += 1
    if cleaned.empty:
        _reject(cleaned.empty, tables, counts)
    else:
        counts.entities_out += 1


def _metrics(counts: _CleanCounts) -> dict[str, Any]:
    rejected: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    for (kind, reason), number in counts.rejected.items():
        rejected[kind] += number
        reasons[reason] += number
    return {
        "questions": _balance("questions", counts.questions_in, _of(counts.by_exam, "questions"), rejected["question"]),
        "facts": _balance("facts", counts.facts_in, counts.by_relation.total(), rejected["fact"]),
        "entities": _balance("entities", counts.entities_in, counts.entities_out, rejected["entity"]),
        "passages": counts.passages,
        "aliases": counts.aliases,
        "references": _sorted(counts.references),
        "rejected_by_reason": _sorted(reasons),
        "repaired_by_rule": _sorted(counts.rules),
        "by_exam": _nested(counts.by_exam),
        "facts_by_relation": _sorted(counts.by_relation),
        "facts_rejected": _nested(counts.facts_rejected),
        "by_source": _nested(counts.by_source),
        "labels_unmapped": _sorted(counts.labels_unmapped),
        "categories_unmapped": _nested(counts.categories_unmapped),
        "categories_to_map": _to_map(counts),
    }


def _of(pairs: Counter[tuple[str, str]], inner: str) -> int:
    return sum(count for (_, key), count in pairs.items() if key == inner)


def _to_map(counts: _CleanCounts) -> list[dict[str, Any]]:
    """Return a row for each line that may be added to `vocab/subjects.yaml`: a source's words, and the resulting exam and subject."""
    return [
        {"source": one.source, "said": one.words or None, "exam": one.exam, "subject": one.subject, "questions": count}
        for one, count in sorted(counts.categories_to_map.items())
    ]


def _balance(what: str, input_count: int, output_count: int, rejected: int) -> dict[str, int]:
    if input_count != output_count + rejected:
        raise ValueError(
            f"clean: {input_count} {what} in, {output_count} out and {rejected} rejected: they must add up; this is a bug, please report it"
        )
    return {"in": input_count, "out": output_count, "rejected": rejected}


def _nested(pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return counts of (outer, inner) as nested tables, sorted."""
    table: dict[str, dict[str, int]] = {}
    for outer, inner in sorted(pairs):
        table.setdefault(outer, {})[inner] = pairs[outer, inner]
    return table


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}
