"""The interface of a published rule set: its source, its parser of replies, and its figures."""

import re
from collections.abc import Callable, Mapping
from statistics import fmean
from typing import Protocol

from msgspec import Struct

from atomexam.records.prediction import Prediction
from eval.tasks.request import Request

_PHRASE = re.compile(r"(?:答案|正确选项)(?:是|：|为|应该是|应该为)(.*?)(?:。|\.|$)", re.DOTALL)


def letters_after_phrase(reply: str, letters: str) -> str:
    """Return the letters in the text after the first such phrase, or in the complete reply if there is none, in order."""
    phrase = _PHRASE.search(reply)
    return "".join(character for character in (phrase[1] if phrase else reply) if character in letters)


Read = Callable[[str, Mapping[str, str], str], str | None]
"""Raw reply, options by letter, kind of question in; the decision as the released code writes it, or None, out.

The kind is `claim`, `mcqa`, `mrqa`, or for TCMBench a form: `a1`, `a2`, `a3`, `b1`.
"""
ERROR = "error"
"""The decision if the released code stops with an exception."""


class Count(Protocol):
    """Counts of a run's replies as the released code makes them; no reply stays in memory."""

    def add(self, reply: Prediction, request: Request) -> None:
        """Add a reply, of any repeat, and its request."""

    def figures(self) -> dict:
        """Return the figures of all added replies."""
        ...


class RuleSet(Struct, frozen=True, kw_only=True):
    """One rule set; a new one is one file in `eval/answers/published` and one entry in `eval.answers.published.RULE_SETS`."""

    source: str
    """Repository, commit and function that it reproduces."""
    kinds: frozenset[str]
    """Kinds of questions that it supports."""
    read: Read
    count: Callable[[], Count]
    """Starts to count a run."""


def share(part: int, whole: int) -> float | None:
    return round(part / whole, 4) if whole else None


class ChoiceCount:
    """Counts choices by a rule set: a decision is right if it equals the answer as a string."""

    def __init__(self, read: Read, of_the_read: bool = False) -> None:
        """Start empty.

        Args:
            of_the_read: also give the figures among the replies with a decision, because the released code drops the others.
        """
        self._read, self._of_the_read = read, of_the_read
        self._replies = self._errors = 0
        self._subjects: dict[str, dict[str, list[int]]] = {"mcqa": {}, "mrqa": {}}
        """By question type and subject: number of replies with a decision, and how many of these are right."""

    def add(self, reply: Prediction, request: Request) -> None:
        """Count a reply to a choice question with a known answer."""
        if not request.answer or request.question_type not in self._subjects:
            return
        decision = decision_on(self._read, reply.reply, request)
        self._replies += 1
        self._errors += decision == ERROR
        if decision not in (None, ERROR):
            subject = self._subjects[request.question_type].setdefault(request.facets.get("subject", ""), [0, 0])
            subject[0] += 1
            subject[1] += decision == request.answer

    def figures(self) -> dict:
        """Return the figures."""
        decided, right = (sum(counts[index] for of in self._subjects.values() for counts in of.values()) for index in (0, 1))
        among = {"accuracy_of_the_read": share(right, decided), **self._leaderboard()} if self._of_the_read else {}
        return {"following_rate": share(decided, self._replies), "accuracy": share(right, self._replies), **among, "errors": self._errors}

    def _leaderboard(self) -> dict[str, float]:
        """Return the score of CPsyExam's leaderboard (evaluations/evaluate_submission.py at 73daf637).

        The mean of the subjects' accuracies, each among its questions with a decision, and of single and multiple choices the mean,
        whatever
        their numbers: not the paper's Avg. A kind without a subject counts as 0.
        """
        kinds = {
            kind: fmean(right / decided for decided, right in subjects.values()) if subjects else 0.0
            for kind, subjects in self._subjects.items()
        }
        return {f"leaderboard_{name}": round(value, 4) for name, value in (kinds | {"avg": fmean(kinds.values())}).items()}


def decision_on(read: Read, reply: str, request: Request) -> str | None:
    """Return a rule set's decision on a reply to a request."""
    kind = request.facets.get("form", "a1") if request.reader == "tcm" else request.question_type
    return read(reply, {option.letter: option.text for option in request.options}, kind)
