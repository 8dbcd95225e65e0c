"""Stage `predict`: a model and the splits of its runs -> the replies of all its runs, one file per run, sorted by item and repeat.

The model is loaded once, and only if a reply is missing. Replies are stored as they arrive, under a hash of their request, so that a stage
that was killed resumes where it stopped, and a new run or a changed dataset requests only the missing replies. On several GPUs:

    torchrun --nproc-per-node 4 -m eval.predict MODEL        or `accelerate launch -m eval.predict MODEL`"""

import sys
from contextlib import nullcontext
from functools import cache

from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import folder_lock, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from atomexam.runtime.stage_summary import missing_replies
from eval.backends import open_backend
from eval.models.cached_model import Replied, read_rank, reply_all
from eval.models.planned import describe, read_runs
from eval.models.reply_store import restore, store_path
from eval.tasks.prompt import prompt_sha256
from eval.tasks.runs import RequestBuilder, variants_of


def main(argv: list[str] | None = None) -> None:
    """Send the requests of a model's runs, one run after another, and write the replies of each run when they are complete."""
    paths = {
        "runs": "data/plan/{key}/runs.json",
        "splits": "data/splits",
        "models": "data/plan",
        "out": "data/predictions/{key}",
    }
    args = read_arguments(argv, __doc__, "models", None, paths, keyed=True)
    described = describe(args.key, args.models)
    runs = read_runs(args.runs, every_split=True)
    for run in runs.values():
        variants_of(run)  # an invalid name fails before the first request
    builder, rank = RequestBuilder(args.splits), read_rank()
    folder = store_path(args.out, args.key, args.key).parent
    backend = cache(lambda: open_backend(*described))  # once, and only if there is a run
    with folder_lock(args.out) if not rank.number else nullcontext(args.out) as out:
        restore(sorted(out.glob("*.jsonl")), Prediction, folder / f"{rank.name('pulled')}.jsonl")
        for name, run in runs.items():
            replies = reply_all(backend(), run, builder.with_shots(run), folder / f"{name}.jsonl", name, rank)
            if rank.number:
                continue
            rows = [prediction_of(name, one) for one in replies]
            failed = sum(row.finish_reason == "error" for row in rows)
            if missing := missing_replies({"outcomes": {"failed": failed, "answered": len(rows) - failed}}):
                again = f"`dvc repro -fs predict@{run.model}` requests only those again"
                if described[0].backend == "imported":
                    again = f"import them together with the others into {described[0].name}"
                print(f"{name}: {missing}; {again}", file=sys.stderr, flush=True)
            write_jsonl(out / f"{name}.jsonl", rows, key=lambda row: (row.item_id, row.repeat))
        if not rank.number:
            for stale in (path for path in out.glob("*.jsonl*") if path.name.removesuffix(".part").removesuffix(".jsonl") not in runs):
                stale.unlink()  # last, since other processes may read them until then
            write_json(out / "runs.json", runs)  # records the runs of these replies; DVC also warns about empty folders


def prediction_of(run: str, replied: Replied) -> Prediction:
    """Return a reply as a run's `Prediction`."""
    query, reply, key = replied
    return Prediction(
        item_id=query.request.item_id,
        run=run,
        repeat=query.repeat,
        prompt_sha256=prompt_sha256(query.prompt),
        reply=reply.text,
        finish_reason=reply.finish_reason,
        tokens=reply.tokens,
        prompt_tokens=reply.prompt_tokens,
        error=reply.error,
        likelihoods=reply.likelihoods,
        follows=query.request.follows,
        shots=query.request.shots,
        model=reply.model,
        key=key,
    )


if __name__ == "__main__":
    run_stage(main)
