"""Contradicting rows -> a review; reviewers' decisions -> which rows are right."""

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
    """Return the decision on rows that ask the same thing.

    Raises:
        ValueError: decisions on two of them differ.
    """
    decided = sorted({row.id for row in rows if row.id in decisions and decisions[row.id].right})
    for other in decided[1:]:
        if sorted(decisions[decided[0]].right) != sorted(decisions[other].right):
            raise ValueError(f"decisions: {decided[0]} and {other} ask the same but are decided differently; delete one of the two lines")
    return decisions[decided[0]] if decided else None


class DecidedRows(NamedTuple):
    """Rows that ask the same thing, after a decision."""

    best: Question
    best_index: int
    """Index of the best among the rows."""
    overruled: frozenset[int]
    """Indexes of the rows that contradict the decision; includes the best row if its answer was replaced."""


def apply_decision(rows: Sequence[Question], decision: Decision, ngram_chars: int) -> DecidedRows:
    """Return the first row that agrees with the decision, and the rows that contradict it; rows without an answer do neither.

    If no row agrees, the first one with the decided options gets them as its answer.

    Raises:
        ValueError: no row has the decided options.
    """
    right = frozenset(map(canonical, decision.right))
    answers = [answer_of(row) for row in rows]
    agreeing = [index for index, row in enumerate(rows) if answers[index] and same_answer(row, right, ngram_chars)]
    overruled = frozenset(index for index, answer in enumerate(answers) if answer and index not in agreeing)
    if agreeing:
        return DecidedRows(rows[agreeing[0]], agreeing[0], overruled)
    for index, row in enumerate(rows):
        letters = sorted(option.letter for option in row.options if canonical(option.text) in right)
        if len(letters) == len(right):
            kind = ("mcqa" if len(letters) == 1 else "mrqa") if row.question_type in ("mcqa", "mrqa") else row.question_type
            answered = replace(row, answer="".join(letters), question_type=kind, explanation=None)
            return DecidedRows(answered, index, overruled)
    raise ValueError(f"decisions: {decision.id}: {'＋'.join(decision.right)}: not among its options; expected texts from review.jsonl")


def review_of_question(cluster_id: str, rows: Sequence[Question]) -> Review:
    """Return the review of rows that ask the same thing: each of their answers."""
    by_answer: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for row in rows:
        if row.answer:
            by_answer[tuple(sorted(right_texts(row)))].append(row)
    statements = [_statement(Decision(id=group[0].id, right=list(right)), group) for right, group in by_answer.items()]
    question_text = "\n".join(filter(None, [rows[0].shared_stem, rows[0].stem]))
    options = sorted(option.text for option in rows[0].options)
    return Review(id=cluster_id, kind="question", asked=question_text, options=options, statements=_most_first(statements))


def review_of_fact(rows: Sequence[Fact]) -> Review:
    """Return the review of rows of one fact: each of their polarities."""
    groups = [[row for row in rows if row.polarity is polarity] for polarity in (True, False)]
    statements = [_statement(Decision(id=group[0].id, polarity=group[0].polarity), group) for group in groups if group]
    fact = rows[0]
    return Review(id=fact.id, kind="fact", asked=f"{fact.head} {fact.relation} {fact.tail}", options=[], statements=_most_first(statements))


def right_texts(row: Question) -> list[str]:
    """Return the texts of a row's right options."""
    return [option.text for option in row.options if option.letter in (row.answer or "")] or [row.answer or ""]


def _statement(decision: Decision, rows: Sequence[Row]) -> Statement:
    origins = [origin for row in rows for origin in row.provenance]
    sources, urls = sorted({origin.source for origin in origins}), sorted({origin.url for origin in origins})
    return Statement(decision=decision, rows=len(rows), sources=sources, urls=urls)


def _most_first(statements: list[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: (-one.rows, one.decision.right, one.decision.polarity is False))
