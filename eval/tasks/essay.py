"""Task `essay`: questions answered in the model's own words, with CPsyExam's prompts; the stage `judge` marks the answers."""

from collections.abc import Iterable

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question, prompt_for
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request, facets_of, related_ids_of


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return one request per question of type `qa`, sorted by item id."""
    del claims
    built = [_request(question, prompt) for question in questions if question.question_type == "qa"]
    return sorted(built, key=lambda request: request.item_id)


def _request(question: Question, prompt: str) -> Request:
    text = "\n".join(part for part in (question.shared_stem, question.stem) if part)
    content = task_prompt(prompt_for(question, prompt)).format(subject=question.subject, question=text)
    return Request(
        item_id=question.id,
        messages=[{"role": "user", "content": content}],
        question_type="qa",
        options=[],
        answer=question.answer,
        answer_format="{answer}",
        solution=question.answer,
        pool=f"{question.exam}/{question.subject}/qa",
        related_ids=related_ids_of(question),
        reader="qa",
        unit=question.group_id or question.id,
        facets=facets_of(question),
    )


TASK = Task(
    about="Questions answered in words; marks come from a judge (CPsyExam).",
    prompts=("essay",),
    requests=requests,
)
