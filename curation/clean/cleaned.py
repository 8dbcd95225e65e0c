"""Everything that `clean` makes of the items, and its figures: what came in is out or rejected."""

from collections import Counter
from typing import Any, NamedTuple

from msgspec import Struct

from atomexam.records.alias import Alias
from atomexam.records.evidence import Passage
from atomexam.records.fact import Fact
from atomexam.records.item import QuestionItem
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.records.rejection import Rejected
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


class Cleaned(NamedTuple):
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


def metrics_of(found: Cleaned, counts: Counter[tuple[str, ...]]) -> dict[str, Any]:
    rejected = Counter(row.kind for row in found.rejected)
    references: list[Question | Fact] = [*found.references, *found.reference_facts]
    return {
        "questions": _balance("questions", counts["questions", "in"], len(found.questions), rejected["question"]),
        "facts": _balance("facts", counts["facts", "in"], len(found.facts), rejected["fact"]),
        "entities": _balance("entities", counts["entities", "in"], counts["entities", "out"], rejected["entity"]),
        "passages": len(found.passages),
        "aliases": len(found.aliases),
        "references": _sorted(Counter(seen.source for row in references for seen in row.provenance)),
        "rejected_by_reason": _sorted(Counter(row.reason for row in found.rejected)),
        "repaired_by_rule": _sorted(_each_rule(counts)),
        "by_exam": _by_exam(found.questions),
        "facts_by_relation": _sorted(Counter(row.relation for row in found.facts)),
        "facts_rejected": _nested(Counter((row.record["relation"], row.reason) for row in found.rejected if row.kind == "fact")),
        "by_source": _by_source(found, counts),
        "labels_unmapped": _sorted(Counter({key[1]: count for key, count in counts.items() if key[0] == "labels_unmapped"})),
        "categories_unmapped": _nested(
            Counter({(key[1], key[2]): count for key, count in counts.items() if key[0] == "categories_unmapped"})
        ),
        "categories_to_map": _to_map(counts),
    }


def _to_map(counts: Counter[tuple[str, ...]]) -> list[dict[str, Any]]:
    """Return a row for each line that `vocab/subjects.yaml` may take: the words of a source, and exam and subject that they gave."""
    named = sorted((key[1:], count) for key, count in counts.items() if key[0] == "categories_to_map")
    return [
        {"source": source, "said": words or None, "exam": exam, "subject": subject, "questions": count}
        for (source, words, exam, subject), count in named
    ]


def _each_rule(counts: Counter[tuple[str, ...]]) -> Counter[str]:
    each: Counter[str] = Counter()
    for (name, *rules), count in counts.items():
        if name == "repaired_by_rules":
            each.update(dict.fromkeys(rules, count))
    return each


def _balance(what: str, taken: int, kept: int, rejected: int) -> dict[str, int]:
    if taken != kept + rejected:
        raise ValueError(f"clean: {taken} {what} in, {kept} out and {rejected} rejected: they must add up; this is a bug, please report it")
    return {"in": taken, "out": kept, "rejected": rejected}


def _by_exam(kept: list[Question]) -> dict[str, dict[str, int]]:
    return _nested(Counter((row.exam, key) for row in kept for key in ("questions", row.question_type, row.category)))


def _by_source(found: Cleaned, counts: Counter[tuple[str, ...]]) -> dict[str, dict[str, int]]:
    pairs = Counter({(key[1], key[2]): count for key, count in counts.items() if key[0] == "by_source"})
    pairs.update((seen.source, "questions_out") for row in found.questions for seen in row.provenance)
    pairs.update((seen.source, "facts_out") for row in found.facts for seen in row.provenance)
    pairs.update((row.source, "passages") for row in found.passages)
    return _nested(pairs)


def _nested(pairs: Counter[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return counts of (outer, inner) as a table of tables, sorted."""
    table: dict[str, dict[str, int]] = {}
    for outer, inner in sorted(pairs):
        table.setdefault(outer, {})[inner] = pairs[outer, inner]
    return table


def _sorted(counts: Counter[str]) -> dict[str, int]:
    return {key: counts[key] for key in sorted(counts)}
