"""Replies to claims that end with their verdict (`stop: verdict`) beside the library's `generate` to the end of the reply.

    python bench/stopping.py --limit 64 --turns 3

Both sides compute with the same random weights, in left-padded batches sorted by length; which token comes next is told by a script: the
labelled replies to claims in tests/eval that have 40 characters or more, begin with their verdict and go on with reasons, one a claim.
So the cost is real. Seconds are of one thread of a CPU. Needs the splits and the tokenizer of the model `tiny` (`dvc repro`).
"""

import argparse
import json
import os
import sys
import time
from itertools import cycle
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from msgspec import structs
from transformers import GenerationConfig
from transformers.generation import LogitsProcessor, LogitsProcessorList

from atomexam.records.run import Run
from bench.predict import GREEDY, make_model
from eval.answers.readers import read_reply
from eval.models import huggingface, open_backend
from eval.models.contract import ModelQuery, Settings
from eval.tasks import RequestBuilder
from eval.tasks.prompt import token_ids

LABELLED = Path(__file__).parent.parent / "tests/eval"
SETTINGS = structs.replace(GREEDY, max_new_tokens=256, stop="verdict")


class Scripted(LogitsProcessor):
    """Leaves open the next token of each row's script."""

    scripts: ClassVar[dict[str, list[int]]] = {}

    def __init__(self, settings: Settings, queries: list[ModelQuery], mask: torch.Tensor, said: int = 0) -> None:
        self._rows, self._width = [self.scripts[one.request.item_id] for one in queries], mask.shape[1] - said

    def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
        """Return scores that are 0 for that token and minus infinity for all others."""
        step = input_ids.shape[1] - self._width
        chosen = torch.tensor([[row[min(step, len(row) - 1)]] for row in self._rows], device=scores.device)
        return torch.full_like(scores, float("-inf")).scatter_(1, chosen, 0.0)


def of_library(backend: Any, queries: list[ModelQuery], size: int) -> list[str]:
    """Return the replies by `generate` alone: sorted by length, padded on the left, each to its own end."""
    tokenizer, rows = backend._tokenizer, token_ids(backend._tokenizer, [one.prompt for one in queries])
    order, replies = sorted(range(len(rows)), key=lambda place: len(rows[place])), [""] * len(rows)
    config = GenerationConfig(do_sample=False, max_new_tokens=256, eos_token_id=backend._ends, pad_token_id=tokenizer.pad_token_id)
    for start in range(0, len(order), size):
        taken = order[start : start + size]
        inputs = tokenizer.pad({"input_ids": [rows[place] for place in taken]}, padding_side="left", return_tensors="pt")
        script = LogitsProcessorList([Scripted(SETTINGS, [queries[place] for place in taken], inputs["input_ids"])])
        with torch.inference_mode():
            output = backend._model.generate(**inputs, generation_config=config, logits_processor=script)
        texts = tokenizer.batch_decode(output[:, inputs["input_ids"].shape[1] :], skip_special_tokens=True)
        for place, text in zip(taken, texts, strict=True):
            replies[place] = text
    return replies


def main() -> None:
    """Read the command line, ask both sides by turns, and print seconds and their ratio."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--splits", type=Path, default=Path("data/splits"))
    parser.add_argument("--tokenizer", type=Path, default=Path("data/models/tiny"))
    parser.add_argument("--limit", type=int, default=64)
    parser.add_argument("--chars", type=int, default=40, help="replies of at least so many characters")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--batch-size", type=int, default=16, help="of the library")
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    labelled = [json.loads(line) for path in sorted(LABELLED.glob("*replies.jsonl")) for line in path.read_text("utf-8").splitlines()]
    said = [row["response"] for row in labelled if row["task"] == "claim"]
    said = [text for text in said if len(text) >= args.chars and "<think>" not in text and read_reply("claim", text, {}).answer]
    with TemporaryDirectory() as folder:
        backend: Any = open_backend(make_model("0.1b", args.tokenizer, Path(folder)), Path(folder))
        huggingface.SampledToken = Scripted  # type: ignore[misc,assignment]
        requests = RequestBuilder(args.splits).of_run(Run(model="m", task="claim"))[: args.limit]
        queries = [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]
        scripts = {one.item_id: text for one, text in zip(requests, cycle(said), strict=False)}
        Scripted.scripts = {name: [*backend._tokenizer(text)["input_ids"], backend._ends[0]] for name, text in scripts.items()}
        assert backend._model is not None  # loaded before the clock runs
        ours, theirs = [], []
        for _ in range(args.turns):
            start = time.process_time()
            found = dict(backend.generate(queries, SETTINGS))
            ours.append(time.process_time() - start)
            start = time.process_time()
            expected = of_library(backend, queries, args.batch_size)
            theirs.append(time.process_time() - start)
    cut = [found[place] for place in range(len(queries))]
    same = sum(
        read_reply("claim", one.text, {}).answer == read_reply("claim", text, {}).answer for one, text in zip(cut, expected, strict=True)
    )
    tokens = sum(map(len, Scripted.scripts.values()))
    print(f"{len(queries)} claims, {tokens} tokens in whole replies, {sum(one.tokens for one in cut)} in those that end with their verdict")
    print(f"ours {median(ours):.1f} s, generate {median(theirs):.1f} s, ratio {median(theirs) / median(ours):.2f}; read alike {same}")


if __name__ == "__main__":
    main()
