"""Stage `predict`: a model and the test split -> its replies, one line a reply, sorted by item and repeat.

Replies are kept as they come, under the content of what was asked: a killed run goes on where it stopped, and a changed
dataset asks only for what changed.
"""

import hashlib
from pathlib import Path
from typing import Any

import msgspec
from tqdm import tqdm

from eval.backends import open_backend
from eval.backends.contract import Asking, Backend, Reply, Settings
from eval.prompt import prompt_sha256
from eval.tasks import TASKS, wording
from eval.tasks.reading import read_split
from eval.tasks.request import Request, with_shots
from records.checks import one_of
from records.jsonl import folder_lock, read_jsonl, to_line, write_jsonl
from records.model import Description
from records.prediction import Prediction
from records.run import Run
from records.stage import read_arguments, run_stage


class KeptReply(msgspec.Struct, frozen=True, kw_only=True):
    """One reply with the hash of all it depends on."""

    key: str
    reply: Reply


def main(argv: list[str] | None = None) -> None:
    """Ask one run's requests and write the replies."""
    paths = {"splits": "data/splits", "models": "data/models", "out": "data/predictions/{key}.jsonl"}
    args = read_arguments(argv, __doc__, "runs", Run, paths, keyed=True)
    run: Run = args.params
    backend = open_backend(*describe(run.model, args.models))
    askings = _askings(build_requests(run, args.splits), backend, run.repeats)
    # Beside the predictions, not among DVC's outputs, so that a new `dvc repro` finds them.
    with folder_lock(args.out.parent / ".replies" / args.key) as folder:
        replies = ask(backend, askings, _settings(run), folder / "replies.jsonl", args.key)
    predictions = [_prediction(args.key, asking, reply) for asking, reply in zip(askings, replies, strict=True)]
    write_jsonl(args.out, predictions, key=lambda prediction: (prediction.item_id, prediction.repeat))


def describe(model: str, models: Path) -> tuple[Description, Path]:
    """Return the description of a model and its folder.

    Raises:
        ValueError: there is no such model, or its description is broken; the message names those there are, or the file.
    """
    known = [path.parent.name for path in models.glob("*/model.json")]
    folder = models / one_of(model, known, "model", f"{models} (`dvc repro finetune` makes the models of params.yaml)")
    try:
        return msgspec.json.decode((folder / "model.json").read_bytes(), type=Description), folder
    except msgspec.DecodeError as error:
        raise ValueError(f"{folder / 'model.json'}: {error}; rebuild it with `dvc repro finetune@{model}`") from None


def build_requests(run: Run, splits: Path) -> list[Request]:
    """Return the requests of the test split; few-shot examples come from train, then dev, never from test."""
    ask, prompt = TASKS[run.task].requests, wording(run.task, run.prompt)
    requests = ask(*read_split(splits / "test"), prompt)
    examples = [ask(*read_split(splits / name), prompt) for name in ("train", "dev")] if run.shots else []
    return with_shots(requests, examples, run.shots, run.seed)


def ask(backend: Backend, askings: list[Asking], settings: Settings, kept: Path, name: str) -> list[Reply]:
    """Return a reply to each asking, in their order; only what `kept` does not have is asked, once, and added to it."""
    keys = [_key(backend.identity, asking, settings) for asking in askings]
    replies = _read_kept(kept)
    missing = {key: asking for key, asking in zip(keys, askings, strict=True) if key not in replies}
    todo = list(missing)
    with open(kept, "ab") as out, tqdm(total=len(keys), initial=len(keys) - len(todo), desc=name, unit="reply", disable=None) as bar:
        for place, reply in backend.generate(list(missing.values()), settings):
            replies[todo[place]] = reply
            out.write(to_line(KeptReply(key=todo[place], reply=reply)))
            out.flush()
            bar.update()
    return [replies[key] for key in keys]


def _askings(requests: list[Request], backend: Backend, repeats: int) -> list[Asking]:
    askings = []
    for request in requests:
        prompt = backend.render(request.messages)
        askings += [Asking(request=request, repeat=repeat, prompt=prompt) for repeat in range(repeats)]
    return askings


def _settings(run: Run) -> Settings:
    return Settings(**{name: getattr(run, name) for name in Settings.__struct_fields__})


def _key(identity: str, asking: Asking, settings: Settings) -> str:
    """Return the hash of all that a reply depends on: not of the batch, the run's name or the version of the data."""
    request = asking.request
    what: list[Any] = [identity, prompt_sha256(asking.prompt), msgspec.structs.replace(settings, batch_size=1)]
    what += [request.item_id, request.question_type, request.options, request.answer_format, asking.repeat]
    return hashlib.sha256(msgspec.json.encode(what)).hexdigest()


def _read_kept(path: Path) -> dict[str, Reply]:
    """Return the kept replies by key; the torn last line of a killed run is cut off."""
    if not path.exists():
        return {}
    whole = path.read_bytes()
    end = whole.rfind(b"\n") + 1
    if end < len(whole):
        with open(path, "r+b") as file:
            file.truncate(end)
    return {line.key: line.reply for line in read_jsonl(path, KeptReply)}


def _prediction(run: str, asking: Asking, reply: Reply) -> Prediction:
    return Prediction(
        item_id=asking.request.item_id,
        run=run,
        repeat=asking.repeat,
        prompt_sha256=prompt_sha256(asking.prompt),
        reply=reply.text,
        finish_reason=reply.finish_reason,
        tokens=reply.tokens,
    )


if __name__ == "__main__":
    run_stage(main)
