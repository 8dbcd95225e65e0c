"""Backend `vllm`: vLLM's own server, which runs on this machine for the duration of a run. Prompts are sent as token ids.

docs/decisions/0014-vllm-is-a-server.md explains why vllm is not imported.
"""

import ctypes
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import IO
from urllib.error import URLError
from urllib.request import ProxyHandler, build_opener
from weakref import finalize

from msgspec import structs

from atomexam.records.blocks import Server
from atomexam.records.model import Description
from eval.models.contract import ModelQuery, Reply, Settings
from eval.models.local.weights import ADAPTER, content_hash, locate
from eval.models.servers.openai import OpenAI
from eval.tasks.prompt import Message

_LONGEST_START = 1800.0  # seconds; loading 70 billion parameters from a slow disk takes most of it
_REPLY_VERSION = "3"  # raise when a change in this module affects replies
_LAUNCHER_VARIABLES = (
    "RANK",
    "LOCAL_RANK",
    "GROUP_RANK",
    "WORLD_SIZE",
    "LOCAL_WORLD_SIZE",
    "MASTER_ADDR",
    "MASTER_PORT",
)  # set by torchrun
_ERROR = re.compile(r"\b\w*(?:Error|Exception): ")
_PLACEHOLDER_URL = "http://127.0.0.1/v1"  # until the server is started
_DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG of prctl(2)


class Vllm:
    """One model on vLLM. The server starts, and occupies a GPU, on the first request; it then serves all requests."""

    def __init__(self, description: Description, folder: Path) -> None:
        program = shutil.which("vllm")
        if program is None:
            raise ValueError(
                f"model {description.model}: program `vllm` not found; install it in its own environment, since it brings its own "
                f"torch (`uv tool install vllm` or `pipx install vllm`), or set `backend: huggingface` for this model in params.yaml"
            )
        path = locate(description, folder).resolve()
        if (path / ADAPTER).exists():
            raise ValueError(
                f"model {description.model}: {path.name} is an adapter; set `backend: huggingface`, which merges it when opening it"
            )
        own = description.server or Server()
        server = structs.replace(own, api="vllm", url=_PLACEHOLDER_URL, tokenizer=None, key_variable="VLLM_API_KEY")
        # Ignores the sampling settings that the model's authors recommend; of repeated flags, the server uses the last.
        self._command = [program, "serve", str(path), *server.arguments, "--generation-config", "vllm"]
        self._client = OpenAI(structs.replace(description, name=str(path), server=server))
        self._model = description.model
        self.identity = "/".join(["vllm", _REPLY_VERSION, _version(program), content_hash(path), *server.arguments])
        self._is_started = False

    def render(self, messages: Sequence[Message]) -> str:
        """Render the prompt with the model's chat template, as the backend `huggingface` does."""
        return self._client.render(messages)

    def generate(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield replies as they arrive; the first call starts the server.

        Raises:
            ValueError: the server does not start, or exits.
        """
        if queries:
            yield from self._started().generate(queries, settings)

    def loglikelihoods(self, queries: Sequence[ModelQuery], settings: Settings) -> Iterator[tuple[int, Reply]]:
        """Yield the most likely answer to each request, with the likelihoods of all answers.

        Raises:
            ValueError: the server does not start, or exits.
        """
        if queries:
            yield from self._started().loglikelihoods(queries, settings)

    def _started(self) -> OpenAI:
        """Return the client of a server that runs as long as this object exists, since a start takes minutes and requests come in waves."""
        if not self._is_started:
            server = ExitStack()
            self._client.connect(server.enter_context(_serving(self._command, self._model)) + "/v1")
            finalize(self, server.close)
            self._is_started = True
        return self._client


@contextmanager
def _serving(command: Sequence[str], model: str) -> Iterator[str]:
    """Start a server on a free loopback port, wait until it responds, and yield its address; stop it afterwards."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with tempfile.NamedTemporaryFile(prefix=f"vllm-{model}-", suffix=".log") as log:
        whole = [*command, "--host", "127.0.0.1", "--port", str(port)]
        process = subprocess.Popen(whole, env=_own_gpu(os.environ), stdout=log, stderr=subprocess.STDOUT, preexec_fn=_die_with_parent)
        try:
            _wait(process, f"http://127.0.0.1:{port}", log, model)
            yield f"http://127.0.0.1:{port}"
        finally:
            process.terminate()
            try:
                process.wait(30)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _own_gpu(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the environment for a server: it has one GPU and no process-group variables of torchrun."""
    own = {name: value for name, value in environment.items() if name not in _LAUNCHER_VARIABLES and not name.startswith("TORCHELASTIC_")}
    if number := environment.get("LOCAL_RANK"):
        visible = [name for name in environment.get("CUDA_VISIBLE_DEVICES", "").split(",") if name]
        own["CUDA_VISIBLE_DEVICES"] = visible[int(number) % len(visible)] if visible else number
    return own


def _wait(process: subprocess.Popen, url: str, log: IO[bytes], model: str) -> None:
    direct = build_opener(ProxyHandler({}))
    until = time.monotonic() + _LONGEST_START
    while time.monotonic() < until:
        if process.poll() is not None:
            log.seek(0)
            log_text = log.read().decode(errors="replace")
            with tempfile.NamedTemporaryFile("w", prefix=f"vllm-{model}-", suffix=".log", delete=False, encoding="utf-8") as log_copy:
                log_copy.write(log_text)
            cause = f"{_root_cause(log_text)[:300]}; its log is in {log_copy.name}"
            raise ValueError(f"model {model}: vLLM did not start (exit status {process.returncode}): {cause}")
        try:
            with direct.open(f"{url}/health", timeout=5):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise ValueError(f"model {model}: vLLM did not answer within {_LONGEST_START:g} s")


def _root_cause(log_text: str) -> str:
    """Return the log line that gives the cause: the last error that does not refer to another one."""
    lines = log_text.strip().splitlines() or ["no output"]
    errors = [line for line in lines if _ERROR.search(line) and "root cause" not in line]
    return (errors or lines)[-1].strip()


def _version(program: str) -> str:
    """Return the vLLM version of a program from the metadata of its environment, since asking the program itself takes many seconds."""
    distributions = sorted(Path(program).resolve().parent.parent.glob("lib/python*/site-packages/vllm-*.dist-info"))
    return distributions[0].name.removesuffix(".dist-info") if distributions else "vllm"


def _die_with_parent() -> None:
    """Make the server end together with the run that started it, even if the run is killed, since an orphaned server would occupy the
    GPU."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_DIE_WITH_PARENT, signal.SIGTERM)
