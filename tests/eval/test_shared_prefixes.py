"""What prompts share is read once, and no reply shows it: each model family, whole and by parts, alone and in company."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from msgspec import structs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
    PreTrainedTokenizerFast,
    Qwen2Config,
)

from atomexam.records.model import Description
from atomexam.records.question import Option
from eval.models import open_backend
from eval.models.batches import Shape, within_memory
from eval.models.contract import Asking, Settings
from eval.models.huggingface import HuggingFace
from eval.models.loglikelihood import choices, likelihoods, shared_length, whole_scores
from eval.models.shared_prefixes import PART, Part, PrefixReader, _sizes_of_equal_bits, cuts
from eval.tasks.prompt import chat_template
from eval.tasks.request import Request

PLAIN = Settings(max_new_tokens=6, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
SIZES: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
GROUPED = SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 1024, "initializer_range": 0.3}
CONFIGS = {
    "qwen2": Qwen2Config(**GROUPED),
    "llama": LlamaConfig(**GROUPED),
    "learned-positions": GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=1024, initializer_range=0.3),
    "wide": Qwen2Config(**GROUPED | {"hidden_size": 512, "intermediate_size": 1365, "initializer_range": 0.05}),
    "mixture": MixtralConfig(**GROUPED, num_local_experts=4),
    "window": MistralConfig(**GROUPED, sliding_window=16),
}
BY_PARTS = {"qwen2", "llama", "wide", "learned-positions", "mixture"}


@pytest.fixture(scope="module", params=CONFIGS)
def backend(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> HuggingFace:
    """A random model of each family; tokens are bytes."""
    path = tmp_path_factory.mktemp(request.param)
    special = ["<|im_start|>", "<|im_end|>", "<|endoftext|>"]
    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    raw = Tokenizer(models.BPE(vocab={token: number for number, token in enumerate(special + alphabet)}, merges=[]))
    raw.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    raw.decoder = decoders.ByteLevel()
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=raw, eos_token="<|im_end|>", pad_token="<|endoftext|>")
    tokenizer.add_special_tokens({"additional_special_tokens": special[:1]})
    tokenizer.chat_template = chat_template()
    tokenizer.save_pretrained(path)
    torch.manual_seed(5)
    config = CONFIGS[request.param]
    config.vocab_size, config.eos_token_id, config.bos_token_id = len(tokenizer), tokenizer.eos_token_id, None
    AutoModelForCausalLM.from_config(config).save_pretrained(path)
    opened = open_backend(Description(model=request.param, backend="huggingface", name=str(path)), Path())
    assert isinstance(opened, HuggingFace)
    return opened


def asked(backend: HuggingFace, seed: int, number: int) -> list[Asking]:
    """Random conversations in a few trees: a system message or none, examples or none, a question."""
    rng = random.Random(seed)
    systems = ["", "你是医师。", "你是心理师，请作答。"]
    shots = [[], ["甲？", "答案A"], ["乙是什么？", "答案B", "丙呢？", "答案AC"]]
    found = []
    for item in range(number):
        system, told = rng.choice(systems), rng.choice(shots)
        messages = [{"role": "system", "content": system}] if system else []
        messages += [{"role": ("user", "assistant")[place % 2], "content": words} for place, words in enumerate(told)]
        messages.append({"role": "user", "content": f"第{item}题：" + "高血压" * rng.randrange(1, 12)})
        kind = rng.choice(["claim", "mcqa", "mrqa"])
        options = [Option(letter=letter, text=letter) for letter in (["正确", "错误"] if kind == "claim" else "ABCD")]
        request = Request(
            item_id=f"q-{item}", messages=messages, question_type=kind, options=options, answer=None, answer_format="答案{answer}",
            solution=None, pool="p", kin=frozenset(), reader="mcqa", unit=f"q-{item}", facets={},
        )  # fmt: skip
        found.append(Asking(request=request, repeat=0, prompt=backend.render(messages)))
    return found


def told(backend: HuggingFace, askings: list[Asking], settings: Settings = PLAIN) -> dict[str, dict[str, float] | None]:
    return {askings[place].request.item_id: reply.likelihoods for place, reply in backend.loglikelihoods(askings, settings)}


def test_read_by_parts_and_read_whole_are_equal(backend: HuggingFace) -> None:
    askings = asked(backend, 1, 40)
    weighed = choices(backend._tokenizer, askings)
    whole = dict(whole_scores(backend._model, 0, weighed, Shape(8, 0)))
    found = told(backend, askings)
    for place, (asking, choice) in enumerate(zip(askings, weighed, strict=True)):
        scores = whole[place]
        assert scores is not None
        assert found[asking.request.item_id] == pytest.approx(likelihoods(choice, scores, backend._ends), abs=2e-3)


def test_what_else_is_asked_changes_no_byte(backend: HuggingFace) -> None:
    askings = asked(backend, 2, 40)
    whole = told(backend, askings)
    if backend._description.model != "mixture":  # an expert takes what comes to it of the whole batch
        assert told(backend, askings[::-1]) == whole
        assert told(backend, askings[5:13]) == {one.request.item_id: whole[one.request.item_id] for one in askings[5:13]}
        for one in askings[::9]:
            assert told(backend, [one])[one.request.item_id] == whole[one.request.item_id]
    assert told(backend, askings, structs.replace(PLAIN, batch_size=64)) == whole


def test_a_model_whose_memory_is_another_is_read_whole(backend: HuggingFace, capsys: pytest.CaptureFixture[str]) -> None:
    name = backend._description.model
    fresh = HuggingFace(backend._path, backend._description)
    told(fresh, asked(fresh, 3, 2))
    assert fresh._shares_prefixes == (name in BY_PARTS)
    assert (f"{name}: " in capsys.readouterr().err) == (name not in BY_PARTS)


def test_where_a_prompt_is_cut_hangs_on_its_tokens_up_to_there() -> None:
    rng, ends = random.Random(3), {0, 1}
    for _ in range(200):
        row = [rng.randrange(12) for _ in range(rng.randrange(1, 90))]
        found = cuts(row, ends.__contains__, 3, 9)
        sizes = [end - start for start, end in zip([0, *found], [*found, len(row)], strict=True)]
        assert all(3 <= size <= 9 for size in sizes[:-1]) and 1 <= sizes[-1] <= 9
        assert all(size == 9 or row[end - 1] in ends for size, end in zip(sizes, found, strict=False))
        shared = rng.randrange(len(row))
        other = row[:shared] + [rng.randrange(12) for _ in range(40)]
        assert [end for end in cuts(other, ends.__contains__, 3, 9) if end <= shared] == [end for end in found if end <= shared]


def test_each_part_is_read_once(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not backend._shares_prefixes:
        pytest.skip("read whole")
    askings, read = asked(backend, 4, 60), list[Part]()
    real = PrefixReader._read

    def counted(self: PrefixReader, parts: list[Part], room: int) -> torch.Tensor:
        read.extend(parts)
        return real(self, parts, room)

    monkeypatch.setattr(PrefixReader, "_read", counted)
    told(backend, askings)
    rows = [choice.start for choice in choices(backend._tokenizer, askings)]
    shared = [(tuple(rows[part.row][: part.start]), tuple(part.tokens)) for part in read if not part.is_wanted]
    assert len(shared) == len(set(shared)), "a part that prompts share is read again"
    distinct = len({tuple(row[:end]) for row in rows for end in range(1, len(row) + 1)})
    assert sum(len(part.tokens) for part in read) < distinct + len(rows) * PART["cpu"][1] / 2


def test_too_little_memory_makes_readings_smaller_and_then_fails_alone(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not backend._shares_prefixes:
        pytest.skip("read whole, in the batches of tests/eval/test_huggingface.py")
    askings = asked(backend, 5, 60)
    whole, sizes, real = told(backend, askings), [], PrefixReader._read

    def scarce(self: PrefixReader, parts: list[Part], room: int) -> torch.Tensor:
        size = sum(len(part.tokens) for part in parts)
        scores = real(self, parts, room)  # a reading that fails has written over the path
        if (size > 128 and len(sizes) < 8) or any(part.row == 3 for part in parts):
            raise torch.OutOfMemoryError
        sizes.append(size)
        return scores

    monkeypatch.setattr(PrefixReader, "_read", scarce)
    replies = {askings[place].request.item_id: reply for place, reply in backend.loglikelihoods(askings, PLAIN)}
    assert len(replies) == 60 and max(sizes[:8]) <= 128 < max(sizes), "readings do not grow again"
    assert "out of memory" in (replies["q-3"].error or "")
    for name, reply in replies.items():
        assert name == "q-3" or reply.likelihoods == pytest.approx(whole[name], abs=1e-3)


@pytest.mark.parametrize(
    ("error", "is_memory"),
    [
        (torch.OutOfMemoryError(), True),
        (MemoryError(), True),
        (RuntimeError("CUDA error: CUBLAS_STATUS_ALLOC_FAILED when calling `cublasCreate(handle)`"), True),
        (RuntimeError("[enforce fail at alloc_cpu.cpp:124] err == 0. DefaultCPUAllocator: can't allocate memory"), True),
        (RuntimeError("shapes cannot be multiplied"), False),
    ],
)
def test_every_way_to_say_that_memory_is_too_small_is_known(error: Exception, is_memory: bool) -> None:
    def work() -> int:
        raise error

    if is_memory:
        assert within_memory(work) is None
    else:
        with pytest.raises(RuntimeError):
            within_memory(work)


def test_sizes_of_products_with_other_bits_are_not_used() -> None:
    model = torch.nn.Sequential(torch.nn.Linear(8, 8))
    sizes = [4, 8, 16]
    assert _sizes_of_equal_bits(model, sizes)[-1] == 16
    model[0].forward = lambda rows: rows * rows.shape[-2]  # type: ignore[method-assign]
    assert _sizes_of_equal_bits(model, sizes) == [16]


def test_scores_that_are_no_numbers_fail_with_their_cause(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    askings = asked(backend, 7, 3)
    sizes = [1 + len(choice.nodes()) for choice in choices(backend._tokenizer, askings)]
    lost = [torch.full((size, len(backend._tokenizer)), float("nan")) for size in sizes]
    monkeypatch.setattr(HuggingFace, "_scores", lambda *_: enumerate(lost))
    replies = dict(backend.loglikelihoods(askings, PLAIN))
    assert [reply.error for reply in replies.values()] == ["the model's scores are no numbers (NaN)"] * 3


def test_an_empty_prompt_fails_with_its_cause(backend: HuggingFace) -> None:
    [one] = [asking for asking in asked(backend, 1, 40) if asking.request.question_type == "claim"][:1]
    empty = structs.replace(one, prompt="", request=structs.replace(one.request, answer_format="{answer}"))
    [(_, reply)] = backend.loglikelihoods([empty], PLAIN)
    assert (reply.finish_reason, reply.error) == ("error", "no token of the prompt stands before all answers")


def test_rows_begin_alike_as_far_as_they_do() -> None:
    assert [shared_length(*pair) for pair in (("abc", "abd"), ("", "a"), ([1, 2], [1, 2, 3]))] == [2, 0, 2]
