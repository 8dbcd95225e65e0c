"""Asking a transformers model: replies a second, and how many change with the batch size, on whatever device there is.

    python bench/predict.py --model tiny --limit 200
    python bench/predict.py --model qwen7b --batch-sizes 16 64 128       on a GPU, the model fetched before

The pipeline's own requests of the test split are asked, greedily, sampled as SdAK does, and by likelihood, from the second batch size
on in the reverse order. A reply counts as changed when its bytes differ from those of the first batch size. Needs the splits and the
model's folder (`dvc repro`).
"""

import argparse
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent))

from msgspec import structs

from eval.backends import describe, open_backend
from eval.backends.contract import Asking, Settings
from eval.tasks import build_requests
from records.run import Run

GREEDY = Settings(max_new_tokens=32, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=16)
WAYS = {
    "greedy": GREEDY,
    "sampled": structs.replace(GREEDY, temperature=0.3, top_k=5, top_p=0.85, repetition_penalty=1.05),
    "likelihood": GREEDY,
}


def main() -> None:
    """Print one line a task, way and batch size."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--model", required=True, help="a key of `models` in params.yaml")
    parser.add_argument("--models", type=Path, default=Path("data/models"))
    parser.add_argument("--splits", type=Path, default=Path("data/splits"))
    parser.add_argument("--batch-sizes", type=int, nargs="+", default=[16, 1, 3, 64])
    parser.add_argument("--limit", type=int, default=None, help="most requests of a task")
    args = parser.parse_args()
    backend = open_backend(*describe(args.model, args.models))
    print(f"{'task':8} {'way':11} {'batch':>5} {'asked':>6} {'failed':>6} {'changed':>7} {'seconds':>8} {'CPU s':>7} {'a second':>9}")
    for task in ("claim", "choice"):
        requests = build_requests(Run(model=args.model, task=task), args.splits)[: args.limit]
        askings = [Asking(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]
        for way, settings in WAYS.items():
            first = None
            for size in args.batch_sizes:
                ask = backend.weigh if way == "likelihood" else backend.generate
                start, work = time.perf_counter(), time.process_time()
                order = range(len(askings)) if first is None else range(len(askings))[::-1]
                asked = ask([askings[place] for place in order], structs.replace(settings, batch_size=size))
                found = {order[place]: reply for place, reply in asked}
                seconds, work = time.perf_counter() - start, time.process_time() - work
                first = first or found
                changed = sum(found[place] != first[place] for place in found)
                failed = sum(reply.error is not None for reply in found.values())
                told = f"{len(found):6} {failed:6} {changed:7} {seconds:8.2f} {work:7.2f} {len(found) / seconds:9.1f}"
                print(f"{task:8} {way:11} {size:5} {told}", flush=True)


if __name__ == "__main__":
    main()
