"""Stage `judge`: answers in words and the standard answers -> a model's marks from 0 to 100, two of each with the order exchanged.

CPsyExam, section 4.2 and Figure 6. Judgements are stored like the replies of a run, so nothing is judged twice.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain, groupby
from operator import attrgetter
from typing import BinaryIO

import msgspec
from msgspec import Struct

from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from atomexam.records.run import Judge
from atomexam.runtime.external_sort import ExternalSort, sort_key
from atomexam.runtime.jsonl import BUFFER_BYTES, folder_lock, read_jsonl, replacing, to_line, write_json
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import judge_headline, print_summary
from eval.answers.reply_files import by_item
from eval.judge.figures import MarkedReplies, MarkOutcome, figures, mark_outcome, mark_reply
from eval.judge.marks import ORDERS, answer_id, mark_request, read_mark
from eval.models import open_backend
from eval.models.cached_model import stream_replies
from eval.models.contract import Reply
from eval.models.reply_store import store_path
from eval.plan.planned import describe
from eval.statistics.costs import Usage
from eval.statistics.intervals import Figures
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request

_SORTED_BYTES = 8 << 20
"""Bytes of judgings sorted by question in memory; more of them are sorted on disk."""


class Judging(Struct, frozen=True):
    """The judge's reply on one answer, whichever repeats have it."""

    question_id: str
    request_id: str
    draw: int
    prompt_sha256: str
    reply: Reply


Judgings = Mapping[tuple[str, int], Judging]
"""Judgings of one question, by request and draw."""


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
    usage = Usage()
    judgings = judge_answers(args, usage)
    with folder_lock(args.out.parent):
        with replacing(args.out) as part, open(part, "wb", buffering=BUFFER_BYTES) as out:
            summary = {"judge": judge.model, "prompt": judge.prompt} | write_judgements(args, judgings, out)
        write_json(args.metrics, summary | {"usage": _usage_figures(usage, args)})
    print_summary(f"judge {args.key}", judge_headline(summary))


def write_judgements(args: Arguments, judgings: Iterator[Judgings], out: BinaryIO) -> Figures:
    """Write the judgements of all answers, sorted; return the figures."""
    question_count = unscored = without_answer = 0
    readings: Counter[MarkOutcome] = Counter()
    replies = MarkedReplies()
    for question, scores in answered_questions(args):
        question_count += 1
        if not question.answer:
            unscored += 1
            continue
        question_judgings = next(judgings, {}) if any(score.answer for score in scores) else {}
        for score in scores:
            judgements = _judgements(score, question_judgings, args) if score.answer else []
            out.writelines(map(to_line, judgements))
            readings.update(map(mark_outcome, judgements))
            replies.add(mark_reply(question, score, judgements))
            without_answer += not score.answer
    return {"questions": question_count, "unscored": unscored, "without_answer": without_answer} | figures(replies.columns(), readings)


def answered_questions(args: Arguments) -> Iterator[tuple[Question, list[Score]]]:
    """Yield the questions answered in words, each with the scores of its replies. Split and scores are sorted by question.

    Raises:
        ValueError: a question lacks a score, or a score is of no such question.
    """
    split = read_jsonl(args.splits / "test" / "questions.jsonl", Question)
    questions = (question for question in split if question.question_type == "qa")
    remedy = "a judge marks the replies of an essay run on the current data: `dvc repro score`"
    return by_item(read_jsonl(args.scores, Score), questions, f"{args.scores}: scores", remedy, id_of=attrgetter("id"))


def judge_answers(args: Arguments, usage: Usage) -> Iterator[Judgings]:
    """Request the judge's marks of each different answer, in each order and draw; return them by question, in the order of the questions.

    Replies arrive in any order: they are sorted on disk.
    """
    judge: Judge = args.params
    lists = (requests for question, scores in answered_questions(args) if (requests := mark_requests(judge, question, scores)))
    first = next(lists, None)
    if first is None:
        return iter(())  # no model is loaded
    path = store_path(args.out, judge.model, args.key)
    path.parent.mkdir(parents=True, exist_ok=True)
    judgings = ExternalSort(path.parent, _SORTED_BYTES)
    backend = open_backend(*describe(judge.model, args.models))
    for query, reply in stream_replies(backend, judge, chain([first], lists), path, f"judge@{args.key}"):
        usage.add(reply)
        row = Judging(query.request.unit, query.request.item_id, query.repeat, prompt_sha256(query.prompt), reply)
        judgings.add(sort_key(row.question_id), msgspec.msgpack.encode(row))
    rows = map(msgspec.msgpack.Decoder(Judging).decode, judgings.lines())
    return ({(row.request_id, row.draw): row for row in same} for _, same in groupby(rows, lambda row: row.question_id))


def mark_requests(judge: Judge, question: Question, scores: Iterable[Score]) -> list[Request]:
    """Return the requests for marks of the different answers to a question; none without a standard answer."""
    answers = sorted({score.answer for score in scores if score.answer}) if question.answer else []
    return [mark_request(question, answer, order, judge.prompt) for answer in answers for order in ORDERS]


def _judgements(score: Score, judgings: Judgings, args: Arguments) -> list[Judgement]:
    """Return the judgements of an answer in the order of the file.

    Raises:
        ValueError: there are none, since the scores were rewritten after they were read.
    """
    rows = []
    for order in sorted(ORDERS):
        for draw in range(args.params.repeats):
            judging = judgings.get((f"{answer_id(score.item_id, score.answer or '')}/{order}", draw))
            if judging is None:
                raise ValueError(f"{args.scores}: {score.item_id} has changed since it was judged; run the same command again")
            reply = judging.reply
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
                    prompt_sha256=judging.prompt_sha256,
                    error=reply.error,
                )
            )
    return rows


def _usage_figures(usage: Usage, args: Arguments) -> dict[str, float]:
    """Return the judge's calls, tokens and cost; equal answers in two replies were judged once."""
    counts = {
        "calls": usage.calls,
        "calls_failed": usage.failed,
        "prompt_tokens": usage.prompt_tokens,
        "reply_tokens": usage.reply_tokens,
    }
    return counts | usage.cost(describe(args.params.model, args.models)[0].server if usage.calls else None)


if __name__ == "__main__":
    run_stage(main)
