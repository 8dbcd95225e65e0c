"""Task `tcm`: the forms A1, A2, A3 and B1 of the TCM licensing examination under TCMBench's prompts, one question at a time."""

from collections.abc import Iterable

from eval.metrics import choice_figures
from eval.prompt import read_prompt
from eval.tasks.contract import Task
from eval.tasks.request import Request, facets_of, kin_of, options_text
from records.claim import ClaimPair
from records.question import Question

_PROMPTS = {"a1": "tcm_a", "a2": "tcm_a", "a3": "tcm_a3", "b1": "tcm_b1"}
_NO_ANALYSIS = "略。"  # what Chinese answer keys write where they give no reasons


def requests(questions: Iterable[Question], claims: Iterable[ClaimPair], prompt: str) -> list[Request]:
    """Return one request a single-choice question of the exam TCM, sorted by item id. A question of no known form is asked as A1."""
    del claims, prompt
    asked = [_request(question) for question in questions if question.question_type == "mcqa" and question.exam == "TCM"]
    return sorted(asked, key=lambda request: request.item_id)


def _request(question: Question) -> Request:
    return Request(
        item_id=question.id,
        messages=[{"role": "user", "content": _text(question)}],
        question_type="mcqa",
        options=question.options,
        answer=question.answer,
        answer_format=_reply(_NO_ANALYSIS, "{answer}"),
        solution=_reply(question.explanation or _NO_ANALYSIS, question.answer) if question.answer else None,
        pool=f"{question.exam}/{question.subject}/{question.form or 'a1'}",
        kin=kin_of(question),
        reader="tcm",
        unit=question.group_id or question.id,
        facets=facets_of(question),
    )


def _text(question: Question) -> str:
    form = question.form or "a1"
    prompt = read_prompt(_PROMPTS[form])
    options = options_text(question.options, "．")
    if form == "b1":
        return prompt.format(options=options, question=question.stem)
    if form == "a3":
        return prompt.format(case=question.shared_stem or "", question=f"{question.stem}\n{options}")
    parts = [question.shared_stem, question.stem, options]
    return prompt.format(question="\n".join(part for part in parts if part))


def _reply(analysis: str, answer: str) -> str:
    return f"【解析】{analysis}<eoe>\n【答案】{answer}<eoa>"


TASK = Task(
    about="The forms A1, A2, A3 and B1 of the TCM licensing examination (TCMBench).",
    prompts=("tcm",),
    requests=requests,
    figures=choice_figures,
    published=("tcmbench_v2",),
)
