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
from eval.models.batches import Shape
from eval.models.contract import Asking, Settings
from eval.models.huggingface import HuggingFace
from eval.models.loglikelihood import choices, likelihoods, shared_length, whole_scores
from eval.models.shared_prefixes import PrefixReader, cuts
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


def test_parts_end_where_messages_end(backend: HuggingFace) -> None:
    [asking] = [one for one in asked(backend, 1, 40) if len(one.request.messages) == 6][:1]
    tokenizer = backend._tokenizer
    [choice] = choices(tokenizer, [asking])
    [places] = cuts(tokenizer, [asking], [choice.start])
    texts = [tokenizer.decode(choice.start[:place]) for place in places]
    messages = asking.request.messages
    assert len(texts) == 2 and texts[0].endswith("user\n") and messages[0]["content"] in texts[0] and messages[1]["content"] not in texts[0]
    assert messages[4]["content"] in texts[1] and "题" not in texts[1]


def test_each_part_is_read_once(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    askings, read = asked(backend, 4, 60), []
    part = PrefixReader._part

    def counted(self: PrefixReader, before: Any, tokens: list[int]) -> Any:
        read.append(tuple(tokens))
        return part(self, before, tokens)

    monkeypatch.setattr(PrefixReader, "_part", counted)
    assert backend._shares_prefixes == (backend._description.model in BY_PARTS)
    read.clear()
    told(backend, askings)
    assert len(read) <= 3 + 9  # three systems, and three blocks of examples behind each


def test_too_little_memory_halves_the_batch_and_then_fails_alone(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not backend._shares_prefixes:
        pytest.skip("read whole, in the batches of tests/eval/test_huggingface.py")
    askings = asked(backend, 5, 12)
    whole, sizes, real = told(backend, askings), [], PrefixReader._read

    def scarce(self: PrefixReader, batch: Any) -> list[torch.Tensor]:
        sizes.append(len(batch))
        if len(batch) > 1 or batch[0][1].place == 3:
            raise torch.OutOfMemoryError
        return real(self, batch)

    monkeypatch.setattr(PrefixReader, "_read", scarce)
    replies = {askings[place].request.item_id: reply for place, reply in backend.loglikelihoods(askings, PLAIN)}
    assert len(replies) == 12 and max(sizes) > 1
    assert "out of memory" in (replies["q-3"].error or "")
    for name, reply in replies.items():
        assert name == "q-3" or reply.likelihoods == pytest.approx(whole[name], abs=1e-3)


def test_a_part_that_does_not_fit_is_read_with_each_prompt(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    askings = asked(backend, 6, 12)
    whole, real = told(backend, askings), PrefixReader._part

    def scarce(self: PrefixReader, before: Any, tokens: list[int]) -> Any:
        if before is not None:
            raise torch.OutOfMemoryError
        return real(self, before, tokens)

    monkeypatch.setattr(PrefixReader, "_part", scarce)
    assert told(backend, askings) == {name: pytest.approx(likelihoods, abs=2e-3) for name, likelihoods in whole.items()}


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
