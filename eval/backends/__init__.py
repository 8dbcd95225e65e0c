"""The backends by name. Heavy libraries are imported when a backend is opened."""

from pathlib import Path

from atomexam.records.checks import one_of
from atomexam.records.model import Description
from eval.models.contract import Backend, Opener


def open_backend(description: Description, folder: Path) -> Backend:
    """Open a described model.

    Raises:
        ValueError: the backend is unknown or missing, or the model is unavailable.
    """
    where = f"model {description.model}"
    return BACKENDS[one_of(description.backend, BACKENDS, "backend", where)](description, folder)


def _baseline(description: Description, folder: Path) -> Backend:
    from eval.models.baseline import Baseline

    return Baseline(description)


def _huggingface(description: Description, folder: Path) -> Backend:
    from eval.models.local.huggingface import open_model

    return open_model(description, folder)


def _imported(description: Description, folder: Path) -> Backend:
    from eval.models.imported import Imported

    return Imported(description)


def _openai(description: Description, folder: Path) -> Backend:
    from eval.models.servers.openai import OpenAI

    return OpenAI(description)


def _vllm(description: Description, folder: Path) -> Backend:
    from eval.models.servers.vllm import Vllm

    return Vllm(description, folder)


BACKENDS: dict[str, Opener] = {
    "baseline": _baseline,
    "huggingface": _huggingface,
    "imported": _imported,
    "openai": _openai,
    "vllm": _vllm,
}
