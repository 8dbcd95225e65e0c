"""A question's standard answer and an answer given -> what a judge is asked, in both orders (CPsyExam, Figure 6)."""

from atomexam.records.identity import content_id
from atomexam.records.question import Question
from eval.prompt import read_prompt
from eval.tasks.request import Request, facets_of

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
