"""Stage `errors`: replies to claims and their scores -> the errors in pairs that are not right, and the queue for annotators.

As in SdAK, section 5.1 and Table 5; answer reliability is as in section 4.2.2. `python -m eval.review` writes eval/labels.jsonl.
See docs/evaluation.md.
"""

import logging
import re
from collections.abc import Iterable
from pathlib import Path

from msgspec import structs

from atomexam.records.annotation import ERRORS, REASONS, Error, pair_id
from atomexam.records.blocks import Judge, runs_on_test
from atomexam.records.claim import PAIR, ClaimPair
from atomexam.records.params import Errors
from atomexam.records.prediction import Prediction, Score
from atomexam.records.question import Option
from atomexam.runtime.agreement import agreement
from atomexam.runtime.annotation_files import read_labels
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.answers.reply_files import by_item, read_replies
from eval.answers.reply_text import folded, split_reasoning
from eval.backends import open_backend
from eval.errors.patterns import ErrorProposal, Pair, has_a_reason, has_reasons, pattern_of, propose
from eval.errors.tables import build_queue, markdown, ratings_of, run_figures, sample, write_queue_sheet
from eval.models.cached_model import reply_all
from eval.models.planned import describe, read_runs
from eval.models.reply_store import store_path
from eval.statistics.bootstrap import Figures
from eval.tasks.prompt import quoted
from eval.tasks.request import Request

_REPEAT = 0  # SdAK, section 5.1: the first of two runs
_REMEDY = "rebuild them with `dvc repro score`"


def read_pairs(claims: Iterable[ClaimPair], predictions: Iterable[Prediction], scores: Iterable[Score], run: str) -> list[Pair]:
    """Return the claim pairs with the replies and scores of the first repeat of a run.

    Raises:
        ValueError: pairs, replies and scores do not match, so the files belong to different data.
    """
    claims = list(claims)
    sides = {claim.id: {side: f"{claim.id}/{side}" for side in PAIR} for claim in claims}
    items = [item for of_claim in sides.values() for item in of_claim.values()]
    replies = by_item(predictions, items, f"replies of run {run}", _REMEDY)
    scored = by_item(scores, items, f"scores of run {run}", _REMEDY)
    return [
        Pair(
            claim,
            {side: replies[item][_REPEAT].reply for side, item in sides[claim.id].items()},
            {side: scored[item][_REPEAT].outcome for side, item in sides[claim.id].items()},
            {side: scored[item][_REPEAT].answer for side, item in sides[claim.id].items()},
        )
        for claim in claims
    ]


def main(argv: list[str] | None = None) -> None:
    paths = {
        "predictions": "data/predictions",
        "scores": "data/scores",
        "splits": "data/splits",
        "models": "data/plan",
        "labels": "eval/labels.jsonl",
        "out": "data/errors",
        "metrics": "metrics/errors.json",
    }
    args = read_arguments(argv, __doc__, "errors", Errors, paths)
    params: Errors = args.params
    labels = read_labels(args.labels)
    figures, used = dict[str, Figures](), set[tuple[str, str]]()
    with folder_lock(args.out) as out:
        for run, model in _claim_runs(args):
            claims = read_jsonl(args.splits / "test" / "claims.jsonl", ClaimPair)
            predictions = read_replies(args.predictions / model / f"{run}.jsonl", run, model)
            pairs = read_pairs(claims, predictions, read_jsonl(args.scores / f"{run}.jsonl", Score), run)
            proposals = {pair.claim.id: proposal for pair in pairs if (proposal := propose(pair))}
            right = [pair for pair in pairs if pattern_of(pair) == "right" and has_reasons(pair)]
            wrong = sample([pair for pair in pairs if pair.claim.id in proposals], params.drawn, params.seed)
            by_model, requested = dict[str, ErrorProposal](), 0
            if judge := params.judge:
                by_model, requested = judge_errors(judge, wrong, args.models, store_path(args.out, judge.model, run), run)
            queue = build_queue(run, wrong, sample(right, params.drawn, params.seed), proposals | by_model, labels)
            used |= {(row.id, name) for row in queue for name in row.labels}
            write_jsonl(out / f"{run}.jsonl", queue, key=lambda row: (row.asks, row.claim_id))
            write_queue_sheet(out / f"{run}.xlsx", queue)
            judged = {"judge": {"asked": requested, "read": len(by_model)}}
            figures[run] = run_figures(pairs, proposals.values(), len(right), queue) | judged
        with replacing(out / "table.md") as part:
            part.write_text(markdown(figures), encoding="utf-8")
        allowed_labels = {"errors": ERRORS, "reasons": REASONS}
        agreed = {what: agreement(ratings_of(labels, allowed), allowed, "pair", "label") for what, allowed in allowed_labels.items()}
        labelled = sum(map(len, labels.values()))
        write_json(args.metrics, {"labels": labelled, "unused_labels": labelled - len(used), "runs": figures, "agreement": agreed})
    if unused := labelled - len(used):
        logging.getLogger("errors").warning(
            "%d of %d labels in %s count only towards agreement, because the sheets no longer contain their replies (new training or "
            "prompt); to label the new replies, fill in copies of the sheets in %s, then run `python -m eval.review COPIES`",
            unused, labelled, args.labels, args.out,
        )  # fmt: skip
    todo = f"; no reply is labelled yet: fill in copies of the sheets in {args.out}, then `python -m eval.review COPIES`" if figures else ""
    done = f"; {number_of(labelled, 'label')}" if labelled else todo
    print_summary("errors", f"{number_of(len(figures), 'run')} of claims{done}")


def _claim_runs(args: Arguments) -> list[tuple[str, str]]:
    """Return the runs of the task `claim` with their models, from params.yaml if it is passed, otherwise from the plan."""
    if runs := runs_on_test(args.all_params.get("runs") or {}):
        return [(name, run["model"]) for name, run in runs.items() if run["task"] == "claim"]
    planned = [(name, run) for path in sorted(args.models.glob("*/runs.json")) for name, run in read_runs(path).items()]
    return sorted((name, run.model) for name, run in planned if run.task == "claim")


_PROMPT = Path(__file__).parent / "prompts" / "error_type.txt"
_OPEN = ("sycophancy", "contrary", "reversed")
"""Patterns for which the error depends on the reason given."""
_ERRORS: dict[str, Error] = {"A": "safety", "B": "misinterpretation"}
_OPTIONS = [Option(letter="A", text="不够严谨"), Option(letter="B", text="误解"), Option(letter="C", text="都不是")]
_LETTER = re.compile(r"(?:答案(?:是|为)?\s*+:?)?\s*+[\"“(\[]?([ABC])[\"”)\]]?[.。]?")


def error_request(pair: Pair) -> Request:
    """Return the request that asks a model for the error in a pair."""
    claim, replies = pair.claim, pair.replies
    texts = {"factual": claim.factual, "non_factual": claim.non_factual}
    texts |= {f"{side}_reply": reply for side, reply in replies.items()}
    return Request(
        item_id=pair_id(claim.factual, replies["factual"], claim.non_factual, replies["non_factual"]),
        messages=[{"role": "user", "content": quoted(_PROMPT, texts)}],
        question_type="mcqa",
        options=_OPTIONS,
        answer=None,
        answer_format="答案：{answer}",
        solution=None,
        pool="errors",
        related_ids=frozenset(),
        reader="mcqa",
        unit=claim.id,
        facets={"atomic_type": claim.atomic_type},
    )


def read_letter(reply: str) -> str | None:
    """Return the letter if it is the complete reply; replies that repeat the prompt or add an argument are not accepted."""
    match = _LETTER.fullmatch(folded(split_reasoning(reply)[0]).strip())
    return match[1] if match else None


def judge_errors(judge: Judge, sampled: Iterable[Pair], models: Path, path: Path, name: str) -> tuple[dict[str, ErrorProposal], int]:
    """Return a model's proposals by claim, and the number of pairs that it was asked about: pairs with two verdicts and a reason.

    For all other pairs the verdicts determine the error; a pair whose judgement could not be parsed has no proposal.
    """
    pairs = {pair.claim.id: pair for pair in sampled if pattern_of(pair) in _OPEN and has_a_reason(pair)}
    proposals: dict[str, ErrorProposal] = {}
    if not pairs:
        return proposals, 0
    backend = open_backend(*describe(judge.model, models))
    requests = [error_request(pair) for pair in pairs.values()]
    for query, reply, _ in reply_all(backend, structs.replace(judge, repeats=1), [requests], path, f"errors of {name}"):
        claim = query.request.unit
        if letter := read_letter(reply.text):
            error = _ERRORS.get(letter) or pattern_of(pairs[claim])
            proposals[claim] = ErrorProposal(error, f"by {judge.model}: {letter}")  # type: ignore[arg-type]
    return proposals, len(pairs)


if __name__ == "__main__":
    run_stage(main)
