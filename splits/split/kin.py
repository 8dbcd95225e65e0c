"""Questions that the leak check would call kin, tied before anything is drawn for good: drawn, compared, tied, and drawn again.

All pairs of a million questions are too many to look at. What is held back is few: that, and what would be drawn next in its place,
is compared with everything, and what is found to be kin becomes one unit. The draw is then made anew, until nothing kin crosses.
"""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from itertools import chain

from msgspec.structs import replace

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Question
from atomexam.records.split_blocks import Drawing as Params
from atomexam.runtime.disjoint_sets import DisjointSets
from splits.kinship.containment import contained, ngrams_of, parts_of
from splits.kinship.wording import asked_grams, reworded, whole, wordings_of
from splits.ledger.assignments import Memory
from splits.ledger.held_before import TRAINED, Put
from splits.ledger.kept_together import Row, in_turn

Placed = Mapping[str, Put]
Read = Callable[[Collection[str] | None], Iterator[Question]]
"""Reads the questions of some ids once more, or all."""
ASKED = frozenset({"test", "reserved"})
_AT_ONCE = 20_000
"""Questions compared in one round, which takes ten seconds and 300 MB; of a pool of a million each round reads all once more."""


def decide_apart(
    rows: Sequence[Row], read: Read, params: Params, memory: Memory, decide: Callable[[Sequence[Row]], dict[str, Put]]
) -> dict[str, Put]:
    """Return the place of each question, so that nothing kin to what is asked is trained on.

    Args:
        decide: returns the place of each row's question.
    """
    pairs: set[tuple[str, str]] = set()
    compared: set[str] = set()
    while True:
        placed = decide(rows)
        if {key for key, put in placed.items() if put.split in ASKED} - compared:
            new = likely(rows, placed, params.seed) - compared
            pairs |= kin_of(new, read, params.contained)
            compared |= new
        if not any(crosses(pair, placed) for pair in pairs):
            return placed
        # Who stands in test and in reserved since an earlier version stays there: no check minds.
        rows = tied(rows, (pair for pair in pairs if crosses(pair, placed) or not all(key in memory.assigned for key in pair)))


def likely(rows: Sequence[Row], placed: Placed, seed: int) -> set[str]:
    """Return the ids of what is asked, and of each cell those that the draw comes to next, as many as are quickly compared."""
    found = {row.id for row in rows if placed[row.id].split in ASKED}
    asked = Counter(row.cell for row in rows if row.id in found)
    others = [row for row in rows if row.cell in asked and row.id not in found]
    times = max(1, _AT_ONCE // len(found))
    room = {cell: times * number for cell, number in asked.items()}
    for row in in_turn(seed, "draw", others, lambda row: row.group_id or row.id)[0]:
        if room[row.cell] > 0:
            room[row.cell] -= 1
            found.add(row.id)
    return found


def kin_of(asked: Collection[str], read: Read, least: float) -> set[tuple[str, str]]:
    """Return the pairs of an asked question and another that asks the same in other words, or holds it."""
    wanted = list(read(asked))
    grams = [(question.id, found) for question in wanted if (found := asked_grams(question))]
    holding = contained(grams, ((question.id, whole(question)) for question in read(None)), least)
    return {(one, other) for one, other, _ in chain(reworded(wordings_of(wanted), read(None)), holding)}


def crosses(pair: tuple[str, str], placed: Placed) -> bool:
    """Tell whether one of a pair is asked and the other trained on."""
    splits = {placed[key].split for key in pair}
    return bool(splits & ASKED and splits & TRAINED)


def tied(rows: Sequence[Row], pairs: Iterable[tuple[str, str]]) -> list[Row]:
    """Return the rows with one more tie between those of each pair."""
    at = {row.id: place for place, row in enumerate(rows)}
    sets = DisjointSets()
    by_tie = {row.kin_id: place for place, row in enumerate(rows) if row.kin_id}
    for place, row in enumerate(rows):
        if row.kin_id:
            sets.join(by_tie[row.kin_id], place)
    for one, other in pairs:
        sets.join(at[one], at[other])
    after = list(rows)
    for members in sets.sets():
        name = min(rows[place].id for place in members)
        for place in members:
            after[place] = replace(rows[place], kin_id=name)
    return after


def heads_apart(
    claims: Sequence[ClaimPair],
    placed: Placed,
    read: Read,
    least: float,
    decide: Callable[[Collection[str]], dict[str, Put]],
) -> dict[str, Put]:
    """Return the place of each head, so that no claim that is asked stands in a question that is trained on.

    Args:
        decide: returns the place of each head, given those that must not be drawn for test or reserved.
    """
    told: set[str] = set()
    trained = {key for key, put in placed.items() if put.split in TRAINED}
    while True:
        heads = decide(told)
        asked = {claim.id: claim for claim in claims if heads[claim.head].split in ASKED and claim.head not in told}
        sides = [(claim.id, ngrams_of(parts_of([side]))) for claim in asked.values() for side in (claim.factual, claim.non_factual)]
        holders = ((question.id, whole(question)) for question in read(trained))
        found = {asked[key].head for key, *_ in contained(sides, holders, least)} if sides else set()
        if not found:
            return heads
        told |= found
