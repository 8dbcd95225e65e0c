"""The mark of an answer in words: what a judge is asked, in both orders of the answers (CPsyExam, Figure 6), and the mark its reply gives.

A mark is one number from 0 to 100, in the asked place: 分数：“85”. Where 分数 stands with a colon and no number, or with two different
numbers, no mark is read: the judge repeats its prompt or the answer, or contradicts itself. Without such a place, 得分 or 评分, then
给85分, then a reply that is nothing but a number are read, each only if all they say is one number. What names the scale (满分100分,
/100, 0到100) is no mark. 85.5 is one; 八十五 after a colon is 85; 120, -5, 85-90 and 85% are none. Of an answer that itself says
分数：100 the mark must open the judge's reply, since what stands later may be quoted.
"""

import re

from atomexam.records.identity import content_id
from atomexam.records.prediction import FinishReason
from atomexam.records.question import Question
from atomexam.text.numerals import value_of
from eval.answers.reply_text import folded, split_reasoning
from eval.tasks.prompt import read_prompt
from eval.tasks.request import Request, facets_of

_SCALE = re.compile(
    r"(?:满分|总分)\s*(?:[:是为])?\s*100\s*分?|(?<=\d)\s*分?\s*[\"”’']?\s*/\s*(?:满分)?\s*100(?!\d)|100\s*分制"
    r"|(?<![\d.])0\s*分?\s*(?:到|至|-|~|—|–)\s*100(?![\d.])\s*分?"
)
_BLANKS = re.compile(r" {2,}")  # a long run of them would be tried at every length
_OPEN, _CLOSE = r"[\s\"“‘'「『({\[【<《]*", r"[\s\"”’'」』)}\]】>》]*"
_DIGITS = r"(?P<digits>[-−]?\d+(?:\.\d+)?)(?![\d.]*\d|\s*%)"
_WORDS = r"(?P<words>[零〇一二三四五六七八九十百]+)(?![分]?之)"
_NO_SECOND = rf"(?!\s*分?{_CLOSE}(?:[-~—–+*/、,或到至]|or)\s*{_OPEN}\d)"
_ASKED = re.compile(rf"分数\s*(?P<sign>[:为是])\s*{_OPEN}(?:(?:{_DIGITS}|{_WORDS}){_NO_SECOND})?", re.IGNORECASE)
_ALSO = re.compile(rf"(?:得分|评分|打分|\bscore)\s*(?:[:为是]|is)\s*{_OPEN}{_DIGITS}{_NO_SECOND}", re.IGNORECASE)
_GIVEN = re.compile(rf"(?:给|给出|给予|打|打出|得|得到|评|评为|评定为|计|记|判)(?:了|为)?\s*{_OPEN}{_DIGITS}{_CLOSE}分{_NO_SECOND}")
_ALONE = re.compile(rf"^{_OPEN}{_DIGITS}(?:{_CLOSE}分)?{_CLOSE}[。.!]?$")
_MAY_GO_ON = re.compile(r"[\d.零〇一二三四五六七八九十百]$")  # a number whose end may be cut off
_MOST = 100
_FIRST_NUMBER = re.compile(r"\b(100|[1-9]?[0-9])\b")
ORDERS = {"standard_first": "judge", "given_first": "judge_exchanged"}
"""Order of the two answers -> name of the prompt."""

# Both texts stand between “ and ”; without these signs of their own they cannot end their quotation and speak as the prompt.
_QUOTES = str.maketrans({"“": "‘", "”": "’"})
_QUESTION_TYPE = "主观"  # what the published code calls questions answered in words


def mark_request(question: Question, given: str, order: str) -> Request:
    """Return the request for one mark. Its id hangs on question and answer, so that the same answer is judged once, whoever gave it.

    Raises:
        ValueError: the question has no standard answer.
    """
    if not question.answer:
        raise ValueError(f"question {question.id} has no standard answer to mark by")
    texts = {"subject": question.subject, "question_type": _QUESTION_TYPE, "answer": question.answer, "llm_answer": given}
    quoted = {name: text.translate(_QUOTES) for name, text in texts.items()}
    return Request(
        item_id=f"{answer_id(question.id, given)}/{order}",
        messages=[{"role": "user", "content": read_prompt(ORDERS[order]).format(**quoted)}],
        question_type="mark",
        options=[],
        answer=None,
        answer_format="分数：“{answer}”",
        solution=None,
        pool="judge",
        kin=frozenset(),
        reader="qa",
        unit=question.group_id or question.id,
        facets=facets_of(question),
        compared=(quoted["answer"], quoted["llm_answer"]),
    )


def answer_id(question_id: str, given: str) -> str:
    """Return the id of an answer given to a question."""
    return content_id("given", question_id, given)


def read_mark(reply: str, finish_reason: FinishReason = "stop", given: str = "") -> float | None:
    """Return the mark, or None where the reply gives none, or not surely one.

    Args:
        given: the answer that was judged.
    """
    text = _BLANKS.sub(" ", _SCALE.sub(" ", folded(split_reasoning(reply)[0]))).strip()
    if finish_reason == "error" or (finish_reason == "length" and _MAY_GO_ON.search(text)):
        return None
    if _ASKED.search(folded(given)) and not (_ASKED.match(text) or _ALONE.match(text)):
        return None
    places = [match for match in _ASKED.finditer(text) if match["sign"] == ":" or match["digits"]]
    if places:
        return _one({_value(match) for match in places})
    for pattern in (_ALSO, _GIVEN, _ALONE):
        if found := {_value(match) for match in pattern.finditer(text)}:
            return _one(found)
    return None


def read_first_number(reply: str) -> float | None:
    """Return what CPsyExam's published code reads (evaluations/evaluate_qa.py), which breaks off where this is None.

    It takes the first number that no letter, digit or Chinese character touches: `分数：85分` is none, `85.5` is 85.
    """
    match = _FIRST_NUMBER.search(reply)
    return float(match[0]) if match else None


PUBLISHED = {"cpsyexam_v1": read_first_number}
"""Published readings of a mark, by name."""


def _value(match: re.Match[str]) -> float | None:
    if match["digits"]:
        return float(match["digits"].replace("−", "-"))
    words = match.groupdict().get("words")
    value = value_of(words) if words else None
    return None if value is None else float(value)


def _one(values: set[float | None]) -> float | None:
    """Return the one value that is a mark."""
    if len(values) > 1 or None in values:
        return None
    value = values.pop()
    return value if 0 <= value <= _MOST else None  # type: ignore[operator]
