"""Task `claim`: is this claim right? Both sides of each pair are separate requests (SdAK, section 4.2)."""

from collections.abc import Iterable

from atomexam.records.claim import ClaimPair
from atomexam.records.question import Option, Question
from eval.tasks.contract import Task
from eval.tasks.prompt import read_prompt
from eval.tasks.request import Request

NEGATIONS = ("不", "异常", "忌")
"""Words by which the two sides of a pair differ, in the templates of SdAK's Table 2."""
_OPTIONS = [Option(letter=word, text=word) for word in ("正确", "错误")]


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair], prompt: str) -> list[Request]:
    """Return two requests per claim pair, sorted by item id."""
    del questions
    built = [_request(pair, side, prompt) for pair in claims for side in ("factual", "non_factual")]
    return sorted(built, key=lambda request: request.item_id)


def _request(pair: ClaimPair, side: str, prompt: str) -> Request:
    answer = "正确" if side == "factual" else "错误"
    claim = pair.factual if side == "factual" else pair.non_factual
    return Request(
        item_id=f"{pair.id}/{side}",
        messages=[{"role": "user", "content": read_prompt(prompt).format(claim=claim)}],
        question_type="claim",
        options=_OPTIONS,
        answer=answer,
        answer_format="{answer}",
        solution=answer,
        pool=pair.atomic_type,
        related_ids=frozenset({pair.id, pair.head}),
        reader="claim",
        unit=pair.id,
        facets={"atomic_type": pair.atomic_type, "side": side, "head": pair.head},
        claim=claim,
    )


TASK = Task(
    about="Both sides of each claim pair, as separate requests (SdAK).",
    prompts=("claim", "claim_prompt2", "claim_short"),
    requests=requests,
    of="claims",
    published=("sdak_v1",),
)
