"""Task `blank`: fill in each blank of a stem; the answers are compared with the key in canonical form."""

from collections.abc import Iterable

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question, accepted_words
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request, facets_of, related_ids_of


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return one request per question of type `blank`, sorted by item id."""
    del claims
    built = [_request(question, prompt) for question in questions if question.question_type == "blank"]
    return sorted(built, key=lambda request: request.item_id)


def _request(question: Question, prompt: str) -> Request:
    text = "\n".join(part for part in (question.shared_stem, question.stem) if part)
    return Request(
        item_id=question.id,
        messages=[
            {"role": "system", "content": task_prompt(prompt).format(subject=question.subject)},
            {"role": "user", "content": f"{text}\n答案："},
        ],
        question_type="blank",
        options=[],
        answer=question.answer,
        answer_format="{answer}",
        solution=accepted_words(question.answer)[0] if question.answer else None,
        pool=f"{question.exam}/{question.subject}/blank",
        related_ids=related_ids_of(question),
        reader="blank",
        unit=question.group_id or question.id,
        facets=facets_of(question),
        folds_system=True,
        cloze=question.stem,
    )


TASK = Task(about="Words for each blank of a stem.", prompts=("blank",), requests=requests)
