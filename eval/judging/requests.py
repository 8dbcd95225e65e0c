"""A question's standard answer and an answer given -> what a judge is asked, in both orders (CPsyExam, Figure 6)."""

import re

from eval.prompt import read_prompt
from eval.tasks.request import Request, facets_of
from records.identity import content_id
from records.question import Question

ORDERS = {"standard_first": "judge", "given_first": "judge_exchanged"}
"""Order of the two answers -> name of the prompt."""

# Both texts stand between “ and ”; without these signs of their own they cannot end their quotation and speak as the prompt.
_QUOTES = str.maketrans({"“": "‘", "”": "’"})
_STANDARD = re.compile("标准答案：“([^“”]*)”")
_GIVEN = re.compile("此答案：“([^“”]*)”")
_QUESTION_TYPE = "主观"  # what the published code calls questions answered in words


def mark_request(question: Question, given: str, order: str) -> Request:
    """Return the request for one mark. Its id hangs on question and answer, so that the same answer is judged once, whoever gave it.

    Raises:
        ValueError: the question has no standard answer.
    """
    if not question.answer:
        raise ValueError(f"question {question.id} has no standard answer to mark by")
    texts = {"subject": question.subject, "question_type": _QUESTION_TYPE, "answer": question.answer, "llm_answer": given}
    prompt = read_prompt(ORDERS[order]).format(**{name: text.translate(_QUOTES) for name, text in texts.items()})
    return Request(
        item_id=f"{answer_id(question.id, given)}/{order}",
        messages=[{"role": "user", "content": prompt}],
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
    )


def answer_id(question_id: str, given: str) -> str:
    """Return the id of an answer given to a question."""
    return content_id("given", question_id, given)


def read_texts(prompt: str) -> tuple[str, str]:
    """Return the standard answer and the answer given as they stand in a judge's prompt.

    Raises:
        ValueError: the prompt is no judge's.
    """
    found = [pattern.search(prompt) for pattern in (_STANDARD, _GIVEN)]
    if None in found:
        raise ValueError(f"no standard answer and answer given between “ and ” in the prompt {prompt[:60]!r}")
    standard, given = (match[1] for match in found if match)
    return standard, given
