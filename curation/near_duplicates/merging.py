"""Rows of one question -> the best row, completed from the others and by reviewers' decisions, or a review if the rows conflict."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeVar

from msgspec.structs import replace

from atomexam.records.annotation import Decision, Review, Statement
from atomexam.records.fact import Fact
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.runtime.jsonl import to_line
from atomexam.text.canonical import canonical
from curation.engine.engines import LOCAL, Engine, batches_of
from curation.near_duplicates.same_question import ComparedQuestion, answer_of, compared_question, same_answer

_BLEMISH = re.compile(r"[\ufffd\u25a1\ue000-\uf8ff]|\?\?|？？|&#?\w+;|<[^<>]+>|[ \t]{2,}|[单多]选题?$")
_LETTER = re.compile(r"[A-J]")
BATCH = 5_000


class QuestionRows(NamedTuple):
    """A question id with all its rows, best first."""

    id: str
    rows: Sequence[Question]
    compared: ComparedQuestion
    conflict: bool
    """Two rows have different correct options; `compared` then has no answer."""
    missing: tuple[bool, bool]
    """The parts that the best row lacks, in the form returned by `missing_parts`."""
    group_id: str | None
    """The smallest group id of its rows."""


class SoundnessRank(NamedTuple):
    """Sort key that puts the best id first; equal ranks are sorted by id."""

    missing: tuple[bool, bool]
    rarity: int
    """Number of occurrences, negated."""
    blemishes: int
    poverty: int
    """Number of options, negated."""


class RankedRows(NamedTuple):
    """Rows of one id, sorted."""

    order: list[int]
    """Indexes of the rows, best first."""
    compared: ComparedQuestion
    conflict: bool
    rank: SoundnessRank
    group_id: str | None


def rows_by_id(rows: Iterable[Question], ngram_chars: int, engine: Engine = LOCAL) -> list[QuestionRows]:
    """Return the rows by id, best id first: those with an answer, with an explanation, seen most often, cleanest, with most options."""
    by_id: dict[str, list[Question]] = defaultdict(list)
    for row in rows:
        by_id[row.id].append(row)
    ranked = engine.mapped(ranked_groups, batches_of(list(by_id.values()), BATCH), ngram_chars)
    every = zip(by_id.items(), (one for batch in ranked for one in batch), strict=True)
    in_order = sorted(((one.rank, key, group, one) for (key, group), one in every), key=lambda each: each[:2])
    return [
        QuestionRows(key, [group[index] for index in one.order], one.compared, one.conflict, one.rank.missing, one.group_id)
        for _, key, group, one in in_order
    ]


def ranked_groups(groups: Sequence[list[Question]], ngram_chars: int) -> list[RankedRows]:
    """Return for each id the order of its rows and the form in which it is compared."""
    return [_ranked(group, ngram_chars) for group in groups]


def _ranked(group: list[Question], ngram_chars: int) -> RankedRows:
    order = sorted(
        range(len(group)), key=lambda index: (missing_parts(group[index]), question_blemishes(group[index]), to_line(group[index]))
    )
    best = group[order[0]]
    own = compared_question(best, ngram_chars)
    answers = {compared_question(row, ngram_chars).answer for row in group if row.answer != best.answer or row.options != best.options}
    conflict = len((answers | {own.answer}) - {None}) > 1 and not own.in_words
    rank = SoundnessRank(missing_parts(best), -len(merged_provenance(group)), question_blemishes(best), -len(best.options))
    group_id = min((row.group_id for row in group if row.group_id), default=None)
    return RankedRows(order, own._replace(answer=None) if conflict else own, conflict, rank, group_id)


def merge_rows(best: Question, rows: Sequence[Question], in_words: bool, cluster_id: str) -> Question:
    """Return the best row with additions from all rows: provenance, a longer answer in words, an explanation that matches its letters."""
    answer = best.answer
    if in_words:
        answer = max((row.answer for row in rows if row.answer), key=lambda text: (len(text), text), default=None)
    explanation = next((row.explanation for row in rows if row.explanation and _fits(row, best)), None)
    return replace(best, answer=answer, explanation=explanation, cluster_id=cluster_id, provenance=merged_provenance(rows))


def merged_provenance(rows: Iterable[Question | Fact]) -> list[Provenance]:
    """Return the provenance of all rows, sorted and without duplicates."""
    return sorted({origin for row in rows for origin in row.provenance})


def question_blemishes(row: Question) -> int:
    """Return the number of signs of damage in a question."""
    return blemishes(row.stem, *(option.text for option in row.options))


def blemishes(*texts: str) -> int:
    """Return the number of signs of damage in texts: lost characters, entities, markup, stray tags."""
    return sum(len(_BLEMISH.findall(text)) for text in texts)


def missing_parts(row: Question) -> tuple[bool, bool]:
    """Return whether a row lacks a valid answer, and whether it lacks an explanation."""
    readable = row.answer is not None and (not row.options or set(row.answer) <= {option.letter for option in row.options})
    return not readable, row.explanation is None


def _fits(row: Question, best: Question) -> bool:
    """Return whether a row's explanation suits the best row: it names no letters, or its letters refer to the same options there."""
    same_letters = [canonical(option.text) for option in row.options] == [canonical(option.text) for option in best.options]
    return same_letters or not _LETTER.search(row.explanation or "")


Row = TypeVar("Row", Question, Fact)


def decision_for(rows: Iterable[Question], decisions: Mapping[str, Decision]) -> Decision | None:
    """Return the reviewers' decision on rows that ask the same thing, if there is one.

    Raises:
        ValueError: decisions on two of them differ.
    """
    decided = sorted({row.id for row in rows if row.id in decisions and decisions[row.id].polarity is None})
    for other in decided[1:]:
        if _content(decisions[decided[0]]) != _content(decisions[other]):
            raise ValueError(
                f"decisions: {decided[0]} and {other} ask the same thing but are decided differently; delete one of the two lines"
            )
    return decisions[decided[0]] if decided else None


def _content(decision: Decision) -> tuple[list[str], str | None]:
    return sorted(decision.right), decision.withdrawn


class DecidedRows(NamedTuple):
    """Rows that ask the same thing, after a decision has been applied."""

    best: Question
    best_index: int
    """Index of the best among the rows."""
    overruled: frozenset[int]
    """Indexes of the rows that contradict the decision; includes the best row if its answer was replaced."""


def apply_decision(rows: Sequence[Question], decision: Decision, ngram_chars: int) -> DecidedRows:
    """Return the first row that agrees with the decision, and the rows that contradict it; rows without an answer count as neither.

    If no row agrees, the first row that has the decided options gets them as its answer.

    Raises:
        ValueError: no row contains the decided options.
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
    known = " / ".join(option.text for option in rows[0].options)
    raise ValueError(
        f"decisions: {decision.id}: {'＋'.join(decision.right)}: not among its options; under `right`, write the texts of "
        f"its options: {known}"
    )


def review_of_question(cluster_id: str, rows: Sequence[Question]) -> Review:
    """Return the review for rows that ask the same thing, with each of their answers."""
    by_answer: dict[tuple[str, ...], list[Question]] = defaultdict(list)
    for row in rows:
        if row.answer:
            by_answer[tuple(sorted(right_texts(row)))].append(row)
    statements = [_statement(Decision(id=group[0].id, right=list(right)), group) for right, group in by_answer.items()]
    question_text = "\n".join(filter(None, [rows[0].shared_stem, rows[0].stem]))
    options = sorted(option.text for option in rows[0].options)
    return Review(id=cluster_id, kind="question", asked=question_text, options=options, statements=_most_first(statements))


def review_of_fact(rows: Sequence[Fact]) -> Review:
    """Return the review for rows of one fact, with each of their polarities."""
    groups = [[row for row in rows if row.polarity is polarity] for polarity in (True, False)]
    statements = [_statement(Decision(id=group[0].id, polarity=group[0].polarity), group) for group in groups if group]
    fact = rows[0]
    return Review(id=fact.id, kind="fact", asked=f"{fact.head} {fact.relation} {fact.tail}", options=[], statements=_most_first(statements))


def right_texts(row: Question) -> list[str]:
    """Return the texts of a row's correct options."""
    return [option.text for option in row.options if option.letter in (row.answer or "")] or [row.answer or ""]


def _statement(decision: Decision, rows: Sequence[Row]) -> Statement:
    origins = [origin for row in rows for origin in row.provenance]
    sources, urls = sorted({origin.source for origin in origins}), sorted({origin.url for origin in origins})
    return Statement(decision=decision, rows=len(rows), sources=sources, urls=urls)


def _most_first(statements: list[Statement]) -> list[Statement]:
    return sorted(statements, key=lambda one: (-one.rows, one.decision.right, one.decision.polarity is False))
