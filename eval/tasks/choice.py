"""Task `choice`: single and multiple choice under CPsyExam's role prompt (Appendix B); TCM questions have a task of their own."""

from collections.abc import Iterable

from eval.metrics import choice_figures
from eval.prompt import read_prompt
from eval.tasks.contract import Task
from eval.tasks.request import Request, facets_of, kin_of, options_text
from records.claim import ClaimPair
from records.question import Question

_TYPE_NAMES = {"mcqa": "单选", "mrqa": "多选"}


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair], prompt: str) -> list[Request]:
    """Return one request a question, sorted by item id."""
    del claims
    asked = [_request(question, prompt) for question in questions if question.question_type in _TYPE_NAMES and question.exam != "TCM"]
    return sorted(asked, key=lambda request: request.item_id)


def _request(question: Question, prompt: str) -> Request:
    system = read_prompt(prompt).format(subject=question.subject, question_type=_TYPE_NAMES[question.question_type])
    parts = [question.shared_stem, question.stem, options_text(question.options, ". ")]
    return Request(
        item_id=question.id,
        messages=[{"role": "system", "content": system}, {"role": "user", "content": "\n".join(part for part in parts if part)}],
        question_type=question.question_type,
        options=question.options,
        answer=question.answer,
        answer_format="答案：{answer}",
        solution=f"答案：{question.answer}" if question.answer else None,
        pool=f"{question.exam}/{question.subject}/{question.question_type}",
        kin=kin_of(question),
        reader=question.question_type,
        unit=question.group_id or question.id,
        facets=facets_of(question),
    )


TASK = Task(
    about="Single and multiple choice under CPsyExam's role prompt.",
    prompts=("choice",),
    requests=requests,
    figures=choice_figures,
    published=("cpsyexam_v1", "cmb_v1"),
)
