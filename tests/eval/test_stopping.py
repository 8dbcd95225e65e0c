"""Replies to claims that end with their verdict: the cut, and what readers make of what is left."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
import torch
from msgspec import structs
from transformers import PreTrainedTokenizerFast, Qwen2Config, Qwen2ForCausalLM
from transformers.generation import LogitsProcessor

from atomexam.records.blocks import Run, Server
from atomexam.records.model import Description
from eval.answers.readers import read_reply
from eval.backends import open_backend
from eval.finetune.__main__ import chat_template
from eval.finetune.training_data import END_OF_TEXT, END_OF_TURN, byte_pairs
from eval.models.cached_model import key_of, settings_of
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.models.local import huggingface
from eval.models.local.decoding import reply_end, verdict_end
from eval.models.local.prefix_cache import PrefixReader
from tests.eval.conftest import toy_request

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parent
SAID = {
    "plain": ("正确。因为该病由病毒引起，一般在一周以内自行好转。", "正确。"),
    "late": ("这个说法很常见，不过它是错误的！原因有三。", "这个说法很常见，不过它是错误的！"),
    "first": ("错误，因为它没有传染性。", "错误，"),
    "both": ("请判断正确还是错误。我看是错误。其余从略。", "请判断正确还是错误。我看是错误。"),
    "asks": ("该说法是否正确。正确\n其余从略。", "该说法是否正确。正确\n"),
    "reasons after a colon": ("错误：它没有传染性。", "错误："),
    "labelled": ("答案：正确。因为其余从略。", "答案：正确。"),
    "never": ("不知道。请咨询医生。", "不知道。请咨询医生。"),
    "reasons": ("<think>可能正确。再想想。</think>错误。其余从略。", "<think>可能正确。再想想。</think>错误。"),
}
ENOUGH = Settings(max_new_tokens=120, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4, stop="verdict")


@pytest.fixture(scope="module")
def backend(tmp_path_factory: pytest.TempPathFactory) -> Backend:
    path = tmp_path_factory.mktemp("said")
    words = byte_pairs([text for text, _ in SAID.values()], 400)
    tokenizer = PreTrainedTokenizerFast(tokenizer_object=words, eos_token=END_OF_TURN, pad_token=END_OF_TEXT)
    tokenizer.chat_template = chat_template()
    tokenizer.save_pretrained(path)
    torch.manual_seed(1)
    config = Qwen2Config(
        vocab_size=len(tokenizer), hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2
    )
    Qwen2ForCausalLM(config).save_pretrained(path)
    return open_backend(Description(model="m", backend="huggingface", name=str(path)), Path())


def query(name: str, backend: Backend) -> ModelQuery:
    request = toy_request(name, "判断", question_type="claim", reader="claim")
    return ModelQuery(request=request, repeat=0, prompt=backend.render(request.messages))


@pytest.fixture(params=["one leaves and the next comes", "in rounds"])
def way(request: pytest.FixtureRequest, backend: Backend, monkeypatch: pytest.MonkeyPatch) -> str:
    """How replies are made: token by token in one go, or as of models that share no prefixes."""
    monkeypatch.setitem(backend.__dict__, "_shares_prefixes", request.param != "in rounds")
    return request.param


@pytest.fixture
def scripted(backend: Backend, way: str, monkeypatch: pytest.MonkeyPatch) -> Backend:
    """The backend, whose model says what stands in SAID."""
    tokenizer: Any = backend._tokenizer  # type: ignore[attr-defined]

    class Scripted(LogitsProcessor):
        def __init__(self, settings: Settings, queries: list[ModelQuery], mask: torch.Tensor, drawn: int = 0) -> None:
            self._rows = [tokenizer(SAID[one.request.item_id][0])["input_ids"] + [tokenizer.eos_token_id] for one in queries]
            self._width = mask.shape[1] - drawn

        def __call__(self, input_ids: torch.LongTensor, scores: torch.FloatTensor) -> torch.FloatTensor:
            step = input_ids.shape[1] - self._width
            chosen = torch.tensor([[row[min(step, len(row) - 1)]] for row in self._rows])
            return torch.full_like(scores, float("-inf")).scatter_(1, chosen, 0.0)

    monkeypatch.setattr(huggingface, "SampledToken", Scripted)
    return backend


def said(backend: Backend, names: list[str], settings: Settings) -> dict[str, Reply]:
    found = dict(backend.generate([query(name, backend) for name in names], settings))
    return {name: found[place] for place, name in enumerate(names)}


def test_a_reply_ends_with_its_verdict_alone_and_in_company(scripted: Backend) -> None:
    together = said(scripted, list(SAID), ENOUGH)
    assert {name: reply.text for name, reply in together.items()} == {name: cut for name, (_, cut) in SAID.items()}
    assert {reply.finish_reason for reply in together.values()} == {"stop"}
    for name in SAID:
        assert said(scripted, [name], ENOUGH)[name] == together[name]
    whole = said(scripted, list(SAID), structs.replace(ENOUGH, stop="end"))
    assert {name: reply.text for name, reply in whole.items()} == {name: text for name, (text, _) in SAID.items()}
    assert all(together[name].tokens < whole[name].tokens for name in SAID if name != "never")


def test_a_reply_that_is_too_long_before_its_verdict_is_cut_at_the_limit(scripted: Backend) -> None:
    reply = said(scripted, ["late"], structs.replace(ENOUGH, max_new_tokens=3))["late"]
    assert (reply.finish_reason, reply.tokens) == ("length", 3)


def test_what_is_left_is_read_as_the_whole() -> None:
    """Of all labelled replies to claims that are cut, the strict reading of few moves, of none from one verdict to the other."""
    cut, moved = 0, []
    for name in ("replies", "unseen_replies", "varied_replies", "whole_replies"):
        for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            words = row["response"]
            end = verdict_end(words)
            if row["task"] == "claim" and end is not None:
                cut += 1
                whole = read_reply("claim", words, {}).answer
                if (begun := read_reply("claim", words[:end], {}).answer) != whole:
                    moved.append((words, begun, whole))
    assert cut > 1000
    assert len(moved) <= cut // 150
    assert all("正确" in words and "错误" in words for words, _, _ in moved)
    assert not [words for words, begun, whole in moved if begun and whole]


def test_stop_is_for_claims_that_are_generated() -> None:
    run = {"model": "m", "task": "claim", "stop": "verdict"}
    assert msgspec.convert(run, Run).stop == "verdict"
    for other in ({"task": "choice"}, {"method": "likelihood"}):
        with pytest.raises(msgspec.ValidationError, match="stop: verdict applies only to claim and fourfold by generation"):
            msgspec.convert(run | other, Run)


@pytest.mark.parametrize(
    ("run", "tokens_a_char", "limit"),
    [
        ({"task": "claim"}, None, 32),
        ({"task": "claim"}, 3, 96),
        ({"task": "tcm"}, 2, 512),
        ({"task": "tcm", "max_new_tokens": 7}, 3, 7),
    ],
)
def test_a_reply_has_room_for_its_characters(run: dict[str, Any], tokens_a_char: int | None, limit: int) -> None:
    model = SimpleNamespace(tokens_a_char=tokens_a_char) if tokens_a_char else SimpleNamespace()
    assert settings_of(msgspec.convert(run | {"model": "m"}, Run), model).max_new_tokens == limit  # type: ignore[arg-type]


def test_a_server_refuses_it() -> None:
    server = open_backend(Description(model="m", backend="openai", name="n", server=Server(url="http://127.0.0.1:1/v1")), Path())
    with pytest.raises(ValueError, match="cannot stop replies early"):
        list(server.generate([], ENOUGH))


@pytest.mark.parametrize("stop", ["end", "verdict"])
def test_a_reply_ends_before_the_first_stop_string(scripted: Backend, stop: Any) -> None:
    """Alone and in company, and several that go on from one prompt; the words of a string may be cut into tokens in any way."""
    settings = structs.replace(ENOUGH, stop=stop, stop_strings=("\n", "因为", *(["正确。因"] if stop == "end" else [])))
    found = said(scripted, list(SAID), settings)
    for name, (text, cut) in SAID.items():
        whole = cut if stop == "verdict" else text
        assert found[name].text == whole[: settings.string_end(whole)]
        assert found[name].finish_reason == "stop"
        assert said(scripted, [name], settings)[name] == found[name]
    assert found["asks"].text == "该说法是否正确。正确"
    assert found["plain"].text == ("正确。" if stop == "verdict" else "")
    assert found["plain"].tokens < said(scripted, ["plain"], structs.replace(ENOUGH, stop="end"))["plain"].tokens


@pytest.mark.parametrize(("words", "left"), [
    (("a.c",), "xabcde"),  # signs of regular expressions are signs
    (("xa",), ""),
    (("cd", "bcde"), "xab"),  # cd is whole first, however the text comes
    (("bcd", "cd"), "xa"),
    (("abcdef", "e"), "xabcd"),
])  # fmt: skip
def test_the_first_stop_string_is_the_first_to_be_whole(words: tuple[str, ...], left: str) -> None:
    """So a reply is the same whether its text comes by letters, in longer tokens, or at once from a server."""
    settings = structs.replace(ENOUGH, stop="end", stop_strings=words)
    for step in range(1, 7):
        so_far = next((text for end in range(step, 12, step) if reply_end(text := "xabcde"[:end], settings) is not None), "xabcde")
        assert so_far[: settings.string_end(so_far)] == left


@pytest.mark.parametrize(("word", "left"), [("。因", "正确。"), ("。", "正确"), ("确。", "正")])
def test_a_verdict_is_whole_before_a_string_that_goes_beyond_it(word: str, left: str) -> None:
    settings = structs.replace(ENOUGH, stop_strings=(word,))
    assert {text[: reply_end(text, settings)] for text in ("正确。", "正确。因", "正确。因为") if reply_end(text, settings)} == {left}


@pytest.mark.parametrize("stop", ["end", "verdict"])
def test_padding_that_a_model_says_itself_is_no_end(scripted: Backend, stop: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SAID, "padded", (f"不知{END_OF_TEXT}道。是正确。因为", ""))
    settings = structs.replace(ENOUGH, stop=stop, stop_strings=("因",))
    together = said(scripted, ["padded", "never"], settings)["padded"]
    assert together.text == "不知道。是正确。"
    assert said(scripted, ["padded"], settings)["padded"] == together


def test_stop_strings_are_few_words_for_generation() -> None:
    run = {"model": "m", "task": "choice", "stop_strings": ["\n", "题目"]}
    assert settings_of(msgspec.convert(run, Run)).stop_strings == ("\n", "题目")
    wrong = {"stop_strings apply only to generation": {"method": "likelihood"}, "length >= 1": {"stop_strings": [""]}}
    for cause, other in (wrong | {"length <= 4": {"stop_strings": ["a"] * 5}}).items():
        with pytest.raises(msgspec.ValidationError, match=cause):
            msgspec.convert(run | other, Run)


def test_kept_replies_of_runs_without_it_keep_their_keys(backend: Backend) -> None:
    one = query("plain", backend)
    plain = settings_of(Run(model="m", task="claim"))
    assert b"stop" not in msgspec.json.encode(plain)
    for change in ({"stop": "verdict"}, {"stop_strings": ("\n",)}):
        assert key_of("m", one, plain, "generation") != key_of("m", one, structs.replace(plain, **change), "generation")


def test_memory_that_is_too_small_makes_fewer_at_once_and_fails_one_alone(scripted: Backend, way: str, monkeypatch: Any) -> None:
    if way == "in rounds":
        pytest.skip("in the batches of tests/eval/test_huggingface.py")
    whole, steps, real = said(scripted, list(SAID), ENOUGH), [], PrefixReader.step

    def scarce(self: PrefixReader, runs: dict[int, Any], size: int) -> dict[int, torch.Tensor] | None:
        steps.append(len(runs))
        return None if len(runs) > 3 else real(self, runs, size)

    monkeypatch.setattr(PrefixReader, "step", scarce)
    assert said(scripted, list(SAID), ENOUGH) == whole
    assert steps[:2] == [len(SAID), len(SAID) // 2]
    monkeypatch.setattr(PrefixReader, "step", lambda *_: None)
    left = said(scripted, list(SAID), ENOUGH)
    lost = {name for name, reply in left.items() if "out of memory" in (reply.error or "")}
    assert len(lost) > 1 and all(left[name] == whole[name] for name in SAID if name not in lost)


def test_draws_are_the_same_where_memory_is_too_small(backend: Backend, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn, real = structs.replace(ENOUGH, temperature=1.0, max_new_tokens=24), PrefixReader.step
    whole, steps = said(backend, list(SAID), drawn), [0]

    def scarce(self: PrefixReader, runs: dict[int, Any], size: int) -> dict[int, torch.Tensor] | None:
        steps.append(len(runs))
        return None if len(runs) > 3 and len(steps) > 4 else real(self, runs, size)

    monkeypatch.setattr(PrefixReader, "step", scarce)
    assert said(backend, list(SAID), drawn) == whole


def test_neither_way_nor_company_changes_draws_or_words(backend: Backend, way: str) -> None:
    """What a model says until its verdict is what it says to the end, as far as it goes."""
    drawn = structs.replace(ENOUGH, temperature=1.0, max_new_tokens=48)
    cut_short, at_once = (said(backend, list(SAID), structs.replace(drawn, stop=stop)) for stop in ("verdict", "end"))
    assert all(at_once[name].text.startswith(reply.text) for name, reply in cut_short.items())
    assert all(at_once[name] == reply for name, reply in cut_short.items() if reply.finish_reason == "length")
    assert sum(reply.finish_reason == "length" for reply in cut_short.values()) > 1
    assert all(said(backend, [name], structs.replace(drawn, stop="verdict"))[name] == cut_short[name] for name in list(SAID)[:3])
    assert max(reply.tokens for reply in at_once.values()) > 32
