"""Benchmark a GPU in six minutes: replies, likelihoods, tuning, and too little memory. One table; nothing is downloaded.

    python bench/gpu.py                                 one GPU, weights of 7 billion random parameters in bfloat16
    python bench/gpu.py --tiny                          the same code on a CPU, in shapes that take two minutes
    python bench/gpu.py --parts devices memory          only some parts

Each part is a separate process with a time limit; a failure is a line of the table, and the next part starts. Claims, questions and
weights are generated. `tokens/s` counts generated tokens for replies, all prompt tokens for likelihoods, and all tokens of the rows for
tuning. `theirs` is lm-evaluation-harness (`hf`) with the same model, prompts and batch size; `equal` counts equal texts, or equal decisions
whose two best answers differ by more than noise. Memory is the peak of the device, or of the process on a CPU.

On a machine without a network: scripts/gpu_wheels.sh
"""

import argparse
import json
import os
import platform
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from random import Random
from typing import Any, Literal, NamedTuple

sys.path.insert(0, str(Path(__file__).parent.parent))

from bench.gpu_memory import at_most, ballast, noted_errors
from bench.gpu_table import Table, as_markdown, measured, rates, shown, times
from bench.random_model import RandomWeights, choice_requests, claim_requests, device, random_backend, write_config

ROOT = Path(__file__).parent.parent


class Sizes(NamedTuple):
    """Models, and the number of prompts for each."""

    model: str
    """A key of SHAPES in bench/random_model.py or bench/predict.py."""
    batches: tuple[int, ...]
    claims: int
    """Number of likelihoods of claims; for replies, at least the size of the largest batch."""
    choices: int
    choice_batches: tuple[int, ...]
    new_tokens: int
    tuning_steps: int
    row_tokens: int
    step_tokens: int
    learner: str
    """The model trained for the comparison of devices."""
    learner_steps: int
    compared: int
    small: str
    """The model for the parts with too little memory."""
    long_prompt: int


FULL = Sizes(
    model="7b",
    batches=(16, 64, 256),
    claims=1024,
    choices=320,
    choice_batches=(16, 64),
    new_tokens=32,
    tuning_steps=4,
    row_tokens=2048,
    step_tokens=16384,
    learner="learner",
    learner_steps=200,
    compared=128,
    small="0.5b",
    long_prompt=60_000,
)
TINY = Sizes(
    model="tiny",
    batches=(4, 16),
    claims=32,
    choices=8,
    choice_batches=(4,),
    new_tokens=8,
    tuning_steps=2,
    row_tokens=256,
    step_tokens=512,
    learner="tiny learner",
    learner_steps=60,
    compared=16,
    small="tiny",
    long_prompt=4_000,
)


def queries_of(backend: Any, requests: Sequence[Any]) -> list[Any]:
    from eval.models.contract import ModelQuery

    return [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]


def greedy(tokens: int, batch: int, **settings: Any) -> Any:
    from eval.models.contract import Settings

    return Settings(
        max_new_tokens=tokens, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=batch, **settings
    )


def replies_of(backend: Any, queries: Sequence[Any], settings: Any, way: str = "generate") -> list[Any]:
    found = dict(getattr(backend, way)(queries, settings))
    return [found[index] for index in range(len(queries))]


def same(one: Sequence[Any], other: Sequence[Any]) -> str:
    """Return how many replies have the same text."""
    return f"{sum(left.text == right.text for left, right in zip(one, other, strict=True))} of {len(one)}"


def same_decisions(ours: Sequence[dict[str, float]], theirs: Sequence[dict[str, float]], noise: float) -> str:
    """Return how many answers are the same, among those whose two best differ by more than noise."""
    pairs = [(one, other) for one, other in zip(ours, theirs, strict=True) if _margin(other) > noise]
    return f"{sum(max(one, key=one.__getitem__) == max(other, key=other.__getitem__) for one, other in pairs)} of {len(pairs)}"


def _margin(likelihoods: dict[str, float]) -> float:
    first, second = sorted(likelihoods.values())[-1:-3:-1]
    return first - second


def machine(sizes: Sizes, table: Table, folder: Path) -> None:
    """Report the device, versions, and two ceilings: bytes moved and products per second."""
    import torch
    import transformers

    name = torch.cuda.get_device_name() if device() == "cuda" else platform.processor() or "CPU"
    versions = f"Python {platform.python_version()}, torch {torch.__version__}, transformers {transformers.__version__}"
    table.add(name, remark=versions)
    many = 2**33 if device() == "cuda" else 2**24
    with table.line("copy, read and written") as row:
        source = torch.zeros(many, dtype=torch.uint8, device=device()).random_(0, 255)
        target = torch.empty_like(source)
        target.copy_(source)
        spent, _ = measured(times, 5, target.copy_, source)
        row |= {"seconds": spent["seconds"], "remark": f"{10 * many / spent['seconds'] / 1e9:,.0f} GB/s"}
    side = 8192 if device() == "cuda" else 256
    with table.line(f"product of {side} x {side}, bfloat16") as row:
        left, right = (torch.randn((side, side), device=device(), dtype=torch.bfloat16) for _ in range(2))
        left @ right
        spent, _ = measured(times, 10, left.matmul, right)
        row |= {"seconds": spent["seconds"], "remark": f"{20 * side**3 / spent['seconds'] / 1e12:,.1f} TFLOP/s"}


def predict(sizes: Sizes, table: Table, folder: Path) -> None:
    """Measure replies and likelihoods of a model of random weights, compared with lm-evaluation-harness."""
    backend = random_backend(sizes.model, folder)
    with table.line("model made, first reply") as row:
        spent, _ = measured(replies_of, backend, queries_of(backend, claim_requests(2)), greedy(2, 2))
        row |= spent | {"remark": f"{backend._model.num_parameters() / 1e9:.2f} billion parameters, {backend._dtype}"}
    for batch in sizes.batches:
        _generation(backend, sizes, batch, table)
    _sampled(backend, sizes, sizes.batches[1], table)
    claims = queries_of(backend, claim_requests(sizes.claims))
    _likelihoods(backend, "likelihood of claims", claims, sizes.batches, table)
    choices = queries_of(backend, choice_requests(sizes.choices, 5))
    _likelihoods(backend, "likelihood of choices, five examples", choices, sizes.choice_batches, table)


def harness_of(backend: Any, batch: int) -> Any:
    from lm_eval.models.huggingface import HFLM

    return HFLM(pretrained=backend._model, tokenizer=backend._tokenizer, backend="causal", batch_size=batch)


def _generation(backend: Any, sizes: Sizes, batch: int, table: Table) -> None:
    count = min(sizes.claims, max(128, 4 * batch)) if device() == "cuda" else 2 * batch
    queries, settings = queries_of(backend, claim_requests(count)), greedy(sizes.new_tokens, batch)
    ours: list[Any] = []
    with table.line(f"replies to claims, {sizes.new_tokens} tokens", batch=batch) as row:
        replies_of(backend, queries[: min(batch, 16)], greedy(2, batch))
        spent, ours = measured(replies_of, backend, queries, settings)
        row |= spent | rates(spent["seconds"], count, sum(one.tokens for one in ours))
        failed = sum(one.error is not None for one in ours)
        row["remark"] = f"{failed} failed; {_padding(backend, queries, batch)}"
        spent, theirs = measured(*_harness_replies(backend, queries, sizes.new_tokens, batch))
        equal = sum(one.text == other for one, other in zip(ours, theirs, strict=True))
        row |= {"theirs": spent["seconds"], "ratio": round(spent["seconds"] / row["seconds"], 2), "equal": f"{equal} of {count}"}
        row["remark"] += f"; theirs {spent['GiB']} GiB"


def _harness_replies(backend: Any, queries: Sequence[Any], tokens: int, batch: int) -> tuple[Callable[..., list[str]], list[Any]]:
    """Return the harness's function and its input."""
    from lm_eval.api.instance import Instance

    settings = {"until": [], "max_gen_toks": tokens, "do_sample": False}
    given = [Instance("generate_until", {}, (one.prompt, settings), 0) for one in queries]
    return partial(harness_of(backend, batch).generate_until, disable_tqdm=True), given


def _sampled(backend: Any, sizes: Sizes, batch: int, table: Table) -> None:
    from msgspec import structs

    with table.line("the same, sampled as SdAK does", batch=batch) as row:
        queries = queries_of(backend, claim_requests(4 * batch))
        settings = structs.replace(greedy(sizes.new_tokens, batch), temperature=0.3, top_k=5, top_p=0.85, repetition_penalty=1.05)
        spent, made = measured(replies_of, backend, queries, settings)
        row |= spent | rates(spent["seconds"], len(made), sum(one.tokens for one in made))


def _padding(backend: Any, queries: Sequence[Any], batch: int) -> str:
    from eval.models.local.batches import padded

    widths = Counter(padded(len(row)) for row in backend._renderer.token_ids(queries))
    return f"batches of {', '.join(f'{-(-number // batch)} x {width}' for width, number in sorted(widths.items()))}"


def _likelihoods(backend: Any, what: str, queries: Sequence[Any], batches: Sequence[int], table: Table) -> None:
    """Measure ours once, since it uses no batch size, and theirs with each."""
    rows = backend._renderer.token_ids(queries)
    tokens = sum(map(len, rows))
    ours: list[Any] = []
    with table.line(what, batch="") as row:
        replies_of(backend, queries[:2], greedy(1, 1), "loglikelihoods")
        spent, ours = measured(replies_of, backend, queries, greedy(1, 1), "loglikelihoods")
        row |= spent | rates(spent["seconds"], len(queries), tokens)
        is_shared = "shared" if backend._shares_prefixes else "not shared"
        failed = sum(one.error is not None for one in ours)
        row["remark"] = f"{failed} failed; prefixes {is_shared}; distinct tokens {_distinct(rows):.2f} of {tokens:,}"
    for batch in batches:
        with table.line(f"{what}: theirs", batch=batch) as row:
            harness = harness_of(backend, batch)
            _harness_likelihoods(harness, queries[:batch])
            spent, theirs = measured(_harness_likelihoods, harness, queries)
            row |= rates(spent["seconds"], len(queries), tokens) | {"GiB": spent["GiB"], "theirs": spent["seconds"]}
            row["equal"] = same_decisions([one.likelihoods or {} for one in ours], theirs, 0.1)
            row["remark"] = "equal: more than 0.1 apart"


def _distinct(rows: Sequence[list[int]]) -> float:
    from bench.eval import distinct_share

    return distinct_share(rows)


def _harness_likelihoods(harness: Any, queries: Sequence[Any]) -> list[dict[str, float]]:
    from bench.eval import of_harness

    return of_harness(harness, queries)


def tuning(sizes: Sizes, table: Table, folder: Path) -> None:
    """Measure LoRA on a model of the same shape as in `predict`, with rows of packed conversations and the stage's own loop."""
    ways: tuple[Literal["kept", "again"], ...] = ("kept", "again")
    for activations in ways:
        with table.line(f"LoRA, rank 16, activations {activations}") as row:
            row |= _tuned(sizes, activations, folder / activations)


def _tuned(sizes: Sizes, activations: Literal["kept", "again"], folder: Path) -> dict[str, Any]:
    from atomexam.records.blocks import Tuning
    from atomexam.records.model import Description
    from eval.tune import training
    from eval.tune.examples import steps_of

    tuning = Tuning(
        data={"claims": 1}, max_tokens=sizes.row_tokens, batch_tokens=sizes.step_tokens, checks=1, activations=activations
    )  # fmt: skip
    tokenizer = write_config(sizes.model, "bfloat16", folder)
    training.AutoModelForCausalLM = RandomWeights
    model = training.open_base(folder, tuning, Description(model="bench", backend="huggingface", name=str(folder)))
    parameters = model.num_parameters()
    packs = training.supports_packing(model)
    examples = conversation_examples(tokenizer, sizes.tuning_steps * sizes.step_tokens // 60)
    steps = steps_of(examples, sizes.step_tokens, 0, sizes.row_tokens, packs)[: sizes.tuning_steps]
    with row_times() as times:
        spent, figures = measured(training.train, model, tokenizer, steps, [], tuning, folder / "kept", folder)
    # Skip the first step, which includes one-time loading; the end of the last row is not observed.
    skipped = len(steps[0])
    taken = times[-1] - times[skipped]
    rows = [row for step in steps for row in step][skipped:-1]
    speed = sum(len(one.ids) for row in rows for one in row) / taken
    work = (4 if activations == "kept" else 6) * parameters * speed / 1e12  # for frozen weights: docs/models.md
    return {
        "batch": len(steps[0]), "items": sum(len(row) for step in steps for row in step), "seconds": spent["seconds"], "GiB": spent["GiB"],
        "tokens/s": round(speed),
        "remark": f"{len(steps)} steps of {len(steps[0])} rows, packed: {packs}; {1000 * taken / len(rows):.0f} ms a row, {work:.2f} "
        f"TFLOP/s; loss {figures['loss'][0]} to {figures['loss'][-1]}; seconds with start and checkpoint",
    }  # fmt: skip


def conversation_examples(tokenizer: Any, count: int) -> list[Any]:
    """Return claims with one-sentence replies as examples."""
    from eval.tune.examples import conversation_example

    made = []
    for one in claim_requests(count, seed=2):
        reason = f"{one.answer}。{one.facets['head']}是常用的方剂，这里说的是它的作用。"
        made.append(conversation_example(tokenizer, "claims", one.item_id, [*one.messages, {"role": "assistant", "content": reason}]))
    Random(1).shuffle(made)
    return made


@contextmanager
def row_times() -> Iterator[list[float]]:
    """Record the start time of each row of a training."""
    import torch

    from eval.tune import training

    trainer: Any = training._OrderedTrainer
    usual, times = trainer.training_step, list[float]()

    def training_step(*given: Any, **named: Any) -> Any:
        if device() == "cuda":
            torch.cuda.synchronize()
        times.append(time.perf_counter())
        return usual(*given, **named)

    trainer.training_step = training_step
    try:
        yield times
    finally:
        trainer.training_step = usual


def devices(sizes: Sizes, table: Table, folder: Path) -> None:
    """Compare replies and decisions of a small trained model by batch size, number format and device."""
    import torch

    with table.line("full tuning of a small model", batch="") as row:
        row |= _learned(sizes, folder)
    here, count = device(), sizes.compared
    opened = {
        name: _backend_on(folder, kind, dtype)
        for name, kind, dtype in (("usual", here, None), (f"{here}, float32", here, torch.float32), ("cpu", "cpu", torch.float32))
    }
    requests = claim_requests(count, seed=3)
    queries = {name: queries_of(backend, requests) for name, backend in opened.items()}
    found: dict[str, list[Any]] = {}
    ways = [("usual", 16), ("usual", 1), ("usual", 64), (f"{here}, float32", 16), ("cpu", 16)]
    for name, batch in ways:
        with table.line(f"replies, {name} ({opened[name]._dtype})", batch=batch) as row:
            spent, made = measured(replies_of, opened[name], queries[name], greedy(32, batch))
            found[f"{name} {batch}"] = made
            row |= spent | rates(spent["seconds"], count, sum(one.tokens for one in made))
            row["remark"] = "equal to usual, batch 16; " + _right(made, requests)
            row["equal"] = same(made, found["usual 16"])
    if {f"{here}, float32 16", "cpu 16"} <= found.keys():  # there is nothing to compare in a failed row
        table.add("float32, device and CPU", batch=16, items=count, equal=same(found[f"{here}, float32 16"], found["cpu 16"]))
    with table.line("replies that end with their verdict, usual", batch=16) as row:
        settings = greedy(32, 16, stop="verdict")
        spent, made = measured(replies_of, opened["usual"], queries["usual"], settings)
        row |= spent | rates(spent["seconds"], count, sum(one.tokens for one in made))
        begins = sum(whole.text.startswith(one.text) for one, whole in zip(made, found["usual 16"], strict=True))
        row |= {"equal": f"{begins} of {count}", "remark": "begin as the whole replies, batch 16"}
    _decisions(opened, sizes, table)


def _decisions(opened: dict[str, Any], sizes: Sizes, table: Table) -> None:
    for what, requests in (("claims", claim_requests(sizes.compared, seed=3)), ("choices", choice_requests(sizes.compared // 2, 5))):
        found: dict[str, list[dict[str, float]]] = {}
        for name, backend in opened.items():
            with table.line(f"likelihood of {what}, {name} ({backend._dtype})", batch="") as row:
                queries = queries_of(backend, requests)
                spent, made = measured(replies_of, backend, queries, greedy(1, 16), "loglikelihoods")
                found[name] = [one.likelihoods or {} for one in made]
                row |= spent | {"items": len(queries), "items/s": round(len(queries) / spent["seconds"], 1)}
                row["equal"] = same_decisions(found[name], found["usual"], 0.0)
                apart = max(
                    abs(one[answer] - other[answer]) for one, other in zip(found[name], found["usual"], strict=True) for answer in one
                )
                row["remark"] = f"equal to usual; at most {apart:.4f} apart; {_right(made, requests)}"


def _right(made: Sequence[Any], requests: Sequence[Any]) -> str:
    right = sum(one.text.removeprefix("答案：").startswith(request.answer) for one, request in zip(made, requests, strict=True))
    return f"{right} right"


def _learned(sizes: Sizes, folder: Path) -> dict[str, Any]:
    """Train the model and write it to the folder."""
    from transformers import AutoModelForCausalLM

    from atomexam.records.blocks import Tuning
    from atomexam.records.model import Description
    from eval.tune import training
    from eval.tune.examples import steps_of

    tokenizer = write_config(sizes.learner, "float32", folder)
    tuning = Tuning(
        data={"claims": 1}, method="full", learning_rate=2e-3, max_tokens=1024, batch_tokens=1024, warmup=0.1, checks=1
    )  # fmt: skip
    training.AutoModelForCausalLM = RandomWeights
    model = training.open_base(folder, tuning, Description(model="bench", backend="huggingface", name=str(folder)))
    training.AutoModelForCausalLM = AutoModelForCausalLM
    examples = conversation_examples(tokenizer, sizes.learner_steps * 16)
    steps = steps_of(examples, 1024, 0, 1024, training.supports_packing(model))[: sizes.learner_steps]
    spent, figures = measured(training.train, model, tokenizer, steps, [], tuning, folder / "kept", folder)
    tokens = sum(len(one.ids) for step in steps for row in step for one in row)
    return (
        spent
        | rates(spent["seconds"], sum(len(row) for step in steps for row in step), tokens)
        | {"remark": f"{len(steps)} steps; loss {figures['loss'][0]} to {figures['loss'][-1]}"}
    )


def _backend_on(folder: Path, kind: str, dtype: Any) -> Any:
    """Return the backend on a device; None uses its default number format."""
    import torch

    from atomexam.records.model import Description
    from eval.models.local import huggingface

    usual = huggingface._device
    huggingface._device = lambda: torch.device(kind)
    try:
        backend = huggingface.HuggingFace(folder, Description(model="bench", backend="huggingface", name=str(folder)))
    finally:
        huggingface._device = usual
    backend._dtype = dtype or backend._dtype
    return backend


def memory(sizes: Sizes, table: Table, folder: Path) -> None:
    """Test what happens to requests if memory is too small for a batch, a likelihood computation or a prompt."""
    backend = random_backend(sizes.small, folder)
    few = queries_of(backend, claim_requests(4))
    errors = noted_errors()
    with table.line("with room", batch=4) as row:
        row |= _outcome(errors, backend, few, greedy(4, 4))
        replies_of(backend, few, greedy(1, 4), "loglikelihoods")
    claims = queries_of(backend, claim_requests(max(sizes.batches) * 2))
    with table.line("replies, half a GiB of room", batch=len(claims)) as row, at_most(2**29):
        row |= _outcome(errors, backend, claims, greedy(sizes.new_tokens, len(claims)))
    with table.line("likelihoods, an eighth of a GiB of room", batch="") as row, at_most(2**27):
        row |= _outcome(errors, backend, claims, greedy(1, 16), "loglikelihoods")
    long = few[0].prompt.replace("\n", "\n" + "白术" * (sizes.long_prompt // 2), 1)
    mixed = [*few[1:], type(few[0])(request=few[0].request, repeat=0, prompt=long)]
    for way in ("generate", "loglikelihoods"):
        with table.line(f"{way}, one of four prompts too long for a quarter of a GiB", batch=4) as row, at_most(2**28):
            row |= _outcome(errors, backend, mixed, greedy(4, 4), way)


def full(sizes: Sizes, table: Table, folder: Path) -> None:
    """Test what happens to requests if other processes use the entire device, so that libraries below torch fail."""
    if device() == "cpu":
        table.add("no GPU", remark="not run")
        return
    backend = random_backend(sizes.small, folder)
    few = queries_of(backend, claim_requests(4))
    errors = noted_errors()
    _ = backend._model
    with table.line("replies, before the first product", batch=4) as row, ballast(left=16 << 20):
        row |= _outcome(errors, backend, few, greedy(4, 4))
    with table.line("likelihoods, the first of this model", batch="") as row, ballast(left=16 << 20):
        row |= _outcome(errors, backend, few, greedy(1, 4), "loglikelihoods")
        row["remark"] += f"; prefixes shared: {backend._shares_prefixes}"
    for name in ("_reader", "_shares_prefixes"):  # as when a model has just been loaded
        backend.__dict__.pop(name, None)
    for what, way in (("replies", "generate"), ("likelihoods", "loglikelihoods")):
        with table.line(f"{what} afterwards, with room", batch=4) as row:
            row |= _outcome(errors, backend, few, greedy(4, 4), way)
        with table.line(f"{what}, full once more", batch=4) as row, ballast(left=16 << 20):
            row |= _outcome(errors, backend, few, greedy(4, 4), way)


def _outcome(errors: list[str], *asked: Any) -> dict[str, Any]:
    """Return the figures of replies that may run out of memory: how many failed, and the errors."""
    errors.clear()
    try:
        spent, made = measured(replies_of, *asked)
    except Exception as error:
        return {"remark": f"NOT CAUGHT {shown(error)}; before: {dict(Counter(errors))}"}
    failed = Counter(one.error.partition(",")[0] for one in made if one.error)
    return spent | {"items": len(made), "remark": f"{sum(failed.values())} failed {dict(failed)}; caught {dict(Counter(errors))}"}


def static(sizes: Sizes, table: Table, folder: Path) -> None:
    """Measure a compiled step over a static cache, which the backend does not use, with the library's `generate`."""
    import torch

    backend = random_backend(sizes.model, folder)
    for batch in sizes.batches[:2]:
        rows = backend._renderer.token_ids(queries_of(backend, claim_requests(batch)))
        inputs, mask = backend._padded([row[:64] for row in rows], 64)
        first = None
        for cache in ("dynamic", "static"):
            with table.line(f"generate, {cache} cache, {sizes.new_tokens} tokens", batch=batch) as row, torch.inference_mode():
                settings = {"max_new_tokens": sizes.new_tokens, "cache_implementation": None if cache == "dynamic" else cache}
                work = partial(backend._generate, inputs, mask, settings)
                loading, _ = measured(work)
                spent, made = measured(work)
                first = made if first is None else first
                row |= spent | rates(spent["seconds"], batch, batch * sizes.new_tokens)
                equal = sum(torch.equal(one, other) for one, other in zip(made, first, strict=True))
                row |= {"equal": f"{equal} of {batch}", "remark": f"first call {loading['seconds']} s"}


PARTS: dict[str, tuple[Callable[[Sizes, Table, Path], None], int]] = {
    "machine": (machine, 45),
    "predict": (predict, 170),
    "tuning": (tuning, 90),
    "devices": (devices, 80),
    "memory": (memory, 60),
    "full": (full, 45),
    "static": (static, 90),
}
"""Part -> its time limit in seconds."""


def run_parts(args: argparse.Namespace) -> list[dict[str, Any]]:
    """Run each part in a separate process; return the rows, including one for each failed part."""
    rows: list[dict[str, Any]] = []
    args.out.parent.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * args.minutes
    with tempfile.TemporaryDirectory() as scratch:
        for part in args.parts:
            lines, errors = Path(scratch, f"{part}.jsonl"), Path(scratch, f"{part}.txt")
            lines.touch()
            limit = min(PARTS[part][1] * (10 if args.tiny else 1), end - time.monotonic())
            start = time.monotonic()
            failure: str | None = "no time left"
            if limit > 5:
                command = [sys.executable, __file__, "--part", part, "--rows", str(lines), *(["--tiny"] if args.tiny else [])]
                with open(errors, "wb") as log:
                    failure = _run(command, limit, log)
                print(errors.read_text(encoding="utf-8", errors="replace")[-1500:] if failure else "", end="", file=sys.stderr)
            rows += [json.loads(line) for line in lines.read_text(encoding="utf-8").splitlines()]
            rows.append({"part": part, "what": "all of this part", "seconds": round(time.monotonic() - start, 1), "remark": failure or ""})
            args.out.write_text(json.dumps(rows, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
            print(f"{part}: {rows[-1]['seconds']} s {failure or ''}", file=sys.stderr, flush=True)
    return rows


def _run(command: Sequence[str], limit: float, log: Any) -> str | None:
    """Return why a process failed; None if it succeeded."""
    try:
        done = subprocess.run(command, cwd=ROOT, stdout=log, stderr=log, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"failed: stopped after {limit:.0f} s"
    return f"failed: exit status {done.returncode}" if done.returncode else None


def main() -> None:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=Path("reports/gpu.json"), help="the rows as JSON")
    parser.add_argument("--tiny", action="store_true", help="shapes for a CPU")
    parser.add_argument("--minutes", type=float, default=6, help="of all parts")
    parser.add_argument("--parts", nargs="+", choices=PARTS, default=list(PARTS))
    parser.add_argument("--part", choices=PARTS, help=argparse.SUPPRESS)
    parser.add_argument("--rows", type=Path, help=argparse.SUPPRESS)
    args = parser.parse_args()
    os.environ |= {"HF_HUB_OFFLINE": "1", "TOKENIZERS_PARALLELISM": "false"}
    if args.part:
        with tempfile.TemporaryDirectory() as folder:
            PARTS[args.part][0](TINY if args.tiny else FULL, Table(args.rows, args.part), Path(folder))
    else:
        args.minutes = args.minutes * (5 if args.tiny else 1)
        print(as_markdown(run_parts(args)))


if __name__ == "__main__":
    main()
