"""Leaks by text: splits and references -> the questions and claims that another record contains or rewords."""

from collections.abc import Sequence

from atomexam.records.leak import Leak
from atomexam.records.question import Question
from atomexam.text.ngrams import least_shared
from splits.leaks.checks import Splits
from splits.ledger.units import EVALUATION_SPLITS, SPLITS, TRAINING_SPLITS
from splits.text_overlap.containment import contained, is_short, ngrams_of, parts_of
from splits.text_overlap.rewording import all_parts, question_grams, reworded, wordings_of


def reworded_leaks(splits: Splits) -> list[Leak]:
    """Return the questions of test and reserved that train or dev rewords, with the same right answer."""
    split_of: dict[str, str] = {}
    wordings = []
    for split, question in splits.questions(*EVALUATION_SPLITS):
        split_of[question.id] = split
        wordings += wordings_of([question])
    leaks = []
    for split in TRAINING_SPLITS:
        training_questions = (question for _, question in splits.questions(split))
        leaks += [
            Leak(check="reworded", split=split_of[one.id], id=one.id, other_split=split, other_id=one.other_id, share=one.share)
            for one in reworded(wordings, training_questions)
        ]
    return leaks


def containment_leaks(splits: Splits, least: float) -> list[Leak]:
    """Return the questions and claims of test and reserved that a question of train or dev contains; for a claim pair, either sentence."""
    origin_of: dict[str, tuple[str, str]] = {}
    evaluated = []
    for split, question in splits.questions(*EVALUATION_SPLITS):
        if grams := question_grams(question):
            origin_of[question.id] = ("contained", split)
            evaluated.append((question.id, grams))
    for split, pair in splits.claims(*EVALUATION_SPLITS):
        origin_of[pair.id] = ("claim", split)
        evaluated += [(pair.id, ngrams_of(parts_of([side]))) for side in (pair.factual, pair.non_factual)]
    leaks = {}
    for split in TRAINING_SPLITS:
        holders = ((question.id, all_parts(question)) for _, question in splits.questions(split))
        for key, other, share in contained(evaluated, holders, least):  # if both sentences are in one text, the larger share comes last
            check, split_of_id = origin_of[key]
            leaks[key, other] = Leak(check=check, split=split_of_id, id=key, other_split=split, other_id=other, share=share)
    return list(leaks.values())


def reference_leaks(splits: Splits, references: Sequence[Question], least: float) -> list[Leak]:
    """Return the questions that a reference contains, alone or within a text."""
    reference_parts = [(f"reference {question.id}", all_parts(question)) for question in references]
    sources = {question.id: question.provenance[0].source if question.provenance else "reference" for question in references}
    reference_grams = frozenset().union(*(ngrams_of(parts) for _, parts in reference_parts))
    split_of: dict[str, str] = {}
    evaluated = []
    for split, question in splits.questions(*SPLITS if references else ()):
        grams = question_grams(question)
        # N-grams that all references together lack are in none of them; short parts are checked later.
        if grams and sum(gram in reference_grams or is_short(gram) for gram in grams) >= least_shared(len(grams), least):
            split_of[question.id] = split
            evaluated.append((question.id, grams))
    pairs = [one._replace(holder_id=one.holder_id.removeprefix("reference ")) for one in contained(evaluated, reference_parts, least)]
    return [
        Leak(check="reference", split=split_of[key], id=key, other_split=sources[other], other_id=other, share=share)
        for key, other, share in pairs
    ]
