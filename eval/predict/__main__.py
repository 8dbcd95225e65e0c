"""Stage `predict`: a model and the test split -> the replies of all its runs: a file a run, a line a reply, sorted by item and repeat.

The model is loaded once, and only where a reply is missing. Replies are stored as they arrive, under a hash of their request: a killed
stage resumes where it stopped, a changed dataset requests only what changed, and a new run repeats no request of another.
Over several GPUs:

    torchrun --nproc-per-node 4 -m eval.predict MODEL        or `accelerate launch -m eval.predict MODEL`
"""

import sys
from collections.abc import Iterator, Mapping
from contextlib import nullcontext
from functools import cache
from pathlib import Path

from tqdm import tqdm

from atomexam.records.prediction import Prediction
from atomexam.records.run import Run
from atomexam.runtime.external_sort import SortedFile, sort_key
from atomexam.runtime.jsonl import folder_lock, write_json
from atomexam.runtime.stage import read_arguments, run_stage
from eval.models import open_backend
from eval.models.cached_model import CachedModel, settings_of
from eval.models.contract import Backend, ModelQuery, Reply
from eval.models.reply_store import open_store, store_path
from eval.plan.planned import describe, read_runs
from eval.predict.ranks import (
    Finished,
    Rank,
    finished_path,
    hash_requests,
    left_before,
    only_one_of,
    paths_of_others,
    read_rank,
    share_of,
    wait_for_others,
    write_finished,
)
from eval.tasks import RequestBuilder, wording
from eval.tasks.prompt import prompt_sha256
from eval.tasks.request import Request

_SORTED_BYTES = 8 << 20
"""Of replies that are sorted in memory; more of them are sorted on disk."""


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
        wording(run.task, run.prompt)  # a wrong name fails before the first request
    requests = RequestBuilder(args.splits)
    rank = read_rank()
    folder = store_path(args.out, args.key, args.key).parent
    backend = cache(lambda: open_backend(*described))  # once, and only where a reply is missing
    with only_one_of(folder, args.key, rank) if rank.of > 1 else nullcontext():
        left = left_before(folder, runs, rank.of) if not rank.number else {}
        for name in runs if rank.number else ():
            finished_path(folder, name, rank).unlink(missing_ok=True)
        with folder_lock(args.out) if not rank.number else nullcontext(args.out) as out:
            for stale in (path for path in out.glob("*.jsonl*") if path.name.removesuffix(".part").removesuffix(".jsonl") not in runs):
                stale.unlink()
            for name, run in runs.items():
                _ask_run(run, name, requests, backend(), folder, rank, left, out / f"{name}.jsonl")
            if not rank.number:
                write_json(out / "runs.json", runs)  # whose replies these are; DVC warns of an empty folder, too
                # Not before: killed between two runs, it needs those of the first again.
                for path in paths_of_others(folder, runs, rank.of):
                    path.unlink(missing_ok=True)


def _ask_run(
    run: Run,
    name: str,
    requests: RequestBuilder,
    backend: Backend,
    folder: Path,
    rank: Rank,
    left: Mapping[Path, Finished],
    path: Path,
) -> None:
    """Make the requests of a run and write the replies as they arrive; a process that is not the first makes its own share alone."""
    settings = settings_of(run)
    with open_store(folder / f"{rank.name(name)}.jsonl") as store:
        model = CachedModel(backend, settings, store, run.method)
        counts = model.counts
        if rank.of == 1:
            short = _write(path, run, name, _replies(model, run, name, requests, rank))
        else:
            requests_hash = hash_requests((backend.identity, settings, run.method, run.repeats), requests.read_run(run))
            short = sum(_is_short(query, run) for query, _ in _replies(model, run, rank.name(name), requests, rank))  # replies are stored
            if rank.number:
                write_finished(folder, name, rank, Finished(asked=requests_hash, counts=counts, failed=model.failed))
            else:
                others = wait_for_others(folder, name, rank.of, requests_hash, left)
                failed = model.failed | {key: reply for other in others for key, reply in other.failed.items()}
                gathering = CachedModel(backend, settings, store, run.method, failed)
                short = _write(path, run, name, _replies(gathering, run, name, requests, Rank()))
                counts.kept += sum(other.counts.kept for other in others)
                counts.asked += gathering.counts.asked + sum(other.counts.asked for other in others)
                counts.requests, counts.failed = gathering.counts.requests, gathering.counts.failed
    line = counts.line(rank.name(name) if rank.number else name)
    print(f"{line}, {short} short of {run.shots} shots" if run.shots else line, file=sys.stderr, flush=True)
    if counts.failed and not rank.number:
        print(
            f"{name}: failed replies are not stored; `dvc repro -fs predict@{run.model}` requests only those again",
            file=sys.stderr,
            flush=True,
        )


def _replies(model: CachedModel, run: Run, name: str, requests: RequestBuilder, rank: Rank) -> Iterator[tuple[ModelQuery, Reply]]:
    """Yield a process's share of a run with its replies, as they arrive."""

    def share() -> Iterator[list[Request]]:
        return (share_of(some, rank) for some in requests.read_run(run))

    with tqdm(desc=name, unit="reply", disable=None) as bar:
        if not bar.disable:
            bar.total = sum(map(len, share())) * run.repeats
        yield from model.stream(share(), run.repeats, bar)


def _write(path: Path, run: Run, name: str, replies: Iterator[tuple[ModelQuery, Reply]]) -> int:
    """Write replies sorted by item and repeat; return how many items have fewer examples than the run's `shots`."""
    rows = SortedFile[Prediction](path, lambda row: sort_key(row.item_id, f"{row.repeat:09}"), _SORTED_BYTES)
    short = 0
    for query, reply in replies:
        rows.append(prediction_of(name, query, reply))
        short += _is_short(query, run)
    rows.write()
    return short


def _is_short(query: ModelQuery, run: Run) -> bool:
    return query.repeat == 0 and query.request.shots < run.shots


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
