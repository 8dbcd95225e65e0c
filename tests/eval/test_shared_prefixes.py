"""What prompts share is read once, and no reply shows it: each model family, whole and by parts, alone and in company."""

import random
from pathlib import Path
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from msgspec import structs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers
from transformers import (
    AutoModelForCausalLM,
    GPT2Config,
    LlamaConfig,
    MistralConfig,
    MixtralConfig,
    Phi3Config,
    PreTrainedTokenizerFast,
    Qwen2Config,
)

from atomexam.records.model import Description
from eval.backends import open_backend
from eval.finetune.__main__ import chat_template
from eval.models.contract import ModelQuery, Settings
from eval.models.local.batches import BatchShape, within_memory
from eval.models.local.huggingface import HuggingFace, whole_scores
from eval.models.local.loglikelihood import likelihoods, shared_length, tokenize_answers
from eval.models.local.prefix_cache import EqualSizes, PrefixReader, StepAttention, TokenSpan, _readings, _spans
from tests.eval.conftest import toy_request

pytestmark = pytest.mark.slow

PLAIN = Settings(max_new_tokens=6, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
SIZES: dict[str, Any] = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4}
GROUPED: dict[str, Any] = SIZES | {"num_key_value_heads": 2, "max_position_embeddings": 1024, "initializer_range": 0.3}
LONG = {"rope_type": "longrope", "rope_theta": 10_000.0, "original_max_position_embeddings": 96}
LONG |= {"short_factor": [1.0] * 4, "long_factor": [2.0] * 4}
CONFIGS = {
    "qwen2": Qwen2Config(**GROUPED),
    "llama": LlamaConfig(**GROUPED),
    "learned-positions": GPT2Config(n_embd=32, n_layer=2, n_head=4, n_positions=1024, initializer_range=0.3),
    "wide": Qwen2Config(**GROUPED | {"hidden_size": 512, "intermediate_size": 1365, "initializer_range": 0.05}),
    "mixture": MixtralConfig(**GROUPED, num_local_experts=4),
    "window": MistralConfig(**GROUPED, sliding_window=16),
    "turns-by-longest": Phi3Config(**GROUPED, pad_token_id=0, original_max_position_embeddings=96, rope_parameters=LONG),
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


def asked(backend: HuggingFace, seed: int, number: int) -> list[ModelQuery]:
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
        answers = ["正确", "错误"] if kind == "claim" else "ABCD"
        about = {"messages": messages, "question_type": kind, "answer_format": "答案{answer}", "reader": "mcqa"}
        request = toy_request(f"q-{item}", "", answers, **about)
        found.append(ModelQuery(request=request, repeat=0, prompt=backend.render(messages)))
    return found


def told(backend: HuggingFace, queries: list[ModelQuery], settings: Settings = PLAIN) -> dict[str, dict[str, float] | None]:
    return {queries[place].request.item_id: reply.likelihoods for place, reply in backend.loglikelihoods(queries, settings)}


def test_read_by_parts_and_read_whole_are_equal(backend: HuggingFace) -> None:
    queries = asked(backend, 1, 16)
    weighed = tokenize_answers(backend._tokenizer, queries)
    whole = dict(whole_scores(backend._model, 0, weighed, BatchShape(8, 0)))
    found = told(backend, queries)
    for place, (query, choice) in enumerate(zip(queries, weighed, strict=True)):
        scores = whole[place]
        assert scores is not None
        assert found[query.request.item_id] == pytest.approx(likelihoods(choice, scores, backend._ends), abs=2e-3)


def test_what_else_is_asked_changes_no_byte(backend: HuggingFace) -> None:
    queries = asked(backend, 2, 40)
    whole = told(backend, queries)
    if backend._description.model != "mixture":  # an expert takes what comes to it of the whole batch
        assert told(backend, queries[::-1]) == whole
        assert told(backend, queries[5:13]) == {one.request.item_id: whole[one.request.item_id] for one in queries[5:13]}
        for one in queries[::9]:
            assert told(backend, [one])[one.request.item_id] == whole[one.request.item_id]
    assert told(backend, queries, structs.replace(PLAIN, batch_size=64)) == whole


def test_a_model_whose_memory_is_another_is_read_whole(backend: HuggingFace, capsys: pytest.CaptureFixture[str]) -> None:
    name = backend._description.model
    fresh = HuggingFace(backend._path, backend._description)
    told(fresh, asked(fresh, 3, 2))
    assert fresh._shares_prefixes == (name in BY_PARTS)
    assert (f"{name}: " in capsys.readouterr().err) == (name not in BY_PARTS)


def test_no_token_is_read_twice(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not backend._shares_prefixes:
        pytest.skip("read whole")
    queries, read = asked(backend, 4, 60), list[TokenSpan]()
    real = PrefixReader._read

    def counted(self: PrefixReader, runs: list[TokenSpan]) -> torch.Tensor:
        read.extend(runs)
        return real(self, runs)

    monkeypatch.setattr(PrefixReader, "_read", counted)
    told(backend, queries)
    weighed = tokenize_answers(backend._tokenizer, queries)
    paths = {tuple(choice.start)[:end] for choice in weighed for end in range(1, len(choice.start) + 1)}
    paths |= {(*choice.start, *node) for choice in weighed for node in choice.nodes()}
    assert sum(len(run.tokens) for run in read) == len(paths)


@given(data=st.data())
@hypothesis_settings(max_examples=25)
def test_a_reply_hangs_on_no_other_prompt_of_a_tree(backend: HuggingFace, data: st.DataObject) -> None:
    """Prompts that part at any token, also within a line or a block, have the bits that each has alone, and their order is no matter."""
    if not backend._shares_prefixes or backend._description.model == "mixture":
        pytest.skip("read whole, or an expert takes what comes to it of the whole reading")
    token = st.integers(0, 5)
    trunks = data.draw(st.lists(st.lists(token, min_size=1, max_size=40), min_size=1, max_size=3))
    rows = data.draw(
        st.lists(
            st.builds(
                lambda trunk, cut, rest: [*trunk[:cut], *rest],
                st.sampled_from(trunks), st.integers(0, 40), st.lists(token, min_size=1, max_size=40),
            ),
            min_size=2, max_size=8,
        )
    )  # fmt: skip
    nodes = [sorted({path[:size] for path in paths for size in range(1, len(path) + 1)}) for paths in data.draw(
        st.lists(st.lists(st.tuples(token, token), max_size=3), min_size=len(rows), max_size=len(rows)))]  # fmt: skip
    together = dict(backend._reader.scores(rows, nodes))
    for place, (row, own) in enumerate(zip(rows, nodes, strict=True)):
        [(_, alone)] = backend._reader.scores([row], [own])
        assert torch.equal(alone, together[place])
        whole = torch.stack([backend._model(torch.tensor([[*row, *path]])).logits[0, -1] for path in [(), *own]])
        assert torch.allclose(alone, whole, atol=2e-3)


@given(rows=st.lists(st.lists(st.integers(0, 3), min_size=1, max_size=30), min_size=1, max_size=12), most=st.integers(1, 40))
def test_readings_are_full_but_for_the_last(rows: list[list[int]], most: int) -> None:
    rows.sort()
    readings = list(_readings(_spans((row, [], None) for row in rows), most))
    assert [sum(len(run.tokens) for run in reading) for reading in readings[:-1]] == [most] * (len(readings) - 1)
    path, ends = dict[int, int](), []
    for run in (run for reading in readings for run in reading):
        path |= dict(enumerate(run.tokens, run.start))
        ends += [[path[place] for place in range(end + 1)] for end in range(run.wanted, run.start + len(run.tokens)) if end >= run.start]
    assert ends == rows


def test_too_little_memory_makes_readings_smaller_and_then_fails_alone(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    if not backend._shares_prefixes:
        pytest.skip("read whole, in the batches of tests/eval/test_huggingface.py")
    queries = asked(backend, 5, 60)
    queries[3] = structs.replace(queries[3], prompt=queries[3].prompt.replace("第3题", "第~题"))
    [mark] = backend._tokenizer("~")["input_ids"]
    whole, sizes, real = told(backend, queries), [], PrefixReader._read

    def scarce(self: PrefixReader, runs: list[TokenSpan]) -> torch.Tensor:
        size = sum(len(run.tokens) for run in runs)
        scores = real(self, runs)  # a reading that fails has written over the path
        if (size > 128 and len(sizes) < 8) or any(mark in run.tokens for run in runs):
            raise torch.OutOfMemoryError
        sizes.append(size)
        return scores

    monkeypatch.setattr(PrefixReader, "_read", scarce)
    replies = {queries[place].request.item_id: reply for place, reply in backend.loglikelihoods(queries, PLAIN)}
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


def product(odd: int = 0) -> tuple[torch.nn.Module, list[int]]:
    """Return a product that doubles, of one number of rows to other bits, and how many rows it is given."""
    one, tried = torch.nn.Linear(8, 8), list[int]()

    def forward(rows: torch.Tensor) -> torch.Tensor:
        tried.append(rows.shape[-2])
        return rows * 2 + (tried[-1] == odd)

    one.forward = forward  # type: ignore[method-assign]
    return torch.nn.Sequential(one), tried


def test_sizes_of_products_with_other_bits_are_not_used() -> None:
    sizes = EqualSizes(product(odd=4)[0], None, [4, 8, 16])
    assert [sizes.next_to(*pair) for pair in ((3, 16), (8, 16), (9, 16), (16, 16), (5, 4))] == [8, 8, 16, 16, 8]
    assert EqualSizes(product()[0], None, [4, 8, 16]).next_to(3, 16) == 4
    untryable = torch.nn.Sequential(product()[0], torch.nn.Bilinear(2, 2, 2))
    assert EqualSizes(untryable, None, [4, 8, 16]).next_to(3, 16) == 16


def test_a_size_is_tried_when_it_is_first_needed_and_once() -> None:
    model, tried = product()
    sizes = EqualSizes(model, None, [4, 8, 16])
    assert [sizes.next_to(number, 16) for number in (16, 9)] == [16, 16]
    assert not tried
    assert [sizes.next_to(number, 16) for number in (7, 5, 2)] == [8, 8, 4]
    assert tried == [16, 8, 4]


def test_a_model_that_gives_all_scores_is_read_whole(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    """As some do, which take the number of those that are wanted and heed it not."""
    forward = backend._model.forward
    monkeypatch.setattr(backend._model, "forward", lambda logits_to_keep=0, **given: forward(**given))
    assert not PrefixReader(backend._model, 0).is_sound()


def test_scores_that_are_no_numbers_fail_with_their_cause(backend: HuggingFace, monkeypatch: pytest.MonkeyPatch) -> None:
    queries = asked(backend, 7, 3)
    sizes = [1 + len(choice.nodes()) for choice in tokenize_answers(backend._tokenizer, queries)]
    lost = [torch.full((size, len(backend._tokenizer)), float("nan")) for size in sizes]
    monkeypatch.setattr(HuggingFace, "_scores", lambda *_: enumerate(lost))
    replies = dict(backend.loglikelihoods(queries, PLAIN))
    assert [reply.error for reply in replies.values()] == ["the model's scores are not numbers (NaN)"] * 3


def test_scores_that_are_no_numbers_stay_with_their_prompt(backend: HuggingFace) -> None:
    """A prompt whose keys are no numbers is read before others that go over them."""
    if not backend._shares_prefixes or backend._description.model == "mixture":
        pytest.skip("read whole, or an expert takes what comes to it of the whole reading")
    table = backend._model.get_input_embeddings().weight
    rows = [[1, 2, 3, 7, *range(8, 40)], [1, 2, 3, 8], [1, 2, 3, 8, *range(8, 38)]]
    before = [backend._reader.scores([row], [[]]) for row in rows]
    expected = [scores for [(_, scores)] in before]
    kept = table[7].clone()
    with torch.no_grad():
        table[7] = float("nan")
        try:
            found = dict(backend._reader.scores(rows, [[]] * 3))
        finally:
            table[7] = kept
    assert found[0].isnan().all()
    columns = [token for token in range(table.shape[0]) if token != 7]  # where the head is the table, its score is lost as well
    assert all(torch.equal(found[place][:, columns], expected[place][:, columns]) for place in (1, 2))


def test_an_empty_prompt_fails_with_its_cause(backend: HuggingFace) -> None:
    [one] = [query for query in asked(backend, 1, 40) if query.request.question_type == "claim"][:1]
    empty = structs.replace(one, prompt="", request=structs.replace(one.request, answer_format="{answer}"))
    [(_, reply)] = backend.loglikelihoods([empty], PLAIN)
    assert (reply.finish_reason, reply.error) == ("error", "no prompt token precedes all answers")


def test_rows_begin_alike_as_far_as_they_do() -> None:
    assert [shared_length(*pair) for pair in (("abc", "abd"), ("", "a"), ([1, 2], [1, 2, 3]))] == [2, 0, 2]


def test_rows_that_grow_one_by_one_leave_no_room_behind() -> None:
    attention, path = StepAttention(), {0: (torch.ones(1, 1, 63, 2), torch.ones(1, 1, 63, 2))}
    for row in range(16):
        attention.join(row, path, 63)
    for grown in range(17):
        attention.over({row: 64 if row < grown else 63 for row in range(16)}, torch.ones(1))
        room = sum(len(paths.buffers[0][0]) for paths, *_ in attention._steps)
        assert room <= 16 + 2 * 3, grown
