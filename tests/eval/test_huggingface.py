"""The transformers backend on the CPU, with a Qwen2 of random weights."""

import os
import re
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs
from transformers import (
    AutoModelForCausalLM,
    AutoTokenizer,
    GenerationConfig,
    GPT2Config,
    GptOssConfig,
    MistralConfig,
    OpenAIGPTConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
    Qwen2ForCausalLM,
    RwkvConfig,
)

from atomexam.records.model import Description
from eval.backends import open_backend
from eval.finetune.__main__ import chat_template
from eval.finetune.training_data import END_OF_TEXT, END_OF_TURN, byte_pairs
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.models.local import batches, huggingface
from eval.models.local.decoding import SampledToken
from eval.tasks.prompt import token_ids
from tests.eval.conftest import toy_request

pytestmark = pytest.mark.slow

GREEDY = Settings(max_new_tokens=6, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
PAPER = structs.replace(GREEDY, temperature=0.3, top_k=5, top_p=0.85, repetition_penalty=1.05)  # SdAK, section 4.2.3
HOT = structs.replace(GREEDY, temperature=1.5)
SMALL: dict[str, Any] = {
    "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2
}  # fmt: skip
TEXTS = [f"第{number}题：" + "高血压的常见症状包括头晕头痛" * (number % 7) for number in range(13)]


@pytest.fixture(scope="module", params=[64, 85], ids=["even", "odd"])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A random Qwen2 as it would lie on disk, with its author's own sampling settings beside it.

    With an odd size the last row of a batch is reckoned by other instructions than its equal in the first.
    """
    path = tmp_path_factory.mktemp("qwen2")
    tokenizer = PreTrainedTokenizerFast(
        tokenizer_object=byte_pairs([*TEXTS, "system user assistant"], 400), eos_token=END_OF_TURN, pad_token=END_OF_TEXT
    )
    tokenizer.chat_template = chat_template()
    tokenizer.save_pretrained(path)
    torch.manual_seed(7)
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=request.param, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=512, initializer_range=0.5, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    model = Qwen2ForCausalLM(config)
    model.generation_config = GenerationConfig(
        do_sample=True, temperature=0.7, top_k=20, top_p=0.8, repetition_penalty=1.5, eos_token_id=tokenizer.eos_token_id
    )
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def backend(folder: Path) -> Backend:
    return open_backend(Description(model="m", backend="huggingface", name=str(folder)), Path())


def query(backend: Backend, text: str, number: int, repeat: int = 0) -> ModelQuery:
    about = {"question_type": "claim", "reader": "claim", "unit": f"claim-{number}"}
    request = toy_request(f"claim-{number}/factual", text, ("正确", "错误"), **about)
    return ModelQuery(request=request, repeat=repeat, prompt=backend.render(request.messages))


def replies(backend: Backend, settings: Settings, queries: list[ModelQuery]) -> dict[tuple[str, int], Reply]:
    found = dict(backend.generate(queries, settings))
    return {(one.request.item_id, one.repeat): found[place] for place, one in enumerate(queries)}


@pytest.fixture(scope="module")
def queries(backend: Backend) -> list[ModelQuery]:
    return [query(backend, text, number, repeat) for number, text in enumerate(TEXTS) for repeat in range(2)]


@pytest.mark.parametrize("settings", [GREEDY, PAPER, HOT], ids=["greedy", "paper", "hot"])
def test_replies_do_not_depend_on_batch_size_or_order(backend: Backend, queries: list[ModelQuery], settings: Settings) -> None:
    expected = replies(backend, settings, queries)
    for size in (1, 3, 16, 64):
        assert replies(backend, structs.replace(settings, batch_size=size), queries[::-1]) == expected
    assert replies(backend, settings, queries[5:7]) == {key: expected[key] for key in list(expected)[5:7]}


@pytest.mark.parametrize("penalty", [1.0, 1.3])
def test_greedy_matches_the_library_on_single_prompts(backend: Backend, queries: list[ModelQuery], folder: Path, penalty: float) -> None:
    """No padding, no batch, no recommended sampling: the plainest reference there is."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    found = replies(backend, structs.replace(GREEDY, repetition_penalty=penalty), queries)
    given = {"do_sample": False, "repetition_penalty": penalty, "max_new_tokens": 6}
    for one in queries:
        ids = torch.tensor(token_ids(tokenizer, [one.prompt]))
        row = model.generate(input_ids=ids, attention_mask=torch.ones_like(ids), **given)[0, ids.shape[1] :]
        assert found[one.request.item_id, one.repeat].text == tokenizer.decode(row, skip_special_tokens=True)
    assert penalty == 1 or found != replies(backend, GREEDY, queries), "the penalty changes nothing, so the test shows nothing"


def test_sampling_matches_the_librarys_distribution(backend: Backend, folder: Path) -> None:
    """The library's own scores after all of the paper's settings, against what is drawn in 3,000 repeats."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    ids = torch.tensor(token_ids(tokenizer, [query(backend, TEXTS[3], 3).prompt]))
    whole = {"temperature": 3.0, "top_k": 5, "top_p": 0.85, "repetition_penalty": 1.05}
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.eos_token_id, pad_token_id=tokenizer.pad_token_id)
    out = model.generate(
        input_ids=ids, attention_mask=torch.ones_like(ids), do_sample=True, max_new_tokens=1, output_scores=True, output_logits=True,
        return_dict_in_generate=True, **whole,
    )  # fmt: skip
    size = 3000
    rows = [structs.replace(ONE, repeat=number) for number in range(size)]
    many = ids.repeat(size, 1)
    choosing = SampledToken(structs.replace(GREEDY, **whole), rows, torch.ones_like(many))
    counts = Counter(choosing(many, out.logits[0].repeat(size, 1)).argmax(-1).tolist())
    shares = {token: share for token, share in enumerate(out.scores[0][0].softmax(-1).tolist()) if share}
    assert set(counts) <= set(shares)
    assert len(shares) > 1
    for token, share in shares.items():
        assert abs(counts[token] - size * share) < 4 * (size * share * (1 - share)) ** 0.5 + 1


def test_repeats_differ_only_with_sampling(backend: Backend, queries: list[ModelQuery]) -> None:
    def by_repeat(settings: Settings) -> list[list[str]]:
        found = replies(backend, settings, queries)
        return [[found[f"claim-{number}/factual", repeat].text for number in range(len(TEXTS))] for repeat in range(2)]

    first, second = by_repeat(HOT)
    assert first != second
    first, second = by_repeat(GREEDY)
    assert first == second
    assert by_repeat(structs.replace(HOT, seed=2)) != by_repeat(HOT)


@pytest.mark.parametrize("settings", [GREEDY, PAPER, HOT, structs.replace(HOT, max_new_tokens=1)], ids=["greedy", "paper", "hot", "one"])
def test_repeats_match_single_requests(backend: Backend, settings: Settings) -> None:
    """Some prompts are asked once, some more often than a batch has rows."""
    times = [1, 5, 2, 33, 3]
    many = [query(backend, TEXTS[number], number, repeat) for number, most in enumerate(times) for repeat in range(most)]
    together = replies(backend, settings, many)
    assert len({reply.text for (item, _), reply in together.items() if item == "claim-3/factual"}) > (settings.temperature == 1.5)
    for one in [one for one in many if one.repeat in (0, 1, 2, 32)]:
        assert replies(backend, settings, [one]) == {(key := (one.request.item_id, one.repeat)): together[key]}


@pytest.mark.parametrize("settings", [GREEDY, PAPER], ids=["greedy", "paper"])
def test_repeated_prompt_is_read_once(backend: Backend, settings: Settings, monkeypatch: pytest.MonkeyPatch) -> None:
    read, model, _ = list[int](), backend._model, backend._shares_prefixes  # type: ignore[attr-defined]
    forward = model.forward

    def counted(*given: Any, **named: Any) -> Any:
        read.append(named["input_ids"].shape[1])
        return forward(*given, **named)

    monkeypatch.setattr(model, "forward", counted)
    replies(backend, settings, [query(backend, TEXTS[1], 1, repeat) for repeat in range(20)])
    assert len(read) <= 1 + settings.max_new_tokens - 1
    assert sum(read[1:]) <= 32 * (len(read) - 1), "20 rows take as many as have the same bits, and no more"


@pytest.mark.parametrize("config", [
    RwkvConfig(hidden_size=32, num_hidden_layers=2, attention_hidden_size=32, intermediate_size=64),
    OpenAIGPTConfig(n_embd=32, n_layer=2, n_head=4, n_positions=512),
    MistralConfig(**SMALL, sliding_window=16),
    GptOssConfig(**SMALL, head_dim=8, sliding_window=16, num_local_experts=1, num_experts_per_tok=1),
    GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=512),
], ids=lambda config: config.model_type)  # fmt: skip
def test_repeats_agree_for_every_cache_type(folder: Path, tmp_path: Path, config: Any) -> None:
    tokenizer = AutoTokenizer.from_pretrained(folder)
    tokenizer.save_pretrained(tmp_path)
    torch.manual_seed(3)
    config.vocab_size, config.initializer_range, config.eos_token_id = len(tokenizer), 0.3, tokenizer.eos_token_id
    AutoModelForCausalLM.from_config(config).save_pretrained(tmp_path)
    backend = open_backend(Description(model="m", backend="huggingface", name=str(tmp_path)), Path())
    many = [query(backend, TEXTS[number], number, repeat) for number in (1, 6) for repeat in range(3)]
    together = replies(backend, HOT, many)
    assert not any(reply.error for reply in together.values())
    for one in many[1::2] if config.model_type != "rwkv" else ():  # the library's own state of it is of a whole batch
        assert replies(backend, HOT, [one]) == {(key := (one.request.item_id, one.repeat)): together[key]}


def test_immediate_end_costs_no_extra_tokens(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    model, read, _ = backend._model, list[int](), backend._shares_prefixes  # type: ignore[attr-defined]
    end, forward = model.generation_config.eos_token_id[0], model.forward

    class Silent(SampledToken):
        def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
            token = end if input_ids.shape[1] == self._mask.shape[1] else end + 5
            return torch.full_like(scores, float("-inf")).index_fill_(1, torch.tensor([token]), 0.0)

    def counted(*given: Any, **named: Any) -> Any:
        read.append(named["input_ids"].shape[1])
        return forward(*given, **named)

    monkeypatch.setattr(huggingface, "SampledToken", Silent)
    monkeypatch.setattr(model, "forward", counted)
    found = replies(backend, structs.replace(HOT, max_new_tokens=40), [query(backend, TEXTS[1], 1, repeat) for repeat in range(2)])
    assert {(reply.text, reply.finish_reason, reply.tokens) for reply in found.values()} == {("", "stop", 0)}
    assert len(read) <= 2


def test_reply_has_its_finish_reason(backend: Backend, queries: list[ModelQuery]) -> None:
    found = replies(backend, structs.replace(HOT, max_new_tokens=40), queries)
    assert {reply.finish_reason for reply in found.values()} == {"stop", "length"}
    assert all((reply.tokens == 40) == (reply.finish_reason == "length") for reply in found.values())


def draws(scores: list[float], settings: Settings, size: int = 4000, prompt: tuple[int, ...] = (0,)) -> Counter:
    """Return how often each token is drawn from given scores."""
    rows = [ModelQuery(request=one.request, repeat=number, prompt="") for number, one in [(n, ONE) for n in range(size)]]
    ids = torch.tensor([prompt]).repeat(size, 1)
    out = SampledToken(settings, rows, torch.ones_like(ids))(ids, torch.tensor([scores]).repeat(size, 1))
    assert ((out == 0).sum(-1) == 1).all()
    return Counter(out.argmax(-1).tolist())


class _Plain:
    def render(self, messages: list) -> str:
        return ""


ONE = query(_Plain(), "问", 0)
SCORES = [9.0, 2.0, 1.0, 0.5, 0.0, -1.0]  # token 0 stands in the prompt


def test_samples_follow_the_requested_distribution() -> None:
    counts = draws(SCORES[1:], structs.replace(GREEDY, temperature=0.5))
    expected = (torch.tensor(SCORES[1:]) / 0.5).softmax(-1)
    for token, share in enumerate(expected.tolist()):
        assert abs(counts[token] - 4000 * share) < 4 * (4000 * share * (1 - share)) ** 0.5 + 1


@pytest.mark.parametrize(("change", "allowed"), [
    ({"temperature": 0.0}, {0}), ({"temperature": 2.0, "top_k": 2}, {0, 1}), ({"temperature": 2.0, "top_p": 0.5}, {0}),
    ({"temperature": 2.0, "repetition_penalty": 9.0, "top_k": 1}, {1}),  # 9 / 9 falls below 2
    ({"temperature": 0.0, "repetition_penalty": 9.0}, {1}),
])  # fmt: skip
def test_each_setting_is_applied(change: dict, allowed: set[int]) -> None:
    assert set(draws(SCORES, structs.replace(GREEDY, **change))) == allowed


def test_padding_is_not_penalised() -> None:
    """Where the padding token also ends a reply, a penalty for it would hang on what else is in the batch."""
    settings = structs.replace(GREEDY, repetition_penalty=9.0)
    choosing = SampledToken(settings, [ONE], torch.tensor([[0, 0, 1]]))
    assert choosing(torch.tensor([[1, 1, 0]]), torch.tensor([SCORES])).argmax().item() == 1


def test_identity_follows_the_models_content(backend: Backend, folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    same = open_backend(Description(model="other", backend="huggingface", name=str(tmp_path)), Path())
    assert same.identity == backend.identity
    (tmp_path / "chat_template.jinja").write_text(chat_template() + " ", encoding="utf-8")
    assert open_backend(Description(model="m", backend="huggingface", name=str(tmp_path)), Path()).identity != backend.identity


def test_too_long_prompt_fails_alone(backend: Backend) -> None:
    rows = [query(backend, "齉龘" * 300, 3), query(backend, "短", 4)]
    for ask in (backend.generate, backend.loglikelihoods):
        found = dict(ask(rows, GREEDY))
        assert found[0].finish_reason == "error"
        assert re.fullmatch(
            r"the prompt has \d+ tokens, with the reply \d+, but the model's limit is 512; lower `shots` .*", found[0].error
        )
        assert found[1].error is None


@pytest.mark.parametrize("most_rows", [3, 0])
def test_low_memory_reduces_batch_size(most_rows: int, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of models that share no prefixes; of others in tests/eval/test_stopping.py."""
    backend = open_backend(Description(model="m", backend="huggingface", name=str(folder)), Path())
    monkeypatch.setitem(backend.__dict__, "_shares_prefixes", False)
    rows = [query(backend, text, number) for number, text in enumerate(TEXTS)]
    whole = replies(backend, GREEDY, rows)
    generate = backend._model.generate

    def small(input_ids: torch.Tensor, **others) -> torch.Tensor:
        if len(input_ids) > most_rows:
            raise torch.OutOfMemoryError("CUDA out of memory")
        return generate(input_ids=input_ids, **others)

    monkeypatch.setattr(backend._model, "generate", small)
    found = replies(backend, GREEDY, rows)
    if most_rows:
        assert [reply.text for reply in found.values()] == [reply.text for reply in whole.values()]
    else:
        assert {reply.finish_reason for reply in found.values()} == {"error"}
        assert all(re.fullmatch(r"out of memory on cpu for a single prompt of \d+ tokens", reply.error) for reply in found.values())


@pytest.mark.parametrize("pickled", [True, False])
def test_weights_that_are_pickled_or_cut_are_not_loaded(folder: Path, tmp_path: Path, pickled: bool) -> None:
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    weights = tmp_path / "model.safetensors"
    if pickled:
        weights.unlink()
        torch.save({}, tmp_path / "pytorch_model.bin")
    else:
        weights.write_bytes(weights.read_bytes()[:1000])
    backend = open_backend(Description(model="m", backend="huggingface", name=str(tmp_path)), Path())
    with pytest.raises(ValueError, match=r"model m: .* has no model in the Hugging Face format with safetensors"):
        replies(backend, GREEDY, [query(backend, "短", 1)])


def test_unavailable_model_fails_immediately(tmp_path: Path) -> None:
    """In a process of its own, since the library reads its environment once."""
    code = (
        "from pathlib import Path; from eval.backends import open_backend; from atomexam.records.model import Description\n"
        "open_backend(Description(model='qwen7b', backend='huggingface', name='Qwen/Qwen2.5-7B-Instruct'), Path())"
    )
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "HF_HOME": str(tmp_path), "PYTHONPATH": "."}
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], env=environment, cwd=root, capture_output=True, text=True, timeout=60)
    last = done.stderr.strip().splitlines()[-1]
    assert "model qwen7b: Qwen/Qwen2.5-7B-Instruct, revision main, is not available" in last
    assert "HF_HUB_OFFLINE is set" in last
    assert "hf download Qwen/Qwen2.5-7B-Instruct" in last


_THREADS = """
import torch
from transformers import Qwen2Config, Qwen2ForCausalLM
from eval.models.local import batches
torch.manual_seed(3)
sizes = dict(vocab_size=500, hidden_size=512, intermediate_size=1408, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2)
model = Qwen2ForCausalLM(Qwen2Config(**sizes)).eval()
batches.Threads("m")
torch.set_num_threads(2)
ids = torch.randint(500, (1, 40)).repeat(16, 1)
with torch.inference_mode():
    read = model(input_ids=ids, use_cache=True)
    scores = model(input_ids=ids[:, :1], past_key_values=read.past_key_values).logits
print(sum(not torch.equal(scores[0], row) for row in scores))
"""


@pytest.mark.skipif(not torch.backends.mkl.is_available(), reason="this torch has no MKL, and its threads are not told how to add")
def test_threads_do_not_change_sums() -> None:
    """In a process of its own, since MKL reads its setting once. One prompt in all 16 rows; without the setting the last 8 differ."""
    environment = os.environ | {"PYTHONPATH": ".", "CUDA_VISIBLE_DEVICES": ""}
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", _THREADS], env=environment, cwd=root, capture_output=True, text=True, timeout=120)
    assert done.stdout == "0\n", done.stderr[-1000:]


def test_rejects_more_processes_than_devices(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(ValueError, match="LOCAL_RANK=2: this machine has 2 CUDA devices"):
        open_backend(Description(model="m", backend="huggingface", name=str(folder)), Path())


def test_processes_on_one_machine_share_its_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "sched_getaffinity", lambda process: set(range(12)), raising=False)
    counts = []
    for processes in ("1", "2", "5", "100"):
        monkeypatch.setenv("LOCAL_WORLD_SIZE", processes)
        counts.append(batches.thread_counts())
    assert counts == [[1, 2, 4, 8], [1, 2, 4], [1, 2], [1]]


@pytest.mark.parametrize(("clock", "cpu", "expected"), [
    ({1: 4.0, 2: 2.1, 4: 1.2}, {1: 4.0, 2: 4.1, 4: 4.8}, 4),
    ({1: 4.0, 2: 2.1, 4: 2.0}, {1: 4.0, 2: 4.1, 4: 7.5}, 2),
    ({1: 4.0, 2: 5.0, 4: 9.0}, {1: 4.0, 2: 9.0, 4: 30.0}, 1),  # beside other work
    ({1: 4.0, 2: 4.5, 4: 5.0}, {1: 4.0, 2: 4.5, 4: 4.6}, 1),  # a quota of one core
])  # fmt: skip
def test_unprofitable_threads_are_not_used(
    clock: dict[int, float], cpu: dict[int, float], expected: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(batches, "thread_counts", lambda: list(clock))
    monkeypatch.setattr(batches.Threads, "_seconds", lambda _, number: (clock[number], cpu[number]))
    threads, before = batches.Threads("m"), torch.get_num_threads()
    threads.adjust()
    assert torch.get_num_threads() == expected
    assert f"m: torch computes with {expected} of 4 threads" in capsys.readouterr().err
    clock[4], cpu[4] = 0.1, 0.1
    threads.adjust()
    assert torch.get_num_threads() == expected, "a choice holds for some seconds"
    torch.set_num_threads(before)


THINKING = (
    "{% for m in messages %}{{ m.role }}:{{ m.content }}\n{% endfor %}"
    "{% if enable_thinking is undefined or enable_thinking %}<think>\n{% endif %}"
)


def test_reasoning_template_is_reported_and_can_be_disabled(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "own.jinja").write_text(THINKING)

    def opened(**given: Any) -> Backend:
        return open_backend(Description(model="m", backend="huggingface", name=str(folder), **given), tmp_path)

    thinking = opened(chat_template=str(tmp_path / "own.jinja"))
    one = query(thinking, TEXTS[0], 0)
    with pytest.raises(ValueError, match=r"opens the model's reasoning .*set `template: \{enable_thinking: false\}`"):
        list(thinking.loglikelihoods([one, query(thinking, TEXTS[1], 1)], GREEDY))
    assert capsys.readouterr().err.count("opens the model's reasoning") == 1, "told once"

    closed = opened(chat_template=str(tmp_path / "own.jinja"), template={"enable_thinking": False})
    other = query(closed, TEXTS[0], 0)
    assert one.prompt == other.prompt + "<think>\n"
    assert dict(closed.loglikelihoods([other], GREEDY))[0].error is None
    assert "reasoning" not in capsys.readouterr().err
    with pytest.raises(ValueError, match=r"model m: none.jinja cannot be read"):
        opened(chat_template="none.jinja")


_FREED = """
import os, torch
from pathlib import Path
from eval.models.local import huggingface
def pages(): return int(Path("/proc/self/statm").read_text().split()[1])
torch.ones(4 << 20)  # freed: from now on glibc would keep blocks as large
huggingface._return_freed_blocks()
blocks = [torch.ones(1 << 19) for _ in range(32)]
before = pages()
del blocks[::2]
print((before - pages()) * os.sysconf("SC_PAGE_SIZE") >> 20)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="of glibc")
def test_freed_memory_is_returned_to_the_system() -> None:
    """In a process of its own: blocks that fit what is free already come from there."""
    done = subprocess.run([sys.executable, "-c", _FREED], check=True, capture_output=True, text=True)
    assert int(done.stdout) > 24
