"""Rejected records -> each reason with its count, sources, examples and remedy; nothing of the reserved split."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question
from atomexam.records.reasons import REASONS
from atomexam.records.rejected_record import Rejected
from atomexam.text.canonical import canonical

MOST_EXAMPLES = 10
_MOST_CHARS = 400
_LEAST_STEM_CHARS = 6  # a shorter stem is in many texts by chance


class RejectedExample(NamedTuple):
    """One rejected record."""

    id: str
    text: str
    detail: str
    source: str
    url: str
    position: str


class Reason(NamedTuple):
    """One reason of one stage."""

    stage: str
    name: str
    records: int
    sources: list[tuple[str, int, float]]
    """Source, its records, and their share of the reason's; a record of several sources counts for each."""
    examples: list[RejectedExample]
    withheld: int
    """Of the records checked for examples, those that would reveal the reserved split."""
    meaning: str
    remedy: str


class Reserved:
    """Content that no page may show: the reserved questions, claims and fourfold rows, and records related to them."""

    def __init__(self, questions: Iterable[Question], claims: Iterable[ClaimPair], fourfold: Iterable[Fourfold] = ()) -> None:
        self.ids: set[str] = set()
        self.heads: set[str] = set()
        self.head_tails: set[frozenset[str]] = set()
        stems: set[str] = set()
        for question in questions:
            self.ids |= {key for key in (question.id, question.group_id) if key}
            stems |= {canonical(text) for text in (question.stem, question.shared_stem) if text}
        for pair in claims:
            self.ids |= {pair.id, *pair.fact_ids}
            self.heads.add(canonical(pair.head))
            self.head_tails.add(frozenset((canonical(pair.head), canonical(pair.tail))))
        for row in fourfold:
            self.ids |= {row.id, *row.fact_ids, *row.false_fact_ids}
            for head, tail in ((row.head, row.tail), (row.false_head, row.false_tail)):
                self.heads.add(canonical(head))
                self.head_tails.add(frozenset((canonical(head), canonical(tail))))
        self.stems = sorted(stem for stem in stems if len(stem) >= _LEAST_STEM_CHARS)
        self.short = stems - set(self.stems)

    def has(self, row: Rejected) -> bool:
        """Return whether a rejected record is in the reserved split or related to it: by its id, the record that replaces it, its
        head, head and tail in either order, or its text."""
        record = row.record
        if self.ids & {row.id, *re.findall(r"[a-z]{1,20}-[0-9a-f]{8,}", row.detail or ""), str(record.get("group_id"))}:
            return True
        if any(record.get(name) and canonical(str(record[name])) in self.heads for name in ("head", "name_raw")):
            return True
        if "tail" in record and frozenset(canonical(str(record[name])) for name in ("head", "tail")) in self.head_tails:
            return True
        text = canonical(_words(record))
        return canonical(str(record.get("stem") or record.get("stem_raw") or "")) in self.short or any(stem in text for stem in self.stems)

    def asks(self, pair: ClaimPair) -> bool:
        """Return whether a claim pair is in the reserved split, or states the same as one of its claims."""
        head, tail = canonical(pair.head), canonical(pair.tail)
        return bool(self.ids & {pair.id, *pair.fact_ids}) or head in self.heads or frozenset((head, tail)) in self.head_tails

    def is_quoted_in(self, words: str) -> bool:
        """Return whether a text contains a reserved question, or begins with the head of one of its claims."""
        text = canonical(words)
        return text in self.short or any(stem in text for stem in self.stems) or any(text.startswith(head) for head in self.heads if head)


def reasons(stages: Mapping[str, Iterable[Rejected]], reserved: Reserved) -> list[Reason]:
    """Return every reason of every stage, the stages in the given order, the most frequent reasons first."""
    listed = []
    for stage, rows in stages.items():
        counts: Counter[str] = Counter()
        sources: dict[str, Counter[str]] = {}
        examples: dict[str, list[RejectedExample]] = {}
        withheld: Counter[str] = Counter()
        for row in rows:
            counts[row.reason] += 1
            sightings = row.places()
            sources.setdefault(row.reason, Counter()).update({str(one.get("source")) for one in sightings} or {"unknown"})
            displayed = examples.setdefault(row.reason, [])
            if len(displayed) < MOST_EXAMPLES:
                if reserved.has(row):
                    withheld[row.reason] += 1
                else:
                    displayed.append(_example(row, sightings))
        for name, count in sorted(counts.items(), key=lambda entry: (-entry[1], entry[0])):
            ranked = sorted(sources[name].items(), key=lambda entry: (-entry[1], entry[0]))
            shares = [(source, number, number / count) for source, number in ranked]
            meaning, remedy = REASONS.get(name, ("", ""))
            listed.append(Reason(stage, name, count, shares, examples[name], withheld[name], _plain(meaning), _plain(remedy)))
    return listed


def _plain(cell: str) -> str:
    """Return a cell of Markdown as plain text."""
    return re.sub(r"\[([^\[\]]{0,200})\]\([^()]{0,200}\)", r"\1", cell).replace("`", "").strip()


def _example(row: Rejected, sightings: list[dict[str, Any]]) -> RejectedExample:
    first = sightings[0] if sightings else {}
    about = (str(first.get(name) or "") for name in ("source", "url", "position"))
    return RejectedExample(row.id, _words(row.record)[:_MOST_CHARS], (row.detail or "")[:_MOST_CHARS], *about)


def _words(record: Mapping[str, Any]) -> str:
    """Return the text of a record, of any kind and from any stage."""
    if "head" in record:
        return f"{record['head']} {'–' if record.get('polarity', True) else '≠'} {record.get('tail')} ({record.get('relation')})"
    options = record.get("options_raw") or [f"{option['letter']}. {option['text']}" for option in record.get("options") or []]
    parts = [record.get(name) for name in ("name_raw", "case_raw", "shared_stem", "stem_raw", "stem")]
    answer = record.get("answer") or record.get("answer_raw")
    return "\n".join([str(part) for part in [*parts, *options, f"→ {answer}" if answer else ""] if part])
