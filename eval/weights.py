"""Stage `weights`: the models of params.yaml -> data/weights/MODEL.txt, which weights a model has that lie outside the pipeline.

`predict` and `judge` depend on it, so that other weights under the same name are asked anew. Nothing is fetched.
"""

import logging
from pathlib import Path

from eval.backends.weights import content_hash, kept_revision
from records.checks import convert
from records.jsonl import folder_lock, replacing
from records.run import Model
from records.stage import read_arguments, run_stage

_WATCHED = Path("imports/models")
_logger = logging.getLogger("eval.weights")


def main(argv: list[str] | None = None) -> None:
    """Write a line a model."""
    args = read_arguments(argv, __doc__, None, None, {"out": "data/weights"})
    lines = {name: convert(line, Model, f"params.yaml: models.{name}") for name, line in (args.all_params.get("models") or {}).items()}
    with folder_lock(args.out) as out:
        for name, model in lines.items():
            with replacing(out / f"{name}.txt") as part:
                part.write_text(weights_of(name, model) + "\n", encoding="utf-8")
        for path in out.glob("*.txt"):
            if path.stem not in lines:
                path.unlink()


def weights_of(key: str, model: Model) -> str:
    """Return what tells one set of weights from another: a hash of a local folder, or the commit that is kept of a model on the hub."""
    if model.name is None or model.backend not in ("huggingface", "vllm"):
        return f"none but those of data/models/{key}"
    folder = Path(model.name)
    if folder.is_dir():
        if not folder.resolve().is_relative_to(_WATCHED.resolve()):
            again = f"after a change there, run `dvc repro -f weights`, or keep the model in {_WATCHED / key}"
            _logger.warning("params.yaml: models.%s: DVC watches %s alone, and %s lies elsewhere: %s", key, _WATCHED, folder, again)
        return f"files {content_hash(folder)}"
    revision = model.revision or "main"
    return f"revision {revision}: {kept_revision(model.name, revision) or 'not kept on this machine'}"


if __name__ == "__main__":
    run_stage(main)
