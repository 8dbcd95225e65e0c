"""Merge rows of one question: which row is the best, and what the others add to it."""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from atomexam.records.fact import Fact
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.runtime.jsonl import to_line
from atomexam.text.canonical import canonical
from curation.engine.engines import LOCAL, Engine, batches_of
from curation.near_duplicates.pair_rules import ComparedQuestion, compared_question

_BLEMISH = re.compile(r"[\ufffd\u25a1\ue000-\uf8ff]|\?\?|？？|&#?\w+;|<[^<>]+>|[ \t]{2,}|[单多]选题?$")
_LETTER = re.compile(r"[A-J]")
BATCH = 5_000


class QuestionRows(NamedTuple):
    """One id with all its rows, the best first."""

    id: str
    rows: Sequence[Question]
    compared: ComparedQuestion
    conflict: bool
    """Two rows have different right options; then `compared` has no answer."""
    missing: tuple[bool, bool]
    """The parts that the best row lacks, as `missing_parts` returns them."""
    group_id: str | None
    """The smallest of its rows' group ids."""


class SoundnessRank(NamedTuple):
    """The sort key of ids, the best first; ids of equal rank are sorted by the id itself."""

    missing: tuple[bool, bool]
    rarity: int
    """Negative number of occurrences."""
    blemishes: int
    poverty: int
    """Negative number of options."""


class RankedRows(NamedTuple):
    """Rows of one id, sorted."""

    order: list[int]
    """Indexes of the rows, the best first."""
    compared: ComparedQuestion
    conflict: bool
    rank: SoundnessRank
    group_id: str | None


def rows_by_id(rows: Iterable[Question], ngram_chars: int, engine: Engine = LOCAL) -> list[QuestionRows]:
    """Return the rows by id, the best id first: with answer, with explanation, most often seen, cleanest, with most options."""
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
    """Return the order of each id's rows, and what is compared of them."""
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
    """Return the best row with additions from all rows: provenance, a longer answer in words, an explanation that fits its letters."""
    answer = best.answer
    if in_words:
        answer = max((row.answer for row in rows if row.answer), key=lambda text: (len(text), text), default=None)
    explanation = next((row.explanation for row in rows if row.explanation and _fits(row, best)), None)
    return replace(best, answer=answer, explanation=explanation, cluster_id=cluster_id, provenance=merged_provenance(rows))


def merged_provenance(rows: Iterable[Question | Fact]) -> list[Provenance]:
    """Return the provenance of all rows, sorted, each once."""
    return sorted({origin for row in rows for origin in row.provenance})


def question_blemishes(row: Question) -> int:
    """Return the number of marks of damage in a question."""
    return blemishes(row.stem, *(option.text for option in row.options))


def blemishes(*texts: str) -> int:
    """Return the number of marks of damage in texts: lost characters, entities, mark-up, stray tags."""
    return sum(len(_BLEMISH.findall(text)) for text in texts)


def missing_parts(row: Question) -> tuple[bool, bool]:
    """Return whether a row lacks an answer, or one among its options, and whether it lacks an explanation."""
    readable = row.answer is not None and (not row.options or set(row.answer) <= {option.letter for option in row.options})
    return not readable, row.explanation is None


def _fits(row: Question, best: Question) -> bool:
    """Return whether a row's explanation is valid for the best row: it names no letter, or the letters mean the same there."""
    same_letters = [canonical(option.text) for option in row.options] == [canonical(option.text) for option in best.options]
    return same_letters or not _LETTER.search(row.explanation or "")
