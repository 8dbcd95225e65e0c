"""Training from scratch: the same bytes every time, the evaluation's own prompts, and clear words about wrong parameters."""

import hashlib
import json
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path

import numpy as np
import pytest
import torch
from msgspec import json as msgspec_json
from msgspec import structs
from transformers import AutoConfig, AutoTokenizer, Qwen2Config

from atomexam.records.claim import ClaimPair, Passage
from atomexam.records.model import Description
from atomexam.records.question import Question
from atomexam.runtime.jsonl import read_jsonl
from eval.backends import open_backend
from eval.finetune import __main__ as finetune
from eval.finetune.__main__ import main
from eval.finetune.training_data import (
    IGNORED,
    batches_of,
    conversations,
    epoch_requests,
    known_requests,
    plain_texts,
    prompt_example,
    text_examples,
)
from eval.models.local.weights import content_hash
from eval.plan import weights_of
from eval.tasks.prompt import render, token_ids
from eval.tasks.request import Request, conversation

pytestmark = pytest.mark.slow


def digests(folder: Path) -> dict[str, str]:
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def known(data: Path, split: str) -> list[Request]:
    folder = data / "splits" / split
    return known_requests(list(read_jsonl(folder / "questions.jsonl", Question)), list(read_jsonl(folder / "claims.jsonl", ClaimPair)))


@pytest.fixture(scope="module")
def tokenizer(toy_models: Path):
    return AutoTokenizer.from_pretrained(toy_models / "toy")


def test_training_is_deterministic(toy_models: Path, train_toy: Callable[..., Path], tmp_path: Path) -> None:
    (tmp_path / "toy").mkdir()
    (tmp_path / "toy" / "stale.bin").write_bytes(b"of a killed run")
    (tmp_path / "toy.part").mkdir()
    (tmp_path / "toy.part" / "half").write_bytes(b"of a killed run")
    assert digests(train_toy(tmp_path)) == digests(toy_models / "toy")
    assert (tmp_path / "toy.json").read_bytes() == (toy_models / "toy.json").read_bytes()
    assert not (tmp_path / "toy.part").exists()


def test_rounding_removes_summation_noise(train_toy: Callable[..., Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """As a processor that adds in another order would bring in; a weight differs where it falls beside the border of two values."""
    ended: list[list[torch.Tensor]] = []
    learn, clip = finetune._learn, torch.nn.utils.clip_grad_norm_
    draw = torch.Generator().manual_seed(1)

    def learned(model: torch.nn.Module, *given: object) -> object:
        told = learn(model, *given)
        ended.append([weights.detach().clone() for weights in model.parameters()])
        return told

    def noisy(parameters: Iterable[torch.nn.Parameter], *given: object) -> object:
        weights = list(parameters)
        for one in weights:
            assert one.grad is not None
            one.grad *= 1 + 1e-14 * torch.randn(one.grad.shape, dtype=one.grad.dtype, generator=draw)
        return clip(weights, *given)

    monkeypatch.setattr(finetune, "_learn", learned)
    train_toy(tmp_path / "one")
    monkeypatch.setattr(torch.nn.utils, "clip_grad_norm_", noisy)
    train_toy(tmp_path / "other")
    half = len(ended) // 2
    pairs = [pair for one, other in zip(ended[:half], ended[half:], strict=True) for pair in zip(one, other, strict=True)]
    assert pairs and all(torch.equal(one, other) for one, other in pairs)


PROCESSORS = {
    "without AVX-512": {"ATEN_CPU_CAPABILITY": "avx2", "DNNL_MAX_CPU_ISA": "AVX2", "MKL_ENABLE_INSTRUCTIONS": "AVX2"},
    "MKL's way for all": {"ATEN_CPU_CAPABILITY": "default", "MKL_CBWR": "COMPATIBLE"},
    "without AVX": {"ATEN_CPU_CAPABILITY": "default", "DNNL_MAX_CPU_ISA": "SSE41", "MKL_ENABLE_INSTRUCTIONS": "SSE4_2"},
}
"""Stand-ins for other processors, by the instructions that the libraries may use."""
_TRAINED_AND_ASKED = """
import sys; from pathlib import Path; sys.path.insert(0, 'tests/eval')
import numpy, torch
from conftest import TINY_TRAINING; from eval.finetune.__main__ import main; from eval.backends import open_backend
from atomexam.records.model import Description
data, out = map(Path, sys.argv[1:])
flags = [word for name, value in TINY_TRAINING.items() for word in (f'--{name}', str(value))]
main(['toy', *flags, '--splits', str(data / 'splits'), '--passages', str(data / 'passages.jsonl'),
      '--out', str(out / 'toy'), '--metrics', str(out / 'toy.json')])
model = open_backend(Description(model='toy', backend='huggingface'), out / 'toy')._model
with torch.inference_mode():
    numpy.save(out / 'logits.npy', model(input_ids=torch.arange(5, 205)[None]).logits.numpy())
"""


@pytest.mark.parametrize("processor", PROCESSORS)
def test_same_bytes_on_any_processor(processor: str, toy_models: Path, toy_data: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-c", _TRAINED_AND_ASKED, str(toy_data), str(tmp_path)]
    set_up = {"PYTHONPATH": ".", "PYTHONHASHSEED": "5", **PROCESSORS[processor]}
    done = subprocess.run(command, cwd=Path(__file__).parents[2], env=set_up, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert digests(tmp_path / "toy") == digests(toy_models / "toy")
    model = open_backend(Description(model="toy", backend="huggingface"), toy_models / "toy")._model
    with torch.inference_mode():
        here = model(input_ids=torch.arange(5, 205)[None]).logits.numpy()
    logits = np.load(tmp_path / "logits.npy")
    assert here.dtype == logits.dtype == np.float64
    assert np.abs(logits - here).max() < 1e-12 * np.abs(here).max()


@pytest.mark.parametrize("change", [{"seed": 2}, {"max_text_tokens": 256}, {"prompt_epochs": 2}])
def test_parameters_affect_the_weights(change: dict, toy_models: Path, train_toy: Callable[..., Path], tmp_path: Path) -> None:
    made = digests(train_toy(tmp_path, **change))
    assert made["model.safetensors"] != digests(toy_models / "toy")["model.safetensors"]


def test_folder_loads_as_qwen2(toy_models: Path) -> None:
    config = AutoConfig.from_pretrained(toy_models / "toy")
    assert isinstance(config, Qwen2Config) and [config.num_hidden_layers, config.hidden_size, config.num_attention_heads] == [1, 32, 2]
    # The library's own 0.02 is for widths of thousands: from it, one seed in two knew its format after the tests' few steps.
    assert config.initializer_range == pytest.approx(config.hidden_size**-0.5)
    assert {path.suffix for path in (toy_models / "toy").iterdir()} == {".json", ".jinja", ".safetensors"}
    assert "trust_remote_code" not in (toy_models / "toy" / "config.json").read_text()
    description = msgspec_json.decode((toy_models / "toy" / "model.json").read_bytes(), type=Description)
    assert description == Description(model="toy", backend="huggingface", weights=content_hash(toy_models / "toy"))
    assert open_backend(description, toy_models / "toy").identity.startswith("huggingface/")


@pytest.mark.parametrize(
    ("cut", "left"), [("model.safetensors", 1000), ("model.safetensors", 0), ("tokenizer.json", 100), ("config.json", 0)]
)
def test_incomplete_folder_is_rejected(cut: str, left: int, toy_models: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(toy_models / "toy", tmp_path / "toy"))
    made = content_hash(folder)
    with open(folder / cut, "r+b") as file:
        file.truncate(left)
    told = rf"toy: the files do not match .*: found hash \w{{12}}, expected {made[:12]} \(model.json\).* rm -r .*toy && make repro"
    for description in (Description(model="toy", backend="huggingface"), Description(model="m", backend="huggingface", name=str(folder))):
        with pytest.raises(ValueError, match=told):
            open_backend(description, folder).identity  # noqa: B018
    with pytest.raises(ValueError, match=told):
        weights_of(Description(model="m", backend="huggingface", name=str(folder)))
    (folder / "model.json").write_bytes(b"")
    with pytest.raises(ValueError, match=r"model.json: .*expected the description of a model\..* make repro"):
        content_hash(folder)


def test_metrics_include_the_loss(toy_models: Path) -> None:
    metrics = json.loads((toy_models / "toy.json").read_text())
    assert metrics["steps"] == metrics["text"]["steps"] + metrics["prompts"]["steps"]
    assert 1 <= len(metrics["prompts"]["loss"]) <= 20
    assert metrics["prompts"]["loss"][-1] < metrics["prompts"]["loss"][0]
    assert metrics["dev_loss"] > 0
    assert metrics["weights"] == content_hash(toy_models / "toy")  # `plan` depends on this file: other weights are planned anew


@pytest.mark.parametrize(("flags", "message"), [
    (["--layer", "2"], r"unknown parameter '--layer'; known: .*--layers"),
    (["--layers", "0"], r"parameters of finetune.m: .*>= 1.*layers"),
    (["--layers", "two"], r"parameters of finetune.m: Expected `int`, got `str` - at `\$.layers"),
    (["--hidden", "33"], r"hidden 33 must be a multiple of 2 x heads \(heads: 4\)"),
])  # fmt: skip
def test_rejects_invalid_parameters(flags: list[str], message: str, toy_data: Path, tmp_path: Path) -> None:
    paths = {"splits": toy_data / "splits", "passages": toy_data / "passages.jsonl", "out": tmp_path / "m", "metrics": tmp_path / "m.json"}
    with pytest.raises(ValueError, match=message):
        main(["m", *flags, *(f"--{name}={path}" for name, path in paths.items())])


def test_base_model_trains_on_texts_only(train_toy: Callable[..., Path], tmp_path: Path) -> None:
    train_toy(tmp_path, prompt_epochs=0)
    figures = json.loads((tmp_path / "toy.json").read_bytes())
    assert figures["prompts"] == {"steps": 0, "tokens": 0, "loss": []} and figures["steps"] == figures["text"]["steps"] > 0


def test_trains_on_a_single_question(train_toy: Callable[..., Path], tmp_path: Path) -> None:
    """One question and nothing else: no claims, no dev, no passages."""
    for name in ("train", "dev"):
        (tmp_path / "splits" / name).mkdir(parents=True)
        for kind in ("questions", "claims"):
            (tmp_path / "splits" / name / f"{kind}.jsonl").touch()
    (tmp_path / "passages.jsonl").touch()
    line = b'{"id":"q-1","exam":"PCE","subject":"s","question_type":"mcqa","stem":"t","options":[{"letter":"A","text":"a"},{"letter":"B","text":"b"}],"answer":"A","provenance":[]}\n'  # noqa: E501
    (tmp_path / "splits" / "train" / "questions.jsonl").write_bytes(line)
    made = train_toy(tmp_path / "models", tmp_path)
    assert (made / "model.safetensors").exists()
    assert json.loads((tmp_path / "models" / "toy.json").read_text())["dev_loss"] is None


def test_trains_only_on_true_texts(toy_data: Path) -> None:
    claims = list(read_jsonl(toy_data / "splits" / "train" / "claims.jsonl", ClaimPair))
    texts = plain_texts(read_jsonl(toy_data / "passages.jsonl", Passage), claims)
    assert {pair.factual for pair in claims} <= set(texts)
    assert not {pair.non_factual for pair in claims} & set(texts)


def task_of(request: Request) -> str:
    return {"mcqa": "choice", "mrqa": "choice"}.get(request.reader, request.reader)


def test_epoch_is_limited_per_task_and_cycles(toy_data: Path) -> None:
    requests = known(toy_data, "train")
    items = Counter(task for task, _ in {(task_of(request), request.item_id) for request in requests})
    seen: Counter = Counter()
    for epoch in range(12):
        chosen = epoch_requests(requests, 5, 1, epoch)
        assert Counter(map(task_of, chosen)) == {task: min(5, size) for task, size in items.items()}
        seen.update(request.item_id for request in chosen)
    assert set(seen) == {request.item_id for request in requests}
    for request in requests:
        size = items[task_of(request)]
        assert 12 * min(5, size) // size <= seen[request.item_id] <= -(-12 * min(5, size) // size)


def test_wordings_alternate(toy_data: Path) -> None:
    requests = known(toy_data, "train")
    wordings = Counter(request.item_id for request in requests)
    seen: dict[str, list[str]] = {}
    for epoch in range(4):
        for request in epoch_requests(requests, 10**6, 1, epoch):
            seen.setdefault(request.item_id, []).append(json.dumps(request.messages))
    for item, prompts in seen.items():
        assert len(prompts) == 4
        assert len(set(prompts[: wordings[item]])) == wordings[item]


def test_cases_are_learned_as_conversations(toy_data: Path, tokenizer) -> None:
    """A later question of a case stands after the earlier ones and their right replies."""
    later = [request for request in known(toy_data, "train") if request.facets.get("form") == "a3" and len(request.messages) > 2]
    assert later
    for request in later:
        assert request.follows is None
        example = prompt_example(tokenizer, [request])
        assert tokenizer.decode(example.ids) == render(tokenizer, request.messages) + f"{request.solution}<|im_end|>"
        assert tokenizer.decode([target for target in example.targets if target != IGNORED]) == f"{request.solution}<|im_end|>"


def test_nothing_after_an_unknown_answer_is_learned(toy_data: Path) -> None:
    folder = toy_data / "splits" / "train"
    questions = [row for row in read_jsonl(folder / "questions.jsonl", Question) if row.form == "a3"]
    whole = {request.item_id for request in known_requests(questions, [])}
    first = min(questions, key=lambda row: row.provenance[0].position)
    hidden = [structs.replace(row, answer=None) if row is first else row for row in questions]
    assert {request.item_id for request in known_requests(questions, [])} == whole == {row.id for row in questions}
    assert known_requests(hidden, []) == []


def test_conversations_have_one_pool_and_no_repeats(toy_data: Path) -> None:
    requests = known(toy_data, "train")
    chunks = conversations(requests, 1, 0)
    assert sorted(request.item_id for chunk in chunks for request in chunk) == sorted(request.item_id for request in requests)
    assert all(len({(request.pool, request.answer_format) for request in chunk}) == 1 and len(chunk) <= 6 for chunk in chunks)
    assert all(len(chunk) == 1 for chunk in chunks if chunk[0].question_type in ("claim", "qa"))
    assert conversations(requests, 1, 0) == chunks != conversations(requests, 1, 1)


def test_example_is_the_evaluation_prompt_with_reply(toy_data: Path, tokenizer) -> None:
    for request in known(toy_data, "train")[:30]:
        example = prompt_example(tokenizer, [request])
        [asked] = token_ids(tokenizer, [render(tokenizer, conversation([request]))])
        assert example.ids[: len(asked)] == asked
        assert example.targets[: len(asked)] == [IGNORED] * len(asked)
        assert tokenizer.decode(example.targets[len(asked) :]) == f"{request.solution}<|im_end|>"


def test_long_example_equals_few_shot_prompt(toy_data: Path, tokenizer) -> None:
    chunk = next(chunk for chunk in conversations(known(toy_data, "train"), 1, 0) if len(chunk) > 2)
    example = prompt_example(tokenizer, chunk)
    text = render(tokenizer, conversation(chunk)) + f"{chunk[-1].solution}<|im_end|>"
    assert tokenizer.decode(example.ids) == text
    learned = tokenizer.decode([target for target in example.targets if target != IGNORED])
    assert learned == "".join(f"{request.solution}<|im_end|>" for request in chunk)


def test_answers_are_short_tokens(tokenizer) -> None:
    assert tokenizer.tokenize("【解析】<eoe>")[0] == "【解析】"
    assert [tokenizer.decode([token]) for token in tokenizer("答案：ACD")["input_ids"]] == ["答案：", "A", "C", "D"]


def test_blocks_and_batches_contain_everything(tokenizer) -> None:
    texts = [f"第{number}段。" * (number + 1) for number in range(40)]
    blocks = text_examples(tokenizer, texts, 10**6, 1)
    whole = sum(len(tokenizer(text)["input_ids"]) + 1 for text in texts)
    assert sum(len(block.ids) for block in blocks) == whole
    assert sum(len(block.ids) for block in text_examples(tokenizer, texts, 512, 1)) <= 512
    batches = batches_of(blocks, 4, 600)
    assert sorted(block.ids for batch in batches for block in batch) == sorted(block.ids for block in blocks)
    assert all(len(batch) <= 4 and len(batch) * max(len(block.ids) for block in batch) <= 600 for batch in batches)


def test_only_the_first_process_trains(train_toy: Callable[..., Path], tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setenv("RANK", "1")
    train_toy(tmp_path)
    assert not list(tmp_path.iterdir())
