"""Real servers in processes of their own: `transformers serve` with a tiny model, and a stand-in for vLLM's program."""

import os
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import msgspec
import pytest

from atomexam.records.blocks import Run, Server
from atomexam.records.model import Description
from atomexam.records.prediction import Prediction
from atomexam.runtime.jsonl import read_jsonl
from eval.backends import open_backend
from eval.models.contract import ModelQuery, Settings
from eval.models.servers.vllm import _own_gpu, _root_cause
from eval.tasks.runs import RequestBuilder
from tests.eval.conftest import ask_runs, with_random_weights

pytestmark = pytest.mark.slow

ROOT = Path(__file__).parents[2]
PLAIN = Settings(max_new_tokens=8, temperature=0.0, top_k=0, top_p=1.0, repetition_penalty=1.0, seed=1, batch_size=4)


VLLM_RELEASE = "0.33.0"
"""Whose parser took the options, and whose request model took the fields: docs/decisions/0014-vllm-is-a-server.md. A field that it does
not know is passed over in silence, so what is new here is first held against a release."""
VLLM_OPTIONS = {"--host", "--port", "--generation-config", "--max-model-len", "--quantization"}
VLLM_FIELDS = {
    "model", "prompt", "max_tokens", "temperature", "top_p", "top_k", "repetition_penalty", "seed", "stop", "stop_token_ids",
    "return_token_ids",
}  # fmt: skip
VLLM_LIKELIHOOD_FIELDS = {
    "model", "prompt", "max_tokens", "temperature", "logprobs", "logprob_token_ids", "return_tokens_as_token_ids", "return_token_ids",
}  # fmt: skip


@pytest.fixture(scope="module")
def talkative(toy_models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return with_random_weights(toy_models / "toy", tmp_path_factory.mktemp("talkative"))


@pytest.fixture(scope="module")
def transformers_serve(talkative: Path) -> Iterator[str]:
    """`transformers serve` with that model on loopback, offline."""
    pytest.importorskip("fastapi", reason="transformers serve needs fastapi and uvicorn (extra dev)")
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [Path(sys.executable).with_name("transformers"), "serve", talkative, "--host", "127.0.0.1", "--port", str(port)]
    environment = os.environ | {"HF_HUB_OFFLINE": "1", "CUDA_VISIBLE_DEVICES": "", "OMP_NUM_THREADS": "1"}
    process = subprocess.Popen([*map(str, command), "--device", "cpu"], env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    url = f"http://127.0.0.1:{port}"
    try:
        for _ in range(600):
            assert process.poll() is None, process.stderr.read()[-1000:]
            try:
                urlopen(f"{url}/health", timeout=5).close()
                break
            except OSError:
                time.sleep(0.1)
        yield f"{url}/v1"
    finally:
        process.kill()
        process.communicate()


def test_a_served_model_replies_as_the_same_model_here(transformers_serve: str, talkative: Path, toy_data: Path, tmp_path: Path) -> None:
    """Two ways to the same weights, through the whole stage: chat template, limits, counts of tokens and greedy replies agree."""
    served = Server(url=transformers_serve, concurrency=2, timeout=60)
    rows = {}
    for backend, server in (("huggingface", None), ("openai", served)):
        description = Description(model=backend, backend=backend, name=str(talkative), server=server)
        runs = {"run": Run(model=backend, task="claim", max_new_tokens=8)}
        ask_runs(backend, runs, tmp_path / "models", toy_data / "splits", tmp_path / backend, description)
        out = tmp_path / backend / "run.jsonl"
        # The server cuts blanks from both ends of a reply.
        rows[backend] = [(row.item_id, row.reply.strip(), row.finish_reason, row.prompt_tokens) for row in read_jsonl(out, Prediction)]
    assert rows["openai"] == rows["huggingface"]
    assert len(rows["openai"]) == 24
    assert len({reply for _, reply, _, _ in rows["openai"]}) > 4, "the model says different things"


def test_a_served_reply_ends_before_the_stop_string_that_ends_it_here(transformers_serve: str, talkative: Path, toy_data: Path) -> None:
    server = Server(url=transformers_serve, timeout=60)
    here, there = (
        open_backend(Description(model="m", backend=backend, name=str(talkative), server=server), Path())
        for backend in ("huggingface", "openai")
    )
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))[:6]

    def told(backend: Any, settings: Settings) -> list[str]:
        found = dict(
            backend.generate([ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests], settings)
        )
        return [found[place].text.strip() for place in range(len(requests))]

    whole = told(here, PLAIN)
    settings = msgspec.structs.replace(PLAIN, stop_strings=(whole[0][1:3], whole[1][2:4]))
    assert told(there, settings) == told(here, settings) == [text[: settings.string_end(text)].strip() for text in whole]
    assert told(here, settings)[0] == whole[0][:1].strip()


def test_a_served_reply_to_a_prompt_rendered_here_is_that_of_the_model_here(
    transformers_serve: str, talkative: Path, toy_data: Path
) -> None:
    """`transformers serve` takes no token ids, and says so."""
    text, tokens = (Server(url=transformers_serve, timeout=60, api=api) for api in ("text", "tokens"))
    here = open_backend(Description(model="m", backend="huggingface", name=str(talkative)), Path())
    there = open_backend(Description(model="m", backend="openai", name=str(talkative), server=text), Path())
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))
    queries = [ModelQuery(request=one, repeat=0, prompt=there.render(one.messages)) for one in requests]
    told = [
        {place: (one.text.strip(), one.finish_reason, one.prompt_tokens) for place, one in backend.generate(queries, PLAIN)}
        for backend in (here, there)
    ]
    assert told[0] == told[1]
    assert len({reply for reply, _, _ in told[1].values()}) > 4, "the model says different things"
    refused = open_backend(Description(model="m", backend="openai", name=str(talkative), server=tokens), Path())
    [(_, failed)] = refused.generate(queries[:1], PLAIN)
    assert "prompt must be a string" in failed.error and "set it to text or chat" in failed.error


def test_a_model_that_the_server_does_not_have(transformers_serve: str, toy_data: Path) -> None:
    server = Server(url=transformers_serve, tries=1)
    backend = open_backend(Description(model="m", backend="openai", name="no-such", server=server), Path())
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))
    queries = [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]
    with pytest.raises(
        ValueError, match=r"model m: 10 requests in a row failed at 127.0.0.1:\d+: HTTP status 400: .*pinned to .*requested 'no-such'"
    ):
        dict(backend.generate(queries, PLAIN))


@pytest.fixture
def vllm(toy_models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A program `vllm` on the path that serves as vLLM does; only the wiring can be tested with it."""
    program = tmp_path / "bin" / "vllm"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\nexec {sys.executable} {ROOT / "tests/eval/misbehaving.py"} "$@"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    shutil.copytree(toy_models / "toy", tmp_path / "weights", ignore=shutil.ignore_patterns("model.*"))
    return tmp_path


def running(word: Path) -> list[str]:
    """Return the processes that name a path."""
    found = []
    for path in Path("/proc").glob("[0-9]*/cmdline"):
        with suppress(OSError):  # it ended meanwhile
            found += [path.parent.name] if str(word) in path.read_text(errors="replace") else []
    return found


def test_vllm_is_started_asked_and_ended(vllm: Path, toy_data: Path) -> None:
    backend = open_backend(Description(model="m", backend="vllm", name=str(vllm / "weights")), Path())
    requests = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))
    queries = [ModelQuery(request=one, repeat=0, prompt=backend.render(one.messages)) for one in requests]
    settings = msgspec.structs.replace(PLAIN, temperature=0.3, top_k=5, repetition_penalty=1.05)
    assert dict(backend.generate([], PLAIN)) == {}
    assert not running(vllm / "weights")
    found = dict(backend.generate(queries, settings))
    assert len(found) == len(queries)
    assert all(reply.text.startswith("答：") for reply in found.values())
    (server,) = running(vllm / "weights")
    words = Path(f"/proc/{server}/cmdline").read_text().split("\0")
    assert words[words.index("--generation-config") + 1] == "vllm", "the authors' sampling must not mix with the run's"
    assert words[words.index("--host") + 1] == "127.0.0.1"
    assert {word for word in words if word.startswith("--")} <= VLLM_OPTIONS
    assert len(dict(backend.generate(queries[:1], settings))) == 1
    assert running(vllm / "weights") == [server], "the next wave of questions asks the same server"
    del backend
    assert not running(vllm / "weights")


@pytest.mark.parametrize(("launched", "gpu"), [
    ({}, None),
    ({"CUDA_VISIBLE_DEVICES": "4,7"}, "4,7"),
    ({"LOCAL_RANK": "1", "RANK": "5", "WORLD_SIZE": "8", "TORCHELASTIC_RUN_ID": "x"}, "1"),
    ({"LOCAL_RANK": "1", "MASTER_PORT": "29500", "CUDA_VISIBLE_DEVICES": "4,7"}, "7"),
])  # fmt: skip
def test_each_of_several_processes_serves_on_a_gpu_of_its_own(launched: dict[str, str], gpu: str | None) -> None:
    environment = _own_gpu({"PATH": "/bin"} | launched)
    assert environment == {"PATH": "/bin"} | ({"CUDA_VISIBLE_DEVICES": gpu} if gpu else {})


def test_vllm_that_does_not_start_is_told(vllm: Path) -> None:
    (vllm / "weights").rename(vllm / "broken")
    backend = open_backend(Description(model="m", backend="vllm", name=str(vllm / "broken")), Path())
    with pytest.raises(ValueError, match=r"model m: vLLM did not start \(exit status 1\): RuntimeError: Failed to infer device type"):
        list(backend.generate([None], PLAIN))  # never looked at


def test_vllm_ends_with_a_killed_run(vllm: Path) -> None:
    code = (
        "import sys, time; from pathlib import Path; from eval.models.servers.vllm import _serving\n"
        f"with _serving(['{vllm}/bin/vllm', 'serve', '{vllm}/weights'], 'm') as url: print(url, flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", code], cwd=ROOT, env=os.environ | {"PYTHONPATH": str(ROOT)}, stdout=subprocess.PIPE)
    url = process.stdout.readline().decode().strip()
    urlopen(f"{url}/health", timeout=5).close()
    process.send_signal(signal.SIGKILL)
    process.communicate()
    for _ in range(100):
        if not running(vllm / "weights"):
            return
        time.sleep(0.05)
    pytest.fail("the server outlived the run")


def test_a_missing_vllm_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ValueError, match="model m: program `vllm` not found; install it in its own environment"):
        open_backend(Description(model="m", backend="vllm", name=str(tmp_path)), Path())


def test_what_vllm_is_started_with_is_in_its_command_and_in_its_identity(vllm: Path, toy_data: Path) -> None:
    def opened(**given: Any) -> Any:
        return open_backend(Description(model="m", backend="vllm", name=str(vllm / "weights"), **given), Path())

    plain, long = opened(), opened(server=Server(arguments=["--max-model-len", "8192"]))
    assert long._command[-4:] == ["--max-model-len", "8192", "--generation-config", "vllm"]
    (vllm / "own.jinja").write_text("{{ messages[-1].content }}{{ enable_thinking }}")
    shown = opened(chat_template=str(vllm / "own.jinja"), template={"enable_thinking": False})
    assert shown.render([{"role": "user", "content": "问"}]) == "问False", "prompts are rendered here"
    released = vllm / "lib/python3.12/site-packages/vllm-0.11.0.dist-info"
    released.mkdir(parents=True)
    assert "vllm-0.11.0" in opened().identity
    assert len({each.identity for each in (plain, long, opened())}) == 3
    request = RequestBuilder(toy_data / "splits").of_run(Run(model="m", task="claim"))[0]
    sampled = msgspec.structs.replace(PLAIN, temperature=0.3, top_k=5, repetition_penalty=1.05, stop_strings=("\n",))
    query = ModelQuery(request=request, repeat=0, prompt="问")
    [call] = plain._client._completions.calls([query], sampled, plain._client._body)
    [answers] = plain._client._renderer.answers([query], PLAIN)
    for one, fields in [(call, VLLM_FIELDS), (next(plain._client._completions._likelihood_calls(query, answers)), VLLM_LIKELIHOOD_FIELDS)]:
        body = one.body()
        assert {*body, *body["extra_body"]} - {"extra_body"} == fields
    assert {word for word in [*long._command, *shown._command] if word.startswith("--")} <= VLLM_OPTIONS
    assert f"vLLM {VLLM_RELEASE}" in (ROOT / "docs/decisions/0014-vllm-is-a-server.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=r"model m: .*none.jinja cannot be read"):
        opened(chat_template=str(vllm / "none.jinja"))
    with pytest.raises(ValueError, match="a server has its own chat template"):
        open_backend(
            Description(model="m", backend="openai", name="n", chat_template="own.jinja", server=Server(url="http://127.0.0.1/v1")), Path()
        )


def test_the_root_cause_is_the_last_error_that_points_to_no_other() -> None:
    log = """(EngineCore pid=7) ValueError: Free memory on device (3.1/79 GiB) is less than desired
(APIServer pid=3) RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}
"""
    assert "Free memory" in _root_cause(log)
    assert [_root_cause("one\ntwo\n"), _root_cause("")] == ["two", "no output"]
