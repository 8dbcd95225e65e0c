"""Backends by name: every one that params.yaml may name is there, and what cannot be opened says why."""

from pathlib import Path

import msgspec
import pytest

from atomexam.records.model import Description
from atomexam.records.run import Model
from eval.backends import BACKENDS, open_backend
from eval.models.baseline import STRATEGIES


def test_every_backend_of_params_is_known() -> None:
    assert set(msgspec.structs.fields(Model)[0].type.__args__) == set(BACKENDS)


@pytest.mark.parametrize(("description", "message"), [
    ({"backend": "baseline", "strategy": "rnadom"}, r"unknown strategy 'rnadom'; known: always_.*; did you mean random"),
    ({"backend": "baseline"}, r"unknown strategy ''; known: always_correct"),
    ({"backend": "llamafile"}, r"unknown backend 'llamafile'; known: baseline, huggingface, openai, vllm"),
    ({"backend": "openai"}, r"no name; set `name` in params.yaml to what the server calls the model"),
])  # fmt: skip
def test_what_cannot_be_opened_says_why(description: dict, message: str) -> None:
    with pytest.raises(ValueError, match=f"model m: {message}"):
        open_backend(Description(model="m", **description), Path())


def test_identities_differ() -> None:
    identities = {open_backend(Description(model="m", backend="baseline", strategy=name), Path()).identity for name in STRATEGIES}
    assert len(identities) == len(STRATEGIES)
