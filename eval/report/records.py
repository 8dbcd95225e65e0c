"""Collect the records shown on the pages: rejected records, clusters, contradictions, claims with evidence; nothing reserved."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from difflib import SequenceMatcher
from typing import Any, NamedTuple, TypeVar

import msgspec

from atomexam.records.annotation import Review
from atomexam.records.claim import ClaimPair, Evidence, Fourfold, Passage
from atomexam.records.cluster import Cluster
from atomexam.records.question import Question
from atomexam.records.reasons import REASONS
from atomexam.records.rejected_record import Rejected
from atomexam.runtime.source_sheet import KINDS
from atomexam.text.canonical import canonical

T = TypeVar("T")
MAX_CHARS = 1_000

Marked = list[tuple[str, str]]
"""A text in pieces: a kind (`same`, `gone`: only in the first, `new`: only in the second) and the characters."""


def marked(a: str, b: str) -> Marked:
    """Merge two texts into one with deletions and insertions marked; long texts are cut to `MAX_CHARS`."""
    a, b = a[:MAX_CHARS], b[:MAX_CHARS]
    pieces: Marked = []
    for kind, a_from, a_to, b_from, b_to in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", a[a_from:a_to]))
            continue
        pieces += [(name, text) for name, text in (("gone", a[a_from:a_to]), ("new", b[b_from:b_to])) if text]
    return pieces


def select_displayed(candidates: Iterable[T], most: int, is_hidden: Callable[[T], bool]) -> tuple[list[T], int]:
    """Return the first `most` candidates that may be shown, and how many were withheld on the way."""
    displayed: list[T] = []
    withheld = 0
    for one in candidates:
        if len(displayed) == most:
            break
        if is_hidden(one):
            withheld += 1
        else:
            displayed.append(one)
    return displayed, withheld


MAX_EXAMPLES = 10
"""For each reason and kind of record."""
_MAX_EXAMPLE_CHARS = 400
_MIN_STEM_CHARS = 6  # a shorter stem occurs in many texts by chance


class RejectedExample(NamedTuple):
    """One rejected record."""

    id: str
    text: str
    detail: str
    source: str
    url: str
    position: str


class Reason(NamedTuple):
    """One rejection reason of one stage."""

    stage: str
    name: str
    kinds: Counter[str]
    """Kind of record -> number of records."""
    sources: list[tuple[str, int]]
    """Each source and its number of records; a record from several sources counts for each."""
    examples: dict[str, list[RejectedExample]]
    """Kind of record -> its first examples, which may be none."""
    withheld: int
    """Number of candidate examples not shown because they would reveal the reserved split."""
    meaning: str
    remedy: str


class Reserved:
    """Content that no page may show: reserved questions, claims and fourfold rows, and records related to them."""

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
        self.stems = sorted(stem for stem in stems if len(stem) >= _MIN_STEM_CHARS)
        self.short = stems - set(self.stems)

    def has(self, row: Rejected) -> bool:
        """Return whether a rejected record is reserved or related to the reserved split: by its id, the record that replaced it, its
        head, its head and tail in either order, or its text."""
        record = row.record
        if self.ids & {row.id, *re.findall(r"[a-z]{1,20}-[0-9a-f]{8,}", row.detail or ""), str(record.get("group_id"))}:
            return True
        if any(record.get(name) and canonical(str(record[name])) in self.heads for name in ("head", "name_raw")):
            return True
        if "tail" in record and frozenset(canonical(str(record[name])) for name in ("head", "tail")) in self.head_tails:
            return True
        text = canonical(_record_text(record))
        return canonical(str(record.get("stem") or record.get("stem_raw") or "")) in self.short or any(stem in text for stem in self.stems)

    def has_claim(self, pair: ClaimPair) -> bool:
        """Return whether a claim pair is reserved or states the same as a reserved claim."""
        head, tail = canonical(pair.head), canonical(pair.tail)
        return bool(self.ids & {pair.id, *pair.fact_ids}) or head in self.heads or frozenset((head, tail)) in self.head_tails

    def is_quoted_in(self, content: str) -> bool:
        """Return whether a text contains a reserved question or begins with the head of a reserved claim."""
        text = canonical(content)
        return text in self.short or any(stem in text for stem in self.stems) or any(text.startswith(head) for head in self.heads if head)


def reasons(stages: Mapping[str, Iterable[Rejected]], reserved: Reserved) -> list[Reason]:
    """Return every reason of every stage, in the given order of stages, the most frequent reasons first."""
    listed = []
    for stage, rows in stages.items():
        sources: dict[str, Counter[str]] = {}
        examples: dict[str, dict[str, list[RejectedExample]]] = {}
        withheld: Counter[str] = Counter()
        kinds: dict[str, Counter[str]] = {}
        for row in rows:
            sightings = row.places()
            sources.setdefault(row.reason, Counter()).update({str(one.get("source")) for one in sightings} or {"unknown"})
            kind = KINDS.get(row.kind, row.kind)
            kinds.setdefault(row.reason, Counter())[kind] += 1
            displayed = examples.setdefault(row.reason, {}).setdefault(kind, [])
            if len(displayed) < MAX_EXAMPLES:
                if reserved.has(row):
                    withheld[row.reason] += 1
                else:
                    displayed.append(_example(row, sightings))
        for name, by_kind in sorted(kinds.items(), key=lambda entry: (-entry[1].total(), entry[0])):
            ranked = sorted(sources[name].items(), key=lambda entry: (-entry[1], entry[0]))
            listed.append(Reason(stage, name, by_kind, ranked, examples[name], withheld[name], *meaning_and_remedy(name)))
    return listed


def meaning_and_remedy(name: str) -> tuple[str, str]:
    """Return the meaning and remedy of a reason as plain text; empty if unknown."""
    meaning, remedy = REASONS.get(name, ("", ""))
    return _plain(meaning), _plain(remedy)


def _plain(cell: str) -> str:
    """Return a Markdown cell as plain text."""
    return re.sub(r"\[([^\[\]]{0,200})\]\([^()]{0,200}\)", r"\1", cell).replace("`", "").strip()


def _example(row: Rejected, sightings: list[dict[str, Any]]) -> RejectedExample:
    first = sightings[0] if sightings else {}
    about = (str(first.get(name) or "") for name in ("source", "url", "position"))
    return RejectedExample(row.id, _record_text(row.record)[:_MAX_EXAMPLE_CHARS], (row.detail or "")[:_MAX_EXAMPLE_CHARS], *about)


def _record_text(record: Mapping[str, Any]) -> str:
    """Return the text of a record of any kind and stage."""
    if "head" in record:
        return f"{record['head']} {'–' if record.get('polarity', True) else '≠'} {record.get('tail')} ({record.get('relation')})"
    options = record.get("options_raw") or [f"{option['letter']}. {option['text']}" for option in record.get("options") or []]
    parts = [record.get(name) for name in ("name_raw", "case_raw", "shared_stem", "stem_raw", "stem")]
    answer = record.get("answer") or record.get("answer_raw")
    return "\n".join([str(part) for part in [*parts, *options, f"→ {answer}" if answer else ""] if part])


MAX_DISPLAYED = 1_000
"""Maximum of clusters and of contradictions shown; the counts include all."""


class DisplayedMember(NamedTuple):
    """A near-duplicate question that the centre replaces."""

    id: str
    similarity: float
    text: Marked
    """The text compared with the centre: `gone` is only in the centre, `new` only in the member."""
    provenance: list[Mapping[str, Any]]


class DisplayedCluster(NamedTuple):
    """A cluster with several wordings."""

    cluster: Cluster
    text: str
    """Text of the centre, the question that replaces the others."""
    provenance: list[Mapping[str, Any]]
    members: list[DisplayedMember]


class Clusters(NamedTuple):
    """Counts of all clusters, and the clusters on the page."""

    total: int
    with_wordings: int
    """Clusters with several wordings; the others are exact copies."""
    rows: int
    displayed: list[DisplayedCluster]
    """Those with the most wordings first."""
    withheld: int
    """Number of checked clusters in the reserved split or related to it."""


class Contradiction(NamedTuple):
    """A question or fact on which sources contradict each other."""

    review: Review
    lines: list[str]
    """For each statement, in the same order, the JSON line that decides for it."""


def clusters(stored: Iterable[Cluster], questions: Iterable[Question], rejected: Iterable[Rejected], reserved: Reserved) -> Clusters:
    """Return the clusters with the texts of their members.

    Args:
        questions: all accepted questions.
        rejected: rows rejected by near_duplicates, the members replaced by others.
    """
    every = list(stored)
    with_wordings = sorted((one for one in every if len(one.members) > 1), key=lambda one: (-len(one.members), -one.rows, one.cluster_id))
    wanted = {key for one in with_wordings[: 2 * MAX_DISPLAYED] for key in one.members}  # half of them may be withheld
    records: dict[str, dict[str, Any]] = {}
    for row in rejected:
        if row.id in wanted and row.kind == "question":
            records.setdefault(row.id, row.record)
    for question in questions:
        if question.id in wanted:
            records[question.id] = msgspec.to_builtins(question)

    def is_hidden(one: Cluster) -> bool:
        return any(reserved.has(Rejected(id=key, kind="question", reason="", record=records[key])) for key in one.members if key in records)

    candidates = (one for one in with_wordings[: 2 * MAX_DISPLAYED] if one.members[0] in records or is_hidden(one))
    displayed, withheld = select_displayed(candidates, MAX_DISPLAYED, is_hidden)
    rows = sum(one.rows for one in every)
    return Clusters(len(every), len(with_wordings), rows, [_displayed(one, records) for one in displayed], withheld)


def contradictions(reviews: Iterable[Review], reserved: Reserved) -> tuple[int, int, list[Contradiction]]:
    """Return the number of contradictions, how many of those checked were withheld, and those to show."""
    every = list(reviews)
    displayed, withheld = select_displayed(
        every, MAX_DISPLAYED, lambda review: reserved.is_quoted_in(review.asked) or review.id in reserved.ids
    )
    lines = [[msgspec.json.encode(statement.decision).decode() for statement in review.statements] for review in displayed]
    return len(every), withheld, list(map(Contradiction, displayed, lines))


def _displayed(cluster: Cluster, records: Mapping[str, Mapping[str, Any]]) -> DisplayedCluster:
    centre = records[cluster.members[0]]
    text = _question_text(centre)
    others = zip(cluster.members[1:], cluster.similarity[1:], strict=True)
    members = [
        DisplayedMember(key, similarity, marked(text, _question_text(records[key])), records[key]["provenance"])
        for key, similarity in others
        if key in records
    ]
    return DisplayedCluster(cluster, text, centre["provenance"], members)


def _question_text(record: Mapping[str, Any]) -> str:
    """Return a question as text with sorted options, since their order does not distinguish questions."""
    options = sorted(option["text"] for option in record["options"])
    right = sorted(option["text"] for option in record["options"] if option["letter"] in (record["answer"] or ""))
    answer = "；".join(right) or record["answer"]
    return "\n".join([part for part in [record["shared_stem"], record["stem"], *options, f"→ {answer}" if answer else ""] if part])


MAX_CLAIMS, MAX_PASSAGES = 5, 3
"""Maximum of claims shown per type, and of passages per claim; the counts include all."""
_MAX_SAMPLE = 40  # candidate claims per type, since some are withheld


class QuotedPassage(NamedTuple):
    """A passage about a claim, split around its best sentence."""

    before: str
    sentence: str
    after: str
    source: str
    url: str
    score: float


class ClaimPassages(NamedTuple):
    """A claim and its passages, best first."""

    claim: ClaimPair
    passages: list[QuotedPassage]


class TypeEvidence(NamedTuple):
    """The claims of one atomic type."""

    name: str
    claims: int
    with_evidence: int
    displayed: list[ClaimPassages]
    withheld: int
    """Number of checked claims that are reserved, or have a passage that would reveal the reserved split."""


def evidence_by_type(
    claims: Iterable[ClaimPair], evidence: Iterable[Evidence], passages: Iterable[Passage], reserved: Reserved
) -> list[TypeEvidence]:
    """Return, for each type, the number of claims, the number with evidence, and the first of those by id."""
    types: dict[str, str] = {}
    samples: dict[str, list[ClaimPair]] = {}
    for claim in claims:
        types[claim.id] = claim.atomic_type
        if len(sample := samples.setdefault(claim.atomic_type, [])) < _MAX_SAMPLE:
            sample.append(claim)
    wanted = {claim.id for sample in samples.values() for claim in sample}
    by_claim: dict[str, list[Evidence]] = {}
    covered: set[str] = set()
    for row in evidence:
        covered.add(row.claim_id)
        if row.claim_id in wanted and row.rank <= MAX_PASSAGES:
            by_claim.setdefault(row.claim_id, []).append(row)
    named = {row.passage for rows in by_claim.values() for row in rows}
    texts = {passage.id: passage.text for passage in passages if passage.id in named}
    counts = Counter(types.values())
    with_evidence = Counter(types[key] for key in covered if key in types)

    def is_hidden(claim: ClaimPair) -> bool:
        own = by_claim.get(claim.id, [])
        return reserved.has_claim(claim) or any(reserved.is_quoted_in(texts[row.passage]) for row in own if row.passage in texts)

    quoted = {
        key: [
            QuotedPassage(text[: row.start], text[row.start : row.end], text[row.end :], row.source, row.url, row.score)
            for row in sorted(rows, key=lambda row: row.rank)
            if (text := texts.get(row.passage)) is not None
        ]
        for key, rows in by_claim.items()
    }
    of_types = []
    for name in sorted(counts):
        candidates = (claim for claim in samples[name] if quoted.get(claim.id) or is_hidden(claim))
        displayed, withheld = select_displayed(candidates, MAX_CLAIMS, is_hidden)
        passages_of = [ClaimPassages(claim, quoted[claim.id]) for claim in displayed]
        of_types.append(TypeEvidence(name, counts[name], with_evidence[name], passages_of, withheld))
    return of_types
