"""The backends by name. Heavy libraries are imported when a backend is opened."""

from pathlib import Path

from eval.backends.contract import Backend, Opener
from records.checks import one_of
from records.model import Description


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


def _not_built(description: Description, folder: Path) -> Backend:
    raise ValueError(
        f"model {description.model}: the backend {description.backend!r} is not in this version yet; "
        f"set `backend: huggingface` for this model in params.yaml, or leave out its runs"
    )


BACKENDS: dict[str, Opener] = {"baseline": _baseline, "huggingface": _huggingface, "openai": _not_built, "vllm": _not_built}
