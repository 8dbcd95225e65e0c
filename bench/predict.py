"""Throughput of a transformers model in replies per second, and how many replies change with the batch size, on the available device.

    python bench/predict.py --model tiny --limit 200
    python bench/predict.py --shape 7b --batch-sizes 16 64 128           on a GPU: Qwen2.5-7B's shape, random weights, no download
    python bench/predict.py --model qwen7b --batch-sizes 16 64 128       on a GPU, with the model already downloaded

It sends the pipeline's requests of the test split: greedily, sampled as in SdAK, and by likelihood; from the second batch size on in
reverse order. A reply counts as changed if its bytes differ from those with the first batch size. Random weights never end a reply, so
each has all 32 tokens, and their near-equal scores change more often than those of a trained model. Needs the splits and the plan
(`dvc repro`); `--shape` uses the tokenizer of the model `tiny`.
"""

import argparse
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from msgspec import structs
from transformers import AutoTokenizer, Qwen2Config, Qwen2ForCausalLM

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from eval.backends import open_backend
from eval.models.contract import Backend, ModelQuery, Settings
from eval.models.planned import describe
from eval.tasks.runs import RequestBuilder

GREEDY = Settings(max_new_tokens=32, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=16)
WAYS = {
    "greedy": GREEDY,
    "sampled": structs.replace(GREEDY, temperature=0.3, top_k=5, top_p=0.85, repetition_penalty=1.05),
    "likelihood": GREEDY,
}

# Sizes of Qwen2.5-7B and 0.5B from their config.json: layers, hidden, intermediate, heads, key-value heads, vocabulary.
# The third has the size of the smallest models in use, for a CPU; the last replaces the first, with the same heads per key and head width.
SHAPES = {
    "7b": (28, 3584, 18944, 28, 4, 152064),
    "0.5b": (24, 896, 4864, 14, 2, 151936),
    "0.1b": (12, 768, 2048, 12, 12, 32000),
    "7b-stand-in": (2, 896, 4736, 7, 1, 32000),
}


def make_model(shape: str, tokenizer_of: Path, folder: Path) -> Description:
    """Write a model of random weights with another model's tokenizer; return its description."""
    layers, hidden, intermediate, heads, key_values, vocabulary = SHAPES[shape]
    tokenizer = AutoTokenizer.from_pretrained(tokenizer_of)
    config = Qwen2Config(
        vocab_size=vocabulary,
        hidden_size=hidden,
        intermediate_size=intermediate,
        num_hidden_layers=layers,
        num_attention_heads=heads,
        num_key_value_heads=key_values,
        max_position_embeddings=32768,
        eos_token_id=tokenizer.eos_token_id,
        pad_token_id=tokenizer.pad_token_id,
        dtype=torch.bfloat16,
    )
    torch.manual_seed(1)
    torch.set_default_dtype(torch.bfloat16)
    with torch.device("cuda" if torch.cuda.is_available() else "cpu"):
        model = Qwen2ForCausalLM(config)
    torch.set_default_dtype(torch.float32)
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return Description(model=f"shape-{shape}", backend="huggingface", name=str(folder))


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--model", help="a key of `models` in params.yaml")
    which.add_argument("--shape", choices=sorted(SHAPES), help="a shape, with random weights")
    parser.add_argument("--models", type=Path, default=Path("data/plan"))
    parser.add_argument("--splits", type=Path, default=Path("data/splits"))
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16, 1, 3, 64])
    parser.add_argument("--limit", type=int, default=None, help="most requests of a task")
    args = parser.parse_args()
    with TemporaryDirectory() as folder:
        known = (
            (make_model(args.shape, Path("data/models/tiny"), Path(folder)), Path(folder))
            if args.shape
            else describe(args.model, args.models)
        )
        ask_all(open_backend(*known), args)


def ask_all(backend: Backend, args: argparse.Namespace) -> None:
    """Print one line per task, method and batch size."""
    print(f"{'task':8} {'way':11} {'batch':>5} {'asked':>6} {'failed':>6} {'changed':>7} {'seconds':>8} {'CPU s':>7} {'a second':>9}")
    for task in ("claim", "choice"):
        requests = RequestBuilder(args.splits).of_run(Run(model=args.model or args.shape, task=task))[: args.limit]
        queries = [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]
        for way, settings in WAYS.items():
            first = None
            for size in args.batch_sizes:
                ask = backend.loglikelihoods if way == "likelihood" else backend.generate
                start, work = time.perf_counter(), time.process_time()
                order = range(len(queries)) if first is None else range(len(queries))[::-1]
                asked = ask([queries[place] for place in order], structs.replace(settings, batch_size=size))
                found = {order[place]: reply for place, reply in asked}
                seconds, work = time.perf_counter() - start, time.process_time() - work
                first = first or found
                changed = sum(found[place] != first[place] for place in found)
                failed = sum(reply.error is not None for reply in found.values())
                told = f"{len(found):6} {failed:6} {changed:7} {seconds:8.2f} {work:7.2f} {len(found) / seconds:9.1f}"
                print(f"{task:8} {way:11} {size:5} {told}", flush=True)
    if torch.cuda.is_available():
        print(f"{torch.cuda.get_device_name()}, torch {torch.__version__}, peak {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB")


if __name__ == "__main__":
    main()
