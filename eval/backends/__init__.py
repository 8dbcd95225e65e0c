"""The backends by name. Heavy libraries are imported when a backend is opened."""

from pathlib import Path

import msgspec

from eval.backends.contract import Backend, Opener
from records.checks import one_of
from records.model import Description


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


def open_backend(description: Description, folder: Path) -> Backend:
    """Open a described model.

    Raises:
        ValueError: the backend is unknown or missing, or the model cannot be had.
    """
    where = f"model {description.model}"
    return BACKENDS[one_of(description.backend, BACKENDS, "backend", where)](description, folder)


def _baseline(description: Description, folder: Path) -> Backend:
    from eval.backends.baseline import Baseline

    return Baseline(description)


def _huggingface(description: Description, folder: Path) -> Backend:
    from eval.backends.huggingface import open_model

    return open_model(description, folder)


def _openai(description: Description, folder: Path) -> Backend:
    from eval.backends.openai import OpenAI

    return OpenAI(description)


def _vllm(description: Description, folder: Path) -> Backend:
    from eval.backends.vllm import Vllm

    return Vllm(description, folder)


BACKENDS: dict[str, Opener] = {"baseline": _baseline, "huggingface": _huggingface, "openai": _openai, "vllm": _vllm}
