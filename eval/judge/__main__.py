"""Stage `judge`: essay answers and reference answers -> a model's marks from 0 to 100, with the two answers in both orders.

As in As in CPsyExam, section 4.2 and Figure 6. Judgements are stored like a run's replies, so nothing is judged twice.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean, stdev

import numpy as np
import pandas as pd

from atomexam.records.blocks import Judge
from atomexam.records.judgement import Judgement
from atomexam.records.prediction import Score
from atomexam.records.question import Question
from atomexam.runtime.jsonl import folder_lock, read_jsonl, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import judge_headline, print_summary
from eval.answers.reply_files import by_item, usage_of
from eval.backends import open_backend
from eval.judge.marks import ORDERS, PUBLISHED, answer_id, mark_request, read_mark
from eval.models.cached_model import Replied, reply_all
from eval.models.planned import describe
from eval.models.reply_store import restore, store_path
from eval.statistics.bootstrap import DIGITS, Figures, rate_interval
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request

Replies = Mapping[tuple[str, int], Replied]
"""Maps a request and a draw to the reply."""


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
    """Return the essay questions, each with the scores of its replies.

    Raises:
        ValueError: a question lacks a score, or a score belongs to no such question.
    """
    questions = [row for row in read_jsonl(args.splits / "test" / "questions.jsonl", Question) if row.question_type == "qa"]
    remedy = "a judge marks replies of an essay run on the current data: `dvc repro score`"
    scores = by_item(read_jsonl(args.scores, Score), (row.id for row in questions), f"{args.scores}: scores", remedy)
    return [(question, scores[question.id]) for question in questions]


def judge_answers(judge: Judge, scored: Iterable[tuple[Question, list[Score]]], args: Arguments) -> Replies:
    """Request the judge's marks of each distinct answer, in each order and draw; if there are no answers, no model is loaded."""
    requests = [request for question, scores in scored for request in mark_requests(judge, question, scores)]
    if not requests:
        return {}
    backend = open_backend(*describe(judge.model, args.models))
    path = store_path(args.out, judge.model, args.key)
    restore([args.out] if args.out.exists() else [], Judgement, path)
    replies = reply_all(backend, judge, [requests], path, f"judge@{args.key}")
    return {(one.query.request.item_id, one.query.repeat): one for one in replies}


def mark_requests(judge: Judge, question: Question, scores: Iterable[Score]) -> list[Request]:
    """Return the requests for marking the distinct answers to a question; none if it has no reference answer."""
    answers = sorted({score.answer for score in scores if score.answer}) if question.answer else []
    return [mark_request(question, answer, order, judge.prompt) for answer in answers for order in ORDERS]


def _judgements(score: Score, replies: Replies, judge: Judge) -> list[Judgement]:
    """Return the judgements of the answer in a score; none if it has no answer."""
    rows = []
    for order in ORDERS if score.answer else ():
        for draw in range(judge.repeats):
            query, reply, key = replies[f"{answer_id(score.item_id, score.answer or '')}/{order}", draw]
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
                    model=reply.model,
                    key=key,
                )
            )
    return rows


def _usage_figures(replies: Replies, args: Arguments) -> dict[str, float]:
    """Return the judge's calls, tokens and cost; identical answers are judged only once."""
    judge_replies = [one.reply for one in replies.values()]
    server = describe(args.params.model, args.models)[0].server if judge_replies else None
    return {"calls": len(judge_replies), "calls_failed": sum(reply.finish_reason == "error" for reply in judge_replies)} | usage_of(
        judge_replies, server
    )


_DIGITS = DIGITS - 2  # of marks, which range to 100
_HUNDREDTHS, _FULL = 100, 100
_OUTCOMES = ("read", "unread", "failed")
_FACETS = ("exam", "subject", "category")
MarkedReply = tuple[Question, Score, Sequence[Judgement]]
"""A question with a reference answer, the score of one reply to it, and the judgements of that reply's answer, if any."""


def figures(replies: Iterable[MarkedReply]) -> Figures:
    """Return the figures of a run.

    A reply without a mark is not included in means; it is counted, and the bounds show how much it could change them.
    """
    rows = list(replies)
    table = pd.DataFrame([_row(*one) for one in rows], columns=["cluster", *_FACETS, "repeat", "mark", *ORDERS, *PUBLISHED])
    table = table.astype(dict.fromkeys(["mark", *ORDERS, *PUBLISHED], float))
    outcomes = Counter(
        "failed" if one.finish_reason == "error" else "unread" if one.mark is None else "read"
        for _, _, judgements in rows
        for one in judgements
    )
    return {
        **_part(table),
        **_spread(table),
        "mark_at_least": _mean(table.mark.fillna(0.0)),
        "mark_at_most": _mean(table.mark.fillna(float(_FULL))),
        "readings": {name: outcomes[name] for name in _OUTCOMES},
        "read_share": round(outcomes["read"] / outcomes.total(), 4) if outcomes else None,
        "published": {name: {"mark": _mean(table[name].dropna()), "without_mark": int(table[name].isna().sum())} for name in PUBLISHED},
        "orders": agreement_of_orders(table[list(ORDERS)].dropna()),
        **{f"by_{name}": {str(value): _part(part) for value, part in table.groupby(name)} for name in _FACETS},
    }


def _row(question: Question, score: Score, judgements: Sequence[Judgement]) -> tuple:
    """Return the row of a reply, with the means of its parsed marks: 0 if the reply has no answer, None if no mark could be parsed.

    Published parsers use only the first judgement in the published order.
    """
    marks = [one.mark for one in judgements if one.mark is not None] if score.answer else [0.0]
    by_order = [[one.mark for one in judgements if one.order == order and one.mark is not None] for order in ORDERS]
    published = [one.reply for one in judgements if one.order == "standard_first" and one.draw == 0]
    return (
        question.group_id or question.id,
        question.exam,
        f"{question.exam} {question.subject}",
        question.category,
        score.repeat,
        *(fmean(each) if each else None for each in (marks, *by_order)),
        *(read(published[0]) if published else 0.0 for read in PUBLISHED.values()),
    )


def _part(table: pd.DataFrame) -> Figures:
    """Return the number of replies, the mean mark, and its bootstrap interval over questions, where each case is resampled as a unit."""
    known = table.dropna(subset="mark")
    summary = {"replies": len(table), "without_mark": len(table) - len(known), "mark": _mean(known.mark)}
    if summary["mark"] not in (None, 0.0, float(_FULL)) and known.mark.nunique() == 1:
        return summary  # all marks are equal: there is no variance to resample, but no certainty either
    hundredths = (_HUNDREDTHS * known.mark).round().astype(int).groupby(known.cluster)  # integers give equal sums on every machine
    sums, counts = (np.asarray(each, np.int64) for each in (hundredths.sum(), hundredths.size()))
    interval = rate_interval(sums, counts * _HUNDREDTHS * _FULL)
    return summary | ({"mark_interval": [round(_FULL * bound, _DIGITS) for bound in interval]} if interval else {})


def _mean(marks: pd.Series) -> float | None:
    return round(fmean(marks), _DIGITS) if len(marks) else None


def _spread(table: pd.DataFrame) -> Figures:
    """Return the sample standard deviation of single marks and, with repeats, of the repeats' means."""
    known = table.mark.dropna()
    spread: Figures = {"mark_spread": round(stdev(known), _DIGITS) if len(known) > 1 else None}
    means = [fmean(marks) for _, marks in known.groupby(table.repeat)]
    return spread | ({"mark_std": round(stdev(means), _DIGITS)} if len(means) > 1 else {})


def agreement_of_orders(both: pd.DataFrame) -> Figures:
    """Return how much the marks of the same answer differ between the two orders, over answers that have marks in both."""
    if both.empty:
        return {"answers": 0}
    first, second = both.to_numpy().T
    return {
        "answers": len(both),
        "mean_absolute_difference": round(float(np.abs(second - first).mean()), _DIGITS),
        "mean_difference": round(float((second - first).mean()), _DIGITS),
        "pearson": _pearson(first, second),
        "krippendorff": _alpha(first, second),
    }


def _pearson(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Pearson's correlation; None if all answers have the same mark in one of the orders."""
    if np.ptp(first) == 0 or np.ptp(second) == 0:
        return None
    return round(float(np.corrcoef(first, second)[0, 1]), 4)


def _alpha(first: np.ndarray, second: np.ndarray) -> float | None:
    """Return Krippendorff's alpha for interval data; None if all marks are equal.

    With two marks per answer, alpha can be computed from sums. With more marks, it would need a table of answers by distinct marks.
    """
    marks = np.concatenate([first, second])
    if np.ptp(marks) == 0:
        return None
    expected = ((marks - marks.mean()) ** 2).sum() / (len(marks) - 1)
    return round(1 - float(((first - second) ** 2).sum() / (len(marks) * expected)), 4)


if __name__ == "__main__":
    run_stage(main)
