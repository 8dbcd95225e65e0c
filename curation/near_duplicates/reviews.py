"""Contradictions: rows that disagree -> a review for readers; what readers decided -> which rows hold."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from atomexam.records.fact import Fact
from atomexam.records.question import Question
from atomexam.records.review import Decision, Review, Statement
from atomexam.text.canonical import canonical
from curation.near_duplicates.pair_rules import answer_of, same_answer

Row = TypeVar("Row", Question, Fact)


def decision_for(rows: Iterable[Question], decisions: Mapping[str, Decision]) -> Decision | None:
    """Return what was decided on any of some rows that ask the same.

    Raises:
        ValueError: decisions on two of them differ.
    """
    found = sorted({row.id for row in rows if row.id in decisions and decisions[row.id].right})
    for other in found[1:]:
        if sorted(decisions[found[0]].right) != sorted(decisions[other].right):
            raise ValueError(f"decisions: {found[0]} and {other} ask the same and are decided differently; leave one of the two lines")
    return decisions[found[0]] if found else None


class Decided(NamedTuple):
    """Rows that ask the same, after a decision."""

    best: Question
    place: int
    """Where the best stands among the rows."""
    overruled: frozenset[int]
    """Places of the rows that say otherwise, that of the best among them where it was given another answer."""


def apply_decision(rows: Sequence[Question], decision: Decision, ngram_chars: int) -> Decided:
    """Return the first row that says what was decided, and which rows say otherwise; rows without an answer say nothing.

    Where no row says it, the first that has such options gets it as its answer.

    Raises:
        ValueError: no row has the options that were decided on.
    """
    right = frozenset(map(canonical, decision.right))
    answers = [answer_of(row) for row in rows]
    agreeing = [place for place, row in enumerate(rows) if answers[place] and same_answer(row, right, ngram_chars)]
    overruled = frozenset(place for place, answer in enumerate(answers) if answer and place not in agreeing)
    if agreeing:
        return Decided(rows[agreeing[0]], agreeing[0], overruled)
    for place, row in enumerate(rows):
        letters = sorted(option.letter for option in row.options if canonical(option.text) in right)
        if len(letters) == len(right):
            kind = ("mcqa" if len(letters) == 1 else "mrqa") if row.question_type in ("mcqa", "mrqa") else row.question_type
            answered = replace(row, answer="".join(letters), question_type=kind, explanation=None)
            return Decided(answered, place, overruled)
    raise ValueError(f"decisions: {decision.id}: {'＋'.join(decision.right)}: no options of it; expected texts as review.jsonl has them")


def review_of_question(cluster_id: str, rows: Sequence[Question]) -> Review:
    """Return what rows that ask the same hold to be right."""
    said: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for row in rows:
        if row.answer:
            said[tuple(sorted(right_texts(row)))].append(row)
    statements = [_statement(Decision(id=group[0].id, right=list(right)), group) for right, group in said.items()]
    asked = "\n".join(filter(None, [rows[0].shared_stem, rows[0].stem]))
    options = sorted(option.text for option in rows[0].options)
    return Review(id=cluster_id, kind="question", asked=asked, options=options, statements=_most_first(statements))


def review_of_fact(rows: Sequence[Fact]) -> Review:
    """Return what rows of one fact say."""
    groups = [[row for row in rows if row.polarity is polarity] for polarity in (True, False)]
    statements = [_statement(Decision(id=group[0].id, polarity=group[0].polarity), group) for group in groups if group]
    fact = rows[0]
    return Review(id=fact.id, kind="fact", asked=f"{fact.head} {fact.relation} {fact.tail}", options=[], statements=_most_first(statements))


def right_texts(row: Question) -> list[str]:
    """Return the texts that a row holds to be right."""
    return [option.text for option in row.options if option.letter in (row.answer or "")] or [row.answer or ""]


def _statement(decision: Decision, rows: Sequence[Row]) -> Statement:
    seen = [place for row in rows for place in row.provenance]
    sources, urls = sorted({place.source for place in seen}), sorted({place.url for place in seen})
    return Statement(decision=decision, rows=len(rows), sources=sources, urls=urls)


def _most_first(statements: list[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: (-one.rows, one.decision.right, one.decision.polarity is False))
