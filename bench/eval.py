"""Compare likelihoods and replies with lm-evaluation-harness (`hf`): same prompts, weights and thread, alternating in one process.

    python bench/eval.py --limit 100                    one thread of a CPU: a model of 118 million random parameters
    python bench/eval.py --limit 400 --few              only 8 items, then every hundredth of all, each with a new backend
    python bench/eval.py --shape 7b --limit 4000 --batch-sizes 16 64 auto        on a GPU: Qwen2.5-7B's shape, random weights
    python bench/eval.py --shape 7b-stand-in --limit 8 --turns 1                 the same code on a CPU, in a minute
    python bench/eval.py --model FOLDER --replies end --limit 24 --turns 1       replies of 32 tokens; of claims also `--replies verdict`

The prompts are single-choice questions of all splits, with no and with five examples, and claims of test. (For multiple-response
questions the harness reads each of 26 answers with the complete prompt, so a ratio would be meaningless.) The harness uses the best of the
batch sizes tried on the first 16 items. `distinct` is the share of tokens outside prefixes shared with an earlier prompt, `computed` the
ratio of computed prompt tokens to distinct ones. `roofline` is the share of our time that the matrix products of the distinct tokens, and
of the head after each prompt, would take at the measured peak speed. Equal decisions are counted among items whose two best answers differ
by more than float noise; for replies, equal texts up to the length of ours. Needs the splits and the tokenizer of the model `tiny`
(`dvc repro`).
"""

import argparse
import os
import resource
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory
from typing import Any, Literal

sys.path.insert(0, str(Path(__file__).parent.parent))

import torch
from lm_eval.api.instance import Instance
from lm_eval.models.huggingface import HFLM
from msgspec import structs
from transformers import AutoModelForCausalLM

from atomexam.records.blocks import Run
from atomexam.records.model import Description
from bench.predict import GREEDY, SHAPES, make_model
from eval.backends import open_backend
from eval.models.contract import ModelQuery
from eval.models.local.huggingface import HuggingFace
from eval.models.local.prefix_cache import TOKENS_A_READING
from eval.tasks.contract import read_split
from eval.tasks.prompt import token_ids
from eval.tasks.request import Request, allowed_answers
from eval.tasks.runs import TASKS, RequestBuilder
from eval.tasks.shots import from_pools, read_pools

SPLITS = ("train", "dev", "test", "reserved")
WAYS = {"choice, no examples": ("choice", 0), "choice, five examples": ("choice", 5), "claims": ("claim", 0)}
COLUMNS = {
    "asked": 30,
    "items": 5,
    "tokens": 7,
    "distinct": 8,
    "ours": 7,
    "harness": 7,
    "ratio": 5,
    "roofline": 8,
    "computed": 8,
    "its batch": 9,
    "equal decisions": 15,
}
_NOISE = 0.01
"""Natural log; the order of closer answers may depend on the last bits."""
Answers = list[Any]
"""For each query the likelihoods by answer, or the text of the reply."""


def prompts(backend: HuggingFace, task: str, shots: int, splits: Path, limit: int, subjects: int) -> list[ModelQuery]:
    """Return prompts of the subjects with the most questions, the same number of each if possible."""
    if task == "claim":
        requests = RequestBuilder(splits).of_run(Run(model="m", task="claim"))[:limit]
    else:
        rows = [question for split in SPLITS for question in read_split(splits / split)[0]]
        plain = TASKS[task].requests([row for row in rows if row.question_type == "mcqa"], [], TASKS[task].prompts[0])
        by_pool: dict[str, list[Request]] = {}
        for one in plain:
            by_pool.setdefault(one.pool, []).append(one)
        largest = sorted(by_pool.values(), key=len, reverse=True)[:subjects]
        chosen = [one for turn in zip_longest(*largest) for one in turn if one][:limit]
        examples = read_pools(TASKS[task], TASKS[task].prompts[0], splits, 1) if shots else {}
        requests = from_pools(chosen, examples, shots)
    return [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]


def of_ours(backend: HuggingFace, queries: Sequence[ModelQuery]) -> Answers:
    """Return the backend's likelihoods in the order of the queries."""
    found = dict(backend.loglikelihoods(queries, GREEDY))
    return [found[place].likelihoods or {} for place in range(len(queries))]


def of_ours_anew(backend: HuggingFace, queries: Sequence[ModelQuery]) -> Answers:
    """Return the backend's likelihoods like `of_ours`, repeating the checks made when a model is loaded."""
    for name in ("_reader", "_shares_prefixes"):
        backend.__dict__.pop(name, None)
    return of_ours(backend, queries)


def replies_of_ours(backend: HuggingFace, queries: Sequence[ModelQuery], stop: Literal["end", "verdict"]) -> Answers:
    """Return the backend's replies in the order of the queries."""
    found = dict(backend.generate(queries, structs.replace(GREEDY, stop=stop)))
    return [found[place].text for place in range(len(queries))]


def replies_of_harness(harness: HFLM, queries: Sequence[ModelQuery]) -> Answers:
    """Return the harness's replies."""
    how = {"until": [], "do_sample": False, "max_gen_toks": GREEDY.max_new_tokens}
    return harness.generate_until([Instance("generate_until", {}, (one.prompt, how), 0) for one in queries], disable_tqdm=True)


def of_harness(harness: HFLM, queries: Sequence[ModelQuery]) -> Answers:
    """Return the harness's likelihoods; the answer format before the answer is part of the context."""
    cut = [(one, one.request.answer_format.partition("{answer}")[0]) for one in queries]
    asked = [(one.prompt + lead, answer) for one, lead in cut for answer in allowed_answers(one.request)]
    told = iter(harness.loglikelihood([Instance("loglikelihood", {}, pair, 0) for pair in asked], disable_tqdm=True))
    return [{answer: next(told)[0] for answer in allowed_answers(one.request)} for one in queries]


def timed(work: Callable[..., Answers], *given: Any) -> tuple[float, Answers]:
    """Return the seconds (CPU time without a GPU) and the result of the work."""
    clock = time.perf_counter if torch.cuda.is_available() else time.process_time
    start = clock()
    made = work(*given)
    return clock() - start, made


def distinct_share(rows: Sequence[list[int]]) -> float:
    """Return the share of tokens that are not in a prefix shared with an earlier row."""
    new, before = 0, [*map(tuple, sorted(rows))]
    for last, row in zip([(), *before], before, strict=False):
        same = next((at for at, (one, other) in enumerate(zip(last, row, strict=False)) if one != other), min(len(last), len(row)))
        new += len(row) - same
    return new / sum(map(len, rows))


@torch.inference_mode()
def roofline(model: Any, tokens: float, prompts: int) -> float:
    """Return the seconds that the matrix products of these tokens, and of the head after each prompt, take at peak speed."""
    head, kind = model.get_output_embeddings(), model.device.type
    size = TOKENS_A_READING[kind][-1]
    shapes = Counter(tuple(one.weight.shape) for one in model.modules() if isinstance(one, torch.nn.Linear) and one is not head)
    products = [(shape, number * tokens) for shape, number in shapes.items()] + [(tuple(head.weight.shape), float(prompts))]
    needed = 0.0
    for (wide, narrow), rows in products:
        given, weight = (torch.randn((some, narrow), dtype=model.dtype, device=model.device) for some in (size, wide))
        needed += rows / size * min(timed(_product, given, weight)[0] for _ in range(5))
    return needed


def _product(given: torch.Tensor, weight: torch.Tensor) -> Answers:
    torch.nn.functional.linear(given, weight)
    if given.is_cuda:
        torch.cuda.synchronize()
    return []


def main() -> None:
    """Print one line per method."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--shape", choices=sorted(SHAPES), default="0.1b")
    parser.add_argument("--splits", type=Path, default=Path("data/splits"))
    parser.add_argument("--limit", type=int, default=100, help="most items of a way")
    parser.add_argument("--subjects", type=int, default=10, help="most subjects of the choices, those with most questions")
    parser.add_argument("--turns", type=int, default=3)
    parser.add_argument("--batch-sizes", nargs="+", default=["1", "4", "16"], help="of the harness; it also knows `auto`")
    parser.add_argument("--few", action="store_true", help="8 items alone, and every hundredth, with what a loaded model is tried with")
    parser.add_argument("--ways", nargs="+", choices=sorted(WAYS), default=list(WAYS))
    parser.add_argument("--model", type=Path, help="folder of a model that takes the place of random weights")
    parser.add_argument("--replies", choices=["end", "verdict"], help="replies of 32 tokens, and where ours end, instead of likelihoods")
    args = parser.parse_args()
    os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})  # one core, so that neither side uses more threads
    with TemporaryDirectory() as folder:
        if args.model:
            description = Description(model="bench", backend="huggingface", name=str(args.model))
        else:
            description = make_model(args.shape, Path("data/models/tiny"), Path(folder))
        backend = open_backend(description, Path(folder))
        assert isinstance(backend, HuggingFace)
        model = AutoModelForCausalLM.from_pretrained(args.model or folder, dtype=backend._dtype).to(backend._device)
        print("  ".join(f"{name:>{width}}" for name, width in COLUMNS.items()))
        for figures in (row for way in args.ways for row in rows_of(way, backend, model, args)):
            print("  ".join(f"{figures[name]:>{width}}" for name, width in COLUMNS.items()), flush=True)
    print(f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 2**20:.2f} GiB at most, with both models, for either method")
    if torch.cuda.is_available():
        print(f"at most {torch.cuda.max_memory_allocated() / 2**30:.1f} GiB, with both models, for either method")
    where, clock = (torch.cuda.get_device_name(), "the clock") if torch.cuda.is_available() else ("CPU, one thread", "CPU")
    print(f"{where}, torch {torch.__version__}; seconds of {clock}, median of {args.turns}")


def rows_of(way: str, backend: HuggingFace, model: Any, args: argparse.Namespace) -> Iterator[dict[str, str]]:
    """Yield the figures of one kind of prompt, for all items or a few."""
    task, shots = WAYS[way]
    queries = prompts(backend, task, shots, args.splits, args.limit, args.subjects)
    if args.few:
        yield {"asked": f"{way}, 8 alone"} | measured(queries[:8], backend, model, args, of_ours_anew)
        yield {"asked": f"{way}, 1 %"} | measured(queries[::100], backend, model, args, of_ours_anew)
    else:
        ours = partial(replies_of_ours, stop=args.replies) if args.replies else of_ours
        yield {"asked": way} | measured(queries, backend, model, args, ours)


def measured(
    queries: list[ModelQuery], backend: HuggingFace, model: Any, args: argparse.Namespace, ask: Callable[..., Answers]
) -> dict[str, str]:
    """Return the figures of some items, alternating between both sides."""
    rows = token_ids(backend._tokenizer, [one.prompt for one in queries])
    tried = {size: HFLM(pretrained=model, tokenizer=backend._tokenizer, backend="causal", batch_size=size) for size in args.batch_sizes}
    theirs_of = replies_of_harness if args.replies else of_harness
    ask(backend, queries[:2])  # loads the model
    read = counted(backend)
    speed = {size: timed(theirs_of, harness, queries[:16])[0] for size, harness in tried.items()}
    best = min(speed, key=speed.__getitem__)
    ours, theirs = [], []
    for _ in range(args.turns):
        seconds, found = timed(ask, backend, queries)
        ours.append(seconds)
        seconds, expected = timed(theirs_of, tried[best], queries)
        theirs.append(seconds)
    clear = [pair for pair in zip(found, expected, strict=True) if args.replies or _margin(pair[1]) > _NOISE]
    share = distinct_share(rows)
    least = roofline(model, share * sum(map(len, rows)), len(rows))
    if args.replies:
        same = sum(other.startswith(one) and (len(one) == len(other) or args.replies != "end") for one, other in clear)
    else:
        same = sum(max(one, key=one.__getitem__) == max(other, key=other.__getitem__) for one, other in clear)
    return {
        "items": str(len(queries)), "tokens": str(sum(map(len, rows))), "distinct": f"{share:.2f}",
        "ours": f"{median(ours):.2f}", "harness": f"{median(theirs):.2f}", "ratio": f"{median(theirs) / median(ours):.2f}",
        "roofline": f"{least / median(ours):.2f}", "computed": f"{sum(read) / args.turns / share / sum(map(len, rows)):.2f}",
        "its batch": best, "equal decisions": f"{same} of {len(clear)}",
    }  # fmt: skip


def counted(backend: HuggingFace) -> list[int]:
    """Return a list to which each forward pass over prompts appends its number of computed tokens."""
    reader, read = backend._reader, list[int]()
    forward = type(reader)._forward

    def counting(attention: Any, tokens: list[int], *given: Any) -> torch.Tensor:
        read.extend([len(tokens)] * (attention is reader._attention))
        return forward(reader, attention, tokens, *given)

    vars(reader)["_forward"] = counting
    return read


def _margin(likelihoods: dict[str, float]) -> float:
    first, second = sorted(likelihoods.values())[-1:-3:-1]
    return first - second


if __name__ == "__main__":
    main()
