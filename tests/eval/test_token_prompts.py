"""Prompts rendered here to servers of real models: the replies and likelihoods are those of the same weights in process."""

import os
import re
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest
import torch
from msgspec import structs
from msgspec.structs import replace
from openai.types.completion_create_params import CompletionCreateParamsBase
from tokenizers.processors import TemplateProcessing
from transformers import AutoConfig, AutoTokenizer

from atomexam.records.blocks import Run, Server
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import read_jsonl
from eval.backends import open_backend
from eval.models.contract import Backend, ModelQuery, Reply, Settings
from eval.plan import main as plan
from eval.tasks.runs import RequestBuilder
from tests.eval import token_server
from tests.eval.conftest import ask_runs, with_random_weights

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)
OPENAIS = set(CompletionCreateParamsBase.__annotations__)
RUNS: dict[str, dict[str, Any]] = {
    "claims": {"task": "claim"},
    "choice": {"task": "choice"},
    "shots": {"task": "choice", "shots": 2, "max_new_tokens": 3},
    "cases": {"task": "tcm"},
    "stopped": {"task": "claim", "stop_strings": ("a", "的", "\n")},
    "penalty": {"task": "claim", "temperature": 0.3, "top_k": 1, "repetition_penalty": 1.3, "repeats": 2},
    "likelihood": {"task": "claim", "method": "likelihood"},
    "letters": {"task": "choice", "method": "likelihood", "shots": 1},
}


@pytest.fixture(scope="module", params=["system", "no_system", "base"])
def folder(request: pytest.FixtureRequest, toy_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The toy model with random weights, so that it says something else to each question: with a chat template, one that refuses system
    messages, or with none and a token before each text."""
    folder = tmp_path_factory.mktemp(request.param)
    shutil.copytree(toy_models / "toy", folder, dirs_exist_ok=True)
    (folder / "model.json").unlink()  # it names the weights that were trained
    tokenizer = AutoTokenizer.from_pretrained(folder)
    if request.param != "system":
        (folder / "chat_template.jinja").unlink()
        tokenizer.add_special_tokens({"bos_token": "<s>"})
        tokenizer.chat_template = (ROOT / "tests/eval/templates/gemma.jinja").read_text() if request.param == "no_system" else None
        core = tokenizer.backend_tokenizer
        core.post_processor = TemplateProcessing(single="<s> $A", special_tokens=[("<s>", tokenizer.bos_token_id)])
        tokenizer.save_pretrained(folder)
    size = max(len(tokenizer), AutoConfig.from_pretrained(folder).vocab_size)
    return with_random_weights(toy_models / "toy", folder, torch.float64, vocab_size=size)


def opened(backend: str, folder: Path, **server: Any) -> Backend:
    block = Server(**{"timeout": 60.0, "tries": 1, "concurrency": 2} | server)
    return open_backend(Description(model="m", backend=backend, name=str(folder), server=block), Path())


def queries_of(backend: Backend, data: Path, **run: Any) -> list[ModelQuery]:
    requests = RequestBuilder(data / "splits").of_run(Run(model="m", **run))
    return [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]


def replies(ask: Callable, queries: list[ModelQuery], settings: Settings = PLAIN) -> list[Reply]:
    found = dict(ask(queries, settings))
    return [found[place] for place in range(len(queries))]


@pytest.fixture
def vllm(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program `vllm` on the path that serves a real model as vLLM does."""
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nPYTHONPATH={ROOT} exec {sys.executable} {ROOT / "tests/eval/token_server.py"} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")


def test_every_run_on_vllm_is_that_in_process(vllm: None, folder: Path, toy_data: Path, tmp_path: Path) -> None:
    """Through the whole stage: prompts, replies, their ends and tokens, and likelihoods."""
    rows: dict[str, dict[str, list[Prediction]]] = {}
    for backend in ("huggingface", "vllm"):
        description = Description(model=backend, backend=backend, name=str(folder), server=Server(timeout=60.0))
        runs = {name: Run(model=backend, **{"max_new_tokens": 8} | run) for name, run in RUNS.items()}
        ask_runs(backend, runs, tmp_path / "models", toy_data / "splits", tmp_path / backend, description)
        rows[backend] = {name: list(read_jsonl(tmp_path / backend / f"{name}.jsonl", Prediction)) for name in RUNS}
    for name, expected in rows["huggingface"].items():
        found = rows["vllm"][name]
        assert len(found) == len(expected) >= 12
        assert [row.error for row in found if row.error] == []
        assert {row.key for row in found}.isdisjoint(row.key for row in expected), "vLLM's replies are stored apart"
        assert [replace(row, key=None) for row in found] == [replace(row, key=None) for row in expected]
    said = [row.reply for name in ("claims", "choice", "cases") for row in rows["vllm"][name]]
    assert len(set(said)) > 20, "the model says different things"
    assert {row.finish_reason for row in rows["vllm"]["stopped"]} == {"stop", "length"}
    assert len({row.reply for row in rows["vllm"]["letters"]}) > 1
    assert all(row.likelihoods for name in ("likelihood", "letters") for row in rows["vllm"][name])


@pytest.mark.parametrize("api", ["tokens", "vllm"])
def test_a_server_elsewhere_gets_token_ids(api: str, folder: Path, toy_data: Path) -> None:
    here = opened("huggingface", folder)
    with token_server.serving(folder) as server:
        there = opened("openai", folder, url=server.url, api=api)
        for run in ({"task": "claim"}, {"task": "choice", "shots": 1}):
            queries = queries_of(there, toy_data, **run)[::15]
            assert [one.prompt for one in queries] == [one.prompt for one in queries_of(here, toy_data, **run)[::15]]
            assert replies(there.loglikelihoods, queries) == replies(here.loglikelihoods, queries)
            expected = replies(here.generate, queries)
            found = replies(there.generate, queries)
            assert [(one.text, one.finish_reason, one.prompt_tokens) for one in found] == [
                (one.text, one.finish_reason, one.prompt_tokens) for one in expected
            ]
        sent = {name for body in server.bodies for name in body}
        assert all(isinstance(token, int) for body in server.bodies for token in body["prompt"])
        own = {"return_token_ids", "stop_token_ids", "logprob_token_ids", "return_tokens_as_token_ids", "repetition_penalty"}
        assert sent - OPENAIS == (own if api == "vllm" else set())


def test_a_server_elsewhere_gets_text(folder: Path, toy_data: Path) -> None:
    """Where the server adds a token that the template has, too, it reads another prompt, and no reply is taken."""
    here = opened("huggingface", folder)
    with token_server.serving(folder, way="texts") as server:
        there = opened("openai", folder, url=server.url, api="text")
        queries = queries_of(there, toy_data, task="claim")[:4]
        found = replies(there.generate, queries)
        if folder.name.startswith("no_system"):
            assert all("the server read" in str(one.error) and "server.api of the model" in str(one.error) for one in found)
        else:
            assert [one.text for one in found] == [one.text for one in replies(here.generate, queries)]
        assert all(isinstance(body["prompt"], str) for body in server.bodies)
        with pytest.raises(ValueError, match=r"server.api: text returns no likelihoods of answers; set `method: generation`"):
            there.loglikelihoods(queries, PLAIN)


@pytest.fixture(scope="module")
def plain(toy_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The trained toy model, outside the folder that describes it."""
    folder = tmp_path_factory.mktemp("plain")
    shutil.copytree(toy_models / "toy", folder, dirs_exist_ok=True)
    (folder / "model.json").unlink()
    return folder


@pytest.fixture
def served(plain: Path) -> Iterator[Callable[..., Any]]:
    """A function that starts a server of the trained toy model, and opens a backend that asks it."""
    running: list[Any] = []

    def started(way: str = "", **block: Any) -> tuple[Any, Backend]:
        context = token_server.serving(plain, way=way)
        running.append(context)
        server = context.__enter__()
        return server, opened("openai", plain, **{"url": server.url, "api": "vllm"} | block)

    yield started
    for context in running:
        context.__exit__(None, None, None)


def test_the_same_server_gets_chat(served: Callable, plain: Path, toy_data: Path) -> None:
    here, (_, there) = opened("huggingface", plain), served(api="chat")
    expected = replies(here.generate, queries_of(here, toy_data, task="claim")[:6])
    found = replies(there.generate, queries_of(there, toy_data, task="claim")[:6])
    assert [(one.text, one.prompt_tokens) for one in found] == [(one.text, one.prompt_tokens) for one in expected]


@pytest.mark.parametrize("api", ["tokens", "vllm"])
@pytest.mark.parametrize("way", ["", "silent"])
def test_what_does_not_fit_fails_alone(way: str, api: str, served: Callable, plain: Path, toy_data: Path) -> None:
    """With its length where the server tells its window, else with what the server says; a reply is never cut without a word."""
    server, there = served(way, api=api)
    here = opened("huggingface", plain)
    long, *others = queries_of(there, toy_data, task="claim")[:3]
    long = structs.replace(long, prompt=there.render([{"role": "user", "content": "齉龘" * (server.window // 4)}]))
    for ask, expected in ((there.generate, here.generate), (there.loglikelihoods, here.loglikelihoods)):
        failed, *answered = replies(ask, [long, *others])
        assert (failed.finish_reason, failed.text) == ("error", "")
        if way:
            assert "This model's maximum context length is" in failed.error
        else:
            assert failed == replies(expected, [long, *others])[0]
        assert [one.error for one in answered] == [None, None]


def test_a_reply_that_the_window_cuts_is_a_failure(served: Callable, toy_data: Path) -> None:
    server, there = served("silent")
    (query,) = queries_of(there, toy_data, task="claim")[:1]
    size = replies(there.generate, [query])[0].prompt_tokens
    server.window = size + 1
    (cut,) = replies(there.generate, [query])
    assert cut.error == (
        f"the reply was cut off after 1 of 8 tokens: with the prompt of {size} it exceeds the server's limit; "
        "lower `shots` or `max_new_tokens` of the run in params.yaml"
    )


@pytest.mark.parametrize("api", ["tokens", "vllm"])
def test_a_prompt_that_is_read_otherwise_is_a_failure(api: str, served: Callable, toy_data: Path) -> None:
    _, there = served("cuts", api=api)
    queries = queries_of(there, toy_data, task="claim")[:2]
    for ask in (there.generate, there.loglikelihoods):
        assert all(one.error.startswith("the server read 8 tokens, but the prompt has") for one in replies(ask, queries))


@pytest.mark.parametrize(("way", "api", "cause"), [
    ("none", "vllm", "the server returned no likelihoods of . of . tokens; expected logprob_token_ids of /completions.*"),
    ("other", "vllm", "the server returned no likelihoods of . of . tokens; expected logprob_token_ids .*"),
    ("null", "vllm", "the server returned no likelihoods of . of . tokens; expected logprob_token_ids .*"),
    ("nan", "vllm", "no completion in JSON .*"),
    ("shares", "vllm", "the server returned a likelihood of 0.7; expected a logarithm, at most 0"),
    ("clamped", "vllm", None),
    ("none", "tokens", "the server returned no likelihoods of . of . tokens; expected `echo` with `logprobs` of /completions.*"),
    ("short", "tokens", "the server returned no likelihoods of . of . tokens; expected `echo` .*"),
    ("null", "tokens", "the server returned no likelihoods of . of . tokens; expected `echo` .*"),
    ("nan", "tokens", "no completion in JSON .*"),
    ("shares", "tokens", "the server returned a likelihood of 0.7; expected a logarithm, at most 0"),
    ("clamped", "tokens", None),
])  # fmt: skip
def test_likelihoods_that_are_none_fail(way: str, api: str, cause: str | None, served: Callable, toy_data: Path) -> None:
    """What is told as minus infinity is one: the store refuses it, as it does one of a model in process."""
    _, there = served(way, api=api)
    found = replies(there.loglikelihoods, queries_of(there, toy_data, task="claim")[:2])
    if cause is None:
        assert {value for one in found for value in one.likelihoods.values()} == {float("-inf")}
    else:
        assert all(one.finish_reason == "error" and one.likelihoods is None for one in found)
        assert all(re.fullmatch(cause, one.error) for one in found), found[0].error


_TWO = [{"text": "正确", "finish_reason": "stop"}] * 2


@pytest.mark.parametrize(("choice", "response", "cause"), [
    ({"token_ids": [-5]}, {}, "no completion in JSON .*Expected `int` >= 0.*"),
    ({"token_ids": [10**12]}, {}, "no completion in JSON .*Expected `int` <= .*"),
    ({"token_ids": [10**25]}, {}, "no completion in JSON .*"),
    ({"token_ids": [], "text": "正确"}, {}, "the server decodes the tokens of its reply differently .*server.tokenizer.*"),
    ({"token_ids": [5], "text": "正确"}, {}, "the server decodes the tokens of its reply differently .*"),
    ({"token_ids": [5] * 9, "text": ""}, {}, "the server ignores the limit of 8 tokens: the reply has 9"),
    ({"token_ids": [], "text": "", "finish_reason": "length"}, {}, "the reply was cut off after 0 of 8 tokens: .*"),
    ({}, {"choices": _TWO}, "the server returned 2 replies to one request; .* server.api .*"),
    ({}, {"usage": None}, "the server does not report how many tokens of a prompt of .*"),
])  # fmt: skip
def test_replies_that_contradict_themselves_fail(choice: dict, response: dict, cause: str, served: Callable, toy_data: Path) -> None:
    server, there = served()
    server.choice, server.response = choice, response
    [found] = replies(there.generate, queries_of(there, toy_data, task="claim")[:1])
    assert found.finish_reason == "error" and re.fullmatch(cause, found.error, re.DOTALL), found


@pytest.mark.parametrize(("choice", "response", "cause"), [
    ({"text": "", "finish_reason": "length"}, {"usage": {"completion_tokens": 0}}, "the server does not report .*"),
    ({}, {"choices": _TWO}, "the server returned 2 replies to one request; .*"),
])  # fmt: skip
@pytest.mark.parametrize("method", ["generate", "loglikelihoods"])
def test_nor_do_those_of_other_servers(method: str, choice: dict, response: dict, cause: str, served: Callable, toy_data: Path) -> None:
    server, there = served(api="tokens")
    server.choice, server.response = choice, response
    [found] = replies(getattr(there, method), queries_of(there, toy_data, task="claim")[:1])
    assert found.finish_reason == "error" and re.fullmatch(cause, found.error, re.DOTALL), found


def test_an_empty_reply_at_the_limit_of_another_server_fails(served: Callable, toy_data: Path) -> None:
    server, there = served(api="tokens")
    queries = queries_of(there, toy_data, task="claim")[:1]
    size = len(there._renderer.token_ids(queries)[0])
    server.choice, server.response = {"text": "", "finish_reason": "length"}, {"usage": {"prompt_tokens": size, "completion_tokens": 0}}
    assert replies(there.generate, queries)[0].error.startswith("the reply was cut off after 0 of 8 tokens")


def test_a_reply_whose_last_token_is_its_end_has_ended(served: Callable, plain: Path, toy_data: Path) -> None:
    """Some versions look at the limit first, and say `length`."""
    server, there = served()
    server.choice = {"token_ids": [5] * 7 + there._completions._ends[:1], "text": "", "finish_reason": "length"}
    [found] = replies(there.generate, queries_of(there, toy_data, task="claim")[:1])
    assert (found.finish_reason, found.tokens) == ("stop", 7)


def test_a_server_of_another_vocabulary_is_noticed(served: Callable, plain: Path, tmp_path: Path, toy_data: Path) -> None:
    """As many tokens, in another order: it reads another prompt, of the same length. What `tokens` gives does not show it."""
    shutil.copytree(plain, tmp_path / "other")
    words = msgspec.json.decode((tmp_path / "other/tokenizer.json").read_bytes())
    names = [name for name, number in words["model"]["vocab"].items() if number >= 300]
    words["model"]["vocab"] |= dict(zip(names, [words["model"]["vocab"][name] for name in reversed(names)], strict=True))
    (tmp_path / "other/tokenizer.json").write_bytes(msgspec.json.encode(words))
    server, there = served(tokenizer=str(tmp_path / "other"))
    queries = queries_of(there, toy_data, task="claim")[:8]
    for ask, choice in ((there.generate, {}), (there.loglikelihoods, {"token_ids": [5], "text": "正确"})):
        server.choice = choice  # the toy model's first token is part of a letter, which shows nothing
        failed = [one.error for one in replies(ask, queries) if one.error]
        assert failed and all("decodes the tokens of its reply differently" in error for error in failed)


def test_answers_of_the_same_tokens_are_no_answers(plain: Path, toy_data: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = opened("huggingface", plain)
    queries = queries_of(here, toy_data, task="claim")[:1]
    monkeypatch.setattr("eval.models.local.loglikelihood.token_ids", lambda _, texts: [[1, 2] for _ in texts])
    with pytest.raises(ValueError, match=r"the model's tokenizer encodes 正确 and 错误 as the same tokens; set `method: generation`"):
        replies(here.loglikelihoods, queries)


def test_vllm_reads_what_answers_begin_with_once(served: Callable, toy_data: Path) -> None:
    """A call for each token that several answers share, whatever comes after it; echoes need one for each answer."""
    server, there = served()
    [query] = [one for one in queries_of(there, toy_data, task="choice") if one.request.question_type == "mrqa"][:1]
    answers = there._renderer.answers([query], PLAIN)[0]
    replies(there.loglikelihoods, [query])
    assert len(server.bodies) == 1 + len(answers.nodes())
    assert {body["max_tokens"] for body in server.bodies} == {1}
    assert all(body["logprobs"] == len(body["logprob_token_ids"]) <= 128 for body in server.bodies)


@pytest.mark.parametrize(("way", "api", "told"), [
    ("404", "vllm", "HTTP status 404: .*; prompts went to /completions by server.api: vllm; .* not support that, set it to text or chat"),
    ("404", "text", "by server.api: text; if this server does not support that, set it to chat"),
    ("texts", "tokens", "10 requests in a row failed .*prompt must be a string.* by server.api: tokens; .* set it to text or chat"),
])  # fmt: skip
def test_a_server_without_the_api_names_the_setting(way: str, api: str, told: str, served: Callable, toy_data: Path) -> None:
    _, there = served(way, api=api)
    with pytest.raises(ValueError, match=told):
        replies(there.generate, queries_of(there, toy_data, task="claim"))


def test_a_tokenizer_that_cannot_be_had_names_the_setting(plain: Path) -> None:
    message = (
        r"model m: server.api: tokens renders prompts here and needs the model's tokenizer .* server.tokenizer .* or set server.api: chat"
    )
    block = Server(url="http://127.0.0.1/v1", api="tokens")
    with pytest.raises(ValueError, match=message):
        open_backend(Description(model="m", backend="openai", name="no-such", server=block), Path())
    named = structs.replace(block, tokenizer=str(plain))
    backend = open_backend(Description(model="m", backend="openai", name="no-such", server=named), Path())
    assert backend.render([{"role": "user", "content": "问"}]) == opened("huggingface", plain).render([{"role": "user", "content": "问"}])


@pytest.mark.parametrize("method", ["generation", "likelihood"])
def test_a_server_that_dies_is_asked_for_the_rest_alone(method: str, served: Callable, plain: Path, toy_data: Path, tmp_path: Path) -> None:
    """And what it then has is what an unbroken run has."""
    kept = {}
    for way in ("dies", ""):
        server, _ = served(way)
        block = {"url": server.url, "api": "vllm", "tries": 1, "concurrency": 1, "timeout": 60}
        description = Description(model="toy", backend="openai", name=str(plain), server=Server(**block))
        runs = {"r": Run(model="toy", task="claim", method=method)}
        with suppress(ValueError):  # of the server that dies
            ask_runs("toy", runs, tmp_path / "models", toy_data / "splits", tmp_path / "out", description)
        kept[way] = (tmp_path / ".replies/toy/r.jsonl").read_bytes().splitlines()
        if not way:
            left = len(server.bodies)
    assert 1 <= len(kept["dies"]) <= 5
    assert kept[""][: len(kept["dies"])] == kept["dies"]
    assert len(kept[""]) == 24
    assert method == "likelihood" or left == 24 - len(kept["dies"])


def test_identity_has_the_tokenizer_and_no_weights(plain: Path, tmp_path: Path) -> None:
    shutil.copytree(plain, tmp_path / "other")
    (tmp_path / "other/model.safetensors").unlink()
    block = {"url": "http://127.0.0.1/v1", "api": "tokens"}
    about = {"model": "m", "backend": "openai", "name": "n"}

    def identity(folder: Path, **changes: Any) -> str:
        return open_backend(Description(**about, server=Server(**block | {"tokenizer": str(folder)} | changes)), Path()).identity

    same = identity(plain)
    assert identity(tmp_path / "other") == same
    (tmp_path / "other/chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    assert len({same, identity(tmp_path / "other"), identity(plain, api="text"), identity(plain, api="vllm")}) == 4
    chat = open_backend(Description(**about, server=Server(url="http://127.0.0.1/v1")), Path()).identity
    assert chat == "openai/1/127.0.0.1/v1/n/", "replies of chats that are kept stay so"


def test_a_changed_tokenizer_is_seen_by_the_plan(plain: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    shutil.copytree(plain, tmp_path / "imports/models/words")
    server = "{url: 'http://127.0.0.1/v1', api: tokens, tokenizer: imports/models/words}"
    Path("params.yaml").write_text(f"models: {{served: {{backend: openai, name: n, server: {server}}}}}")
    plan(["--out", "m"])
    before = Path("m/served/weights.txt").read_text()
    Path("imports/models/words/chat_template.jinja").write_text("{{ messages }}", encoding="utf-8")
    plan(["--out", "m"])
    assert before.startswith("tokenizer ") and Path("m/served/weights.txt").read_text() != before
