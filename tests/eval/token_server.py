"""A server of a real model that takes token ids as vLLM 0.33 does: its requests, responses and errors over real HTTP, one row at a time.

What it decodes has nothing in common with our backends: it is the plain library, so that equal replies say something.
"""

import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Lock
from typing import Any

import torch
from transformers import AutoModelForCausalLM, AutoTokenizer, LogitsProcessorList, RepetitionPenaltyLogitsProcessor, TopKLogitsWarper

from eval.models.local.batches import in_float64
from tests.eval.misbehaving import running


class ModelServer(ThreadingHTTPServer):
    """One model under the name of its folder; `way` is how it misbehaves."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, folder: Path, port: int = 0, name: str | None = None, way: str = "") -> None:
        torch.set_num_threads(1)
        super().__init__(("127.0.0.1", port), _Handler)
        self.name, self.way = name or str(folder), way
        self.tokenizer = AutoTokenizer.from_pretrained(folder)
        self.model = in_float64(AutoModelForCausalLM.from_pretrained(folder, dtype=torch.float64).eval())  # the library's norms are not
        self.window = self.model.config.max_position_embeddings
        self.lock = Lock()
        self.bodies: list[dict] = []
        self.choice: dict[str, Any] = {}
        self.response: dict[str, Any] = {}
        """What a response and its choice say instead."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of callers that hang up."""

    def ends(self, body: dict) -> set[int]:
        own = self.model.generation_config.eos_token_id
        return {*(own if isinstance(own, list) else [own]), *body.get("stop_token_ids", [])}

    @torch.inference_mode()
    def scores(self, tokens: list[int]) -> torch.Tensor:
        return self.model(input_ids=torch.tensor([tokens])).logits[0].double()

    def generated(self, prompt: list[int], body: dict) -> tuple[list[int], str, str]:
        """Return the tokens of a reply with that of its end, its text, and why it ended."""
        processors, tokens = LogitsProcessorList(), []
        if body.get("repetition_penalty", 1.0) != 1.0:
            processors.append(RepetitionPenaltyLogitsProcessor(body["repetition_penalty"]))
        if body.get("top_k"):
            processors.append(TopKLogitsWarper(body["top_k"]))
        assert body["temperature"] == 0 or body.get("top_k") == 1, "another engine draws otherwise"
        for _ in range(min(body["max_tokens"], self.window - len(prompt))):  # which vLLM does without a word
            row = torch.tensor([prompt + tokens])
            tokens.append(int(processors(row, self.scores(prompt + tokens)[-1:])[0].argmax()))
            if tokens[-1] in self.ends(body):
                return tokens, self.tokenizer.decode(tokens[:-1], skip_special_tokens=True), "stop"
            text = self.tokenizer.decode(tokens, skip_special_tokens=True)
            for word in body.get("stop", []):
                if word in text:
                    return tokens, text[: text.index(word)], "stop"
        return tokens, self.tokenizer.decode(tokens, skip_special_tokens=True), "length"


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: ModelServer

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        tells = {} if self.server.way == "silent" else {"max_model_len": self.server.window}
        self._send(200, {"object": "list", "data": [{"id": self.server.name, "object": "model", **tells}]})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            self.server.bodies.append(body)
            if self.server.way == "dies" and len(self.server.bodies) > 5:
                self.close_connection = True
                return
            try:
                self._send(*self._answer(body))
            except ValueError as error:
                self._send(400, refusal(str(error)))

    def _answer(self, body: dict) -> tuple[int, dict]:
        if self.path == "/v1/chat/completions":
            prompt = self.server.tokenizer.apply_chat_template(body["messages"], add_generation_prompt=True, return_dict=True)["input_ids"]
        elif self.server.way == "404":
            return 404, {"detail": "Not Found"}
        elif isinstance(body["prompt"], str):
            prompt = self.server.tokenizer(body["prompt"])["input_ids"]
        elif self.server.way == "texts":
            raise ValueError("prompt must be a string.")
        else:
            prompt = body["prompt"]
        if self.server.way == "cuts":
            prompt = prompt[-8:]
        if len(prompt) > self.server.window:
            raise ValueError(f"This model's maximum context length is {self.server.window} tokens. However, your prompt contains more")
        tokens, text, reason = self.server.generated(prompt, body)
        choice: dict[str, Any] = {"index": 0, "text": text, "finish_reason": reason, "logprobs": None, "prompt_logprobs": None}
        if body.get("return_token_ids"):
            choice["token_ids"] = tokens
        if body.get("logprobs") is not None:
            choice["logprobs"] = self._spoilt(self._logprobs(prompt, tokens, body))
        if self.path == "/v1/chat/completions":
            choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": reason}
        choice |= self.server.choice
        usage = {"prompt_tokens": len(prompt), "completion_tokens": len(tokens), "total_tokens": len(prompt) + len(tokens)}
        whole = {"id": "c", "object": "text_completion", "created": 1, "model": body["model"], "choices": [choice], "usage": usage}
        return 200, whole | self.server.response

    def _logprobs(self, prompt: list[int], tokens: list[int], body: dict) -> dict:
        told = [*prompt, *tokens] if body.get("echo") else tokens
        shares = self.server.scores([*prompt, *tokens]).log_softmax(-1)
        start = len(prompt) + len(tokens) - len(told)
        before: list[torch.Tensor | None] = [shares[place - 1] if place else None for place in range(start, start + len(told))]

        def top(row: torch.Tensor | None, token: int) -> dict[str, float] | None:
            if row is None:
                return None
            chosen = body.get("logprob_token_ids") or row.topk(body["logprobs"]).indices.tolist()
            name = "token_id:{}".format if body.get("return_tokens_as_token_ids") else lambda one: self.server.tokenizer.decode([one])
            return {name(one): max(row[one].item(), -9999.0) for one in [token, *chosen]}

        pairs = list(zip(before, told, strict=True))
        return {
            "text_offset": [0] * len(told),
            "tokens": [self.server.tokenizer.decode([token]) for token in told],
            "token_logprobs": [None if row is None else max(row[token].item(), -9999.0) for row, token in pairs],
            "top_logprobs": [top(row, token) for row, token in pairs],
        }

    def _spoilt(self, told: dict) -> dict | None:
        if self.server.way == "none":
            return None
        change = {"null": None, "clamped": -9999.0, "nan": float("nan"), "shares": 0.7}
        if self.server.way in change:
            told["token_logprobs"][-2:] = [change[self.server.way]] * 2
            told["top_logprobs"] = [dict.fromkeys(top or {}, change[self.server.way]) for top in told["top_logprobs"]]
        if self.server.way == "other":  # as one that does not know the field
            told["top_logprobs"] = [{"token_id:0": -1.0} for _ in told["top_logprobs"]]
        if self.server.way == "short":
            told["token_logprobs"] = told["token_logprobs"][-1:]
        return told

    def _send(self, status: int, body: dict) -> None:
        content = json.dumps(body, ensure_ascii=False).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)


def refusal(message: str) -> dict:
    """Return an error as vLLM sends it."""
    return {"error": {"message": message, "type": "BadRequestError", "param": None, "code": 400}}


@contextmanager
def serving(folder: Path, **changes: Any) -> Iterator[ModelServer]:
    """Serve on a free port of loopback while the block runs."""
    with running(ModelServer(folder, **changes)) as server:
        yield server


if __name__ == "__main__":  # `vllm serve MODEL … --port PORT`, as a stand-in for vLLM
    if "broken" in sys.argv[2]:
        sys.exit("RuntimeError: Failed to infer device type")
    ModelServer(Path(sys.argv[2]), int(sys.argv[-1])).serve_forever()
