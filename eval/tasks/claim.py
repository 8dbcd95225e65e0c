"""Task `claim`: is this claim correct? Both sides of each pair are separate requests (SdAK, section 4.2)."""

from collections.abc import Iterable, Mapping

from atomexam.records.claim import PAIR, ClaimPair, Fourfold
from atomexam.records.question import Option, Question
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request

NEGATIONS = ("不", "异常", "忌")
"""Words that distinguish the two sides of a pair in SdAK's templates (Table 2)."""
VERDICT_OPTIONS = [Option(letter=word, text=word) for word in ("正确", "错误")]


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return two requests per claim pair, sorted by item id."""
    del questions
    return verdict_requests((one for one in claims if isinstance(one, ClaimPair)), PAIR, prompt)


def verdict_requests(records: Iterable[ClaimPair | Fourfold], sides: Mapping[str, str], prompt: str) -> list[Request]:
    """Return one request per sentence of the records, sorted by item id.

    Args:
        sides: maps the field of a sentence to the correct verdict on it.
    """
    built = [_request(record, side, answer, prompt) for record in records for side, answer in sides.items()]
    return sorted(built, key=lambda request: request.item_id)


def _request(record: ClaimPair | Fourfold, side: str, answer: str, prompt: str) -> Request:
    claim: str = getattr(record, side)
    heads = {record.head, record.false_head} if isinstance(record, Fourfold) else {record.head}
    return Request(
        item_id=f"{record.id}/{side}",
        messages=[{"role": "user", "content": task_prompt(prompt).format(claim=claim)}],
        question_type="claim",
        options=VERDICT_OPTIONS,
        answer=answer,
        answer_format="{answer}",
        solution=answer,
        pool=record.atomic_type,
        related_ids=frozenset({record.id, *heads}),
        reader="claim",
        unit=record.id,
        facets={"atomic_type": record.atomic_type, "side": side, "head": record.head},
        claim=claim,
    )


TASK = Task(
    about="Both sides of each claim pair, as separate requests (SdAK).",
    prompts=("claim", "claim_prompt2", "claim_short"),
    requests=requests,
    of="claims",
    published=("sdak_v1",),
)
