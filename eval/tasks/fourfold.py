"""Task `fourfold`: is this sentence correct? The question is asked for a true and a false tail, each affirmed and denied."""

from collections.abc import Iterable

from atomexam.records.claim import SENTENCES, ClaimPair, Fourfold
from atomexam.records.question import Question
from eval.tasks.claim import verdict_requests
from eval.tasks.contract import Task
from eval.tasks.request import Request


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return four requests per row, sorted by item id."""
    del questions
    return verdict_requests((one for one in claims if isinstance(one, Fourfold)), SENTENCES, prompt)


TASK = Task(
    about="A true and a false tail of a fact, each affirmed and denied: no rule over negations answers them.",
    prompts=("claim", "claim_prompt2", "claim_short"),
    requests=requests,
    of="fourfold",
)
