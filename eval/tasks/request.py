"""Requests of tasks: one per item, with everything that baselines, training and few-shot examples need."""

from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Literal

from msgspec import Struct, structs

from atomexam.records.question import Option, Question
from eval.tasks.prompt import Message, merge_system

Kind = Literal["claim", "tf", "mcqa", "mrqa", "qa", "blank", "mark"]
Reader = Literal["claim", "mcqa", "mrqa", "tcm", "qa", "blank"]


class Request(Struct, frozen=True, kw_only=True):
    """One item as a conversation that ends with the question to answer."""

    item_id: str
    """Question id, or the id of a claim or fourfold row followed by `/` and the sentence, such as `/factual` or `/true_denied`."""
    messages: list[Message]
    """If the request follows another one, only the messages after the reply to that one."""
    question_type: Kind
    """claim, tf: 正确 or 错误; mcqa: one letter; mrqa: two or more letters; qa, blank: text; mark: 0 to 100, given by a judge."""
    options: list[Option]
    """The possible answers; for claim and tf, 正确 and 错误, with the word as its letter; empty for qa and blank."""
    answer: str | None
    """The correct answer; no backend may use it, except one for tests. None if the source does not disclose it."""
    answer_format: str
    """A reply in the requested format, with `{answer}` in place of the answer."""
    solution: str | None
    """The correct reply, as shown in a few-shot example."""
    pool: str
    """Few-shot examples are taken from requests of the same pool (subject and question type)."""
    related_ids: frozenset[str]
    """Ids of the item, its near-duplicate cluster and its group; an item that shares one of them is never a few-shot example for this
    item."""
    reader: Reader
    """Key in `eval.answers.readers.READERS` of the parser for replies to this request."""
    unit: str
    """Unit of scoring, correct only if all its items are: the claim pair, the case or group of shared options, or the item itself."""
    facets: dict[str, str]
    """Values by which metrics are broken down, such as exam, subject, question_type, category, case_type, form, atomic_type; no value is
    empty."""
    follows: str | None = None
    """Id of the item whose question and reply precede this one in the same conversation (the questions of one case)."""
    folds_system: bool = False
    """Whether to prepend the system message to the first user message of the conversation."""
    shots: int = 0
    """Number of few-shot examples in its messages."""
    claim: str | None = None
    """The claim, or the statement of tf, without its prompt; None for other question types."""
    cloze: str | None = None
    """The stem with its blanks; None for other question types."""
    shift: int = 0
    """Number of positions by which the options are rotated relative to the question, the last ones moving to the front."""
    compared: tuple[str, str] | None = None
    """Reference answer and the answer in the reply, as in a judge's prompt; None for other question types."""

    def reply(self, answer: str) -> str:
        """Return an answer in the requested format."""
        return self.answer_format.format(answer=answer)


def allowed_answers(request: Request) -> list[str]:
    """Return every allowed answer; for mrqa, all sets of two or more letters; nothing for an essay answer."""
    letters = [option.letter for option in request.options]
    if request.question_type != "mrqa":
        return letters
    return ["".join(chosen) for size in range(2, len(letters) + 1) for chosen in combinations(letters, size)]


def conversation(requests: Sequence[Request]) -> list[Message]:
    """Return the requests as one conversation: the system message of the last request, the earlier requests with solutions, and the last
    request."""
    last = requests[-1]
    messages = [message for message in last.messages if message["role"] == "system"]
    for request in requests:
        messages += [message for message in request.messages if message["role"] != "system"]
        if request is not last:
            messages.append({"role": "assistant", "content": request.solution or ""})
    return merge_system(messages) if last.folds_system else messages


def conversations(requests: Sequence[Request]) -> list[list[Request]]:
    """Group requests by conversation: each request starts a conversation or comes after the request that it follows.

    Raises:
        ValueError: an item occurs twice.
    """
    if all(request.follows is None for request in requests):
        return [[request] for request in requests]
    by_item = by_item_id(requests)
    by_id: dict[str, list[Request]] = {}
    for request in requests:
        first = request
        while first.follows is not None and first.follows in by_item:
            first = by_item[first.follows]
        by_id.setdefault(first.item_id, []).append(request)
    return [sorted(members, key=lambda one: one.item_id != first) for first, members in by_id.items()]


def by_item_id(requests: Iterable[Request]) -> dict[str, Request]:
    """Map item ids to requests.

    Raises:
        ValueError: an item occurs twice, so its replies could not be distinguished.
    """
    by_id: dict[str, Request] = {}
    for request in requests:
        if by_id.setdefault(request.item_id, request) is not request:
            raise ValueError(f"{request.item_id} occurs twice in the split; rebuild it with `dvc repro -f split`")
    return by_id


def following(request: Request, before: Request, reply: str) -> Request:
    """Return a request preceded by the question that it follows and the reply to that question."""
    messages = [*before.messages, {"role": "assistant", "content": reply}, *request.messages]
    return structs.replace(request, messages=messages, shots=before.shots)


def options_text(options: Iterable[Option], mark: str) -> str:
    """Return options one per line, letter first."""
    return "\n".join(f"{option.letter}{mark}{option.text}" for option in options)


def facets_of(question: Question) -> dict[str, str]:
    """Return the facets by which the metrics of a question are broken down."""
    facets = {
        "question_type": question.question_type,
        "category": question.category,
        "exam": question.exam,
        "subject": f"{question.exam} {question.subject}",
        "case_type": question.case_type,
        "form": question.form,
    }
    return {name: value for name, value in facets.items() if value}


def related_ids_of(question: Question) -> frozenset[str]:
    """Return the ids that identify a question and its related questions."""
    return frozenset(key for key in (question.id, question.cluster_id, question.group_id) if key)
