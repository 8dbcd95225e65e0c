"""SampledToken by likelihood: the sums of a plain loop, and those of lm-evaluation-harness, on a model small enough to check."""

import math
from pathlib import Path

import pytest
import torch
from msgspec import structs
from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers
from transformers import AutoModelForCausalLM, AutoTokenizer, GenerationConfig, PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM

from atomexam.records.model import Description
from eval.backends import open_backend
from eval.finetune.__main__ import chat_template
from eval.finetune.training_data import END_OF_TEXT, END_OF_TURN
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.tasks.prompt import token_ids
from eval.tasks.request import allowed_answers
from tests.eval.conftest import toy_request

pytestmark = pytest.mark.slow

PLAIN = Settings(max_new_tokens=6, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
# The vocabulary knows `答案AC` as a whole, so that tokens span the border of format and answer.
TEXTS = ["答案AC", "答案AC", "答案B", "ABCD", "正确", "错误", "system user assistant", "下列说法中正确的是高血压头晕头痛"] * 3
KINDS = {"claim": ["正确", "错误"], "mcqa": list("ABCD"), "mrqa": list("ABCDE")}


@pytest.fixture(scope="module", params=[64, 85], ids=["even", "odd"])
def folder(tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest) -> Path:
    """A random Qwen2; one with an odd size, whose last row in a batch is reckoned by other instructions."""
    path = tmp_path_factory.mktemp("qwen2")
    pairs = Tokenizer(models.BPE())
    pairs.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)
    pairs.decoder = decoders.ByteLevel()
    special = ["<|im_start|>", END_OF_TURN, END_OF_TEXT]
    alphabet = pre_tokenizers.ByteLevel.alphabet()
    pairs.train_from_iterator(
        TEXTS, trainers.BpeTrainer(vocab_size=320, special_tokens=special, initial_alphabet=alphabet, show_progress=False)
    )
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=pairs, eos_token=END_OF_TURN, pad_token=END_OF_TEXT)
    tokenizer.chat_template = chat_template()
    tokenizer.save_pretrained(path)
    torch.manual_seed(5)
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=32, intermediate_size=request.param, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=512, initializer_range=0.4, eos_token_id=tokenizer.eos_token_id,
    )  # fmt: skip
    model = Qwen2ForCausalLM(config)
    model.generation_config = GenerationConfig(eos_token_id=tokenizer.convert_tokens_to_ids([END_OF_TURN, END_OF_TEXT]))
    model.save_pretrained(path)
    return path


@pytest.fixture(scope="module")
def backend(folder: Path) -> Backend:
    return open_backend(Description(model="m", backend="huggingface", name=str(folder)), Path())


def query(backend: Backend, number: int, kind: str) -> ModelQuery:
    form = "{answer}" if kind == "claim" else "答案{answer}"
    text = f"第{number}题：" + "高血压头晕头痛" * (number % 5)
    request = toy_request(f"q-{number}", text, KINDS[kind], question_type=kind, answer_format=form, reader="mcqa")
    return ModelQuery(request=request, repeat=0, prompt=backend.render(request.messages))


@pytest.fixture(scope="module")
def queries(backend: Backend) -> list[ModelQuery]:
    return [query(backend, number, kind) for kind in KINDS for number in range(12)]


def weighed(backend: Backend, queries: list[ModelQuery], settings: Settings = PLAIN) -> dict[str, Reply]:
    found = dict(backend.loglikelihoods(queries, settings))
    assert len(found) == len(queries)
    return {f"{one.request.question_type}/{one.request.item_id}": found[place] for place, one in enumerate(queries)}


@torch.inference_mode()
def plain_loop(folder: Path, one: ModelQuery) -> dict[str, float]:
    """One pass for each answer over the whole text, summing what stands behind the part that all answers share with the prompt."""
    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    lead = one.request.answer_format.removesuffix("{answer}")
    answers = allowed_answers(one.request)
    rows = token_ids(tokenizer, [one.prompt + lead + answer for answer in answers])
    start = token_ids(tokenizer, [one.prompt + lead])[0]
    while any(row[: len(start)] != start for row in rows):
        start.pop()
    sums = {}
    for answer, row in zip(answers, rows, strict=True):
        shares = model(torch.tensor([row])).logits[0].log_softmax(-1)
        sums[answer] = sum(shares[place - 1, row[place]].item() for place in range(len(start), len(row)))
        if one.request.question_type == "mrqa":
            sums[answer] += math.log(sum(shares[-1, end].exp().item() for end in model.generation_config.eos_token_id))
    return sums


def test_likelihoods_match_a_plain_loop(backend: Backend, folder: Path, queries: list[ModelQuery]) -> None:
    found = weighed(backend, queries)
    for one in queries[::5]:
        reply = found[f"{one.request.question_type}/{one.request.item_id}"]
        expected = plain_loop(folder, one)
        assert reply.likelihoods == pytest.approx(expected, abs=2e-4)
        best = max(expected, key=lambda answer: expected[answer])
        assert reply.text == one.request.reply(best)
        assert reply.finish_reason == "stop"


def test_tokens_may_span_format_and_answer(folder: Path, backend: Backend) -> None:
    """Else the test above would not see it."""
    one = query(backend, 1, "mrqa")
    tokenizer = AutoTokenizer.from_pretrained(folder)
    apart = token_ids(tokenizer, [one.prompt + "答案"])[0] + token_ids(tokenizer, ["AC"])[0]
    assert apart != token_ids(tokenizer, [one.prompt + "答案AC"])[0]


def test_likelihoods_match_the_harness(backend: Backend, folder: Path) -> None:
    """lm-evaluation-harness counts the template's last line break to the answer, which adds the same to each of an item's answers.

    It cuts after the context's own tokens, so this holds where none spans the border: a claim's answers.
    """
    pytest.importorskip("lm_eval")
    from lm_eval.api.instance import Instance
    from lm_eval.models.huggingface import HFLM

    tokenizer, model = AutoTokenizer.from_pretrained(folder), AutoModelForCausalLM.from_pretrained(folder)
    harness = HFLM(pretrained=model, tokenizer=tokenizer, backend="causal", batch_size=1, device="cpu")
    asked = [query(backend, number, "claim") for number in range(4)]
    instances = [Instance("loglikelihood", {}, (one.prompt, answer), 0) for one in asked for answer in KINDS["claim"]]
    expected = [value for value, _ in harness.loglikelihood(instances, disable_tqdm=True)]
    found = [weighed(backend, [one])[f"claim/{one.request.item_id}"].likelihoods for one in asked]
    ours = [likelihoods["正确"] - likelihoods["错误"] for likelihoods in found]
    assert ours == pytest.approx([right - wrong for right, wrong in zip(expected[::2], expected[1::2], strict=True)], abs=3e-4)


@pytest.mark.parametrize(("name", "value"), [("temperature", 0.3), ("top_k", 5), ("top_p", 0.9), ("repetition_penalty", 1.05)])
def test_rejects_sampling(name: str, value: float, backend: Backend, queries: list[ModelQuery]) -> None:
    with pytest.raises(ValueError, match=f"the method likelihood does not support {name} .found {value}."):
        dict(backend.loglikelihoods(queries, structs.replace(PLAIN, **{name: value})))


def test_rejects_answers_in_words(backend: Backend) -> None:
    one = query(backend, 1, "claim")
    words = structs.replace(one, request=structs.replace(one.request, question_type="qa", options=[]))
    with pytest.raises(ValueError, match="q-1: there are no answers to choose from; set `method: generation`"):
        dict(backend.loglikelihoods([words], PLAIN))
