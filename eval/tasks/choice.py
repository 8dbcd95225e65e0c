"""Task `choice`: single-choice and multiple-choice questions with CPsyExam's prompts; TCM questions have a task of their own."""

from collections.abc import Iterable
from typing import Literal

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question, prompt_for
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request, facets_of, options_text, related_ids_of

_TYPE_NAMES: dict[str, dict[str, str]] = {
    "choice": {"mcqa": "单选", "mrqa": "多选"},
    "choice_short": {"mcqa": "单项选择题", "mrqa": "多项选择题"},
}
_ANSWER = "答案："


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return one request per question, sorted by item id."""
    del claims
    built = [
        _request(question, question.question_type, prompt)
        for question in questions
        if (question.question_type == "mcqa" or question.question_type == "mrqa") and question.exam != "TCM"
    ]
    return sorted(built, key=lambda request: request.item_id)


def _request(question: Question, kind: Literal["mcqa", "mrqa"], prompt: str) -> Request:
    parts = [question.shared_stem, question.stem, options_text(question.options, ". ")]
    text = "\n".join(part for part in parts if part)
    short = prompt == "choice_short"  # the prompt ends where the answer begins, so the reply consists of letters only
    wording = prompt if short else prompt_for(question, prompt)
    system = task_prompt(wording).format(subject=question.subject, question_type=_TYPE_NAMES[prompt][kind])
    answer_format = "{answer}" if short else _ANSWER + "{answer}"
    return Request(
        item_id=question.id,
        messages=[{"role": "system", "content": system}, {"role": "user", "content": f"{text}\n{_ANSWER}" if short else text}],
        question_type=kind,
        options=question.options,
        answer=question.answer,
        answer_format=answer_format,
        solution=answer_format.format(answer=question.answer) if question.answer else None,
        pool=f"{question.exam}/{question.subject}/{question.question_type}",
        related_ids=related_ids_of(question),
        reader=kind,
        unit=question.group_id or question.id,
        facets=facets_of(question),
        folds_system=short,
    )


TASK = Task(
    about="Single and multiple choice (CPsyExam).",
    prompts=("choice", "choice_short"),
    requests=requests,
    published=("cpsyexam_v1", "cpsyexam_api_v1", "cmb_v1"),
)
