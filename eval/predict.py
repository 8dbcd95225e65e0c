"""Stage `predict`: a model and the test split -> the replies of all its runs: a file a run, a line a reply, sorted by item and repeat.

The model is loaded once, and only where a reply is missing. Replies are stored as they arrive, under a hash of their request: a killed
stage resumes where it stopped, a changed dataset requests only what changed, and a new run repeats no request of another.
Over several GPUs:

    torchrun --nproc-per-node 4 -m eval.predict MODEL        or `accelerate launch -m eval.predict MODEL`"""

import sys
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from tqdm import tqdm

from atomexam.records.blocks import Run
from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import folder_lock, write_json, write_jsonl
from atomexam.runtime.stage import read_arguments, run_stage
from eval.backends import open_backend
from eval.models.cached_model import CachedModel, settings_of
from eval.models.contract import Backend, ModelQuery, Reply
from eval.models.ranks import Finished, Rank, read_rank, report, share_of, wait_for_others
from eval.models.reply_store import open_store, store_path
from eval.plan.planned import describe, read_runs
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request
from eval.tasks.runs import RequestBuilder, variants_of


def main(argv: list[str] | None = None) -> None:
    """Send a model the requests of its runs, one run after the other, and write the replies of each as soon as it has them all."""
    paths = {
        "runs": "data/plan/{key}/runs.json",
        "splits": "data/splits",
        "models": "data/plan",
        "out": "data/predictions/{key}",
    }
    args = read_arguments(argv, __doc__, "models", None, paths, keyed=True)
    described = describe(args.key, args.models)
    runs = read_runs(args.runs)
    for run in runs.values():
        variants_of(run)  # a wrong name fails before the first request
    builder, rank = RequestBuilder(args.splits), read_rank()
    folder = store_path(args.out, args.key, args.key).parent
    backend = cache(lambda: open_backend(*described))  # once, and only where there is a run
    with folder_lock(args.out) if not rank.number else nullcontext(args.out) as out:
        for stale in (path for path in out.glob("*.jsonl*") if path.name.removesuffix(".part").removesuffix(".jsonl") not in runs):
            stale.unlink()
        for name, run in runs.items():
            replies = replies_of_run(run, name, builder.with_shots(run), backend(), folder, rank)
            if not rank.number:
                rows = [prediction_of(name, query, reply) for query, reply in replies]
                write_jsonl(out / f"{name}.jsonl", rows, key=lambda row: (row.item_id, row.repeat))
        if not rank.number:
            write_json(out / "runs.json", runs)  # whose replies these are; DVC warns of an empty folder, too


def replies_of_run(
    run: Run, name: str, variants: list[list[Request]], backend: Backend, folder: Path, rank: Rank
) -> list[tuple[ModelQuery, Reply]]:
    """Return the replies to all variants of a run, and print counts; a process that is not the first makes and returns its own share
    alone."""
    with open_store(folder / f"{rank.name(name)}.jsonl") as store:
        model = CachedModel(backend, settings_of(run), store, run.method)
        shares = [share_of(requests, rank) for requests in variants]
        with tqdm(desc=rank.name(name), total=sum(map(len, shares)) * run.repeats, unit="reply", disable=None) as bar:
            replies = _all(model, shares, run.repeats, bar)
        counts = model.counts
        if rank.number:
            report(name, rank, Finished(counts=counts, failed=model.failed))
        elif rank.of > 1:
            others = wait_for_others(name, rank.of)
            failed = model.failed | {key: reply for other in others for key, reply in other.failed.items()}
            gathering = CachedModel(backend, settings_of(run), store, run.method, failed)
            replies = _all(gathering, variants, run.repeats, tqdm(disable=True))
            for other in others:
                counts.add(other.counts)
            counts.requests, counts.failed = gathering.counts.requests, gathering.counts.failed
    line = counts.line(rank.name(name) if rank.number else name)
    short = sum(query.repeat == 0 and query.request.shots < run.shots for query, _ in replies)
    print(f"{line}, {short} short of {run.shots} shots" if run.shots else line, file=sys.stderr, flush=True)
    if counts.failed and not rank.number:
        print(
            f"{name}: failed replies are not stored; `dvc repro -fs predict@{run.model}` requests only those again",
            file=sys.stderr,
            flush=True,
        )
    return replies


def _all(model: CachedModel, variants: list[list[Request]], repeats: int, bar: tqdm) -> list[tuple[ModelQuery, Reply]]:
    """Return the replies to each variant, numbered as `variants_of` says."""
    return [one for number, requests in enumerate(variants) for one in model.reply_all(requests, repeats, bar, number * repeats)]


def prediction_of(run: str, query: ModelQuery, reply: Reply) -> Prediction:
    """Return a reply as the record of a run."""
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
    )


if __name__ == "__main__":
    run_stage(main)
