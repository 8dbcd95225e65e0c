"""The ledger after a version: questions, heads and their allocations -> the next ledger. Pure."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeAlias

import numpy as np
from msgspec.structs import replace

from atomexam.records.blocks import Split as Params
from atomexam.records.question import Shot
from atomexam.text.ngram_index import ngram_hashes
from splits.ledger.assignments import HELD_BACK, Assignment, AssignmentLedger
from splits.ledger.prior_assignments import Allocation
from splits.ledger.units import QuestionSummary
from splits.split.questions import Questions
from splits.split.shots import slot_of

_NGRAM_CHARS = 3
_HASHES = 24  # misses one in a thousand edited texts that keep 0.8 of their n-grams
_SHARED = 0.5
_HEX_CHARS = 8
_BATCH = 20_000


def sketch(text: str) -> str:
    """Return the smallest hashes of a text's n-grams as hex digits; a text without n-grams has none."""
    return _digits(_hashes(text))


def sketched(texts: Iterable[tuple[str, str]]) -> Iterator[tuple[str, str]]:
    """Yield the name and the sketch of each text; many texts are hashed at once."""
    coming = iter(texts)
    while batch := [*islice(coming, _BATCH)]:
        hashes = _hashes("".join(text for _, text in batch))
        start = 0
        for name, text in batch:
            yield name, _digits(hashes[start : max(start, start + len(text) - _NGRAM_CHARS + 1)])
            start += len(text)


def _digits(hashes: np.ndarray) -> str:
    smallest = np.sort(hashes)
    smallest = smallest[np.flatnonzero(np.diff(smallest, prepend=~smallest[:1]))][:_HASHES]
    return smallest.astype(">u4").tobytes().hex()


def known_again(texts: Sequence[tuple[str, str]], sketches: Mapping[str, str]) -> dict[str, list[str]]:
    """Return text id -> sorted names of the sketches of which at least half is in the text."""
    owners: dict[int, list[str]] = defaultdict(list)
    sizes = {}
    for name, digits in sorted(sketches.items()):
        numbers = [int(digits[i : i + _HEX_CHARS], 16) for i in range(0, len(digits), _HEX_CHARS)]
        sizes[name] = len(numbers)
        for number in numbers:
            owners[number].append(name)
    if not owners:
        return {}
    wanted = np.array(sorted(owners), dtype=np.uint32)
    near_sketches = {}
    for start in range(0, len(texts), _BATCH):
        for key, hashes in _hits(texts[start : start + _BATCH], wanted):
            shared = Counter(name for number in set(hashes) for name in owners[number])
            if near := sorted(name for name, number in shared.items() if number >= _SHARED * sizes[name]):
                near_sketches[key] = near
    return near_sketches


def _hits(texts: Sequence[tuple[str, str]], wanted: np.ndarray) -> Iterable[tuple[str, list[int]]]:
    """Yield each text that contains wanted hashes, with those hashes; all texts are hashed at once."""
    # N-grams across the end of a text and the start of the next are excluded by the end positions.
    hashes = _hashes("".join(text for _, text in texts))
    ends = np.cumsum([len(text) for _, text in texts])
    positions = np.flatnonzero(np.isin(hashes, wanted))
    text_indices = np.searchsorted(ends, positions, side="right")
    inside = positions + _NGRAM_CHARS <= ends[text_indices]
    hits: dict[int, list[int]] = defaultdict(list)
    for text_index, number in zip(text_indices[inside].tolist(), hashes[positions[inside]].tolist(), strict=True):
        hits[text_index].append(number)
    for text_index, numbers in hits.items():
        yield texts[text_index][0], numbers


def _hashes(text: str) -> np.ndarray:
    """Return a 32-bit hash of the n-gram at each position, the same on every machine."""
    return (ngram_hashes(text, _NGRAM_CHARS) >> np.uint64(32)).astype(np.uint32)


Names: TypeAlias = tuple[str, ...]


def edited_of(questions: Questions, ledger: AssignmentLedger) -> dict[str, list[str]]:
    """Map questions to the held-back questions that are no longer in the data but whose text they mostly contain.

    Only new questions and those that represent a new one are compared, since only these may be a new wording.
    """
    gone = {one.id: one.sketch for one in ledger.assigned.values() if one.sketch}
    for summary in questions.summaries:
        gone.pop(summary.id, None)
    if not gone:
        return {}
    prior, represented = ledger.assigned, ledger.represented
    new = [summary.id for summary in questions.summaries
           if summary.id not in prior or any(key not in prior and key not in represented for key in summary.also)]  # fmt: skip
    return known_again(list(questions.texts(new)), gone)


def updated_ledger(
    ledger: AssignmentLedger,
    questions: Questions,
    allocations: Mapping[str, Allocation],
    heads: Mapping[str, Allocation],
    params: Params,
    shots: Iterable[Shot] = (),
) -> AssignmentLedger:
    """Return the ledger after a version. Records that left the data stay in the ledger unchanged; if there are no new records, the ledger
    is unchanged."""
    version = ledger.next_version(params, [*(summary.id for summary in questions.summaries), *heads])
    before = ledger.assigned
    held_back = [
        key for key, allocation in allocations.items() if allocation.split in HELD_BACK and not (key in before and before[key].sketch)
    ]
    sketches = dict(sketched(questions.texts(held_back)))
    updated = AssignmentLedger()
    # Keep the sorted order of the input: the ids are sorted again later, and sorting a million in random order takes seconds.
    updated.assigned = before | {
        summary.id: _next_assignment(
            summary.id,
            allocations[summary.id],
            version.name,
            before.get(summary.id),
            summary.also,
            _ties(summary),
            sketches.get(summary.id, ""),
        )
        for summary in questions.summaries
    }
    updated.assigned |= {key: _next_assignment(key, allocation, version.name, before.get(key)) for key, allocation in heads.items()}
    updated.shots = ledger.shots | {slot_of(shot): (shot.question_id,) for shot in shots}
    updated.versions = dict(ledger.versions)
    if updated.assigned != before or not ledger.same_settings(params):
        updated.versions[version.name] = version
    return updated


def _next_assignment(
    key: str, allocation: Allocation, version: str, before: Assignment | None, also: Names = (), ties: Names = (), sketch: str = ""
) -> Assignment:
    """Return the assignment of a record, with all its past and present names; return `before` itself if nothing is new."""
    if before is None:
        return Assignment(
            id=key, split=allocation.split, since=version, why=allocation.why, was=allocation.was, also=also, ties=ties, sketch=sketch
        )
    also, ties, sketch = _merged_names(also, before.also), _merged_names(ties, before.ties), before.sketch or sketch
    if (before.split, before.was) != (allocation.split, allocation.was):
        return Assignment(
            id=key, split=allocation.split, since=version, why=allocation.why, was=allocation.was, also=also, ties=ties, sketch=sketch
        )
    if also is before.also and ties is before.ties and sketch is before.sketch:
        return before
    return replace(before, also=also, ties=ties, sketch=sketch)


def _ties(summary: QuestionSummary) -> Names:
    if not (summary.stem_options_id or summary.group_id):  # most questions
        return (summary.stem_id,) if summary.stem_id else ()
    return tuple([tie for tie in (summary.stem_options_id, summary.group_id, summary.stem_id) if tie])


def _merged_names(names: Names, before: Names) -> Names:
    """Return new and old names together; return `before` itself if it already contains them all."""
    return before if names == before or set(names) <= set(before) else tuple(sorted({*names, *before}))
