"""A draw without text leaks: draw, compare the drawn questions with all others, tie related questions into one unit, and draw again.

A million questions form too many pairs to compare all of them. Few questions are drawn for test and reserved: only these, and the next
candidates to replace them, are compared with all others. The draw is repeated until no related pair crosses the splits.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence, Set
from itertools import chain

from msgspec.structs import replace

from atomexam.records.blocks import SplitFlags as Params
from atomexam.records.claim import ClaimPair, Fourfold, sentences_of
from atomexam.records.question import Question
from atomexam.runtime.disjoint_sets import DisjointSets
from splits.leaks.overlap import all_parts, contained, ngrams_of, parts_of, question_grams, reworded, wordings_of
from splits.ledger.assignments import AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import EVALUATION_SPLITS, TRAINING_SPLITS, QuestionSummary, in_draw_order

Allocations = Mapping[str, Allocation]
Read = Callable[[Collection[str] | None], Iterator[Question]]
"""Function that rereads the questions with the given ids, or all of them."""
_AT_ONCE = 20_000
"""Questions compared in one round, which takes ten seconds and 300 MB; each round reads the complete pool again."""


def decide_without_leaks(
    summaries: Sequence[QuestionSummary],
    read: Read,
    params: Params,
    ledger: AssignmentLedger,
    decide: Callable[[Sequence[QuestionSummary]], dict[str, Allocation]],
) -> dict[str, Allocation]:
    """Return the allocation of each question, such that no question related to an evaluated one is trained on.

    Args:
        decide: function that returns the allocation of each question.
    """
    pairs: set[tuple[str, str]] = set()
    compared: set[str] = set()
    while True:
        allocations = decide(summaries)
        if {key for key, allocation in allocations.items() if allocation.split in EVALUATION_SPLITS} - compared:
            new = with_next_candidates(summaries, allocations, params.seed) - compared
            pairs |= related_pairs(new, read, params.contained)
            compared |= new
        if not any(crosses(pair, allocations) for pair in pairs):
            return allocations
        # Pairs across test and reserved from an earlier version stay, since no check forbids them.
        summaries = with_ties(
            summaries, (pair for pair in pairs if crosses(pair, allocations) or not all(key in ledger.assigned for key in pair))
        )


def with_next_candidates(summaries: Sequence[QuestionSummary], allocations: Allocations, seed: int) -> set[str]:
    """Return the ids of the evaluated questions and of the next ones in the draw order of each stratum, up to `_AT_ONCE` in all."""
    ids = {summary.id for summary in summaries if allocations[summary.id].split in EVALUATION_SPLITS}
    sizes = Counter(summary.stratum for summary in summaries if summary.id in ids)
    others = [summary for summary in summaries if summary.stratum in sizes and summary.id not in ids]
    factor = max(1, _AT_ONCE // len(ids))
    room = {stratum: factor * number for stratum, number in sizes.items()}
    for summary in in_draw_order(seed, "draw", others, lambda summary: summary.group_id or summary.id)[0]:
        if room[summary.stratum] > 0:
            room[summary.stratum] -= 1
            ids.add(summary.id)
    return ids


def related_pairs(ids: Collection[str], read: Read, least: float) -> set[tuple[str, str]]:
    """Return pairs of a given question and another one that rewords or contains it."""
    questions = list(read(ids))
    grams = [(question.id, ngrams) for question in questions if (ngrams := question_grams(question))]
    holding = contained(grams, ((question.id, all_parts(question)) for question in read(None)), least)
    return {(one, other) for one, other, _ in chain(reworded(wordings_of(questions), read(None)), holding)}


def crosses(pair: tuple[str, str], allocations: Allocations) -> bool:
    """Return whether one of a pair is evaluated and the other trained on."""
    splits = {allocations[key].split for key in pair}
    return not splits.isdisjoint(EVALUATION_SPLITS) and not splits.isdisjoint(TRAINING_SPLITS)


def with_ties(summaries: Sequence[QuestionSummary], pairs: Iterable[tuple[str, str]]) -> list[QuestionSummary]:
    """Return the summaries with an additional tie between the questions of each pair."""
    position_of = {summary.id: position for position, summary in enumerate(summaries)}
    sets = DisjointSets()
    by_tie = {summary.related_id: position for position, summary in enumerate(summaries) if summary.related_id}
    for position, summary in enumerate(summaries):
        if summary.related_id:
            sets.join(by_tie[summary.related_id], position)
    for one, other in pairs:
        sets.join(position_of[one], position_of[other])
    after = list(summaries)
    for members in sets.sets():
        name = min(summaries[position].id for position in members)
        for position in members:
            after[position] = replace(summaries[position], related_id=name)
    return after


def decide_heads_without_leaks(
    claims: Sequence[ClaimPair | Fourfold],
    allocations: Allocations,
    read: Read,
    least: float,
    decide: Callable[[Set[str]], dict[str, Allocation]],
) -> dict[str, Allocation]:
    """Return the allocation of each head, such that no question that is trained on contains an evaluated claim.

    Args:
        decide: function that returns the allocation of each head, given the heads that must not be drawn for test or reserved.
    """
    excluded: set[str] = set()
    trained = {key for key, allocation in allocations.items() if allocation.split in TRAINING_SPLITS}
    while True:
        head_allocations = decide(excluded)
        evaluated = {
            claim.id: claim for claim in claims if head_allocations[claim.head].split in EVALUATION_SPLITS and claim.head not in excluded
        }
        sides = [(claim.id, ngrams_of(parts_of([sentence]))) for claim in evaluated.values() for sentence in sentences_of(claim)]
        holders = ((question.id, all_parts(question)) for question in read(trained))
        contained_heads = {evaluated[key].head for key, *_ in contained(sides, holders, least)} if sides else set()
        if not contained_heads:
            return head_allocations
        excluded |= contained_heads
