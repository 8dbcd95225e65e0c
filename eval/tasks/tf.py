"""Task `tf`: is this statement correct? Questions with the options 正确 and 错误, to be answered with the word, not with its letter."""

from collections.abc import Iterable

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.question import Question
from eval.tasks.claim import VERDICT_OPTIONS
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request, facets_of, related_ids_of


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return one request per question of type `tf`, sorted by item id."""
    del claims
    built = [_request(question, prompt) for question in questions if question.question_type == "tf"]
    return sorted(built, key=lambda request: request.item_id)


def _request(question: Question, prompt: str) -> Request:
    statement = "\n".join(part for part in (question.shared_stem, question.stem) if part)
    text = task_prompt(prompt).format(subject=question.subject, claim=statement)
    messages = [{"role": "system", "content": text}, {"role": "user", "content": f"{statement}\n答案："}]
    verdict = next((option.text for option in question.options if option.letter == question.answer), None)
    return Request(
        item_id=question.id,
        messages=messages if prompt == "tf" else [{"role": "user", "content": text}],
        question_type="tf",
        options=VERDICT_OPTIONS,
        answer=verdict,
        answer_format="{answer}",
        solution=verdict,
        pool=f"{question.exam}/{question.subject}/tf",
        related_ids=related_ids_of(question),
        reader="claim",
        unit=question.group_id or question.id,
        facets=facets_of(question),
        folds_system=prompt == "tf",
        claim=statement,
    )


TASK = Task(about="True or false, answered by 正确 or 错误.", prompts=("tf", "claim"), requests=requests)
