"""Stage `errors`: replies to claims and their scores -> why pairs are not right, and the queue for annotators.

SdAK, section 5.1 and Table 5; answer reliability as in section 4.2.2. `python -m eval.review` fills eval/labels.jsonl: docs/evaluation.md.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path

from atomexam.records.annotation import ERRORS, REASONS, ReplyPair
from atomexam.records.claim import PAIR, ClaimPair
from atomexam.records.params import Errors
from atomexam.records.prediction import Prediction, Score
from atomexam.runtime.agreement import agreement
from atomexam.runtime.annotation_files import read_labels
from atomexam.runtime.jsonl import folder_lock, read_jsonl, replacing, write_json, write_jsonl
from atomexam.runtime.stage import Arguments, read_arguments, run_stage
from atomexam.runtime.stage_summary import number_of, print_summary
from eval.answers.reply_files import by_item, read_replies
from eval.errors.model_proposals import ModelProposals, judge_errors
from eval.errors.patterns import Pair, has_reasons, pattern_of, propose
from eval.errors.tables import build_queue, markdown, ratings_of, run_figures, sample, write_queue_sheet
from eval.models.planned import read_runs
from eval.models.reply_store import store_path
from eval.statistics.bootstrap import Figures

_REPEAT = 0  # SdAK, section 5.1: the first of two runs
_AGAIN = "rebuild them with `dvc repro score`"


def read_pairs(claims: Iterable[ClaimPair], predictions: Iterable[Prediction], scores: Iterable[Score], run: str) -> list[Pair]:
    """Return the claim pairs with a run's replies and scores of its first repeat.

    Raises:
        ValueError: they do not match, so the files belong to other data.
    """
    claims = list(claims)
    sides = {claim.id: {side: f"{claim.id}/{side}" for side in PAIR} for claim in claims}
    items = [item for of_claim in sides.values() for item in of_claim.values()]
    replies = by_item(predictions, items, f"replies of run {run}", _AGAIN)
    scored = by_item(scores, items, f"scores of run {run}", _AGAIN)
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
    figures: dict[str, Figures] = {}
    with folder_lock(args.out) as out:
        for run, model in _claim_runs(args):
            claims = read_jsonl(args.splits / "test" / "claims.jsonl", ClaimPair)
            predictions = read_replies(args.predictions / model / f"{run}.jsonl", run, model)
            pairs = read_pairs(claims, predictions, read_jsonl(args.scores / f"{run}.jsonl", Score), run)
            proposals = {pair.claim.id: proposal for pair in pairs if (proposal := propose(pair))}
            right = [pair for pair in pairs if pattern_of(pair) == "right" and has_reasons(pair)]
            wrong = sample([pair for pair in pairs if pair.claim.id in proposals], params.drawn, params.seed)
            by_model = _propose_by_model(args, run, wrong)
            queue = build_queue(run, wrong, sample(right, params.drawn, params.seed), proposals | by_model.proposals, labels)
            _write_queue(out, run, queue)
            judged = {"judge": {"asked": by_model.requested, "read": len(by_model.proposals)}}
            figures[run] = run_figures(pairs, proposals.values(), len(right), queue) | judged
        with replacing(out / "table.md") as part:
            part.write_text(markdown(figures), encoding="utf-8")
        allowed_labels = {"errors": ERRORS, "reasons": REASONS}
        agreed = {what: agreement(ratings_of(labels, allowed), allowed, "pair", "label") for what, allowed in allowed_labels.items()}
        labelled = sum(map(len, labels.values()))
        write_json(args.metrics, {"labels": labelled, "runs": figures, "agreement": agreed})
    todo = f"no reply is labelled yet: fill copies of the sheets in {args.out}, then `python -m eval.review COPIES`"
    print_summary("errors", f"{number_of(len(figures), 'run')} of claims; {number_of(labelled, 'label') if labelled else todo}")


def _propose_by_model(args: Arguments, run: str, wrong: Sequence[Pair]) -> ModelProposals:
    """Return the proposals of the model in params.yaml, if any, for the sampled pairs."""
    params: Errors = args.params
    if params.judge is None:
        return ModelProposals({}, 0)
    path = store_path(args.out, params.judge.model, run)
    return judge_errors(params.judge, wrong, args.models, path, run)


def _write_queue(out: Path, run: str, queue: Sequence[ReplyPair]) -> None:
    write_jsonl(out / f"{run}.jsonl", queue, key=lambda row: (row.asks, row.claim_id))
    write_queue_sheet(out / f"{run}.xlsx", queue)


def _claim_runs(args: Arguments) -> list[tuple[str, str]]:
    """Return the runs of task claim with their models: those of params.yaml or, in a manual call without it, those of the plan."""
    if runs := args.all_params.get("runs"):
        return [(name, run["model"]) for name, run in runs.items() if run["task"] == "claim"]
    planned = [(name, run) for path in sorted(args.models.glob("*/runs.json")) for name, run in read_runs(path).items()]
    return sorted((name, run.model) for name, run in planned if run.task == "claim")


if __name__ == "__main__":
    run_stage(main)
