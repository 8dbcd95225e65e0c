"""Stage `judge`: answers in words and the standard answers -> a model's marks from 0 to 100, two of each with the order exchanged.

CPsyExam, section 4.2 and Figure 6. Judgements are stored like the replies of a run, so nothing is judged twice.
"""

from collections.abc import Iterable, Mapping

from atomexam.records.blocks import Judge
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import judge_headline, print_summary
from eval.answers.reply_files import by_item
from eval.backends import open_backend
from eval.judge.figures import figures
from eval.judge.marks import ORDERS, answer_id, mark_request, read_mark
from eval.models.cached_model import reply_all
from eval.models.contract import ModelQuery, Reply
from eval.models.planned import describe
from eval.models.reply_store import store_path
from eval.statistics.costs import Usage
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request

Replies = Mapping[tuple[str, int], tuple[ModelQuery, Reply]]
"""The judge's requests and replies, by request and draw."""


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
    scored = scored_questions(args)
    replies = judge_answers(judge, scored, args)
    rows = [(question, score, _judgements(score, replies, judge)) for question, scores in scored if question.answer for score in scores]
    judgements = [judgement for _, _, of_score in rows for judgement in of_score]
    counts = {
        "questions": len(scored),
        "unscored": sum(not question.answer for question, _ in scored),
        "without_answer": sum(not score.answer for _, score, _ in rows),
    }
    summary = {"judge": judge.model, "prompt": judge.prompt} | counts | figures(rows)
    with folder_lock(args.out.parent):
        write_jsonl(args.out, judgements, key=lambda row: (row.item_id, row.repeat, row.order, row.draw))
        write_json(args.metrics, summary | {"usage": _usage_figures(replies, args)})
    print_summary(f"judge {args.key}", judge_headline(summary))


def scored_questions(args: Arguments) -> list[tuple[Question, list[Score]]]:
    """Return the questions answered in words, each with the scores of its replies.

    Raises:
        ValueError: a question lacks a score, or a score is of no such question.
    """
    questions = [row for row in read_jsonl(args.splits / "test" / "questions.jsonl", Question) if row.question_type == "qa"]
    remedy = "a judge marks the replies of an essay run on the current data: `dvc repro score`"
    scores = by_item(read_jsonl(args.scores, Score), (row.id for row in questions), f"{args.scores}: scores", remedy)
    return [(question, scores[question.id]) for question in questions]


def judge_answers(judge: Judge, scored: Iterable[tuple[Question, list[Score]]], args: Arguments) -> Replies:
    """Request the judge's marks of each different answer, in each order and draw; without answers no model is loaded."""
    requests = [request for question, scores in scored for request in mark_requests(judge, question, scores)]
    if not requests:
        return {}
    backend = open_backend(*describe(judge.model, args.models))
    replies = reply_all(backend, judge, requests, store_path(args.out, judge.model, args.key), f"judge@{args.key}")
    return {(query.request.item_id, query.repeat): (query, reply) for query, reply in replies}


def mark_requests(judge: Judge, question: Question, scores: Iterable[Score]) -> list[Request]:
    """Return the requests for marks of the different answers to a question; none without a standard answer."""
    answers = sorted({score.answer for score in scores if score.answer}) if question.answer else []
    return [mark_request(question, answer, order, judge.prompt) for answer in answers for order in ORDERS]


def _judgements(score: Score, replies: Replies, judge: Judge) -> list[Judgement]:
    """Return the judgements of a score's answer; none where it has none."""
    rows = []
    for order in ORDERS if score.answer else ():
        for draw in range(judge.repeats):
            query, reply = replies[f"{answer_id(score.item_id, score.answer or '')}/{order}", draw]
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
                    prompt_sha256=prompt_sha256(query.prompt),
                    error=reply.error,
                )
            )
    return rows


def _usage_figures(replies: Replies, args: Arguments) -> dict[str, float]:
    """Return the judge's calls, tokens and cost; equal answers in two replies were judged once."""
    usage = Usage()
    for _, reply in replies.values():
        usage.add(reply)
    counts = {
        "calls": usage.calls,
        "calls_failed": usage.failed,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
    }
    return counts | usage.cost(describe(args.params.model, args.models)[0].server if usage.calls else None)


if __name__ == "__main__":
    run_stage(main)
