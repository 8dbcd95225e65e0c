"""Stage `clean`: items -> questions, facts and passages, one row per occurrence; invalid items are written to rejected with the reason.

The changes to each item are listed in changes.jsonl. The stage reads params.yaml only for the names of the sources.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from msgspec import Struct
from tqdm import tqdm

from atomexam.records.claim import Passage
from atomexam.records.fact import Alias, Fact
from atomexam.records.item import EntityItem, Item, QuestionItem
from atomexam.records.params import PARAMS_FILE, Clean
from atomexam.records.provenance import Provenance
from atomexam.records.question import HumanDifficulty, Question
from atomexam.records.rejected_record import Rejected
from atomexam.records.subjects import SourceWords
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import print_summary, rejected_counts
from curation.clean.facts import entries
from curation.clean.facts.corroboration import corroborate
from curation.clean.facts.labels import name_of
from curation.clean.facts.separators import columns_of
from curation.clean.questions.cleaned_questions import CleanedQuestion, read_questions, reference_questions
from curation.clean.questions.difficulty import Scale, difficulty_of, scales_of
from curation.clean.questions.source_context import context_of
from curation.clean.wording.exam_text import TEXT_RULES
from curation.engine.engines import CORES, LOCAL, Engine, batches_of, engine_of
from curation.vocab.reader import rule_words

_BATCH = 1_000
Row = TypeVar("Row")
R = TypeVar("R")


class RuleChanges(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One item with its original texts and the rules that changed it; `python -m curation.clean --help` explains the rules."""

    id: str
    """Id of the resulting question or rejection."""
    rules: tuple[str, ...]
    stem_raw: str | None
    options_raw: list[str] | None
    answer_raw: str | None
    provenance: Provenance


class CleanResult(NamedTuple):
    """The outputs of the stage: one file per field except the last."""

    questions: list[Question]
    facts: list[Fact]
    passages: list[Passage]
    rejected: list[Rejected]
    changes: list[RuleChanges]
    references: list[Question]
    """Questions of sources that are references: compared with the data, but not part of it."""
    reference_facts: list[Fact]
    """Facts of the same sources, under any relation that their labels name."""
    aliases: list[Alias]
    difficulties: list[HumanDifficulty]
    """How hard questions were for people, according to their sources."""
    metrics: dict[str, Any]


class _UnmappedCategory(NamedTuple):
    """A source's name for a category that `vocab/subjects.yaml` lacks, and the resulting exam and subject."""

    source: str
    words: str
    exam: str
    subject: str


@dataclass
class _Counts:
    """Counts that cannot be derived from the outputs."""

    facts_in: int = 0
    entities_out: int = 0
    items_in: Counter[tuple[str, str]] = field(default_factory=Counter)
    """By source and kind, as `questions_in`."""
    rules: Counter[str] = field(default_factory=Counter)
    """Number of questions that each rule changed."""
    labels_unmapped: Counter[str] = field(default_factory=Counter)
    categories_unmapped: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of questions by source and category."""
    difficulties_unread: Counter[tuple[str, str]] = field(default_factory=Counter)
    """Number of questions by source and column."""
    categories_to_map: Counter[_UnmappedCategory] = field(default_factory=Counter)


def clean(
    sources: Iterable[tuple[str, Iterable[Item]]], params: Clean, references: Collection[str] = (), engine: Engine = LOCAL
) -> CleanResult:
    """Return the results for the items of each source; references are kept separate. The order of items does not matter.

    Raises:
        ValueError: an item is neither accepted nor rejected, or both.
    """
    counts, result = _Counts(), CleanResult([], [], [], [], [], [], [], [], [], {})
    facts: list[Fact] = []
    parts: dict[str, set[str]] = defaultdict(set)
    passages: dict[str, Passage] = {}
    for source, items in sources:
        items = list(items)
        questions = [item for item in items if isinstance(item, QuestionItem)]
        entities = [item for item in items if isinstance(item, EntityItem)]
        if source in references:
            result.references.extend(reference_questions(questions, params))
            result.reference_facts.extend(entries.reference_facts(entities))
            continue
        counts.items_in.update({(source, "questions_in"): len(questions), (source, "entities_in"): len(entities)})
        scales = scales_of(questions)
        with tqdm(total=len(questions) + len(entities), desc=f"clean {source}", file=sys.stderr, disable=None, leave=False) as progress:
            for item, cleaned in _mapped(engine, read_questions, questions, progress, params, context_of(questions)):
                _add_question(item, cleaned, scales, result, counts)
            for entity, parsed in _mapped(engine, entries.read_entities, entities, progress, columns_of(entities)):
                _add_entity(parsed, result, counts)
                facts.extend(parsed.facts)
                parts[name_of(entity)].update(parsed.parts)
                for passage in parsed.passages:
                    passages.setdefault(passage.id, passage)
    result.passages.extend(passages.values())
    sound, refusals = corroborate(facts, parts, params.corroboration)
    result.facts.extend(sound)
    result.rejected.extend(entries.rejected_fact(*refusal) for refusal in refusals)
    return result._replace(metrics=_metrics(result, counts))


def _mapped(engine: Engine, function: Callable[..., list[R]], rows: Sequence[Row], progress: Any, *shared: Any) -> Iterator[tuple[Row, R]]:
    """Yield each row with the result of a function that is called on batches of rows."""
    batches = batches_of(rows, _BATCH)
    for batch, results in zip(batches, engine.mapped(function, batches, *shared), strict=True):
        yield from zip(batch, results, strict=True)
        progress.update(len(batch))


def _add_question(item: QuestionItem, cleaned: CleanedQuestion, scales: Mapping[str, Scale], result: CleanResult, counts: _Counts) -> None:
    source, question = item.provenance.source, cleaned.question
    counts.rules.update(dict.fromkeys(cleaned.rules, 1))
    if question:
        result.questions.append(question)
        difficulty = difficulty_of(item, question.id, scales)
        if difficulty.row:
            result.difficulties.append(difficulty.row)
        if difficulty.unread:
            counts.difficulties_unread[source, difficulty.unread] += 1
    if cleaned.unmapped:
        counts.categories_unmapped[source, cleaned.unmapped] += 1
        if question:
            said = SourceWords.of(item).said
            counts.categories_to_map[_UnmappedCategory(source, said, question.exam, question.subject)] += 1
    if cleaned.rejected:
        result.rejected.append(cleaned.rejected)
    if change := _change(item, cleaned):
        result.changes.append(change)


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


def _add_entity(parsed: entries.ParsedEntry, result: CleanResult, counts: _Counts) -> None:
    counts.facts_in += len(parsed.facts) + len(parsed.rejected)
    counts.labels_unmapped.update(parsed.unmapped)
    result.aliases.extend(parsed.aliases)
    result.rejected.extend(parsed.rejected)
    if parsed.empty:
        result.rejected.append(parsed.empty)
    else:
        counts.entities_out += 1


def _metrics(result: CleanResult, counts: _Counts) -> dict[str, Any]:
    rejected = Counter(row.kind for row in result.rejected)
    items_in: Counter[str] = Counter()
    for (_, kind), number in counts.items_in.items():
        items_in[kind] += number
    by_exam = Counter((row.exam, key) for row in result.questions for key in ("questions", row.question_type, row.category))
    by_source = counts.items_in.copy()
    by_source.update((origin.source, "questions_out") for row in result.questions for origin in row.provenance)
    by_source.update((origin.source, "facts_out") for row in result.facts for origin in row.provenance)
    by_source.update((row.source, "passages") for row in result.passages)
    references = Counter(origin.source for row in result.references for origin in row.provenance)
    references.update(origin.source for row in result.reference_facts for origin in row.provenance)
    return {
        "questions": _balance("questions", items_in["questions_in"], len(result.questions), rejected["question"]),
        "facts": _balance("facts", counts.facts_in, len(result.facts), rejected["fact"]),
        "entities": _balance("entities", items_in["entities_in"], counts.entities_out, rejected["entity"]),
        "passages": len(result.passages),
        "aliases": len(result.aliases),
        "references": _sorted(references),
        "rejected_by_reason": _sorted(Counter(row.reason for row in result.rejected)),
        "repaired_by_rule": _sorted(counts.rules),
        "by_exam": _nested(by_exam),
        "facts_by_relation": _sorted(Counter(row.relation for row in result.facts)),
        "facts_rejected": _nested(Counter((row.record["relation"], row.reason) for row in result.rejected if row.kind == "fact")),
        "by_source": _nested(+by_source),
        "labels_unmapped": _sorted(counts.labels_unmapped),
        "categories_unmapped": _nested(counts.categories_unmapped),
        "difficulties_unread": _nested(counts.difficulties_unread),
        "categories_to_map": _to_map(counts),
    }


def _to_map(counts: _Counts) -> list[dict[str, Any]]:
    """Return a row for each category that may be added to `vocab/subjects.yaml`, with the resulting exam and subject."""
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


_KEYS: dict[str, Callable[[Any], tuple[Any, ...]]] = {
    "passages": lambda row: (row.id,),
    "rejected": lambda row: (row.id, row.kind),
    "difficulties": lambda row: (row.id, row.source),
    "aliases": lambda row: (row.name, row.alias, row.provenance),
}
"""Sort keys of the outputs; those not listed are sorted by id and provenance."""


def main(argv: Sequence[str] | None = None) -> None:
    arguments = read_arguments(
        list(argv) if argv is not None else None,
        f"{__doc__}\n{_rules()}",
        "clean",
        Clean,
        {"items": "data/items", "out": "data/clean", "metrics": "metrics/clean.json"},
        scalars=("engine",),
    )
    imports = arguments.all_params.get("imports") or {}
    named = (arguments.all_params.get("sources") or {}) | imports
    sources, references = sorted(named), frozenset(name for name, line in named.items() if (line or {}).get("role") == "reference")
    if not sources:
        raise ValueError(f"{PARAMS_FILE}: no sources; list one under `sources`, as `ask120: {{}}`, or files under `imports`")
    with folder_lock(arguments.out) as folder:
        for stale in sorted(folder.glob("*.part")):  # left by a killed run
            stale.unlink()
        items = _items(Path(arguments.items), sources, imports)
        engine = engine_of(arguments.engine)
        result = clean(items, arguments.params, references, CORES if engine is LOCAL else engine)
        for name in CleanResult._fields[:-1]:
            write_jsonl(folder / f"{name}.jsonl", getattr(result, name), _KEYS.get(name, lambda row: (row.id, row.provenance)))
    write_json(arguments.metrics, result.metrics)
    print_summary("clean", summary_line(result.metrics))


def summary_line(metrics: Mapping[str, Any]) -> str:
    """Return the result of the stage as one line."""
    questions, entities, facts = (metrics[kind] for kind in ("questions", "entities", "facts"))
    of_questions = f"{questions['in']:,} items -> {questions['out']:,} questions"
    of_entries = f"{entities['in']:,} entries -> {facts['out']:,} facts, {metrics['passages']:,} passages"
    return f"{of_questions}; {of_entries}; {rejected_counts(metrics['rejected_by_reason'])}"


def _rules() -> str:
    """Return the help text of the rules: one line with an example per rule."""
    lines = (f"  {name:20}{{}}: {{}} -> {{}}".format(*rule_words(rule.name)).replace("\n", "⏎") for name, rule in TEXT_RULES.items())
    return "\n".join(["Rules that change a text:", *lines])


def _items(folder: Path, sources: Iterable[str], imports: Collection[str]) -> Iterator[tuple[str, Iterable[Item]]]:
    for source in sources:
        path = folder / f"{source}.jsonl"
        if not path.exists():
            stage = f"{'read' if source in imports else 'extract'}@{source}"
            raise FileNotFoundError(f"{path}: no items of {source!r}, which {PARAMS_FILE} lists; run `dvc repro {stage}`")
        yield source, read_jsonl(path, Item)


if __name__ == "__main__":
    run_stage(main, acyclic=True)
