"""Stage `judge`: answers in words and the standard answers -> a model's marks from 0 to 100, each given twice with the order exchanged.

CPsyExam, section 4.2 and Figure 6. What was judged before is not judged again: judgings are kept like the replies of a run.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from atomexam.records.run import Judge, Server
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import judge_headline, print_summary
from eval.judge.figures import figures, mark_answers
from eval.judge.marks import ORDERS, mark_request, read_mark
from eval.models import open_backend
from eval.models.asker import ask, settings_of
from eval.models.contract import Asking, Backend, Reply
from eval.models.reply_store import kept_path
from eval.plan.planned import describe
from eval.statistics.costs import cost_of
from eval.tasks.contract import read_split
from eval.tasks.prompt import prompt_sha256

Questions = Mapping[str, Question]
Judged = dict[tuple[str, str, str, int], tuple[Asking, Reply]]
"""By question, answer, order and draw."""


def main(argv: list[str] | None = None) -> None:
    paths = {
        "scores": "data/scores/{key}.jsonl",
        "splits": "data/splits",
        "models": "data/plan",
        "out": "data/judgements/{key}.jsonl",
        "metrics": "metrics/judge/{key}.json",
    }
    args = read_arguments(argv, __doc__, "judges", Judge, paths, keyed=True)
    judge: Judge = args.params
    questions, _ = read_split(args.splits / "test")
    scores = list(read_jsonl(args.scores, Score))
    asked = essays({question.id: question for question in questions}, scores, args.scores)
    markable = {identity: question for identity, question in asked.items() if question.answer}
    marked_scores = [score for score in scores if score.item_id in markable]
    judged = judge_answers(judge, args.key, args.models, kept_path(args.out, judge.model, args.key), markable, marked_scores)
    judgements = [one for score in marked_scores if score.answer for one in _judgements(score, judged, judge.repeats)]
    replies = [(markable[score.item_id], score.repeat, bool(score.answer)) for score in marked_scores]
    about = {"judge": judge.model, "prompt": judge.prompt, "questions": len(asked), "unscored": len(asked) - len(markable)}
    about |= {"without_answer": sum(not answered for *_, answered in replies)}
    usage = _usage([reply for _, reply in judged.values()], describe(judge.model, args.models)[0].server if judged else None)
    with folder_lock(args.out.parent):
        write_jsonl(args.out, judgements, key=lambda one: (one.item_id, one.repeat, one.order, one.draw))
        found = about | figures(mark_answers(replies, judgements), judgements)
        write_json(args.metrics, found | {"usage": usage})
    print_summary(f"judge {args.key}", judge_headline(found))


def essays(questions: Questions, scores: Iterable[Score], path: Path) -> dict[str, Question]:
    """Return the questions that were answered, by id.

    Raises:
        ValueError: a score is of no question answered in words.
    """
    found: dict[str, Question] = {}
    for score in scores:
        question = questions.get(score.item_id)
        if question is None or question.question_type != "qa":
            what = "not in the test split" if question is None else f"of type {question.question_type}"
            raise ValueError(f"{path}: {score.item_id} is {what}; a judge marks the replies of a run of task essay to the data as they are")
        found[score.item_id] = question
    return found


def judge_answers(judge: Judge, name: str, models: Path, kept: Path, questions: Questions, scores: Iterable[Score]) -> Judged:
    """Return what the judge said of each different answer in each order and draw."""
    answers = sorted({(score.item_id, score.answer) for score in scores if score.answer})
    keys = [(item, answer, order, draw) for item, answer in answers for order in ORDERS for draw in range(judge.repeats)]
    if not keys:
        return {}
    backend = open_backend(*describe(judge.model, models))
    askings = [_asking(backend, judge, questions[item], answer, order, draw) for item, answer, order, draw in keys]
    replies = ask(backend, askings, settings_of(judge), kept, f"judge@{name}")
    return dict(zip(keys, zip(askings, replies, strict=True), strict=True))


def _asking(backend: Backend, judge: Judge, question: Question, answer: str, order: str, draw: int) -> Asking:
    request = mark_request(question, answer, order, judge.prompt)
    return Asking(request=request, repeat=draw, prompt=backend.render(request.messages))


def _judgements(score: Score, judged: Judged, draws: int) -> list[Judgement]:
    rows = []
    for order in ORDERS:
        for draw in range(draws):
            asking, reply = judged[score.item_id, score.answer or "", order, draw]
            rows.append(
                Judgement(
                    item_id=score.item_id,
                    repeat=score.repeat,
                    order=order,  # type: ignore[arg-type]
                    draw=draw,
                    mark=read_mark(reply.text, reply.finish_reason),
                    reply=reply.text,
                    finish_reason=reply.finish_reason,
                    tokens=reply.tokens,
                    prompt_tokens=reply.prompt_tokens,
                    prompt_sha256=prompt_sha256(asking.prompt),
                    error=reply.error,
                )
            )
    return rows


def _usage(replies: Sequence[Reply], server: Server | None) -> dict[str, float]:
    """Return what the judge was asked and what that cost; the same answer given twice was judged once."""
    counts = {
        "calls": len(replies),
        "calls_failed": sum(reply.finish_reason == "error" for reply in replies),
        "prompt_tokens": sum(reply.prompt_tokens for reply in replies),
        "reply_tokens": sum(reply.tokens for reply in replies),
    }
    return counts | cost_of(replies, server)


if __name__ == "__main__":
    run_stage(main)
