"""Outputs of `clean` -> the records with text aimed at a model, the kinds of such text, and their number in each source.

None is rejected: a question may quote such words. Whoever evaluates models on them should know.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from atomexam.records.evidence import Passage
from atomexam.records.fact import Fact
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_optional
from atomexam.text.injections import attempts

Record = Question | Fact | Passage
_EXCERPT_CHARS = 120


def injections(questions: Path, facts: Path, passages: Path) -> Iterator[dict[str, Any]]:
    """Yield a row for each record with text aimed at a model; a missing file has none."""
    shapes: dict[Path, type[Record]] = {questions: Question, facts: Fact, passages: Passage}
    for path, shape in shapes.items():
        records: Iterable[Record] = read_optional(path, shape)
        for record in records:
            texts = _texts(record)
            if ways := attempts("\n".join(texts)):
                excerpt = next((text for text in texts if attempts(text)), texts[0])
                yield {"id": record.id, "sources": _sources(record), "ways": ways, "excerpt": excerpt[:_EXCERPT_CHARS]}


def counts_by_source(rows: Iterable[Mapping[str, Any]], sources: Iterable[str]) -> dict[str, dict[str, int]]:
    """Return the number of such records of each source, and of each kind, including zeros."""
    counts: dict[str, Counter[str]] = {source: Counter(records=0) for source in sorted(sources)}
    for row in rows:
        for source in row["sources"]:
            counts.setdefault(source, Counter()).update(["records", *row["ways"]])
    return {source: dict(sorted(count.items(), key=lambda pair: (pair[0] != "records", pair[0]))) for source, count in counts.items()}


def _texts(record: Record) -> list[str]:
    if isinstance(record, Fact):
        return [record.head, record.tail]
    if isinstance(record, Passage):
        return [record.section or "", record.text]
    texts = [
        record.subject,
        record.shared_stem,
        record.stem,
        *(option.text for option in record.options),
        record.answer,
        record.explanation,
    ]
    return [text for text in texts if text]


def _sources(record: Record) -> list[str]:
    return [record.source] if isinstance(record, Passage) else sorted({origin.source for origin in record.provenance})
