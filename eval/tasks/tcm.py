"""Task `tcm`: the forms A1, A2, A3 and B1 of the TCM licensing examination with TCMBench's prompts.

The questions of an A3 case form one conversation: the first contains the case, and later ones include the replies to earlier ones.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from atomexam.records.claim import ClaimPair, Fourfold
from atomexam.records.provenance import Provenance
from atomexam.records.question import Question
from atomexam.text.natural_order import natural_key
from eval.tasks.contract import Task, task_prompt
from eval.tasks.request import Request, facets_of, options_text, related_ids_of

_PARTS = {"a1": "a", "a2": "a", "a3": "a3", "b1": "b1"}
_TAGS = {"tcm": ("<eoe>", "<eoa>"), "tcm_paper": ("<coe>", "<coas>")}
_NO_ANALYSIS = "略。"  # what Chinese answer keys print if they give no reasons


def cases_of(questions: Iterable[Question]) -> list[list[Question]]:
    """Group questions into conversations: questions with the same group and case text go together, and every other question is on its own.

    A group may contain a case and a rewording of it from another site; their questions are kept apart, since each refers to its own text.
    """
    cases: dict[Any, list[Question]] = defaultdict(list)
    for question in questions:
        cases[_case(question) or question.id].append(question)
    return [_in_order(members) for members in cases.values()]


def _case(question: Question) -> tuple[str, str | None] | None:
    return (question.group_id, question.shared_stem) if question.group_id else None


def _is_tcm_type(question: Question) -> bool:
    return question.question_type == "mcqa" and question.exam == "TCM"


def _in_order(members: list[Question]) -> list[Question]:
    """Sort questions by their position on the page that contains most of them."""
    shared = Counter(page for question in members for page in {_page(sighting) for sighting in question.provenance})

    def page_order(question: Question) -> Any:
        positions = [(-shared[_page(sighting)], _page(sighting), natural_key(sighting.position)) for sighting in question.provenance]
        return (min(positions, default=()), question.id)

    return sorted(members, key=page_order)


def _page(sighting: Provenance) -> tuple[str, str, str]:
    return sighting.source, sighting.url, sighting.page_id


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return one request for each single-choice TCM question, sorted by item id. Questions whose form is unknown get the prompt of A1."""
    del claims
    return _requests(questions, prompt, 1)


def reversed_requests(questions: Iterable[Question], claims: Iterable[ClaimPair | Fourfold], prompt: str) -> list[Request]:
    """Return the same requests, but with the last question of a case first and each B1 question before the shared options."""
    del claims
    return _requests(questions, prompt, -1)


def _requests(questions: Iterable[Question], prompt: str, step: int) -> list[Request]:
    tcm_questions = list(filter(_is_tcm_type, questions))
    cases = [members[::step] for members in cases_of(question for question in tcm_questions if question.form == "a3")]
    alone = [[question] for question in tcm_questions if question.form != "a3"]
    built = [request for members in [*cases, *alone] for request in _conversation(members, prompt, step)]
    return sorted(built, key=lambda request: request.item_id)


def _conversation(members: Sequence[Question], prompt: str, step: int) -> list[Request]:
    return [
        _request(question, prompt, number, members[number - 2].id if number > 1 else None, step)
        for number, question in enumerate(members, 1)
    ]


def _request(question: Question, prompt: str, number: int, follows: str | None, step: int) -> Request:
    system = {"role": "system", "content": task_prompt(f"{prompt}_{_PARTS[question.form or 'a1']}")}
    user = {"role": "user", "content": _text(question, number, step)}
    return Request(
        item_id=question.id,
        messages=[user] if follows else [system, user],
        question_type="mcqa",
        options=question.options,
        answer=question.answer,
        answer_format=_reply(prompt, _NO_ANALYSIS, "{answer}"),
        solution=_reply(prompt, question.explanation or _NO_ANALYSIS, question.answer) if question.answer else None,
        pool=f"{question.exam}/{question.subject}/{question.form or 'a1'}",
        related_ids=related_ids_of(question),
        reader="tcm",
        unit=question.group_id or question.id,
        facets=facets_of(question),
        follows=follows,
    )


def _text(question: Question, number: int, step: int) -> str:
    options = options_text(question.options, "．")
    if question.form == "b1":
        return "\n".join(["（共用备选答案）\n" + options, f"{number})．{question.stem}"][::step])
    if question.form == "a3":
        case = f"{question.shared_stem}\n" if question.shared_stem and number == 1 else ""
        return f"{case}{number})．{question.stem}\n{options}"
    return "\n".join(part for part in (question.shared_stem, question.stem, options) if part)


def _reply(prompt: str, analysis: str, answer: str) -> str:
    end_of_analysis, end_of_answer = _TAGS[prompt]
    return f"【解析】{analysis}{end_of_analysis}\n【答案】{answer}{end_of_answer}"


TASK = Task(
    about="The forms A1, A2, A3 and B1 of the TCM licensing examination (TCMBench).",
    prompts=("tcm", "tcm_paper"),
    requests=requests,
    reversed_requests=reversed_requests,
    published=("tcmbench_v2",),
)
