"""Parsers by task: return the outcome of a reply, its answer, and the answer of the complete reply."""

from collections.abc import Callable, Mapping
from typing import NamedTuple

from atomexam.records.checks import one_of
from atomexam.records.prediction import FinishReason, Outcome
from eval.answers.blank import read_blank
from eval.answers.choice import complete_in_cut, read_several, read_single, read_tcm
from eval.answers.claim import read_claim
from eval.answers.committed import read_committed_choice, read_committed_claim
from eval.answers.reply_text import split_reasoning

Options = Mapping[str, str]
READERS: dict[str, Callable[[str, Options], str | None]] = {
    "claim": lambda reply, options: read_claim(reply),
    "mcqa": read_single,
    "mrqa": read_several,
    "tcm": read_tcm,
    "qa": lambda reply, options: reply.strip() or None,
    "blank": lambda reply, options: read_blank(reply),
}
"""Parsers for claims, single choice, multiple choice, TCMBench's format, free answers (the reply itself) and blanks."""
COMMITTED_READERS: dict[str, Callable[[str, Options, str | None], str | None]] = {
    "claim": lambda reply, options, answer: read_committed_claim(reply, answer),
    "mcqa": lambda reply, options, answer: read_committed_choice(reply, options, False, answer),
    "mrqa": lambda reply, options, answer: read_committed_choice(reply, options, True, answer),
    "tcm": lambda reply, options, answer: read_committed_choice(reply, options, False, answer),
    "qa": lambda reply, options, answer: answer,
    "blank": lambda reply, options, answer: read_blank(reply, last=True),
}
"""Parsers for the answer that the complete reply commits to, including its reasons."""


class ParsedReply(NamedTuple):
    """The outcome and answers of a reply."""

    outcome: Outcome
    answer: str | None
    """The strictly parsed answer; None unless the outcome is `answered`."""
    committed: str | None
    """The answer that the complete reply commits to: a final conclusion overrides earlier answers."""


def read_reply(task: str, reply: str, options: Options, finish_reason: FinishReason = "stop") -> ParsedReply:
    """Return the outcome of a reply, its answer, and the answer of the complete reply.

    A reply is truncated if its reasoning never ends or if it was cut off before giving an answer. An answer completed before the cut
    counts.
    """
    read = READERS.get(task) or READERS[one_of(task, READERS, "task", "answers")]
    if finish_reason == "error":
        return ParsedReply("failed", None, None)
    text, cut = split_reasoning(reply)
    answer = read(text, options)
    if finish_reason == "length" and task == "blank" and read(f"{text}甲", options) != answer:  # cut within the words
        return ParsedReply("truncated", None, None)
    if finish_reason == "length" and options and not complete_in_cut(text, options, task == "mrqa"):
        return ParsedReply("truncated", None, None)
    outcome: Outcome = "answered" if answer is not None else "truncated" if cut or finish_reason == "length" else "unparsed"
    return ParsedReply(outcome, answer, COMMITTED_READERS[task](text, options, answer))
