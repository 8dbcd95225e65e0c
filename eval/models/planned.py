"""Read what stage `plan` wrote about a model: its description and its runs."""

from pathlib import Path

from atomexam.records.blocks import TEST, Run, Slug
from atomexam.records.checks import one_of
from atomexam.records.model import Description
from atomexam.runtime.jsonl import read_json

_REMEDY = "`dvc repro plan` writes it"


def describe(model: str, models: Path) -> tuple[Description, Path]:
    """Return the description of a model and its folder.

    Raises:
        ValueError: the model does not exist, or its description is invalid; the message lists the known models or names the file.
    """
    known = [path.parent.name for path in models.glob("*/model.json")]
    folder = models / one_of(model, known, "model", f"{models} (`dvc repro plan` describes the models of params.yaml)")
    return read_json(folder / "model.json", Description, f"{_REMEDY} again"), folder


def read_runs(path: Path, every_split: bool = False) -> dict[str, Run]:
    """Return a model's runs on test, or on every split, sorted by name.

    Raises:
        FileNotFoundError, ValueError: the file does not exist or is invalid; the message says which stage writes it.
    """
    if not path.exists():
        raise FileNotFoundError(f"{path}: no such file; {_REMEDY}")
    runs = sorted(read_json(path, dict[Slug, Run], f"{_REMEDY} again").items())
    return {name: run for name, run in runs if every_split or run.split == TEST}
