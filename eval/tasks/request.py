"""What a task asks: one request an item, with all that baselines, training and few-shot examples need."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Literal

from msgspec import Struct, structs

from eval.prompt import Message
from records.question import Option, Question


class Request(Struct, frozen=True, kw_only=True):
    """One item put as a conversation that ends with the question."""

    item_id: str
    """Question id, or claim id with `/factual` or `/non_factual`."""
    messages: list[Message]
    question_type: Literal["claim", "mcqa", "mrqa", "qa"]
    """claim: one of 正确 and 错误; mcqa: one letter; mrqa: two letters or more; qa: an answer in words."""
    options: list[Option]
    """What may be answered; for a claim 正确 and 错误, each its own letter; nothing for qa."""
    answer: str | None
    """Right answer; no backend but a test's may look at it. None where the source keeps it hidden."""
    answer_format: str
    """A reply in the asked format, with `{answer}` where the answer stands."""
    solution: str | None
    """The right reply as a few-shot example shows it."""
    pool: str
    """Few-shot examples come from the requests with the same pool (subject and question type)."""
    kin: frozenset[str]
    """Item, near-duplicate cluster and group: what shares one of these is never shown beside it."""
    reader: Literal["claim", "mcqa", "mrqa", "tcm", "qa"]
    """Key of `eval.answers.READERS`: how a reply to it is read."""
    unit: str
    """What is right only as a whole: the claim pair, the case or group of shared options, or the item itself."""
    facets: dict[str, str]
    """What figures are broken down by, such as exam, subject, question_type, category, case_type, form, atomic_type; none is empty."""
    follows: str | None = None
    """Item whose question and reply stand before this one in the same conversation (the questions of one case)."""

    def reply(self, answer: str) -> str:
        """Return an answer in the asked format."""
        return self.answer_format.format(answer=answer)


def options_text(options: Iterable[Option], mark: str) -> str:
    """Return options one a line, letter first."""
    return "\n".join(f"{option.letter}{mark}{option.text}" for option in options)


def facets_of(question: Question) -> dict[str, str]:
    """Return what the figures of a question are broken down by."""
    facets = {
        "question_type": question.question_type,
        "category": question.category,
        "exam": question.exam,
        "subject": f"{question.exam} {question.subject}",
        "case_type": question.case_type,
        "form": question.form,
    }
    return {name: value for name, value in facets.items() if value}


def kin_of(question: Question) -> frozenset[str]:
    """Return the ids under which a question and its relatives are known."""
    return frozenset(key for key in (question.id, question.cluster_id, question.group_id) if key)


def with_shots(requests: Sequence[Request], examples: Sequence[Sequence[Request]], shots: int, seed: int) -> list[Request]:
    """Return the requests with few-shot examples as earlier turns of the conversation.

    Each pool's examples are put in one order a seed, so that the items of a pool share a prefix; an item that is kin to one
    of them gets the next instead. Where a pool has too few examples, the item gets what there is.

    Args:
        examples: splits in order of preference: dev gives what train lacks.
    """
    if not shots:
        return list(requests)
    pools: dict[str, list[Request]] = {}
    for place, split in enumerate(examples):
        drawn: dict[str, list[Request]] = {}
        for example in sorted(split, key=lambda example: example.item_id):
            if example.solution is not None:
                drawn.setdefault(example.pool, []).append(example)
        for pool, members in drawn.items():
            Random(f"{seed}/shots/{pool}/{place}").shuffle(members)
            pools.setdefault(pool, []).extend(members)
    return [_with_examples(request, pools.get(request.pool, []), shots) for request in requests]


def _with_examples(request: Request, drawn: Sequence[Request], shots: int) -> Request:
    chosen: list[Request] = []
    seen = set(request.kin)
    for example in drawn:
        if len(chosen) < shots and seen.isdisjoint(example.kin):
            chosen.append(example)
            seen |= example.kin
    return structs.replace(request, messages=conversation([*chosen, request]))


def conversation(requests: Sequence[Request]) -> list[Message]:
    """Return requests as turns of one conversation, each but the last with its solution; the last one's system message leads."""
    last = requests[-1]
    messages = [message for message in last.messages if message["role"] == "system"]
    for request in requests:
        messages += [message for message in request.messages if message["role"] != "system"]
        if request is not last:
            messages.append({"role": "assistant", "content": request.solution or ""})
    return messages
