"""What a published rule set is: where it is from, how it reads a reply, and the figures it gives."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from statistics import fmean

from msgspec import Struct

from atomexam.records.prediction import Prediction
from eval.tasks.request import Request

_PHRASE = re.compile(r"(?:答案|正确选项)(?:是|：|为|应该是|应该为)(.*?)(?:。|\.|$)", re.DOTALL)


def letters_after_phrase(reply: str, letters: str) -> str:
    """Return the letters in the text after the first such phrase, or of the whole reply where there is none, as they stand."""
    phrase = _PHRASE.search(reply)
    return "".join(character for character in (phrase[1] if phrase else reply) if character in letters)


Read = Callable[[str, Mapping[str, str], str], str | None]
"""Reply as it came, options by letter, kind of question in; the decision as the released code writes it, None where it has none, out.

The kind is `claim`, `mcqa`, `mrqa`, or for TCMBench a form: `a1`, `a2`, `a3`, `b1`.
"""
ERROR = "error"
"""The decision where the released code breaks off with an exception."""


class RuleSet(Struct, frozen=True, kw_only=True):
    """One rule set; a new one is one file in `eval/answers/published` and one entry in `eval.answers.published.RULE_SETS`."""

    source: str
    """Repository, commit and function that it does as."""
    kinds: frozenset[str]
    """Kinds of questions that it reads."""
    read: Read
    figures: Callable[[Iterable[Prediction], Sequence[Request]], dict]
    """Replies of all repeats and what they reply to in, the figures as the released code counts them out; the replies are read once."""


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


def choice_figures(read: Read, of_the_read: bool = False) -> Callable[[Iterable[Prediction], Sequence[Request]], dict]:
    """Return the figures of a rule set for choices: a decision is right when it is the very string of the answer.

    Args:
        of_the_read: give the figures among the replies that have a decision, too, where the released code drops the others.
    """

    def figures(predictions: Iterable[Prediction], requests: Sequence[Request]) -> dict:
        requests_by_id = {request.item_id: request for request in requests if request.answer and request.question_type in ("mcqa", "mrqa")}
        rows = ((requests_by_id[row.item_id], row.reply) for row in predictions if row.item_id in requests_by_id)
        decided = [(request, decision_on(read, reply, request)) for request, reply in rows]  # no reply is held
        right = sum(decision == request.answer for request, decision in decided)
        parsed = [(request, decision == request.answer) for request, decision in decided if decision not in (None, ERROR)]
        errors = sum(decision == ERROR for _, decision in decided)
        among = {"accuracy_of_the_read": share(right, len(parsed)), **leaderboard(parsed)} if of_the_read else {}
        return {"following_rate": share(len(parsed), len(decided)), "accuracy": share(right, len(decided)), **among, "errors": errors}

    return figures


def leaderboard(read: Iterable[tuple[Request, bool]]) -> dict[str, float]:
    """Return what CPsyExam's leaderboard shows (evaluations/evaluate_submission.py at 73daf637), of decisions that are right or not.

    The mean of the subjects' accuracies, each among its questions with a decision, and of single and multiple choices the mean, however
    many questions they are: not the paper's Avg. A kind without a subject counts as 0.
    """
    marks: dict[str, dict[str, list[bool]]] = {"mcqa": {}, "mrqa": {}}
    for request, right in read:
        marks[request.question_type].setdefault(request.facets.get("subject", ""), []).append(right)
    kinds = {kind: fmean(map(fmean, subjects.values())) if subjects else 0.0 for kind, subjects in marks.items()}
    return {f"leaderboard_{name}": round(value, 4) for name, value in (kinds | {"avg": fmean(kinds.values())}).items()}


def decision_on(read: Read, reply: str, request: Request) -> str | None:
    """Return a rule set's decision on a reply to a request."""
    kind = request.facets.get("form", "a1") if request.reader == "tcm" else request.question_type
    return read(reply, {option.letter: option.text for option in request.options}, kind)
