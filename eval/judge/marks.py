"""Marks for essay answers: build the request to a judge, in both orders of the two answers (CPsyExam, Figure 6), and parse its reply.

A mark is a number from 0 to 100, optionally after 分数：, in a reply that contains nothing else except reasoning: 分数：“85”。 or 85 or
85.5. After 分数：, 八十五 and 85/100 are also parsed as 85. A reply with any other word has no mark, because the judge may be quoting the
answer, repeating its prompt, or following an instruction in a text.
"""

import re
from pathlib import Path

from atomexam.records.prediction import FinishReason
from atomexam.records.provenance import content_id
from atomexam.records.question import Question
from atomexam.text.numerals import value_of
from eval.answers.reply_text import folded, split_reasoning
from eval.tasks.prompt import quoted
from eval.tasks.request import Request, facets_of

_OPEN, _CLOSE = r"[\s\"“‘'「『({\[【<《]*+", r"[\s\"”’'」』)}\]】>》]*+"
_DIGITS, _NUMERALS = r"(?P<digits>\d{1,3}(?:\.\d{1,4})?+)", r"(?P<words>[零〇一二三四五六七八九十百]{1,5})"
_END = rf"{_CLOSE}(?:分{_CLOSE})?(?:/ ?100(?:分{_CLOSE})?)?[。.!]?{_CLOSE}"
_IN_FORMAT = re.compile(rf"{_OPEN}分数\s*+:{_OPEN}(?:{_DIGITS}|{_NUMERALS}){_END}")
_BARE_MARK = re.compile(rf"{_OPEN}{_DIGITS}{_END}")
_MAY_GO_ON = re.compile(r"[\d.零〇一二三四五六七八九十百]$")  # a number whose end may be cut off
_MAX_MARK = 100
_FIRST_NUMBER = re.compile(r"\b(100|[1-9]?[0-9])\b")
ORDERS = {"standard_first": "", "given_first": "_exchanged"}
"""Maps each order of the two answers to a suffix of the prompt's name."""

# In the published prompt both texts are between “ and ”; without these characters they cannot close the quotation.
_QUOTES = str.maketrans({"“": "‘", "”": "’"})
_PROMPTS = Path(__file__).parent / "prompts"
_QUESTION_TYPE = "主观"  # the published code's name for questions answered in words


def mark_request(question: Question, reply_answer: str, order: str, prompt: str = "judge") -> Request:
    """Return the request for one mark. Its id depends on question and answer, so equal answers are judged once.

    Raises:
        ValueError: the question has no reference answer.
    """
    if not question.answer:
        raise ValueError(f"question {question.id} has no reference answer to mark replies against")
    texts = {"subject": question.subject, "answer": question.answer, "llm_answer": reply_answer}
    texts = {name: text.translate(_QUOTES) for name, text in texts.items()}
    return Request(
        item_id=f"{answer_id(question.id, reply_answer)}/{order}",
        messages=[{"role": "user", "content": quoted(_PROMPTS / f"{prompt}{ORDERS[order]}.txt", texts, question_type=_QUESTION_TYPE)}],
        question_type="mark",
        options=[],
        answer=None,
        answer_format="分数：“{answer}”",
        solution=None,
        pool="judge",
        related_ids=frozenset(),
        reader="qa",
        unit=question.id,
        facets=facets_of(question),
        compared=(texts["answer"], texts["llm_answer"]),
    )


def answer_id(question_id: str, answer: str) -> str:
    """Return the id that identifies an answer to a question."""
    return content_id("given", question_id, answer)


def read_mark(reply: str, finish_reason: FinishReason = "stop") -> float | None:
    """Return the mark, or None if the reply is not exactly in the requested format."""
    text = folded(split_reasoning(reply)[0]).strip()
    if finish_reason == "error" or (finish_reason == "length" and _MAY_GO_ON.search(text)):
        return None
    match = _IN_FORMAT.fullmatch(text) or _BARE_MARK.fullmatch(text)
    value = _value(match) if match else None
    return value if value is not None and value <= _MAX_MARK else None


def read_first_number(reply: str) -> float | None:
    """Return the number that CPsyExam's published code extracts (evaluations/evaluate_qa.py); the published code raises an exception where
    this returns None.

    It takes the first number without an adjacent letter, digit or Chinese character: `分数：85分` contains no such number, `85.5` gives 85.
    """
    match = _FIRST_NUMBER.search(reply)
    return float(match[0]) if match else None


PUBLISHED = {"cpsyexam_v1": read_first_number}
"""Maps a name to a published parser of marks."""


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        return float(match["digits"])
    value = value_of(match["words"])
    return None if value is None else float(value)
