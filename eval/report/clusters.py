"""Near-duplicate clusters and contradictions -> a page to check: members next to the retained question, and lines for decisions.jsonl."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import msgspec

from atomexam.records.annotation import Review
from atomexam.records.cluster import Cluster
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from eval.report.marks import Marked, marked
from eval.report.rejections import Reserved

MAX_DISPLAYED = 1_000
"""Clusters and contradictions on the page; all are counted."""


class DisplayedMember(NamedTuple):
    """A near-duplicate question that the centre replaces."""

    id: str
    similarity: float
    words: Marked
    """The member compared with the centre: `gone` is only in the centre, `new` only in the member."""
    provenance: list[Mapping[str, Any]]


class DisplayedCluster(NamedTuple):
    """One cluster of several wordings."""

    cluster: Cluster
    words: str
    """The centre: the question that replaces the others, if it was accepted."""
    provenance: list[Mapping[str, Any]]
    members: list[DisplayedMember]


class Clusters(NamedTuple):
    """All clusters, and those on the page."""

    total: int
    worded: int
    """Clusters of several wordings; the others are exact copies."""
    rows: int
    displayed: list[DisplayedCluster]
    """The ones with most wordings first."""
    withheld: int
    """Of the checked ones, those in the reserved split or related to it."""


class Contradiction(NamedTuple):
    """A question or fact on which sources contradict each other."""

    review: Review
    lines: list[str]
    """The line that decides for each statement, in the same order."""


def clusters(stored: Iterable[Cluster], questions: Iterable[Question], rejected: Iterable[Rejected], reserved: Reserved) -> Clusters:
    """Return the clusters with the words of their members.

    Args:
        questions: all that were accepted.
        rejected: rows that near_duplicates rejected: the members replaced by others.
    """
    every = list(stored)
    worded = sorted((one for one in every if len(one.members) > 1), key=lambda one: (-len(one.members), -one.rows, one.cluster_id))
    wanted = {key for one in worded[: 2 * MAX_DISPLAYED] for key in one.members}  # a half may be withheld
    records: dict[str, Mapping[str, Any]] = {}
    for row in rejected:
        if row.id in wanted and row.kind == "question":
            records.setdefault(row.id, row.record)
    for question in questions:
        if question.id in wanted:
            records[question.id] = msgspec.to_builtins(question)
    displayed: list[DisplayedCluster] = []
    withheld = 0
    for one in worded[: 2 * MAX_DISPLAYED]:
        if len(displayed) == MAX_DISPLAYED:
            break
        if any(reserved.has(_as_rejected(key, records[key])) for key in one.members if key in records):
            withheld += 1
        elif one.members[0] in records:
            displayed.append(_displayed(one, records))
    return Clusters(len(every), len(worded), sum(one.rows for one in every), displayed, withheld)


def contradictions(reviews: Iterable[Review], reserved: Reserved) -> tuple[int, int, list[Contradiction]]:
    """Return the number of contradictions, the number of withheld ones among those checked, and those to show."""
    every = list(reviews)
    displayed: list[Contradiction] = []
    withheld = 0
    for review in every:
        if len(displayed) == MAX_DISPLAYED:
            break
        if reserved.is_quoted_in(review.asked) or review.id in reserved.ids:
            withheld += 1
        else:
            lines = [msgspec.json.encode(statement.decision).decode() for statement in review.statements]
            displayed.append(Contradiction(review, lines))
    return len(every), withheld, displayed


def _as_rejected(key: str, record: Mapping[str, Any]) -> Rejected:
    return Rejected(id=key, kind="question", reason="", record=dict(record))


def _displayed(cluster: Cluster, records: Mapping[str, Mapping[str, Any]]) -> DisplayedCluster:
    centre = records[cluster.members[0]]
    words = _words(centre)
    others = zip(cluster.members[1:], cluster.similarity[1:], strict=True)
    members = [
        DisplayedMember(key, similarity, marked(words, _words(records[key])), records[key]["provenance"])
        for key, similarity in others
        if key in records
    ]
    return DisplayedCluster(cluster, words, centre["provenance"], members)


def _words(record: Mapping[str, Any]) -> str:
    """Return a question as text with sorted options: their order does not distinguish questions."""
    options = sorted(option["text"] for option in record["options"])
    right = sorted(option["text"] for option in record["options"] if option["letter"] in (record["answer"] or ""))
    answer = "；".join(right) or record["answer"]
    return "\n".join([part for part in [record["shared_stem"], record["stem"], *options, f"→ {answer}" if answer else ""] if part])
