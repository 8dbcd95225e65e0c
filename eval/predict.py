"""Stage `predict`: a model and the test split -> its replies, one line a reply, sorted by item and repeat.

Replies are kept as they come, under the content of what was asked: a killed run goes on where it stopped, a changed dataset asks
only for what changed, and another run of the same model asks nothing twice. Over several GPUs:

    torchrun --nproc-per-node 4 -m eval.predict RUN        or `accelerate launch -m eval.predict RUN`
"""

import sys
from pathlib import Path

from eval.asking.asker import Asker, ask, settings_of
from eval.asking.shares import Finished, Rank, asked_hash, finished_path, read_rank, share_of, tell_finished, wait_for_others
from eval.asking.store import kept_path, open_store
from eval.backends import describe, open_backend
from eval.backends.contract import Asking, Backend, Reply
from eval.prompt import prompt_sha256
from eval.tasks import build_requests
from eval.tasks.request import Request
from records.jsonl import write_jsonl
from records.prediction import Prediction
from records.run import Run
from records.stage import read_arguments, run_stage

__all__ = ["ask", "build_requests", "describe", "kept_path", "settings_of"]


def main(argv: list[str] | None = None) -> None:
    """Ask one run's requests and write the replies."""
    paths = {"splits": "data/splits", "models": "data/models", "out": "data/predictions/{key}.jsonl"}
    args = read_arguments(argv, __doc__, "runs", Run, paths, keyed=True)
    run: Run = args.params
    if args.out.is_dir():  # before anything is asked
        raise ValueError(f"--out {args.out} is a folder; name a file to write to")
    rank = read_rank()
    folder = kept_path(args.out, run.model, args.key).parent
    if rank.number:
        finished_path(folder, args.key, rank).unlink(missing_ok=True)
    requests = build_requests(run, args.splits)
    replies = _ask_run(run, args.key, requests, open_backend(*describe(run.model, args.models)), folder, rank)
    if rank.number:
        return
    predictions = [_prediction(args.key, asking, reply) for asking, reply in replies]
    write_jsonl(args.out, predictions, key=lambda prediction: (prediction.item_id, prediction.repeat))
    for number in range(1, rank.of):
        finished_path(folder, args.key, Rank(number, rank.of)).unlink(missing_ok=True)


def _ask_run(run: Run, name: str, requests: list[Request], backend: Backend, folder: Path, rank: Rank) -> list[tuple[Asking, Reply]]:
    """Return every request with its reply; a process that is not the first returns its own share."""
    settings = settings_of(run)
    asked = asked_hash(backend.identity, settings, run.method, run.repeats, [(one.item_id, one.messages) for one in requests])
    with open_store(folder / f"{rank.name(name)}.jsonl") as store:
        asker = Asker(backend, settings, store, run.method)
        replies = asker.ask_in_turn(share_of(requests, rank), run.repeats, rank.name(name))
        counts = asker.counts
        if rank.number:
            tell_finished(folder, name, rank, Finished(asked=asked, counts=counts, failed=asker.failed))
        elif rank.of > 1:
            others = wait_for_others(folder, name, rank.of, asked)
            failed = asker.failed | {key: reply for other in others for key, reply in other.failed.items()}
            replies = Asker(backend, settings, store, run.method, failed).ask_in_turn(requests, run.repeats, name)
            for other in others:
                counts.add(other.counts)
    short = sum(asking.request.shots < run.shots for asking, _ in replies if asking.repeat == 0)
    line = counts.line(rank.name(name) if rank.number else name)
    print(f"{line}, {short} short of {run.shots} shots" if run.shots else line, file=sys.stderr, flush=True)
    if counts.failed and not rank.number:
        print(f"{name}: what failed is not kept; `dvc repro -fs predict@{name}` asks that alone again", file=sys.stderr, flush=True)
    return replies


def _prediction(run: str, asking: Asking, reply: Reply) -> Prediction:
    return Prediction(
        item_id=asking.request.item_id,
        run=run,
        repeat=asking.repeat,
        prompt_sha256=prompt_sha256(asking.prompt),
        reply=reply.text,
        finish_reason=reply.finish_reason,
        tokens=reply.tokens,
        prompt_tokens=reply.prompt_tokens,
        error=reply.error,
        likelihoods=reply.likelihoods,
        follows=asking.request.follows,
        shots=asking.request.shots,
    )


if __name__ == "__main__":
    run_stage(main)
