"""What several tests of tuning call: a short tuning of the toy, and the bytes that it left."""

import hashlib
from pathlib import Path
from typing import Any

from atomexam.records.blocks import Tuning
from atomexam.records.model import Description
from eval.tune.__main__ import tune
from eval.tune.training_set import DataPaths

ROOT = Path(__file__).parents[2]
QUICK: dict[str, Any] = {"epochs": 1, "rank": 2, "batch_tokens": 600, "max_tokens": 400, "checks": 3, "patience": 0, "data": {"claims": 1}}

SHAPE = {"hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 1, "num_attention_heads": 2, "vocab_size": 64}

ALONE = """
import json, sys
from pathlib import Path
from tests.eval.tuning import tuned
models, data, out, settings = sys.argv[1:]
tuned(Path(models), Path(data), Path(out), **json.loads(settings))
"""
"""A training in a process of its own: the folder of models, data, out and settings behind it."""


def places_of(data: Path) -> DataPaths:
    return DataPaths(data / "splits", data / "passages.jsonl", data / "dialogues")


def base_of(toy_models: Path) -> Description:
    return Description(model="m", backend="huggingface", name=str(toy_models / "toy"))


def tuned(toy_models: Path, folder: Path, out: Path, **changes: Any) -> dict[str, Any]:
    return tune(base_of(toy_models), Tuning(**QUICK | changes), places_of(folder), out)


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}
