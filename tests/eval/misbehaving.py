"""An OpenAI-compatible server that misbehaves as it is told: real HTTP over loopback, one behaviour a question."""

import gzip
import json
import re
import socket
import sys
import time
from base64 import b32encode, b64encode, encodebytes, urlsafe_b64encode
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Lock, Thread
from typing import TypeVar
from urllib.parse import quote

KEY = "sk-toy-0123456789abcdef"
SPELLINGS: dict[str, Callable[[str], str]] = {
    "plain": str,
    "slashes": lambda key: key.replace("/", "\\/"),
    "percent": lambda key: quote(key, safe=""),
    "twice": lambda key: quote(quote(key, safe="")).lower(),
    "json-escapes": lambda key: "".join(f"\\u{ord(char):04x}" for char in key),
    "json-in-json": lambda key: json.dumps(json.dumps(key.replace("/", "\\/"))),
    "base64": lambda key: b64encode(f"Bearer {key}".encode()).decode(),
    "base64-url": lambda key: urlsafe_b64encode(f"x{key}".encode()).decode(),
    "lines": lambda key: "\r\n ".join(key[at : at + 7] for at in range(0, len(key), 7)),
    "entities": lambda key: "".join(f"&#x{ord(char):X};" for char in key),
    "hex": lambda key: key.encode().hex(),
    "hex-bytes": lambda key: key.encode().hex(":").upper(),
    "no-width": lambda key: "\u200b".join(key),
    "full-width": lambda key: "".join(chr(ord(char) + 0xFEE0) for char in key),
    "full-width-json": lambda key: json.dumps("".join(chr(ord(char) + 0xFEE0) for char in key)),
    "reversed": lambda key: key[::-1],
    "base32": lambda key: re.sub(".{16}", r"\g<0>\n", b32encode(f"Bearer {key}".encode()).decode()),
    "octal": lambda key: "".join(f"\\\\{byte:03o}" for byte in key.encode()),
    "decimal": lambda key: str([*key.encode()]),
    "base64-lines": lambda key: encodebytes(f"user:{key}".encode() * 3).decode(),
}
"""How a server may repeat a key."""
S = TypeVar("S", bound=ThreadingHTTPServer)


class Server(ThreadingHTTPServer):
    """Counts what it is asked. A question says what becomes of it: `[500*2]` fails twice with status 500 and is answered then."""

    daemon_threads = True
    request_queue_size = 64

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.lock = Lock()
        self.way_of: Callable[[str], tuple[str, int]] = lambda question: ("ok", 0)
        self.calls: Counter[str] = Counter()
        self.bodies: list[dict] = []
        self.keys: set[str | None] = set()
        self.times: list[float] = []
        self.under_way = self.most_under_way = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"

    def handle_error(self, request: object, client_address: object) -> None:
        """Say nothing of callers that hang up."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: Server

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002
        """Say nothing."""

    def do_GET(self) -> None:
        self._send(200, {"status": "ok"})

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        question = body["messages"][-1]["content"] if "messages" in body else str(body["prompt"])
        with self.server.lock:
            self.server.calls[question] += 1
            number = self.server.calls[question]
            self.server.bodies.append(body)
            self.server.keys.add(self.headers["authorization"])
            self.server.times.append(time.monotonic())
            self.server.under_way += 1
            self.server.most_under_way = max(self.server.most_under_way, self.server.under_way)
            told = re.match(r"\[([\w-]+)(?:\*(\d+))?\]", question)
            way, times = (told[1], int(told[2] or 10**6)) if told else self.server.way_of(question)
        try:
            if "prompt" in body:
                self._send(200, text_completion(body["prompt"]))
            else:
                self._behave(way if number <= times else "ok", question)
        finally:
            with self.server.lock:
                self.server.under_way -= 1

    def _behave(self, way: str, question: str) -> None:
        if way == "ok":
            time.sleep(0.005)
            return self._send(200, completion(f"答：{question}"))
        if way in REFUSALS:
            return self._send(*REFUSALS[way])
        if way in REPLIES:
            return self._send(200, REPLIES[way])
        if way.isdigit():
            # What careless servers do: they say whom they refuse.
            return self._send(int(way), refusal(f"refused {self.headers['authorization']}"), {"x-should-retry": "true", "x-seen": KEY})
        if way in SPELLINGS:
            spelled = SPELLINGS[way](self.headers["authorization"].removeprefix("Bearer "))
            if len(question) % 2:
                return self._bytes(b"\n" * 980 + f'{{"error": "not with {spelled}"}}'.encode(), "text/plain", 400)
            return self._send(200, completion(f"your key is {spelled}."))
        if way == "surrogate":
            return self._bytes(json.dumps(completion("半\ud800\\ud800😀")).encode(), "application/json")
        if way.startswith("charset-"):
            said = f"text/plain; charset={way.removeprefix('charset-')}"
            return self._bytes(b"slow down" + b"-" + b"a9" * 100_000, said, 400)
        getattr(self, f"_{way}")()

    def _send(self, status: int, body: dict, headers: dict[str, str] | None = None) -> None:
        self._bytes(json.dumps(body, ensure_ascii=False).encode(), "application/json", status, headers)

    def _bytes(
        self, content: bytes, kind: str, status: int = 200, headers: dict[str, str] | None = None, length: int | None = None
    ) -> None:
        self.send_response(status)
        for name, value in {"Content-Type": kind, "Content-Length": str(length or len(content)), **(headers or {})}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(content)
        self.wfile.flush()

    def _hang(self) -> None:
        time.sleep(3)
        self.close_connection = True

    def _half(self) -> None:
        content = json.dumps(completion("半")).encode()
        self._bytes(content[: len(content) // 2], "application/json", length=len(content))
        self.close_connection = True

    def _json(self) -> None:
        self._bytes(f'{{"choices": [{{"message": {{"content": "{self.headers["authorization"]}'.encode(), "application/json")

    def _shape(self) -> None:
        self._send(200, {"choices": [], "usage": {"completion_tokens": "many"}})

    def _html(self) -> None:
        self._bytes(b"<html><body>Sign in to the hotel's network</body></html>", "text/html")

    def _drip(self) -> None:
        self._bytes(b"", "application/json", length=100_000)
        for _ in range(40):
            time.sleep(0.1)
            self.wfile.write(b" ")
            self.wfile.flush()
        self.close_connection = True

    def _endless(self) -> None:
        """Send until the caller hangs up."""
        self._bytes(b'{"choices": [{"message": {"content": "', "application/json", length=10**12)
        while True:
            self.wfile.write("答".encode() * 100_000)

    def _packed(self) -> None:
        """Send what unpacks to a thousand times its size."""
        self._bytes(gzip.compress(b" " * 50_000_000, 1), "application/json", headers={"Content-Encoding": "gzip"})

    def _headers(self) -> None:
        """Send headers until the caller hangs up."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\n")
        while True:
            self.wfile.write(b"X-More: answers\r\n" * 1000)

    def _early(self) -> None:
        """Say that the answer will come, until the caller hangs up."""
        while True:
            self.wfile.write(b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000)

    def _close(self) -> None:
        self.close_connection = True

    def _reset(self) -> None:
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        self.connection.close()
        self.close_connection = True


def completion(text: str | None, reason: str | None = "stop") -> dict:
    """Return a chat completion as servers send it."""
    choice = {"index": 0, "finish_reason": reason, "message": {"role": "assistant", "content": text}}
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    return {"id": "c", "object": "chat.completion", "created": 1, "model": "toy", "choices": [choice], "usage": usage}


def text_completion(prompt: list[int]) -> dict:
    """Return the completion of a prompt of token ids as vLLM sends it."""
    choice = {"index": 0, "finish_reason": "stop", "text": f"答：{len(prompt)}", "logprobs": None}
    usage = {"prompt_tokens": len(prompt), "completion_tokens": 3, "total_tokens": len(prompt) + 3}
    return {"id": "c", "object": "text_completion", "created": 1, "model": "toy", "choices": [choice], "usage": usage}


def refusal(message: str, code: str | None = None) -> dict:
    """Return an error as servers send it."""
    return {"error": {"message": message, "type": "invalid_request_error", "code": code}}


REFUSALS: dict[str, tuple[int, dict, dict[str, str]]] = {
    "429": (429, refusal("slow down"), {"Retry-After": "0.2"}),
    "429-date": (429, refusal("slow down"), {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    "429-now": (429, refusal("slow down"), {"Retry-After": "0"}),
    "403-flagged": (403, refusal("this model requires moderation and your input was flagged"), {}),
    "403-filter": (403, refusal("held back", "content_policy_violation"), {}),
    "quota": (429, refusal("You exceeded your current quota", "insufficient_quota"), {}),
    "400-long": (400, refusal("This model's maximum context length is 512 tokens", "context_length_exceeded"), {}),
    "400-filter": (400, refusal("The prompt triggered the content management policy", "content_filter"), {}),
}
_CALL = {"id": "c", "type": "function", "function": {"name": "search", "arguments": "{}"}}
_CALLING = {"role": "assistant", "content": None, "tool_calls": [_CALL]}
REPLIES: dict[str, dict] = {
    "debt": completion("答") | {"usage": {"completion_tokens": -3}},
    "host-of-tokens": completion("答") | {"usage": {"completion_tokens": 10**25}},
    "eos_token": completion("半", "eos_token"),
    "stop_sequence": completion("半", "stop_sequence"),
    "filter": completion("半", "content_filter"),
    "odd": completion("半", "gremlins"),
    "null": completion("半", None),
    "tools": completion("") | {"choices": [{"finish_reason": "stop", "message": _CALLING}]},
    "no-content": completion(None),
    "other": completion("半") | {"model": "\x1b[2Jsmaller"},
    "echo": completion(f"your key is {KEY}."),
}


@contextmanager
def running(server: S) -> Iterator[S]:
    """Serve while the block runs."""
    thread = Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def serving() -> Iterator[Server]:
    """Serve on a free port of loopback while the block runs."""
    with running(Server()) as server:
        yield server


if __name__ == "__main__":  # `vllm serve MODEL … --port PORT`, as a stand-in for vLLM
    if "broken" in sys.argv[2]:
        sys.exit("RuntimeError: Failed to infer device type")
    Server(int(sys.argv[-1])).serve_forever()
