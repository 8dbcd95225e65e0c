"""What a tuned model has learned: claims that it was shown and those of held-out heads, beside the best rule of wording.

    python bench/tuned.py make llama20m --family llama       imports/models/llama20m: 20 million random weights, the tokenizer of `tiny`
    python bench/tuned.py ask sft --limit 300                the tuned model of `dvc repro tune@sft`

Asks both sides of each claim in the first wording. The rule says 错误 where a claim has a word of negation (the strategy `negation_word`).
"""

import argparse
import sys
import time
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).parent.parent))

from atomexam.records.claim import ClaimPair
from atomexam.records.model import Description
from atomexam.records.run import Run
from atomexam.runtime.jsonl import read_jsonl
from eval.models import open_backend
from eval.models.cached_model import stream_replies
from eval.predict.__main__ import prediction_of
from eval.score.__main__ import score_replies
from eval.score.grid import read_scores
from eval.score.metrics import FIGURES
from eval.tasks import TASKS

SPLITS, MODELS = Path("data/splits"), Path("data/models")
SIZES = {"vocab_size": 0, "hidden_size": 384, "intermediate_size": 1024, "num_hidden_layers": 9, "num_attention_heads": 6}
RULE = Description(model="negation", backend="baseline", strategy="negation_word")


def make(name: str, family: str, seed: int) -> None:
    """Write a model of random weights into a folder under imports/models, with the tokenizer of `tiny`."""
    import torch
    from transformers import AutoTokenizer, LlamaConfig, LlamaForCausalLM, Qwen2Config, Qwen2ForCausalLM

    tokenizer = AutoTokenizer.from_pretrained(MODELS / "tiny")
    ends = {"eos_token_id": tokenizer.eos_token_id, "pad_token_id": tokenizer.pad_token_id, "bos_token_id": None}
    sizes = SIZES | {"vocab_size": len(tokenizer), "num_key_value_heads": 6, "max_position_embeddings": 32768}
    # A width of 384 begins further out than the library's 0.02, which is for thousands: docs/decisions/0016-first-weights-by-width.md
    sizes["initializer_range"] = SIZES["hidden_size"] ** -0.5
    torch.manual_seed(seed)
    config, of = (LlamaConfig, LlamaForCausalLM) if family == "llama" else (Qwen2Config, Qwen2ForCausalLM)
    model: Any = of(config(**sizes, **ends))
    out = Path("imports/models") / name
    model.save_pretrained(out)
    tokenizer.save_pretrained(out)
    print(f"{out}: {type(model).__name__}, {model.num_parameters():,} parameters")


def figures(about: Description, folder: Path, pairs: list[ClaimPair]) -> dict[str, Any]:
    """Return the figures of a model for some claims."""
    requests = TASKS["claim"].requests([], pairs, "claim")
    run = Run(model="m", task="claim", max_new_tokens=8)
    with TemporaryDirectory() as scratch:
        replies = stream_replies(open_backend(about, folder), run, [requests], Path(scratch) / "replies.jsonl", "bench")
        scores = score_replies((prediction_of("bench", query, reply) for query, reply in replies), requests)
    return FIGURES["claim"](read_scores(scores, requests))


def ask(name: str, limit: int) -> None:
    """Print following rate and accuracy of a tuned model and of the rule, on what it was shown and on held-out heads."""
    folder = MODELS / name
    learned = {row["item_id"].partition("/")[0] for row in read_jsonl(folder / "learned.jsonl", dict)}
    train, test = (list(read_jsonl(SPLITS / split / "claims.jsonl", ClaimPair)) for split in ("train", "test"))
    groups = {
        "shown": [pair for pair in train if pair.id in learned],
        "train, not shown": [pair for pair in train if pair.id not in learned],
        "test, held-out heads": test,
    }
    print(f"{'claims of ' + name:30} {'pairs':>6} {'following':>10} {'accuracy':>9} {'95 %':>16} {'rule':>7} {'CPU s':>7}")
    for group, found in groups.items():
        pairs = found if len(found) <= limit else Random(1).sample(found, limit)
        if pairs:
            start = time.process_time()
            own = figures(Description(model=name, backend="huggingface", name=str(folder)), folder, pairs)
            spent, rule = time.process_time() - start, figures(RULE, folder, pairs)
            low, high = own["accuracy_interval"]
            print(
                f"{group:30} {len(pairs):6} {own['following_rate']:10.4f} {own['accuracy']:9.4f} {low:7.4f} – {high:6.4f} "
                f"{rule['accuracy']:7.4f} {spent:7.1f}"
            )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("make", "ask"))
    parser.add_argument("name")
    parser.add_argument("--family", choices=("llama", "qwen2"), default="llama")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--limit", type=int, default=10_000, help="claims of each group")
    args = parser.parse_args()
    if args.what == "make":
        make(args.name, args.family, args.seed)
    else:
        ask(args.name, args.limit)


if __name__ == "__main__":
    main()
