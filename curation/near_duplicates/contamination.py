"""Questions and the questions of reference benchmarks -> contaminated and other questions. Pure."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Literal, NamedTuple

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from atomexam.records.params import NearDuplicates
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.records.rejected_record import Rejected
from atomexam.text.ngrams import jaccard, ngrams
from curation.near_duplicates.clusters import MIN_NGRAMS
from curation.near_duplicates.same_question import ComparedQuestion, compared_question, relation, stem_keys

_LEFT_OUT = frozenset({"identical", "near_duplicate", "overruled"})


class Contamination(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A question of the data and one of a reference that ask the same thing."""

    question_id: str
    reference: str
    """Source key of the reference."""
    reference_id: str
    similarity: float
    """Jaccard similarity of the two questions without their cases, rounded to six digits; 1.0 if they are equal."""
    kind: Literal["identical", "near"]
    conflict: bool
    """The two have different right options."""
    seen: Provenance
    """Where the reference contains the question."""


class MatchedPair(NamedTuple):
    """A question from one list and one from another that ask the same thing."""

    ours: int
    """Index in the first list."""
    theirs: int
    similarity: float
    identical: bool
    conflict: bool


class _ComparedForm(NamedTuple):
    """One of the forms of a question that are compared."""

    position: int
    compared: ComparedQuestion
    whole: bool
    """The case is part of the stem, as in a source with only one question per case."""


def matched_pairs(questions: Sequence[Question], references: Sequence[Question], params: NearDuplicates) -> list[MatchedPair]:
    """Return each pair of questions that ask the same thing by the rule for near-duplicates, in sorted order.

    A question with a case is also compared with questions of the other list whose stem includes the case.
    """
    ours, theirs = _by_text(questions, params), _by_text(references, params)
    pairs: dict[tuple[int, int], MatchedPair] = {}
    for left, right, similarity in _candidates(ours, theirs, params):
        for one, other in product(ours[left], theirs[right]):
            if not (one.whole and other.whole) and (kind := relation(one.compared, other.compared, params)):
                same = one.compared.text == other.compared.text and one.compared.case == other.compared.case
                hit = MatchedPair(one.position, other.position, round(similarity, 6), same, kind == "conflict")
                pairs[hit[:2]] = max(hit, pairs.get(hit[:2], hit))
    return [pairs[key] for key in sorted(pairs)]


def contaminations(questions: Sequence[Question], references: Sequence[Question], params: NearDuplicates) -> list[Contamination]:
    """Return the questions that also occur in references: sorted rows of question id, reference id and occurrence."""
    by_key: dict[tuple[str, str, Provenance], Contamination] = {}
    for hit in matched_pairs(questions, references, params) if references else ():
        ours, theirs = questions[hit.ours], references[hit.theirs]
        for origin in theirs.provenance:
            one = Contamination(
                question_id=ours.id,
                reference=origin.source,
                reference_id=theirs.id,
                similarity=hit.similarity,
                kind="identical" if hit.identical else "near",
                conflict=hit.conflict,
                seen=origin,
            )
            key = ours.id, theirs.id, origin
            by_key[key] = max(one, by_key.get(key, one), key=_nearness)  # for equal ids, keep the most similar
    return [by_key[key] for key in sorted(by_key)]


def _nearness(one: Contamination) -> tuple[float, bool, bool]:
    return one.similarity, one.kind == "identical", one.conflict


def matches_of_kept(matches: Iterable[Contamination], kept: Iterable[Question], rejected: Iterable[Rejected]) -> list[Contamination]:
    """Map the matches of rows to the question kept for each row; of equal matches, keep the most similar. Sorted.

    `rejected` are the rows dropped by near_duplicates, with the id of the kept question as their detail.
    """
    stands_for = {row.id: {row.id} for row in kept}
    for row in rejected:
        if row.reason in _LEFT_OUT and row.detail in stands_for:
            stands_for.setdefault(row.id, set()).add(row.detail)
    nearest: dict[tuple[str, str, Provenance], Contamination] = {}
    for one in sorted(matches, key=lambda one: (one.similarity, one.kind, one.conflict)):
        for kept_id in stands_for.get(one.question_id, ()):
            nearest[kept_id, one.reference_id, one.seen] = replace(one, question_id=kept_id)
    return [nearest[key] for key in sorted(nearest)]


def without_contaminated(kept: Iterable[Question], matches: Iterable[Contamination]) -> tuple[list[Question], list[Rejected]]:
    """Divide questions into those that no reference contains and the rejected ones, each with its most similar match."""
    nearest = {one.question_id: one for one in sorted(matches, key=lambda one: (one.similarity, one.reference, one.reference_id, one.seen))}
    free, dropped = [], []
    for row in kept:
        if row.id in nearest:
            dropped.append(_reject(row, nearest[row.id]))
        else:
            free.append(row)
    return free, dropped


def _reject(row: Question, one: Contamination) -> Rejected:
    detail = f"{one.reference}: {one.reference_id} at {one.seen.url} {one.seen.position}, similarity {one.similarity}"
    return Rejected(id=row.id, kind="question", reason="contaminated", detail=detail, record=msgspec.to_builtins(row))


def _by_text(questions: Iterable[Question], params: NearDuplicates) -> dict[str, list[_ComparedForm]]:
    """Return the forms of questions to compare, grouped by the text used for joining."""
    forms: dict[str, list[_ComparedForm]] = defaultdict(list)
    for index, question in enumerate(questions):
        for whole in [False, True] if question.shared_stem else [False]:
            question_form = replace(question, stem=f"{question.shared_stem}\n{question.stem}", shared_stem=None) if whole else question
            one = compared_question(question_form, params.ngram_chars)
            if one.stem:  # without a stem there is no question
                forms[one.text].append(_ComparedForm(index, one, whole))
    return forms


def _candidates(
    ours: Mapping[str, list[_ComparedForm]], theirs: Mapping[str, list[_ComparedForm]], params: NearDuplicates
) -> Iterable[tuple[str, str, float]]:
    """Yield the pairs of texts that are similar enough; short texts must have equal stems, since one word weighs too much in them."""
    from curation.near_duplicates.near_pairs import near_pairs_between  # numba takes a second to import

    least = params.ngram_chars + MIN_NGRAMS - 1
    holders: dict[int, set[str]] = defaultdict(set)
    for text, forms in theirs.items():
        for core in {core for form in forms for core in stem_keys(form.compared)}:
            holders[core].add(text)
    for text, forms in ours.items():
        for other in {other for form in forms for core in stem_keys(form.compared) for other in holders.get(core, ())}:
            yield text, other, 1.0 if text == other else jaccard(ngrams(text, params.ngram_chars), ngrams(other, params.ngram_chars))
    left, right = [text for text in ours if len(text) >= least], [text for text in theirs if len(text) >= least]
    pairs = near_pairs_between(left, right, params.ngram_chars, params.threshold)
    for one, other, similarity in zip(pairs.left.tolist(), pairs.right.tolist(), pairs.similarity.tolist(), strict=True):
        yield left[one], right[other], similarity
